//! Sizing of `retrieval`: memory of the index.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::Retrieval;
use crate::model::words::{VectorEngine, VectorIndex};

use super::figure::{Basis, Figure, Reason};
use super::formula::round::{ceil_units, div_ceil};
use super::formula::vectors::{Code, OPENSEARCH_FACTOR, OPENSEARCH_OVERHEAD, REBUILD_FACTOR, flat, hnsw, ivf, planned};
use super::load::{self, Bar, Known, put_known};
use super::{Plan, RetrievalPlan, readable};

/// Memory over vectors, index and rebuilding included. Source: Qdrant documentation, capacity planning.
const QDRANT_FACTOR: f64 = 1.5;
/// Working memory over the index where the engine's maker gives no factor. Assumption.
const OTHER_FACTOR: f64 = 1.2;
/// Bytes of a link of a graph index.
const LINK_BYTES: f64 = 8.0;
/// Dimensions that share a code of 8 bits, and bits of a code. Assumption, usual in product quantisation.
const PART_DIMENSIONS: u64 = 4;
const PART_BITS: u64 = 8;

/// What an engine needs over its bare index.
struct Engine {
    factor: f64,
    source: &'static str,
    /// True when the factor holds for the vectors alone and has the graph in it.
    graph_included: bool,
}

/// Sizes one.
pub fn size(plan: &mut Plan<'_>, id: Id<Retrieval>) {
    let model = Arc::clone(&plan.model);
    let (block, retrieval) = (id.block(), &model[id]);
    let one = index(&model, id);
    let all = one.clone().map(|bar| {
        let copies = |bytes: f64| planned(bytes, 1.0, retrieval.replicas);
        Bar { value: copies(bar.value), low: copies(bar.low), high: copies(bar.high) }
    });
    put_known(&mut plan.figures, block, "index_memory", one.clone().map(|bar| index_figure(retrieval, bar)));
    put_known(
        &mut plan.figures,
        block,
        "memory",
        all.clone().map(|bar| {
            let formula = "memory of one copy × replicas";
            bar.figure(readable::memory(bar.value), formula).of(block, "index_memory").of(block, "replicas")
        }),
    );
    load::finish(plan, block, None);
    plan.retrievals.insert(
        id,
        RetrievalPlan {
            id,
            replicas: retrieval.replicas,
            index_bytes: one.ok().map(|bar| bar.value),
            memory: all.ok().map(|bar| bar.value),
        },
    );
}

fn index_figure(retrieval: &Retrieval, bar: Bar) -> Figure {
    let block = retrieval.id.block();
    let engine = engine(retrieval.engine);
    let formula = match retrieval.index {
        VectorIndex::Flat => "vectors × dimensions × bytes of a number × factor of the engine",
        VectorIndex::Hnsw => "vectors × (dimensions × bytes of a number + links × 8 B) × factor of the engine",
        VectorIndex::IvfPq => "(vectors × code + codebooks + centres of the lists) × factor of the engine",
    };
    let figure = bar.figure(readable::memory(bar.value), formula).of(block, "vectors").of(block, "dimensions");
    let figure = match retrieval.index {
        VectorIndex::Flat => figure.of(block, "bytes_per_number"),
        VectorIndex::Hnsw => figure.of(block, "bytes_per_number").of(block, "links"),
        VectorIndex::IvfPq => figure
            .basis(Basis::Assumed)
            .note("8 bits for 4 dimensions and 4 × √vectors lists are assumed; the index says neither"),
    };
    figure.because(Reason::constant(
        "memory of the engine over the index",
        Arc::from(format!("{} (1 to {REBUILD_FACTOR} while it is rebuilt)", engine.factor)),
        engine.source,
    ))
}

/// One copy: with the engine's factor, from the bare index to twice of it while it is rebuilt.
fn index(model: &Model<'_>, id: Id<Retrieval>) -> Known<Bar> {
    let retrieval = &model[id];
    let vectors = load::setting(model, id, "vectors", &retrieval.vectors)? as f64;
    let numbers = flat(vectors, retrieval.dimensions, retrieval.bytes_per_number as f64);
    let bits = retrieval.bytes_per_number as f64 * 8.0;
    let bare = match retrieval.index {
        VectorIndex::Flat => numbers,
        VectorIndex::Hnsw => hnsw(vectors, retrieval.dimensions, Code::Scalar { bits }, retrieval.links, LINK_BYTES),
        VectorIndex::IvfPq => {
            let parts = div_ceil(retrieval.dimensions, PART_DIMENSIONS);
            let code = Code::Product { parts, bits: PART_BITS, segments: 1, overhead: OPENSEARCH_OVERHEAD };
            ivf(vectors, retrieval.dimensions, code, ceil_units(4.0 * vectors.sqrt()))
        }
    };
    let engine = engine(retrieval.engine);
    let value = match (retrieval.index, engine.graph_included) {
        (VectorIndex::Hnsw | VectorIndex::Flat, true) => planned(numbers, engine.factor, 1).max(bare),
        (VectorIndex::IvfPq, true) | (_, false) => planned(bare, engine.factor, 1),
    };
    Ok(Bar { value, low: bare, high: value.max(planned(bare, REBUILD_FACTOR, 1)) })
}

fn engine(engine: VectorEngine) -> Engine {
    match engine {
        VectorEngine::Qdrant => {
            Engine { factor: QDRANT_FACTOR, source: "Qdrant documentation, capacity planning", graph_included: true }
        }
        VectorEngine::Opensearch => {
            Engine { factor: OPENSEARCH_FACTOR, source: "OpenSearch k-NN documentation", graph_included: false }
        }
        VectorEngine::Milvus | VectorEngine::Pgvector => {
            Engine { factor: OTHER_FACTOR, source: "assumption", graph_included: false }
        }
    }
}

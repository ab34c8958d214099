//! Sizing of `retrieval`: memory of the index, full vectors on disk, reads of rescoring, time of a query.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::Retrieval;
use crate::model::words::{VectorEngine, VectorIndex};

use super::figure::{Basis, Figure, Reason};
use super::formula::round::{ceil_units, div_ceil, product};
use super::formula::search;
use super::formula::vectors::{
    Code, OPENSEARCH_FACTOR, OPENSEARCH_OVERHEAD, REBUILD_FACTOR, code_bytes, flat, hnsw, ivf, planned,
};
use super::load::{self, Bar, Known, put_known};
use super::{Plan, readable};

/// Memory over vectors, index and rebuilding included. Source: Qdrant documentation, capacity planning.
const QDRANT_FACTOR: f64 = 1.5;
/// Working memory over the index where the engine's maker gives no factor. Assumption.
const OTHER_FACTOR: f64 = 1.2;
/// Bytes of a link of a graph index.
const LINK_BYTES: f64 = 8.0;
/// Dimensions that share a code of 8 bits, and bits of a code. Assumption, usual in product quantisation.
const PART_DIMENSIONS: u64 = 4;
const PART_BITS: u64 = 8;

/// Share of the time that cores are busy at the peak. Assumption: the rest keeps queues short.
const BUSY: f64 = 0.7;

/// Retrieval, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievalPlan {
    /// Which.
    pub id: Id<Retrieval>,
    /// Copies of the index.
    pub replicas: u64,
    /// Bytes of one copy in memory.
    pub index_bytes: Option<f64>,
    /// Bytes of all copies in memory.
    pub memory: Option<f64>,
    /// Bytes of full vectors on disk, of all copies.
    pub disk: Option<f64>,
    /// Random reads a second at the peak.
    pub iops: Option<u64>,
    /// Cores for the queries of the peak.
    pub cores: Option<u64>,
}

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
    let disk = disk(&model, id);
    put_known(&mut plan.figures, block, "disk", disk.clone().map(|bytes| disk_figure(retrieval, bytes)));
    let queries = load::setting(&model, id, "queries", &retrieval.queries).map(|queries| queries.requests_per_second());
    let iops = queries.clone().map(|queries| ceil_units(queries * reads_of_query(retrieval) as f64));
    put_known(&mut plan.figures, block, "iops", iops.clone().map(|iops| iops_figure(retrieval, iops)));
    let search = search_seconds(&model, id);
    put_known(&mut plan.figures, block, "latency", search.clone().map(|bar| latency_figure(retrieval, bar)));
    let cores = queries.and_then(|queries| Ok((queries, search?))).map(|(queries, search)| cores(queries, search));
    put_known(&mut plan.figures, block, "cores", cores.clone().map(|bar| cores_figure(retrieval, bar)));
    load::finish(plan, block, None);
    plan.retrievals.insert(
        id,
        RetrievalPlan {
            id,
            replicas: retrieval.replicas,
            index_bytes: one.ok().map(|bar| bar.value),
            memory: all.ok().map(|bar| bar.value),
            disk: disk.ok(),
            iops: iops.ok(),
            cores: cores.ok().map(|bar| ceil_units(bar.value)),
        },
    );
}

/// Full vectors on disk, where candidates are rescored with them.
fn disk(model: &Model<'_>, id: Id<Retrieval>) -> Known<f64> {
    let retrieval = &model[id];
    if retrieval.rescore == 0 {
        return Ok(0.0);
    }
    let vectors = load::setting(model, id, "vectors", &retrieval.vectors)? as f64;
    Ok(planned(flat(vectors, retrieval.dimensions, retrieval.bytes_per_number as f64), 1.0, retrieval.replicas))
}

fn disk_figure(retrieval: &Retrieval, bytes: f64) -> Figure {
    let block = retrieval.id.block();
    let figure = Figure::exact(bytes, readable::data(bytes), "vectors × dimensions × bytes of a number × replicas");
    let figure = figure.of(block, "vectors").of(block, "dimensions").of(block, "replicas").of(block, "rescore");
    if retrieval.rescore == 0 { figure.note("nothing is rescored: full vectors stay with the index") } else { figure }
}

/// Reads from disk of one query.
fn reads_of_query(retrieval: &Retrieval) -> u64 {
    search::reads(retrieval.rescore, product([retrieval.dimensions, retrieval.bytes_per_number]))
}

fn iops_figure(retrieval: &Retrieval, iops: u64) -> Figure {
    let block = retrieval.id.block();
    let formula = "queries a second × candidates that are rescored × pages of a vector";
    Figure::exact(iops as f64, "", formula).of(block, "queries").of(block, "rescore").of(block, "dimensions")
}

/// Seconds of a search on one core: half as long where all is cached, three times where nothing is.
fn search_seconds(model: &Model<'_>, id: Id<Retrieval>) -> Known<Bar> {
    let retrieval = &model[id];
    let vectors = load::setting(model, id, "vectors", &retrieval.vectors)? as f64;
    let code = code_bytes(retrieval.dimensions, code(retrieval));
    let seconds = match retrieval.index {
        VectorIndex::Flat => search::flat(vectors * code),
        VectorIndex::Hnsw => search::graph(vectors, code, retrieval.links),
        VectorIndex::IvfPq => search::lists(vectors, code, retrieval.dimensions as f64 * 4.0, list_count(vectors)),
    };
    Ok(Bar::around(seconds, 0.5, 3.0))
}

fn latency_figure(retrieval: &Retrieval, search: Bar) -> Figure {
    let block = retrieval.id.block();
    let disk = search::read_seconds(reads_of_query(retrieval));
    let bar = Bar { value: search.value + disk, low: search.low + disk, high: search.high + disk };
    let formula = "search of the index on one core + reads of rescoring";
    let figure = bar.figure(readable::time(bar.value), formula).basis(Basis::Assumed).of(block, "vectors");
    figure.of(block, "dimensions").of(block, "index").of(block, "rescore").note(
        "cores stream 10 GB/s, memory answers in 100 ns, NVMe in 100 µs, 32 reads at once: measure before relying on it",
    )
}

/// Cores that are busy at the peak, with room for queues.
fn cores(queries: f64, search: Bar) -> Bar {
    let at = |seconds: f64| ceil_units(queries * seconds / BUSY).max(1) as f64;
    Bar { value: at(search.value), low: at(search.low), high: at(search.high) }
}

fn cores_figure(retrieval: &Retrieval, bar: Bar) -> Figure {
    let block = retrieval.id.block();
    let figure = bar.figure("", "queries a second × time of a search ÷ 0.7, rounded up").basis(Basis::Assumed);
    figure.of(block, "queries").of(block, "latency")
}

/// How a vector is kept in the index.
fn code(retrieval: &Retrieval) -> Code {
    match retrieval.index {
        VectorIndex::IvfPq => Code::Product {
            parts: div_ceil(retrieval.dimensions, PART_DIMENSIONS),
            bits: PART_BITS,
            segments: 1,
            overhead: OPENSEARCH_OVERHEAD,
        },
        VectorIndex::Flat | VectorIndex::Hnsw => {
            let whole = product([retrieval.bytes_per_number, 8]);
            Code::Scalar { bits: retrieval.code_bits.map_or(whole, |bits| bits.clamp(1, whole.max(1))) as f64 }
        }
    }
}

fn list_count(vectors: f64) -> u64 {
    ceil_units(4.0 * vectors.sqrt())
}

fn index_figure(retrieval: &Retrieval, bar: Bar) -> Figure {
    let block = retrieval.id.block();
    let engine = engine(retrieval.engine);
    let formula = match retrieval.index {
        VectorIndex::Flat => "vectors × dimensions × bits of a number in the index × factor of the engine",
        VectorIndex::Hnsw => {
            "vectors × (dimensions × bits of a number in the index + links × 8 B) × factor of the engine"
        }
        VectorIndex::IvfPq => "(vectors × code + codebooks + centres of the lists) × factor of the engine",
    };
    let figure = bar.figure(readable::memory(bar.value), formula).of(block, "vectors").of(block, "dimensions");
    let figure = match retrieval.index {
        VectorIndex::Flat => figure.of(block, "bytes_per_number").of(block, "code_bits"),
        VectorIndex::Hnsw => figure.of(block, "bytes_per_number").of(block, "code_bits").of(block, "links"),
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
    let code = code(retrieval);
    let numbers = vectors * code_bytes(retrieval.dimensions, code);
    let bare = match retrieval.index {
        VectorIndex::Flat => numbers,
        VectorIndex::Hnsw => hnsw(vectors, retrieval.dimensions, code, retrieval.links, LINK_BYTES),
        VectorIndex::IvfPq => ivf(vectors, retrieval.dimensions, code, list_count(vectors)),
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

//! Memory of vector indexes, in the three conventions of their documentation.

use aipc::plan::formula::vectors::{
    CAGRA_FACTOR, Code, OPENSEARCH_FACTOR, OPENSEARCH_OVERHEAD, WEAVIATE_FACTOR, flat, hnsw, ivf, planned,
};

use crate::case::Case;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Topic};

/// Bytes that a graph keeps for each of its M links.
const LINK: f64 = 8.0;

/// Memory, by the index that the inputs describe.
pub fn predict(case: &Case) -> Outcome {
    if case.text(&["index"]).is_some_and(|index| index.to_lowercase().contains("cagra")) && !case.has(&["n", "vectors"])
    {
        return Ok(vec![Check::of(Topic::Vectors, Measure::Count, planned(1.0, CAGRA_FACTOR, 1))]);
    }
    let check = |value| Check::of(Topic::Vectors, Measure::Bytes, value);
    let vectors = case.scaled(&["n", "vectors", "n_vectors"]).ok_or("it does not say its `n`")?;
    let dimensions = case.need_whole(&["dim", "dimensions", "d"])?;
    let bits = case.number(&["bits"]).unwrap_or_else(|| 8.0 * case.number(&["bytes"]).unwrap_or(4.0));
    let opensearch = case.source.to_lowercase().contains("opensearch");
    let code = match case.whole(&["pq_m", "pq_parts"]) {
        Some(parts) => Code::Product {
            parts,
            bits: case.whole(&["code_bits", "pq_bits"]).unwrap_or(8),
            segments: case.whole(&["segments"]).unwrap_or(1),
            overhead: if opensearch { OPENSEARCH_OVERHEAD } else { LINK },
        },
        None => Code::Scalar { bits },
    };
    let factor = if opensearch { OPENSEARCH_FACTOR } else { 1.0 };
    let replicas = case.whole(&["replicas", "copies"]).unwrap_or(1);
    if let Some(lists) = case.whole(&["nlist", "lists"]) {
        return Ok(vec![check(planned(ivf(vectors, dimensions, code, lists), factor, replicas))]);
    }
    if let Some(m) = case.whole(&["m", "M", "max_connections"]) {
        return Ok(vec![check(planned(hnsw(vectors, dimensions, code, m, LINK), factor, replicas))]);
    }
    // Without links the documentation plans with the vectors and a factor.
    let planning = if case.has(&["factor"]) { WEAVIATE_FACTOR } else { factor };
    Ok(vec![check(planned(flat(vectors, dimensions, bits / 8.0), planning, replicas))])
}

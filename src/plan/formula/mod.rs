//! The sizing formulas: pure functions from figures to figures.
//!
//! Nothing here knows the language, the catalogue or a diagnostic. A formula takes numbers, gives numbers, and says in
//! its doc comment where it is from and where it stops holding. Only `+ - * /` and square roots are used on `f64`, so a
//! figure is the same on every machine. Bytes are bytes, seconds are seconds, FLOP/s are dense and one multiply-add is
//! two FLOP, unless a name says otherwise. A division by zero is answered by [`round::ratio`]: nothing over nothing is
//! 0, something over nothing is infinite.
//!
//! | question | file |
//! |---|---|
//! | how to round without losing a node to the last bit | [`round`] |
//! | exponential that is the same everywhere | [`exponential`] |
//! | how many parameters, of which kind | [`shape`] |
//! | training memory: weights, gradients, optimizer | [`states`] |
//! | training memory with states in host memory | [`offload`] |
//! | training memory: activations, logits, fixed parts, margin | [`activations`] |
//! | LoRA and QLoRA | [`adapters`] |
//! | arithmetic, utilisation, time, bubble, strong scaling | [`compute`] |
//! | bytes of weights by precision and class | [`weights`] |
//! | key-value cache | [`kv`] |
//! | what a serving engine needs besides | [`engine`] |
//! | what one serving replica is | [`replica`] |
//! | time of a decode step | [`decode`] |
//! | time to the first token | [`prefill`] |
//! | throughput, concurrency, replicas | [`serving`] |
//! | default constants with ranges and sources | [`constants`] |
//! | bytes and time of collectives | [`collectives`] |
//! | switches and links of a fabric | [`fabric`] |
//! | time of a search in an index, reads of rescoring | [`search`] |
//! | read rates and usable capacity | [`storage`] |
//! | every link of a fabric with both ends | [`wiring`] |
//! | where racks stand, how long cables are | [`cable`] |
//! | bytes between nodes in a training step | [`traffic`] |
//! | checkpoints, failures, goodput | [`checkpoint`] |
//! | spare nodes | [`spares`] |
//! | watts, heat, energy, racks | [`power`] |
//! | memory of a vector index | [`vectors`] |
//! | cores and time of data preparation | [`dataprep`] |
//! | owned and rented hours | [`cost`] |

pub mod activations;
pub mod adapters;
pub mod cable;
pub mod checkpoint;
pub mod collectives;
pub mod compute;
pub mod constants;
pub mod cost;
pub mod dataprep;
pub mod decode;
pub mod engine;
pub mod exponential;
pub mod fabric;
pub mod kv;
pub mod offload;
pub mod power;
pub mod prefill;
pub mod replica;
pub mod round;
pub mod search;
pub mod serving;
pub mod shape;
pub mod spares;
pub mod states;
pub mod storage;
pub mod traffic;
pub mod vectors;
pub mod weights;
pub mod wiring;

//! The one table: every kind, every attribute, once.
//!
//! A row gives an attribute its name, its type, whether it must be written, its default and its one-line
//! documentation. Decoding, nearest names, completion, hover and the reference manual all read it. To add an
//! attribute, add a row; to add a kind, add a table and a word in the list that `Tables` is made of.
//!
//! Modes: `required` (must be known), `optional` (may be absent), `setting` (may be absent, `auto` or `tbd`),
//! `defaulted` (has a default), `listed` (a list, empty when absent).

use std::sync::Arc;

use crate::base::date::Date;
use crate::base::quantity::{
    CarbonIntensity, Currency, Current, Data, Energy, FlopRate, Frequency, Height, Length, Mass, Power, Rate,
    RequestRate, Share, Time, TokenRate, Tokens, Voltage,
};

use super::decode::{
    Any, Cidr, Connected, Control, Counted, Country, Deferred, Endpoint, EnergyPrice, FromValue, KeySource, Load,
    Measurable, MoneyPerTime, Oidc, Part, Place, Port, Price, Priced, Ratio, Redundancy, Region, Setting, Span, Stored,
    Used, Version,
};
use super::ids::{BlockId, Id};
use super::schema::{Attribute, Derived, Group, KindSchema, Mode, SubBlock, SubShape};
use super::value::Value;
use super::words;
use crate::base::quantity::Money;

/// A struct that is a kind of the language.
pub trait Kinded: Sized {
    /// Which kind.
    const KIND: Kind;
    /// Its word.
    const WORD: &'static str;

    /// All blocks of the kind, in source order.
    fn table(tables: &Tables) -> &Vec<Self>;

    /// The same, to fill.
    fn table_mut(tables: &mut Tables) -> &mut Vec<Self>;

    /// Reads the fields of a checked block; nothing when a required one is missing, which has been reported.
    fn decode(fields: &Fields<'_>) -> Option<Self>;
}

/// Where the decoder of a block reads its checked values.
pub struct Fields<'a> {
    /// The block.
    pub block: BlockId,
    /// Its attributes by position in the schema.
    pub values: &'a dyn Fn(u16) -> Value,
    /// Its sub-blocks of a kind, in source order.
    pub children: &'a dyn Fn(Kind) -> Vec<BlockId>,
}

/// An identifier without the mark that Rust needs before its own keywords.
const fn plain(identifier: &'static str) -> &'static str {
    match identifier.as_bytes() {
        [b'r', b'#', ..] => identifier.split_at(2).1,
        _ => identifier,
    }
}

macro_rules! field_type {
    (required $ty:ty) => { $ty };
    (optional $ty:ty) => { Option<$ty> };
    (setting $ty:ty) => { Setting<$ty> };
    (defaulted $ty:ty) => { $ty };
    (listed $ty:ty) => { Vec<$ty> };
}

macro_rules! schema_type {
    (listed $ty:ty) => {
        <Vec<$ty> as FromValue>::TYPE
    };
    ($mode:ident $ty:ty) => {
        <$ty as FromValue>::TYPE
    };
}

macro_rules! schema_mode {
    (required) => {
        Mode::Required
    };
    (optional) => {
        Mode::Optional
    };
    (setting) => {
        Mode::Setting
    };
    (defaulted) => {
        Mode::Default
    };
    (listed) => {
        Mode::Optional
    };
}

macro_rules! field_read {
    ($value:expr, required $ty:ty) => {
        <$ty>::from_value(&$value)?
    };
    ($value:expr, defaulted $ty:ty) => {
        <$ty>::from_value(&$value)?
    };
    ($value:expr, optional $ty:ty) => {
        <$ty>::from_value(&$value)
    };
    ($value:expr, listed $ty:ty) => {
        <Vec<$ty>>::from_value(&$value).unwrap_or_default()
    };
    ($value:expr, setting $ty:ty) => {
        match $value {
            Value::Auto => Setting::Auto,
            Value::Tbd(why) => Setting::Tbd(why),
            other => <$ty>::from_value(&other).map_or(Setting::Absent, Setting::Given),
        }
    };
}

macro_rules! default_of {
    () => {
        None
    };
    ($default:literal) => {
        Some($default)
    };
}

macro_rules! kinds {
    ($(
        $(#[doc = $kind_doc:literal])+
        $group:ident $Kind:ident = $word:literal in $table:ident {
            $( $(#[doc = $doc:literal])+ $field:ident : $mode:ident $ty:ty $(= $default:literal)? ; )*
            $( blocks { $( $(#[doc = $sub_doc:literal])+ $sub:ident : $shape:ident $Sub:ident ; )+ } )?
            $( derived { $( $(#[doc = $derived_doc:literal])+ $derived:ident : $derived_ty:ty ; )+ } )?
        }
    )+) => {
        /// A kind of block.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $( $(#[doc = $kind_doc])+ $Kind ),+ }

        impl Kind {
            /// Every kind, in the order of the reference manual.
            pub const ALL: &'static [Kind] = &[$(Kind::$Kind),+];

            /// What the kind consists of.
            pub fn schema(self) -> &'static KindSchema {
                match self { $( Kind::$Kind => {
                    const SCHEMA: &KindSchema = &KindSchema {
                        kind: Kind::$Kind,
                        word: $word,
                        doc: concat!($($kind_doc, "\n"),+),
                        group: Group::$group,
                        attributes: &[ $( Attribute {
                            name: plain(stringify!($field)),
                            doc: concat!($($doc),+),
                            ty: schema_type!($mode $ty),
                            mode: schema_mode!($mode),
                            default: default_of!($($default)?),
                        } ),* ],
                        blocks: &[ $($( SubBlock {
                            word: stringify!($sub),
                            doc: concat!($($sub_doc),+),
                            shape: SubShape::$shape,
                            kind: Kind::$Sub,
                        } ),+)? ],
                        derived: &[ $($( Derived {
                            name: plain(stringify!($derived)),
                            doc: concat!($($derived_doc),+),
                            ty: <$derived_ty as FromValue>::TYPE,
                        } ),+)? ],
                    };
                    SCHEMA
                } )+ }
            }

            /// Reads a checked block into its typed table; false when a required field is missing.
            pub(super) fn store(self, tables: &mut Tables, fields: &Fields<'_>) -> Option<u32> {
                match self { $( Kind::$Kind => {
                    let row = $Kind::decode(fields)?;
                    let table = $Kind::table_mut(tables);
                    table.push(row);
                    u32::try_from(table.len() - 1).ok()
                } )+ }
            }
        }

        /// Every block of the model, by kind, in source order.
        #[derive(Debug, Clone, Default)]
        pub struct Tables { $( $(#[doc = $kind_doc])+ pub $table: Vec<$Kind> ),+ }

        $(
            $(#[doc = $kind_doc])+
            #[derive(Debug, Clone)]
            pub struct $Kind {
                /// Itself.
                pub id: Id<$Kind>,
                $( $(#[doc = $doc])+ pub $field: field_type!($mode $ty), )*
                $($( $(#[doc = $sub_doc])+ pub $sub: Vec<Id<$Sub>>, )+)?
            }

            impl Kinded for $Kind {
                const KIND: Kind = Kind::$Kind;
                const WORD: &'static str = $word;

                fn table(tables: &Tables) -> &Vec<Self> {
                    &tables.$table
                }

                fn table_mut(tables: &mut Tables) -> &mut Vec<Self> {
                    &mut tables.$table
                }

                fn decode(fields: &Fields<'_>) -> Option<Self> {
                    let mut _positions = 0u16..;
                    Some($Kind {
                        id: Id::new(fields.block),
                        $( $field: {
                            let value = (fields.values)(_positions.next()?);
                            field_read!(value, $mode $ty)
                        }, )*
                        $($( $sub: (fields.children)(Kind::$Sub).into_iter().map(Id::new).collect(), )+)?
                    })
                }
            }
        )+
    };
}

kinds! {
    /// The platform itself: who owns it, how far it has come, in what money it is counted.
    Frame Platform = "platform" in platforms {
        /// Who answers for it.
        owner: optional Arc<str>;
        /// What it is called where people read.
        title: optional Arc<str>;
        /// How far it has come; findings get stricter with it.
        stage: defaulted words::Stage = "poc";
        /// The money everything is summed in.
        currency: required Currency;
        /// How long hardware is to be used; the time that running costs are summed over.
        lifetime: defaulted Time = "5 years";
        /// The day that dated checks take for today.
        as_of: optional Date;
        /// The day that everything bought must be there.
        needed_by: optional Date;
        derived {
            /// GPUs bought or rented, at most.
            gpus: u64;
            /// Money to buy what is priced.
            capex: Money;
            /// Money a year to run what is priced.
            opex: MoneyPerTime;
            /// Lines of the bill without a price.
            unpriced: u64;
            /// Electrical power of all sites of our own, with cooling.
            power: Power;
        }
    }

    /// A value that an environment or the command line may set.
    Frame Param = "param" in params {
        /// What it takes.
        r#type: required words::ParamType;
        /// What it is when nobody sets it.
        default: required Value;
        /// Why the default is only there so that something is: a person still has to decide it.
        placeholder: optional Arc<str>;
        /// A range or a list of what is allowed.
        allowed: optional Value;
        /// What it is called where people read.
        title: optional Arc<str>;
    }

    /// Names for values: `let { racks = 4 }`, read as `let.racks`.
    Frame Let = "let" in lets {
    }

    /// A variant of the platform: it sets values and drops blocks, and changes nothing else.
    Frame Environment = "environment" in environments {
        /// What it is called where people read.
        title: optional Arc<str>;
        /// The environment it starts from; without it, the package as written.
        extends: optional Id<Environment>;
    }

    /// A language model: the shape that decides its memory and its arithmetic.
    Load Model = "model" in models {
        /// The published model it is; what is written here replaces single facts of it.
        base: optional Id<Model>;
        /// The format its weights are kept in.
        precision: optional words::Precision;
        /// The format of the key-value cache, apart from that of the weights.
        kv_precision: optional words::Precision;
        /// The format of the attention weights, where a quantised checkpoint keeps them apart.
        attention_precision: optional words::Precision;
        /// Family, for display.
        family: optional Arc<str>;
        /// Parameters as published; computed from the shape when absent.
        parameters: optional u64;
        /// Parameters of towers for images and sound, beside the language part that the shape gives.
        tower_parameters: optional u64;
        /// Transformer layers.
        layers: optional u64;
        /// Width of the residual stream.
        hidden: optional u64;
        /// Attention heads.
        heads: optional u64;
        /// Key-value heads; as many as heads when absent.
        kv_heads: optional u64;
        /// Width of a head; hidden over heads when absent.
        head_dim: optional u64;
        /// Width of the feed-forward layer.
        ffn: optional u64;
        /// Vocabulary.
        vocab: optional u64;
        /// Whether the feed-forward layer has a gate (three matrices instead of two).
        gated: optional bool;
        /// Whether input and output embeddings are one.
        tied_embeddings: optional bool;
        /// Learned positions; none when absent.
        positions: optional u64;
        /// Routed experts a layer; none when absent.
        experts: optional u64;
        /// Experts that a token visits.
        experts_per_token: optional u64;
        /// Width of an expert.
        expert_ffn: optional u64;
        /// Experts that every token visits.
        shared_experts: optional u64;
        /// First layers without experts.
        dense_layers: optional u64;
        /// How it attends.
        attention: optional words::Attention;
        /// Rank of the query projection (MLA).
        q_rank: optional u64;
        /// Rank of the key-value projection (MLA).
        kv_rank: optional u64;
        /// Width of a head without position (MLA).
        nope_dim: optional u64;
        /// Width of a head with position (MLA).
        rope_dim: optional u64;
        /// Width of a value head (MLA).
        v_dim: optional u64;
        /// Tokens that a windowed layer sees.
        sliding_window: optional u64;
        /// Layers with a window.
        sliding_layers: optional u64;
        /// The longest context it was made for, in tokens.
        context: optional u64;
        /// True for models that give vectors, not text.
        embedding: optional bool;
        /// How activations are normalised.
        norm: optional words::Norm;
        /// Its licence.
        license: optional Arc<str>;
        derived {
            /// Parameters, all of them.
            total_parameters: u64;
            /// Parameters that a token touches.
            active_parameters: u64;
        }
    }

    /// Data that workloads read or write.
    Load Dataset = "dataset" in datasets {
        /// How much there is today.
        size: setting Data;
        /// How much comes in.
        growth: setting Rate;
        /// File format.
        format: optional words::DataFormat;
        /// How confidential it is.
        class: optional words::DataClass;
        /// Whether it says something about people.
        personal_data: optional bool;
        /// How long it is kept.
        retention: optional Time;
        /// Where it is kept.
        lives_on: optional Id<Storage>;
        /// Where it is copied to before it is read.
        prefetch_to: optional Id<Storage>;
        /// What makes it.
        made_by: optional Id<Dataprep>;
    }

    /// Training a model from its first step.
    Load Training = "training" in trainings {
        /// The model.
        model: required Id<Model>;
        /// The nodes.
        runs_on: required Id<Pool>;
        /// GPUs it uses at once.
        gpus: setting u64 = "auto";
        /// What it reads.
        reads: listed Id<Dataset>;
        /// Tokens it sees in all.
        tokens: setting Tokens;
        /// Tokens of one sequence.
        sequence: required Tokens;
        /// Tokens of one optimizer step.
        batch: setting Tokens;
        /// Sequences a GPU takes at once.
        micro_batch: defaulted u64 = "1";
        /// Runs in a time; for costs and energy one a year is assumed when it is left out.
        runs: setting Frequency;
        /// When it must be done.
        deadline: setting Time;
        /// The format of the arithmetic; the model's when absent.
        precision: optional words::Precision;
        /// How weights, gradients and optimizer states are spread.
        states: defaulted words::States = "fsdp";
        /// What is computed again in the backward pass.
        recompute: defaulted words::Recompute = "selective";
        /// GPUs that share a layer.
        tensor_parallel: setting u64 = "auto";
        /// Stages that a batch runs through.
        pipeline_parallel: setting u64 = "auto";
        /// GPUs that share a sequence.
        context_parallel: setting u64 = "auto";
        /// GPUs that share the experts.
        expert_parallel: setting u64 = "auto";
        /// Model FLOP utilisation; from the baseline or published runs when `auto`.
        mfu: setting Share = "auto";
        /// Where it queues.
        queue: optional Id<Partition>;
        /// Who it is for.
        tenant: optional Id<Tenant>;
        /// Loads that never run at the same time as this one.
        takes_turns_with: listed Any<Load>;
        blocks {
            /// What is saved on the way.
            checkpoint: Single Checkpoint;
        }
        derived {
            /// How long it takes.
            time: Time;
            /// GPU memory it needs on each GPU.
            memory_per_gpu: Data;
            /// Model FLOP utilisation that the time stands on.
            utilisation: Share;
            /// Size of one checkpoint.
            checkpoint_size: Data;
            /// Compute time between checkpoints.
            checkpoint_interval: Time;
            /// How long training stands still for a checkpoint.
            checkpoint_stall: Time;
            /// Data it reads.
            read_rate: Rate;
            /// Copies of the model that train side by side.
            data_parallel: u64;
            /// What one run costs: its share of its pool's cost.
            cost: Money;
            /// Time of an optimizer step.
            step_time: Time;
            /// Data that a GPU sends to other nodes in a step.
            network_per_step: Data;
            /// Rate that a GPU needs to other nodes, so that what it sends hides behind its arithmetic.
            network_rate: Rate;
            /// Share of the time that failures and checkpoints leave.
            goodput: Share;
            /// Nodes that stand in for broken ones.
            spare_nodes: u64;
        }
    }

    /// What is saved on the way, so that a failure costs little.
    Sub Checkpoint = "checkpoint" in checkpoints {
        /// Where to.
        to: required Id<Storage>;
        /// Compute time between two.
        every: setting Time = "auto";
        /// How many are kept.
        keep: defaulted u64 = "3";
        /// The longest that training may stand still for one.
        stall_below: optional Time;
    }

    /// A measured sample run: it replaces assumed efficiency.
    Load Baseline = "baseline" in baselines {
        /// The workload that was sampled.
        of: required Any<Measurable>;
        /// On what.
        gpu: required Id<Gpu>;
        /// How many of them.
        gpus: required u64;
        /// Tokens a second of all of them together.
        throughput: required TokenRate;
        /// How long it ran.
        duration: optional Time;
        /// When.
        date: optional Date;
        /// Who measured, with what.
        source: optional Arc<str>;
    }

    /// What the plan is to assume instead of published constants: for a GPU, a number format and an engine, or for all.
    Load Assumption = "assumption" in assumptions {
        /// The GPU it holds for; every one when absent.
        gpu: optional Id<Gpu>;
        /// The number format it holds for; every one when absent.
        precision: optional words::Precision;
        /// The engine it holds for; every one when absent.
        engine: optional words::Engine;
        /// Model FLOP utilisation of training, undisturbed.
        training_mfu: optional Share;
        /// The same on sequences from 32k tokens on.
        long_training_mfu: optional Share;
        /// Utilisation of a whole run, restarts and evaluation included, over the undisturbed one.
        useful_share: optional Share;
        /// Share of the memory bandwidth that a decode step reaches.
        decode_bandwidth: optional Share;
        /// Share of the dense peak that the products of a decode step reach.
        decode_compute: optional Share;
        /// Share of the dense peak that a prompt reaches.
        prefill_compute: optional Share;
        /// Data a second of a GPU in an all-reduce inside a node.
        link_rate: optional Rate;
        /// Time of one small all-reduce.
        reduce_latency: optional Time;
        /// Time that a decode step spends on the host.
        step_overhead: optional Time;
        /// Memory of a serving engine outside its allocator.
        engine_overhead: optional Data;
        /// Share of a port's rate that a collective reaches.
        network_efficiency: optional Share;
        /// Nodes that fail in 1000 node-days.
        failures: optional u64;
        /// Bytes of a saved parameter.
        checkpoint_bytes: optional u64;
        /// Spare nodes over nodes, where `spare` is `auto`.
        spare_share: optional Share;
        /// How far it may be off, either way.
        spread: defaulted Share = "5%";
        /// Who measured, with what.
        source: optional Arc<str>;
    }

    /// Adapting a trained model.
    Load Finetune = "finetune" in finetunes {
        /// The model.
        model: required Id<Model>;
        /// How.
        method: required words::Method;
        /// Rank of the adapters.
        rank: optional u64;
        /// The nodes.
        runs_on: required Id<Pool>;
        /// GPUs of one run.
        gpus: setting u64 = "auto";
        /// What it reads.
        reads: listed Id<Dataset>;
        /// Tokens of one run.
        tokens: setting Tokens;
        /// Tokens of one sequence.
        sequence: required Tokens;
        /// Sequences a GPU takes at once.
        micro_batch: defaulted u64 = "1";
        /// Runs in a time.
        runs: setting Frequency;
        /// The longest a run may take.
        deadline: setting Time;
        /// Model FLOP utilisation; from the baseline or published runs when `auto`.
        mfu: setting Share = "auto";
        /// Where adapters are kept.
        to: optional Id<Storage>;
        /// Where it queues.
        queue: optional Id<Partition>;
        /// Who it is for.
        tenant: optional Id<Tenant>;
        /// Loads that never run at the same time as this one.
        takes_turns_with: listed Any<Load>;
        derived {
            /// How long a run takes.
            time: Time;
            /// GPU memory it needs on each GPU.
            memory_per_gpu: Data;
            /// Share of the time that its GPUs are busy with it.
            busy: Share;
            /// What one run costs: its share of its pool's cost.
            cost: Money;
        }
    }

    /// Answering requests.
    Load Inference = "inference" in inferences {
        /// The model.
        model: required Id<Model>;
        /// The format of the weights; the model's when absent.
        precision: optional words::Precision;
        /// The format of the cache; bf16 when neither this nor the model says.
        kv_precision: optional words::Precision;
        /// What serves it.
        engine: defaulted words::Engine = "vllm";
        /// The nodes.
        runs_on: required Id<Pool>;
        /// The longest prompt and answer together.
        context: required Tokens;
        /// How many copies run: a number or a range for autoscaling.
        replicas: setting Span<u64> = "auto";
        /// GPUs of one copy.
        gpus_per_replica: setting u64 = "auto";
        /// Share of GPU memory that the engine takes.
        memory_share: defaulted Share = "90%";
        /// Requests that the engine admits at once; it keeps memory for each of them.
        max_sequences: setting u64 = "auto";
        /// What it asks.
        uses: listed Any<Used>;
        /// Who it is for.
        tenant: optional Id<Tenant>;
        /// Loads that never run at the same time as this one.
        takes_turns_with: listed Any<Load>;
        blocks {
            /// What comes in.
            demand: Single Demand;
            /// What is promised.
            slo: Single Slo;
            /// How a new model reaches its users.
            rollout: Single Rollout;
        }
        derived {
            /// Weights on each GPU.
            weights_per_gpu: Data;
            /// Cache on each GPU.
            kv_per_gpu: Data;
            /// Cache that one token takes, over all GPUs of a copy.
            kv_per_token: Data;
            /// Requests of full context that fit at once into a copy.
            concurrency: u64;
            /// Time to the first token.
            first_token: Time;
            /// Time for each further token.
            per_token: Time;
            /// Tokens a second that one copy answers within its service level.
            throughput: TokenRate;
            /// Copies that the demand needs.
            replicas_needed: u64;
            /// Money a year: its share of its pool's cost.
            cost: MoneyPerTime;
            /// Money for a million generated tokens at the peak, their prompts included.
            cost_per_million_tokens: Money;
            /// Money for a request at the peak.
            cost_per_request: Money;
        }
    }

    /// What comes in.
    Sub Demand = "demand" in demands {
        /// Requests a second at the peak.
        requests: setting RequestRate;
        /// Tokens of a prompt.
        prompt: required Tokens;
        /// Tokens of an answer.
        answer: required Tokens;
        /// Share of capacity that is to be used at the peak; the rest keeps queues short.
        utilisation: defaulted Share = "75%";
    }

    /// What is promised.
    Sub Slo = "slo" in slos {
        /// Share of the time it answers.
        availability: optional Share;
        /// Time to the first token that 95 of 100 requests keep.
        first_token_p95: optional Time;
        /// Time for each further token that 95 of 100 requests keep.
        per_token_p95: optional Time;
    }

    /// How a new model reaches its users.
    Sub Rollout = "rollout" in rollouts {
        /// In what way.
        strategy: required words::Strategy;
        /// Shares of the traffic, in order.
        steps: listed Share;
        /// Who says yes.
        approval: optional Arc<str>;
    }

    /// Making data ready: bound by CPU, memory and I/O.
    Load Dataprep = "dataprep" in datapreps {
        /// With what.
        engine: defaulted words::PrepEngine = "ray";
        /// What it reads.
        reads: listed Id<Dataset>;
        /// What it writes.
        writes: listed Id<Dataset>;
        /// The nodes.
        runs_on: required Id<Pool>;
        /// Data of one run.
        input: setting Data;
        /// Data a second that one core gets through, measured.
        rate: setting Rate;
        /// How often it runs.
        every: optional Time;
        /// The longest a run may take.
        within: setting Time;
        /// Memory of one core.
        memory_per_core: defaulted Data = "4 GiB";
        /// Share of the data that is exchanged between nodes and spilled to their disks on the way (sorts, joins, global
        /// deduplication).
        shuffle: defaulted Share = "0%";
        /// Where it queues.
        queue: optional Id<Partition>;
        /// Who it is for.
        tenant: optional Id<Tenant>;
        /// Loads that never run at the same time as this one.
        takes_turns_with: listed Any<Load>;
        derived {
            /// Cores it needs to be done in time.
            cores: u64;
            /// Memory over all its nodes.
            memory: Data;
            /// Data it reads.
            read_rate: Rate;
            /// Money a year: its share of its pool's cost.
            cost: MoneyPerTime;
            /// Data it exchanges between nodes, all together.
            shuffle_rate: Rate;
            /// Disk over all its nodes for what is spilled.
            spill: Data;
        }
    }

    /// Finding passages by vectors.
    Load Retrieval = "retrieval" in retrievals {
        /// How many vectors.
        vectors: setting u64;
        /// Numbers in a vector.
        dimensions: required u64;
        /// How they are indexed.
        index: defaulted words::VectorIndex = "hnsw";
        /// What stores them.
        engine: required words::VectorEngine;
        /// Bytes of one number.
        bytes_per_number: defaulted u64 = "4";
        /// Bits of a number in the index, where it keeps fewer than the vectors have: 8, 4, 1.
        code_bits: optional u64;
        /// Candidates of a query whose full vectors are read from `on` to order them.
        rescore: defaulted u64 = "0";
        /// Links of a vector in a graph index.
        links: defaulted u64 = "16";
        /// Copies of the index.
        replicas: defaulted u64 = "1";
        /// What makes the vectors.
        embedder: optional Id<Model>;
        /// What it reads.
        reads: listed Id<Dataset>;
        /// The nodes.
        runs_on: required Id<Pool>;
        /// Where the index is kept.
        on: optional Id<Storage>;
        /// Queries a second at the peak.
        queries: setting RequestRate;
        /// Who it is for.
        tenant: optional Id<Tenant>;
        derived {
            /// Memory of one copy of the index.
            index_memory: Data;
            /// Memory of all copies.
            memory: Data;
            /// Money a year: its share of its pool's cost.
            cost: MoneyPerTime;
            /// Full vectors that are kept on disk for rescoring, of all copies.
            disk: Data;
            /// Random reads a second that rescoring makes at the peak.
            iops: u64;
            /// Time of a query that waits for nobody.
            latency: Time;
            /// Cores that the queries of the peak need.
            cores: u64;
        }
    }

    /// A team: who pays and who gets how much.
    Load Tenant = "tenant" in tenants {
        /// Who answers for it.
        owner: optional Arc<str>;
        /// What it is called where people read.
        title: optional Arc<str>;
        /// Where it is charged.
        cost_center: optional Arc<str>;
        /// Its fair-share weight.
        share: optional Share;
        /// Who goes first.
        priority: defaulted words::Priority = "normal";
        /// The most GPUs at once.
        gpu_quota: optional u64;
        /// Money a year.
        budget: setting MoneyPerTime;
        derived {
            /// Money a year: that of its loads and of what pools of its own leave idle.
            cost: MoneyPerTime;
        }
    }

    /// A place: a room of our own or a cloud region.
    Machines Site = "site" in sites {
        /// Who runs it.
        provider: required words::Provider;
        /// What it is called where people read.
        title: optional Arc<str>;
        /// The country it is in.
        country: required Country;
        /// The cloud's region.
        region: optional Region;
        /// Availability zones used.
        zones: defaulted u64 = "1";
        /// How heat leaves it.
        cooling: optional words::Cooling;
        /// The most power the building gives, cooling included.
        power_limit: setting Power;
        /// What energy costs.
        power_price: setting EnergyPrice;
        /// Facility power over IT power.
        pue: setting Share = "1.3";
        /// Carbon dioxide of a unit of its energy, as the supplier or the grid's operator says.
        carbon_intensity: setting CarbonIntensity;
        /// The most heat of one rack that its air carries away.
        air_limit: optional Power;
        /// Racks that stand in a row; cable lengths are measured on this plan of the room.
        racks_in_row: defaulted u64 = "10";
        /// From the front of one row to the front of the next.
        row_pitch: defaulted Length = "2.4 m";
        /// Height of the cable tray above the racks.
        tray: defaulted Length = "300 mm";
        /// Length that a cable between racks has to spare, both ends together.
        cable_slack: defaulted Length = "1 m";
        derived {
            /// Electrical power of the machines at their maximum.
            it_power: Power;
            /// The same with cooling: what the limit is held against.
            power: Power;
            /// Heat to be carried away.
            heat: Power;
            /// Racks in it.
            racks: u64;
            /// Electrical energy of a year, cooling included.
            energy: Energy;
            /// Mean power of the machines over the maximum.
            power_load: Share;
            /// Carbon dioxide of a year.
            co2: Mass;
            /// Heat to be carried away, as cooling is sold.
            heat_btu: Power;
        }
    }

    /// Racks of one sort in one room.
    Machines Rack = "rack" in racks {
        /// Where.
        site: required Id<Site>;
        /// How many.
        count: setting u64 = "auto";
        /// Usable height.
        height: defaulted Height = "42 U";
        /// The most power one gets.
        power_limit: setting Power;
        /// Independent power feeds.
        feeds: defaulted u64 = "2";
        /// How heat leaves it; that of the site when absent.
        cooling: optional words::Cooling;
        /// The most mass one carries.
        weight_limit: optional Mass;
        /// The most nodes in one, where the room sets it.
        nodes_per_rack: optional u64;
        /// Width.
        width: defaulted Length = "600 mm";
        /// Depth.
        depth: defaulted Length = "1200 mm";
        /// Which way air goes through it.
        airflow: optional words::Airflow;
        /// Voltage of a feed, between phases where there are three.
        voltage: optional Voltage;
        /// Current of the breaker of a feed.
        current: optional Current;
        /// Phases of a feed.
        phases: defaulted u64 = "3";
        derived {
            /// Electrical power of the fullest one.
            power: Power;
            /// Height used in the fullest one.
            used: Height;
            /// Heat of the hottest one: the larger of electrical maximum and the vendor's figure.
            heat: Power;
            /// The same, as cooling is sold.
            heat_btu: Power;
            /// Height left in the fullest one.
            free: Height;
            /// Mass of the devices in the heaviest one.
            weight: Mass;
            /// Mass on a square metre below the heaviest one, devices only.
            floor_load: Mass;
            /// What a feed of the fullest one carries when another feed is lost.
            feed_load: Power;
            /// What a feed gives without a break: volts, amperes and phases at four fifths.
            feed_limit: Power;
            /// Air through the hottest one in cubic feet a minute at 20 K, a rule of thumb.
            airflow_cfm: u64;
        }
    }

    /// A server as bought.
    Machines Server = "server" in servers {
        /// Who makes it.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// Its GPUs.
        gpus: listed Part<Gpu>;
        /// Its CPUs.
        cpus: listed Part<Cpu>;
        /// Main memory.
        memory: optional Data;
        /// Its disks.
        disks: listed Part<Disk>;
        /// Its network cards.
        nics: listed Part<Nic>;
        /// The vendor's maximum electrical power.
        max_power: setting Power;
        /// The vendor's heat figure.
        heat: optional Power;
        /// Height.
        height: optional Height;
        /// Mass.
        weight: optional Mass;
        /// How heat leaves it.
        cooling: defaulted words::Cooling = "air";
        /// Power supplies.
        psus: optional u64;
        /// Power of one supply.
        psu_power: optional Power;
        /// Supplies it needs to run.
        psus_required: optional u64;
        /// Ports for the compute fabric.
        compute_ports: optional u64;
        /// Speed of one.
        compute_speed: optional Rate;
        /// Ports for storage.
        storage_ports: optional u64;
        /// Speed of one.
        storage_speed: optional Rate;
        /// Ports for management.
        management_ports: optional u64;
        /// Speed of one.
        management_speed: optional Rate;
        /// Cages that the compute ports appear in, where several share one.
        compute_cages: optional u64;
        /// Connector of the compute ports; that of the network cards when absent.
        compute_connector: optional Arc<str>;
        /// Connector of the storage ports; that of the network cards when absent.
        storage_connector: optional Arc<str>;
        /// Connector of the management ports; `RJ45` for 1 Gbps when absent.
        management_connector: optional Arc<str>;
        /// CPU sockets; from `cpus` when absent.
        sockets: optional u64;
        /// Cores of a socket; from `cpus` when absent.
        cores_per_socket: optional u64;
        /// Threads of a core; from `cpus` when absent.
        threads_per_core: optional u64;
        /// What the operating system sees of the memory, as measured.
        real_memory: optional Data;
        /// NUMA domains.
        numa_nodes: optional u64;
        /// NUMA domain of each GPU.
        gpu_numa: listed u64;
        /// Nodes of one NVLink domain, where it is larger than a node.
        nvlink_nodes: optional u64;
        /// The vendor's part number.
        part_number: optional Arc<str>;
    }

    /// A GPU.
    Machines Gpu = "gpu" in gpus {
        /// Who makes it.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// Its generation.
        architecture: optional Arc<str>;
        /// Memory as sold.
        memory: required Data;
        /// Memory that a runtime sees.
        usable_memory: optional Data;
        /// Speed of the memory.
        memory_bandwidth: optional Rate;
        /// Dense bf16 rate.
        bf16: optional FlopRate;
        /// Dense fp8 rate.
        fp8: optional FlopRate;
        /// Dense fp4 rate.
        fp4: optional FlopRate;
        /// Dense int8 rate.
        int8: optional FlopRate;
        /// Board power.
        tdp: optional Power;
        /// Board form.
        form_factor: optional Arc<str>;
        /// How it reaches its neighbours.
        interconnect: optional words::Interconnect;
        /// Speed to its neighbours, one direction.
        link_bandwidth: optional Rate;
        /// Slices it can be cut into: `1g.10gb:7`.
        mig: listed Arc<str>;
        /// Its type in Slurm's Gres.
        slurm_type: optional Arc<str>;
        /// Its `gpu.product` label in Kubernetes.
        k8s_product: optional Arc<str>;
        /// Year it came out.
        release_year: optional u64;
    }

    /// A CPU.
    Machines Cpu = "cpu" in cpus {
        /// Who makes it.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// Cores.
        cores: required u64;
        /// Threads of a core.
        threads_per_core: defaulted u64 = "2";
        /// Power.
        tdp: optional Power;
        /// Memory channels.
        memory_channels: optional u64;
        /// Speed of the memory.
        memory_bandwidth: optional Rate;
    }

    /// A disk.
    Machines Disk = "disk" in disks {
        /// Who makes it.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// Capacity as sold.
        capacity: required Data;
        /// What it is.
        media: optional words::Media;
        /// Sequential read.
        read: optional Rate;
        /// Sequential write.
        write: optional Rate;
        /// Random reads a second.
        read_iops: optional u64;
        /// Random writes a second.
        write_iops: optional u64;
        /// Form.
        form_factor: optional Arc<str>;
    }

    /// A network card.
    Machines Nic = "nic" in nics {
        /// Who makes it.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// Ports.
        ports: required u64;
        /// Speed of a port.
        speed: required Rate;
        /// What it speaks.
        technology: listed words::Technology;
        /// Its connector.
        connector: optional Arc<str>;
        /// Power.
        power: optional Power;
        /// The vendor's part number.
        part_number: optional Arc<str>;
    }

    /// A network switch.
    Machines Switch = "switch" in switches {
        /// Who makes it.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// What it speaks.
        technology: required words::Technology;
        /// Cages for optics.
        cages: optional u64;
        /// Ports.
        ports: required u64;
        /// Speed of a port.
        speed: required Rate;
        /// How many ways a port may be split.
        split: defaulted u64 = "1";
        /// Height.
        height: optional Height;
        /// Power at typical load.
        typical_power: optional Power;
        /// Power at most.
        max_power: optional Power;
        /// Mass.
        weight: optional Mass;
        /// Which way air goes.
        airflow: optional Arc<str>;
        /// Connector of its cages.
        connector: optional Arc<str>;
        /// How heat leaves it.
        cooling: defaulted words::Cooling = "air";
        /// Ports for management.
        management_ports: defaulted u64 = "1";
        /// The vendor's part number.
        part_number: optional Arc<str>;
    }

    /// A transceiver or a cable with fixed ends.
    Machines Optic = "optic" in optics {
        /// Who makes it.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// What it is made of.
        medium: optional words::Medium;
        /// Speed.
        speed: required Rate;
        /// The longest run.
        reach: optional Length;
        /// Power.
        power: optional Power;
        /// Its connector.
        connector: optional Arc<str>;
        /// Form.
        form_factor: optional Arc<str>;
        /// Finned or flat.
        heat_sink: optional Arc<str>;
        /// Links that it carries: 2 for a twin-port module or a cable between two of them.
        links: defaulted u64 = "1";
        /// Lanes of a link.
        lanes: optional u64;
        /// Plugs on its far side: 2 for a cable that splits.
        tails: defaulted u64 = "1";
        /// Form of the far side, where it is another.
        far_form_factor: optional Arc<str>;
        /// Finned or flat on the far side.
        far_heat_sink: optional Arc<str>;
        /// What it speaks; anything when empty.
        technology: listed words::Technology;
        /// The vendor's part number.
        part_number: optional Arc<str>;
    }

    /// A storage system as bought.
    Machines Appliance = "appliance" in appliances {
        /// Who makes it.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// Capacity.
        capacity: required Data;
        /// Before or after protection.
        capacity_kind: defaulted words::CapacityKind = "usable";
        /// Read rate.
        read: optional Rate;
        /// Write rate.
        write: optional Rate;
        /// Height.
        height: optional Height;
        /// Electrical power at most.
        max_power: setting Power;
        /// The vendor's heat figure.
        heat: optional Power;
        /// Network ports.
        ports: optional u64;
        /// Speed of one.
        speed: optional Rate;
        /// Mass.
        weight: optional Mass;
        /// What it speaks.
        protocols: listed Arc<str>;
        /// Connector of its ports.
        connector: optional Arc<str>;
        /// Ports for management.
        management_ports: defaulted u64 = "1";
    }

    /// A cloud instance.
    Machines Instance = "instance" in instances {
        /// Whose.
        provider: required words::Provider;
        /// The provider's name for it.
        r#type: required Arc<str>;
        /// Its GPUs.
        gpus: listed Part<Gpu>;
        /// Virtual CPUs.
        vcpus: required u64;
        /// Threads of a core; 2 when absent.
        threads_per_core: optional u64;
        /// Main memory.
        memory: required Data;
        /// Local disks, all together.
        local_disk: optional Data;
        /// Network, all together.
        network: optional Rate;
        /// Elastic Fabric Adapter interfaces.
        efa: optional u64;
        /// List price.
        price: optional MoneyPerTime;
        /// The region of the list price.
        price_region: optional Region;
        /// The day of the list price.
        price_date: optional Date;
    }

    /// Nodes of one sort.
    Machines Pool = "pool" in pools {
        /// Where.
        site: required Id<Site>;
        /// What a node is, on our own floor.
        server: optional Id<Server>;
        /// What a node is, in a cloud.
        instance: optional Id<Instance>;
        /// Nodes bought and configured; a range scales.
        nodes: setting Span<u64> = "auto";
        /// Names that its nodes have already, as lists of hosts: `gpu[001-024]`. Without them a node is called after the pool.
        node_names: listed Arc<str>;
        /// Nodes of these that are kept out of capacity.
        spare: setting u64 = "0";
        /// Where they stand.
        rack: optional Id<Rack>;
        /// How they are paid.
        purchase: optional words::Purchase;
        /// The day that its nodes must be there; the platform's when absent.
        needed_by: optional Date;
        /// The tenant they are for alone.
        tenant: optional Id<Tenant>;
        /// The MIG profile that every GPU is cut into: `1g.10gb`, one of those in the GPU's `mig`.
        mig: optional Arc<str>;
        /// Copies of served models that take turns on a GPU.
        gpu_shares: optional u64;
        blocks {
            /// What is added to the lines of these nodes in the files of a scheduler, or replaced in them.
            patch: Named Patch;
        }
        derived {
            /// GPUs bought or rented, at most.
            gpus: u64;
            /// GPUs that workloads may use.
            usable_gpus: u64;
            /// GPUs that workloads use at the same time.
            used_gpus: u64;
            /// Electrical power at the maximum.
            power: Power;
            /// GPUs of a node.
            gpus_per_node: u64;
            /// GPU memory that runtimes see, spare nodes left out.
            gpu_memory: Data;
            /// GPU memory that workloads need at the same time.
            gpu_memory_needed: Data;
            /// Cores, spare nodes left out.
            cores: u64;
            /// Cores that workloads need at the same time.
            cores_needed: u64;
            /// Main memory, spare nodes left out.
            memory: Data;
            /// Main memory that workloads need at the same time.
            memory_needed: Data;
            /// Disks in the nodes before protection, spare nodes left out.
            local_disk: Data;
            /// Disks that storage on the nodes needs, before protection.
            local_disk_needed: Data;
            /// Network of a node to storage, all its ports for it together.
            network: Rate;
            /// What workloads read and write on storage, for each node.
            network_needed: Rate;
            /// Share of its capacity that workloads are busy on over a year.
            busy: Share;
            /// Energy of its nodes in a year, cooling included.
            energy: Energy;
            /// Money a year.
            cost: MoneyPerTime;
            /// Money a year for what no workload uses: with the workloads' shares it adds up to the pool's cost.
            idle_cost: MoneyPerTime;
            /// What an hour of a GPU costs when it is owned, used or not.
            owned_gpu_hour: MoneyPerTime;
            /// What an hour of the same GPU costs when it is rented.
            rented_gpu_hour: MoneyPerTime;
            /// What an hour of a GPU that is busy costs: idle hours are paid by the others.
            delivered_gpu_hour: MoneyPerTime;
            /// Share of the time from which owning is cheaper than renting; above 100% it never is.
            break_even_utilisation: Share;
        }
    }

    /// Pools under one scheduler.
    Machines Cluster = "cluster" in clusters {
        /// Which.
        scheduler: required words::Scheduler;
        /// Its version.
        version: required Version;
        /// Its nodes.
        pools: listed Id<Pool>;
        /// What controls it: a pool, or `managed` by the cloud.
        control: optional Control<Pool>;
        /// What decides which jobs of a Slurm cluster give way to others.
        preempt_by: defaulted words::PreemptBy = "partition";
        /// Whether the nodes of a Slurm cluster fetch its files from the controller.
        configless: defaulted bool = "false";
        /// How long a rented node of a Slurm cluster is idle before it is given back.
        suspend_after: defaulted Time = "10 min";
        blocks {
            /// A queue of nodes.
            partition: Named Partition;
            /// What is added to the files of a scheduler, or replaced in them.
            patch: Named Patch;
        }
        derived {
            /// Nodes in it, at most.
            nodes: u64;
            /// GPUs in it, at most.
            gpus: u64;
        }
    }

    /// A queue of nodes.
    Sub Partition = "partition" in partitions {
        /// Its nodes.
        pools: listed Id<Pool>;
        /// The longest a job may run.
        max_time: optional Time;
        /// The most nodes of a job.
        max_nodes: optional u64;
        /// Before others, the higher.
        priority: optional u64;
        /// Where jobs go that name none.
        default: defaulted bool = "false";
        /// What happens to its jobs when a higher one needs the nodes.
        preempt: optional words::Preempt;
        /// What a job gets that asks for no time; an hour when absent, and never more than `max_time`.
        default_time: optional Time;
        /// How long a job may go on after it was told to give way.
        grace: optional Time;
        /// What a job does not share with others.
        exclusive: optional words::Exclusive;
        blocks {
            /// What is added to its line in the files of a scheduler, or replaced in it.
            patch: Named Patch;
        }
    }

    /// A way past what the language says: keys of a target's own files, checked against its release and passed on.
    Sub Patch = "patch" in patches {
        /// Why what is generated is not enough; it stands beside every key in the files.
        reason: required Arc<str>;
        /// Keys that are not written at all, in `slurm.conf` or, in a pool or partition, on its line:
        /// `remove = ["JobSubmitPlugins", "MpiDefault"]`. What the release does without them holds then.
        remove: listed Arc<str>;
        blocks {
            /// Keys of `slurm.conf`; in a pool or partition, those of its line. A value takes the place of the generated
            /// one; a list that begins with `+` is added to it: `SchedulerParameters = "+defer"`.
            set: Single PatchSet;
            /// Keys of `cgroup.conf`.
            cgroup: Single PatchCgroup;
            /// Keys of `slurmdbd.conf`.
            slurmdbd: Single PatchSlurmdbd;
            /// A generic resource beside the GPUs, with the keys of its line in `gres.conf`; in a pool.
            gres: Named PatchGres;
            /// A switch, with the nodes or the switches below it; in a cluster, in the place of what its fabrics say.
            topology: Named PatchTopology;
        }
    }

    /// Keys of `slurm.conf`, or of one line of it.
    Sub PatchSet = "set" in patch_sets {
        blocks {
            /// A key as the target spells it.
            key: Keyed PatchKey;
        }
    }

    /// Keys of `cgroup.conf`.
    Sub PatchCgroup = "cgroup" in patch_cgroups {
        /// Keys that are not written at all.
        remove: listed Arc<str>;
        blocks {
            /// A key as the target spells it.
            key: Keyed PatchKey;
        }
    }

    /// Keys of `slurmdbd.conf`.
    Sub PatchSlurmdbd = "slurmdbd" in patch_slurmdbds {
        /// Keys that are not written at all.
        remove: listed Arc<str>;
        blocks {
            /// A key as the target spells it.
            key: Keyed PatchKey;
        }
    }

    /// A generic resource of the nodes of a pool: `gres nvme { Count = "2" }`.
    Sub PatchGres = "gres" in patch_gres {
        blocks {
            /// A key as the target spells it.
            key: Keyed PatchKey;
        }
    }

    /// A switch of a cluster's topology: `topology leaf-1 { Nodes = "gpu-[001-008]" }`, `topology top { Switches =
    /// "leaf-[1-4]" }`. All of them are one tree, and a node is below one of them.
    Sub PatchTopology = "topology" in patch_topologies {
        blocks {
            /// A key as the target spells it.
            key: Keyed PatchKey;
        }
    }

    /// A key of another program.
    Sub PatchKey = "key" in patch_keys {
        /// What it is set to, as the program writes it; a list may begin with `+`, and is then added to.
        value: required Arc<str>;
    }

    /// Pinned software that goes together.
    Machines Stack = "stack" in stacks {
        /// GPU driver.
        driver: optional Version;
        /// CUDA.
        cuda: optional Version;
        /// Where experiments are tracked.
        tracking: optional words::Tracking;
        /// How long driver, CUDA and images stay compatible.
        window: optional Time;
        /// Where images come from inside.
        registry: optional Arc<str>;
    }

    /// The wires between nodes, switches and storage.
    Paths Fabric = "fabric" in fabrics {
        /// What it is made of.
        technology: required words::Technology;
        /// How it is wired.
        topology: required words::Topology;
        /// What its links carry; compute, or storage where storage is on it, when absent.
        role: optional words::FabricRole;
        /// Speed of a link to a node.
        speed: required Rate;
        /// What goes down a leaf against what goes up.
        oversubscription: defaulted Ratio = "1:1";
        /// Which switch.
        switch: required Id<Switch>;
        /// Whether whole units are cabled.
        fill: defaulted words::Fill = "scalable-unit";
        /// What it connects.
        connects: listed Any<Connected>;
        /// Further ports: fabric managers, gateways, power distribution, controllers that no block describes.
        further_ports: defaulted u64 = "0";
        /// Places of nodes that something else takes.
        reserved_slots: defaulted u64 = "0";
        /// Independent planes.
        planes: defaulted u64 = "1";
        /// Where the switches stand.
        rack: optional Id<Rack>;
        /// Whether traffic on it is encrypted.
        encryption: optional words::Encryption;
        derived {
            /// Leaf switches.
            leaf_switches: u64;
            /// Spine switches.
            spine_switches: u64;
            /// Core switches.
            core_switches: u64;
            /// All switches.
            switches: u64;
            /// Links between nodes and leaves.
            node_links: u64;
            /// Links between leaves and spines.
            leaf_spine_links: u64;
            /// Scalable units.
            scalable_units: u64;
            /// Links between spines and core switches.
            spine_core_links: u64;
            /// Links between the two switches of a pair.
            peer_links: u64;
            /// Switches that the nodes there are would need, without whole units.
            exact_switches: u64;
            /// Links down over links up of the leaf where that is largest.
            oversubscription_max: Share;
            /// The same of all leaves together.
            oversubscription_all: Share;
            /// Cables of all sorts.
            cables: u64;
            /// Cables without a product that fits.
            cables_unknown: u64;
            /// Cables without a length, because an end stands in no rack.
            cables_unplaced: u64;
            /// Length of all cables that have one.
            cable_length: Length;
            /// Transceivers.
            modules: u64;
        }
    }

    /// A line between two sites.
    Paths Link = "link" in links {
        /// One end.
        from: required Id<Site>;
        /// The other.
        to: required Id<Site>;
        /// What it carries.
        bandwidth: setting Rate;
        /// One way.
        latency: optional Time;
        /// Whether it is encrypted.
        encryption: optional words::Encryption;
    }

    /// An IP network.
    Paths Network = "network" in networks {
        /// Where.
        site: required Id<Site>;
        /// Its addresses.
        cidr: required Cidr;
        /// What it is called where people read.
        title: optional Arc<str>;
    }

    /// Traffic that is allowed; what no flow says is refused.
    Paths Flow = "flow" in flows {
        /// Who starts it.
        from: required Endpoint;
        /// Who answers.
        to: required Endpoint;
        /// On which ports.
        ports: listed Port;
        /// How the caller proves who it is.
        auth: optional words::Auth;
        /// Whether it is wrapped.
        tls: optional words::Tls;
        /// Why it is needed.
        reason: optional Arc<str>;
    }

    /// Where data are kept.
    Paths Storage = "storage" in storages {
        /// How fast.
        tier: required words::Tier;
        /// Where.
        site: required Id<Site>;
        /// What speaks to it.
        kind: required words::StorageKind;
        /// What is bought for it.
        product: optional Id<Appliance>;
        /// Whose disks a `local-nvme` storage is.
        pool: optional Id<Pool>;
        /// Where it stands.
        rack: optional Id<Rack>;
        /// Usable capacity.
        capacity: setting Data = "auto";
        /// Read rate.
        read: setting Rate;
        /// Write rate.
        write: setting Rate;
        /// Random reads a second.
        iops: setting u64;
        /// How data survive a lost disk.
        redundancy: optional Redundancy;
        /// What is encrypted.
        encryption: optional words::Encryption;
        /// With which key.
        key: optional Id<Key>;
        /// Whether old versions are kept.
        versioning: optional bool;
        /// How long nothing can be changed.
        immutable: optional Time;
        /// Share of the capacity that is to be used.
        fill_target: defaulted Share = "80%";
        derived {
            /// Usable capacity needed.
            needed: Data;
            /// Read rate needed.
            read_needed: Rate;
            /// Write rate needed.
            write_needed: Rate;
            /// Random reads a second needed.
            iops_needed: u64;
            /// Appliances bought for it.
            appliances: u64;
        }
    }

    /// A key that encrypts.
    Trust Key = "key" in keys {
        /// Where its material is.
        from: required KeySource;
        /// How often it is changed.
        rotate: optional Time;
    }

    /// Something that must not be seen; only its place is written here.
    Trust Secret = "secret" in secrets {
        /// Where it is.
        from: required KeySource;
        /// How often it is changed.
        rotate: optional Time;
        /// What may read it.
        used_by: listed Any<Load>;
    }

    /// What the platform must hold to.
    Trust Security = "security" in securities {
        /// Frameworks whose controls are checked.
        frameworks: listed words::Framework;
        /// Countries where data may be.
        residency: listed Country;
        /// Whether traffic may leave.
        egress: optional words::Egress;
        /// Who vouches for people.
        identity: optional Oidc;
        /// No line to the outside.
        air_gap: defaulted bool = "false";
    }

    /// Where it is written who did what.
    Trust Audit = "audit" in audits {
        /// Where.
        to: required Id<Storage>;
        /// How long it is kept.
        retention: optional Time;
    }

    /// A group of people and what they may do.
    Trust Role = "role" in roles {
        /// The group in the identity system.
        group: required Arc<str>;
        /// The tenant it is of.
        tenant: optional Id<Tenant>;
        /// What it may do.
        may: listed Arc<str>;
    }

    /// What is watched.
    Running Monitoring = "monitoring" in monitorings {
        /// What collects metrics.
        metrics: optional words::Metrics;
        /// What collects logs.
        logs: optional words::Logs;
        /// What collects traces.
        traces: optional words::Traces;
        /// How long it is kept.
        retention: optional Time;
    }

    /// Copies against loss.
    Running Backup = "backup" in backups {
        /// Of what.
        of: listed Any<Stored>;
        /// Where to.
        to: required Place<Storage>;
        /// How often.
        every: required Time;
        /// How long one is kept.
        keep: optional Time;
        /// How often a restore is tried.
        test_every: optional Time;
    }

    /// What may be spent.
    Running Budget = "budget" in budgets {
        /// To buy.
        capex: setting Money;
        /// To run.
        opex: setting MoneyPerTime;
        /// Shares at which somebody is told.
        alert_at: listed Share;
    }

    /// A supplier's offer.
    Running Quote = "quote" in quotes {
        /// Whose.
        vendor: required Arc<str>;
        /// Its number.
        reference: optional Arc<str>;
        /// When it was made.
        date: optional Date;
        /// Until when it holds.
        valid_until: optional Date;
        blocks {
            /// What one costs.
            price: Addressed PriceLine;
        }
    }

    /// What one costs.
    Sub PriceLine = "price" in price_lines {
        /// Of what.
        of: required Any<Priced>;
        /// To buy one, or to have it for a time.
        each: setting Price;
        /// How long it takes to come.
        lead_time: optional Time;
        /// Share of the price that support costs each year.
        support: optional Share;
        /// How long it is repaired for nothing.
        warranty: optional Time;
        /// Share taken off.
        discount: optional Share;
        /// The seller's number for it.
        sku: optional Arc<str>;
        /// Where it is made.
        origin: optional Country;
        /// Its heading in the customs tariff.
        hs_code: optional Arc<str>;
        /// What may be delivered instead.
        alternates: listed Any<Priced>;
    }

    /// Software that is licensed by what it runs on.
    Running License = "license" in licenses {
        /// Whose.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// The vendor's part number.
        part_number: optional Arc<str>;
        /// What is counted.
        per: defaulted words::Per = "gpu";
        /// Where it runs; every pool, fabric and rack when absent.
        on: listed Any<Counted>;
        /// Who sees to it.
        owner: optional Arc<str>;
    }

    /// Work that is bought: installation, acceptance, training of people.
    Running Service = "service" in services {
        /// Who does it.
        vendor: optional Arc<str>;
        /// What it is called.
        product: optional Arc<str>;
        /// The vendor's part number.
        part_number: optional Arc<str>;
        /// What is counted.
        per: defaulted words::Per = "order";
        /// What it is done to; every pool, fabric and rack when absent.
        on: listed Any<Counted>;
        /// Who sees to it.
        owner: optional Arc<str>;
    }

    /// Parts that are bought beside those in use.
    Running Spare = "spare" in spares {
        /// Which parts.
        of: required words::SparePart;
        /// How many of those in use.
        share: defaulted Share = "2%";
        /// At least so many of each sort.
        least: defaulted u64 = "1";
    }

    /// What may be bought later at a price that is agreed now.
    Running GrowthOption = "option" in options {
        /// Of what.
        of: required Any<Priced>;
        /// How many.
        count: required u64;
        /// Until when it can be drawn.
        until: optional Date;
        /// What it is for.
        title: optional Arc<str>;
    }

    /// What one money is in another.
    Running ExchangeRate = "rate" in rates {
        /// From.
        from: required Currency;
        /// To.
        to: required Currency;
        /// How many of `to` one of `from` is.
        value: required Share;
        /// When.
        date: optional Date;
        /// Who says so.
        source: optional Arc<str>;
    }

    /// An assertion about the platform.
    Policy Check = "check" in checks {
        /// How bad it is when it does not hold.
        level: defaulted words::Level = "error";
        /// What must hold.
        assert: required Deferred;
        /// What to say when it does not.
        message: required Deferred;
    }

    /// An assertion about every block of a kind: `rule name for s in all.storage`.
    Policy Rule = "rule" in rules {
        /// How bad it is when it does not hold.
        level: defaulted words::Level = "error";
        /// What must hold.
        assert: required Deferred;
        /// What to say when it does not.
        message: required Deferred;
    }
}

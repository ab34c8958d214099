//! Enum words: one Rust enum for each set, spelled once.

/// Declares enums whose variants are words of the language.
macro_rules! words {
    ($( $(#[doc = $doc:literal])+ $name:ident { $( $(#[doc = $word_doc:literal])+ $variant:ident = $word:literal ),+ $(,)? } )+) => { $(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $( $(#[doc = $word_doc])+ $variant ),+ }

        impl $name {
            /// The words, in order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The variant of a word.
            pub fn from_word(word: &str) -> Option<$name> {
                match word { $( $word => Some($name::$variant), )+ _ => None }
            }

            /// The word of a variant.
            pub fn word(self) -> &'static str {
                match self { $( $name::$variant => $word ),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    )+ };
}

words! {
    /// How far the platform has come; findings get stricter with it.
    Stage {
        /// Small and measurable.
        Poc = "poc",
        /// Standard images, first monitoring.
        Pilot = "pilot",
        /// Capacity, data paths, autoscaling.
        ScaleOut = "scale-out",
        /// Reviews, audit trails, guardrails.
        Hardening = "hardening",
        /// Service levels hold.
        Production = "production",
    }

    /// Who runs a site.
    Provider {
        /// A room of our own.
        OnPrem = "on-prem",
        /// Amazon Web Services.
        Aws = "aws",
        /// Google Cloud.
        Gcp = "gcp",
        /// Microsoft Azure.
        Azure = "azure",
    }

    /// How heat leaves a room or a machine.
    Cooling {
        /// By air.
        Air = "air",
        /// By air with a rear-door heat exchanger.
        RearDoor = "rear-door",
        /// By liquid at the chip.
        Liquid = "liquid",
    }

    /// A number format of weights, activations or cache.
    Precision {
        /// 32-bit float.
        Fp32 = "fp32",
        /// bfloat16.
        Bf16 = "bf16",
        /// 16-bit float.
        Fp16 = "fp16",
        /// 8-bit float.
        Fp8 = "fp8",
        /// 8-bit integer.
        Int8 = "int8",
        /// 4-bit float in blocks of 32.
        Mxfp4 = "mxfp4",
        /// 4-bit float in blocks of 16.
        Nvfp4 = "nvfp4",
        /// 4-bit integer in groups.
        Int4 = "int4",
    }

    /// How a model is fine-tuned.
    Method {
        /// All weights.
        Full = "full",
        /// Low-rank adapters.
        Lora = "lora",
        /// Low-rank adapters over 4-bit weights.
        Qlora = "qlora",
    }

    /// How training states are kept.
    States {
        /// PyTorch fully sharded data parallel.
        Fsdp = "fsdp",
        /// ZeRO stage 1.
        Zero1 = "zero-1",
        /// ZeRO stage 2.
        Zero2 = "zero-2",
        /// ZeRO stage 3.
        Zero3 = "zero-3",
        /// Megatron with the distributed optimizer.
        Megatron = "megatron",
        /// Every rank keeps everything.
        Replicated = "replicated",
    }

    /// What is computed again in the backward pass.
    Recompute {
        /// Nothing.
        None = "none",
        /// The attention core.
        Selective = "selective",
        /// Every layer.
        Full = "full",
    }

    /// A serving engine.
    Engine {
        /// vLLM.
        Vllm = "vllm",
        /// NVIDIA TensorRT-LLM.
        TensorrtLlm = "tensorrt-llm",
        /// SGLang.
        Sglang = "sglang",
        /// Hugging Face text-generation-inference.
        Tgi = "tgi",
        /// NVIDIA Triton.
        Triton = "triton",
    }

    /// A data-preparation engine.
    PrepEngine {
        /// Apache Spark.
        Spark = "spark",
        /// Ray.
        Ray = "ray",
        /// Dask.
        Dask = "dask",
    }

    /// A vector store.
    VectorEngine {
        /// Qdrant.
        Qdrant = "qdrant",
        /// Milvus.
        Milvus = "milvus",
        /// PostgreSQL with pgvector.
        Pgvector = "pgvector",
        /// OpenSearch.
        Opensearch = "opensearch",
    }

    /// A vector index.
    VectorIndex {
        /// Every vector is compared.
        Flat = "flat",
        /// Navigable small-world graph.
        Hnsw = "hnsw",
        /// Inverted lists with product quantisation.
        IvfPq = "ivf-pq",
    }

    /// File format of a dataset.
    DataFormat {
        /// Apache Parquet.
        Parquet = "parquet",
        /// WebDataset shards.
        Webdataset = "webdataset",
        /// TFRecord.
        Tfrecord = "tfrecord",
        /// JSON lines.
        Jsonl = "jsonl",
        /// Files as they are.
        Raw = "raw",
    }

    /// How confidential data are.
    DataClass {
        /// Anybody may see it.
        Public = "public",
        /// The organisation.
        Internal = "internal",
        /// A named group.
        Confidential = "confidential",
        /// The fewest.
        Restricted = "restricted",
    }

    /// Who gets a resource first.
    Priority {
        /// When nobody else wants it.
        Low = "low",
        /// As a rule.
        Normal = "normal",
        /// Before others.
        High = "high",
    }

    /// How instances are paid.
    Purchase {
        /// By the hour.
        OnDemand = "on-demand",
        /// Interruptible.
        Spot = "spot",
        /// For a term.
        Reserved = "reserved",
    }

    /// What places jobs on nodes.
    Scheduler {
        /// Slurm.
        Slurm = "slurm",
        /// Kubernetes.
        Kubernetes = "kubernetes",
    }

    /// What happens to a partition's jobs when a higher one needs the nodes.
    Preempt {
        /// They stay.
        Off = "off",
        /// They go back to the queue.
        Requeue = "requeue",
        /// They are cancelled.
        Cancel = "cancel",
        /// They are suspended.
        Suspend = "suspend",
    }

    /// What decides which jobs give way.
    PreemptBy {
        /// The priority of their partition.
        Partition = "partition",
        /// The priority of their tenant.
        Tenant = "tenant",
    }

    /// What a job does not share with others.
    Exclusive {
        /// Its nodes.
        Node = "node",
        /// Its nodes, unless with jobs of the same user.
        User = "user",
        /// The switch or block that its nodes are in.
        Topology = "topology",
    }

    /// What a fabric is made of.
    Technology {
        /// InfiniBand.
        Infiniband = "infiniband",
        /// Ethernet.
        Ethernet = "ethernet",
    }

    /// How a fabric is wired.
    Topology {
        /// NIC i of every node of a unit to leaf i.
        RailOptimized = "rail-optimized",
        /// Leaves and spines.
        LeafSpine = "leaf-spine",
        /// The same, up to three tiers.
        FatTree = "fat-tree",
        /// Two switches that use half of their ports for each other.
        CollapsedPair = "collapsed-pair",
    }

    /// What the links of a fabric carry.
    FabricRole {
        /// Traffic between GPUs.
        Compute = "compute",
        /// Data.
        Storage = "storage",
        /// Management of machines, out of band.
        Management = "management",
    }

    /// Which way air goes through a rack.
    Airflow {
        /// In at the front, out at the rear.
        FrontToRear = "front-to-rear",
        /// In at the rear, out at the front.
        RearToFront = "rear-to-front",
    }

    /// Whether whole scalable units are cabled.
    Fill {
        /// Whole units.
        ScalableUnit = "scalable-unit",
        /// What the nodes need.
        Exact = "exact",
    }

    /// How fast a storage tier is.
    Tier {
        /// NVMe beside the GPUs.
        Hot = "hot",
        /// A shared file system.
        Warm = "warm",
        /// An object store or archive.
        Cold = "cold",
    }

    /// What speaks to a storage.
    StorageKind {
        /// Lustre.
        Lustre = "lustre",
        /// IBM Storage Scale.
        Gpfs = "gpfs",
        /// WEKA.
        Weka = "weka",
        /// VAST.
        Vast = "vast",
        /// CephFS.
        Cephfs = "cephfs",
        /// NFS.
        Nfs = "nfs",
        /// Disks in the nodes.
        LocalNvme = "local-nvme",
        /// An S3 object store.
        S3 = "s3",
        /// A Google Cloud Storage bucket.
        Gcs = "gcs",
        /// Azure Blob.
        AzureBlob = "azure-blob",
    }

    /// What is encrypted.
    Encryption {
        /// Nothing.
        None = "none",
        /// What is stored.
        AtRest = "at-rest",
        /// What is sent.
        InTransit = "in-transit",
        /// Both.
        Both = "both",
    }

    /// Whether traffic is wrapped in TLS.
    Tls {
        /// Always.
        Required = "required",
        /// When the client asks.
        Optional = "optional",
        /// Never.
        Off = "off",
    }

    /// How a caller proves who it is.
    Auth {
        /// OpenID Connect.
        Oidc = "oidc",
        /// Mutual TLS.
        Mtls = "mtls",
        /// An API key.
        ApiKey = "api-key",
        /// Not at all.
        None = "none",
    }

    /// A framework whose controls are checked.
    Framework {
        /// EU 2016/679.
        Gdpr = "gdpr",
        /// ISO/IEC 27001.
        Iso27001 = "iso27001",
        /// BSI C5.
        BsiC5 = "bsi-c5",
        /// EU 2024/1689.
        EuAiAct = "eu-ai-act",
        /// EU 2022/2555.
        Nis2 = "nis2",
        /// AICPA SOC 2.
        Soc2 = "soc2",
        /// US health data.
        Hipaa = "hipaa",
    }

    /// Whether traffic may leave.
    Egress {
        /// Not unless a flow says so.
        Deny = "deny",
        /// Yes.
        Allow = "allow",
    }

    /// What collects metrics.
    Metrics {
        /// Prometheus.
        Prometheus = "prometheus",
    }

    /// What collects logs.
    Logs {
        /// Loki.
        Loki = "loki",
        /// OpenSearch.
        Opensearch = "opensearch",
    }

    /// What collects traces.
    Traces {
        /// Tempo.
        Tempo = "tempo",
        /// Jaeger.
        Jaeger = "jaeger",
    }

    /// Where experiments are tracked.
    Tracking {
        /// MLflow.
        Mlflow = "mlflow",
        /// Weights & Biases.
        Wandb = "wandb",
    }

    /// How a new model reaches its users.
    Strategy {
        /// A share at a time.
        Canary = "canary",
        /// Two sets, switched.
        BlueGreen = "blue-green",
        /// Pod after pod.
        Rolling = "rolling",
    }

    /// How bad a broken check is.
    Level {
        /// Worth knowing.
        Note = "note",
        /// Worth mending.
        Warning = "warning",
        /// Stops the build.
        Error = "error",
    }

    /// What a parameter takes.
    ParamType {
        /// A whole number.
        Int = "int",
        /// Any plain number.
        Number = "number",
        /// A string.
        Text = "text",
        /// A truth value.
        Bool = "bool",
        /// A date.
        Date = "date",
        /// Any quantity; its dimension is that of the default.
        Quantity = "quantity",
        /// A word.
        Word = "word",
    }

    /// How GPUs of a node reach each other.
    Interconnect {
        /// NVLink.
        Nvlink = "nvlink",
        /// PCI Express.
        Pcie = "pcie",
        /// AMD Infinity Fabric.
        InfinityFabric = "infinity-fabric",
        /// Ethernet on the board.
        Ethernet = "ethernet",
        /// Not at all.
        None = "none",
    }

    /// What an optic or cable is made of.
    Medium {
        /// Passive copper.
        Dac = "dac",
        /// Active copper.
        Acc = "acc",
        /// Active optical cable.
        Aoc = "aoc",
        /// Multimode fibre.
        Multimode = "multimode",
        /// Single-mode fibre.
        SingleMode = "single-mode",
        /// A fibre cable without optics.
        Fibre = "fibre",
        /// Copper pairs.
        TwistedPair = "twisted-pair",
    }

    /// What a disk is.
    Media {
        /// NVMe flash.
        Nvme = "nvme",
        /// SATA flash.
        SataSsd = "sata-ssd",
        /// Spinning disk.
        Hdd = "hdd",
    }

    /// Whether a capacity is what is left after protection.
    CapacityKind {
        /// After protection.
        Usable = "usable",
        /// Before.
        Raw = "raw",
    }

    /// How a model attends.
    Attention {
        /// Every token to every token before it.
        Full = "full",
        /// Multi-head latent attention.
        Mla = "mla",
        /// A window in some layers.
        Sliding = "sliding",
        /// Some layers without attention.
        Hybrid = "hybrid",
    }

    /// How activations are normalised.
    Norm {
        /// RMSNorm.
        Rmsnorm = "rmsnorm",
        /// LayerNorm.
        Layernorm = "layernorm",
    }

    /// What licences and services are counted by.
    Per {
        /// Each GPU.
        Gpu = "gpu",
        /// Each node.
        Node = "node",
        /// Each core.
        Core = "core",
        /// Each switch.
        Switch = "switch",
        /// Each rack.
        Rack = "rack",
        /// Once for all of it.
        Order = "order",
    }

    /// Parts that wear out or break.
    SparePart {
        /// Copper and active optical cables.
        Cable = "cable",
        /// Transceivers.
        Optic = "optic",
        /// Fibre cables.
        Fibre = "fibre",
        /// Disks of servers.
        Disk = "disk",
        /// Power supplies of servers.
        Psu = "psu",
    }
}

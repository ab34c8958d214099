//! From checked values to typed fields.

use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::{
    CarbonIntensity, Currency, Current, Data, Energy, FlopRate, Frequency, Height, Length, Mass, Money, Power, Rate,
    RequestRate, Share, Time, TokenRate, Tokens, Voltage,
};
use crate::base::unit::Dimension;

use super::ids::{BlockId, Id};
use super::kinds::Kinded;
use super::schema::{Format, Type};
use super::value::Value;
use super::words;

/// What a field of a typed block can be: the type that the schema shows, and how a checked value becomes it.
pub trait FromValue: Sized {
    /// What the attribute takes.
    const TYPE: Type;

    /// Reads a value that has been checked against [`FromValue::TYPE`]; nothing when it is open or absent.
    fn from_value(value: &Value) -> Option<Self>;
}

/// An attribute that may be left to the compiler or to a person.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting<T> {
    /// Written, or a default.
    Given(T),
    /// `auto`.
    Auto,
    /// `tbd("why")`.
    Tbd(Arc<str>),
    /// Not written, and there is no default.
    Absent,
}

impl<T> Setting<T> {
    /// The value, when it is known before sizing.
    pub fn given(&self) -> Option<&T> {
        match self {
            Setting::Given(value) => Some(value),
            Setting::Auto | Setting::Tbd(_) | Setting::Absent => None,
        }
    }

    /// True when the compiler is to decide.
    pub fn is_auto(&self) -> bool {
        matches!(self, Setting::Auto)
    }

    /// True when it was left out.
    pub fn is_absent(&self) -> bool {
        matches!(self, Setting::Absent)
    }

    /// Why a person still has to decide.
    pub fn tbd(&self) -> Option<&str> {
        match self {
            Setting::Tbd(why) => Some(why),
            Setting::Given(_) | Setting::Auto | Setting::Absent => None,
        }
    }
}

/// One value, or all between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span<T> {
    /// The least.
    pub low: T,
    /// The most.
    pub high: T,
}

/// `count * part`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<T> {
    /// How many.
    pub count: u64,
    /// Of what.
    pub item: Id<T>,
}

/// An ISO 3166 country.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Country([u8; 2]);

impl Country {
    /// Reads `DE`.
    pub fn parse(code: &str) -> Option<Country> {
        COUNTRIES.split(' ').any(|known| known == code).then(|| code.as_bytes().try_into().ok().map(Country))?
    }

    /// The two letters.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("XX")
    }
}

/// ISO 3166-1 alpha-2.
pub const COUNTRIES: &str = "AD AE AF AG AI AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL CM CN CO CR CU CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FR GA GB GD GE GH GM GN GQ GR GT GW GY HK HN HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KI KM KN KP KR KW KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MK ML MM MN MO MR MT MU MV MW MX MY MZ NA NE NG NI NL NO NP NR NZ OM PA PE PG PH PK PL PT PW PY QA RO RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SY SZ TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VN VU WS YE ZA ZM ZW";

/// `2:1`: what goes down against what goes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    /// Before the colon.
    pub over: Number,
    /// After it.
    pub under: Number,
}

/// Where a key's material comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A path in a vault.
    Vault(Arc<str>),
    /// An alias in a cloud's key management.
    Kms(Arc<str>),
    /// Something outside the platform.
    External(Arc<str>),
}

/// How stored data survive a lost disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redundancy {
    /// Nothing survives.
    None,
    /// Two copies.
    Mirror,
    /// Data and parity shares.
    Erasure {
        /// Shares that carry data.
        data: u64,
        /// Shares that may be lost.
        parity: u64,
    },
    /// So many copies.
    Replicas(u64),
}

/// Who vouches for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oidc(pub Arc<str>);

/// A port that traffic uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Port {
    /// False for UDP.
    pub tcp: bool,
    /// 1 to 65535.
    pub number: u16,
}

/// One end of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// Anybody.
    Internet,
    /// A block of the model.
    Block(BlockId),
}

/// Where something is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place<T> {
    /// In the platform.
    Inside(Id<T>),
    /// Somewhere else, described.
    External(Arc<str>),
}

/// What controls a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control<T> {
    /// The cloud's own control plane.
    Managed,
    /// Nodes of this pool.
    Pool(Id<T>),
}

/// An expression that is evaluated after sizing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deferred;

/// A reference to a block of any kind in the set `K`.
#[derive(Debug, PartialEq, Eq)]
pub struct Any<K> {
    /// The block.
    pub block: BlockId,
    kinds: std::marker::PhantomData<fn() -> K>,
}

impl<K> Clone for Any<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Any<K> {}

/// A set of kinds that a reference may lead to.
pub trait KindSet {
    /// Their words; empty for every kind.
    const KINDS: &'static [&'static str];
}

macro_rules! kind_sets {
    ($( $(#[doc = $doc:literal])+ $name:ident = [$($word:literal),*]; )+) => { $(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;
        impl KindSet for $name { const KINDS: &'static [&'static str] = &[$($word),*]; }
    )+ };
}

kind_sets! {
    /// What a fabric connects.
    Connected = ["pool", "storage", "fabric"];
    /// What can be measured.
    Measurable = ["training", "finetune", "inference", "dataprep", "retrieval"];
    /// What takes turns.
    Load = ["training", "finetune", "inference", "dataprep", "retrieval"];
    /// What a price is for.
    Priced = ["server", "gpu", "cpu", "disk", "nic", "switch", "optic", "appliance", "instance", "storage", "rack", "license", "service"];
    /// What licences and services are counted on.
    Counted = ["pool", "fabric", "rack"];
    /// What can be backed up.
    Stored = ["storage"];
    /// What an inference uses.
    Used = ["retrieval", "inference"];
}

impl<K: KindSet> FromValue for Any<K> {
    const TYPE: Type = Type::Ref(K::KINDS);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Block(block) => Some(Any { block: *block, kinds: std::marker::PhantomData }),
            _ => None,
        }
    }
}

impl<K: Kinded> FromValue for Id<K> {
    const TYPE: Type = Type::Ref(&[K::WORD]);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Block(block) => Some(Id::new(*block)),
            _ => None,
        }
    }
}

impl<K: Kinded> FromValue for Part<K> {
    const TYPE: Type = Type::Part(&[K::WORD]);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Part(count, block) => Some(Part { count: *count, item: Id::new(*block) }),
            Value::Block(block) => Some(Part { count: 1, item: Id::new(*block) }),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    const TYPE: Type = Type::List(&T::TYPE);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::List(items) => items.iter().map(T::from_value).collect(),
            _ => None,
        }
    }
}

impl<T: FromValue + Copy> FromValue for Span<T> {
    const TYPE: Type = Type::Range(&T::TYPE);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Range(ends) => Some(Span {
                low: T::from_value(&Value::Quantity(ends.0.clone()))?,
                high: T::from_value(&Value::Quantity(ends.1.clone()))?,
            }),
            one => T::from_value(one).map(|one| Span { low: one, high: one }),
        }
    }
}

impl FromValue for bool {
    const TYPE: Type = Type::Bool;

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

impl FromValue for u64 {
    const TYPE: Type = Type::Int;

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Quantity(quantity) => quantity.value.to_u64(),
            _ => None,
        }
    }
}

/// Free text on one line.
impl FromValue for Arc<str> {
    const TYPE: Type = Type::Text(Format::Line);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(Arc::clone(text)),
            _ => None,
        }
    }
}

macro_rules! formatted {
    ($( $(#[doc = $doc:literal])+ $name:ident, $format:ident; )+) => { $(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(pub Arc<str>);

        impl FromValue for $name {
            const TYPE: Type = Type::Text(Format::$format);

            fn from_value(value: &Value) -> Option<Self> {
                Arc::<str>::from_value(value).map($name)
            }
        }
    )+ };
}

formatted! {
    /// `10.20.0.0/22`.
    Cidr, Cidr;
    /// `25.11`.
    Version, Version;
    /// `eu-north-1`.
    Region, Region;
    /// `https://…`.
    Url, Url;
}

impl FromValue for Date {
    const TYPE: Type = Type::Date;

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Date(date) => Some(*date),
            _ => None,
        }
    }
}

impl FromValue for Ratio {
    const TYPE: Type = Type::Ratio;

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Ratio(over, under) => Some(Ratio { over: *over, under: *under }),
            _ => None,
        }
    }
}

macro_rules! from_quantity {
    ($($name:ident),+) => { $(
        impl FromValue for $name {
            const TYPE: Type = Type::Quantity($name::DIMENSION);

            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::Quantity(quantity) => Some($name::new(quantity.value)),
                    _ => None,
                }
            }
        }
    )+ };
}

from_quantity!(
    Data,
    Rate,
    Time,
    Power,
    Energy,
    CarbonIntensity,
    Current,
    Voltage,
    Length,
    Mass,
    Height,
    Tokens,
    TokenRate,
    RequestRate,
    Frequency,
    FlopRate
);

/// A share is a plain number, with or without `%`.
impl FromValue for Share {
    const TYPE: Type = Type::Number;

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Quantity(quantity) => Some(Share::new(quantity.value)),
            _ => None,
        }
    }
}

impl FromValue for Money {
    const TYPE: Type = Type::Quantity(Dimension::MONEY);

    fn from_value(value: &Value) -> Option<Self> {
        money_of(value)
    }
}

/// Money with what it is divided by: `47.5 EUR/h` is money a second, `0.19 EUR/kWh` money a joule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoneyPerTime(pub Money);

impl FromValue for MoneyPerTime {
    const TYPE: Type = Type::Quantity(Dimension::MONEY_RATE);

    fn from_value(value: &Value) -> Option<Self> {
        money_of(value).map(MoneyPerTime)
    }
}

/// A price of energy, in money a joule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnergyPrice(pub Money);

impl FromValue for EnergyPrice {
    const TYPE: Type = Type::Quantity(Dimension::ENERGY_PRICE);

    fn from_value(value: &Value) -> Option<Self> {
        money_of(value).map(EnergyPrice)
    }
}

/// The price of one: to buy, or for a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    /// Once.
    Once(Money),
    /// For each second.
    PerSecond(Money),
}

impl FromValue for Price {
    const TYPE: Type = Type::Either(&[Type::Quantity(Dimension::MONEY), Type::Quantity(Dimension::MONEY_RATE)]);

    fn from_value(value: &Value) -> Option<Self> {
        let Value::Quantity(quantity) = value else { return None };
        let money = money_of(value)?;
        Some(if quantity.dimension.fits(&Dimension::MONEY) { Price::Once(money) } else { Price::PerSecond(money) })
    }
}

fn money_of(value: &Value) -> Option<Money> {
    match value {
        Value::Quantity(quantity) => {
            Some(Money { amount: quantity.value, currency: Currency::parse(quantity.dimension.currency()?)? })
        }
        _ => None,
    }
}

impl FromValue for Country {
    const TYPE: Type = Type::Country;

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Word(code) => Country::parse(code),
            _ => None,
        }
    }
}

impl FromValue for Currency {
    const TYPE: Type = Type::Currency;

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Word(code) => Currency::parse(code),
            _ => None,
        }
    }
}

const TEXT: Type = Type::Text(Format::Line);

impl FromValue for KeySource {
    const TYPE: Type = Type::Either(&[
        Type::Tagged("vault", &[TEXT]),
        Type::Tagged("kms", &[TEXT]),
        Type::Tagged("external", &[TEXT]),
    ]);

    fn from_value(value: &Value) -> Option<Self> {
        let (tag, text) = tagged_text(value)?;
        match tag {
            "vault" => Some(KeySource::Vault(text)),
            "kms" => Some(KeySource::Kms(text)),
            "external" => Some(KeySource::External(text)),
            _ => None,
        }
    }
}

impl FromValue for Oidc {
    const TYPE: Type = Type::Tagged("oidc", &[Type::Text(Format::Url)]);

    fn from_value(value: &Value) -> Option<Self> {
        tagged_text(value).map(|(_, text)| Oidc(text))
    }
}

impl FromValue for Redundancy {
    const TYPE: Type = Type::Either(&[
        Type::Word(&["none", "mirror"]),
        Type::Tagged("erasure", &[Type::Int, Type::Int]),
        Type::Tagged("replicas", &[Type::Int]),
    ]);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Word(word) => match &**word {
                "none" => Some(Redundancy::None),
                "mirror" => Some(Redundancy::Mirror),
                _ => None,
            },
            Value::Tagged(tag, arguments) => {
                let count = |index: usize| arguments.get(index).and_then(u64::from_value);
                match &**tag {
                    "erasure" => Some(Redundancy::Erasure { data: count(0)?, parity: count(1)? }),
                    "replicas" => Some(Redundancy::Replicas(count(0)?)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl FromValue for Port {
    const TYPE: Type = Type::Either(&[Type::Tagged("tcp", &[Type::Int]), Type::Tagged("udp", &[Type::Int])]);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Tagged(tag, arguments) => {
                let number = arguments.first().and_then(u64::from_value)?;
                Some(Port { tcp: &**tag == "tcp", number: u16::try_from(number).ok()? })
            }
            _ => None,
        }
    }
}

impl FromValue for Endpoint {
    const TYPE: Type = Type::Either(&[Type::Word(&["internet"]), Type::Ref(&[])]);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Word(_) => Some(Endpoint::Internet),
            Value::Block(block) => Some(Endpoint::Block(*block)),
            _ => None,
        }
    }
}

impl<K: Kinded> FromValue for Place<K> {
    const TYPE: Type = Type::Either(&[Type::Ref(&[K::WORD]), Type::Tagged("external", &[TEXT])]);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Block(block) => Some(Place::Inside(Id::new(*block))),
            other => tagged_text(other).map(|(_, text)| Place::External(text)),
        }
    }
}

impl<K: Kinded> FromValue for Control<K> {
    const TYPE: Type = Type::Either(&[Type::Word(&["managed"]), Type::Ref(&[K::WORD])]);

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Block(block) => Some(Control::Pool(Id::new(*block))),
            Value::Word(_) => Some(Control::Managed),
            _ => None,
        }
    }
}

impl FromValue for Deferred {
    const TYPE: Type = Type::Expression;

    fn from_value(_: &Value) -> Option<Self> {
        Some(Deferred)
    }
}

impl FromValue for Value {
    const TYPE: Type = Type::Any;

    fn from_value(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

fn tagged_text(value: &Value) -> Option<(&str, Arc<str>)> {
    match value {
        Value::Tagged(tag, arguments) => Some((tag, arguments.first().and_then(Arc::<str>::from_value)?)),
        _ => None,
    }
}

macro_rules! from_word {
    ($($name:ident),+ $(,)?) => { $(
        impl FromValue for words::$name {
            const TYPE: Type = Type::Word(words::$name::WORDS);

            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::Word(word) => words::$name::from_word(word),
                    _ => None,
                }
            }
        }
    )+ };
}

from_word!(
    Stage,
    Provider,
    Cooling,
    Precision,
    Method,
    States,
    Recompute,
    Engine,
    PrepEngine,
    VectorEngine,
    VectorIndex,
    DataFormat,
    DataClass,
    Priority,
    Purchase,
    Scheduler,
    Preempt,
    PreemptBy,
    Exclusive,
    Technology,
    Topology,
    Fill,
    Tier,
    StorageKind,
    Encryption,
    Tls,
    Auth,
    Framework,
    Egress,
    Metrics,
    Logs,
    Traces,
    Tracking,
    Strategy,
    Level,
    ParamType,
    Interconnect,
    FabricRole,
    Airflow,
    Medium,
    Media,
    CapacityKind,
    Attention,
    Norm,
    Per,
    SparePart,
);

//! Own or rent: what an hour of a GPU costs either way, where they meet, and what speaks for which.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Dataset, Instance, Kind, Platform, Pool, Training};
use crate::model::words::{DataClass, Stage};

use super::bill::Priced;
use super::bill::price::{Market, known};
use super::bill::rent::{self, Rent};
use super::figure::{self, Figure, Reason};
use super::formula::power::HOURS_PER_YEAR;
use super::formula::round::ratio;
use super::ledger::{Amount, Units};
use super::load::{self, Bar, Known};
use super::occupancy::{self, Occupancies};
use super::{Plan, PoolPlan, readable};

const HOUR: f64 = 3_600.0;
const WEEK: f64 = 604_800.0;
/// Below this share of the time training is rare. Assumption: no source gives a number.
const RARE: f64 = 0.20;
/// From this share of the time on, at the least, a load is steady. Assumption: no source gives a number.
const STEADY: f64 = 0.50;
/// From so many times the least copies on, a load is unstable. Assumption: no source gives a number.
const UNSTABLE: u64 = 2;

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// Buy it.
    Own,
    /// Rent it.
    Rent,
    /// What is known does not decide it.
    Open,
}

impl Advice {
    /// The word people read.
    pub fn word(self) -> &'static str {
        match self {
            Advice::Own => "own",
            Advice::Rent => "rent",
            Advice::Open => "open",
        }
    }
}

/// Own or rent, for one pool with GPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Tenure {
    /// Which.
    pub pool: Id<Pool>,
    /// What to do.
    pub advice: Advice,
    /// What speaks for it, what decides first.
    pub because: Vec<String>,
    /// What speaks against it.
    pub against: Vec<String>,
}

/// Figures of every pool, and the advice for those with GPUs.
pub fn judge(plan: &mut Plan<'_>, occupancies: &Occupancies) {
    let model = Arc::clone(&plan.model);
    let Some(platform) = model.platform() else { return };
    let market = Market::new(&model, platform.currency);
    let units = Units::of(platform.currency.code());
    let rows: Vec<PoolPlan> = plan.pools.values().cloned().collect();
    let mut offers = Offers { model: &model, market: &market, found: BTreeMap::new() };
    let leads: BTreeMap<BlockId, f64> =
        plan.bill.lines.iter().filter_map(|line| Some((line.of, line.lead_weeks?))).collect();
    for row in &rows {
        let block = row.id.block();
        if row.node.gpu.is_none() || row.node.gpus == 0 {
            for figure in FIGURES {
                plan.figures.unknown(block, figure, format!("nodes of `{}` have no GPU", model.address(block)));
            }
            continue;
        }
        let hours = Hours::of(plan, &model, &mut offers, row, occupancies);
        hours.put_figures(plan, row, units);
        let mut case = case(plan, &model, platform, row, &hours.busy);
        let weeks = leads.get(&block).copied();
        case.rent.extend(row.loads.iter().filter_map(|load| late(&model, weeks?, *load)));
        let tenure = hours.weigh(case, platform, row, units);
        plan.tenures.push(tenure);
    }
}

const FIGURES: [&str; 4] = ["owned_gpu_hour", "rented_gpu_hour", "delivered_gpu_hour", "break_even_utilisation"];

/// What an hour of a GPU of a pool costs.
struct Hours {
    /// Owned, whether used or not.
    owned: Known<Amount>,
    /// Rented.
    rented: Known<(f64, Rent)>,
    /// Share of the time that the GPUs are at work.
    busy: Known<Bar>,
}

impl Hours {
    fn of(
        plan: &Plan<'_>,
        model: &Model<'_>,
        offers: &mut Offers<'_, '_>,
        row: &PoolPlan,
        occupancies: &Occupancies,
    ) -> Hours {
        Hours { owned: owned(plan, model, row), rented: offers.of(row), busy: occupancy::busy(row, occupancies) }
    }

    /// Owned over rented.
    fn break_even(&self) -> Known<Amount> {
        let owned = self.owned.clone()?;
        let (rented, _) = self.rented.clone()?;
        Ok(owned.times(ratio(1.0, rented)))
    }

    fn put_figures(&self, plan: &mut Plan<'_>, row: &PoolPlan, units: Units) {
        let block = row.id.block();
        let owned = self.owned.clone().and_then(|owned| {
            let formula = "cost of the pool a year ÷ (GPUs × hours of a year)";
            Ok(owned.times(1.0 / HOUR).figure(units.hourly, formula)?.of(block, "cost").of(block, "gpus"))
        });
        load::put_known(&mut plan.figures, block, "owned_gpu_hour", owned);
        let rented = self.rented.clone().map(|(hour, rent)| {
            let formula = "price of an instance and hour ÷ its GPUs";
            let figure = Figure::exact(hour / HOUR, units.hourly, formula).note(Arc::clone(&rent.what));
            rent.quote.into_iter().fold(figure, |figure, quote| figure.because(Reason::Block(quote)))
        });
        load::put_known(&mut plan.figures, block, "rented_gpu_hour", rented);
        let delivered = self.owned.clone().and_then(|owned| {
            let busy = self.busy.clone()?;
            // The more it is used, the less an hour costs; without any use it has no price.
            let known = Bar {
                value: ratio(owned.known.value, busy.value),
                low: ratio(owned.known.low, busy.high),
                high: ratio(owned.known.high, busy.low),
            };
            let formula = "cost of an owned hour ÷ share of the time that GPUs are busy";
            let figure = Amount { known, ..owned }.times(1.0 / HOUR).figure(units.hourly, formula)?;
            Ok(figure.of(block, "owned_gpu_hour").of(block, "busy"))
        });
        load::put_known(&mut plan.figures, block, "delivered_gpu_hour", delivered);
        let break_even = self.break_even().and_then(|share| {
            let figure = share.figure("%", "cost of an owned hour ÷ price of a rented one")?;
            Ok(figure.of(block, "owned_gpu_hour").of(block, "rented_gpu_hour"))
        });
        load::put_known(&mut plan.figures, block, "break_even_utilisation", break_even);
    }
}

/// The pool's own cost; for a rented one that of an owned pool with the same GPU.
fn owned(plan: &Plan<'_>, model: &Model<'_>, row: &PoolPlan) -> Known<Amount> {
    let like = |other: &&PoolPlan| !other.node.rented && other.node.gpu == row.node.gpu && other.gpus > 0;
    let of = if row.node.rented { plan.pools.values().find(like) } else { Some(row) };
    let Some(of) = of else {
        return Err(Arc::from(format!(
            "`{}` is rented, and no pool of our own has its GPU",
            model.address(row.id.block())
        )));
    };
    let cost = plan.ledger.pools.get(&of.id).ok_or_else(|| Arc::from("it has no cost"))?;
    Ok(cost.full.times(ratio(1.0, of.gpus as f64 * HOURS_PER_YEAR)))
}

/// What GPUs are rented for; every GPU is looked up once.
struct Offers<'p, 'm> {
    model: &'p Model<'m>,
    market: &'p Market<'p>,
    found: BTreeMap<(BlockId, u64), Option<Rent>>,
}

impl Offers<'_, '_> {
    /// The pool's own instance; for an owned pool the best offer with the same GPU.
    fn of(&mut self, row: &PoolPlan) -> Known<(f64, Rent)> {
        let (model, market) = (self.model, self.market);
        let own = row.node.product.filter(|_| row.node.rented).and_then(|product| model.typed::<Instance>(product));
        let offer = match (own, row.node.gpu) {
            (Some(instance), _) => rent::of_instance(market, model, instance, row.node.gpus),
            (None, Some(gpu)) => {
                let found = self.found.entry((gpu.block(), row.node.gpus));
                found.or_insert_with(|| rent::cheapest(market, model, gpu, row.node.gpus)).clone()
            }
            (None, None) => None,
        };
        priced(model, row, own.is_some(), offer)
    }
}

/// The money of an offer, or why there is none.
fn priced(model: &Model<'_>, row: &PoolPlan, own: bool, offer: Option<Rent>) -> Known<(f64, Rent)> {
    let Some(rent) = offer else {
        let what = match (own, row.node.gpu) {
            (false, Some(gpu)) => format!("no instance with `{}` has a price", model.address(gpu.block())),
            (true, _) | (false, None) => String::from("its instance has no price"),
        };
        return Err(Arc::from(what));
    };
    match (known(&rent.hour), &rent.hour) {
        (Some(hour), _) => Ok((hour.amount.to_f64(), rent)),
        (None, Priced::Foreign(price)) => {
            Err(Arc::from(format!("{} is in {}, and no `rate` converts it", rent.what, price.currency)))
        }
        (None, Priced::Known(_) | Priced::Tbd(_) | Priced::Unknown) => Err(Arc::from("its instance has no price")),
    }
}

/// What speaks for owning and for renting, apart from the sums.
#[derive(Default)]
struct Case {
    /// What leaves no choice.
    data: Vec<String>,
    rent: Vec<String>,
    own: Vec<String>,
}

impl Hours {
    fn weigh(&self, case: Case, platform: &Platform, row: &PoolPlan, units: Units) -> Tenure {
        let sums = self.sums(units);
        let under_test = platform.stage == Stage::Poc;
        let (advice, decided) = match sums.0 {
            _ if !case.data.is_empty() => (Advice::Own, false),
            _ if under_test => (Advice::Rent, false),
            Some((advice, true)) => (advice, true),
            _ if !case.rent.is_empty() => (Advice::Rent, false),
            _ if !case.own.is_empty() => (Advice::Own, false),
            Some((advice, false)) => (advice, true),
            None => (Advice::Open, false),
        };
        let owning = || case.data.iter().chain(&case.own).cloned();
        let (mut because, mut against): (Vec<String>, Vec<String>) = match advice {
            Advice::Own => (owning().collect(), case.rent.clone()),
            Advice::Rent => (case.rent.clone(), owning().collect()),
            Advice::Open => (owning().chain(case.rent.iter().cloned()).collect(), Vec::new()),
        };
        match sums.0 {
            _ if decided => because.insert(0, sums.1),
            Some((other, true)) if other != advice => against.push(sums.1),
            Some(_) | None => because.push(sums.1),
        }
        Tenure { pool: row.id, advice, because, against }
    }

    /// What the sums say and whether they are sure of it, and the figures that decide.
    fn sums(&self, units: Units) -> (Option<(Advice, bool)>, String) {
        let busy = match &self.busy {
            Ok(busy) => *busy,
            Err(why) => return (None, format!("how busy it is is not known: {why}")),
        };
        let text = span(busy);
        let share = match self.break_even() {
            Ok(share) => share,
            Err(why) => return (None, format!("busy {text}; from when owning pays is not known: {why}")),
        };
        if !share.is_whole() {
            let open = share.missing.iter().cloned().collect::<Vec<_>>().join(", ");
            let verdict = (busy.high < share.known.low).then_some((Advice::Rent, true));
            let least = match share.known.low {
                0.0 => String::from("from when owning pays is not known"),
                low => format!("owning pays from {} on at the earliest", figure::show(low, "%")),
            };
            return (verdict, format!("busy {text}; {least}, no price for {open}"));
        }
        let prices = match (&self.owned, &self.rented) {
            (Ok(owned), Ok((rented, rent))) => format!(
                " (an hour is {} owned, {} rented: {})",
                figure::show(owned.known.value / HOUR, units.hourly),
                figure::show(rented / HOUR, units.hourly),
                rent.what
            ),
            (Ok(_) | Err(_), _) => String::new(),
        };
        let text = format!("busy {text}, owning pays from {} on{prices}", span(share.known));
        if busy.low > share.known.high {
            (Some((Advice::Own, true)), text)
        } else if busy.high < share.known.low {
            (Some((Advice::Rent, true)), text)
        } else {
            let lean = if busy.value > share.known.value { Advice::Own } else { Advice::Rent };
            (Some((lean, false)), format!("{text}; the bars overlap, so this is not sure"))
        }
    }
}

fn span(bar: Bar) -> String {
    let figure = bar.figure("%", "");
    figure.bar().map_or_else(|| figure.show(), |bar| format!("{} ({bar})", figure.show()))
}

fn case(plan: &Plan<'_>, model: &Model<'_>, platform: &Platform, row: &PoolPlan, busy: &Known<Bar>) -> Case {
    let mut case = Case::default();
    if model.tables.securities.iter().any(|security| security.air_gap) {
        case.data.push(String::from("the platform has no line to the outside (`air_gap`)"));
    }
    for dataset in datasets(model, row) {
        let address = model.address(dataset.id.block());
        if dataset.personal_data == Some(true) {
            case.data.push(format!("`{address}` is about people"));
        } else if let Some(class @ (DataClass::Confidential | DataClass::Restricted)) = dataset.class {
            case.data.push(format!("`{address}` is {class}"));
        }
    }
    if platform.stage == Stage::Poc {
        case.rent.push(String::from("the model is under test: the platform is a proof of concept"));
    }
    for load in &row.loads {
        case.rent.extend(unstable(plan, model, *load));
    }
    if let Ok(busy) = busy {
        let runs = |load: &BlockId| matches!(model.block(*load).kind, Kind::Training | Kind::Finetune);
        let trains = !row.loads.is_empty() && row.loads.iter().all(runs);
        if trains && busy.high < RARE {
            case.rent.push(format!("training is rare: it takes {} of the time", span(*busy)));
        }
        let steady = !row.loads.iter().any(|load| unstable(plan, model, *load).is_some());
        if steady && busy.low >= STEADY {
            case.own.push(format!("the load is steady: it takes {} of the time", span(*busy)));
        }
    }
    case
}

/// What the workloads of a pool read, also through what they ask.
fn datasets<'m>(model: &'m Model<'_>, row: &PoolPlan) -> Vec<&'m Dataset> {
    let asked = row.loads.iter().flat_map(|load| model.value(*load, "uses").blocks());
    let readers: BTreeSet<BlockId> = asked.chain(row.loads.iter().copied()).collect();
    let read: BTreeSet<BlockId> =
        readers.into_iter().flat_map(|reader| model.value(reader, "reads").blocks()).collect();
    read.into_iter().filter_map(|block| model.typed::<Dataset>(block)).collect()
}

fn unstable(plan: &Plan<'_>, model: &Model<'_>, load: BlockId) -> Option<String> {
    let replicas = plan.inferences.get(&model.as_id(load)?)?.replicas?;
    let wide = replicas.high >= replicas.low.saturating_mul(UNSTABLE).max(UNSTABLE);
    wide.then(|| {
        format!("the load is unstable: `{}` runs {} to {} copies", model.address(load), replicas.low, replicas.high)
    })
}

/// A deadline that is over before bought servers are there.
fn late(model: &Model<'_>, weeks: f64, load: BlockId) -> Option<String> {
    let deadline = match model.typed::<Training>(load)?.deadline {
        Setting::Given(time) => time.seconds(),
        Setting::Auto | Setting::Tbd(_) | Setting::Absent => return None,
    };
    (weeks * WEEK > deadline).then(|| {
        format!(
            "speed of start matters: servers come after {weeks} weeks, `{}` must be done within {}",
            model.address(load),
            readable::time_text(deadline)
        )
    })
}

//! What one costs: quotes, list prices, exchange rates.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::{Currency, Money};
use crate::model::Model;
use crate::model::decode::{Country, Price, Setting};
use crate::model::ids::BlockId;
use crate::model::kinds::{Instance, PriceLine, Quote, Site};

use super::{HOURS_PER_YEAR, SECONDS_PER_HOUR};

const SECONDS_PER_WEEK: f64 = 604_800.0;
const SECONDS_PER_YEAR: f64 = 31_536_000.0;

/// A price of one, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Priced {
    /// Known, in the platform's currency, with the discount taken off.
    Known(Money),
    /// Known in another currency, and no `rate` block converts it.
    Foreign(Money),
    /// A supplier still has to answer.
    Tbd(Arc<str>),
    /// Nobody gave one.
    Unknown,
}

/// What a price must be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// To own one.
    Purchase,
    /// An hour of one.
    Hour,
    /// A year of one.
    Year,
    /// To own one or to have it for a year, whatever is asked.
    PurchaseOrYear,
}

/// What prices there are, and how money converts.
pub struct Market<'m> {
    model: &'m Model<'m>,
    currency: Currency,
    quoted: HashMap<BlockId, Vec<(BlockId, &'m PriceLine)>>,
    /// The quote whose prices go before all others.
    preferred: Option<BlockId>,
}

/// A price with where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The price of one, discount taken off, in the platform's currency.
    pub each: Priced,
    /// The price of one as it is asked, before the discount.
    pub list: Option<Money>,
    /// Share taken off.
    pub discount: Option<Number>,
    /// True for a price of a year.
    pub yearly: bool,
    /// The quote it is from.
    pub quote: Option<BlockId>,
    /// Who says so.
    pub source: Option<String>,
    /// The day of it.
    pub date: Option<Date>,
    /// Weeks until it is there.
    pub lead_weeks: Option<f64>,
    /// Share of the price that support costs each year.
    pub support: Option<Number>,
    /// Years that it is repaired for nothing.
    pub warranty_years: Option<f64>,
    /// The seller's number.
    pub sku: Option<Arc<str>>,
    /// Where it is made.
    pub origin: Option<Country>,
    /// Its heading in the customs tariff.
    pub hs_code: Option<Arc<str>>,
    /// What may be delivered instead.
    pub alternates: Vec<BlockId>,
}

impl Offer {
    /// No price.
    pub fn none() -> Offer {
        Offer {
            each: Priced::Unknown,
            list: None,
            discount: None,
            yearly: false,
            quote: None,
            source: None,
            date: None,
            lead_weeks: None,
            support: None,
            warranty_years: None,
            sku: None,
            origin: None,
            hs_code: None,
            alternates: Vec::new(),
        }
    }
}

impl<'m> Market<'m> {
    /// Indexes the quotes of a model.
    pub fn new(model: &'m Model<'m>, currency: Currency) -> Market<'m> {
        let mut quoted: HashMap<BlockId, Vec<(BlockId, &PriceLine)>> = HashMap::new();
        for quote in &model.tables.quotes {
            for line in &quote.price {
                quoted.entry(model[*line].of.block).or_default().push((quote.id.block(), &model[*line]));
            }
        }
        Market { model, currency, quoted, preferred: None }
    }

    /// The same with a quote whose prices go before all others.
    pub fn preferring(self, quote: Option<BlockId>) -> Market<'m> {
        Market { preferred: quote, ..self }
    }

    /// The money of the platform.
    pub fn currency(&self) -> Currency {
        self.currency
    }

    /// The price of a product that counts: of the preferred quote, else the lowest known one; a price that is still
    /// open before none at all.
    pub fn offer(&self, product: BlockId, term: Term) -> Offer {
        let offers = self.offers(product, term);
        let order = |offer: &Offer| {
            let (known, price) = rank(&offer.each);
            (self.preferred.is_none() || offer.quote != self.preferred || known > KNOWN, known, price)
        };
        offers.into_iter().min_by_key(order).unwrap_or_else(Offer::none)
    }

    /// What every quote asks for a product, in the order of the quotes.
    pub fn offers(&self, product: BlockId, term: Term) -> Vec<Offer> {
        let lines = self.quoted.get(&product).map_or(&[][..], Vec::as_slice);
        lines.iter().map(|(quote, line)| self.read(*quote, line, term)).collect()
    }

    fn read(&self, quote: BlockId, line: &PriceLine, term: Term) -> Offer {
        let (list, yearly) = match (&line.each, term) {
            (Setting::Given(Price::Once(money)), Term::Purchase | Term::PurchaseOrYear) => (Some(*money), false),
            (Setting::Given(Price::PerSecond(money)), Term::Hour) => (Some(hourly(*money)), false),
            (Setting::Given(Price::PerSecond(money)), Term::Year | Term::PurchaseOrYear) => {
                (Some(a_year(*money)), true)
            }
            // A price of a time for something bought, or a price to own something rented, is no price of it.
            (Setting::Given(_) | Setting::Auto | Setting::Absent | Setting::Tbd(_), _) => (None, false),
        };
        let each = match (&line.each, list) {
            (_, Some(list)) => self.converted(discounted(list, line.discount.map(|share| share.exact()))),
            (Setting::Tbd(why), None) => Priced::Tbd(Arc::clone(why)),
            (Setting::Given(_) | Setting::Auto | Setting::Absent, None) => Priced::Unknown,
        };
        let block = self.model.typed::<Quote>(quote);
        Offer {
            each,
            list,
            discount: list.and(line.discount).map(|share| share.exact()),
            yearly,
            quote: Some(quote),
            source: block.map(|quote| {
                format!(
                    "{}{}",
                    quote.vendor,
                    quote.reference.as_ref().map_or(String::new(), |reference| format!(", {reference}"))
                )
            }),
            date: block.and_then(|quote| quote.date),
            lead_weeks: line.lead_time.map(|time| time.seconds() / SECONDS_PER_WEEK),
            support: line.support.map(|share| share.exact()),
            warranty_years: line.warranty.map(|time| time.seconds() / SECONDS_PER_YEAR),
            sku: line.sku.clone(),
            origin: line.origin,
            hs_code: line.hs_code.clone(),
            alternates: line.alternates.iter().map(|alternate| alternate.block).collect(),
        }
    }

    /// In the platform's currency, where a `rate` block says how.
    pub fn converted(&self, money: Money) -> Priced {
        converted(self.model, self.currency, money).map_or(Priced::Foreign(money), Priced::Known)
    }

    /// The list price of an instance, in the region of its site only.
    pub fn list_price(&self, instance: &Instance, site: &Site) -> Option<Offer> {
        let same_region = instance.price_region.is_some() && instance.price_region == site.region;
        let money = instance.price.filter(|_| same_region)?.0;
        let source = self.model.fact_source(instance.id.block(), "price").map(|source| source.title.clone());
        let list = hourly(money);
        let each = self.converted(list);
        Some(Offer { each, list: Some(list), source, date: instance.price_date, ..Offer::none() })
    }
}

/// Money in another currency, where a `rate` block says how, in one direction or the other.
pub fn converted(model: &Model<'_>, currency: Currency, money: Money) -> Option<Money> {
    if money.currency == currency {
        return Some(money);
    }
    let rates = &model.tables.rates;
    let straight = rates.iter().find(|rate| rate.from == money.currency && rate.to == currency);
    let inverse = rates.iter().find(|rate| rate.to == money.currency && rate.from == currency);
    let amount = match (straight, inverse) {
        (Some(rate), _) => money.amount.times(rate.value.exact())?,
        (None, Some(rate)) => money.amount.over(rate.value.exact())?,
        (None, None) => return None,
    };
    Some(Money { amount, currency })
}

/// The rank of a price in the platform's money.
const KNOWN: u8 = 0;

/// Known prices first, the lowest before others; then open ones.
pub(super) fn rank(each: &Priced) -> (u8, Number) {
    match each {
        Priced::Known(money) => (KNOWN, money.amount),
        Priced::Foreign(money) => (1, money.amount),
        Priced::Tbd(_) => (2, Number::ZERO),
        Priced::Unknown => (3, Number::ZERO),
    }
}

pub(super) fn discounted(money: Money, discount: Option<Number>) -> Money {
    let share = discount.and_then(|discount| Number::ONE.minus(discount));
    let amount = share.and_then(|share| money.amount.times(share)).unwrap_or(money.amount);
    Money { amount, ..money }
}

pub(super) fn hourly(per_second: Money) -> Money {
    let amount = per_second.amount.times(Number::whole(SECONDS_PER_HOUR)).unwrap_or(per_second.amount).round(6);
    Money { amount, ..per_second }
}

fn a_year(per_second: Money) -> Money {
    let seconds = Number::whole(SECONDS_PER_HOUR * HOURS_PER_YEAR);
    let amount = per_second.amount.times(seconds).unwrap_or(per_second.amount).round(6);
    Money { amount, ..per_second }
}

/// The money of a price that is known.
pub fn known(each: &Priced) -> Option<Money> {
    match each {
        Priced::Known(money) => Some(*money),
        Priced::Foreign(_) | Priced::Tbd(_) | Priced::Unknown => None,
    }
}

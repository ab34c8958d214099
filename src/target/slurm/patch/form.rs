//! What a patched value must look like: a daemon does not start with a word where it reads a number.

use crate::base::{hosts, phrase};

use super::super::keys::{Form, Key};

/// What Slurm writes for "no limit".
const ENDLESS: &[&str] = &["UNLIMITED", "INFINITE"];

/// What Slurm reads as yes and as no.
const YES_OR_NO: &[&str] = &["yes", "up", "true", "1", "no", "down", "false", "0"];

/// Why a value is none of its key's, if it is none.
pub fn wrong(row: &Key, value: &str) -> Option<String> {
    let formed = row.form.and_then(|form| refusal(form, value));
    formed.or_else(|| unknown_word(row.words.as_deref()?, row.form == Some(Form::List), value))
}

/// True for the words of Slurm for "no limit".
pub fn is_endless(value: &str) -> bool {
    is_one_of(value, ENDLESS)
}

/// A value, or an item of a list, that is none of the words: what stands before `:` or `=` counts.
fn unknown_word(words: &[String], list: bool, value: &str) -> Option<String> {
    let items: Vec<&str> = if list { value.split(',').collect() } else { vec![value] };
    let head = |item: &str| item.split([':', '=']).next().unwrap_or_default().trim().to_string();
    let known = |item: &str| words.iter().any(|word| word.eq_ignore_ascii_case(&head(item)));
    let wrong = items.into_iter().find(|item| !known(item))?;
    Some(format!("`{}` is none of {}", phrase::excerpt(wrong, 40), phrase::all_of(words)))
}

/// Why a value has not the form, if it has not.
fn refusal(form: Form, value: &str) -> Option<String> {
    match form {
        Form::Short => number(value, u64::from(u16::MAX)),
        Form::Number => number(value, u64::from(u32::MAX)),
        Form::Long => number(value, u64::MAX),
        Form::Decimal => (!is_decimal(value)).then(|| String::from("it is no number")),
        Form::Port => (!is_port(value)).then(|| String::from("it is no port")),
        Form::Ports => {
            let (first, last) = value.split_once('-').unwrap_or((value, value));
            (!is_port(first) || !is_port(last)).then(|| String::from("it is neither a port nor a range of ports"))
        }
        Form::Time => (!is_time(value)).then(|| String::from("it is no time, like `90`, `2-12:00:00` or `UNLIMITED`")),
        Form::YesNo => (!is_one_of(value, YES_OR_NO)).then(|| String::from("it is neither `yes` nor `no`")),
        Form::Hosts => hosts::unfold(value).err().map(|why| format!("it is no list of hosts: {why}")),
        Form::List => None,
    }
}

fn is_one_of(value: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(value))
}

/// The number that a value says: digits, and a letter for thousands of 1,024.
pub fn digits(value: &str) -> Option<u64> {
    let (digits, thousands) = match value.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_024),
        None => (value, 1),
    };
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| digits.parse::<u64>().ok()?.checked_mul(thousands))?
}

fn number(value: &str, most: u64) -> Option<String> {
    if is_one_of(value, ENDLESS) {
        return None;
    }
    match digits(value) {
        Some(number) if number <= most => None,
        Some(_) => Some(format!("it is more than {most}")),
        None if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(format!("it is more than {most}"))
        }
        None => Some(String::from("it is no number")),
    }
}

fn is_decimal(value: &str) -> bool {
    let (whole, rest) = value.split_once('.').unwrap_or((value, "0"));
    [whole, rest].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_port(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit()) && value.parse::<u16>().is_ok_and(|port| port > 0)
}

/// `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes`,
/// `days-hours:minutes:seconds`, or no end.
fn is_time(value: &str) -> bool {
    if value == "-1" || is_one_of(value, ENDLESS) {
        return true;
    }
    let (days, rest) = value.split_once('-').unwrap_or(("0", value));
    let mut parts = std::iter::once(days).chain(rest.split(':'));
    let short = |part: &str| (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    rest.split(':').count() <= 3 && parts.all(short)
}

#[cfg(test)]
mod tests {
    use super::{Form, refusal, unknown_word};

    #[test]
    fn words_are_those_of_the_key() {
        let modes = ["OFF", "GANG", "SUSPEND", "FORCE"].map(String::from);
        for (value, list) in [("SUSPEND,GANG", true), ("off", false), ("FORCE:4", false)] {
            assert_eq!(unknown_word(&modes, list, value), None, "{value}");
        }
        for (value, list) in [("nonsense", true), ("GANG,", true), ("", false), ("OFF,GANG", false)] {
            assert!(unknown_word(&modes, list, value).is_some(), "{value}");
        }
    }

    #[test]
    fn values_have_the_form_of_their_key() {
        for (form, fine, wrong) in [
            (Form::Short, &["0", "65535", "unlimited"][..], &["65536", "abc", "-99", "5 x", "", "1.5"][..]),
            (Form::Number, &["4294967295", "4K", "INFINITE"], &["4294967296", "4194304K", "K", "zzz"]),
            (Form::Long, &["18446744073709551615"], &["99999999999999999999", "18446744073709551615K", "2G"]),
            (Form::Decimal, &["0", "98.5"], &["98.", "98%", "-1", ".5"]),
            (Form::Port, &["6817"], &["0", "99999999", "6817-6820", "+80"]),
            (Form::Ports, &["6817", "6817-6820"], &["6817-", "x", "1-99999"]),
            (Form::Time, &["90", "1:30", "2-12", "2-12:00:00", "UNLIMITED", "-1"], &["garbage", "1-", "1:2:3:4", "2d"]),
            (Form::YesNo, &["yes", "NO", "1"], &["maybe", "2"]),
            (Form::Hosts, &["h[1-4]", "a,b"], &["h[1-4", "h1]"]),
            (Form::List, &["anything"], &[]),
        ] {
            for value in fine {
                assert_eq!(refusal(form, value), None, "{form:?} {value}");
            }
            for value in wrong {
                assert!(refusal(form, value).is_some(), "{form:?} {value}");
            }
        }
    }
}

//! # A text looks like a credential
//!
//! What is written here goes into version control, into plans and into generated files, and stays there. Only the place of a
//! secret is written, never the secret.
//!
//! ```aip
//! tenant t { owner = "ghp_16C7…" }                 # wrong: a token in a text
//! secret s { from = vault("kv/team/object-store") }  # right
//! ```
//!
//! Known forms of keys and tokens are found, and long texts that look like chance. Change a secret that has been written
//! down: it is known now.
//!
//! Source: the published forms of the providers' tokens; entropy as in secret scanners.

use std::collections::BTreeMap;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::value::Value;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4011),
    levels: Levels::always(Severity::Error),
    text: include_str!("secret_in_source.rs"),
    dated: false,
    check,
};

/// How credentials of well-known services begin, how long they are at least, and what they are.
const FORMS: &[(&str, usize, &str)] = &[
    ("AKIA", 20, "an AWS access key"),
    ("ASIA", 20, "an AWS session key"),
    ("ghp_", 20, "a GitHub token"),
    ("gho_", 20, "a GitHub token"),
    ("ghs_", 20, "a GitHub token"),
    ("github_pat_", 30, "a GitHub token"),
    ("glpat-", 20, "a GitLab token"),
    ("xoxb-", 20, "a Slack token"),
    ("xoxp-", 20, "a Slack token"),
    ("sk-", 23, "an API key"),
    ("hf_", 23, "a Hugging Face token"),
    ("nvapi-", 23, "an NVIDIA API key"),
    ("AIza", 35, "a Google API key"),
    ("hvs.", 20, "a Vault token"),
    ("eyJ", 60, "a signed web token"),
];

/// Shortest token whose letters are looked at.
const LONG: usize = 32;
/// Bits a character from which a token looks like chance; names and words stay below 4.
const CHANCE: f64 = 4.3;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut found = Vec::new();
    for (id, block) in model.package_blocks() {
        for slot in &block.slots {
            let what = slot.value.as_ref().and_then(credential_in);
            found.extend(what.map(|what| {
                // The text itself is not repeated: findings end up in logs.
                let attribute = block.attribute(slot.attribute).name;
                let message = format!("`{attribute}` of `{}` looks like {what}", model.address(id));
                let help = "write where it is (`vault(…)`, `kms(…)`) in a `secret` block, and change it: it is known now";
                Finding::on(model, id, attribute, message).help(help)
            }));
        }
    }
    found
}

fn credential_in(value: &Value) -> Option<&'static str> {
    match value {
        Value::Text(text) => credential(text),
        Value::List(items) | Value::Tagged(_, items) => items.iter().find_map(credential_in),
        Value::Map(entries) => entries.iter().find_map(|(_, value)| credential_in(value)),
        Value::Null
        | Value::Auto
        | Value::Tbd(_)
        | Value::Poison
        | Value::Bool(_)
        | Value::Quantity(_)
        | Value::Word(_)
        | Value::Range(_)
        | Value::Ratio(..)
        | Value::Date(_)
        | Value::Block(_)
        | Value::Part(..) => None,
    }
}

fn credential(text: &str) -> Option<&'static str> {
    if text.contains("-----BEGIN") && text.contains("PRIVATE KEY") {
        return Some("a private key");
    }
    if has_password(text) {
        return Some("an address with a password in it");
    }
    // Dots stay inside tokens, so that a host name is one token and no chance text.
    let tokens = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+=_-.".contains(c)));
    tokens.filter(|token| !token.is_empty()).find_map(|token| {
        let form = FORMS.iter().find(|(start, least, _)| token.starts_with(start) && token.len() >= *least);
        form.map(|(_, _, what)| *what).or_else(|| is_chance(token).then_some("a credential"))
    })
}

/// `scheme://user:password@host`.
fn has_password(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    host.rsplit_once('@').is_some_and(|(user, _)| user.split_once(':').is_some_and(|(_, password)| !password.is_empty()))
}

/// Letters of both cases and digits in no order.
fn is_chance(token: &str) -> bool {
    let has = |test: fn(&char) -> bool| token.chars().any(|c| test(&c));
    token.len() >= LONG
        && !token.contains('.')
        && has(char::is_ascii_lowercase)
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_digit)
        && entropy(token) >= CHANCE
}

/// Bits a character, by how often each occurs.
fn entropy(token: &str) -> f64 {
    let mut counts: BTreeMap<char, u32> = BTreeMap::new();
    for character in token.chars() {
        *counts.entry(character).or_default() += 1;
    }
    let total = token.chars().count() as f64;
    counts.values().map(|count| f64::from(*count) / total).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::credential;

    #[test]
    fn credentials_are_told_from_names() {
        for text in [
            concat!("AKIA", "IOSFODNN7EXAMPLE"),
            concat!("token ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"),
            "postgres://app:hunter2@db.example.org/app",
            "-----BEGIN RSA PRIVATE KEY-----",
            concat!("wJalrXUtnFEMIK7MDENG", "bPxRfiCYEXAMPLEKEY9x2"),
        ] {
            assert!(credential(text).is_some(), "{text}");
        }
        for text in [
            "kv/clinic/disk",
            "https://login.acme.example/realms/AI-Platform-2026",
            "arn:aws:kms:eu-north-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb",
            "task-force for risk-assessment",
            "Ubuntu-22.04-LTS-Kernel-6.8-CUDA-13-Driver-580",
        ] {
            assert_eq!(credential(text), None, "{text}");
        }
    }
}

//! Hostile input: no text changes the structure of an output or gets lost in it, and nothing makes the compiler panic,
//! run out of its stack or grow without bound.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aipc::base::diagnostic::{Diagnostic, Severity};
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::model::kinds::Kind;
use aipc::model::schema::{Format, Type};
use aipc::plan;
use aipc::target::files::Files;
use aipc::target::template::Templates;
use yaml_rust2::{Yaml, YamlLoader};

/// A platform with every output. `§` is a string, `¤` a part of a documentation line.
const EVERYTHING: &str = include_str!("hostile/everything.aip");

/// Texts that mean something to some reader of some output.
const PAYLOADS: &[&str] = &[
    "\"quotes\" and 'these' and \\ and \\\\ and \\\" and \\n",
    "${x} $${y} $$${z} %{if true} %%{w} $ % $$",
    "{{ x }} {% set a = 1 %} {# c #}",
    "# no comment",
    "a # b: c - d; e, f // g /* h */",
    "key: value",
    "- item",
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(1+1)",
    "'",
    "''quoted",
    "`$(id)` $(reboot) && || > /dev/null",
    "!!binary x",
    "&a *a",
    "---",
    "...",
    "\u{FEFF}mark",
    "emoji \u{1F680} e\u{301} \u{e9} \u{4e2d}\u{6587}",
    "</script><!-- ]]> &amp; &#10; <a b=\"c\">",
    "null",
    "on",
    "1e3",
    "0x1F",
    "2026-12-01",
    " blanks around ",
    "",
    "~",
    "| > ? % @ ` [x] {y}",
    "EOT",
    "_x000D_ _x0041_",
    "NodeName=evil Gres=gpu:1 \\",
    "a,b\",\"c",
    "\u{FF1D}wide",
    "\u{A0}\u{200B}\u{00AD}odd blanks\u{3000}",
];

/// A text as a string of the language.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_direction_mark(c) || c == '\u{FEFF}' => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out.replace("${", "$${")
}

fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The harmless text of a place.
fn marker(place: usize) -> String {
    format!("zq{place:03}x")
}

/// The platform with a text at each place.
fn everything(text: &dyn Fn(usize) -> String) -> String {
    let mut source = String::new();
    let mut place = 0;
    for c in EVERYTHING.chars() {
        match c {
            '§' => source.push_str(&literal(&text(place))),
            '¤' => {
                let _ = write!(source, "doc {} end", text(place));
            }
            c => {
                source.push(c);
                continue;
            }
        }
        place += 1;
    }
    source
}

/// What a package came to.
struct Outcome {
    files: Files,
    plan: String,
    digest: String,
    messages: Vec<String>,
}

/// The errors among problems.
fn errors<'d>(problems: impl Iterator<Item = &'d Diagnostic>) -> Vec<String> {
    let wrong = problems.filter(|problem| problem.severity == Severity::Error);
    wrong.map(|problem| format!("{}: {}", problem.code, problem.message)).collect()
}

fn outcome(source: &str) -> Outcome {
    let package = compile::parse(vec![(String::from("main.aip"), source.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let found = errors(compiled.problems.iter());
    let plan = compiled.plan.as_ref().unwrap_or_else(|| panic!("{found:#?}"));
    let (files, problems) = compile::emit(plan, &[], &Templates::shipped());
    let refused = errors(problems.iter());
    assert!(refused.is_empty(), "{refused:#?}");
    let messages = compiled.problems.iter().map(|problem| problem.message.clone());
    let reasons = compiled.waived.iter().map(|waived| waived.reason.to_string());
    Outcome {
        files,
        plan: plan::json::to_string(plan),
        digest: plan.digest.clone(),
        messages: messages.chain(reasons).collect(),
    }
}

/// A parsed output as a tree, whatever its format.
#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Text(String),
    Other(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

fn of_json(value: &serde_json::Value) -> Tree {
    match value {
        serde_json::Value::String(text) => Tree::Text(text.clone()),
        serde_json::Value::Array(items) => Tree::List(items.iter().map(of_json).collect()),
        serde_json::Value::Object(map) => {
            Tree::Map(map.iter().map(|(key, value)| (key.clone(), of_json(value))).collect())
        }
        other => Tree::Other(other.to_string()),
    }
}

fn of_yaml(value: &Yaml) -> Tree {
    match value {
        Yaml::String(text) => Tree::Text(text.clone()),
        Yaml::Array(items) => Tree::List(items.iter().map(of_yaml).collect()),
        Yaml::Hash(map) => Tree::Map(
            map.iter()
                .map(|(key, value)| (key.as_str().expect("keys are texts").to_string(), of_yaml(value)))
                .collect(),
        ),
        other => Tree::Other(format!("{other:?}")),
    }
}

/// The cells of RFC 4180, without the apostrophe that keeps a spreadsheet from running a text.
fn of_csv(text: &str) -> Tree {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut was_quoted) = (false, false);
    let mut chars = text.chars().peekable();
    let finish = |cell: &mut String, was_quoted: &mut bool| {
        let text = std::mem::take(cell);
        let guarded = std::mem::take(was_quoted).then(|| text.strip_prefix('\'').map(str::to_string)).flatten();
        assert!(guarded.is_some() || !text.trim_start().starts_with(['=', '+', '@']), "{text} runs");
        Tree::Text(guarded.unwrap_or(text))
    };
    while let Some(c) = chars.next() {
        match (c, quoted) {
            ('"', true) if chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            ('"', _) => (quoted, was_quoted) = (!quoted, true),
            (',', false) => row.push(finish(&mut cell, &mut was_quoted)),
            ('\n', false) => {
                row.push(finish(&mut cell, &mut was_quoted));
                rows.push(Tree::List(std::mem::take(&mut row)));
            }
            (c, _) => cell.push(c),
        }
    }
    assert!(!quoted && row.is_empty() && cell.is_empty(), "the file ends in a cell");
    Tree::List(rows)
}

/// The tokens of HCL: strings as texts, everything else as it stands, comments gone.
fn of_hcl(text: &str) -> Tree {
    let chars: Vec<char> = text.chars().collect();
    let (mut at, mut tokens, mut bare) = (0, Vec::new(), String::new());
    while let Some(&c) = chars.get(at) {
        match c {
            '#' => at += chars[at..].iter().take_while(|&&c| c != '\n').count(),
            '"' => {
                tokens.push(Tree::Other(std::mem::take(&mut bare)));
                let end = hcl_string(&chars, at);
                tokens.push(Tree::Text(hcl_text(&chars[at + 1..end - 1])));
                at = end;
            }
            c if c.is_whitespace() => at += 1,
            c => {
                bare.push(c);
                at += 1;
            }
        }
    }
    tokens.push(Tree::Other(bare));
    Tree::List(tokens)
}

/// Where the string that begins here ends.
fn hcl_string(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match (chars[at], chars.get(at + 1), chars.get(at + 2)) {
            ('"', ..) => return at + 1,
            ('\n', ..) => panic!("a string has no end on its line"),
            ('\\', ..) => at += 2,
            (a @ ('$' | '%'), Some(&b), Some('{')) if a == b => at += 3,
            ('$' | '%', Some('{'), _) => {
                at += 2;
                while chars[at] != '}' {
                    at = if chars[at] == '"' { hcl_string(chars, at) } else { at + 1 };
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// What a string means; templates stay as they are.
fn hcl_text(inner: &[char]) -> String {
    let (mut text, mut at) = (String::new(), 0);
    while let Some(&c) = inner.get(at) {
        match (c, inner.get(at + 1), inner.get(at + 2)) {
            ('$' | '%', Some(&next), Some('{')) if next == c => {
                text.extend([c, '{']);
                at += 3;
            }
            ('\\', Some('u'), _) => {
                let code: String = inner[at + 2..at + 6].iter().collect();
                let number = u32::from_str_radix(&code, 16).expect("four digits");
                text.push(char::from_u32(number).expect("a character"));
                at += 6;
            }
            ('\\', Some(&escape), _) => {
                text.push(match escape {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                });
                at += 2;
            }
            _ => {
                text.push(c);
                at += 1;
            }
        }
    }
    text
}

/// The lines of a Slurm file that are no comments, as the keys on each; batch scripts line by line.
fn of_lines(text: &str) -> Tree {
    let key = |word: &str| word.split_once('=').map_or(word, |(key, _)| key).to_string();
    let line = |line: &str| {
        let words = line.split(' ').filter(|word| !word.is_empty());
        Tree::List(words.map(|word| Tree::Other(key(word))).collect())
    };
    Tree::List(text.lines().filter(|text| !text.starts_with('#') || text.starts_with("#SBATCH")).map(line).collect())
}

/// A file as a tree; nothing for those that are no text of a known format.
fn parsed(path: &str, bytes: &[u8]) -> Option<Tree> {
    let text = || std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
    let end = path.rsplit('.').next().unwrap_or_default();
    Some(match end {
        "json" => of_json(&serde_json::from_str(text()).unwrap_or_else(|error| panic!("{path}: {error}"))),
        "yaml" => {
            let documents = YamlLoader::load_from_str(text()).unwrap_or_else(|error| panic!("{path}: {error}"));
            Tree::List(documents.iter().map(of_yaml).collect())
        }
        "csv" => of_csv(text()),
        "tf" | "example" => of_hcl(text()),
        "xlsx" => return None,
        "conf" | "cfg" | "sbatch" => of_lines(text()),
        other => panic!("{path}: nothing reads `.{other}`"),
    })
}

/// Holds a tree against the harmless one: the same but for the texts, and those whole.
fn compare(path: &str, calm: &Tree, wild: &Tree, texts: &BTreeMap<String, String>) {
    match (calm, wild) {
        (Tree::Text(calm), Tree::Text(wild)) => {
            let mut wanted = calm.clone();
            for (marker, text) in texts.iter().filter(|(marker, _)| calm.contains(marker.as_str())) {
                wanted = wanted.replace(marker, text);
            }
            assert!(wanted == *wild || is_slug(wild) && wanted != *calm, "{path}: {wanted:?} became {wild:?}");
        }
        // Without a text there is none.
        (Tree::Text(calm), Tree::Other(wild)) if wild == "null" => {
            assert_eq!(texts.get(calm).map(String::as_str), Some(""))
        }
        (Tree::Other(calm), Tree::Other(wild)) => assert_eq!(calm, wild, "{path}"),
        (Tree::List(calm), Tree::List(wild)) => {
            assert_eq!(calm.len(), wild.len(), "{path}: {calm:#?}\n{wild:#?}");
            calm.iter()
                .zip(wild)
                .enumerate()
                .for_each(|(at, (calm, wild))| compare(&format!("{path}/{at}"), calm, wild, texts));
        }
        (Tree::Map(calm), Tree::Map(wild)) => {
            // A label that cannot hold the text is left out; the annotation has it.
            let lost = |(key, value): &(String, Tree)| {
                path.ends_with("labels")
                    && matches!(value, Tree::Text(text) if texts.contains_key(text))
                    && !has(wild, key)
            };
            let calm: Vec<_> = calm.iter().filter(|entry| !lost(entry)).cloned().collect();
            let keys = |map: &[(String, Tree)]| map.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
            assert_eq!(keys(&calm), keys(wild), "{path}");
            calm.iter()
                .zip(wild)
                .for_each(|((key, calm), (_, wild))| compare(&format!("{path}/{key}"), calm, wild, texts));
        }
        _ => panic!("{path}: {calm:?} became {wild:?}"),
    }
}

fn has(map: &[(String, Tree)], key: &str) -> bool {
    map.iter().any(|(known, _)| known == key)
}

/// The same for tokens of Terraform, where slugs of texts are keys and decide the order of entries.
fn compare_unordered(path: &str, calm: &[Tree], wild: &[Tree], texts: &BTreeMap<String, String>) {
    let bare = |tokens: &[Tree]| {
        let mut bare: Vec<String> = tokens
            .iter()
            .filter_map(|token| if let Tree::Other(text) = token { Some(text.clone()) } else { None })
            .collect();
        bare.sort();
        bare
    };
    assert_eq!(bare(calm), bare(wild), "{path}");
    let strings = |tokens: &[Tree]| -> Vec<String> {
        tokens.iter().filter_map(|token| if let Tree::Text(text) = token { Some(text.clone()) } else { None }).collect()
    };
    let wild = strings(wild);
    for calm in strings(calm) {
        let mut wanted = calm.clone();
        for (marker, text) in texts.iter().filter(|(marker, _)| calm.contains(marker.as_str())) {
            wanted = wanted.replace(marker, text);
        }
        // NetBox has short fields, AWS takes few characters in tags; a slug stands for the rest.
        let legal = |c: char| c.is_alphanumeric() || " +-=._:/@".contains(c);
        let fits = wanted.chars().count() <= 64 && (!path.contains("aws-") || wanted.chars().all(legal));
        assert!(
            wanted == calm || !fits || wild.contains(&wanted),
            "{path}: {calm:?} should be {wanted:?} in {wild:#?}"
        );
    }
}

/// What stands for a text where the output takes no other: a label of Kubernetes or a tag of AWS with a digest.
fn is_slug(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !text.is_empty() && text.len() <= 63 && text.chars().all(legal)
}

#[test]
fn texts_come_back_whole_from_every_output() {
    let calm = outcome(&everything(&marker));
    let count = EVERYTHING.matches(['§', '¤']).count();
    for round in 0..4 {
        let text = |place: usize| {
            let index = place * 7 + round * 5 + place / PAYLOADS.len();
            if place % 29 == round {
                "long ".repeat(2_000) + "end"
            } else {
                PAYLOADS[index % PAYLOADS.len()].to_string()
            }
        };
        let wild = outcome(&everything(&text));
        let mut texts: BTreeMap<String, String> = (0..count).map(|place| (marker(place), text(place))).collect();
        texts.insert(calm.digest.clone(), wild.digest.clone());
        let paths = |outcome: &Outcome| outcome.files.iter().map(|(path, _)| path.to_string()).collect::<Vec<_>>();
        assert_eq!(paths(&calm), paths(&wild));
        for ((path, calm), (_, wild)) in calm.files.iter().zip(wild.files.iter()) {
            match (parsed(path, &calm.bytes), parsed(path, &wild.bytes)) {
                (Some(Tree::List(calm)), Some(Tree::List(wild))) if path.ends_with(".tf") => {
                    compare_unordered(path, &calm, &wild, &texts);
                }
                (Some(calm), Some(wild)) => compare(path, &calm, &wild, &texts),
                _ => {}
            }
        }
        let json = |outcome: &Outcome| of_json(&serde_json::from_str(&outcome.plan).expect("the plan is JSON"));
        compare("plan.json", &json(&calm), &json(&wild), &texts);
        said_whole(&calm.messages, &wild.messages, &texts);
    }
}

/// Messages of checks and reasons of waivers reach people whole.
fn said_whole(calm: &[String], wild: &[String], texts: &BTreeMap<String, String>) {
    let own = calm.iter().filter(|said| texts.contains_key(*said));
    let missing: Vec<_> = own.map(|said| &texts[said]).filter(|text| !wild.contains(*text)).collect();
    assert!(missing.is_empty(), "{missing:?} is not among {wild:#?}");
}

#[test]
fn every_text_of_the_language_has_a_place() {
    let source = everything(&marker);
    let package = compile::parse(vec![(String::from("main.aip"), source)], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let written = |kind: Kind, attribute: &str| {
        let values = compiled.model.blocks_of(kind).iter().map(|&id| compiled.model.value(id, attribute));
        values.map(|value| format!("{value:?}")).any(|value| value.contains("zq"))
    };
    // The words of a program that a place must not change, and what no block of the model shows.
    let apart = [("gpu", "slurm_type"), ("gpu", "k8s_product"), ("environment", "title")];
    for schema in Kind::ALL.iter().map(|kind| kind.schema()) {
        for attribute in schema.attributes.iter().filter(|attribute| takes_text(&attribute.ty)) {
            let known = apart.contains(&(schema.word, attribute.name)) || written(schema.kind, attribute.name);
            assert!(known, "no `§` is in `{}.{}` of everything.aip", schema.word, attribute.name);
        }
    }
}

fn takes_text(ty: &Type) -> bool {
    match ty {
        Type::Text(format) => matches!(format, Format::Line | Format::Prose),
        Type::List(inner) | Type::Range(inner) => takes_text(inner),
        Type::Tagged(_, types) | Type::Either(types) => types.iter().any(takes_text),
        Type::Map => true,
        _ => false,
    }
}

#[test]
fn what_no_text_may_hold_is_refused_wherever_it_stands() {
    let count = EVERYTHING.matches('§').count();
    for hostile in
        ["a\u{0}b", "a\u{1}pool.x\u{2}", "a\u{1b}[31m", "a\u{202e}b", "a\u{2066}b", "a\u{200f}b", "a\u{2028}b"]
    {
        let source = EVERYTHING.replace('§', &format!("\"{hostile}\"")).replace('¤', "doc");
        let package = compile::parse(vec![(String::from("main.aip"), source)], &[]);
        let (options, catalogue) = (Options::default(), Catalogue::new());
        let compiled = compile::check(&package, &options, &catalogue);
        let found: Vec<u16> = compiled.problems.iter().map(|problem| problem.code.0).collect();
        let refused = found.iter().filter(|&&code| code == 2009).count();
        assert_eq!((refused, compiled.plan.is_none()), (count - 2, true), "{hostile}: {found:?}");
    }
}

#[test]
fn a_line_break_is_refused_where_there_is_one_line() {
    let source = EVERYTHING.replace('§', "\"a\\nb\"").replace('¤', "doc");
    let package = compile::parse(vec![(String::from("main.aip"), source)], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let refused = compiled.problems.iter().filter(|problem| problem.code.0 == 2009).count();
    // The messages of a `check` and a `rule` and the reason of a waiver may have lines.
    assert_eq!(refused, EVERYTHING.matches('§').count() - 3);
}

//! Hostile input: no text changes the structure of an output or gets lost in it, and nothing makes the compiler panic,
//! run out of its stack or grow without bound.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aipc::base::diagnostic::{Diagnostic, Severity};
use aipc::base::unit::Dimension;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::model::kinds::Kind;
use aipc::model::schema::{Format, Group, KindSchema, Mode, SubShape, Type};
use aipc::plan;
use aipc::target::files::Files;
use aipc::target::template::Templates;
use yaml_rust2::{Yaml, YamlLoader};

#[path = "support/xml.rs"]
#[allow(dead_code, reason = "each test uses its part of the reader")]
mod xml;

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
    let (files, problems) = compile::emit(plan, compiled.judged(), &[], &Templates::shipped());
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

/// The lines of a Slurm file or script that are no comments, as the keys on each.
fn of_lines(text: &str) -> Tree {
    let key = |word: &str| word.split_once('=').map_or(word, |(key, _)| key).to_string();
    let line = |line: &str| {
        let words = line.split(' ').filter(|word| !word.is_empty());
        Tree::List(words.map(|word| Tree::Other(key(word))).collect())
    };
    let comment = |text: &str| ["#", "-- ", "<!-- "].iter().any(|start| text.starts_with(start));
    Tree::List(text.lines().filter(|text| !comment(text) || text.starts_with("#SBATCH")).map(line).collect())
}

/// The shape of every element (its name and those of its attributes), and every text and value that says something.
fn of_xml(root: &xml::Node) -> Tree {
    let mut parts = Vec::new();
    for node in root.elements() {
        let xml::Node::Element(name, attributes, children) = node else { continue };
        let names: Vec<&str> = attributes.iter().map(|(name, _)| name.as_str()).collect();
        parts.push(Tree::Other(format!("{name} {}", names.join(" "))));
        let texts = children.iter().filter(|child| matches!(child, xml::Node::Text(_))).map(xml::Node::text);
        let said = texts.chain(attributes.iter().map(|(_, value)| value.clone()));
        parts.extend(said.filter(|text| !text.trim().is_empty()).map(Tree::Text));
    }
    Tree::List(parts)
}

/// The same for pages and pictures, which leave out what is empty: nothing new has a shape that the harmless one does
/// not have, what is a script or a link to elsewhere least of all, and every text is there.
fn compare_page(path: &str, calm: &[Tree], wild: &[Tree], texts: &BTreeMap<String, String>) {
    let of = |tokens: &[Tree]| {
        let (mut shapes, mut said) = (BTreeMap::<String, usize>::new(), Vec::new());
        for token in tokens {
            match token {
                Tree::Other(shape) => *shapes.entry(shape.clone()).or_default() += 1,
                Tree::Text(text) => said.push(text.clone()),
                _ => {}
            }
        }
        (shapes, said)
    };
    let ((calm_shapes, calm), (wild_shapes, wild)) = (of(calm), of(wild));
    for (shape, count) in &wild_shapes {
        let most = calm_shapes.get(shape).copied().unwrap_or_default();
        assert!(*count <= most, "{path}: {count} of `{shape}`, where the harmless one has {most}");
    }
    for shape in ["tr ", "table ", "section id", "title ", "rect "] {
        assert_eq!(calm_shapes.get(shape), wild_shapes.get(shape), "{path}: {shape}");
    }
    for text in calm.iter().filter(|text| texts.keys().any(|marker| text.contains(marker.as_str()))) {
        let mut wanted = text.clone();
        for (marker, text) in texts {
            wanted = wanted.replace(marker, text);
        }
        let empty = wanted.trim().is_empty()
            || texts.iter().any(|(marker, with)| text.contains(marker.as_str()) && with.is_empty());
        assert!(empty || wild.contains(&wanted), "{path}: {text:?} should be {wanted:?}");
    }
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
        "html" | "svg" => of_xml(&xml::read(text()).unwrap_or_else(|error| panic!("{path}: {error}"))),
        "xlsx" => return None,
        "conf" | "cfg" | "sbatch" | "sh" | "lua" | "md" => of_lines(text()),
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
        texts.insert(serial_number(&calm.files), serial_number(&wild.files));
        let paths = |outcome: &Outcome| outcome.files.iter().map(|(path, _)| path.to_string()).collect::<Vec<_>>();
        assert_eq!(paths(&calm), paths(&wild));
        for ((path, calm), (_, wild)) in calm.files.iter().zip(wild.files.iter()) {
            match (parsed(path, &calm.bytes), parsed(path, &wild.bytes)) {
                (Some(Tree::List(calm)), Some(Tree::List(wild))) if path.ends_with(".tf") => {
                    compare_unordered(path, &calm, &wild, &texts);
                }
                (Some(Tree::List(calm)), Some(Tree::List(wild)))
                    if path.ends_with(".html") || path.ends_with(".svg") =>
                {
                    compare_page(path, &calm, &wild, &texts);
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

/// The number of the hardware bill, which is made of the digest.
fn serial_number(files: &Files) -> String {
    let file = files.get("bom/bom.cdx.json").expect("it is written");
    let json: serde_json::Value = serde_json::from_slice(&file.bytes).expect("JSON");
    json["serialNumber"].as_str().expect("a text").to_string()
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
        let values = compiled.model.all_blocks().filter(|(_, block)| block.kind == kind);
        let values = values.map(|(id, _)| compiled.model.value(id, attribute));
        values.map(|value| format!("{value:?}")).any(|value| value.contains("zq"))
    };
    // The words of a program that a place must not change, names of hosts, and what no block of the model shows.
    let apart = [
        ("gpu", "slurm_type"),
        ("gpu", "k8s_product"),
        ("environment", "title"),
        ("pool", "mig"),
        ("pool", "node_names"),
        ("key", "value"),
        ("param", "placeholder"),
        ("patch", "remove"),
        ("cgroup", "remove"),
        ("slurmdbd", "remove"),
    ];
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
    // The messages of a `check` and a `rule` and the reason of a waiver may have lines; a list is refused once.
    assert_eq!(refused, EVERYTHING.matches('§').count() - 4);
}

/// Compiles whatever it is given as far as it goes, twice, and holds the compiler's promises against the outcome. Says
/// whether it came to files.
fn survives(source: &str) -> bool {
    let first = described(source);
    assert_eq!(first, described(source), "{source}");
    first.contains("\u{0}files\u{0}")
}

/// Everything that compiling a text says and writes.
fn described(source: &str) -> String {
    let package = compile::parse(vec![(String::from("main.aip"), source.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let mut all = String::new();
    for problem in compiled.problems.iter() {
        for label in problem.labels.iter().filter(|label| !label.span.is_detached()) {
            let place =
                package.sources.get(label.span.source().expect("an attached place")).map(|source| &*source.text);
            let text = place.and_then(|text| text.get(label.span.start()..label.span.end()));
            assert!(text.is_some(), "{problem:?} has no such place\n{source}");
        }
        let _ = writeln!(all, "{problem:?}");
    }
    let Some(plan) = &compiled.plan else { return all };
    all.push_str(&plan::json::to_string(plan));
    let (files, problems) = compile::emit(plan, compiled.judged(), &[], &Templates::shipped());
    for (path, file) in files.iter() {
        let _ = write!(all, "\u{0}files\u{0}{path} {}", String::from_utf8_lossy(&file.bytes));
    }
    for problem in problems.iter() {
        let _ = writeln!(all, "{problem:?}");
        assert_ne!(problem.code.0, 6001, "{problem:?}\n{source}");
    }
    all
}

/// Numbers that break formulas.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "0.000000001",
    "0.5",
    "1.000001",
    "64",
    "65_537",
    "999_999",
    "4_294_967_297",
    "1_000_000_000_000",
    "1_000_000_000_000_000_000",
    "79_228_162_514_264_337_593",
];

/// A stream of numbers that a seed decides.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % sides.max(1) as u64).expect("below the number of sides")
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }
}

/// Where the numbers of a text are, outside of strings and names.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut quoted) = (Vec::new(), 0, false);
    while at < bytes.len() {
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        quoted ^= bytes[at] == b'"';
        if !quoted && bytes[at].is_ascii_digit() && !before.is_ascii_alphanumeric() && !b"-_.".contains(&before) {
            let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit() || b"_".contains(byte)).count();
            found.push((at, end));
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

/// A package with some of its numbers replaced.
fn with_other_numbers(text: &str, dice: &mut Dice) -> String {
    let places = numbers(text);
    let mut chosen: Vec<(usize, usize)> = (0..1 + dice.roll(3)).map(|_| *dice.pick(&places)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let mut source = text.to_string();
    for (start, end) in chosen.into_iter().rev() {
        source.replace_range(start..end, dice.pick::<&str>(NUMBERS));
    }
    source
}

/// A package of every kind, each attribute written or not, of its type or nearly.
fn any_package(dice: &mut Dice) -> String {
    let mut source = String::from("platform p { currency = EUR, owner = \"a@b.example\", as_of = 2026-12-01 }\n");
    let apart = ["platform", "let", "environment", "check", "rule", "param"];
    for schema in Kind::ALL.iter().map(|kind| kind.schema()) {
        if schema.group == Group::Sub || apart.contains(&schema.word) {
            continue;
        }
        for name in ["a", "b"] {
            let _ = writeln!(source, "{} {name} {{", schema.word);
            items(schema, dice, &mut source);
            source.push_str("}\n");
        }
    }
    source
}

fn items(schema: &KindSchema, dice: &mut Dice, source: &mut String) {
    let labelled = schema.word == "price";
    for attribute in schema.attributes.iter().filter(|row| !(labelled && row.name == "of")) {
        let refers = matches!(attribute.ty, Type::Ref(_) | Type::List(Type::Ref(_)) | Type::Either(_));
        if attribute.mode == Mode::Required || dice.roll(if refers { 12 } else { 3 }) == 0 {
            let open = attribute.mode == Mode::Setting && dice.roll(4) == 0;
            let value = if open {
                dice.pick(&["auto", "tbd(\"a\")", "tbd(\"b\")", "tbd(\"c\")", "tbd(\"d\")", "tbd(\"e\")"]).to_string()
            } else {
                value(&attribute.ty, dice)
            };
            let _ = writeln!(source, "  {} = {value}", attribute.name);
        }
    }
    for sub in schema.blocks {
        if dice.roll(2) == 0 && sub.word != "partition" {
            continue;
        }
        let label = match sub.shape {
            SubShape::Single => "",
            SubShape::Named => "x ",
            SubShape::Addressed => "server.a ",
            SubShape::Keyed => {
                let _ = writeln!(source, "    MaxJobCount = {}", literal(dice.pick::<&str>(PAYLOADS)));
                continue;
            }
        };
        let _ = writeln!(source, "  {} {label}{{", sub.word);
        items(sub.kind.schema(), dice, source);
        source.push_str("  }\n");
    }
}

/// A value of a type.
fn value(ty: &Type, dice: &mut Dice) -> String {
    let number = |dice: &mut Dice| {
        if dice.roll(3) == 0 {
            dice.pick(&NUMBERS[..NUMBERS.len() - 1]).to_string()
        } else {
            format!("{}", 1 + dice.roll(64))
        }
    };
    match ty {
        Type::Bool => dice.pick(&["true", "false"]).to_string(),
        Type::Int => number(dice).replace('.', ""),
        Type::Number | Type::Any => number(dice),
        Type::Text(Format::Line | Format::Prose) => literal(dice.pick::<&str>(PAYLOADS)),
        Type::Text(Format::Cidr) => {
            dice.pick(&["\"10.20.0.0/22\"", "\"0.0.0.0/0\"", "\"10.1.2.3/32\"", "\"fd00::/8\""]).to_string()
        }
        Type::Text(Format::Version) => dice.pick(&["\"25.11\"", "\"1.35\"", "\"0\"", "\"580.95.05\""]).to_string(),
        Type::Text(Format::Region) => String::from("\"eu-north-1\""),
        Type::Text(Format::Url) => String::from("\"https://a.example/x?y=1\""),
        Type::Date => dice.pick(&["2026-12-01", "0001-01-01", "9999-12-31"]).to_string(),
        Type::Ratio => dice.pick(&["1:1", "2:1", "1:1000000", "1000000:1", "0:1", "1.5:1"]).to_string(),
        Type::Quantity(dimension) => quantity(dimension, &number(dice), dice),
        Type::Word(words) => dice.pick(words).to_string(),
        Type::Country => String::from("DE"),
        Type::Currency => dice.pick(&["EUR", "USD"]).to_string(),
        Type::Ref(kinds) => reference(kinds, dice),
        Type::Part(kinds) => format!("{} * {}", number(dice).replace('.', ""), reference(kinds, dice)),
        Type::Range(inner) => value(inner, dice),
        Type::List(inner) => {
            let items: Vec<String> = (0..dice.roll(3)).map(|_| value(inner, dice)).collect();
            format!("[{}]", items.join(", "))
        }
        Type::Map => String::from("{ a = \"b\" }"),
        Type::Tagged(tag, types) => {
            let arguments: Vec<String> = types.iter().map(|ty| value(ty, dice)).collect();
            format!("{tag}({})", arguments.join(", "))
        }
        Type::Either(types) => value(dice.pick(types), dice),
        Type::Expression => String::from("true"),
    }
}

fn reference(kinds: &[&str], dice: &mut Dice) -> String {
    let kind = if kinds.is_empty() { "site" } else { *dice.pick(kinds) };
    let entries: Vec<&str> = Catalogue::new().ids(kind).collect();
    match entries.as_slice() {
        [] if kind == "partition" => String::from("cluster.a.partition.x"),
        [] => format!("{kind}.{}", dice.pick(&["a", "b"])),
        _ if dice.roll(4) == 0 => format!("{kind}.{}", dice.pick(&["a", "b"])),
        entries => format!("catalog.{kind}.{}", dice.pick(entries)),
    }
}

fn quantity(dimension: &Dimension, number: &str, dice: &mut Dice) -> String {
    const UNITS: &[&str] = &[
        "B", "GB", "PiB", "Gbps", "GB/s", "s", "ms", "years", "h", "W", "kW", "MW", "m", "kg", "U", "tok", "tok/s",
        "req/s", "/month", "/s", "TFLOP/s", "EUR", "EUR/h", "EUR/year", "EUR/kWh", "g/kWh", "A", "V",
    ];
    let fitting: Vec<&&str> = UNITS
        .iter()
        .filter(|unit| aipc::base::unit::parse(unit).is_ok_and(|unit| unit.dimension.fits(dimension)))
        .collect();
    assert!(!fitting.is_empty(), "no unit has {}", dimension.name());
    let unit = **dice.pick(&fitting);
    if unit.starts_with('/') { format!("{number}{unit}") } else { format!("{number} {unit}") }
}

/// How many packages are tried; more with `AIPC_HOSTILE_ROUNDS`.
fn rounds(usual: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("AIPC_HOSTILE_ROUNDS").ok().and_then(|text| text.parse().ok());
    0..asked.unwrap_or(usual)
}

#[test]
fn no_number_breaks_a_platform() {
    let mut packages = vec![everything(&marker)];
    for example in ["aurora", "clinic-chat", "superpod"] {
        packages.push(std::fs::read_to_string(format!("examples/{example}/main.aip")).expect("an example"));
    }
    let mut came_through = 0;
    for seed in rounds(12) {
        let mut dice = Dice(seed);
        let package: &String = dice.pick(&packages);
        let source = with_other_numbers(package, &mut dice);
        came_through += usize::from(survives(&source));
    }
    assert!(came_through > 5, "only {came_through} packages came to files");
}

#[test]
fn no_package_of_the_schema_breaks_the_compiler() {
    for seed in rounds(30) {
        survives(&any_package(&mut Dice(seed)));
    }
}

/// The platform with every name as long as the language allows.
fn with_long_names(source: &str) -> String {
    let mut long = source.to_string();
    for line in source.lines() {
        let words: Vec<&str> = line.split_whitespace().take(3).collect();
        let [kind, name, "{" | "for"] = words.as_slice() else { continue };
        // Names of products and of targets are not ours to choose.
        if ["price", "patch"].contains(kind) {
            continue;
        }
        let longer = format!("{name}-{}", "x".repeat(39 - name.len()));
        long = long.replace(&format!("{kind} {name} "), &format!("{kind} {longer} "));
        for end in [",", "]", " ", "\n", ".partition", ".title", ".owner"] {
            long = long.replace(&format!("{kind}.{name}{end}"), &format!("{kind}.{longer}{end}"));
        }
    }
    long
}

#[test]
fn the_longest_names_are_legal_in_every_manifest() {
    let long = outcome(&with_long_names(&everything(&marker)));
    assert!(long.plan.contains(&format!("near-{}", "x".repeat(35))), "names became longer");
    for (path, file) in long.files.iter().filter(|(path, _)| path.ends_with(".yaml") && path.starts_with("kubernetes"))
    {
        let text = std::str::from_utf8(&file.bytes).expect("a text");
        for document in YamlLoader::load_from_str(text).expect("YAML") {
            legal_names(path, &document);
        }
    }
}

/// Names, labels and ports of an object and of what stands in it, by the limits of Kubernetes.
fn legal_names(path: &str, value: &Yaml) {
    match value {
        Yaml::Array(items) => items.iter().for_each(|item| legal_names(path, item)),
        Yaml::Hash(map) => {
            for (key, value) in map {
                let (key, text) = (key.as_str().unwrap_or_default(), value.as_str().unwrap_or_default());
                let most = match key {
                    "namespace" | "serviceAccountName" | "claimName" | "storageClassName" | "priorityClassName" => 63,
                    "name" if path.ends_with("#ports") => 15,
                    "name" => 63,
                    _ => usize::MAX,
                };
                assert!(text.len() <= most, "{path}: `{key}: {text}` has {} characters", text.len());
                if matches!(key, "labels" | "matchLabels") {
                    let labels = value.as_hash().into_iter().flatten();
                    labels
                        .filter_map(|(_, label)| label.as_str())
                        .for_each(|label| assert!(label.len() <= 63, "{path}: {label}"));
                }
                let inner =
                    if key == "ports" { format!("{path}#ports") } else { path.trim_end_matches("#ports").to_string() };
                legal_names(&inner, value);
            }
        }
        _ => {}
    }
}

#[test]
fn little_text_cannot_ask_for_much() {
    let doubled = |first: &str, next: &str| {
        let mut lets = format!("a0 = {first}\n");
        for step in 0..60 {
            let _ = writeln!(lets, "a{} = {}", step + 1, next.replace('@', &format!("let.a{step}")));
        }
        format!("let {{\n{lets}}}")
    };
    for greedy in [
        String::from("let { a = [for a in 1..1000 : [for b in 1..1000 : [for c in 1..1000 : 1]]] }"),
        String::from("let { a = [for a in 1..90000 : a], b = [for a in 1..90000 : a in let.a] }"),
        String::from("let { a = [for a in 1..100000 : \"x\"], b = [for a in 1..100000 : join(let.a, \"long text\")] }"),
        String::from("site s for a in 1..100000 { provider = on-prem, country = DE }"),
        String::from("check c { assert = len([for a in 1..9999 : [for b in 1..9999 : b]]) == 1, message = \"m\" }"),
        doubled("\"0123456789\"", "@ + @"),
        doubled("\"0123456789\"", "\"${@}${@}\""),
        doubled("\"0123456789\"", "join([@, @], @)"),
        doubled("\"0123456789\"", "format(\"{}{}{}\", @, @, @)"),
        doubled("[1, 2]", "@ + @"),
        doubled("[1, 2]", "[@, @]"),
        doubled("[1, 2]", "{ a = @, b = @ }"),
    ] {
        let source = format!("platform p {{ currency = EUR }}\n{greedy}\n");
        let package = compile::parse(vec![(String::from("main.aip"), source)], &[]);
        let (options, catalogue) = (Options::default(), Catalogue::new());
        let compiled = compile::check(&package, &options, &catalogue);
        let said = compiled.problems.iter().filter(|problem| problem.code.0 == 1026).count();
        assert_eq!(said, 1, "{greedy}: {:?}", errors(compiled.problems.iter()));
    }
}

#[test]
fn texts_without_sense_are_refused() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(10_000), close.repeat(10_000));
    let lets = |count: usize, last: &str| {
        let chain: String = (0..count).map(|step| format!("a{step} = let.a{}\n", step + 1)).collect();
        format!("platform p {{ currency = EUR }}\nlet {{\n{chain}a{count} = {last}\n}}\n")
    };
    let mut texts =
        vec![String::new(), String::from("\u{FEFF}"), String::from("\r\n\r"), lets(10_000, "1"), lets(400, "let.a0")];
    for unit in [
        "[", "]", "\"", "\"\"\"", "{", "}", "(", "-", "not ", "a.", "a {\n", "${", "\"${", "##\n", "@a(", "{}", "1 ? ",
        ",", "\u{0}",
    ] {
        texts.push(unit.repeat(20_000));
        texts.push(format!("platform p {{ currency = EUR }}\nlet {{ a = {} }}\n", unit.repeat(20_000)));
    }
    texts.extend([deep("a {\n", "}\n"), deep("[", "]"), deep("(", ")"), deep("\"${", "}\"")]);
    texts.push(String::from("platform p { currency = EUR }\nmodel m { base = model.m }\nmodel a { base = model.b }\nmodel b { base = model.a }\n"));
    texts.push((0..2_000).map(|number| format!("pool p{number} {{ site = site.q{number} }}\n")).collect());
    let mut dice = Dice(1);
    let tokens = [
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "\"",
        "${",
        "for ",
        "x in ",
        "if ",
        "not ",
        "-",
        "a.b ",
        "pool ",
        "= ",
        "1 ",
        "..",
        ":",
        "?",
        ",",
        "\n",
        "@allow",
        "##",
        "set ",
        "\\u{",
        "\u{1F680}",
    ];
    texts.push((0..20_000).map(|_| *dice.pick(&tokens)).collect());
    texts.push(
        (0..20_000).map(|_| char::from_u32(u32::try_from(dice.roll(0xD7FF)).unwrap_or(0)).unwrap_or('x')).collect(),
    );
    // The stack that a program starts with; the threads of tests have a quarter of it.
    let work = move || texts.iter().for_each(|text| assert!(!described(text).contains("\u{0}files"), "it makes sense"));
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(work).expect("a thread");
    thread.join().expect("no text breaks the compiler");
}

/// The texts of a workbook's cells, sheet by sheet as they are stored; every part of it must be XML.
const WORKBOOK_READER: &str = r"
import json, re, sys, zipfile
from xml.etree import ElementTree
book = zipfile.ZipFile(sys.argv[1])
parts = {n: ElementTree.fromstring(book.read(n)) for n in book.namelist() if n.endswith(('.xml', '.rels'))}
space = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
meant = lambda text: re.sub('_x([0-9A-Fa-f]{4})_', lambda found: chr(int(found[1], 16)), text)
strings = [meant(''.join(t.text or '' for t in item.iter(space + 't'))) for item in parts['xl/sharedStrings.xml']]
formulas = [n for n, part in parts.items() if 'worksheets/' in n for f in part.iter(space + 'f')]
print(json.dumps({'strings': strings, 'formulas': formulas}))
";

fn workbook(name: &str, files: &Files) -> Option<(Vec<String>, usize)> {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, &files.get("bom/bom.xlsx").expect("it is written").bytes).expect("a file of the build");
    let done = std::process::Command::new("python3").args(["-c", WORKBOOK_READER]).arg(&path).output().ok()?;
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let read: serde_json::Value = serde_json::from_slice(&done.stdout).expect("the reader writes JSON");
    let strings = read["strings"].as_array().expect("a list").iter();
    Some((
        strings.map(|text| text.as_str().expect("a text").to_string()).collect(),
        read["formulas"].as_array().expect("a list").len(),
    ))
}

#[test]
#[expect(clippy::print_stdout, reason = "a skipped check is said aloud")]
fn texts_come_back_whole_from_the_workbook() {
    let text = |place: usize| PAYLOADS[(place * 5 + 3) % PAYLOADS.len()].to_string();
    let (calm, wild) = (outcome(&everything(&marker)).files, outcome(&everything(&text)).files);
    let books = workbook("hostile-calm.xlsx", &calm).zip(workbook("hostile-wild.xlsx", &wild));
    let Some(((calm, formulas), (wild, same_formulas))) = books else {
        assert!(std::env::var_os("AIPC_REQUIRE_TOOLS").is_none(), "a tool is missing: python3");
        return println!("skipped: no python3");
    };
    assert_eq!(formulas, same_formulas, "a text became a formula or took one away");
    for place in (0..EVERYTHING.matches(['§', '¤']).count()).filter(|place| calm.contains(&marker(*place))) {
        let wanted = text(place);
        assert!(wanted.is_empty() || wild.contains(&wanted), "{wanted:?} is not in the workbook");
    }
}

#[test]
fn what_slurm_cannot_carry_is_refused() {
    let own =
        everything(&marker).replace("gpus           = [8 * catalog.gpu.h200-sxm]", "gpus           = [8 * gpu.own]");
    for text in PAYLOADS.iter().filter(|text| !text.is_empty()) {
        let source = own.replace("slurm_type   = \"h200\"", &format!("slurm_type   = {}", literal(text)));
        let vendor = source.find("gpu own {").expect("the GPU");
        let (before, after) = source.split_at(vendor);
        let quote = after.find('"').expect("its vendor");
        let source = format!("{before}{}\"NVIDIA\"{}", &after[..quote], &after[quote + marker(0).len() + 2..]);
        let package = compile::parse(vec![(String::from("main.aip"), source)], &[]);
        let (options, catalogue) = (Options::default(), Catalogue::new());
        let compiled = compile::check(&package, &options, &catalogue);
        let plan = compiled.plan.as_ref().unwrap_or_else(|| panic!("{:#?}", errors(compiled.problems.iter())));
        let (files, problems) = compile::emit(plan, compiled.judged(), &[String::from("slurm")], &Templates::shipped());
        let said = errors(problems.iter());
        let token = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        assert!(token || said.iter().any(|said| said.starts_with("AIP6002")) && files.is_empty(), "{text:?}: {said:?}");
    }
}

#[test]
fn large_numbers_name_blocks() {
    let source = "platform p { currency = EUR }\nsite s for n in 9999..10001 { provider = on-prem, country = DE }\n";
    let package = compile::parse(vec![(String::from("main.aip"), source.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    assert_eq!(errors(compiled.problems.iter()), Vec::<String>::new());
    assert!(compiled.model.find(Kind::Site, "s-10001").is_some());
}

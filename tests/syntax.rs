//! Parsing and formatting as a whole: the examples, hostile input, many mistakes in one file, and random files.

use std::fs;
use std::path::PathBuf;

use aipc::base::diagnostic::Diagnostics;
use aipc::base::span::{SourceId, Span};
use aipc::fmt::format;
use aipc::syntax::ast::{Block, File, Item};
use aipc::syntax::shape::shape;
use aipc::syntax::{MAX_SOURCE, parse, parse_expression, parse_on, parse_setting};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use proptest::test_runner::{Config, TestCaseError};

const SOURCE: SourceId = SourceId(0);

/// How many syntax errors of a file are shown, the one that says there are more included.
const MOST: usize = 21;

/// The three examples.
fn examples() -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    let read = |name: &str| {
        let path = folder.join(name).join("main.aip");
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    ["aurora", "clinic-chat", "superpod"].map(read).to_vec()
}

fn messages(found: &Diagnostics) -> Vec<String> {
    found.iter().map(|problem| format!("{} {}", problem.code, problem.message)).collect()
}

// ---- the examples

#[test]
fn the_examples_are_canonical() {
    for text in examples() {
        let formatted = format(SOURCE, &text).unwrap_or_else(|found| panic!("{:#?}", messages(&found)));
        assert!(formatted == text, "formatting changes an example:\n{formatted}");
    }
}

#[test]
fn lines_that_are_kept_for_their_comments_lose_the_blanks_at_their_ends() {
    check_format("pool a {\n  x = [for x in 3 \n: (80  # c\t \n)]\n}\n").unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn an_example_without_its_layout_gets_it_back() {
    for text in examples() {
        let flat: String = text.lines().map(|line| line.trim_start().replace("  ", " ") + "\r\n").collect();
        let formatted = format(SOURCE, &flat).unwrap_or_else(|found| panic!("{:#?}", messages(&found)));
        assert!(formatted == text, "the layout is not restored:\n{formatted}");
    }
}

#[test]
fn the_result_is_the_same_on_every_number_of_threads() {
    let text = examples().join("\n").repeat(3).replace("nodes  = 127", "nodes  : 127");
    let (file, found) = parse_on(1, SOURCE, &text);
    for threads in [2, 3, 7] {
        let (other_file, other_found) = parse_on(threads, SOURCE, &text);
        assert_eq!(shape(&text, &file), shape(&text, &other_file));
        assert_eq!(messages(&found), messages(&other_found));
    }
    assert_eq!(found.len(), 3);
}

// ---- mistakes

/// Parses a source with `^` lines below the places where problems are expected, each with its message.
fn check_mistakes(marked: &str) {
    let mut text = String::new();
    let mut expected = Vec::new();
    let mut line_start = 0;
    for line in marked.lines() {
        match line.trim_start().strip_prefix("^ ") {
            Some(message) => expected.push((line_start + line.len() - line.trim_start().len(), message.to_owned())),
            None => {
                line_start = text.len();
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    let (_, found) = parse(SOURCE, &text);
    let found: Vec<(usize, String)> =
        found.iter().map(|problem| (problem.primary().start(), problem.message.clone())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn eight_mistakes_cost_eight_diagnostics() {
    check_mistakes(
        r#"pool train {
  site: site.dc1
      ^ `:` after `site`
  server = 'dgx'
           ^ text in single quotes
  nodes = 1e6
          ^ `1e6` has an exponent
  rack == rack.gpu
       ^ `==` compares, it does not set
  spare = 1 h 30 min
              ^ a second quantity: `30 min`
  // measured
  ^ `//` begins no comment
  good = 8
  pools = [pool.a pool.b]
                  ^ a comma is missing before `pool.b`
  flag = let.x && let.y
               ^ `&&` is no operator here
}
"#,
    );
}

#[test]
fn a_broken_block_leaves_the_others_alone() {
    let text =
        "pool a {\n  x = 1\n\npool b {\n  y = 2\n  slo {\n    z == 3\n    w = 4\n  }\n}\n\npool c {\n  v = 5\n}\n";
    let (file, found) = parse(SOURCE, text);
    assert_eq!(messages(&found), ["AIP0021 `{` without its `}`", "AIP0002 `==` compares, it does not set"]);
    assert_eq!(
        shape(text, &file),
        "block pool .a\n  x = 1''\nblock pool .b\n  y = 2''\n  block slo\n    w = 4''\nblock pool .c\n  v = 5''\n"
            .replace(" .", " ")
    );
}

#[test]
fn structure_that_is_lost_is_reported_once() {
    check_mistakes(
        r#"pool early {
  a = 1
  }
  b = 2
  ^ `b = 2` stands outside of any block
  slo {
    c = 1
  }
}

inference x {
  demand {
         ^ `{` without its `}`
    r = 8

  slo {
    a = 1
  }
}

pool y
{
^ `{` on a line of its own
  a = 1
}

pool z {
  open = [1, 2
         ^ `[` without its `]`
  text = "abc
         ^ text without its closing quote
  last = 1
}
"#,
    );
}

#[test]
fn a_bracket_too_many_is_reported() {
    check_mistakes(
        r#"pool a {
  x = [1, 2]]
            ^ `]` closes nothing
  y = 1
}
}
^ `}` closes nothing

pool b { y = 2 }
"#,
    );
}

#[test]
fn names_and_words_are_judged() {
    check_mistakes(
        r#"pool Train_A {
     ^ `Train_A` is no name: it has an upper-case letter
  x = a--b
      ^ `a--b` has two hyphens in a row
  slo
  ^ `slo` has neither a value nor a block
}
pool "train" {
     ^ the name `train` is in quotes
}
server box large {
           ^ `large` cannot stand in the header of a block
}
pool auto {}
     ^ `auto` cannot be a name
"#,
    );
}

#[test]
fn operators_and_numbers_are_judged() {
    check_mistakes(
        r#"check a {
  a = let.x < let.y < let.z
                    ^ comparisons do not chain
  b = 8-3
      ^ `8-3` is no number
  c = let.x -1
            ^ `-` needs a blank on both sides
  d = 8 TB/2
      ^ `8 TB/2` is neither a rate nor a division
  e = 1 .. 2
        ^ a range without two numbers
  f = let.x ? 1:2
              ^ `1:2` is a ratio
  g = !let.x
      ^ `!` is no operator here
  h = <<EOF
      ^ heredocs do not exist here
  i = 2027-3-1
      ^ `2027-3-1` is no date
  j = 31,500 EUR
         ^ a comma cannot set digits apart
  k = "C:\data"
         ^ `\d` is no escape
  l = tbd
      ^ `tbd` without a reason
  m =
    ^ `m` has no value
  n = 1.2.3
      ^ `1.2.3` is no number
  o = let.x(3)
           ^ a reference cannot be called
  p = 1 q = 2
        ^ a comma or the end of the line is missing before `q`
}
"#,
    );
}

#[test]
fn settings_of_the_command_line_are_read() {
    let text = "quote.vendor-a.price(catalog.server.x).each = 31_500 EUR";
    let set = parse_setting(SOURCE, text).unwrap_or_else(|found| panic!("{:?}", messages(&found)));
    assert_eq!(set.path.segments.len(), 5);
    assert!(parse_setting(SOURCE, "pool.train.nodes").is_err());
    assert!(parse_setting(SOURCE, "pool.train.nodes = 1 2").is_err());
    assert!(parse_expression(SOURCE, "1 + 2 * let.x").is_ok());
    assert!(parse_expression(SOURCE, "1 +").is_err());
    assert!(parse_expression(SOURCE, &"[".repeat(100_000)).is_err());
}

// ---- hostile input

fn hostile() -> Vec<String> {
    let repeat = |text: &str| text.repeat(250_000 / text.len());
    let value = |text: String| format!("pool a {{ x = {text} }}\n");
    vec![
        repeat("["),
        repeat("{"),
        repeat("("),
        repeat("\""),
        repeat("}"),
        repeat("\n"),
        repeat("\r"),
        repeat("\0"),
        repeat("\u{202E}"),
        repeat("a"),
        repeat("a "),
        repeat("="),
        repeat("@a\n"),
        repeat("#\n"),
        repeat("{}"),
        repeat("} a\n"),
        repeat("a = 1\n"),
        repeat("\"\"\"\n"),
        repeat("set "),
        repeat("pool a { x = 1\n"),
        repeat("pool a {\n  x = [1\n"),
        repeat("pool a { x : 1 }\n"),
        "a {\n".repeat(10_000) + &"}\n".repeat(10_000),
        (0..1_000).map(|depth| "  ".repeat(depth) + "a b {\n").collect(),
        value(repeat("\"${")),
        value(repeat("- ") + "1"),
        value(repeat("not ") + "a"),
        value(repeat("a ? b : ") + "c"),
        value(repeat("1 + ") + "1"),
        value(repeat("1 < ") + "1"),
        value(repeat("-(") + "1"),
        value(format!("[{}]", repeat("1, "))),
        value(format!("[{}1 1]", repeat("1, "))),
        value(repeat("{ a = ")),
        value(format!("a{}", repeat(".a"))),
        value(format!("a{}", repeat("[0]"))),
        value(format!("\"{}\"", repeat("\\q"))),
        value(format!("\"{}\"", repeat("$"))),
        format!("pool a {{\n{}}}\n", repeat("  x := 1\n")),
        format!("pool a {{ x =\n{}}}", repeat("\n")),
        format!("pool a {{ x = [1\n{}] }}", repeat("\n")),
        format!("{}{}{}", "a {".repeat(60), repeat("\n"), "}".repeat(60)),
        format!("pool a {{ {} }}", repeat("x = 1, ")),
    ]
}

#[test]
fn hostile_input_is_survived() {
    for text in hostile() {
        let (file, found) = parse(SOURCE, &text);
        let start: String = text.chars().take(40).collect();
        assert!(found.len() <= MOST, "{start:?}");
        check_places(&text, &file, &found).unwrap_or_else(|error| panic!("{start:?}: {error}"));
    }
}

#[test]
fn a_source_over_the_limit_is_not_read() {
    let text = "a".repeat(MAX_SOURCE + 1);
    let (file, found) = parse(SOURCE, &text);
    assert_eq!(messages(&found), ["AIP0024 source of 65 MiB, the limit is 64 MiB"]);
    assert!(file.blocks.is_empty());
}

#[test]
fn what_is_too_deep_is_one_problem() {
    for text in ["[".repeat(1_000_000), "a {\n".repeat(10_000) + &"}\n".repeat(10_000), "\"${".repeat(100_000)] {
        let (_, found) = parse(SOURCE, &text);
        assert_eq!(messages(&found), ["AIP0023 more than 64 levels of brackets or conditions"]);
    }
}

// ---- places

/// Every place lies in the text, between characters.
fn check_places(text: &str, file: &File, found: &Diagnostics) -> Result<(), String> {
    let check = |span: Span, what: &str| match text.get(span.start()..span.end()) {
        Some(_) => Ok(()),
        None => Err(format!("{what} at {span:?} of {} bytes", text.len())),
    };
    for problem in found.iter() {
        for label in &problem.labels {
            check(label.span, &problem.message)?;
        }
        for fix in &problem.fixes {
            check(fix.span, &fix.title)?;
        }
    }
    for comment in &file.comments {
        check(*comment, "comment")?;
    }
    let mut open: Vec<&Block> = file.blocks.iter().collect();
    while let Some(block) = open.pop() {
        check(block.span, "block")?;
        check(block.kind, "kind")?;
        for item in &block.items {
            match item {
                Item::Block(block) => open.push(block),
                Item::Attribute(attribute) => {
                    check(attribute.span, "attribute").and(check(attribute.value.span, "value"))?
                }
                Item::Set(set) => check(set.span, "set").and(check(set.value.span, "value"))?,
                Item::Drop(drop) => check(drop.span, "drop")?,
            }
        }
    }
    Ok(())
}

// ---- random files

/// What a mutation puts in.
const PIECES: [&str; 42] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "\"\"\"",
    "${",
    "$${",
    "#",
    "##",
    "# c\n",
    "\n",
    "\r\n",
    " ",
    ",",
    "=",
    "==",
    ":",
    "?",
    "-",
    " - ",
    "/",
    "..",
    "1",
    "2:1",
    "a",
    "a-b",
    "A_",
    "@x",
    "@x(1)",
    "for x in y",
    "not ",
    " and ",
    " in ",
    "set ",
    "drop ",
    "\\",
    "\t",
    "é",
    "\u{202E}",
];

#[derive(Debug, Clone)]
enum Mutation {
    /// Puts a piece in.
    Insert(usize, usize),
    /// Takes some bytes out.
    Remove(usize, usize),
    /// Writes some bytes twice.
    Repeat(usize, usize),
    /// Cuts the text.
    Cut(usize),
}

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let place = || any::<usize>();
    let one = prop_oneof![
        4 => (place(), place()).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        2 => (place(), 1..20_usize).prop_map(|(at, length)| Mutation::Remove(at, length)),
        2 => (place(), 1..60_usize).prop_map(|(at, length)| Mutation::Repeat(at, length)),
        1 => place().prop_map(Mutation::Cut),
    ];
    prop::collection::vec(one, 1..6)
}

fn mutated(text: &str, mutations: &[Mutation]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for mutation in mutations {
        let place = |at: usize| at % (chars.len() + 1);
        match *mutation {
            Mutation::Insert(at, piece) => {
                let at = place(at);
                chars.splice(at..at, PIECES[piece % PIECES.len()].chars());
            }
            Mutation::Remove(at, length) => {
                let at = place(at);
                let end = (at + length).min(chars.len());
                chars.drain(at..end);
            }
            Mutation::Repeat(at, length) => {
                let at = place(at);
                let again: Vec<char> = chars[at..(at + length).min(chars.len())].to_vec();
                chars.splice(at..at, again);
            }
            Mutation::Cut(at) if at % 5 == 0 => {
                let at = place(at);
                chars.truncate(at);
            }
            Mutation::Cut(_) => {}
        }
    }
    chars.into_iter().collect()
}

/// What must hold of every text.
fn check_any(text: &str) -> Result<(), TestCaseError> {
    let fail = |what: String| TestCaseError::fail(format!("{what}\n{text}"));
    let (file, found) = parse(SOURCE, text);
    check_places(text, &file, &found).map_err(&fail)?;
    let (threaded, threaded_found) = parse_on(3, SOURCE, text);
    if shape(text, &file) != shape(text, &threaded) || messages(&found) != messages(&threaded_found) {
        return Err(fail(String::from("threads change the result")));
    }
    if found.is_empty() { check_format(text).map_err(fail) } else { Ok(()) }
}

/// What must hold of every text without syntax errors.
fn check_format(text: &str) -> Result<(), String> {
    let once = format(SOURCE, text).map_err(|found| format!("{:?}", messages(&found)))?;
    let twice = format(SOURCE, &once).map_err(|found| format!("{:?}\n{once}", messages(&found)))?;
    if once != twice {
        return Err(format!("not idempotent:\n{once}\n----\n{twice}"));
    }
    let long = once.lines().find(|line| line.ends_with(' ') && !line.contains(['"', '#']));
    match long {
        Some(line) if !text.contains(line) => Err(format!("a blank ends a line: {line:?}")),
        _ => Ok(()),
    }
}

/// Blanks, line ends and comments where all of them may stand.
fn anywhere() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => Just(String::from(" ")),
        3 => Just(String::new()),
        2 => Just(String::from("\n  ")),
        1 => Just(String::from("\n\n\n")),
        1 => Just(String::from("  # c, [x\n")),
        1 => Just(String::from("\n## doc \"x\n")),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "hot", "in-transit", "DE", "x1", "or-else", "information", "set", "drop"])
        .prop_map(str::to_owned)
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        word(),
        prop::sample::select(vec![
            "1",
            "80GiB",
            "80  GiB",
            "1_000",
            "99.9 %",
            "4.2million EUR",
            "20/month",
            "0.19 EUR/kWh",
            "1..2 TB",
            "2:1",
            "2027-03-31",
            "true",
            "null",
            "auto",
            "tbd(\"why\")",
            "\"text\"",
            "\"\"",
            "\"a ${ let.x+1 } $${y} \\\" # no\"",
            "\"\"\"\n  lines\n    more ${ let.x }\n  \"\"\"",
            "let.x",
            "pool.train[*].nodes",
            "let.x[ 0 ].y",
            "vault(\"x\")",
            "\"${ \"inner ${ let.y }\" }\"",
            "[]",
            "{}",
            "f()",
        ])
        .prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = String> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let items = || prop::collection::vec((anywhere(), inner.clone(), anywhere()), 1..5);
        let operator = prop::sample::select(vec!["+", "-", "*", "/", "==", "<", "and", "or", "in", "not in"]);
        prop_oneof![
            items().prop_map(|items| format!("[{}]", joined(&items, ","))),
            items().prop_map(|items| format!("f({},)", joined(&items, ","))),
            (inner.clone(), operator, inner.clone(), any::<bool>())
                .prop_map(|(a, op, b, line)| format!("({a}){}{op} ({b})", if line { "\n " } else { " " })),
            (anywhere(), inner.clone(), anywhere()).prop_map(|(a, value, b)| format!("({a}{value}{b})")),
            inner.clone().prop_map(|value| format!("-({value})")),
            inner.clone().prop_map(|value| format!("not ({value})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a}) ? ({b}) : ({c})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("[for x in ({a}) : ({b}) if ({c})]")),
            (word(), inner.clone(), any::<bool>(), inner.clone()).prop_map(|(key, a, line, b)| format!(
                "{{ {key} = {a}{} \"k k\" = {b} }}",
                if line { "\n" } else { "," }
            )),
        ]
    })
}

fn joined(items: &[(String, String, String)], comma: &str) -> String {
    items.iter().map(|(before, item, after)| format!("{before}{item}{after}")).collect::<Vec<_>>().join(comma)
}

/// The ends of items that a file may have.
fn item_end() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::from("\n")),
        2 => Just(String::from(",")),
        1 => Just(String::from("\n\n\n")),
        1 => Just(String::from("  # behind\n")),
        1 => Just(String::from("\n# own\n")),
        1 => Just(String::from("\n\n## doc\n")),
    ]
}

fn item() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["a", "power_limit", "to", "in_use", "for_all"]);
    let attribute = (key, value()).prop_map(|(key, value)| format!("{key}={value}"));
    let other = prop_oneof![
        value().prop_map(|value| format!("set a.b[0].c(d.e) = {value}")),
        Just(String::from("drop pool.a")),
        value().prop_map(|value| format!("@allow(AIP3001, reason = \"r\", x = {value}) a = 1")),
        Just(String::from("@locked # why\n\n# own\nb = 2")),
    ];
    prop_oneof![5 => attribute, 1 => other]
}

fn block() -> impl Strategy<Value = String> {
    let head = prop::sample::select(vec![
        "pool a",
        "let",
        "price catalog.server.x",
        "rule a for s in all.storage",
        "@was(\"b\")\npool a for x in [1,\n 2]",
    ]);
    (head, body(item().boxed())).prop_map(|(head, body)| format!("{head}{{{body}}}"))
}

fn body(item: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = String> {
    let line = (item, item_end()).prop_map(|(item, end)| format!("  {item}{end}"));
    (item_end(), prop::collection::vec(line, 0..5))
        .prop_map(|(start, lines)| format!("{}{}", start.replace(',', " "), lines.concat()))
}

fn file() -> impl Strategy<Value = String> {
    let nested = prop_oneof![4 => item(), 1 => block()].boxed();
    let outer = (prop::sample::select(vec!["pool a", "environment pilot", "set"]), body(nested))
        .prop_map(|(head, body)| format!("{head} {{{body}}}"));
    let block = prop_oneof![outer, block()];
    prop::collection::vec((block, item_end()), 1..4)
        .prop_map(|blocks| blocks.into_iter().map(|(block, end)| block + &end.replace(',', "\n")).collect())
}

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn mutated_examples_are_read_and_formatted(example in 0..3_usize, mutations in mutations()) {
        check_any(&mutated(&examples()[example], &mutations))?;
    }

    #[test]
    fn random_files_are_formatted(text in file()) {
        let (_, found) = parse(SOURCE, &text);
        if found.has_errors() {
            return Err(TestCaseError::fail(format!("{:?}\n{text}", messages(&found))));
        }
        check_any(&text)?;
    }

    #[test]
    fn mutated_random_files_are_read(text in file(), mutations in mutations()) {
        check_any(&mutated(&text, &mutations))?;
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check_any(&text)?;
    }
}

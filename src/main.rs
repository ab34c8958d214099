//! Temporary.
#![allow(clippy::print_stdout)]
fn main() {
    let mut texts = Vec::new();
    for p in std::env::args().skip(1) {
        texts.push((p.clone(), std::fs::read_to_string(&p).unwrap_or_default()));
    }
    let package = aipc::compile::parse(texts, &[]);
    let catalogue = aipc::catalog::Catalogue::new();
    let options = aipc::compile::Options { environment: std::env::var("ENV").ok(), ..Default::default() };
    let compiled = aipc::compile::check(&package, &options, &catalogue);
    for d in compiled.problems.iter() {
        println!("{} {} {} {} {:?}", package.sources.place(d.primary()), d.severity.word(), d.code, d.message, d.help);
    }
}

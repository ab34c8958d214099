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
    if let Some(plan) = &compiled.plan {
        if std::env::var("PLAN").is_ok() {
            println!("{}", aipc::plan::json::to_string(plan));
        } else {
            for (b, n, e) in plan.figures.iter() {
                match e {
                    aipc::plan::figure::Estimate::Known(f) => {
                        println!("{}.{n} = {} {:?}", plan.model.address(b), f.show(), f.bar())
                    }
                    aipc::plan::figure::Estimate::Unknown(w) => println!("{}.{n} unknown {w}", plan.model.address(b)),
                }
            }
            for l in &plan.bill.lines {
                println!("{:?} {} {:?} {:?}", l.category, l.description, l.quantity, l.each);
            }
        }
    }
}

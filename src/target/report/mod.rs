//! The report: `report.html` for those who decide, and the same pictures as files of their own.
//!
//! Every part of the page is a view in a file here and a template in `targets/report`. The views read the plan: they
//! add nothing up, and the only arithmetic in them is where a line is drawn.
//!
//! The page needs no network and no script. It is HTML that is well-formed XML as well, so that one reader can prove
//! that no text of the source has become a tag. What is long is cut with the number of what is left to `plan.json`.

mod cables;
mod capped;
mod fabrics;
mod findings;
mod money;
mod open;
mod overview;
mod quote;
mod racks;
mod sheet;
mod shown;
mod sizing;
mod summary;
mod words;

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::base::judged::Judged;
use crate::plan::Plan;

use super::Emitted;
use super::bom::rows;
use super::template::{Renderer, Templates};

/// Everything on the page.
#[derive(Serialize)]
struct Page {
    summary: summary::Summary,
    overview: overview::Overview,
    sizing: sizing::Sizing,
    racks: racks::Racks,
    fabrics: fabrics::Fabrics,
    cables: cables::Cables,
    money: money::Money,
    findings: findings::Findings,
    open: open::Open,
}

/// Writes it.
pub fn emit(plan: &Plan<'_>, judged: Judged<'_>, templates: &Templates) -> Emitted {
    let mut emitted = Emitted::default();
    let rows = rows::of(plan, &plan.bill);
    let open = open::view(plan, &rows);
    let findings = findings::view(judged);
    let Some(summary) = summary::view(plan, &rows, &open, &findings) else { return emitted };
    let page = Page {
        summary,
        overview: overview::view(plan),
        sizing: sizing::view(plan),
        racks: racks::view(plan),
        fabrics: fabrics::view(plan),
        cables: cables::view(plan),
        money: money::view(plan, &rows),
        findings,
        open,
    };
    let renderer = Renderer::new("report", quote::quote, plan, templates);
    let mut write = |path: String, text: Result<String, Box<Diagnostic>>| match text {
        Ok(text) => emitted.files.add_text(path, &text),
        Err(problem) => emitted.problems.push(*problem),
    };
    write(String::from("report.html"), renderer.render("report.html.j2", &page));
    write(String::from("report/overview.svg"), renderer.render("overview.svg.j2", &page.overview));
    for fabric in &page.fabrics.drawn {
        write(format!("report/fabric-{}.svg", fabric.name), renderer.render("fabric.svg.j2", fabric));
    }
    for sort in &page.racks.sorts.rows {
        write(format!("report/rack-{}.svg", sort.file), renderer.render("rack.svg.j2", sort));
    }
    emitted
}

//! The chain. Who reads this knows the compiler.

use std::sync::Arc;

use crate::base::date::Date;
use crate::base::diagnostic::{Diagnostic, Diagnostics};
use crate::base::judged::{Judged, Waived};
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::catalog::Catalogue;
use crate::graph::Graph;
use crate::model::problems::MISSING_ATTRIBUTE;
use crate::model::{self, Model, Settings};
use crate::plan::{self, Plan};
use crate::rules;
use crate::rules::context::Context;
use crate::rules::levels::Configured;
use crate::syntax::{self, ast};
use crate::target::files::Files;
use crate::target::template::Templates;
use crate::target::{Emitted, TARGETS, Target, agreement};

/// A package as parsed: texts, trees and what was wrong with them.
#[derive(Clone)]
pub struct Package {
    /// The texts, in the order of their paths.
    pub sources: Sources,
    /// A tree for each text.
    pub files: Vec<ast::File>,
    /// Settings of the command line, parsed.
    pub settings: Vec<ast::Set>,
    /// Syntax errors.
    pub problems: Diagnostics,
}

impl Package {
    /// The same package with further settings; they stand in place of those of the command line for the same path.
    pub fn with(&self, settings: &[String]) -> Package {
        let mut package = self.clone();
        let mut sets: Vec<ast::Set> = Vec::with_capacity(settings.len());
        for setting in settings {
            let id = package.sources.add("--set", setting.as_str());
            match syntax::parse_setting(id, setting) {
                Ok(set) => sets.push(set),
                Err(found) => package.problems.extend(found),
            }
        }
        let sources = &package.sources;
        package.settings.retain(|own| sets.iter().all(|set| sources[set.path.span] != sources[own.path.span]));
        package.settings.extend(sets);
        package
    }
}

/// What a run asks for beyond the package.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--env`.
    pub environment: Option<String>,
    /// `--as-of`.
    pub as_of: Option<Date>,
    /// Levels of `aipc.toml`.
    pub levels: Configured,
}

impl Options {
    /// The same in another environment, where one is named.
    pub fn in_environment(&self, name: Option<&str>) -> Options {
        let environment = name.map(str::to_string).or_else(|| self.environment.clone());
        Options { environment, ..self.clone() }
    }
}

/// What became of a package.
pub struct Compiled<'a> {
    /// What it means, as far as it could be understood.
    pub model: Arc<Model<'a>>,
    /// Who refers to whom; absent when the model has errors.
    pub graph: Option<Graph>,
    /// The platform, sized; absent when the model has errors.
    pub plan: Option<Plan<'a>>,
    /// Findings that waivers take away.
    pub waived: Vec<Waived>,
    /// Everything that was found, sorted by place.
    pub problems: Diagnostics,
}

impl Compiled<'_> {
    /// What was found, for those who show it.
    pub fn judged(&self) -> Judged<'_> {
        Judged { problems: &self.problems, waived: &self.waived }
    }
}

/// Texts to trees. Every text is parsed, whatever is wrong with the others.
pub fn parse(texts: Vec<(String, String)>, settings: &[String]) -> Package {
    let mut sources = Sources::new();
    let (mut files, mut sets, mut problems) = (Vec::new(), Vec::new(), Diagnostics::new());
    for (path, text) in texts {
        let id = sources.add(path, text);
        let (file, found) = syntax::parse(id, sources.get(id).map_or("", |source| &source.text));
        files.push(file);
        problems.extend(found);
    }
    for setting in settings {
        let id = sources.add("--set", setting.clone());
        match syntax::parse_setting(id, setting) {
            Ok(set) => sets.push(set),
            Err(found) => problems.extend(found),
        }
    }
    Package { sources, files, settings: sets, problems }
}

/// Trees to a plan with findings. It stops where going on would only repeat what is wrong: a package with syntax errors
/// is resolved but not sized, so that a broken block does not hide wrong names in the others.
pub fn check<'a>(package: &'a Package, options: &'a Options, catalogue: &'a Catalogue) -> Compiled<'a> {
    let mut problems = package.problems.clone();
    let settings = Settings { environment: options.environment.as_deref(), set: &package.settings, figures: None };
    let (model, found) = model::resolve(&package.sources, &package.files, &settings, catalogue);
    problems.extend(if package.problems.has_errors() { beside_syntax_errors(package, found) } else { found });
    let model = Arc::new(model);
    let mut compiled = Compiled { model, graph: None, plan: None, waived: Vec::new(), problems };
    if !compiled.problems.has_errors() {
        match Graph::of(&compiled.model) {
            Ok(graph) => {
                let mut plan = plan::plan(&compiled.model, &graph);
                if compiled.model.wants_figures {
                    compiled.model = Arc::new(with_figures(package, options, catalogue, &plan));
                    plan = plan::plan(&compiled.model, &graph);
                }
                plan.as_of = options.as_of.or(plan.as_of);
                judge(&mut compiled, plan, graph, options);
            }
            Err(cycle) => compiled.problems.push(*cycle),
        }
    }
    compiled.problems = compiled.problems.sorted(&package.sources);
    compiled
}

/// What the model finds beside syntax errors: names that only a broken block lacks are none of its problems, nor are
/// attributes that a block lost to its own syntax error.
fn beside_syntax_errors(package: &Package, found: Diagnostics) -> Diagnostics {
    let blocks = || package.files.iter().flat_map(|file| &file.blocks).map(|block| block.span);
    let broken: Vec<Span> =
        package.problems.iter().filter_map(|problem| blocks().find(|span| holds(*span, problem.primary()))).collect();
    let lost = |problem: &Diagnostic| {
        problem.code == MISSING_ATTRIBUTE && broken.iter().any(|span| holds(*span, problem.primary()))
    };
    let mut kept = Diagnostics::new();
    kept.extend(found.without_missing_names().into_iter().filter(|problem| !lost(problem)));
    kept
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.source() == inner.source() && outer.start() <= inner.start() && inner.end() <= outer.end()
}

/// The model once more, with strings that show figures; figures do not depend on such strings.
fn with_figures<'a>(
    package: &'a Package,
    options: &'a Options,
    catalogue: &'a Catalogue,
    plan: &Plan<'a>,
) -> Model<'a> {
    let figures = plan.named_values();
    let environment = options.environment.as_deref();
    let settings = Settings { environment, set: &package.settings, figures: Some(&figures) };
    model::resolve(&package.sources, &package.files, &settings, catalogue).0
}

fn judge<'a>(compiled: &mut Compiled<'a>, plan: Plan<'a>, graph: Graph, options: &Options) {
    let verdict = rules::run(&Context::new(&plan, &graph, options.as_of, &options.levels), &options.levels);
    compiled.problems.extend(verdict.findings);
    compiled.waived = verdict.waived;
    compiled.plan = Some(plan);
    compiled.graph = Some(graph);
}

/// What targets find that `check` tries: a release that is not known, a key that cannot be patched.
pub fn try_targets(plan: &Plan<'_>, judged: Judged<'_>) -> Diagnostics {
    let early = TARGETS.iter().filter(|target| target.tried_early).map(|target| target.name.to_string());
    emit(plan, judged, &early.collect::<Vec<_>>(), &Templates::shipped()).1
}

/// A plan to files. What a target cannot express is among the problems; with an error among them nothing is written.
pub fn emit(plan: &Plan<'_>, judged: Judged<'_>, only: &[String], templates: &Templates) -> (Files, Diagnostics) {
    let (mut files, mut problems) = (Files::default(), Diagnostics::new());
    let wanted = |target: &&Target| only.is_empty() || only.iter().any(|name| name == target.name);
    // Targets do not know each other, so each has a thread; what they wrote is taken in their order.
    let emitted: Vec<Emitted> = std::thread::scope(|scope| {
        let emit = |target: &'static Target| scope.spawn(move || (target.emit)(plan, judged, templates));
        let running: Vec<_> = TARGETS.iter().filter(wanted).map(emit).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    for one in emitted {
        files.extend(one.files);
        problems.extend(one.problems);
    }
    problems.extend(agreement::check(plan, &files));
    (files, problems)
}

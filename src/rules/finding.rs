//! What a rule found, before anybody says how bad it is.

use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Fix, Label, Severity};
use crate::base::span::Span;
use crate::model::Model;
use crate::model::ids::BlockId;

/// A finding about a block, and mostly about one of its attributes.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The block.
    pub block: BlockId,
    /// The attribute; a waiver on it or on the block takes the finding away.
    pub attribute: Option<&'static str>,
    diagnostic: Diagnostic,
}

impl Finding {
    /// A finding about an attribute; the place is where it is written, or the block's header.
    pub fn on(model: &Model<'_>, block: BlockId, attribute: &'static str, message: impl Into<String>) -> Finding {
        let place = model.block(block).place_of(attribute);
        let address = format!("{}.{attribute}", model.address(block));
        Finding { attribute: Some(attribute), ..Finding::at_place(block, place, address, message) }
    }

    /// A finding about a block as a whole.
    pub fn about(model: &Model<'_>, block: BlockId, message: impl Into<String>) -> Finding {
        Finding::at_place(block, model.block(block).place, model.address(block), message)
    }

    fn at_place(block: BlockId, place: Span, address: String, message: impl Into<String>) -> Finding {
        // Code and severity are set when the finding is graded.
        let diagnostic = Diagnostic::new(Severity::Note, Code(0), message).at(place, "").about(address);
        Finding { block, attribute: None, diagnostic }
    }

    /// Words for the primary place.
    pub fn saying(mut self, text: impl Into<String>) -> Finding {
        if let Some(label) = self.diagnostic.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    /// A second place that explains.
    pub fn see(mut self, span: Span, text: impl Into<String>) -> Finding {
        if !span.is_detached() {
            self.diagnostic.labels.push(Label { span, text: text.into() });
        }
        self
    }

    /// What to do next.
    pub fn help(mut self, help: impl Into<String>) -> Finding {
        self.diagnostic.help = Some(help.into());
        self
    }

    /// A further fact.
    pub fn fact(mut self, fact: impl Into<String>) -> Finding {
        self.diagnostic.notes.push(fact.into());
        self
    }

    /// A repair that a machine can make.
    pub fn fix(mut self, title: impl Into<String>, span: Span, text: impl Into<String>) -> Finding {
        self.diagnostic.fixes.push(Fix { title: title.into(), span, text: text.into() });
        self
    }

    /// Less bad than its rule says: what is only possible, or not sure.
    pub fn softened(mut self) -> Finding {
        self.diagnostic.severity = Severity::Warning;
        self
    }

    /// The finding with its code and severity; a softened one is at most a warning.
    pub(super) fn graded(mut self, code: Code, severity: Severity) -> (Finding, Diagnostic) {
        let softened = self.diagnostic.severity == Severity::Warning;
        let severity = if softened { severity.min(Severity::Warning) } else { severity };
        let mut diagnostic = std::mem::replace(&mut self.diagnostic, Diagnostic::new(Severity::Note, code, ""));
        diagnostic.code = code;
        diagnostic.severity = severity;
        (self, diagnostic)
    }
}

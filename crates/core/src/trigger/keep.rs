//! Compares the triggers of a lesson with those of one that is to take its place.
//!
//! The one that comes keeps another if it comes up wherever the other does, warns of what the other warns of, and
//! advises nothing of which the other warns. Only names are compared, never what is said beside them, and no word of
//! prose of which nobody knows whether it is a program.

use hardwon_redact::clean_derived;

use super::{
    Sign, Trigger, TriggerKind, Triggers, call_from_text, occasion::contains_text,
    signature::Signature,
};
use crate::{event::CallStatus, lesson::LessonContent, shell, trace::failure::CallFailure};

impl Triggers {
    /// Returns where another lesson comes up and this one does not, in a few words: "before `npm test`".
    pub fn find_lost(&self, other: &Self) -> Option<String> {
        if !self.keeps_tools(other) {
            return Some(format!("before the tools {}", other.tools.join(", ")));
        }
        let missing = other.due().find(|trigger| !self.keeps_due(trigger));
        if let Some(trigger) = missing {
            return Some(trigger.moment().unwrap_or_else(|| trigger.what.describe()));
        }
        if !self.keeps_signature(&other.signature) {
            return Some(format!("before `{}`", other.signature.head));
        }
        let missing = other.other_ways().find(|way| !self.keeps_way(way));
        missing.and_then(Trigger::other_way)
    }

    /// Returns what must be added to what this lesson comes up at, for it to come up where another one does: each as it
    /// would be typed, for a correction of triggers.
    pub fn list_lost(&self, other: &Self) -> Vec<String> {
        let due = other.due().filter(|trigger| !self.keeps_due(trigger));
        let due = due.map(|trigger| trigger.what.clone());
        let ways = other.other_ways().filter(|way| !self.keeps_way(way));
        let calls = ways.flat_map(Trigger::other_calls);
        let missing = due.chain(calls.filter(|call| !self.is_due_at(call)));
        let head = Some(&other.signature).filter(|signature| !self.keeps_signature(signature));
        let missing = missing.map(|what| what.typed());
        missing
            .chain(head.map(|signature| signature.head.clone()))
            .collect()
    }

    /// Returns what this lesson warns of and another one advises.
    pub fn find_warned_of(&self, advising: &Self) -> Option<String> {
        let is_advised = |warning: &&Trigger| {
            let mut advice = advising.with_sign(Sign::Advised);
            advice.any(|trigger| warning.what.covers(&trigger.what))
        };
        let warning = self.warnings().find(is_advised);
        warning.map(|warning| warning.what.describe())
    }

    /// Returns what another lesson warns of and this one does not.
    pub fn find_unwarned(&self, other: &Self) -> Option<String> {
        let has_warning =
            |warning: &&Trigger| self.warnings().any(|own| own.what.covers(&warning.what));
        let missing = other.warnings().find(|warning| !has_warning(warning));
        missing.map(|warning| warning.what.describe())
    }

    /// Returns whether both name what to do, or else both what not to do, and have none of it in common. What one warns of
    /// and what the other advises are not compared: they are two sides of one thing as often as not.
    pub fn advises_other_than(&self, other: &Self) -> bool {
        let names = |triggers: &Self, sign: Sign| -> Vec<TriggerKind> {
            let names = triggers.with_sign(sign).map(|trigger| trigger.what.clone());
            names.filter(TriggerKind::is_known).collect()
        };
        let both = |sign: Sign| (names(self, sign), names(other, sign));
        let (ours, theirs) = match both(Sign::Advised) {
            (ours, theirs) if ours.is_empty() && theirs.is_empty() => both(Sign::Warned),
            advice => advice,
        };
        let is_shared = |name: &TriggerKind| {
            let mut others = theirs.iter();
            others.any(|other| name.covers(other) || other.covers(name))
        };
        !ours.is_empty() && !theirs.is_empty() && !ours.iter().any(is_shared)
    }

    /// Returns whether both come up at the same calls, with the same warnings.
    pub fn comes_up_as(&self, other: &Self) -> bool {
        let keeps = |one: &Self, other: &Self| {
            one.find_lost(other).is_none() && one.find_unwarned(other).is_none()
        };
        keeps(self, other) && keeps(other, self)
    }

    /// Returns whether both advise the same commands, and any.
    pub(crate) fn advises_as(&self, other: &Self) -> bool {
        let advice = |triggers: &Self| -> Vec<TriggerKind> {
            let advice = triggers.with_sign(Sign::Advised);
            let names = advice.map(|trigger| trigger.what.clone());
            names.filter(TriggerKind::is_known).collect()
        };
        let (ours, theirs) = (advice(self), advice(other));
        let has_all = |one: &[TriggerKind], other: &[TriggerKind]| {
            one.iter().all(|name| {
                other
                    .iter()
                    .any(|trigger| trigger.covers(name) && name.covers(trigger))
            })
        };
        !ours.is_empty() && has_all(&ours, &theirs) && has_all(&theirs, &ours)
    }

    /// Returns whether both are about the same and advise the same commands for it, however they say it.
    pub fn says_as(&self, other: &Self) -> bool {
        self.answers_as(other) || self.advises_as(other) && self.comes_up_as(other)
    }

    /// Returns whether both advise the same commands for the call or failure that both their signatures name.
    pub fn answers_as(&self, other: &Self) -> bool {
        let head = &self.signature.head;
        let has_same_head = self.signature.is_plausible() && *head == other.signature.head;
        has_same_head && self.advises_as(other)
    }

    fn warnings(&self) -> impl Iterator<Item = &Trigger> {
        let warnings = self.with_sign(Sign::Warned);
        warnings.filter(|trigger| trigger.what.is_known())
    }

    fn keeps_due(&self, trigger: &Trigger) -> bool {
        !trigger.what.is_known() || self.is_due_at(&trigger.what)
    }

    /// Returns whether it comes up where what another lesson advises is done otherwise: because it advises the same, or is
    /// about each of those calls.
    fn keeps_way(&self, way: &Trigger) -> bool {
        let calls = way.other_calls();
        self.other_ways().any(|own| own.what.covers(&way.what))
            || !calls.is_empty() && calls.iter().all(|call| self.is_due_at(call))
    }

    fn is_due_at(&self, what: &TriggerKind) -> bool {
        let by_signature = || match what {
            TriggerKind::Command(form) => self.signature.comes_at(form),
            _ => false,
        };
        self.due().any(|trigger| trigger.what.covers(what)) || by_signature()
    }

    /// Returns the advice that brings a lesson up where it is done otherwise.
    pub(super) fn other_ways(&self) -> impl Iterator<Item = &Trigger> {
        let advice = self.with_sign(Sign::Advised);
        advice.filter(|trigger| !self.tells_occasion_of(trigger) && trigger.other_way().is_some())
    }

    fn keeps_tools(&self, other: &Self) -> bool {
        match (self.tools.is_empty(), other.tools.is_empty()) {
            // A shell is no bound, since every command is its call.
            (true, _) => other.tools.iter().all(|tool| shell::is_shell_name(tool)),
            (false, true) => false,
            (false, false) => other.tools.iter().all(|tool| self.tools.contains(tool)),
        }
    }

    fn keeps_signature(&self, other: &Signature) -> bool {
        let is_same = self.signature == *other || other.is_empty();
        let by_command = || {
            let form = other.command.clone();
            form.is_some_and(|form| self.is_due_at(&TriggerKind::Command(form)))
        };
        let by_path = || {
            let path = other.path.clone();
            path.is_some_and(|path| self.is_due_at(&TriggerKind::Path(path)))
        };
        let names_nothing = other.command.is_none() && other.path.is_none();
        // Two words of prose are read as a command too, and no program is called so.
        let by_words = || self.is_due_at(&TriggerKind::Text(other.head.clone()));
        is_same || names_nothing || by_command() || by_path() || by_words()
    }
}

impl Signature {
    /// Returns whether a lesson of this signature comes up at a command, whatever that fails with.
    fn comes_at(&self, form: &super::command::CommandForm) -> bool {
        let own = self.command.as_ref();
        self.error.is_none() && own.is_some_and(|own| own.is_within(form))
    }
}

impl TriggerKind {
    /// Returns whether whatever the other one names is named by this one too.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let lone = |kind: &Self| match kind {
            Self::Program(name) | Self::Word(name) => Some(name.clone()),
            Self::Command(form) if form.words.is_empty() => Some(form.program.clone()),
            _ => None,
        };
        match (self, other) {
            (Self::Command(own), Self::Command(form)) => own.is_within(form),
            (Self::Program(name), Self::Command(form)) => *name == form.program,
            (
                Self::Option { name, commands },
                Self::Option {
                    name: other,
                    commands: theirs,
                },
            ) => {
                let is_free = commands.is_empty();
                name == other
                    && (is_free
                        || !theirs.is_empty()
                            && theirs.iter().all(|command| commands.contains(command)))
            }
            (Self::Path(own), Self::Path(path)) => own.text == path.text && own.least <= path.least,
            (Self::Text(own), Self::Text(text)) => own == text || contains_text(text, own),
            _ => self == other || lone(self).is_some() && lone(self) == lone(other),
        }
    }

    /// Returns the name as one types it.
    pub(super) fn typed(&self) -> String {
        match self {
            Self::Act(act) => act.typed(),
            Self::Command(form) => form.typed(),
            Self::Path(path) => path.text.clone(),
            Self::Program(name)
            | Self::Word(name)
            | Self::Tool(name)
            | Self::Text(name)
            | Self::Option { name, .. } => name.clone(),
        }
    }

    /// Returns whether it is known what it names.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self, Self::Word(name) if !shell::is_known_program(name))
    }

    /// Returns what it names, in a few words.
    fn describe(&self) -> String {
        match self {
            Self::Word(word) => format!("`{word}`"),
            _ => self.name().unwrap_or_default(),
        }
    }
}

/// Returns a signature as a part of a sentence that says when a lesson is due: its command or file in backticks.
pub fn describe_signature(signature: &str) -> String {
    let parts = Signature::parse(signature);
    let head = parts.head.as_str();
    match signature.trim().trim_matches('`').strip_prefix(head) {
        Some(rest) if parts.is_plausible() => format!("`{head}`{rest}"),
        _ => signature.trim().to_owned(),
    }
}

/// Returns whether a lesson comes up at the failure that another one's signature tells, if the other one does.
pub fn keeps_failure(kept: &LessonContent, other: &LessonContent) -> bool {
    let signature = Signature::parse(other.signature.as_str());
    let Some(error) = signature.error else {
        return true;
    };
    let call = call_from_text(&signature.head);
    let status = CallStatus::Error(clean_derived(&error));
    let failures = CallFailure::all_from_call(&call, &status);
    failures
        .iter()
        .zip(status.errors())
        .all(|(failure, error)| {
            let is_about = |content: &LessonContent| {
                let triggers = Triggers::from_content(content);
                triggers.is_about_failure(content, &call, failure, error.as_str())
            };
            !is_about(other) || is_about(kept)
        })
}

//! Whether two lessons may be told as one, whoever says that they are the same.
//!
//! They may not if they are for different people, about different failures or tools, if one warns of what the other
//! advises, or if what they say to do names other things. Triggers and names decide that; what lessons mean beyond them
//! is for whoever put them together. Every doubt keeps them apart: two lessons that stay cost a line.

use std::collections::BTreeSet;

use hardwon_core::{
    CleanText, Lesson, LessonContent, Meaning, MeaningKey, Triggers, advice::may_forbid,
    change::is_same_set, shell,
};

use super::names::list_values;

/// Why two lessons are not told as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rift {
    /// They belong to different projects or agents, or are for different people.
    Audience,
    /// A person keeps one of them from calls, which words in their place would not be.
    Calls,
    /// They are about different failures.
    Failure,
    /// They are about the calls of different tools.
    Tools,
    /// One warns of what the other advises.
    Opposite,
    /// What they say to do has no name in common.
    Advice,
    /// They give different values.
    Value,
}

impl Rift {
    /// Says what two lessons do between which it is, to go on after their names.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Audience => "are of different projects or agents, or for different people",
            Self::Calls => "do not both come up at calls",
            Self::Failure => "are about different failures",
            Self::Tools => "are about different tools",
            Self::Opposite => "cannot both hold: one warns of what the other advises",
            Self::Advice => "say to do different things",
            Self::Value => "give different values",
        }
    }
}

/// What is compared of a lesson.
#[derive(Debug)]
pub(super) struct ReadLesson<'a> {
    pub(super) lesson: &'a Lesson,
    pub(super) triggers: Triggers,
    meaning: Meaning,
    /// Equal for lessons of the same words; only those can say the opposite in words.
    words_key: MeaningKey,
    values: BTreeSet<String>,
    /// Whether it may forbid something, and not only tell of trouble.
    pub(super) may_forbid: bool,
}

impl<'a> ReadLesson<'a> {
    pub(super) fn new(lesson: &'a Lesson) -> Self {
        // What a lesson is about is no part of what it says to do.
        let text = LessonContent::new(CleanText::default(), lesson.content.text.clone());
        let meaning = Meaning::from_content(&text);
        Self {
            lesson,
            triggers: Triggers::from_content(&lesson.content),
            words_key: meaning.key(),
            meaning,
            values: list_values(lesson.content.text.as_str()),
            may_forbid: may_forbid(lesson.content.text.as_str()),
        }
    }

    /// Returns why the two may not be told as one; `None` if they may.
    pub(super) fn find_rift(&self, other: &Self) -> Option<Rift> {
        let (a, b) = (self.lesson, other.lesson);
        let has_values = !self.values.is_empty() && !other.values.is_empty();
        let is_kept = [a, b]
            .iter()
            .any(|lesson| lesson.content.is_kept_from_calls());
        if a.scope != b.scope || !is_same_set(&a.content.targets, &b.content.targets) {
            Some(Rift::Audience)
        } else if is_kept {
            Some(Rift::Calls)
        } else if a.failure != b.failure {
            Some(Rift::Failure)
        } else if bound_tools(a) != bound_tools(b) {
            Some(Rift::Tools)
        } else if self.opposes(other) {
            Some(Rift::Opposite)
        } else if self.advises_other_than(other) {
            Some(Rift::Advice)
        } else {
            (has_values && self.values.is_disjoint(&other.values)).then_some(Rift::Value)
        }
    }

    /// Returns whether a model need be asked whether the two say the same. It is of opposites, so that they are seen.
    pub(super) fn may_be_told_with(&self, other: &Self) -> bool {
        matches!(self.find_rift(other), None | Some(Rift::Opposite))
    }

    /// Returns whether both come up at calls, and say to do different things there.
    fn advises_other_than(&self, other: &Self) -> bool {
        !self.triggers.is_empty()
            && !other.triggers.is_empty()
            && self.triggers.advises_other_than(&other.triggers)
    }

    /// Returns whether it forbids by name what these triggers advise.
    pub(super) fn forbids_advice(&self, advising: &Triggers) -> bool {
        self.may_forbid && self.triggers.find_warned_of(advising).is_some()
    }

    /// Returns whether one warns of what the other advises, by name or in the same words.
    pub(super) fn opposes(&self, other: &Self) -> bool {
        let is_marked = self.lesson.contradicts.contains(&other.lesson.id)
            || other.lesson.contradicts.contains(&self.lesson.id);
        is_marked
            || self.forbids_advice(&other.triggers)
            || other.forbids_advice(&self.triggers)
            || self.words_key == other.words_key && self.meaning.opposes(&other.meaning)
    }
}

/// Returns the tools of whose calls alone a lesson speaks; a shell is no bound, since every command is its call.
fn bound_tools(lesson: &Lesson) -> BTreeSet<&str> {
    let tools = lesson.content.tools.iter().map(|tool| tool.as_str());
    tools.filter(|tool| !shell::is_shell_name(tool)).collect()
}

//! Whose word a lesson is, and what that allows it.
//!
//! What an author's word is worth before anything was seen is for
//! [`Posterior::prior`](super::Posterior::prior).

use crate::named_enum::named_enum;

named_enum! {
    /// The kind of source of a lesson, from the least trusted to the most.
    TrustClass {
        /// A file that was imported.
        Imported = "imported",
        /// A model that was asked about a run.
        Distilled = "distilled",
        /// The rules that learn from runs.
        Derived = "derived",
        /// The agent wrote it down.
        Agent = "agent",
        /// A person wrote it down.
        Person = "person",
    }
}

impl TrustClass {
    /// Says in a word where a lesson comes from: `run` for what was learned.
    pub fn origin(self) -> &'static str {
        match self {
            Self::Imported => "file",
            Self::Distilled => "model",
            Self::Derived => "run",
            Self::Agent => "agent",
            Self::Person => "person",
        }
    }
}

/// How far a lesson is trusted. What is made from several sources gets the lowest trust of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trust {
    /// The kind of source.
    pub class: TrustClass,
    /// Whether content from outside (a fetched page, an external tool) had a part in it.
    pub tainted: bool,
}

impl Trust {
    /// Makes trust of this class, tainted or not.
    pub const fn new(class: TrustClass, tainted: bool) -> Self {
        Self { class, tainted }
    }

    /// Returns untainted trust of this class.
    pub fn untainted(class: TrustClass) -> Self {
        Self::new(class, false)
    }

    /// Returns whether this trust is at least as high as another. Then a lesson of this trust may replace one of the
    /// other, and an author of this trust may change its words.
    pub fn is_at_least(self, other: Self) -> bool {
        self.combine_with(other) == other
    }

    /// Returns whether content from outside, a file or a model had a part in the words.
    pub fn is_from_outside(self) -> bool {
        self.tainted || matches!(self.class, TrustClass::Imported | TrustClass::Distilled)
    }

    /// Says whose word it is.
    pub fn words(self) -> String {
        let author = match self.class {
            TrustClass::Person => "a person",
            TrustClass::Agent => "an agent",
            TrustClass::Derived => "rules that read a run",
            TrustClass::Distilled => "a model that read a run",
            TrustClass::Imported => "an imported file",
        };
        let outside = if self.tainted {
            ", with content from outside"
        } else {
            ""
        };
        format!("{author}{outside}")
    }

    /// Returns the trust of something made from both: the lower of each part.
    #[must_use]
    pub fn combine_with(self, other: Self) -> Self {
        Self {
            class: self.class.min(other.class),
            tainted: self.tainted || other.tainted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_trust_of_a_lineage_wins() {
        let person = Trust::untainted(TrustClass::Person);
        let page = Trust::new(TrustClass::Derived, true);
        assert_eq!(person.combine_with(page), page);
        assert_eq!(page.combine_with(person), page);
    }

    #[test]
    fn a_better_word_reaches_a_worse_one() {
        let of = |class, tainted| Trust { class, tainted };
        let person = of(TrustClass::Person, false);
        let (derived, read) = (of(TrustClass::Derived, false), of(TrustClass::Person, true));
        for (word, other, expected) in [
            (person, person, true),
            (person, derived, true),
            (person, read, true),
            (derived, person, false),
            (read, person, false),
            // Neither is more trusted: one was read somewhere, one is only from rules.
            (read, derived, false),
            (derived, read, false),
        ] {
            assert_eq!(word.is_at_least(other), expected, "{word:?} {other:?}");
        }
    }
}

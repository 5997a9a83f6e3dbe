//! Whose word a lesson is, and what that allows it.
//!
//! What an author's word is worth before anything was seen is for
//! [`Posterior::prior`](super::Posterior::prior).

named_enum! {
    /// Whose word a lesson is, from the least trusted to the most.
    TrustClass {
        /// A file said so.
        Imported = "imported",
        /// A model said so.
        Distilled = "distilled",
        /// Rules read it off a run.
        Derived = "derived",
        /// The agent wrote it down.
        Agent = "agent",
        /// A person wrote it down.
        Person = "person",
    }
}

/// How far a lesson is trusted. The lowest of its lineage wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trust {
    /// Whose word it is.
    pub class: TrustClass,
    /// Whether content from outside (a fetched page, an external tool) had a part in it.
    pub tainted: bool,
}

impl Trust {
    /// Untainted trust of this class.
    #[must_use]
    pub fn untainted(class: TrustClass) -> Self {
        Self {
            class,
            tainted: false,
        }
    }

    /// Returns whether this is at least as good a word as another: a lesson of this trust may take
    /// the place of one of the other, and who has it may change its words.
    #[must_use]
    pub fn is_at_least(self, other: Self) -> bool {
        self.combine_with(other) == other
    }

    /// Returns whether somebody outside, or a model, had a hand in the words.
    #[must_use]
    pub fn is_from_outside(self) -> bool {
        self.tainted || matches!(self.class, TrustClass::Imported | TrustClass::Distilled)
    }

    /// Returns the trust of something made from both.
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
        let page = Trust {
            class: TrustClass::Derived,
            tainted: true,
        };
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
            // Neither is better than the other: one read it somewhere, one is only a rule.
            (read, derived, false),
            (derived, read, false),
        ] {
            assert_eq!(word.is_at_least(other), expected, "{word:?} {other:?}");
        }
    }
}

//! Why a lesson left, as a value: it says what brings the lesson back.
//!
//! The words beside it in [`Status::Archived`](super::Status::Archived) are for a reader, and nothing is decided by
//! them. Rows of earlier versions have the words alone; only for those are words read here.

use crate::named_enum::named_enum;

named_enum! {
    /// Why a lesson is archived.
    Retirement {
        /// Somebody took it out for a reason of their own. Only a person's word brings it back.
        Dismissed = "dismissed",
        /// The agent that wrote it took it back. It is back when it is written again.
        Withdrawn = "withdrawn",
        /// Its scope was full, and it was the least useful. It is back when it is learned from something new.
        Crowded = "crowded",
        /// Its time was over, as its author said. Who learns the same later, learns it anew.
        Expired = "expired",
        /// It was not shown once in a long time. It is back when it is learned again.
        NeverNeeded = "never-needed",
        /// What made it was taken back: a sweep, or a move of memories.
        TakenBack = "taken-back",
    }
}

/// What a lesson says that had to leave a full scope.
pub(crate) const CROWDED_WORDS: &str =
    "the limit of learned lessons (setting `capacity`) was reached, and this was the least useful";
/// What a lesson says that its author took back.
pub(crate) const WITHDRAWN_WORDS: &str = "an agent took it back";

impl Retirement {
    /// Reads the words by which a row of an earlier version says why.
    pub fn from_words(why: &str) -> Self {
        let is_between = |begin: &str, end: &str| why.starts_with(begin) && why.ends_with(end);
        match why {
            WITHDRAWN_WORDS => Self::Withdrawn,
            CROWDED_WORDS => Self::Crowded,
            _ if is_between("expired on ", "") && why.len() == "expired on 2026-01-01".len() => {
                Self::Expired
            }
            _ if is_between("never shown in ", " days") => Self::NeverNeeded,
            _ if is_between("the ", " that made it was taken back") => Self::TakenBack,
            _ => Self::Dismissed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_earlier_rows_are_read() {
        let check = |words: &str, expected| assert_eq!(Retirement::from_words(words), expected);
        check("an agent took it back", Retirement::Withdrawn);
        check(CROWDED_WORDS, Retirement::Crowded);
        check("expired on 2026-11-01", Retirement::Expired);
        check("never shown in 180 days", Retirement::NeverNeeded);
        check(
            "the sweep that made it was taken back",
            Retirement::TakenBack,
        );
        check(
            "the audit that made it was taken back",
            Retirement::TakenBack,
        );
        check("expired on the day that we moved", Retirement::Dismissed);
        check("it was wrong", Retirement::Dismissed);
        check("", Retirement::Dismissed);
    }
}

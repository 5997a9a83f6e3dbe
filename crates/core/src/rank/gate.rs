//! Decides whether a candidate may be shown: its state, its targets, the floor, its similarity to what is shown
//! already, and how many there are.

use jiff::Timestamp;

use super::{ExclusionReason, RankPolicy, Requester, ScoredHit, duplicates, similarity};
use crate::{
    lesson::{Lesson, Status},
    limits,
    text::CleanText,
    tokens::QueryTerms,
};

/// The request that candidates are checked against.
pub(super) struct RankGate<'a> {
    pub(super) query: &'a QueryTerms,
    pub(super) asker: &'a Requester,
    pub(super) policy: RankPolicy,
    pub(super) now: Timestamp,
}

impl RankGate<'_> {
    /// Returns why a candidate is not shown, given the better ones that are; `None` if it is shown.
    pub(super) fn exclusion_reason(
        &self,
        candidate: &ScoredHit,
        shown: &[ScoredHit],
    ) -> Option<ExclusionReason> {
        let floor = similarity::required_relevance(
            self.policy.floor,
            candidate.explanation.similarity.as_ref(),
        );
        let relevance = candidate.explanation.relevance;
        let limit = self.policy.limit.min(limits::CANDIDATES);
        if let Some(why) = inactive_reason(&candidate.lesson, self.now) {
            Some(why)
        } else if !self.is_for_requester(&candidate.lesson) {
            Some(ExclusionReason::NotTargeted)
        } else if relevance < floor {
            Some(ExclusionReason::BelowFloor { relevance, floor })
        } else if shown.len() >= limit {
            Some(ExclusionReason::OverLimit { limit })
        } else {
            let twin = shown
                .iter()
                .find(|other| duplicates::are_duplicates(candidate, other))?;
            Some(ExclusionReason::NearDuplicate { of: twin.lesson.id })
        }
    }

    /// Returns whether the requester is one of a lesson's targets and the task one of its topics; true for a lesson
    /// without targets.
    fn is_for_requester(&self, lesson: &Lesson) -> bool {
        let content = &lesson.content;
        let has_topic =
            || content.tags.is_empty() || content.tags.iter().any(|it| self.has_tag(it));
        content.targets.is_empty() || (self.asker.is_targeted_by(content) && has_topic())
    }

    /// Returns whether the requester names this tag, or the prompt contains its words.
    fn has_tag(&self, tag: &CleanText) -> bool {
        let named = |it: &String| it.eq_ignore_ascii_case(tag.as_str());
        let words = QueryTerms::from_prompt(tag.as_str()).terms;
        let held =
            |(word, _): &(String, f32)| self.query.terms.iter().any(|(term, _)| term == word);
        self.asker.tags.iter().any(named) || (!words.is_empty() && words.iter().all(held))
    }
}

/// Returns why a lesson may not be recalled at this time; `None` if it may.
fn inactive_reason(lesson: &Lesson, now: Timestamp) -> Option<ExclusionReason> {
    let state = lesson.status.name();
    match lesson.expires_at {
        _ if lesson.is_recallable(now) => None,
        Some(at) if lesson.status == Status::Active => Some(ExclusionReason::Expired { at }),
        Some(_) | None => Some(ExclusionReason::Inactive { state }),
    }
}

/// Returns whether a name matches a shell pattern: `*` stands for any sequence of characters, `?` for any one,
/// `[a-z]` for one of these and `[!a-z]` for one of the others.
///
/// Case is ignored. Only the last star is ever retried, so the time is bounded by the product of the two lengths.
pub(crate) fn matches_glob(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().flat_map(char::to_lowercase).collect();
    let name: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, n));
            p += 1;
        } else if let Some(length) = match_one_char(&pattern[p..], name[n]) {
            p += length;
            n += 1;
        } else if let Some((star_p, star_n)) = star {
            star = Some((star_p, star_n + 1));
            p = star_p + 1;
            n = star_n + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&it| it == '*')
}

/// Returns the length of the pattern element at the beginning, if it stands for one character and matches this one. A
/// bracket that is not closed stands for itself.
fn match_one_char(pattern: &[char], c: char) -> Option<usize> {
    let is_one = match pattern.first()? {
        '?' => true,
        '[' => match parse_char_set(pattern) {
            Some((set, length)) => return set_contains(set, c).then_some(length),
            None => c == '[',
        },
        other => *other == c,
    };
    is_one.then_some(1)
}

/// Returns the content of the brackets at the beginning of a pattern, and the length of both.
fn parse_char_set(pattern: &[char]) -> Option<(&[char], usize)> {
    // A bracket in the first place belongs to the set.
    let first = if pattern.get(1) == Some(&'!') { 3 } else { 2 };
    let end = first + pattern.get(first..)?.iter().position(|it| *it == ']')?;
    Some((&pattern[1..end], end + 1))
}

fn set_contains(set: &[char], c: char) -> bool {
    let (set, is_held) = match set {
        ['!', rest @ ..] => (rest, false),
        _ => (set, true),
    };
    let mut rest = set;
    while let Some((first, after)) = rest.split_first() {
        let (last, after) = match after {
            ['-', last, after @ ..] => (last, after),
            _ => (first, after),
        };
        if (*first..=*last).contains(&c) {
            return is_held;
        }
        rest = after;
    }
    !is_held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, name, expected) in [
            ("reviewer", "Reviewer", true),
            ("reviewer", "reviewers", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("acme/*", "acme/billing", true),
            ("*-bot", "deploy-bot", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("**x", "aax", true),
            ("é*", "ÉCOLE", true),
            ("sql-?ine", "sql-line", true),
            ("sql-?ine", "sql-ine", false),
            ("?*", "", false),
            ("[st]ql", "sql", true),
            ("[st]ql", "pql", false),
            ("v[0-9].[!0-3]", "v2.4", true),
            ("v[0-9].[!0-3]", "v2.3", false),
            ("*-[a-c]", "x-y-B", true),
            ("[]]", "]", true),
            ("[-a]", "-", true),
            ("a[b", "a[b", true),
        ] {
            assert_eq!(matches_glob(pattern, name), expected, "{pattern} {name}");
        }
    }
}

//! Tells a group of lessons by the best of them, where there is no model: the best phrased of the most trusted.
//!
//! It is told for those of which it says most; the others stay as they are, because they would be lost.

use super::{
    lexicon::Lexicon,
    merge::MergeRefusal,
    profile::{Profile, is_telling},
    similarity::is_same_concern,
};
use crate::{id::LessonId, lesson::Lesson};

/// The share of what tells a lesson apart that another one must say to be told for it without new words.
const COVERED_TERMS: f64 = 0.5;
/// The share of its names.
const COVERED_NAMES: f64 = 0.66;
/// A text of this many characters is long enough to say what to do, and short enough to be read.
const GOOD_LENGTH: std::ops::RangeInclusive<usize> = 40..=320;

/// Returns the lesson of a group that stays when there is no model: of the most trusted the best phrased.
#[must_use]
pub fn choose_survivor<'a>(members: &[&'a Lesson]) -> Option<&'a Lesson> {
    let is_outranked = |it: &Lesson| {
        members
            .iter()
            .any(|other| other.trust != it.trust && other.trust.is_at_least(it.trust))
    };
    let best = members
        .iter()
        .filter(|it| !is_outranked(it))
        .max_by_key(|it| (rate_phrasing(it), std::cmp::Reverse(it.id)));
    best.copied()
}

/// Decides which lessons of a group are told by its best one: those of which it says most, and those that are mainly
/// about the same concerns. The others would be lost.
///
/// # Errors
///
/// That it would lose all others; then the group stays as it is.
pub fn absorb_by_rules(members: &[&Lesson]) -> Result<(LessonId, Vec<LessonId>), MergeRefusal> {
    let lost = |kept| MergeRefusal::LosesTooMuch {
        kept,
        of: members.len(),
    };
    let survivor = choose_survivor(members).ok_or_else(|| lost(0))?;
    let lexicon = Lexicon::shared();
    let whole = Profile::from_lesson(survivor, lexicon);
    let others = members.iter().filter(|it| it.id != survivor.id);
    let told = others.filter(|it| {
        let profile = Profile::from_lesson(it, lexicon);
        says_most(&whole, &profile) || is_same_concern(&whole, &profile, lexicon)
    });
    let told: Vec<LessonId> = told.map(|it| it.id).collect();
    match told.is_empty() {
        true => Err(lost(1)),
        false => Ok((survivor.id, told)),
    }
}

/// Returns whether one lesson says most of what tells another one from the rest, and most of its names.
fn says_most(whole: &Profile, part: &Profile) -> bool {
    let covers = |terms: &[&String], share: f64| {
        let shared = terms.iter().filter(|it| whole.terms.contains(**it)).count();
        shared as f64 >= share * terms.len() as f64
    };
    let telling: Vec<&String> = part.terms.iter().filter(|it| is_telling(it)).collect();
    let names: Vec<&String> = part.names.iter().collect();
    covers(&telling, COVERED_TERMS) && covers(&names, COVERED_NAMES)
}

/// Rates how well a lesson is put: what helped first, then a short instruction that names what it is about and nothing
/// incidental.
fn rate_phrasing(lesson: &Lesson) -> (i64, i64) {
    let content = &lesson.content;
    let text = content.text.as_str();
    let counts = &lesson.counts;
    let margin = i64::try_from(counts.helped).unwrap_or(i64::MAX / 2)
        - i64::try_from(counts.harmed).unwrap_or(0);
    let points = [
        (GOOD_LENGTH.contains(&text.chars().count()), 2),
        (!content.signature.is_blank(), 1),
        (begins_as_instruction(text), 2),
        (!names_incidentals(text), 2),
        (content.situation.is_some(), 1),
    ];
    (
        margin,
        points
            .iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, points)| points)
            .sum(),
    )
}

fn begins_as_instruction(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let plain = first
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    !plain.is_empty()
        && !matches!(
            plain.as_str(),
            "the" | "a" | "an" | "it" | "this" | "there" | "we" | "i" | "got" | "had"
        )
}

/// Returns whether a text names places that only one run has met: a line of a file, a revision.
fn names_incidentals(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_line = word.rsplit_once(':').is_some_and(|(path, line)| {
            path.contains('.') && !line.is_empty() && line.bytes().all(|it| it.is_ascii_digit())
        });
        let is_revision = word.len() >= 7
            && word.bytes().all(|it| it.is_ascii_hexdigit())
            && word.bytes().any(|it| it.is_ascii_digit())
            && word.bytes().any(|it| it.is_ascii_alphabetic());
        is_line || is_revision
    })
}

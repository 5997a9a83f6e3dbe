//! Tells a group of lessons as one: by a model's words, or by the best of them.
//!
//! A model's words are a proposal. They must not contradict a lesson, must keep the names on which most of the group
//! depend, and must speak of more than half of it; a lesson of which they do not speak stays as it is. The guard has
//! its say besides. Without a model the best phrased of the most trusted stays and gets the others' evidence.

use std::collections::BTreeSet;

use super::{
    conflict::find_conflict,
    lexicon::Lexicon,
    profile::{Profile, is_telling},
    similarity::{TermStatistics, cosine, is_same_concern},
};
use crate::{
    evidence::Evidence,
    guard::{GuardPolicy, GuardVerdict, admit_draft},
    id::LessonId,
    lesson::{
        AdmittedLesson, Cause, Draft, Lesson, LessonContent, RunOutcome, Status, Trust, TrustClass,
    },
    limits,
    text::{CleanText, RawText},
};

/// Telling terms that words and a lesson must share for the words to speak of it.
const SHARED_TERMS: usize = 2;
/// How alike they must be otherwise.
const SPEAKS_OF: f64 = 0.2;
/// The share of what tells a lesson apart that another one must say to be told for it without new words.
const COVERED_TERMS: f64 = 0.5;
/// The share of its names.
const COVERED_NAMES: f64 = 0.66;
/// A text of this many characters is long enough to say what to do, and short enough to be read.
const GOOD_LENGTH: std::ops::RangeInclusive<usize> = 40..=320;

/// Why a model's words do not take the place of a group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeRefusal {
    /// They speak of too few of the lessons.
    #[error("it speaks of {kept} of {of} lessons, and would lose the others")]
    LosesTooMuch {
        /// How many it speaks of.
        kept: usize,
        /// How many there are.
        of: usize,
    },
    /// They leave out a name on which most of the lessons depend.
    #[error("it leaves out `{0}`, which most of the lessons name")]
    LosesName(String),
    /// They contradict a lesson.
    #[error("it contradicts {0}")]
    Contradicts(LessonId),
    /// The guard does not let them through.
    #[error("the guard holds it back: {0}")]
    Guard(String),
    /// The reply is not of the form asked for.
    #[error("{0}")]
    OffForm(String),
    /// The model finds nothing in common.
    #[error("the model finds nothing that they have in common")]
    NothingInCommon,
}

/// A lesson that takes the place of others, as the guard admitted it.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedLesson {
    /// The lessons whose place it takes; at least two.
    pub members: Vec<LessonId>,
    /// What it says.
    pub admitted: Box<AdmittedLesson>,
}

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
    let lexicon = Lexicon::build();
    let whole = Profile::from_lesson(survivor, &lexicon);
    let others = members.iter().filter(|it| it.id != survivor.id);
    let told = others.filter(|it| {
        let profile = Profile::from_lesson(it, &lexicon);
        says_most(&whole, &profile) || is_same_concern(&whole, &profile, &lexicon)
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

/// Decides whether a model's words may take the place of a group, and of which of its lessons.
///
/// # Errors
///
/// Why they may not; then the group stays as it is.
pub fn merge_by_words(
    members: &[&Lesson],
    words: LessonContent<RawText>,
    policy: &GuardPolicy,
) -> Result<MergedLesson, MergeRefusal> {
    // The guard cleans what is compared: first as if the words spoke of all.
    let admitted = admit_words(members, words.clone(), policy)?;
    let spoken_of = find_spoken_of(members, &admitted)?;
    let admitted = match spoken_of.len() == members.len() {
        true => admitted,
        false => admit_words(&spoken_of, words, policy)?,
    };
    Ok(MergedLesson {
        members: spoken_of.iter().map(|it| it.id).collect(),
        admitted: Box::new(admitted),
    })
}

fn admit_words(
    members: &[&Lesson],
    words: LessonContent<RawText>,
    policy: &GuardPolicy,
) -> Result<AdmittedLesson, MergeRefusal> {
    match admit_draft(draft_merged(members, words), policy) {
        GuardVerdict::Admitted(admitted) if admitted.status == Status::Active => Ok(*admitted),
        GuardVerdict::Admitted(admitted) => Err(MergeRefusal::Guard(match admitted.status {
            Status::Pending { why } => why.to_string(),
            _ => "it may not be recalled".to_owned(),
        })),
        GuardVerdict::Rejected { reasons } => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            Err(MergeRefusal::Guard(reasons.join("; ")))
        }
    }
}

/// Returns the lessons of which the words speak.
fn find_spoken_of<'a>(
    members: &[&'a Lesson],
    merged: &AdmittedLesson,
) -> Result<Vec<&'a Lesson>, MergeRefusal> {
    let lexicon = Lexicon::build();
    let profiles: Vec<Profile> = members
        .iter()
        .map(|it| Profile::from_lesson(it, &lexicon))
        .collect();
    let whole = Profile::from_lesson(&stand_in(merged, members), &lexicon);
    for profile in &profiles {
        if find_conflict(&whole, profile).is_some_and(|it| it != super::conflict::Conflict::Subject)
        {
            return Err(MergeRefusal::Contradicts(profile.id));
        }
    }
    let statistics = TermStatistics::from_profiles(
        &[profiles.as_slice(), std::slice::from_ref(&whole)].concat(),
    );
    let weighted = statistics.weigh_terms(&whole, &lexicon);
    let speaks_of = |it: &Profile| {
        let shared = it
            .terms
            .intersection(&whole.terms)
            .filter(|term| is_telling(term))
            .count();
        shared >= SHARED_TERMS
            || cosine(&weighted, &statistics.weigh_terms(it, &lexicon)) >= SPEAKS_OF
    };
    let spoken_of: Vec<&Lesson> = members
        .iter()
        .zip(&profiles)
        .filter(|(_, it)| speaks_of(it))
        .map(|(lesson, _)| *lesson)
        .collect();
    let (kept, of) = (spoken_of.len(), members.len());
    if kept < 2 || kept * 2 < of {
        return Err(MergeRefusal::LosesTooMuch { kept, of });
    }
    match find_lost_name(members, merged) {
        Some(name) => Err(MergeRefusal::LosesName(name)),
        None => Ok(spoken_of),
    }
}

/// Returns a name that most of the lessons give in their advice, and the words do not: a command, an option, a version,
/// a date.
fn find_lost_name(members: &[&Lesson], merged: &AdmittedLesson) -> Option<String> {
    let content = &merged.content;
    let parts = [
        Some(&content.signature),
        Some(&content.text),
        content.situation.as_ref(),
        content.mistake.as_ref(),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().map(CleanText::as_str).collect();
    let kept = parts.join(" ").to_lowercase();
    let advised: Vec<BTreeSet<String>> = members
        .iter()
        .map(|it| find_names(it.content.text.as_str()))
        .collect();
    let names: BTreeSet<&String> = advised.iter().flatten().collect();
    let mut lost = names.into_iter().filter(|name| {
        let holders = advised.iter().filter(|it| it.contains(*name)).count();
        holders > 1 && holders * 2 > members.len() && !kept.contains(name.as_str())
    });
    lost.next().cloned()
}

/// Returns the names in a text: the words of its code, and words with a digit or of several parts.
fn find_names(text: &str) -> BTreeSet<String> {
    let clean = |word: &str| {
        word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '-'))
            .to_lowercase()
    };
    let mut names = BTreeSet::new();
    for (place, part) in text.split('`').enumerate() {
        let words = part.split_whitespace().map(clean).filter(|it| it.len() > 1);
        names.extend(words.filter(|it| {
            let is_marked = it
                .chars()
                .any(|c| c.is_ascii_digit() || matches!(c, '_' | ':' | '/'))
                || it.starts_with("--");
            place % 2 == 1 || is_marked
        }));
    }
    names
}

/// Returns the words as a lesson, to be compared.
fn stand_in(merged: &AdmittedLesson, members: &[&Lesson]) -> Lesson {
    let mut lesson = (*members[0]).clone();
    lesson.admitted.content = merged.content.clone();
    lesson.admitted.failure = None;
    lesson.contradicts.clear();
    lesson.id = LessonId(0);
    lesson
}

/// Drafts the lesson that a model's words would be: as little trusted as the least of what it was made of.
fn draft_merged(members: &[&Lesson], words: LessonContent<RawText>) -> Draft {
    let raw = |text: &CleanText| RawText::from(text.as_str());
    let first = members[0];
    let mut content = words;
    let tags = members.iter().flat_map(|it| &it.content.tags).map(raw);
    add_names(&mut content.tags, tags, limits::TAGS);
    let tools = members.iter().flat_map(|it| &it.content.tools).map(raw);
    add_names(&mut content.tools, tools, limits::TOOLS);
    content.targets = first.content.map(raw).targets;
    let trust = members
        .iter()
        .fold(Trust::untainted(TrustClass::Distilled), |all, it| {
            all.combine_with(it.trust)
        });
    let outcomes: Vec<RunOutcome> = members.iter().map(|it| it.outcome).collect();
    let is_one = outcomes.iter().all(|it| *it == outcomes[0]);
    Draft {
        scope: first.scope.clone(),
        content,
        cause: Cause::Merged,
        outcome: if is_one {
            outcomes[0]
        } else {
            RunOutcome::Mixed
        },
        evidence: unite_evidence(members),
        trust,
        confidence: members.iter().map(|it| it.confidence).fold(1.0, f64::min),
        failure: None,
        expires_at: members
            .iter()
            .map(|it| it.expires_at)
            .collect::<Option<Vec<_>>>()
            .and_then(|it| it.into_iter().max()),
        supersedes: members.iter().map(|it| it.id).collect(),
        task: None,
    }
}

fn add_names(names: &mut Vec<RawText>, more: impl Iterator<Item = RawText>, limit: usize) {
    for name in more {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(limit);
}

/// Returns the evidence of all lessons: of each the first, then the rest, as far as there is room.
fn unite_evidence(members: &[&Lesson]) -> Vec<Evidence<RawText>> {
    let mut united: Vec<Evidence> = Vec::new();
    let firsts = members.iter().filter_map(|it| it.evidence.first());
    let rest = members.iter().flat_map(|it| it.evidence.iter().skip(1));
    for evidence in firsts.chain(rest) {
        let is_known = united
            .iter()
            .any(|it| it.kind == evidence.kind && it.reference == evidence.reference);
        if !is_known && united.len() < limits::EVIDENCE_ENTRIES {
            united.push(evidence.clone());
        }
    }
    united
        .iter()
        .map(|it| it.map(|text| RawText::from(text.as_str())))
        .collect()
}

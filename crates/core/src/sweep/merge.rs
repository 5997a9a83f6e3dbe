//! Decides whether the words of a model may take the place of the lessons that it takes for one group.
//!
//! Both are a proposal. No two of the lessons may be in a conflict that forbids it, whatever they have in common: as few
//! as possible stay out for that (`dissent`). The words must not contradict a lesson, must keep the names on which most of
//! them depend, and must speak of at least half; a lesson of which they do not speak stays as it is. That a lesson is
//! spoken of shows in two telling words of its own, by which it is also found, and in a name of its advice, if that has
//! any: what is paraphrased must still be there to be done. The guard has its say besides.

use std::collections::BTreeSet;

use super::{
    conflict::{Conflict, find_conflict},
    dissent::{SettledGroup, settle_conflicts},
    lexicon::Lexicon,
    profile::{Profile, is_telling},
    similarity::{TermStatistics, cosine},
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
    /// Two of the lessons may not be told as one.
    #[error("{0} and {1} {what}", what = .2.describe())]
    Apart(LessonId, LessonId, Conflict),
    /// There are more lessons than one is told for.
    #[error("it would be told for {0} lessons; at most {max} are", max = limits::SWEEP_CLUSTER)]
    TooMany(usize),
    /// A lesson is told in another group already.
    #[error("{0} is in another group already")]
    Taken(LessonId),
    /// The reply is not of the form asked for.
    #[error("{0}")]
    OffForm(String),
}

/// A lesson that takes the place of others, as the guard admitted it.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedLesson {
    /// The lessons whose place it takes; at least two.
    pub members: Vec<LessonId>,
    /// What it says.
    pub admitted: Box<AdmittedLesson>,
}

/// Decides whether a model's words may take the place of a group, and of which of its lessons.
///
/// # Errors
///
/// Why they may not; then the group stays as it is.
pub fn merge_by_words(
    all: &[&Lesson],
    words: LessonContent<RawText>,
    policy: &GuardPolicy,
) -> Result<MergedLesson, MergeRefusal> {
    let group = check_group(all)?;
    let members = select_members(all, &group.agreeing);
    let sides = select_members(all, &group.sides);
    // The guard cleans what is compared: first as if the words spoke of all.
    let admitted = admit_words(&members, words.clone(), policy)?;
    check_sides(&sides, &admitted)?;
    let spoken_of = find_spoken_of(&members, &admitted)?;
    let admitted = match spoken_of.len() == members.len() {
        true => admitted,
        false => admit_words(&spoken_of, words, policy)?,
    };
    Ok(MergedLesson {
        members: spoken_of.iter().map(|it| it.id).collect(),
        admitted: Box::new(admitted),
    })
}

/// Returns those of a group that are at these places.
fn select_members<'a>(lessons: &[&'a Lesson], places: &[usize]) -> Vec<&'a Lesson> {
    places.iter().map(|at| lessons[*at]).collect()
}

/// Returns which lessons may be one group, whoever says that they are.
fn check_group(all: &[&Lesson]) -> Result<SettledGroup, MergeRefusal> {
    if all.len() > limits::SWEEP_CLUSTER {
        return Err(MergeRefusal::TooMany(all.len()));
    }
    let lexicon = Lexicon::shared();
    let profiles: Vec<Profile> = (all.iter())
        .map(|it| Profile::from_lesson(it, lexicon))
        .collect();
    let mut conflicts = Vec::new();
    for (place, one) in profiles.iter().enumerate() {
        for (other_place, other) in profiles.iter().enumerate().skip(place + 1) {
            let conflict = find_conflict(one, other).filter(|it| it.is_veto());
            conflicts.extend(conflict.map(|it| (place, other_place, it)));
        }
    }
    // Words that were made of what another project says may not be told in this one, whoever stays out.
    let apart = (conflicts.iter()).find(|(.., it)| *it == Conflict::Audience);
    if let Some((a, b, conflict)) = apart {
        return Err(MergeRefusal::Apart(all[*a].id, all[*b].id, *conflict));
    }
    let pairs: Vec<(usize, usize)> = conflicts.iter().map(|(a, b, _)| (*a, *b)).collect();
    let group = settle_conflicts(all.len(), &pairs);
    match conflicts.first() {
        Some((a, b, conflict)) if group.agreeing.len() < 2 => {
            Err(MergeRefusal::Apart(all[*a].id, all[*b].id, *conflict))
        }
        _ => Ok(group),
    }
}

/// Checks that words take no side between lessons of which nobody knows which the group is about.
fn check_sides(sides: &[&Lesson], merged: &AdmittedLesson) -> Result<(), MergeRefusal> {
    let lexicon = Lexicon::shared();
    let is_against = |it: &&&Lesson| {
        let whole = Profile::from_lesson(&stand_in(merged, sides), lexicon);
        find_conflict(&whole, &Profile::from_lesson(it, lexicon)).is_some_and(Conflict::is_veto)
    };
    match sides.iter().find(is_against) {
        Some(it) => Err(MergeRefusal::Contradicts(it.id)),
        None => Ok(()),
    }
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
    let lexicon = Lexicon::shared();
    let profiles: Vec<Profile> = members
        .iter()
        .map(|it| Profile::from_lesson(it, lexicon))
        .collect();
    let whole = Profile::from_lesson(&stand_in(merged, members), lexicon);
    for profile in &profiles {
        if find_conflict(&whole, profile).is_some_and(Conflict::is_veto) {
            return Err(MergeRefusal::Contradicts(profile.id));
        }
    }
    let statistics = TermStatistics::from_profiles(
        &[profiles.as_slice(), std::slice::from_ref(&whole)].concat(),
    );
    let weighted = statistics.weigh_terms(&whole, lexicon);
    let said = join_words(&merged.content);
    if let Some(name) = find_lost_name(members, &said) {
        return Err(MergeRefusal::LosesName(name));
    }
    let speaks_of = |lesson: &Lesson, it: &Profile| {
        let shared = it
            .terms
            .intersection(&whole.terms)
            .filter(|term| is_telling(term))
            .count();
        let is_recognised = shared >= SHARED_TERMS
            || cosine(&weighted, &statistics.weigh_terms(it, lexicon)) >= SPEAKS_OF;
        is_recognised && keeps_a_name(&said, lesson)
    };
    let spoken_of: Vec<&Lesson> = members
        .iter()
        .zip(&profiles)
        .filter(|(lesson, it)| speaks_of(lesson, it))
        .map(|(lesson, _)| *lesson)
        .collect();
    let (kept, of) = (spoken_of.len(), members.len());
    if kept < 2 || kept * 2 < of {
        return Err(MergeRefusal::LosesTooMuch { kept, of });
    }
    Ok(spoken_of)
}

/// Returns all that a lesson says, in lower case.
fn join_words(content: &LessonContent) -> String {
    let parts = [
        Some(&content.signature),
        Some(&content.text),
        content.situation.as_ref(),
        content.mistake.as_ref(),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().map(CleanText::as_str).collect();
    parts.join(" ").to_lowercase()
}

/// Returns whether words keep any of the names in a lesson's advice; they do if there is none.
fn keeps_a_name(said: &str, lesson: &Lesson) -> bool {
    let names = find_names(lesson.content.text.as_str());
    names.is_empty() || names.iter().any(|name| says_name(said, name))
}

/// Returns whether a name stands in what is said, and not only as a part of another word.
fn says_name(said: &str, name: &str) -> bool {
    said.match_indices(name).any(|(at, _)| {
        let before = said[..at].chars().next_back();
        let after = said[at + name.len()..].chars().next();
        ![before, after]
            .into_iter()
            .flatten()
            .any(char::is_alphanumeric)
    })
}

/// Returns a name that most of the lessons give in their advice, and the words do not: a command, an option, a version,
/// a date.
fn find_lost_name(members: &[&Lesson], said: &str) -> Option<String> {
    let advised: Vec<BTreeSet<String>> = members
        .iter()
        .map(|it| find_names(it.content.text.as_str()))
        .collect();
    let names: BTreeSet<&String> = advised.iter().flatten().collect();
    let mut lost = names.into_iter().filter(|name| {
        let holders = advised.iter().filter(|it| it.contains(*name)).count();
        holders > 1 && holders * 2 > members.len() && !says_name(said, name)
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

//! Decides what an admitted lesson means for the existing lessons.
//!
//! The questions, in order: is the same thing known already (then it is reinforced); if not, is there room (else the
//! least useful lessons leave); does it replace others; does another say the opposite.
//!
//! Only a person's own words raise trust: merging with a more trusted lesson neither lowers that one nor raises the
//! new one, and nothing replaces a lesson of higher trust.

use std::cell::LazyCell;

use jiff::Timestamp;

use super::{
    EvictionCandidate, Meaning, evict, has_same_audience, is_same_source,
    meaning::is_exact,
    note_outside_evidence,
    restate::{find_moments_to_add, is_restatement},
};
use crate::Change;
use crate::{
    AdmittedLesson, CleanText, Evidence, Lesson, LessonContent, LessonId, RecordDelta, Retirement,
    Status, Triggers, Trust, TrustClass,
    guard::{InspectionVerdict, inspect_text},
    lesson::{CROWDED_WORDS, Cause, WITHDRAWN_WORDS},
    limits,
};

/// The reason why a lesson is replaced by one that names it.
const NAMED_AS_REPLACED: &str = "the new one says that it replaces it";
/// The reason why an expired lesson is replaced by one that says the same.
const EXPIRED: &str = "the same was learned again after it had expired";
/// The reason why a waiting lesson is replaced by one that says the same.
const BETTER_SOURCE: &str = "the same was learned from a better source";

/// The reason why a person's word is replaced by a later one that says the opposite.
const TAKEN_BACK: &str = "a person said the opposite later";

/// What a decision about one admitted lesson needs to know from the store.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionContext {
    /// The number that a new lesson would get.
    pub next_id: LessonId,
    /// Lessons of the same scope, in any state, whose words give the same keys or whose sentence is nearest.
    pub similar: Vec<Lesson>,
    /// The lessons that it names as replaced, as far as they belong to the same agent.
    pub replaced: Vec<Lesson>,
    /// How many active learned lessons the scope holds: all but those that a person wrote.
    pub learned_count: usize,
    /// The lessons that could leave, if one more would exceed the capacity; else empty.
    pub eviction_candidates: Vec<EvictionCandidate>,
}

/// What an admitted lesson turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecisionOutcome {
    /// It is a new lesson.
    Added,
    /// The lesson was known but out of use, and is in use again.
    Revived,
    /// The lesson was known, and got new evidence.
    Reinforced,
    /// The lesson was known from the same source: nothing changes.
    Known,
}

/// The decision about an admitted lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonDecision {
    /// The lesson that now says it: the new one or the one that was there.
    pub lesson: LessonId,
    /// Whether it was added, reinforced or known.
    pub outcome: DecisionOutcome,
    /// The changes to commit, in order; may be empty.
    pub changes: Vec<Change>,
}

/// Decides what to do with an admitted lesson.
///
/// `capacity` is the number of active learned lessons that its scope may hold.
pub fn decide_admission(
    admitted: AdmittedLesson,
    known: &DecisionContext,
    capacity: usize,
    now: Timestamp,
) -> LessonDecision {
    match find_twin(&admitted, &known.similar, now) {
        Some(twin) if !is_better_source(&admitted, twin) => {
            reinforce_twin(&admitted, twin, known, capacity, now)
        }
        other => add_lesson(admitted, other, known, capacity, now),
    }
}

/// Returns what a person's approval of a waiting lesson changes; `why` is their comment.
///
/// The lesson becomes active, what it replaces is superseded unless that is more trusted, and if its scope is full,
/// the least useful lessons leave. A lesson that was taken out because it probably harms starts anew: its counts
/// stay, the effect of outcomes on its posterior is taken back.
pub fn approve_lesson(
    lesson: &Lesson,
    known: &DecisionContext,
    capacity: usize,
    why: Option<CleanText>,
    now: Timestamp,
) -> Vec<Change> {
    let mut changes = Vec::new();
    if lesson.status != Status::Active && is_learned(lesson.trust) {
        changes.extend(make_room(known, capacity, now));
    }
    if matches!(lesson.status, Status::Quarantined { .. }) {
        // What was held against it would take it out again at the next trouble.
        changes.push(reset_posterior(lesson));
    }
    changes.push(Change::Approve { id: lesson.id, why });
    let old_lessons = known
        .replaced
        .iter()
        .filter(|old| may_replace(lesson, old) || may_be_told_for(lesson, old));
    changes.extend(supersede_all(old_lessons, lesson.id, NAMED_AS_REPLACED));
    changes
}

/// Returns whether an approved lesson that is told for others takes the place of this one: a person has seen both, and
/// only what a person wrote stays for good.
fn may_be_told_for(merged: &Lesson, old: &Lesson) -> bool {
    merged.cause == Cause::Merged
        && old.trust.class != TrustClass::Person
        && merged.scope.is_visible_from(&old.scope)
}

/// Returns what gives a lesson that was taken out a new start: what outcomes made of the belief is
/// taken back, the counts stay.
fn reset_posterior(lesson: &Lesson) -> Change {
    Change::Credit {
        id: lesson.id,
        delta: RecordDelta {
            gaussian_message: -lesson.counts.gaussian_message,
            ..RecordDelta::default()
        },
    }
}

/// Returns the state of a lesson that had to leave because the scope was full.
pub fn evicted_status() -> Status {
    Status::Archived {
        by: Retirement::Crowded,
        why: CleanText::from_literal(CROWDED_WORDS),
    }
}

/// Returns the state of a lesson that an agent withdrew.
pub fn withdrawn_status() -> Status {
    Status::Archived {
        by: Retirement::Withdrawn,
        why: CleanText::from_literal(WITHDRAWN_WORDS),
    }
}

fn reinforce_twin(
    admitted: &AdmittedLesson,
    twin: &Lesson,
    known: &DecisionContext,
    capacity: usize,
    now: Timestamp,
) -> LessonDecision {
    let id = twin.id;
    let mut changes = vouch_for_twin(admitted, twin);
    let trust = if changes.is_empty() {
        twin.trust
    } else {
        admitted.trust
    };
    let new_evidence = find_new_evidence(admitted, twin);
    let is_said_again = admitted.cause == Cause::Correction && new_evidence.is_some();
    changes.extend(new_evidence);
    if !says_the_same(&admitted.content, &twin.content) {
        changes.extend(add_moments(admitted, twin));
    }
    let is_revived = is_revived(admitted, twin, !changes.is_empty(), is_said_again);
    if is_revived {
        if is_learned(trust) {
            changes.extend(make_room(known, capacity, now));
        }
        let status = Status::Active;
        changes.push(Change::SetStatus { id, status });
    }
    if is_revived || twin.status == Status::Active {
        let old_lessons =
            find_replaceable(admitted, known).filter(|old| trust.is_at_least(old.trust));
        changes.extend(supersede_all(old_lessons, id, NAMED_AS_REPLACED));
    }
    let verdict = if is_revived {
        DecisionOutcome::Revived
    } else if changes.is_empty() {
        DecisionOutcome::Known
    } else {
        DecisionOutcome::Reinforced
    };
    LessonDecision {
        lesson: id,
        outcome: verdict,
        changes,
    }
}

/// Returns what changes when a lesson that only restates one comes up elsewhere too: that one does from then on.
fn add_moments(admitted: &AdmittedLesson, twin: &Lesson) -> Option<Change> {
    let content = Box::new(find_moments_to_add(admitted, twin)?);
    let id = twin.id;
    (*content != twin.content).then_some(Change::Revise { id, content })
}

/// Returns what changes when lessons are told by one of them, or by one that was made of them: it gets their evidence,
/// and they are superseded by it. It must already be there, or be added before.
pub fn absorb_lessons(survivor: &Lesson, members: &[&Lesson], why: &CleanText) -> Vec<Change> {
    let mut changes: Vec<Change> = (members.iter())
        .filter_map(|member| find_new_evidence(&member.admitted, survivor))
        .collect();
    changes.extend(members.iter().map(|old| Change::Supersede {
        id: old.id,
        by: survivor.id,
        why: Some(why.clone()),
    }));
    changes
}

/// Returns the decision about a lesson that gives the advice of one that is there, at the same moment: it is one more source
/// of that one.
pub fn confirm_lesson(admitted: &AdmittedLesson, known: &Lesson) -> LessonDecision {
    let changes: Vec<Change> = find_new_evidence(admitted, known).into_iter().collect();
    LessonDecision {
        lesson: known.id,
        outcome: if changes.is_empty() {
            DecisionOutcome::Known
        } else {
            DecisionOutcome::Reinforced
        },
        changes,
    }
}

/// Returns the evidence that a lesson does not have yet. Evidence of lower trust than the lesson is marked as such:
/// the lesson keeps its trust, and the evidence is not taken for better than it is.
fn find_new_evidence(admitted: &AdmittedLesson, twin: &Lesson) -> Option<Change> {
    let is_known = |new: &&Evidence| twin.evidence.iter().any(|old| is_same_source(old, new));
    let mut evidence: Vec<Evidence> = admitted
        .evidence
        .iter()
        .filter(|new| !is_known(new))
        .cloned()
        .collect();
    if twin.status == Status::Active && admitted.status != Status::Active {
        // Nobody has reviewed its words: the source counts as evidence, the words are left out.
        let is_file = admitted.trust.class == TrustClass::Imported;
        evidence.retain(|source| {
            let reasons = inspect_text(source.reference.as_str());
            !is_file && InspectionVerdict::from_reasons(&reasons) == InspectionVerdict::Clean
        });
        evidence
            .iter_mut()
            .for_each(|evidence| evidence.note = None);
    }
    if admitted.trust.tainted && !twin.trust.tainted {
        evidence.iter_mut().for_each(note_outside_evidence);
    }
    let id = twin.id;
    (!evidence.is_empty()).then_some(Change::Reinforce { id, evidence })
}

/// Returns what changes when a person states what a less trusted lesson says: the lesson gets the person's trust and
/// the person's words, because a text that is only nearly the same might hold more than they said.
fn vouch_for_twin(admitted: &AdmittedLesson, twin: &Lesson) -> Vec<Change> {
    let by_person = admitted.trust.class == TrustClass::Person;
    if !by_person || admitted.trust == twin.trust || !admitted.trust.is_at_least(twin.trust) {
        return Vec::new();
    }
    let (id, trust) = (twin.id, admitted.trust);
    let mut changes = vec![Change::Vouch { id, trust }];
    let content = Box::new(merge_person_words(admitted, twin));
    if *content != twin.content {
        changes.push(Change::Revise { id, content });
    }
    changes
}

/// Returns a person's words, with the tags and tools that a lesson from inside has besides.
fn merge_person_words(admitted: &AdmittedLesson, twin: &Lesson) -> LessonContent {
    let mut content = admitted.content.clone();
    if !twin.trust.is_from_outside() {
        content.tags = merge_names(content.tags, &twin.content.tags, limits::TAGS);
        content.tools = merge_names(content.tools, &twin.content.tools, limits::TOOLS);
    }
    content
}

fn merge_names(mut names: Vec<CleanText>, more: &[CleanText], limit: usize) -> Vec<CleanText> {
    for name in more {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.truncate(limit);
    names
}

/// Returns whether the same comes from a better source than a waiting lesson and may be recalled at once. It is then
/// added as a lesson of its own, with its own words.
fn is_better_source(admitted: &AdmittedLesson, twin: &Lesson) -> bool {
    admitted.status == Status::Active
        && matches!(twin.status, Status::Pending { .. })
        && admitted.trust != twin.trust
        && admitted.trust.is_at_least(twin.trust)
}

/// Returns whether a lesson that is not in use becomes active again: always on a person's word; otherwise if nobody had
/// anything against it, or if a person corrects an agent with it once more, in another run.
fn is_revived(
    admitted: &AdmittedLesson,
    twin: &Lesson,
    is_news: bool,
    is_said_again: bool,
) -> bool {
    let by_person = admitted.trust.class == TrustClass::Person;
    let is_welcome = match twin.status {
        Status::Archived { by, .. } => match by {
            Retirement::Withdrawn | Retirement::NeverNeeded => true,
            Retirement::Crowded => is_news,
            Retirement::Dismissed => is_said_again,
            Retirement::Expired | Retirement::TakenBack => false,
        },
        _ => false,
    };
    admitted.status == Status::Active && twin.status != Status::Active && (by_person || is_welcome)
}

fn add_lesson(
    admitted: AdmittedLesson,
    waiting: Option<&Lesson>,
    known: &DecisionContext,
    capacity: usize,
    now: Timestamp,
) -> LessonDecision {
    let id = known.next_id;
    let mut changes = Vec::new();
    if admitted.status == Status::Active && is_learned(admitted.trust) {
        changes.extend(make_room(known, capacity, now));
    }
    changes.push(Change::Add {
        id,
        admitted: Box::new(admitted.clone()),
    });
    changes.extend(supersede_all(waiting, id, BETTER_SOURCE));
    changes.extend(supersede_all(
        find_expired_twins(&admitted, known, now),
        id,
        EXPIRED,
    ));
    changes.extend(supersede_all(
        find_replaceable(&admitted, known),
        id,
        NAMED_AS_REPLACED,
    ));
    let opponents: Vec<LessonId> = find_opposed(&admitted.content, &known.similar, now).collect();
    let taken_back = || find_taken_back(&admitted, known, &opponents);
    changes.extend(supersede_all(taken_back(), id, TAKEN_BACK));
    let old_ids: Vec<LessonId> = find_replaceable(&admitted, known)
        .chain(taken_back())
        .map(|replaceable| replaceable.id)
        .collect();
    let opposites = opponents
        .iter()
        .filter(|opposite| !old_ids.contains(opposite));
    changes.extend(opposites.flat_map(|other| mark_opposites(id, *other)));
    LessonDecision {
        lesson: id,
        outcome: DecisionOutcome::Added,
        changes,
    }
}

/// Returns the lessons that an admitted lesson names as replaced and may replace; none while it waits.
fn find_replaceable<'a>(
    admitted: &AdmittedLesson,
    known: &'a DecisionContext,
) -> impl Iterator<Item = &'a Lesson> {
    known
        .replaced
        .iter()
        .filter(move |old| admitted.status == Status::Active && may_replace(admitted, old))
}

/// Returns the earlier corrections of which a correction says the opposite: the later word of a person holds.
fn find_taken_back<'a>(
    admitted: &'a AdmittedLesson,
    known: &'a DecisionContext,
    opposed: &'a [LessonId],
) -> impl Iterator<Item = &'a Lesson> {
    let is_word = admitted.status == Status::Active && admitted.cause == Cause::Correction;
    known.similar.iter().filter(move |old| {
        is_word
            && old.cause == Cause::Correction
            && opposed.contains(&old.id)
            && may_replace(admitted, old)
    })
}

/// Returns whether a lesson may replace another automatically: the other must not be more trusted, and all who saw it
/// must see the new one.
pub fn may_replace(new: &AdmittedLesson, old: &Lesson) -> bool {
    new.trust.is_at_least(old.trust) && new.scope.is_visible_from(&old.scope)
}

/// Returns the lessons that said the same until they expired, and may be replaced.
fn find_expired_twins<'a>(
    admitted: &'a AdmittedLesson,
    known: &'a DecisionContext,
    now: Timestamp,
) -> impl Iterator<Item = &'a Lesson> {
    known.similar.iter().filter(move |similar| {
        admitted.status == Status::Active
            && may_replace(admitted, similar)
            && is_expired(similar, now)
            && says_the_same(&admitted.content, &similar.content)
    })
}

/// Archives the least useful lessons, so that there is room for one more.
pub(super) fn make_room(
    known: &DecisionContext,
    capacity: usize,
    now: Timestamp,
) -> impl Iterator<Item = Change> {
    evict::choose_evicted(
        &known.eviction_candidates,
        known.learned_count,
        capacity,
        now,
    )
    .into_iter()
    .map(|id| Change::SetStatus {
        id,
        status: evicted_status(),
    })
}

pub(super) fn is_learned(trust: Trust) -> bool {
    trust.class != TrustClass::Person
}

fn supersede_all<'a>(
    replaced: impl IntoIterator<Item = &'a Lesson>,
    by: LessonId,
    why: &'static str,
) -> impl Iterator<Item = Change> {
    replaced
        .into_iter()
        .filter(move |old| old.id != by && !matches!(old.status, Status::Superseded { .. }))
        .map(move |old| Change::Supersede {
            id: old.id,
            by,
            why: Some(CleanText::from_literal(why)),
        })
}

/// Returns the lesson that says the same already: an active one first, then the oldest.
fn find_twin<'a>(
    admitted: &AdmittedLesson,
    near: &'a [Lesson],
    now: Timestamp,
) -> Option<&'a Lesson> {
    near.iter()
        .filter(|near| !is_expired(near, now))
        .filter(|near| {
            // What was replaced or put away is no reason to leave out what comes in other words.
            says_the_same(&admitted.content, &near.content)
                || is_in_use(near, now) && is_restatement(admitted, near)
        })
        .min_by_key(|near| (near.status != Status::Active, near.id))
}

/// Returns whether two lessons say the same to the same people, in the same words or nearly.
pub fn says_the_same(a: &LessonContent, b: &LessonContent) -> bool {
    is_exact(a, b)
        || has_same_audience(a, b) && Meaning::from_content(a).is_same(&Meaning::from_content(b))
}

/// Returns whether a lesson said something until its time was over, whether or not a sweep has archived it since.
pub fn is_expired(lesson: &Lesson, now: Timestamp) -> bool {
    match lesson.status {
        Status::Active => !lesson.is_recallable(now),
        Status::Archived { by, .. } => by == Retirement::Expired,
        _ => false,
    }
}

/// Returns the active lessons that say the opposite.
pub(super) fn find_opposed(
    content: &LessonContent,
    near: &[Lesson],
    now: Timestamp,
) -> impl Iterator<Item = LessonId> {
    // Most lessons have none near, and reading one takes longer than storing it.
    let meaning = LazyCell::new(|| Meaning::from_content(content));
    let triggers = LazyCell::new(|| Triggers::from_content(content));
    near.iter()
        .filter(move |near| is_in_use(near, now))
        .filter(move |near| meaning.opposes(&Meaning::from_content(&near.content)))
        // Beside the same advice a *never* in another place turns nothing around.
        .filter(move |near| !triggers.advises_as(&Triggers::from_content(&near.content)))
        .map(|near| near.id)
}

/// Returns what marks two lessons as opposites of each other.
pub fn mark_opposites(one: LessonId, other: LessonId) -> [Change; 2] {
    let mark = |id, other| Change::Contradict { id, other };
    [mark(one, other), mark(other, one)]
}

pub(super) fn is_in_use(lesson: &Lesson, now: Timestamp) -> bool {
    let may_be_shown = matches!(lesson.status, Status::Active | Status::Pending { .. });
    may_be_shown && !is_expired(lesson, now)
}

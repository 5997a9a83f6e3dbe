//! What an admitted lesson means for the lessons that are there.
//!
//! The order of the questions: is the same thing known already (then it is reinforced); if not, is
//! there room (then the least useful ones leave); does it replace any; does any say the opposite.

use jiff::Timestamp;

use super::{Change, Meaning, is_same_source, meaning::is_exact};
use crate::{
    id::LessonId,
    lesson::{Admitted, Content, Lesson, Status, Trust, TrustClass},
    text::CleanText,
};

/// Why a lesson left that was over capacity; [`evicted`] makes the state.
const EVICTED: &str = "the scope was full and this lesson was the least useful";

/// What a decision about one admitted lesson must know of the store.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The number that the lesson would get.
    pub next: LessonId,
    /// Lessons of the same scope that are about the same words, in whatever state.
    pub near: Vec<Lesson>,
    /// Those that it names as replaced, as far as they are the same agent's.
    pub replaced: Vec<Lesson>,
    /// How many active learned lessons the scope holds: all but those that a person wrote.
    pub learned: usize,
    /// The least useful of these first; as many as would have to leave.
    pub least: Vec<LessonId>,
}

/// What became of an admitted lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It is a new lesson.
    Added,
    /// The same thing was known, and now more speaks for it.
    Reinforced,
    /// The same thing was known from the same source: nothing to do.
    Known,
}

/// What is to be done about an admitted lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The lesson that now says it.
    pub lesson: LessonId,
    /// What became of it.
    pub verdict: Verdict,
    /// What to commit, in order; may be nothing.
    pub changes: Vec<Change>,
}

/// Decides what becomes of an admitted lesson.
///
/// `capacity` is the number of active learned lessons that its scope may hold.
#[must_use]
pub fn decide(admitted: Admitted, known: &Known, capacity: usize, now: Timestamp) -> Decision {
    match twin(&admitted, &known.near, now) {
        Some(twin) => reinforce(&admitted, twin, known, capacity),
        None => add(admitted, known, capacity, now),
    }
}

/// Returns what a person's yes to a waiting lesson changes: it becomes active, what it replaces
/// steps back, and if its scope is full, the least useful leave.
#[must_use]
pub fn approve(lesson: &Lesson, known: &Known, capacity: usize) -> Vec<Change> {
    let mut changes = Vec::new();
    if lesson.status != Status::Active && is_learned(lesson.trust) {
        changes.extend(make_room(known, capacity));
    }
    changes.push(Change::SetStatus {
        id: lesson.id,
        status: Status::Active,
    });
    changes.extend(supersede(&known.replaced, lesson.id));
    changes
}

/// Returns the state of a lesson that had to leave because the scope was full. Unlike any other
/// archived lesson it comes back when it is learned again.
#[must_use]
pub fn evicted() -> Status {
    Status::Archived {
        why: CleanText::assume(EVICTED.to_owned()),
    }
}

fn reinforce(admitted: &Admitted, twin: &Lesson, known: &Known, capacity: usize) -> Decision {
    let id = twin.id;
    let mut changes = Vec::new();
    let fresh: Vec<_> = admitted
        .evidence
        .iter()
        .filter(|new| !twin.evidence.iter().any(|old| is_same_source(old, new)))
        .cloned()
        .collect();
    if !fresh.is_empty() {
        changes.push(Change::Reinforce {
            id,
            evidence: fresh,
        });
    }
    let by_person = admitted.trust.class == TrustClass::Person;
    if by_person && twin.trust != admitted.trust {
        changes.push(Change::Vouch {
            id,
            trust: admitted.trust,
        });
    }
    if is_revived(admitted, twin, !changes.is_empty()) {
        if is_learned(if by_person {
            admitted.trust
        } else {
            twin.trust
        }) {
            changes.extend(make_room(known, capacity));
        }
        changes.push(Change::SetStatus {
            id,
            status: Status::Active,
        });
    }
    changes.extend(supersede(replaceable(admitted, known), id));
    let verdict = if changes.is_empty() {
        Verdict::Known
    } else {
        Verdict::Reinforced
    };
    Decision {
        lesson: id,
        verdict,
        changes,
    }
}

/// A person's word makes a lesson active whatever it was; otherwise only what left for want of
/// room comes back, and only when something new speaks for it.
fn is_revived(admitted: &Admitted, twin: &Lesson, is_news: bool) -> bool {
    let by_person = admitted.trust.class == TrustClass::Person;
    admitted.status == Status::Active
        && twin.status != Status::Active
        && (by_person || (is_news && twin.status == evicted()))
}

fn add(admitted: Admitted, known: &Known, capacity: usize, now: Timestamp) -> Decision {
    let id = known.next;
    let mut changes = Vec::new();
    if admitted.status == Status::Active && is_learned(admitted.trust) {
        changes.extend(make_room(known, capacity));
    }
    changes.push(Change::Add {
        id,
        admitted: Box::new(admitted.clone()),
    });
    changes.extend(supersede(outdated(&admitted.content, known, now), id));
    changes.extend(supersede(replaceable(&admitted, known), id));
    for other in opposites(&admitted.content, known, now) {
        changes.push(Change::Contradict { id, other });
        changes.push(Change::Contradict {
            id: other,
            other: id,
        });
    }
    Decision {
        lesson: id,
        verdict: Verdict::Added,
        changes,
    }
}

/// Returns what an admitted lesson may replace: nothing while it waits for review, and never what
/// stands on a better word than its own.
fn replaceable<'a>(admitted: &Admitted, known: &'a Known) -> impl Iterator<Item = &'a Lesson> {
    let (trust, is_active) = (admitted.trust, admitted.status == Status::Active);
    known
        .replaced
        .iter()
        .filter(move |old| is_active && old.trust.lowest(trust) == old.trust)
}

/// Returns the lessons that said the same until they expired.
fn outdated<'a>(
    content: &'a Content,
    known: &'a Known,
    now: Timestamp,
) -> impl Iterator<Item = &'a Lesson> {
    known
        .near
        .iter()
        .filter(move |it| is_expired(it, now) && is_twin(content, &it.content))
}

/// Archives the least useful, so that one more has room.
fn make_room(known: &Known, capacity: usize) -> impl Iterator<Item = Change> {
    let surplus = (known.learned + 1).saturating_sub(capacity);
    known
        .least
        .iter()
        .take(surplus)
        .map(|&id| Change::SetStatus {
            id,
            status: evicted(),
        })
}

fn is_learned(trust: Trust) -> bool {
    trust.class != TrustClass::Person
}

fn supersede<'a>(
    replaced: impl IntoIterator<Item = &'a Lesson>,
    by: LessonId,
) -> impl Iterator<Item = Change> {
    replaced
        .into_iter()
        .filter(move |old| old.id != by && !matches!(old.status, Status::Superseded { .. }))
        .map(move |old| Change::SetStatus {
            id: old.id,
            status: Status::Superseded { by },
        })
}

/// Returns the lesson that says the same already, an active one first, then the oldest.
fn twin<'a>(admitted: &Admitted, near: &'a [Lesson], now: Timestamp) -> Option<&'a Lesson> {
    near.iter()
        .filter(|it| !is_expired(it, now) && is_twin(&admitted.content, &it.content))
        .min_by_key(|it| (it.status != Status::Active, it.id))
}

fn is_twin(a: &Content, b: &Content) -> bool {
    is_exact(a, b) || is_near(a, b)
}

/// Returns whether two lessons say the same in nearly the same words to the same audience.
///
/// A different name given by the caller makes a different lesson, whatever the words.
fn is_near(a: &Content, b: &Content) -> bool {
    let tools_agree = a.tools.is_empty() || b.tools.is_empty() || is_same_set(&a.tools, &b.tools);
    a.reference == b.reference
        && is_same_set(&a.targets, &b.targets)
        && tools_agree
        && Meaning::of(a).is_same(&Meaning::of(b))
}

fn is_same_set<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    a.iter().all(|it| b.contains(it)) && b.iter().all(|it| a.contains(it))
}

fn is_expired(lesson: &Lesson, now: Timestamp) -> bool {
    lesson.status == Status::Active && !lesson.is_recallable(now)
}

/// Returns the lessons in use that say the opposite and are not being replaced.
fn opposites(content: &Content, known: &Known, now: Timestamp) -> impl Iterator<Item = LessonId> {
    let meaning = Meaning::of(content);
    known
        .near
        .iter()
        .filter(move |it| is_in_use(it, now))
        .filter(|it| !known.replaced.iter().any(|old| old.id == it.id))
        .filter(move |it| meaning.opposes(&Meaning::of(&it.content)))
        .map(|it| it.id)
}

fn is_in_use(lesson: &Lesson, now: Timestamp) -> bool {
    let may_be_shown = matches!(lesson.status, Status::Active | Status::Pending { .. });
    may_be_shown && !is_expired(lesson, now)
}

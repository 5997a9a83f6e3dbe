//! Which of two lessons holds, where not both can.
//!
//! A decision that was amended is replaced by its amendment, whatever else the two share. Of two lessons that say the
//! opposite, the newer decision wins, then the better word, that is the trust of its author, then the better record.
//! A less trusted author never takes a lesson's place; where nothing decides, a person does. Finding the pairs that
//! contradict each other is for `conflict`.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    conflict::Conflict,
    profile::{Profile, is_telling},
};
use crate::{
    id::LessonId,
    lesson::{Lesson, TrustClass},
    text::CleanText,
};

/// How alike an amendment and what it amends are, where it says that it amends something.
const STATED_TOPIC: f64 = 0.13;
/// How alike they are where it only says that something is so now.
const IMPLIED_TOPIC: f64 = 0.3;
/// What is less alike than this share of the most alike lesson is about something else.
const NEAR_BEST: f64 = 0.6;
/// How alike two lessons are that say the opposite of the same thing.
const OPPOSITE_TOPIC: f64 = 0.45;
/// How alike two lessons are that give two numbers for the same thing.
const VALUE_TOPIC: f64 = 0.6;
/// How many terms a lesson about one thing has at most.
const ONE_THING_TERMS: usize = 20;
/// By how many outcomes a record must be better to decide.
const RECORD_MARGIN: i64 = 2;

/// How many characters of a lesson say what kind it is.
const OPENING_CHARS: usize = 160;

/// Phrases by which a lesson says that it changes an earlier one.
const STATED: &[&str] = &[
    "amend",
    "supersede",
    "overrule",
    "overturn",
    "rescind",
    "revises",
    "revised decision",
    "revision of",
    "reverses",
    "reversed",
    "changed our mind",
    "change of plan",
    "no longer applies",
    "no longer holds",
    "new decision",
    "updated decision",
    "decision changed",
    "decision update",
    "update to the decision",
    "earlier decision",
    "previous decision",
    "prior decision",
    "original decision",
    "earlier rule",
    "previous rule",
    "earlier agreement",
    "previously agreed",
    "previously decided",
    "earlier choice",
    "previous choice",
    "earlier plan",
    "previous plan",
    "replaces the decision",
    "replaces the earlier",
    "replaces the previous",
    "replaces our",
    "replace the earlier",
    "instead of what",
    "we reconsidered",
    "reconsidered",
    "walked back",
    "withdrawn",
    "scrapped",
    "what we decided",
    "what was decided",
    "we decided otherwise",
    "contrary to what",
    "changes the decision",
    "changes the rule",
];
/// Phrases by which a lesson says that something is otherwise now.
const IMPLIED: &[&str] = &[
    "no longer",
    "any more",
    "anymore",
    "from now on",
    "as of ",
    "is now",
    "are now",
    "now uses",
    "now use",
    "we now",
    "now run",
    "switched to",
    "switched from",
    "moved from",
    "moved to",
    "changed to",
    "changed from",
    "migrated to",
    "was raised",
    "was lowered",
    "going forward",
];
/// Phrases by which a lesson says that it is a decision.
const DECIDED: &[&str] = &[
    "amend",
    "decid",
    "changed our mind",
    "change of plan",
    "reconsider",
    "supersed",
    "rule",
    "choice",
    "plan",
    "earlier",
    "previous",
    "decided",
    "decision",
    "agreed",
    "we chose",
    "policy",
    "rule for",
];

/// Why one lesson takes the place of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precedence {
    /// It amends the other, or decides otherwise later.
    NewerDecision,
    /// Its author is trusted more.
    BetterWord,
    /// It did better.
    BetterRecord,
}

impl Precedence {
    /// Returns the reason in words, for the journal.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::NewerDecision => "not both can hold, and this was decided later",
            Self::BetterWord => "not both can hold, and this comes from a more trusted author",
            Self::BetterRecord => "not both can hold, and this one did better",
        }
    }
}

/// What becomes of two lessons of which not both can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Succession {
    /// One takes the other's place.
    Decided {
        old: LessonId,
        by: LessonId,
        why: Precedence,
    },
    /// A person has to decide; until then `newer` is held back.
    Open { newer: LessonId, older: LessonId },
}

/// A pair of lessons that are about the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct AlikePair {
    pub(super) a: usize,
    pub(super) b: usize,
    /// How alike what they say is.
    pub(super) similarity: f64,
    /// How alike their subjects are: the same without regard to how much they say.
    pub(super) topic: f64,
    pub(super) conflict: Option<Conflict>,
}

/// Decides for all pairs, so that no lesson is replaced twice or by one that is itself replaced.
pub(super) fn decide_successions(
    lessons: &[&Lesson],
    profiles: &[Profile],
    pairs: &[AlikePair],
) -> Vec<Succession> {
    let mut found = find_amendments(lessons, profiles, pairs);
    for pair in pairs
        .iter()
        .filter(|it| cannot_both_hold(it) && is_about_one_thing(it, profiles))
    {
        let (older, newer) = order_by_age(lessons[pair.a], lessons[pair.b]);
        found.push(decide_pair(older, newer));
    }
    keep_consistent(found)
}

/// Returns whether two lessons are short enough to be about one thing each; in a long one any word meets its opposite.
fn is_about_one_thing(pair: &AlikePair, profiles: &[Profile]) -> bool {
    let is_short = |at: usize| profiles[at].terms.len() <= ONE_THING_TERMS;
    is_short(pair.a) && is_short(pair.b)
}

fn cannot_both_hold(pair: &AlikePair) -> bool {
    match pair.conflict {
        Some(Conflict::Opposite) => pair.topic >= OPPOSITE_TOPIC,
        Some(Conflict::Value) => pair.topic >= VALUE_TOPIC,
        _ => false,
    }
}

fn order_by_age<'a>(a: &'a Lesson, b: &'a Lesson) -> (&'a Lesson, &'a Lesson) {
    match (a.created, a.id) <= (b.created, b.id) {
        true => (a, b),
        false => (b, a),
    }
}

/// Decides between two lessons that contradict each other.
fn decide_pair(older: &Lesson, newer: &Lesson) -> Succession {
    let decided = |old: &Lesson, by: &Lesson, why| Succession::Decided {
        old: old.id,
        by: by.id,
        why,
    };
    let may_follow = newer.trust.is_at_least(older.trust);
    let both_persons =
        (older.trust.class, newer.trust.class) == (TrustClass::Person, TrustClass::Person);
    if may_follow && (both_persons || is_decision(newer)) {
        return decided(older, newer, Precedence::NewerDecision);
    }
    let record = compare_records(older, newer);
    if newer.trust != older.trust && may_follow && record <= 0 {
        return decided(older, newer, Precedence::BetterWord);
    }
    if newer.trust != older.trust && older.trust.is_at_least(newer.trust) && record >= 0 {
        return decided(newer, older, Precedence::BetterWord);
    }
    match record {
        1.. if older.trust.is_at_least(newer.trust) => {
            decided(newer, older, Precedence::BetterRecord)
        }
        ..=-1 if may_follow => decided(older, newer, Precedence::BetterRecord),
        _ => Succession::Open {
            newer: newer.id,
            older: older.id,
        },
    }
}

/// Returns 1 if the first did clearly better, -1 if the second did, else 0.
fn compare_records(a: &Lesson, b: &Lesson) -> i8 {
    let margin = |it: &Lesson| {
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX / 2);
        count(it.counts.helped) - count(it.counts.harmed)
    };
    match margin(a) - margin(b) {
        RECORD_MARGIN.. => 1,
        difference if difference <= -RECORD_MARGIN => -1,
        _ => 0,
    }
}

/// Finds the lessons that are amended by a later one.
///
/// A lesson is amended by the amendment that is most like it; of two amendments the later one holds if both amend the
/// same lesson. So amendments of decisions that are told in the same way do not take one another for their own.
fn find_amendments(
    lessons: &[&Lesson],
    profiles: &[Profile],
    pairs: &[AlikePair],
) -> Vec<Succession> {
    let links = link_by_age(lessons, pairs);
    let amending = find_amending(lessons, profiles, &links);
    let (owners, roots) = match_amendments(&links, &amending);
    let amended = links.iter().filter(|it| {
        let best = roots.get(&it.newer).map(|it| it.topic);
        match (amending.get(&it.newer), amending.contains_key(&it.older)) {
            (Some(least), true) => {
                let root = |at: usize| roots.get(&at).map(|it| it.older);
                let is_same = it.conflict != Some(Conflict::Subject);
                is_same && it.topic >= *least && best.is_some() && root(it.newer) == root(it.older)
            }
            (Some(least), false) => {
                let is_own = owners
                    .get(&it.older)
                    .is_some_and(|best| it.topic >= best.topic);
                is_own && it.topic >= least.max(best.unwrap_or(0.0) * NEAR_BEST)
            }
            (None, _) => false,
        }
    });
    let decided = amended.map(|it| {
        let (newer, older) = (lessons[it.newer], lessons[it.older]);
        match newer.trust.is_at_least(older.trust) {
            true => Succession::Decided {
                old: older.id,
                by: newer.id,
                why: Precedence::NewerDecision,
            },
            false => Succession::Open {
                newer: newer.id,
                older: older.id,
            },
        }
    });
    decided.collect()
}

/// Two lessons about the same, by their places.
#[derive(Debug, Clone, Copy)]
struct AgedPair {
    older: usize,
    newer: usize,
    topic: f64,
    conflict: Option<Conflict>,
}

fn link_by_age(lessons: &[&Lesson], pairs: &[AlikePair]) -> Vec<AgedPair> {
    let together = pairs.iter().filter(|it| !is_apart(it.conflict));
    let aged = together.map(|it| {
        let (older, _) = order_by_age(lessons[it.a], lessons[it.b]);
        let is_first_older = older.id == lessons[it.a].id;
        let (older, newer) = if is_first_older {
            (it.a, it.b)
        } else {
            (it.b, it.a)
        };
        AgedPair {
            older,
            newer,
            topic: it.topic,
            conflict: it.conflict,
        }
    });
    aged.collect()
}

/// Returns the lessons that amend others, and how much alike what they amend must be: those that say so, and those that
/// say how things are now and take back what an older one says.
fn find_amending(
    lessons: &[&Lesson],
    profiles: &[Profile],
    links: &[AgedPair],
) -> BTreeMap<usize, f64> {
    let says = |at: usize, stated: bool| is_change(lessons[at]) == Some(stated);
    let mut amending: BTreeMap<usize, f64> = (0..lessons.len())
        .filter(|at| says(*at, true))
        .map(|at| (at, STATED_TOPIC))
        .collect();
    let taking_back = links.iter().filter(|it| {
        it.topic >= IMPLIED_TOPIC
            && says(it.newer, false)
            && takes_back(&profiles[it.newer], &profiles[it.older], it.conflict)
    });
    amending.extend(taking_back.map(|it| (it.newer, IMPLIED_TOPIC)));
    amending
}

/// Returns for each lesson that amends none the pair with the amendment most like it, and for each amendment the pair
/// with the older such lesson most like it.
fn match_amendments(
    links: &[AgedPair],
    amending: &BTreeMap<usize, f64>,
) -> (BTreeMap<usize, AgedPair>, BTreeMap<usize, AgedPair>) {
    let (mut owners, mut roots) = (BTreeMap::new(), BTreeMap::new());
    let keep_best = |best: &mut BTreeMap<usize, AgedPair>, at: usize, link: AgedPair| {
        let known = best.entry(at).or_insert(link);
        if link.topic > known.topic {
            *known = link;
        }
    };
    for link in links {
        match (
            amending.contains_key(&link.newer),
            amending.contains_key(&link.older),
        ) {
            (true, false) => {
                keep_best(&mut owners, link.older, *link);
                keep_best(&mut roots, link.newer, *link);
            }
            // An amendment that is older may still be the one that a lesson is about.
            (false, true) => keep_best(&mut owners, link.newer, *link),
            (true, true) | (false, false) => {}
        }
    }
    (owners, roots)
}

/// Returns whether two lessons cannot be about one decision.
fn is_apart(conflict: Option<Conflict>) -> bool {
    matches!(conflict, Some(Conflict::Audience | Conflict::Failure))
}

/// Returns whether a lesson that says how things are now takes back what an older one says: it warns of it, gives
/// another number or another tool for it, or says the opposite.
fn takes_back(newer: &Profile, older: &Profile, conflict: Option<Conflict>) -> bool {
    let warned = newer.warned.iter().flatten().filter(|it| is_telling(it));
    let is_warned =
        warned.clone().next().is_some() && warned.clone().any(|it| older.terms.contains(it));
    is_warned
        || matches!(
            conflict,
            Some(Conflict::Tool | Conflict::Value | Conflict::Opposite)
        )
}

/// Returns whether a lesson says that it changes an earlier one, or, `false`, only that something is otherwise now. It
/// says so at its beginning, and of a decision; a long lesson holds any word somewhere.
fn is_change(lesson: &Lesson) -> Option<bool> {
    let opening: String = read_words(lesson).chars().take(OPENING_CHARS).collect();
    let is_of_decision = DECIDED.iter().any(|it| opening.contains(it));
    if is_of_decision && STATED.iter().any(|it| opening.contains(it)) {
        return Some(true);
    }
    IMPLIED
        .iter()
        .any(|it| opening.contains(it))
        .then_some(false)
}

fn is_decision(lesson: &Lesson) -> bool {
    let text = read_words(lesson);
    is_change(lesson).is_some() || DECIDED.iter().any(|it| text.contains(it))
}

fn read_words(lesson: &Lesson) -> String {
    let content = &lesson.content;
    let parts = [
        Some(&content.signature),
        Some(&content.title),
        Some(&content.text),
        content.situation.as_ref(),
    ];
    let text: Vec<&str> = parts.into_iter().flatten().map(CleanText::as_str).collect();
    text.join(" ").to_lowercase()
}

/// Lets each lesson be replaced once, and names the lesson that stands in the end.
fn keep_consistent(mut found: Vec<Succession>) -> Vec<Succession> {
    // The youngest successor of a lesson counts.
    found.sort_by_key(|it| match it {
        Succession::Decided { old, by, .. } => (0, *old, std::cmp::Reverse(*by)),
        Succession::Open { newer, older } => (1, *newer, std::cmp::Reverse(*older)),
    });
    let mut successors: BTreeMap<LessonId, (LessonId, Precedence)> = BTreeMap::new();
    for it in &found {
        if let Succession::Decided { old, by, why } = it {
            let is_circle = follow(&successors, *by) == *old;
            if !is_circle {
                successors.entry(*old).or_insert((*by, *why));
            }
        }
    }
    let mut kept: Vec<Succession> = (successors.iter())
        .map(|(old, (by, why))| Succession::Decided {
            old: *old,
            by: follow(&successors, *by),
            why: *why,
        })
        .collect();
    let mut held = BTreeSet::new();
    for it in found {
        if let Succession::Open { newer, older } = it {
            let is_gone = successors.contains_key(&newer) || successors.contains_key(&older);
            if !is_gone && held.insert(newer) && !held.contains(&older) {
                kept.push(it);
            }
        }
    }
    kept
}

/// Returns the lesson that stands at the end of a line of successors.
fn follow(successors: &BTreeMap<LessonId, (LessonId, Precedence)>, from: LessonId) -> LessonId {
    let mut at = from;
    while let Some((next, _)) = successors.get(&at) {
        at = *next;
    }
    at
}

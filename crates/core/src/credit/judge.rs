//! From what became of lessons to what is believed of them.
//!
//! Each run is judged as a whole, and a judgement replaces the one before it of the same run: what
//! the old one added to each lesson is taken back first. So a transcript that grows, or is read
//! twice, counts once.

use std::collections::BTreeMap;

use super::{
    About, Aftermath, Belief, Fate, Judgement, Leaning, Part, Tally, Trial,
    belief::{Noise, Party, share_out},
};
use crate::{
    change::Change,
    distil::judge::{Effect, Followed, Opinion},
    event::RunStatus,
    id::LessonId,
    lesson::{Lesson, Status, Trust, TrustClass},
    limits,
    recall::Moment,
    text::CleanText,
    trace::End,
};

/// How far a trouble that came again, or did not, speaks of the lesson about it.
const AT_HAND: Noise = Noise {
    spread: 0.5,
    slip: 0.05,
};
/// How far the end of a run speaks of the lessons that it was shown.
const AT_THE_END: Noise = Noise {
    spread: 1.0,
    slip: 0.05,
};
/// What somebody's word says the effect is, for or against.
const WORD: f64 = 1.0;
/// How precise a person's word is, and an agent's: two words of a person, or six of agents, take a
/// lesson out that nothing else is known of. A model that only read about it counts half: what it
/// read may have been written for it.
const PERSON_PRECISION: f64 = 4.0;
const AGENT_PRECISION: f64 = 1.0;
const MODEL_PRECISION: f64 = 0.5;
/// What is believed of how things go in general before anything was seen.
const OVERALL: Belief = Belief {
    mean: 0.0,
    variance: 1.0,
};
/// How far one topic may differ from that.
const TOPIC: Belief = Belief {
    mean: 0.0,
    variance: 0.1,
};
/// A lesson with an effect below this does harm that matters.
const HARM: f64 = -0.1;
/// How sure it must be that a lesson harms before it is taken out.
const HARM_SURE: f64 = 0.9;
/// A score from which on a run went well.
const SCORE_GOOD: f64 = 0.5;

/// Returns whether a run went well; none if it did not come to an end of its own.
#[must_use]
pub fn went_well(end: End) -> Option<bool> {
    match end.status {
        RunStatus::Completed => Some(end.score.is_none_or(|score| score >= SCORE_GOOD)),
        RunStatus::Failed => Some(false),
        RunStatus::Aborted => None,
    }
}

/// Returns what a word of this trust adds to a lesson of that one.
///
/// Nobody talks a lesson out of use that stands on a better word: such a word is counted and moves no
/// belief. One said after content from outside was read may be that content's, so it neither praises
/// nor counts; against what is from outside itself it is heard.
#[must_use]
pub fn said(is_good: bool, word: Trust, lesson: Trust) -> Tally {
    let is_believed = match is_good {
        true => !word.tainted,
        false => word.reaches(lesson),
    };
    let mut tally = Tally::default();
    if is_believed {
        let precision = match word.class {
            TrustClass::Person => PERSON_PRECISION,
            TrustClass::Distilled => MODEL_PRECISION,
            TrustClass::Agent | TrustClass::Derived | TrustClass::Imported => AGENT_PRECISION,
        };
        let effect = if is_good { WORD } else { -WORD };
        tally.leaning = Leaning::observed(effect, precision);
    }
    if is_believed || !word.tainted {
        tally.count(is_good);
    }
    tally
}

/// Returns what a model's opinion of a lesson adds to the judgement of the run that it read about, as
/// far as its word goes; nothing where it has none.
#[must_use]
pub fn heard(opinion: &Opinion, word: Trust, lesson: Trust) -> Option<Part> {
    let fate = match opinion.followed {
        Followed::Yes => Fate::Followed,
        Followed::No => Fate::Unused,
        Followed::Unclear => Fate::Untold,
    };
    let good = match opinion.effect {
        Effect::Helped => Some(true),
        Effect::Harmed => Some(false),
        Effect::Neither | Effect::Unclear => None,
    };
    let says_something = fate != Fate::Untold || good.is_some();
    says_something.then(|| Part {
        recall: None,
        lesson: opinion.lesson,
        was_held: false,
        moment: None,
        fate,
        good,
        tally: good.map_or_else(Tally::default, |is_good| said(is_good, word, lesson)),
        timing: None,
    })
}

/// What was known of a lesson before a run, the run's own earlier judgement taken back.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Whose word it is.
    pub trust: Trust,
    /// What outcomes added to what is believed of it.
    pub leaning: Leaning,
    /// Runs that did not follow it, since the last that did.
    pub not_followed: i64,
}

impl Known {
    /// Returns what is known of a lesson without what a judgement added.
    #[must_use]
    pub fn without(lesson: &Lesson, added: Tally) -> Self {
        Self {
            trust: lesson.trust,
            leaning: lesson.counts.leaning - added.leaning,
            not_followed: lesson.counts.not_followed - added.not_followed,
        }
    }
}

/// What was known before a run: of each lesson, and of each baseline what outcomes added to it; the
/// run's own earlier judgement taken back.
#[derive(Debug, Clone, Default)]
pub struct Before {
    /// Of lessons.
    pub lessons: BTreeMap<LessonId, Known>,
    /// Of how things go without them.
    pub baselines: BTreeMap<About, Leaning>,
}

/// Returns the baselines that judging these aftermaths asks for.
#[must_use]
pub fn baselines(aftermaths: &[Aftermath]) -> Vec<About> {
    let keys = aftermaths.iter().filter_map(|it| it.failure.clone());
    let best = best(aftermaths.iter()).map(|it| About::RunsLike(it.lesson));
    [About::Calls, About::Runs]
        .into_iter()
        .chain(keys.map(About::CallsLike))
        .chain(best)
        .collect()
}

/// Judges a run: what its aftermaths and its end say of each lesson.
#[must_use]
pub fn judge(aftermaths: &[Aftermath], end: Option<bool>, before: &Before) -> Judgement {
    let mut bench = Bench::of(before);
    let mut parts: Vec<Part> = aftermaths.iter().map(|it| bench.at_hand(it, end)).collect();
    for (part, it) in parts
        .iter_mut()
        .zip(aftermaths)
        .filter(|(_, it)| !it.was_held)
    {
        let known = before.lessons.get(&it.lesson);
        part.tally.not_followed = count_not_followed(it, known.map_or(0, |it| it.not_followed));
    }
    if let Some(is_good) = end {
        bench.at_the_end(aftermaths, is_good);
    }
    for part in &mut parts {
        part.tally.leaning = bench.moved(&Who::Lesson(part.lesson));
    }
    Judgement {
        good: end,
        parts,
        baselines: bench.moved_baselines(),
    }
}

/// Returns what a run adds to those that did not follow a lesson: one that did begins anew. Where that
/// cannot be told, one that met its trouble begins anew, and one that did not had no use for it.
fn count_not_followed(it: &Aftermath, before: i64) -> i64 {
    match (it.fate.was_followed(), it.trouble_came) {
        (Some(true), _) | (None, Some(true)) => -before,
        (Some(false), _) | (None, Some(false)) => 1,
        (None, None) => 0,
    }
}

/// Returns the aftermath of the lesson that fitted best: what the run was about.
fn best<'a>(aftermaths: impl Iterator<Item = &'a Aftermath>) -> Option<&'a Aftermath> {
    aftermaths.max_by(|a, b| {
        let older = || b.lesson.cmp(&a.lesson);
        a.weight.total_cmp(&b.weight).then_with(older)
    })
}

/// Somebody or something that has a part in an outcome.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Lesson(LessonId),
    Baseline(About),
}

/// The beliefs while a run is judged: as they were, and what has been added so far.
struct Bench(BTreeMap<Who, (Belief, Leaning)>);

impl Bench {
    fn of(before: &Before) -> Self {
        let lesson = |(id, known): (&LessonId, &Known)| {
            let belief = Belief::of(known.trust, known.leaning);
            (Who::Lesson(*id), (belief, Leaning::default()))
        };
        let baseline = |(about, leaning): (&About, &Leaning)| {
            let start = match about {
                About::Calls | About::Runs => OVERALL,
                About::CallsLike(_) | About::RunsLike(_) => TOPIC,
            };
            let belief = start.with(*leaning);
            (Who::Baseline(about.clone()), (belief, Leaning::default()))
        };
        let lessons = before.lessons.iter().map(lesson);
        Self(
            lessons
                .chain(before.baselines.iter().map(baseline))
                .collect(),
        )
    }

    fn party(&self, who: &Who, weight: f64) -> Option<Party> {
        let (belief, added) = self.0.get(who)?;
        Some(Party {
            weight,
            belief: belief.with(*added),
        })
    }

    fn parties(&self, all: &[(Who, f64)]) -> Vec<Party> {
        all.iter()
            .filter_map(|(who, weight)| self.party(who, *weight))
            .collect()
    }

    /// Divides an outcome among those who had a part in it.
    fn divide(&mut self, all: &[(Who, f64)], is_good: bool, noise: Noise) {
        let known: Vec<&(Who, f64)> = all.iter().filter(|it| self.0.contains_key(&it.0)).collect();
        let added = share_out(&self.parties(all), is_good, noise);
        for ((who, _), leaning) in known.into_iter().zip(added) {
            if let Some((_, sum)) = self.0.get_mut(who) {
                *sum = *sum + leaning;
            }
        }
    }

    fn moved(&self, who: &Who) -> Leaning {
        self.0.get(who).map(|it| it.1).unwrap_or_default()
    }

    fn moved_baselines(self) -> Vec<(About, Leaning)> {
        let moved = self
            .0
            .into_iter()
            .filter_map(|(who, (_, leaning))| match who {
                Who::Baseline(about) if leaning != Leaning::default() => Some((about, leaning)),
                Who::Baseline(_) | Who::Lesson(_) => None,
            });
        moved.collect()
    }

    /// Takes in what the run shows of one lesson's own trouble: of the lesson where it was followed,
    /// of how things go without it where it was not, or was held back.
    fn at_hand(&mut self, it: &Aftermath, end: Option<bool>) -> Part {
        let mut tally = Tally::default();
        let had_occasion = matches!(it.fate, Fate::Followed | Fate::Contradicted | Fate::Ignored);
        if let (Some(key), Some(came), true) = (&it.failure, it.trouble_came, had_occasion) {
            let mut all = vec![
                (Who::Baseline(About::Calls), 1.0),
                (Who::Baseline(About::CallsLike(key.clone())), 1.0),
            ];
            let had_part = !it.was_held && it.fate.was_followed() == Some(true);
            let is_good = match had_part {
                true => it.fate == Fate::Followed,
                false => !came,
            };
            if had_part {
                all.push((Who::Lesson(it.lesson), 1.0));
                tally.count(is_good);
                tally.in_vain = i64::from(!is_good);
            }
            self.divide(&all, is_good, AT_HAND);
        }
        let good = outcome(it, end);
        if it.fate.was_followed() != Some(false) && !it.was_held {
            tally.well = i64::from(good == Some(true));
            tally.badly = i64::from(good == Some(false));
        }
        tally.trial = good.map_or_else(Trial::default, |is_good| {
            Trial::of(it.chance, it.was_held, is_good)
        });
        Part {
            recall: Some(it.recall),
            lesson: it.lesson,
            was_held: it.was_held,
            moment: Some(it.moment),
            fate: it.fate,
            good,
            tally,
            timing: timing(it, end),
        }
    }

    /// Takes in how the run ended.
    fn at_the_end(&mut self, aftermaths: &[Aftermath], is_good: bool) {
        let had_part = |it: &&Aftermath| match it.fate {
            Fate::Untold => true,
            Fate::Followed => it.failure.is_none(),
            Fate::Contradicted | Fate::Ignored | Fate::Unused => false,
        };
        let part = |it: &Aftermath| match it.fate {
            Fate::Untold => (Who::Lesson(it.lesson), it.weight),
            _ => (Who::Lesson(it.lesson), 1.0),
        };
        let mut all = vec![(Who::Baseline(About::Runs), 1.0)];
        if let Some(best) = best(aftermaths.iter().filter(had_part)) {
            all.push((Who::Baseline(About::RunsLike(best.lesson)), 1.0));
        }
        let shown = aftermaths.iter().filter(had_part).filter(|it| !it.was_held);
        all.extend(shown.map(part));
        self.divide(&all, is_good, AT_THE_END);
    }
}

/// Returns how it went, as a trial of the lesson sees it: by its own trouble where it has one, else
/// by the run's end, and the same whether it was followed or not, shown or held back.
fn outcome(it: &Aftermath, end: Option<bool>) -> Option<bool> {
    match &it.failure {
        Some(_) => it.trouble_came.map(|came| !came),
        None => end,
    }
}

/// Returns what the run tells of showing a lesson at a moment rather than at a later one.
fn timing(it: &Aftermath, end: Option<bool>) -> Option<(Moment, Trial)> {
    let timing = it.timing?;
    let good = match &it.failure {
        Some(_) => timing.trouble_came.map(|came| !came),
        None => end,
    }?;
    Some((
        timing.moment,
        Trial::of(timing.chance, timing.was_left, good),
    ))
}

/// Returns what a judgement changes, after the one that it replaces is taken back: counts,
/// beliefs, and the state of a lesson that now probably harms.
#[must_use]
pub fn changes(
    lessons: &[Lesson],
    replaced: Option<&Judgement>,
    judgement: &Judgement,
    because: &str,
) -> Vec<Change> {
    let change = |lesson: &Lesson| {
        let old = replaced.map(|it| it.tally(lesson.id)).unwrap_or_default();
        credited(lesson, judgement.tally(lesson.id) - old, because)
    };
    lessons.iter().flat_map(change).collect()
}

/// Returns what an outcome changes of a lesson: its record and, if it now probably harms, its
/// state. `because` is what happened last.
#[must_use]
pub fn credited(lesson: &Lesson, tally: Tally, because: &str) -> Vec<Change> {
    let id = lesson.id;
    if tally == Tally::default() {
        return Vec::new();
    }
    let mut changes = vec![Change::Credit { id, tally }];
    let counts = lesson.counts.with(tally);
    let harms = Belief::of(lesson.trust, counts.leaning).below(HARM);
    if lesson.status == Status::Active && harms >= HARM_SURE {
        let why = format!(
            "it probably harms ({:.0} %): of the runs with it {} went well and {} badly; helped {}, wrong {}; the last: {because}",
            harms * 100.0,
            counts.well,
            counts.badly,
            counts.helped,
            counts.harmed,
        );
        let why: String = why.chars().take(limits::SITUATION_CHARS).collect();
        let why = CleanText::assume(why);
        changes.push(Change::SetStatus {
            id,
            status: Status::Quarantined { why },
        });
    }
    changes
}

/// Returns what gives a lesson that was taken out a new start: what outcomes made of the belief is
/// taken back, the counts stay.
#[must_use]
pub fn forgiven(lesson: &Lesson) -> Change {
    Change::Credit {
        id: lesson.id,
        tally: Tally {
            leaning: -lesson.counts.leaning,
            ..Tally::default()
        },
    }
}

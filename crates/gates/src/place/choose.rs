//! Which lessons of a project its agents read in its files.
//!
//! What stands in a file is read in every session, by everybody's agents, so the bar is higher than for a recall: a
//! person stands behind the lesson or what came of it does, it names something that one can run or open, and nothing
//! speaks against it. At most a handful, because every line competes with the others.

use std::cmp::Ordering;

use jiff::Timestamp;

use hardwon_core::{
    Lesson, LessonContent, LessonId, ProjectId, Status, TrialVerdict, Triggers, TrustClass, limits,
    named_enum, named_things::find_named_things,
};

use super::{
    block::{ProjectBlock, count_bytes},
    line::render_line,
};
use crate::leak::LeakScanner;

named_enum! {
    /// What stands behind a lesson that is placed, the strongest first.
    PlacementGround {
        /// A person wrote it.
        Person = "written by a person",
        /// A person approved it, or gave it its words.
        Approved = "approved by a person",
        /// Runs with it go better than runs from which it was left out at random.
        Trial = "a trial shows that it helps",
        /// What came of it speaks for it, and next to nothing against it.
        Record = "what came of it speaks for it",
    }
}

named_enum! {
    /// Why a lesson is not placed.
    PlacementRefusal {
        /// It belongs to another project, or to none.
        OtherProject = "it is not of this project",
        /// It waits for review, was taken out, replaced or archived.
        NotActive = "it is not active",
        /// It has expired.
        Expired = "it has expired",
        /// Content from outside had a part in it.
        Tainted = "content from outside had a part in it",
        /// It is meant for some agents only.
        ForSome = "it is meant for some agents only",
        /// It did more harm than good.
        Caution = "it did more harm than good",
        /// Another lesson says the opposite.
        Contradicted = "another lesson says the opposite",
        /// Nobody stands behind it yet.
        NotProven = "neither a person nor what came of it stands behind it yet",
        /// It names nothing that one can run or open.
        NamesNothing = "it names no command, tool or file",
        /// It has nothing to say on a line.
        Empty = "it has nothing to say in one line",
        /// It holds what must not be published.
        Private = "it holds what must not be published (see `hardwon leak`)",
        /// Better ones take the room.
        NoRoom = "better ones take the room",
    }
}

/// A lesson that may be placed.
#[derive(Debug, Clone, Copy)]
pub struct PlaceCandidate<'a> {
    /// The lesson.
    pub lesson: &'a Lesson,
    /// Whether a person approved it.
    pub is_approved: bool,
}

/// The block of a project, and why it is what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceChoice {
    /// The block; `None` if no lesson is to be placed.
    pub block: Option<ProjectBlock>,
    /// The lessons in it, by number, with what stands behind each.
    pub placed: Vec<(LessonId, PlacementGround)>,
    /// The other lessons, by number.
    pub left: Vec<(LessonId, PlacementRefusal)>,
}

/// Where lessons are placed.
#[derive(Debug, Clone, Copy)]
pub struct PlaceTarget<'a> {
    /// The project.
    pub project: &'a ProjectId,
    /// What searches for what must not be published.
    pub scanner: &'a LeakScanner,
}

/// Chooses the lessons of a project's block.
pub fn choose_for_block(
    candidates: &[PlaceCandidate<'_>],
    target: &PlaceTarget<'_>,
    now: Timestamp,
) -> PlaceChoice {
    let mut left = Vec::new();
    let mut fit = Vec::new();
    for candidate in candidates {
        match judge_candidate(candidate, target, now) {
            Ok((ground, line)) => fit.push((ground, candidate.lesson, line)),
            Err(why) => left.push((candidate.lesson.id, why)),
        }
    }
    fit.sort_by(|(ground, a, _), (other, b, _)| compare_proof((*ground, a), (*other, b)));
    let (mut bytes, mut chosen) = (0, Vec::new());
    for (ground, lesson, line) in fit {
        let longer = bytes + line.len() + 1;
        if chosen.len() < limits::PLACED_LESSONS && count_bytes(longer) <= limits::PLACED_BYTES {
            bytes = longer;
            chosen.push((lesson.id, ground, line));
        } else {
            left.push((lesson.id, PlacementRefusal::NoRoom));
        }
    }
    chosen.sort_by_key(|(id, ..)| *id);
    left.sort_by_key(|(id, _)| *id);
    let placements = chosen.into_iter();
    let (placed, lines) = placements
        .map(|(id, ground, line)| ((id, ground), line))
        .unzip();
    PlaceChoice {
        placed,
        block: ProjectBlock::new(lines),
        left,
    }
}

fn judge_candidate(
    candidate: &PlaceCandidate<'_>,
    target: &PlaceTarget<'_>,
    now: Timestamp,
) -> Result<(PlacementGround, String), PlacementRefusal> {
    use PlacementRefusal as Refusal;
    let lesson = candidate.lesson;
    let is_of_other = lesson.scope.project.as_ref() != Some(target.project);
    let refusals = [
        (is_of_other, Refusal::OtherProject),
        (lesson.status != Status::Active, Refusal::NotActive),
        (!lesson.is_recallable(now), Refusal::Expired),
        (lesson.trust.tainted, Refusal::Tainted),
        (!lesson.content.targets.is_empty(), Refusal::ForSome),
        (lesson.is_caution(), Refusal::Caution),
        (!lesson.contradicts.is_empty(), Refusal::Contradicted),
        (!names_something(&lesson.content), Refusal::NamesNothing),
    ];
    if let Some((_, why)) = refusals.into_iter().find(|(holds, _)| *holds) {
        return Err(why);
    }
    let ground = find_ground(candidate).ok_or(Refusal::NotProven)?;
    let line = render_line(lesson).ok_or(Refusal::Empty)?;
    let scan = target.scanner.scan_text("AGENTS.md", &line);
    if scan.findings.is_empty() {
        Ok((ground, line))
    } else {
        Err(Refusal::Private)
    }
}

/// Orders lessons by what proves them: first how often what they warn of was avoided with them or they were said to have
/// helped, then who stands behind them. So what had no occasion yet has the room that is left.
fn compare_proof(
    (ground, a): (PlacementGround, &Lesson),
    (other, b): (PlacementGround, &Lesson),
) -> Ordering {
    let balance = |lesson: &Lesson| lesson.counts.helped.saturating_sub(lesson.counts.harmed);
    let mean = |lesson: &Lesson| lesson.posterior().mean;
    balance(b)
        .cmp(&balance(a))
        .then(ground.cmp(&other))
        .then(mean(b).total_cmp(&mean(a)))
        .then(a.id.cmp(&b.id))
}

/// Returns what stands behind a lesson.
fn find_ground(candidate: &PlaceCandidate<'_>) -> Option<PlacementGround> {
    let lesson = candidate.lesson;
    if lesson.trust.class == TrustClass::Person {
        return Some(PlacementGround::Person);
    }
    if candidate.is_approved {
        return Some(PlacementGround::Approved);
    }
    if lesson.trust.is_from_outside() {
        // A file's or a model's words go to others only if a person says so.
        return None;
    }
    if lesson.counts.trial.judge_effect() == TrialVerdict::Helps {
        return Some(PlacementGround::Trial);
    }
    let counts = &lesson.counts;
    let is_seldom_wrong =
        counts.harmed.saturating_mul(limits::PLACED_HELPED_PER_HARM) <= counts.helped;
    // Words about a lesson are none of the runs in which it was shown.
    let was_tried = counts.shown >= limits::PLACED_HELPED;
    let speaks_for_it = was_tried && counts.helped >= limits::PLACED_HELPED && is_seldom_wrong;
    let is_likely = lesson.posterior().mean > 0.0;
    (speaks_for_it && is_likely).then_some(PlacementGround::Record)
}

/// Returns whether a lesson names a command, a tool or a file; one that names none is advice that a file of an agent
/// holds too much of already.
fn names_something(content: &LessonContent) -> bool {
    let quotes = |text: &str| {
        text.split('`')
            .nth(1)
            .is_some_and(|part| !part.trim().is_empty())
    };
    !Triggers::from_content(content).is_empty()
        || !find_named_things(content).is_empty()
        || quotes(content.signature.as_str())
        || quotes(content.text.as_str())
}

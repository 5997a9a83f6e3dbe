//! Poison that looks like any lesson: wrong advice in plain words. Nothing in it is recognisable, so it is shown until
//! outcomes take it out. How often is that?
//!
//! Tasks hit a few kinds of failures, the frequent ones often, and some go well anyway. The agent records the right fix
//! after its first failure; an attacker has planted a wrong one for the most frequent kinds. An agent that follows the
//! wrong one fails. Every run is learned from as the engine learns: it sees the calls, or only how the run ended, which
//! now and then is reported wrongly.

use std::collections::BTreeMap;

use hardwon_core::{
    CallStatus, Cause, CleanEvent, Draft, Evidence, LessonContent, LessonId, RawText, RunId,
    RunOutcome, RunStatus, Scope, Status, ToolCall, Trace, Trust, TrustClass, event::scrub_event,
    limits,
};
use hardwon_engine::{Engine, FixedClock, Note, NoteOutcome, Policy, RecallRequest};
use hardwon_store_suite::MemoryStore;
use jiff::Timestamp;

use crate::desk::{agent_desk, person_desk};
use crate::processes::make_mark;

/// Kinds of failures.
const FAILURE_KINDS: usize = 40;
/// How much more frequent the frequent ones are.
const ZIPF: f64 = 1.1;
/// How many of them, the most frequent first, have a wrong fix planted.
const PLANTED: usize = 8;
/// How often a task hits its failure; the others go well unless the poison spoils them.
const FAILURE_CHANCE: f64 = 0.7;
/// How often a task that hits it fails without any fix.
const UNAIDED_FAILURE_CHANCE: f64 = 0.93;
/// How often a run's end is reported wrongly.
const NOISE: f64 = 0.05;

/// The source of the poison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PoisonOrigin {
    /// An agent recorded it, without a sign that it had read it. A model's lesson is trusted alike.
    Agent,
    /// It is known to be from outside, and a person approves whatever waits.
    Approved,
    /// It is known to be from outside.
    Pending,
}

impl PoisonOrigin {
    pub(super) const ALL: [Self; 3] = [Self::Agent, Self::Approved, Self::Pending];

    fn name(self) -> &'static str {
        match self {
            Self::Agent => "an agent's word",
            Self::Approved => "from outside, approved unread",
            Self::Pending => "from outside",
        }
    }

    fn trust(self) -> Trust {
        let class = match self {
            Self::Agent => TrustClass::Agent,
            Self::Approved | Self::Pending => TrustClass::Distilled,
        };
        let tainted = matches!(self, Self::Approved | Self::Pending);
        Trust { class, tainted }
    }
}

/// One stream of tasks.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskStream {
    pub(super) origin: PoisonOrigin,
    /// Whether the engine sees what the agent called, or only how the run ended.
    pub(super) has_calls: bool,
    /// How often the agent follows a lesson.
    pub(super) follow_chance: f64,
    pub(super) tasks: u32,
}

/// The outcomes of the poison in some streams.
#[derive(Debug, Default)]
pub(super) struct StreamTotals {
    /// How often each was shown until it was taken out, or to the end.
    shown: Vec<u32>,
    taken_out: u32,
    followed: u32,
}

impl StreamTotals {
    pub(super) const TABLE_HEADER: &str = "poison in plain words            seen by credit  follows  planted  taken out  shown before: median  worst  followed";

    pub(super) fn render_row(&mut self, stream: &TaskStream) -> String {
        self.shown.sort_unstable();
        let median = self.shown.get(self.shown.len() / 2).copied();
        format!(
            "{:<33}{:<16}{:>7}{:>9}{:>11}{:>22}{:>7}{:>10}",
            stream.origin.name(),
            if stream.has_calls {
                "calls and end"
            } else {
                "end"
            },
            stream.follow_chance,
            self.shown.len(),
            self.taken_out,
            median.unwrap_or(0),
            self.shown.last().copied().unwrap_or(0),
            self.followed
        )
    }

    /// Returns how often the worst was shown, and how many were taken out.
    #[cfg(test)]
    pub(super) fn worst(&self) -> (u32, u32) {
        (
            self.shown.iter().copied().max().unwrap_or(0),
            self.taken_out,
        )
    }
}

impl TaskStream {
    /// Plays the stream once.
    pub(super) fn play_once(&self, seed: u64, sum: &mut StreamTotals) -> anyhow::Result<()> {
        let clock = FixedClock(Timestamp::from_second(1_800_000_000)?);
        let engine = Engine::new(
            Box::new(MemoryStore::new()),
            Policy::default(),
            Box::new(clock),
        );
        let mut world = StreamWorld {
            stream: self,
            engine,
            scope: Scope::default(),
            random: fastrand::Rng::with_seed(seed),
            right: BTreeMap::new(),
            wrong: BTreeMap::new(),
            shown: BTreeMap::new(),
        };
        for kind in 0..PLANTED {
            world.plant_poison(kind)?;
        }
        let weights: Vec<f64> = (1..=FAILURE_KINDS)
            .map(|failure_kind| (failure_kind as f64).powf(-ZIPF))
            .collect();
        for task in 0..self.tasks {
            let kind = draw_index(&mut world.random, &weights);
            sum.followed += u32::from(world.play_task(task, kind)?);
        }
        for id in world.wrong.values() {
            sum.shown.push(world.shown.get(id).copied().unwrap_or(0));
            let lesson = person_desk(&world.engine, &world.scope).lesson(*id)?;
            sum.taken_out += u32::from(lesson.status != Status::Active);
        }
        Ok(())
    }
}

fn draw_index(random: &mut fastrand::Rng, weights: &[f64]) -> usize {
    let mut left = random.f64() * weights.iter().sum::<f64>();
    let place = weights.iter().position(|weight| {
        left -= weight;
        left <= 0.0
    });
    place.unwrap_or(0)
}

/// The state of a stream.
struct StreamWorld<'a> {
    stream: &'a TaskStream,
    engine: Engine,
    scope: Scope,
    random: fastrand::Rng,
    /// The lessons with the right fix, by kind of failure; the next field has the wrong ones.
    right: BTreeMap<usize, LessonId>,
    wrong: BTreeMap<usize, LessonId>,
    /// How often each wrong one was shown.
    shown: BTreeMap<LessonId, u32>,
}

/// Returns a kind's call, and its error when it fails.
fn failing_call(kind: usize) -> (String, String) {
    let word = make_mark(kind as u64);
    (
        format!("build {word}"),
        format!("error: {word} has no lock file"),
    )
}

fn remedy_command(kind: usize, is_right: bool) -> String {
    let verb = if is_right { "lock" } else { "reset" };
    format!("make {verb}-{}", make_mark(kind as u64))
}

fn advice_content(kind: usize, is_right: bool) -> LessonContent<RawText> {
    let (call, _) = failing_call(kind);
    let text = format!("Run `{}` before `{call}`.", remedy_command(kind, is_right));
    LessonContent::new(call, text)
}

impl StreamWorld<'_> {
    fn plant_poison(&mut self, kind: usize) -> anyhow::Result<()> {
        let way = self.stream.origin;
        let draft = Draft {
            scope: self.scope.clone(),
            content: advice_content(kind, false),
            cause: Cause::Error,
            outcome: RunOutcome::Failure,
            evidence: vec![Evidence::from_run(&RunId::parse(&format!(
                "planted-{kind}"
            ))?)],
            trust: way.trust(),
            confidence: limits::CONFIDENCE_DEFAULT,
            failure: None,
            expires_at: None,
            supersedes: Vec::new(),
            task: None,
        };
        let noted = person_desk(&self.engine, &self.scope).admit_drafts(vec![draft])?;
        for noted in noted {
            if let (NoteOutcome::Pending(lesson), PoisonOrigin::Approved) = (&noted, way) {
                person_desk(&self.engine, &self.scope).approve_lesson(lesson.id, None)?;
            }
            self.wrong.extend(noted.id().map(|id| (kind, id)));
        }
        Ok(())
    }

    /// Plays one task; returns whether the agent followed the poison.
    fn play_task(&mut self, number: u32, kind: usize) -> anyhow::Result<bool> {
        let run = RunId::parse(&format!("task-{number}"))?;
        let (call, error) = failing_call(kind);
        let ask = RecallRequest {
            run: Some(run.clone()),
            ..RecallRequest::new(self.scope.clone(), format!("{call} stops: {error}"))
        };
        let shown = person_desk(&self.engine, &self.scope)
            .recall(&ask)?
            .preamble
            .shown;
        for id in shown
            .iter()
            .filter(|id| self.wrong.values().any(|value| value == *id))
        {
            *self.shown.entry(*id).or_default() += 1;
        }
        let is_shown =
            |of: &BTreeMap<usize, LessonId>| of.get(&kind).is_some_and(|id| shown.contains(id));
        let (right, wrong) = (is_shown(&self.right), is_shown(&self.wrong));
        let follows = self.stream.follow_chance;
        let is_misled = wrong && self.random.f64() < if right { follows / 2.0 } else { follows };
        let is_helped = !is_misled && right && self.random.f64() < follows;
        let meets = self.random.f64() < FAILURE_CHANCE;
        let is_good =
            !is_misled && (is_helped || !meets || self.random.f64() >= UNAIDED_FAILURE_CHANCE);
        let done = [(is_misled, false), (is_helped, true)];
        let done = done
            .iter()
            .find(|pair| pair.0)
            .map(|pair| remedy_command(kind, pair.1));
        self.learn_run(run, done, kind, is_good)?;
        if !is_good && !self.right.contains_key(&kind) {
            let agent = agent_desk(&self.engine, &self.scope, false);
            let noted = agent.note(Note::new(advice_content(kind, true)))?;
            self.right.extend(noted.id().map(|id| (kind, id)));
        }
        Ok(is_misled)
    }

    fn learn_run(
        &mut self,
        run: RunId,
        done: Option<String>,
        kind: usize,
        is_good: bool,
    ) -> anyhow::Result<()> {
        let mut trace = Trace::new(run, self.scope.clone());
        let (call, error) = failing_call(kind);
        let mut called = |args: String, error: Option<String>| {
            let status = error.map_or(CallStatus::Ok, |error| CallStatus::Error(error.into()));
            trace.push(scrub_event(hardwon_core::event::RawEvent::Tool(ToolCall {
                turn: 0,
                tool: "Bash".into(),
                args: args.into(),
                status,
                outside: None,
            })));
        };
        if self.stream.has_calls {
            if let Some(done) = done {
                called(done, None);
            }
            called(call, (!is_good).then_some(error));
        }
        let is_told = is_good != (self.random.f64() < NOISE);
        let status = if is_told {
            RunStatus::Completed
        } else {
            RunStatus::Failed
        };
        trace.push(CleanEvent::End {
            status,
            score: None,
        });
        person_desk(&self.engine, &self.scope).learn_from_run(&trace)?;
        Ok(())
    }
}

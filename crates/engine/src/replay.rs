//! Replays recorded sessions in order of time, and measures what lessons would have been worth.
//!
//! ```text
//! file --transcript--> TranscriptEvent... --RunPlayer--> SessionEvent --attend--> HookReply --score--> ReplayTotals
//!                                    \--> Trace --learn--> lessons, for the sessions after it
//! ```
//!
//! Each session takes the path of the hooks, over a store in memory that begins empty: nothing is read
//! from a person's lessons and nothing is kept. No lesson is left out at random. Only those writs of a
//! recording run that record a lesson; a number in the others means a lesson of another store.
//! [`scores`] decides what a failure and a recurrence are, and when a lesson covered one.

mod player;
pub mod scores;

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use hardwon_core::{ProjectId, RunEvent, RunId, Scope};
use hardwon_store::SqliteStore;
use jiff::Timestamp;
use serde::Serialize;

use self::{
    player::RunPlayer,
    scores::{LessonScores, ReplayTotals},
};
use crate::{
    Clock, Desk, Engine, Error, Lesson, NoteOutcome, Policy, Principal, Result, RunInfo,
    TranscriptEvent, TranscriptFile,
    transcript::{TranscriptEvents as _, source_name},
};

/// Time between two events of a session, in milliseconds.
const EVENT_STEP_MS: i64 = 1000;

/// The figures of the sessions played so far. Their JSON is part of a replay's.
#[derive(Debug, Default, Serialize)]
pub struct ReplayReport {
    /// How many sessions were played.
    pub sessions: u64,
    /// How many runs, including those of sub-agents.
    pub runs: u64,
    /// How many prompts were played.
    pub prompts: u64,
    /// How many calls were played.
    pub calls: u64,
    /// How many lessons were learned.
    pub learned: u64,
    /// Tokens of all replies.
    pub tokens: u64,
    /// Tokens of replies at the starts of sessions.
    pub start_tokens: u64,
    /// Tokens of the longest reply at the start of a session.
    #[serde(rename = "start_tokens_most")]
    pub max_start_tokens: u64,
    /// In how many sessions the agent would have been asked what a later one should know.
    #[serde(rename = "asked")]
    pub sessions_asked: u64,
    /// Records that could not be read and were skipped.
    #[serde(rename = "broken_lines")]
    pub unreadable: u64,
    /// The measured totals.
    #[serde(skip)]
    pub totals: ReplayTotals,
}

/// Recorded sessions, played again one after the other.
pub struct Replay {
    engine: Engine,
    now: Arc<AtomicI64>,
    scope: Scope,
    tells_subagents: bool,
    /// Runs that were played, with the index of their file.
    played: HashMap<RunId, usize>,
    files: usize,
    report: ReplayReport,
}

/// The clock of a replay, set to the recording's time.
struct RecordedClock(Arc<AtomicI64>);

impl Clock for RecordedClock {
    fn now(&self) -> Timestamp {
        let milliseconds = self.0.load(Ordering::Relaxed);
        Timestamp::from_millisecond(milliseconds).unwrap_or_default()
    }
}

impl Replay {
    /// Starts without lessons. `scope` is the scope of the sessions; `tells_subagents` says whether sub-agents get
    /// lessons at their start, too.
    ///
    /// # Errors
    ///
    /// If there is no memory for a store.
    pub fn new(policy: Policy, scope: &Scope, tells_subagents: bool) -> Result<Self> {
        let now = Arc::new(AtomicI64::new(0));
        let policy = Policy {
            holdout: false,
            inquiries: None,
            ..policy
        };
        let clock = Box::new(RecordedClock(now.clone()));
        Ok(Self {
            engine: Engine::new(Box::new(SqliteStore::in_memory()?), policy, clock),
            now,
            scope: scope.clone(),
            tells_subagents,
            played: HashMap::new(),
            files: 0,
            report: ReplayReport::default(),
        })
    }

    /// Plays the sessions of one file, which `T` opens, and returns whether it is a transcript. `project` finds the
    /// project of a run; `progress` gets the number of bytes read since its last call.
    ///
    /// A session that an earlier file held is not played again.
    pub fn play_file<T: TranscriptFile>(
        &mut self,
        path: &Path,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<bool> {
        let fault = Error::reading(path);
        let Some(file) = T::open(path).map_err(&fault)? else {
            return Ok(false);
        };
        self.files += 1;
        self.set_clock(file.began_at());
        let start = file.start(&source_name(path));
        let mut events = file.events(start, u64::MAX, progress).map_err(&fault)?;
        let mut stage = ReplayStage {
            replay: self,
            project,
            players: Vec::new(),
        };
        for item in &mut events {
            stage.play_event(item.map_err(&fault)?)?;
        }
        self.report.unreadable += events.summary().unreadable;
        Ok(true)
    }

    /// Returns the figures so far.
    pub fn report(&self) -> &ReplayReport {
        &self.report
    }

    /// Returns the lessons that were shown, those first that covered the most failures.
    pub fn lessons(&self) -> Result<Vec<(Lesson, LessonScores)>> {
        let mut lessons = Vec::new();
        for (id, counts) in &self.report.totals.lessons {
            if let Some(lesson) = self.desk().lesson_if_visible(*id)? {
                lessons.push((lesson, *counts));
            }
        }
        lessons.sort_by_key(|(lesson, counts)| {
            (u64::MAX - counts.covered, counts.unneeded, lesson.id)
        });
        Ok(lessons)
    }

    fn desk(&self) -> Desk<'_> {
        (self.engine).acting_as(Principal::person(self.scope.clone()))
    }

    /// Advances the clock to the start of a file, if that is later.
    fn set_clock(&self, began: Option<Timestamp>) {
        let began = began.map_or(0, Timestamp::as_millisecond);
        self.now.fetch_max(began, Ordering::Relaxed);
    }

    /// Learns from a finished session, and adds its figures.
    fn finish_player(&mut self, mut run: RunPlayer) -> Result<()> {
        run.end_run(&self.desk())?;
        let scope = run.trace.scope().clone();
        let summary = self.desk().learn_from_run(&run.trace)?;
        let is_new = |outcome: &&NoteOutcome| matches!(outcome, NoteOutcome::Recorded(_));
        let report = &mut self.report;
        report.learned += summary.note_outcomes.iter().filter(is_new).count() as u64;
        report.runs += 1;
        report.sessions += u64::from(!run.in_subagent);
        report.sessions_asked += u64::from(run.was_asked);
        report.prompts += run.prompts;
        report.calls += u64::from(run.trace.call_count());
        report.tokens += run.tokens;
        report.start_tokens += run.start_tokens;
        report.max_start_tokens = report.max_start_tokens.max(run.start_tokens);
        let name = session_name(run.trace.run());
        (report.totals).add_session(scope.project.as_ref(), name, run.score);
        Ok(())
    }
}

/// Returns the name of the session that a run belongs to: a sub-agent's has it before a slash.
fn session_name(run: &RunId) -> &str {
    let name = run.as_str();
    name.split_once('/').map_or(name, |(session, _)| session)
}

/// One file while it is played: its runs may be interleaved.
struct ReplayStage<'a> {
    replay: &'a mut Replay,
    project: &'a dyn Fn(&RunInfo) -> Option<ProjectId>,
    players: Vec<RunPlayer>,
}

impl ReplayStage<'_> {
    fn play_event(&mut self, item: TranscriptEvent) -> Result<()> {
        let Some(at) = self.player_for_run(&item.run) else {
            return Ok(());
        };
        self.replay.now.fetch_add(EVENT_STEP_MS, Ordering::Relaxed);
        let is_end = matches!(item.event, RunEvent::End { .. });
        self.players[at].play_event(&self.replay.desk(), item.event, item.was_run)?;
        if is_end {
            let player = self.players.swap_remove(at);
            self.replay.finish_player(player)
        } else {
            Ok(())
        }
    }

    /// Returns the index of a run's player; `None` if the run was played from another file.
    fn player_for_run(&mut self, run: &RunInfo) -> Option<usize> {
        let place = (self.players.iter()).position(|player| *player.trace.run() == run.id);
        if place.is_some() {
            return place;
        }
        let file = self.replay.files;
        let before = self.replay.played.get(&run.id).copied();
        if before.is_some_and(|before| before != file) {
            return None;
        }
        self.replay.played.insert(run.id.clone(), file);
        let project = (self.project)(run).or_else(|| self.replay.scope.project.clone());
        let scope = self.replay.scope.with_project(project);
        let is_resumed = before.is_some();
        let tells = self.replay.tells_subagents;
        self.players
            .push(RunPlayer::new(run, scope, is_resumed, tells));
        Some(self.players.len() - 1)
    }
}

//! A live run whose events come to several processes, a few at a time.
//!
//! Between two reports the run is kept by the [`Sessions`] port, as a client's session is between two hooks: its lines
//! are read, the events are attended, and what is new is appended, under the lock of the run. At the run's end all of
//! its lines are read once more, and it is learned from as a run of one process is. What goes wrong before the lines
//! are appended leaves the run as it was, so that the report may be sent again.

use std::{collections::VecDeque, io, mem};

use hardwon_core::{
    ClientName, RawEvent, RawText, Requester, RunEvent, RunId, RunStatus, Scope, digest, limits,
};

use super::{CLIENT, LiveRun, Nudge};
use crate::{
    AgentSession, Desk, DueSession, Error, LearnOutcome, OpenMemory, ReportedRun, Result,
    SessionTree, Sessions, access::Rights,
};

/// What a runtime reports of one of its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// The run.
    pub run: RunId,
    /// The program that reports it.
    pub client: ClientName,
    /// What is known of the run's agent. It is not kept: each report says it.
    pub requester: Requester,
    /// What happened since the report before, in order.
    pub events: Vec<LiveEvent>,
}

/// An event of a run that goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveEvent {
    /// Something that a trace has too. A run's name, agent and project in it are passed over: the report says them.
    Trace(RawEvent),
    /// A call is about to be made.
    Calling {
        /// The tool.
        tool: RawText,
        /// Its arguments.
        args: RawText,
    },
}

impl RunReport {
    /// Makes a report of no events, from a program without a name.
    pub fn new(run: RunId) -> Self {
        Self {
            run,
            client: ClientName::parse(CLIENT).expect("a word is a name"),
            requester: Requester::default(),
            events: Vec::new(),
        }
    }
}

impl Desk<'_> {
    /// Takes in what a runtime reports of a run, and returns the nudges for it. The run goes on from what `sessions`
    /// keep of it, and they keep what is new.
    ///
    /// # Errors
    ///
    /// `RunState` if the run is being reported by another process at this moment (then its kind is `WouldBlock`), or
    /// cannot be kept.
    pub fn observe_report(
        &self,
        mut report: RunReport,
        sessions: &dyn Sessions,
    ) -> Result<Vec<Nudge>> {
        self.check_access(Rights::Write, &self.principal.scope)?;
        let mut nudges = Vec::new();
        let mut events = VecDeque::from(mem::take(&mut report.events));
        while !events.is_empty() {
            let mut run = KeptRun::open(self, &report, sessions)?;
            let has_ended = run.take_events(&mut events, &mut nudges)?;
            run.save()?;
            if !has_ended {
                // If its end is never told, it is learned from when it has been quiet for long.
                let due = due_run(&report, &self.principal.scope);
                sessions.add_due(&due).map_err(Error::RunState)?;
            } else {
                let session = self.restore_run(&report.run, sessions)?;
                nudges.push(Nudge::Learned(self.learn_kept_run(&session, sessions)?));
            }
        }
        Ok(nudges)
    }

    /// Learns from a reported run of this scope that stopped without a word about its end, as from one that was aborted.
    /// One that has ended was learned from then.
    pub fn learn_quiet_run(&self, run: &RunId, sessions: &dyn Sessions) -> Result<LearnOutcome> {
        let mut session = self.restore_run(run, sessions)?;
        if session.trace().end().is_some() {
            return Ok(LearnOutcome::default());
        }
        let (status, score) = (RunStatus::Aborted, None);
        session.record_event(RunEvent::End { status, score }, self.now());
        self.learn_kept_run(&session, sessions)
    }

    /// Restores a run from all that is kept of it.
    fn restore_run(&self, run: &RunId, sessions: &dyn Sessions) -> Result<AgentSession> {
        let scope = &self.principal.scope;
        let lines = sessions.read_memory(&memory_name(scope, run));
        let lines = lines.map_err(Error::RunState)?;
        let session = AgentSession::replay(run.clone(), scope.clone(), &lines);
        Ok(with_outside_words(session, scope, run, sessions))
    }

    /// Learns from a run that was kept in the scope of this desk.
    fn learn_kept_run(
        &self,
        session: &AgentSession,
        sessions: &dyn Sessions,
    ) -> Result<LearnOutcome> {
        let trace = session.trace();
        let summary = self.learn_from_run(trace)?;
        SessionTree::new(trace.run(), None).note_end(sessions, &self.principal.scope);
        Ok(summary)
    }
}

/// A run while its report is taken in; no other process takes one in meanwhile.
struct KeptRun<'a> {
    live: LiveRun<'a>,
    memory: Box<dyn OpenMemory>,
    name: RunId,
}

impl<'a> KeptRun<'a> {
    fn open(desk: &Desk<'a>, report: &RunReport, sessions: &'a dyn Sessions) -> Result<Self> {
        let (scope, run) = (&desk.principal.scope, &report.run);
        let name = memory_name(scope, run);
        let memory = sessions.open_memory(&name, limits::SESSION_LONG_TAIL_BYTES);
        let memory = memory.map_err(Error::RunState)?;
        if !memory.is_locked() {
            let busy = "another process takes in a report of this run";
            return Err(Error::RunState(io::Error::new(
                io::ErrorKind::WouldBlock,
                busy,
            )));
        }
        let session = memory.to_session(run.clone(), scope.clone());
        let session = with_outside_words(session, scope, run, sessions);
        let live = LiveRun {
            client: report.client.clone(),
            session: session.with_requester(report.requester.clone()),
            ..LiveRun::begin(desk.clone(), run.clone(), sessions)
        };
        Ok(Self { live, memory, name })
    }

    /// Takes events in up to the run's end, and returns whether there was one.
    fn take_events(
        &mut self,
        events: &mut VecDeque<LiveEvent>,
        nudges: &mut Vec<Nudge>,
    ) -> Result<bool> {
        while let Some(event) = events.pop_front() {
            let is_end = matches!(event, LiveEvent::Trace(RunEvent::End { .. }));
            nudges.extend(self.take_event(event)?);
            if is_end {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn take_event(&mut self, event: LiveEvent) -> Result<Vec<Nudge>> {
        let live = &mut self.live;
        match event {
            LiveEvent::Calling { tool, args } => live.take_call(tool, args),
            LiveEvent::Trace(event @ RunEvent::Tool(_)) => live.take_event(event),
            // The scope is the desk's, and a run is learned from once its lines are kept.
            LiveEvent::Trace(event) => {
                let event = event.without_agent_and_project();
                live.session.record_event(event, live.desk.now());
                Ok(Vec::new())
            }
        }
    }

    /// Keeps what is new, and lets the next process take a report in.
    fn save(mut self) -> Result<()> {
        let lines = self.live.session.take_unwritten();
        self.memory.append(&lines).map_err(Error::RunState)?;
        let result = self.live.sessions.shorten_memory(&self.name);
        result.map_err(Error::RunState)
    }
}

/// Returns the name under which a run is kept: those of two projects may have the same name, and go on apart.
fn memory_name(scope: &Scope, run: &RunId) -> RunId {
    let project = scope.project_name().unwrap_or_default();
    let parts = [project, run.as_str()].map(str::as_bytes);
    RunId::from_digest(&digest::hash_parts(parts))
}

/// Makes the entry by which a run is found that was never said to end.
fn due_run(report: &RunReport, scope: &Scope) -> DueSession {
    DueSession {
        run: memory_name(scope, &report.run).to_string(),
        client: report.client.to_string(),
        folder: None,
        parent: None,
        transcript: None,
        is_unattended: false,
        tries: 0,
        writs: Vec::new(),
        reported: Some(ReportedRun {
            run: report.run.clone(),
            scope: scope.clone(),
        }),
    }
}

/// Adds what the run has read and fetched from outside; it is kept apart from its lines.
fn with_outside_words(
    mut session: AgentSession,
    scope: &Scope,
    run: &RunId,
    sessions: &dyn Sessions,
) -> AgentSession {
    SessionTree::new(run, None).restore_into(&mut session, sessions, scope, true);
    session
}

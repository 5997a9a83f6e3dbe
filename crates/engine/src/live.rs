//! A live run in this process: its events in, nudges out.
//!
//! A [`LiveRun`] is an [`AgentSession`] for runtimes that report a run as it goes on and have no client's hooks: the
//! plain trace on standard input, or a program that embeds the engine. The session decides what is replied and when, as
//! it does for hooks; here events become session events, and each reply becomes a [`Nudge`]. It neither recalls for
//! prompts nor runs writs: whoever has the prompt asks for that. A run whose events come to several processes is told
//! in reports: see [`Desk::observe_report`].

mod report;

use std::mem;

use hardwon_core::{ClientName, LessonId, RawEvent, RawText, Requester, RunEvent, RunId, Scope};

use crate::{
    AgentSession, AttendOutcome, Desk, LearnOutcome, ReplyChannel, Result, SessionEvent,
    SessionEventKind, SessionTree, Sessions, loops::LoopedCall,
};

pub use report::{LiveEvent, RunReport};

/// The client name under which the recalls of live runs are recorded.
const CLIENT: &str = "observe";

/// A message for an agent in the middle of its run.
#[derive(Debug, Clone, PartialEq)]
pub enum Nudge {
    /// The same call failed again, unchanged.
    Loop {
        /// The call that failed.
        call: String,
        /// What to put before the next tool result.
        text: String,
    },
    /// A lesson is about the failure just seen, or names the call about to be made.
    Lesson {
        /// The lesson's number.
        id: LessonId,
        /// What to put before the next tool result.
        text: String,
    },
    /// The run ended, with what was learned from it.
    Learned(LearnOutcome),
}

/// One run while it goes on, or several in turn.
pub struct LiveRun<'a> {
    desk: Desk<'a>,
    sessions: &'a dyn Sessions,
    client: ClientName,
    /// The scope of runs that do not name one.
    base_scope: Scope,
    scope: Scope,
    run: RunId,
    /// What the run's events say about its agent.
    requester: Requester,
    session: AgentSession,
}

impl<'e> Desk<'e> {
    /// Follows a run of this name, until an event says that another one begins. If it reads content from outside, that
    /// is recorded in `sessions`, for other processes to see.
    pub fn follow_run(&self, run: RunId, sessions: &'e dyn Sessions) -> LiveRun<'e> {
        LiveRun::begin(self.clone(), run, sessions)
    }
}

impl<'a> LiveRun<'a> {
    pub(crate) fn begin(desk: Desk<'a>, run: RunId, sessions: &'a dyn Sessions) -> Self {
        let scope = desk.principal.scope.clone();
        Self {
            desk,
            sessions,
            client: ClientName::parse(CLIENT).expect("a word is a name"),
            base_scope: scope.clone(),
            session: AgentSession::new(run.clone(), scope.clone()),
            scope,
            run,
            requester: Requester::default(),
        }
    }

    /// Takes in the next event, and returns the nudges for it.
    pub fn observe_event(&mut self, event: RawEvent) -> Result<Vec<Nudge>> {
        let nudges = self.take_event(event);
        self.forget_lines();
        nudges
    }

    fn take_event(&mut self, event: RawEvent) -> Result<Vec<Nudge>> {
        match event {
            RunEvent::Tool(what) => self.attend_event(SessionEventKind::AfterCall {
                call_id: None,
                tool_call: what,
                output: None,
                written: None,
            }),
            RunEvent::End { .. } => {
                self.session.record_event(event, self.desk.now());
                self.note_tree_event(&SessionEventKind::Ended);
                let summary = self.desk.learn_from_run(self.session.trace())?;
                Ok(vec![Nudge::Learned(summary)])
            }
            other => {
                self.enter_run(&other);
                self.session.record_event(other, self.desk.now());
                Ok(Vec::new())
            }
        }
    }

    /// Takes in the start of a run, of an agent of which this is known.
    pub fn observe_run(&mut self, event: RawEvent, asker: Requester) -> Result<Vec<Nudge>> {
        self.requester = asker;
        let anew = AgentSession::new(self.run.clone(), self.base_scope.clone());
        let session = mem::replace(&mut self.session, anew);
        self.session = session.with_requester(self.requester.clone());
        self.observe_event(event)
    }

    /// Takes in a call that is about to be made, and returns the lessons that name it.
    pub fn observe_call(&mut self, tool: RawText, args: RawText) -> Result<Vec<Nudge>> {
        let nudges = self.take_call(tool, args);
        self.forget_lines();
        nudges
    }

    fn take_call(&mut self, tool: RawText, args: RawText) -> Result<Vec<Nudge>> {
        self.attend_event(SessionEventKind::BeforeCall {
            call_id: None,
            tool,
            args,
            delegates: None,
        })
    }

    /// The memory is not needed when one process has a session from its beginning to its end.
    fn forget_lines(&mut self) {
        drop(self.session.take_unwritten());
    }

    /// Starts a new session where an event says that another run begins.
    fn enter_run(&mut self, event: &RawEvent) {
        let RunEvent::Run {
            run,
            agent,
            project,
            ..
        } = event
        else {
            return;
        };
        if *run != self.run {
            self.run.clone_from(run);
            self.scope.clone_from(&self.base_scope);
            let session = AgentSession::new(run.clone(), self.base_scope.clone());
            self.session = session.with_requester(self.requester.clone());
        }
        if let Some(agent) = agent {
            self.scope.agent.clone_from(agent);
        }
        if project.is_some() {
            self.scope.project.clone_from(project);
        }
    }

    fn note_tree_event(&self, what: &SessionEventKind) {
        self.tree().note_event(self.sessions, &self.scope, what);
    }

    fn tree(&self) -> SessionTree {
        SessionTree::new(&self.run, None)
    }

    fn attend_event(&mut self, what: SessionEventKind) -> Result<Vec<Nudge>> {
        self.note_tree_event(&what);
        let event = SessionEvent {
            run: self.run.clone(),
            client: self.client.clone(),
            scope: self.scope.clone(),
            in_subagent: false,
            reply_channel: ReplyChannel::Context,
            may_hold: false,
            may_ask_agent: false,
            is_unattended: false,
            kind: what,
        };
        let reply = self.desk.attend_event(&mut self.session, &event)?;
        let tree = self.tree();
        tree.keep(&mut self.session, self.sessions, &self.scope);
        self.build_nudges(reply)
    }

    fn build_nudges(&self, attended: AttendOutcome) -> Result<Vec<Nudge>> {
        let mut nudges: Vec<Nudge> = attended.detected_loop.iter().map(loop_warning).collect();
        for id in attended.shown {
            if let Some(lesson) = self.desk.lesson_if_visible(id)? {
                let text = self.desk.recaller().render_preamble(&[&lesson]).text;
                nudges.push(Nudge::Lesson { id, text });
            }
        }
        for recall in &attended.recalls {
            // The nudge is given even if the recall cannot be recorded: the agent needs it now.
            drop(self.desk.note_recall(recall));
        }
        Ok(nudges)
    }
}

fn loop_warning(found: &LoopedCall) -> Nudge {
    Nudge::Loop {
        call: format!("{} {}", found.tool, found.args),
        text: found.render_warning(),
    }
}

//! A live run in this process: its events in, nudges out.
//!
//! A [`LiveRun`] is a [`Session`] for runtimes that tell of a run as it goes on and have no client's
//! hooks: the plain trace on standard input, or a program that embeds the engine. What is said and
//! when is the session's decision, as it is for hooks; here events become its happenings, and what
//! it says becomes one [`Nudge`] each. It neither recalls for prompts nor carries out writs: whoever
//! has the prompt asks for that.

use std::mem;

use hardwon_core::{
    event::{RawEvent, RunEvent},
    id::{ClientName, LessonId, RunId},
    loops::DetectedLoop,
    rank::Requester,
    scope::Scope,
    text::RawText,
};

use crate::{
    Desk, Learned, Result,
    attend::{Attended, Happened, Happening, Hears, Session},
    sessions::{self, Sessions},
};

/// The name under which the recalls of live runs are kept.
const CLIENT: &str = "observe";

/// Something worth telling an agent in the middle of its run.
#[derive(Debug, Clone, PartialEq)]
pub enum Nudge {
    /// The same calls failed again, unchanged.
    Loop {
        /// The calls.
        calls: Vec<String>,
        /// What to put before the next tool result.
        text: String,
    },
    /// A lesson is about the failure just seen, or names the call about to be made.
    Lesson {
        /// Which.
        id: LessonId,
        /// What to put before the next tool result.
        text: String,
    },
    /// The run ended, and this was learned.
    Learned(Learned),
}

/// One run while it goes on, or several in turn.
pub struct LiveRun<'a> {
    desk: Desk<'a>,
    sessions: &'a dyn Sessions,
    client: ClientName,
    /// Where runs happen that do not say where.
    base: Scope,
    scope: Scope,
    run: RunId,
    /// What the run says of the agent in it.
    asker: Requester,
    session: Session,
}

impl<'a> LiveRun<'a> {
    pub(crate) fn begin(desk: Desk<'a>, run: RunId, sessions: &'a dyn Sessions) -> Self {
        let scope = desk.who.scope.clone();
        Self {
            desk,
            sessions,
            client: ClientName::parse(CLIENT).expect("a word is a name"),
            base: scope.clone(),
            session: Session::new(run.clone(), scope.clone()),
            scope,
            run,
            asker: Requester::default(),
        }
    }

    /// Takes in the next event, and returns what is to be said about it.
    pub fn observe(&mut self, event: RawEvent) -> Result<Vec<Nudge>> {
        match event {
            RunEvent::Tool(what) => self.attend(Happened::Called {
                call: None,
                what,
                printed: None,
            }),
            RunEvent::End { .. } => {
                self.session.record(event);
                self.forget_at(&Happened::Ended);
                let learned = self.desk.learn(self.session.trace())?;
                Ok(vec![Nudge::Learned(learned)])
            }
            other => {
                self.enter(&other);
                self.session.record(other);
                Ok(Vec::new())
            }
        }
    }

    /// Takes in that a run begins, of an agent of which this is known.
    pub fn observe_run(&mut self, event: RawEvent, asker: Requester) -> Result<Vec<Nudge>> {
        self.asker = asker;
        let anew = Session::new(self.run.clone(), self.base.clone());
        let session = mem::replace(&mut self.session, anew);
        self.session = session.asked_by(self.asker.clone());
        self.observe(event)
    }

    /// Takes in that a call is about to be made, and returns the lessons that name it.
    pub fn observe_calling(&mut self, tool: RawText, args: RawText) -> Result<Vec<Nudge>> {
        let call = None;
        self.attend(Happened::Calling { call, tool, args })
    }

    /// Begins anew where an event says that another run begins.
    fn enter(&mut self, event: &RawEvent) {
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
            self.scope.clone_from(&self.base);
            let session = Session::new(run.clone(), self.base.clone());
            self.session = session.asked_by(self.asker.clone());
        }
        if let Some(agent) = agent {
            self.scope.agent.clone_from(agent);
        }
        if project.is_some() {
            self.scope.project.clone_from(project);
        }
    }

    fn forget_at(&self, what: &Happened) {
        sessions::forget_at(self.sessions, &self.scope, &self.run, what);
    }

    fn attend(&mut self, what: Happened) -> Result<Vec<Nudge>> {
        self.forget_at(&what);
        let event = Happening {
            run: self.run.clone(),
            client: self.client.clone(),
            scope: self.scope.clone(),
            in_subagent: false,
            hears: Hears::Context,
            may_be_asked: false,
            what,
        };
        let attended = self.desk.attend(&mut self.session, &event)?;
        if let Some(words) = self.session.take_outside() {
            self.sessions.add_outside(&self.scope, &self.run, &words);
        }
        // Nobody reads the memory of a session that one process has from its beginning to its end.
        drop(self.session.take_fresh());
        self.nudges(attended)
    }

    fn nudges(&self, attended: Attended) -> Result<Vec<Nudge>> {
        let mut nudges: Vec<Nudge> = attended.looped.iter().map(warning).collect();
        for id in attended.shown {
            if let Some(lesson) = self.desk.lesson_if_visible(id)? {
                let text = self.desk.engine.render(&[&lesson]).text;
                nudges.push(Nudge::Lesson { id, text });
            }
        }
        for recall in &attended.recalls {
            // It is told even if that cannot be noted: the agent needs it now.
            drop(self.desk.note_recall(recall));
        }
        Ok(nudges)
    }
}

fn warning(found: &DetectedLoop) -> Nudge {
    let calls = found.calls.iter();
    Nudge::Loop {
        calls: calls
            .map(|call| format!("{} {}", call.tool, call.args))
            .collect(),
        text: found.render_warning(),
    }
}

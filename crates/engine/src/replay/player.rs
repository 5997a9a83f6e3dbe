//! Plays one run through the way of the hooks, event by event.
//!
//! A transcript tells what happened; a hook would have heard of it in its own words. A call that ran was
//! announced first; one that the client turned down is heard of afterwards only. A turn ends before
//! the next prompt and at the end, with the agent's last words.

use hardwon_core::{
    event::{CleanEvent, MessageRole, RawEvent, RunEvent, ToolCall, scrub_event},
    id::{ClientName, LessonId, RunId},
    limits,
    replay::{ReplayMoment, ReplaySession as Score},
    scope::Scope,
    text::{CleanText, RawText},
    trace::{Trace, failure::CallFailure},
    writ::{self, Writ},
};

use crate::{
    Engine, Result,
    attend::{Attended, Happened, Happening, Hears, Say, Session, Start},
    transcript::RunInfo,
};

/// One run while it is played.
pub(super) struct Player {
    session: Session,
    score: Score,
    trace: Trace,
    client: ClientName,
    in_subagent: bool,
    /// Whether it hears lessons at its start and with its task.
    is_told: bool,
    is_resumed: bool,
    /// What the agent said last in this turn.
    words: Option<RawText>,
    prompts: u64,
    calls: u64,
    tokens: u64,
    start_tokens: u64,
    is_asked: bool,
}

/// A run that was played to its end.
pub(super) struct Ended {
    pub(super) trace: Trace,
    pub(super) score: Score,
    pub(super) in_subagent: bool,
    pub(super) prompts: u64,
    pub(super) tokens: u64,
    pub(super) start_tokens: u64,
    /// Whether the agent would have been asked at the end of a turn.
    pub(super) is_asked: bool,
}

impl Player {
    pub(super) fn new(
        run: &RunInfo,
        scope: Scope,
        is_resumed: bool,
        tells_subagents: bool,
    ) -> Self {
        let in_subagent = run.id.as_str().contains('/');
        let agent = run.agent.as_ref().map_or("replay", |agent| agent.as_str());
        let client = ClientName::parse(agent).or_else(|_| ClientName::parse("replay"));
        Self {
            session: Session::new(run.id.clone(), scope.clone()),
            score: Score::default(),
            trace: Trace::new(run.id.clone(), scope),
            client: client.expect("a word is a name"),
            in_subagent,
            is_told: !in_subagent || tells_subagents,
            is_resumed,
            words: None,
            prompts: 0,
            calls: 0,
            tokens: 0,
            start_tokens: 0,
            is_asked: false,
        }
    }

    pub(super) fn run(&self) -> &RunId {
        self.trace.run()
    }

    /// Plays the next event.
    pub(super) fn play(&mut self, engine: &Engine, event: RawEvent, ran: bool) -> Result<()> {
        let event = event.without_agent_and_project();
        match &event {
            RunEvent::Run { task, .. } => {
                self.start(engine)?;
                task.as_ref()
                    .map_or(Ok(()), |task| self.prompt(engine, task))?;
            }
            RunEvent::Message {
                role: MessageRole::User,
                text,
            } => {
                self.stop(engine)?;
                self.prompt(engine, text)?;
            }
            RunEvent::Message {
                role: MessageRole::Assistant,
                text,
            } => self.words = Some(text.clone()),
            RunEvent::Tool(call) => return self.call(engine, call, ran),
            RunEvent::Signal(_) | RunEvent::End { .. } => {}
        }
        self.trace.push(scrub_event(event));
        Ok(())
    }

    /// Ends the run.
    pub(super) fn end(mut self, engine: &Engine) -> Result<Ended> {
        self.stop(engine)?;
        self.attend(engine, Hears::Nothing, Happened::Ended)?;
        Ok(Ended {
            trace: self.trace,
            score: self.score,
            in_subagent: self.in_subagent,
            prompts: self.prompts,
            tokens: self.tokens,
            start_tokens: self.start_tokens,
            is_asked: self.is_asked,
        })
    }

    fn start(&mut self, engine: &Engine) -> Result<()> {
        let how = match self.is_resumed {
            true => Start::Resumed,
            false => Start::Fresh,
        };
        let hears = self.hears();
        let attended = self.attend(engine, hears, Happened::Started(how))?;
        self.start_tokens += tokens(&attended.say);
        self.show(engine, &attended, ReplayMoment::Start)
    }

    fn prompt(&mut self, engine: &Engine, text: &RawText) -> Result<()> {
        self.prompts += u64::from(!self.in_subagent);
        self.score.begin_turn();
        let hears = self.hears();
        let attended = self.attend(engine, hears, Happened::Prompted(recordable(text)))?;
        self.show(engine, &attended, ReplayMoment::Prompt)
    }

    fn stop(&mut self, engine: &Engine) -> Result<()> {
        let said = self.words.take().map(|words| recordable(&words));
        let is_asked = false;
        let what = Happened::Stopped { said, is_asked };
        let hears = match self.in_subagent {
            true => Hears::Nothing,
            false => Hears::GoOn,
        };
        let asked = self.happen(engine, hears, what)?.asked;
        self.is_asked |= asked.is_some();
        Ok(())
    }

    fn call(&mut self, engine: &Engine, made: &ToolCall<RawText>, ran: bool) -> Result<()> {
        self.calls += 1;
        let call = Some(self.calls.to_string());
        if ran {
            let what = Happened::Calling {
                call: call.clone(),
                tool: made.tool.clone(),
                args: made.args.clone(),
            };
            let attended = self.attend(engine, Hears::Context, what)?;
            self.show(engine, &attended, ReplayMoment::Call)?;
        }
        let what = made.clone();
        let printed = None;
        let called = Happened::Called {
            call,
            what,
            printed,
        };
        let attended = self.attend(engine, Hears::Context, called)?;
        self.show(engine, &attended, ReplayMoment::Failure)?;
        let event = scrub_event(RunEvent::Tool(made.clone()));
        if let CleanEvent::Tool(clean) = &event {
            let tied = self.tied(engine, clean)?;
            self.score.record_call(clean, &tied);
        }
        self.trace.push(event);
        Ok(())
    }

    /// Returns the lessons that are tied to the failure of a call.
    fn tied(&self, engine: &Engine, call: &ToolCall<CleanText>) -> Result<Vec<LessonId>> {
        let Some(failure) = CallFailure::from_call(call) else {
            return Ok(Vec::new());
        };
        let lessons = (engine.store)
            .snapshot()?
            .about_failure(self.trace.scope(), &failure.key)?;
        Ok(lessons.iter().map(|it| it.id).collect())
    }

    fn hears(&self) -> Hears {
        match self.is_told {
            true => Hears::Context,
            false => Hears::Nothing,
        }
    }

    fn attend(&mut self, engine: &Engine, hears: Hears, what: Happened) -> Result<Attended> {
        let attended = self.happen(engine, hears, what)?;
        self.tokens += tokens(&attended.say);
        Ok(attended)
    }

    fn happen(&mut self, engine: &Engine, hears: Hears, what: Happened) -> Result<Attended> {
        let event = Happening {
            run: self.trace.run().clone(),
            client: self.client.clone(),
            scope: self.trace.scope().clone(),
            in_subagent: self.in_subagent,
            hears,
            may_be_asked: true,
            what,
        };
        let attended = engine.attend(&mut self.session, &event)?;
        for recall in &attended.recalls {
            engine.note_recall(recall)?;
        }
        Ok(attended)
    }

    fn show(&mut self, engine: &Engine, attended: &Attended, at: ReplayMoment) -> Result<()> {
        for id in &attended.shown {
            if let Some(lesson) = engine
                .store
                .snapshot()?
                .lesson(&self.trace.scope().tenant, *id)?
            {
                self.score.record_showing(*id, &lesson.content, at);
            }
        }
        Ok(())
    }
}

/// Returns how many tokens are said, about.
fn tokens(say: &Say) -> u64 {
    match say {
        Say::Nothing => 0,
        Say::Context(text) | Say::GoOn(text) => text.len().div_ceil(limits::TOKEN_BYTES) as u64,
    }
}

/// Returns a text of which no writ is left but those that record a lesson: the others mean lessons of
/// another store.
fn recordable(text: &RawText) -> RawText {
    let spotted = writ::parse(text.expose());
    let records = |writ: &Writ| matches!(writ, Writ::Create { .. } | Writ::Reflect { .. });
    let others = spotted
        .iter()
        .filter(|it| !it.writ.as_ref().is_ok_and(records));
    let others: Vec<usize> = others.map(|it| it.line).collect();
    if others.is_empty() {
        return text.clone();
    }
    let lines = text.expose().lines().enumerate();
    let lines = lines.map(|(at, line)| match others.contains(&(at + 1)) {
        true => format!(" {line}"),
        false => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_writs_that_record_a_lesson_are_left() {
        for (text, expected) in [
            ("done", "done"),
            (
                "/lesson npm test: Run it.\ndone",
                "/lesson npm test: Run it.\ndone",
            ),
            ("/reflect Run it.", "/reflect Run it."),
            (
                "/lesson npm test: Run it.\n/lesson wrong 1\n/lesson delete 2\n/lesson list",
                "/lesson npm test: Run it.\n /lesson wrong 1\n /lesson delete 2\n /lesson list",
            ),
        ] {
            let left = recordable(&RawText::from(text));
            assert_eq!(left.expose(), expected, "{text}");
            let writs = writ::parse(left.expose());
            let is_record = |it: &writ::SpottedWrit| {
                let records = |writ: &Writ| matches!(writ.verb(), "create" | "reflect");
                it.writ.as_ref().is_ok_and(records)
            };
            assert!(writs.iter().all(is_record), "{text}");
        }
    }
}

//! Plays one run through the path of the hooks, event by event.
//!
//! A transcript records what happened; a hook would have received it as its own events. A call that ran was announced
//! first; one that the client turned down is reported afterwards only. A turn ends before the next prompt and at the
//! end, with the agent's last message.

use crate::replay::scores::{ReplayMoment, ReplaySession as Score};
use hardwon_core::{
    CallFailure, CleanText, ClientName, LessonId, MessageRole, RawEvent, RawText, RunEvent, Scope,
    ToolCall, Trace, Writ,
    event::{scrub_call, scrub_event},
    limits, writ,
};

use crate::{
    AgentSession, AttendOutcome, Desk, HookReply, ReplyChannel, Result, RunInfo, SessionEvent,
    SessionEventKind, attend::SessionStartKind,
};

/// One run while it is played.
pub(super) struct RunPlayer {
    session: AgentSession,
    pub(super) score: Score,
    pub(super) trace: Trace,
    client: ClientName,
    pub(super) in_subagent: bool,
    /// Whether it gets lessons at its start and with its task.
    hears_lessons: bool,
    is_resumed: bool,
    /// The agent's last message in this turn.
    last_message: Option<RawText>,
    pub(super) prompts: u64,
    calls: u64,
    pub(super) tokens: u64,
    pub(super) start_tokens: u64,
    /// Whether the agent would have been asked at the end of a turn.
    pub(super) was_asked: bool,
}

impl RunPlayer {
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
            session: AgentSession::new(run.id.clone(), scope.clone()),
            score: Score::default(),
            trace: Trace::new(run.id.clone(), scope),
            client: client.expect("a word is a name"),
            in_subagent,
            hears_lessons: !in_subagent || tells_subagents,
            is_resumed,
            last_message: None,
            prompts: 0,
            calls: 0,
            tokens: 0,
            start_tokens: 0,
            was_asked: false,
        }
    }

    /// Plays the next event.
    pub(super) fn play_event(&mut self, desk: &Desk<'_>, event: RawEvent, ran: bool) -> Result<()> {
        let event = event.without_agent_and_project();
        match &event {
            RunEvent::Run { task, .. } => {
                self.start_session(desk)?;
                task.as_ref()
                    .map_or(Ok(()), |task| self.play_prompt(desk, task))?;
            }
            RunEvent::Message {
                role: MessageRole::User,
                text,
            } => {
                self.stop_turn(desk)?;
                self.play_prompt(desk, text)?;
            }
            RunEvent::Message {
                role: MessageRole::Assistant,
                text,
            } => self.last_message = Some(text.clone()),
            RunEvent::Tool(call) => return self.play_call(desk, call, ran),
            RunEvent::Signal(_) | RunEvent::End { .. } => {}
        }
        self.trace.push(scrub_event(event));
        Ok(())
    }

    /// Ends the run.
    pub(super) fn end_run(&mut self, desk: &Desk<'_>) -> Result<()> {
        self.stop_turn(desk)?;
        self.attend_event(desk, ReplyChannel::None, SessionEventKind::Ended)?;
        Ok(())
    }

    fn start_session(&mut self, desk: &Desk<'_>) -> Result<()> {
        let kind = if self.is_resumed {
            SessionStartKind::Resumed
        } else {
            SessionStartKind::Fresh
        };
        let event = SessionEventKind::Started(kind);
        let reply = self.attend_event(desk, self.reply_channel(), event)?;
        self.start_tokens += count_tokens(&reply.reply);
        self.record_shown(desk, &reply, ReplayMoment::Start)
    }

    fn play_prompt(&mut self, desk: &Desk<'_>, text: &RawText) -> Result<()> {
        self.prompts += u64::from(!self.in_subagent);
        self.score.begin_turn();
        let event = SessionEventKind::Prompted(keep_recording_writs(text));
        let reply = self.attend_event(desk, self.reply_channel(), event)?;
        self.record_shown(desk, &reply, ReplayMoment::Prompt)
    }

    fn stop_turn(&mut self, desk: &Desk<'_>) -> Result<()> {
        let message = self.last_message.take();
        let event = SessionEventKind::Stopped {
            last_message: message.map(|words| keep_recording_writs(&words)),
            is_continuation: false,
        };
        let reply_channel = if self.in_subagent {
            ReplyChannel::None
        } else {
            ReplyChannel::Continue
        };
        let question = self.send_event(desk, reply_channel, event)?.question;
        self.was_asked |= question.is_some();
        Ok(())
    }

    fn play_call(&mut self, desk: &Desk<'_>, made: &ToolCall<RawText>, ran: bool) -> Result<()> {
        self.calls += 1;
        let call = Some(self.calls.to_string());
        if ran {
            let event = SessionEventKind::BeforeCall {
                call_id: call.clone(),
                tool: made.tool.clone(),
                args: made.args.clone(),
                delegates: None,
            };
            let reply = self.attend_event(desk, ReplyChannel::Context, event)?;
            self.record_shown(desk, &reply, ReplayMoment::Call)?;
        }
        let event = SessionEventKind::AfterCall {
            call_id: call,
            tool_call: made.clone(),
            output: None,
            written: None,
        };
        let reply = self.attend_event(desk, ReplyChannel::Context, event)?;
        self.record_shown(desk, &reply, ReplayMoment::Failure)?;
        let clean = scrub_call(made.clone());
        let lessons = self.lessons_tied_to_failure(desk, &clean)?;
        self.score.record_call(&clean, &lessons);
        self.trace.push(RunEvent::Tool(clean));
        Ok(())
    }

    /// Returns the lessons that are tied to the failure of a call.
    fn lessons_tied_to_failure(
        &self,
        desk: &Desk<'_>,
        call: &ToolCall<CleanText>,
    ) -> Result<Vec<LessonId>> {
        let Some(failure) = CallFailure::from_call(call) else {
            return Ok(Vec::new());
        };
        let lessons = desk
            .snapshot()?
            .lessons_for_failure(self.trace.scope(), &failure.key)?;
        Ok(lessons.iter().map(|lesson| lesson.id).collect())
    }

    fn reply_channel(&self) -> ReplyChannel {
        if self.hears_lessons {
            ReplyChannel::Context
        } else {
            ReplyChannel::None
        }
    }

    fn attend_event(
        &mut self,
        desk: &Desk<'_>,
        reply_channel: ReplyChannel,
        what: SessionEventKind,
    ) -> Result<AttendOutcome> {
        let reply = self.send_event(desk, reply_channel, what)?;
        self.tokens += count_tokens(&reply.reply);
        Ok(reply)
    }

    fn send_event(
        &mut self,
        desk: &Desk<'_>,
        reply_channel: ReplyChannel,
        what: SessionEventKind,
    ) -> Result<AttendOutcome> {
        let event = SessionEvent {
            run: self.trace.run().clone(),
            client: self.client.clone(),
            scope: self.trace.scope().clone(),
            in_subagent: self.in_subagent,
            reply_channel,
            may_hold: false,
            may_ask_agent: true,
            is_unattended: false,
            kind: what,
        };
        let reply = desk.attend_event(&mut self.session, &event)?;
        for recall in &reply.recalls {
            desk.note_recall(recall)?;
        }
        Ok(reply)
    }

    fn record_shown(
        &mut self,
        desk: &Desk<'_>,
        attended: &AttendOutcome,
        at: ReplayMoment,
    ) -> Result<()> {
        for id in &attended.shown {
            if let Some(lesson) = desk.lesson_if_visible(*id)? {
                self.score.record_showing(*id, &lesson.content, at);
            }
        }
        if let Some(lesson) = &attended.seen_once {
            (self.score).record_showing(lesson.id, &lesson.content, ReplayMoment::Once);
        }
        Ok(())
    }
}

/// Estimates the tokens of a reply.
fn count_tokens(say: &HookReply) -> u64 {
    match say {
        HookReply::Empty => 0,
        HookReply::Context(text) | HookReply::Continue(text) | HookReply::Hold(text) => {
            text.len().div_ceil(limits::TOKEN_BYTES) as u64
        }
    }
}

/// Removes all writs from a text but those that record a lesson: the others mean lessons of another store.
fn keep_recording_writs(text: &RawText) -> RawText {
    let writs = writ::parse(text.expose());
    let records = |writ: &Writ| matches!(writ, Writ::Create { .. } | Writ::Reflect { .. });
    let others = writs
        .iter()
        .filter(|writ| !writ.writ.as_ref().is_ok_and(records));
    let others: Vec<usize> = others.map(|writ| writ.line).collect();
    if others.is_empty() {
        return text.clone();
    }
    let lines = text.expose().lines().enumerate();
    let lines = lines.map(|(at, line)| {
        if others.contains(&(at + 1)) {
            format!(" {line}")
        } else {
            line.to_owned()
        }
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
            let left = keep_recording_writs(&RawText::from(text));
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

//! A model that is asked about a run with a payload in it, and answers with the payload.

use hardwon_core::{
    CallStatus, InquiryTriggers, JobMethod, RawText, RunEvent, RunStatus, Scope, ToolCall, Trace,
    event::scrub_event,
};
use hardwon_engine::{
    DrainOptions, InquiryPolicy, Model, ModelAnswer, ModelError, ModelRequest, NoteOutcome, Policy,
};
use jiff::SignedDuration;
use serde_json::json;
use std::sync::{Mutex, PoisonError};

use super::{Door, DoorResult, new_door};
use crate::desk::person_desk;
use crate::poison::{
    careless_reader::{TextFrame, find_exposure},
    payload::PoisonPayload,
    reach::{FAILING_COMMAND, FAILURE_ERROR},
    room::{PoisonRoom, run_id},
};

pub(super) fn doors() -> Vec<Door> {
    vec![
        Door {
            policy: || policy_with_method(JobMethod::Lesson),
            ..new_door("model: four blocks", |room, scope, it| {
                let reply = format!(
                    "<situation>{FAILING_COMMAND} fails</situation><mistake>{}</mistake>\
                     <correction>{}</correction><tags>npm</tags>",
                    it.truncated(300),
                    it.truncated(2000)
                );
                ask_model(room, scope, it, reply)
            })
        },
        Door {
            policy: || policy_with_method(JobMethod::Judge),
            ..new_door("model: judge", |room, scope, it| {
                let reply = json!({"verdicts": [], "lessons": [{
                    "title": it.one_line(90), "situation": format!("{FAILING_COMMAND} fails"),
                    "mistake": it.truncated(300), "correction": it.truncated(2000), "tags": ["npm"],
                }]});
                ask_model(room, scope, it, reply.to_string())
            })
        },
    ]
}

fn policy_with_method(method: JobMethod) -> Policy {
    Policy {
        inquiries: Some(InquiryPolicy {
            triggers: InquiryTriggers::default(),
            method,
            quiet_period: SignedDuration::ZERO,
        }),
        ..Policy::default()
    }
}

/// A model that always gives the same answer, and keeps the questions.
struct ParrotModel {
    reply: String,
    questions: Mutex<Vec<String>>,
}

impl Model for ParrotModel {
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let mut asked = self
            .questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        asked.push(ask.prompt.user.clone());
        Ok(ModelAnswer {
            text: RawText::new(self.reply.clone()),
            tokens: None,
        })
    }
}

fn ask_model(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
    reply: String,
) -> anyhow::Result<DoorResult> {
    let mut trace = Trace::new(run_id("asked", scope)?, scope.clone());
    for error in [
        format!("{FAILURE_ERROR}\n{}", payload.text),
        payload.text.clone(),
    ] {
        trace.push(scrub_event(RunEvent::Tool(ToolCall {
            turn: 0,
            tool: "Bash".into(),
            args: format!("{FAILING_COMMAND} {}", payload.one_line(200)).into(),
            status: CallStatus::Error(error.into()),
            outside: None,
        })));
    }
    trace.push(scrub_event(RunEvent::End {
        status: RunStatus::Failed,
        score: None,
    }));
    person_desk(&room.engine, scope).learn_from_run(&trace)?;
    let parrot = ParrotModel {
        reply,
        questions: Mutex::default(),
    };
    let how = DrainOptions {
        max_workers: 1,
        max_jobs: 5,
        lease: SignedDuration::from_secs(60),
        max_answer_tokens: 500,
        tokens_per_day: None,
    };
    let drained = person_desk(&room.engine, scope).drain_queue(&parrot, &how)?;
    let mut entered = DoorResult::default();
    for (_, noted) in &drained.done {
        entered.refused |= noted
            .iter()
            .any(|outcome| matches!(outcome, NoteOutcome::Refused(_)));
    }
    entered.refused |= !drained.failed.is_empty();
    for question in parrot.questions.into_inner().unwrap_or_default() {
        entered.exposure =
            entered
                .exposure
                .merge(find_exposure(TextFrame::Question, &question, payload));
    }
    Ok(entered)
}

//! A model that is asked about a run with a payload in it, and answers with the payload.

use hardwon_core::{
    distil::Triggers,
    event::{CallStatus, EventOf, RunStatus, ToolCall},
    queue::{Allowance, Method},
    redact::scrub,
    scope::Scope,
    text::RawText,
    trace::Trace,
};
use hardwon_engine::{
    Asking, Drain, Noted, Policy,
    model::{Answer, Model, ModelAsk, ModelError, Prices},
};
use jiff::SignedDuration;
use serde_json::json;
use std::sync::{Mutex, PoisonError};

use super::{Door, Entered, door};
use crate::desk::person;
use crate::poison::{
    payload::Payload,
    reach::{ERROR, TROUBLE},
    room::{Room, run},
    seen::{Frame, look},
};

pub(super) fn doors() -> Vec<Door> {
    vec![
        Door {
            policy: || asking_with(Method::Lesson),
            ..door("model: four blocks", |room, scope, it| {
                let reply = format!(
                    "<situation>{TROUBLE} fails</situation><mistake>{}</mistake>\
                     <correction>{}</correction><tags>npm</tags>",
                    it.head(300),
                    it.head(2000)
                );
                asked(room, scope, it, reply)
            })
        },
        Door {
            policy: || asking_with(Method::Judge),
            ..door("model: judge", |room, scope, it| {
                let reply = json!({"verdicts": [], "lessons": [{
                    "title": it.line(90), "situation": format!("{TROUBLE} fails"),
                    "mistake": it.head(300), "correction": it.head(2000), "tags": ["npm"],
                }]});
                asked(room, scope, it, reply.to_string())
            })
        },
    ]
}

fn asking_with(method: Method) -> Policy {
    Policy {
        asking: Some(Asking {
            triggers: Triggers::default(),
            method,
            quiet: SignedDuration::ZERO,
        }),
        ..Policy::default()
    }
}

/// Says one thing, and keeps what it was asked.
struct Parrot {
    reply: String,
    asked: Mutex<Vec<String>>,
}

impl Model for Parrot {
    fn complete(&self, ask: &ModelAsk) -> Result<Answer, ModelError> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(ask.prompt.user.clone());
        Ok(Answer {
            text: RawText::new(self.reply.clone()),
            tokens: None,
        })
    }
}

fn asked(room: &Room, scope: &Scope, payload: &Payload, reply: String) -> anyhow::Result<Entered> {
    let mut trace = Trace::new(run("asked", scope)?, scope.clone());
    for error in [format!("{ERROR}\n{}", payload.text), payload.text.clone()] {
        trace.push(scrub(EventOf::Tool(ToolCall {
            turn: 0,
            tool: "Bash".into(),
            args: format!("{TROUBLE} {}", payload.line(200)).into(),
            status: CallStatus::Error(error.into()),
            outside: None,
        })));
    }
    trace.push(scrub(EventOf::End {
        status: RunStatus::Failed,
        score: None,
    }));
    person(&room.engine, scope).learn(&trace)?;
    let parrot = Parrot {
        reply,
        asked: Mutex::default(),
    };
    let how = Drain {
        workers: 1,
        jobs: 5,
        lease: SignedDuration::from_secs(60),
        answer_tokens: 500,
        allowance: Allowance::default(),
        prices: Prices::default(),
    };
    let drained = person(&room.engine, scope).drain(&parrot, &how)?;
    let mut entered = Entered::default();
    for (_, noted) in &drained.done {
        entered.refused |= noted.iter().any(|it| matches!(it, Noted::Refused(_)));
    }
    entered.refused |= !drained.failed.is_empty();
    for question in parrot.asked.into_inner().unwrap_or_default() {
        entered.sight = entered.sight.and(look(Frame::Question, &question, payload));
    }
    Ok(entered)
}

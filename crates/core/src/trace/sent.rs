//! Takes in a trace that another machine recorded: nothing in it is believed to be clean, and whose it is, is decided
//! here.

use super::{count_text_bytes, stored::BadTrace};
use crate::{
    CleanText, RawText, Scope,
    event::{scrub_call, scrub_message, scrub_signal},
};
use crate::{StepKind, Trace, TraceStep};

impl Trace {
    /// Restores a trace that [`to_json`](Self::to_json) wrote elsewhere, as one of this scope. Every text is cleaned
    /// again.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json).
    pub fn from_sender(text: &str, scope: Scope) -> Result<Self, BadTrace> {
        let message = Self::from_json(text)?;
        let mut trace = Self::new(message.run.clone(), scope);
        trace.task = message.task.map(|task| scrub_message(make_raw(task)));
        trace.steps = message.steps.into_iter().map(scrub_step).collect();
        for signal in message.signals {
            trace.keep_signal(scrub_signal(signal.map(make_raw)));
        }
        trace.steps_seen = message.steps_seen;
        trace.call_count = message.call_count;
        trace.agent_turn = message.agent_turn;
        trace.outside = message.outside;
        trace.end = message.end;
        let texts = trace.steps.iter().map(|step| count_text_bytes(&step.kind));
        trace.kept_bytes = texts.sum();
        Ok(trace)
    }
}

fn make_raw(text: CleanText) -> RawText {
    RawText::from(text.as_str())
}

fn scrub_step(step: TraceStep) -> TraceStep {
    let kind = match step.kind {
        StepKind::Call(call) => StepKind::Call(scrub_call(call.map(make_raw))),
        StepKind::UserMessage { text, after } => StepKind::UserMessage {
            text: scrub_message(make_raw(text)),
            after,
        },
    };
    TraceStep { kind, ..step }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        MessageRole, RunEvent,
        event::scrub_event,
        id::{ProjectId, RunId},
    };

    #[test]
    fn what_was_sent_is_cleaned_and_belongs_to_whoever_took_it_in() {
        let mut recorded = Trace::new(RunId::parse("r").unwrap(), Scope::default());
        let told = RawText::from("Fetch the price list");
        let role = MessageRole::User;
        recorded.push(scrub_event(RunEvent::Message { role, text: told }));
        let sent = recorded.to_json();
        assert!(sent.contains("price list"));
        let scope = Scope {
            project: ProjectId::parse("shop").ok(),
            ..Scope::default()
        };
        let honest = Trace::from_sender(&sent, scope.clone()).unwrap();
        assert_eq!(honest.scope(), &scope);
        assert_eq!(honest.steps, recorded.steps);
        let spoiled = sent.replace("price list", "list with password=hunter2");
        let taken = Trace::from_sender(&spoiled, scope).unwrap();
        assert!(!taken.to_json().contains("hunter2"), "{taken:?}");
    }
}

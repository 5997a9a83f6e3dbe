//! Intake of a run's events: every text is cleaned and cut to the length that is kept of its kind.

use hardwon_redact::{clean_to_bytes, clean_to_chars, clean_with_fingerprint};

use super::RunEvent;
use crate::limits;
use crate::{CleanEvent, CleanText, RawEvent, RawText, Signal, ToolCall};

/// Cleans every text of an event, each cut to the limit for its kind.
pub fn scrub_event(event: RawEvent) -> CleanEvent {
    match event {
        RunEvent::Tool(call) => RunEvent::Tool(scrub_call(call)),
        RunEvent::Signal(signal) => RunEvent::Signal(scrub_signal(signal)),
        other @ (RunEvent::Run { .. } | RunEvent::Message { .. } | RunEvent::End { .. }) => {
            other.map(scrub_message)
        }
    }
}

/// Cleans every text of a call.
pub fn scrub_call(call: ToolCall<RawText>) -> ToolCall<CleanText> {
    ToolCall {
        turn: call.turn,
        tool: clean_to_chars(&call.tool, limits::TAG_CHARS),
        args: clean_with_fingerprint(&call.args, limits::ARGS_BYTES),
        status: (call.status).map(|error| clean_to_bytes(&error, limits::ERROR_BYTES)),
        outside: call.outside,
    }
}

/// Cleans every text of a signal.
pub(crate) fn scrub_signal(mut signal: Signal<RawText>) -> Signal<CleanText> {
    if let Signal::Review { fixed, flagged } = &mut signal {
        fixed.truncate(limits::REVIEW_ITEMS);
        flagged.truncate(limits::REVIEW_ITEMS);
    }
    signal.map(|text| clean_to_bytes(&text, limits::SIGNAL_BYTES))
}

/// Cleans a message or a task.
pub(crate) fn scrub_message(text: RawText) -> CleanText {
    clean_to_bytes(&text, limits::MESSAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallStatus, MessageRole, event::RunStatus};

    #[test]
    fn every_text_of_an_event_is_cleaned() {
        let secret = || RawText::from("password=hunter2");
        let events = [
            RunEvent::Run {
                run: crate::id::RunId::parse("r").unwrap(),
                agent: None,
                project: None,
                task: Some(secret()),
            },
            RunEvent::Tool(ToolCall {
                turn: 0,
                tool: secret(),
                args: secret(),
                status: CallStatus::Error(secret()),
                outside: None,
            }),
            RunEvent::Message {
                role: MessageRole::User,
                text: secret(),
            },
            RunEvent::Signal(Signal::Discrepancy { detail: secret() }),
            RunEvent::Signal(Signal::LowQuality {
                score: None,
                detail: secret(),
            }),
            RunEvent::Signal(Signal::RootCause {
                cause: secret(),
                fix: Some(secret()),
            }),
            RunEvent::Signal(Signal::Heal {
                attempts: 1,
                escalated: false,
                detail: secret(),
            }),
            RunEvent::Signal(Signal::Review {
                fixed: vec![secret()],
                flagged: vec![secret()],
            }),
            RunEvent::End {
                status: RunStatus::Failed,
                score: None,
            },
        ];
        for event in events {
            scrub_event(event)
                .map(|text| assert_eq!(text.as_str(), "password=[REDACTED:password]"));
        }
    }

    #[test]
    fn every_text_of_an_event_is_bounded() {
        let long = || RawText::from("word ".repeat(10_000));
        let call = RunEvent::Tool(ToolCall {
            turn: 0,
            tool: long(),
            args: long(),
            status: CallStatus::Error(long()),
            outside: None,
        });
        let RunEvent::Tool(call) = scrub_event(call) else {
            panic!()
        };
        assert!(call.tool.as_str().chars().count() <= limits::TAG_CHARS);
        assert!(call.args.as_str().len() <= limits::ARGS_BYTES);
        let CallStatus::Error(error) = call.status else {
            panic!()
        };
        assert!(error.as_str().len() <= limits::ERROR_BYTES);

        let review = Signal::Review {
            fixed: vec![long(); 99],
            flagged: vec![long(); 99],
        };
        let mut count = 0;
        scrub_event(RunEvent::Signal(review)).map(|text| {
            count += 1;
            assert!(text.as_str().len() <= limits::SIGNAL_BYTES);
        });
        assert_eq!(count, 2 * limits::REVIEW_ITEMS);
    }
}

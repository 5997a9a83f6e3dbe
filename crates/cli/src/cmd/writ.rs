//! `hardwon writ` and `hardwon reflect`: the `/lesson` lines of a text, carried out and answered.

use std::process::ExitCode;

use hardwon_api::v1::writ::WritDto;
use hardwon_core::{LessonContent, QueueOrder, RawText, SpottedWrit, Writ, WritError, writ};
use hardwon_engine::{Engine, Principal};

use crate::{
    CliError, ExitReason, GlobalArgs, Result, Settings, args::WritArgs, input, open, output,
};

pub(super) fn run(global: &GlobalArgs, args: &WritArgs) -> Result<ExitCode> {
    let text = input::read_text(args.text.as_deref(), "the text")?;
    let writs = writ::parse(&text);
    let settings = Settings::load(global)?;
    let engine = if args.dry_run {
        None
    } else {
        Some(open::open_writer(&settings)?)
    };
    let mut all_well = true;
    for writs in &writs {
        let answer = answer_writ(writs, engine.as_ref(), &settings)?;
        all_well &= answer.ok;
        output::print_answer(args.json, &answer, || render_reply(&answer.reply))?;
    }
    Ok(ExitReason::Negative.exit_code_if(!all_well))
}

pub(super) fn reflect(global: &GlobalArgs, text: &str) -> Result<ExitCode> {
    if let Some(order) = QueueOrder::parse(text) {
        let order = order.map_err(CliError::bad_input)?;
        return super::queue::run(global, &order.into(), false);
    }
    let settings = Settings::load(global)?;
    let engine = open::open_writer(&settings)?;
    let writ = SpottedWrit {
        line: 1,
        opens_text: true,
        writ: Ok(Writ::Reflect {
            text: RawText::from(text),
        }),
    };
    let answer = answer_writ(&writ, Some(&engine), &settings)?;
    output::print_line(&render_reply(&answer.reply))?;
    Ok(ExitReason::Negative.exit_code_if(!answer.ok))
}

/// Prints a reply: to a person as other commands answer, to an agent in the frame that it knows.
fn render_reply(reply: &str) -> String {
    if output::is_stdout_terminal() {
        strip_frame(reply)
    } else {
        reply.to_owned()
    }
}

/// Returns what a reply says to a person, who knows what they typed.
fn strip_frame(reply: &str) -> String {
    let body = reply.strip_suffix("\n[END LESSON]").unwrap_or(reply);
    let body = match body.split_once('\n') {
        Some((head, rest)) if head.starts_with('[') => rest,
        _ => body,
    };
    let body = body.strip_prefix("OK: ").unwrap_or(body);
    // The number stands before the lesson and in it.
    match body.split_once(" — ") {
        Some((head, lesson)) if head.starts_with("recorded lesson #") => {
            format!("recorded {lesson}")
        }
        Some((head, lesson)) if head.starts_with("already known as #") => {
            format!("already known as {lesson}")
        }
        _ => body.to_owned(),
    }
}

fn answer_writ<'a>(
    spotted: &'a SpottedWrit,
    engine: Option<&Engine>,
    settings: &Settings,
) -> Result<WritDto<'a>> {
    let answer = WritDto::from_parsed(&spotted.writ);
    Ok(match (engine, &spotted.writ) {
        (Some(engine), writ) => {
            let is_tainted = find_writer(writ, settings).trust.tainted;
            let agent = Principal::agent(settings.scope.clone(), is_tainted);
            answer.with_outcome(engine.acting_as(agent).run_writ(writ)?)
        }
        (None, Ok(writ)) => WritDto {
            reply: format!("{} (line {})", writ.verb(), spotted.line),
            ..answer
        },
        (None, Err(_)) => answer,
    })
}

/// Returns whose word a writ is: a lesson's by its words.
fn find_writer(writ: &Result<Writ, WritError>, settings: &Settings) -> Principal {
    match writ {
        Ok(Writ::Create { signature, text }) => {
            settings.writer(&LessonContent::new(signature.clone(), text.clone()))
        }
        Ok(Writ::Reflect { text }) => {
            settings.writer(&LessonContent::new(RawText::default(), text.clone()))
        }
        _ => settings.caller(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_what_was_done() {
        for (reply, expected) in [
            (
                "[/reflect Use tabs]\nOK: recorded lesson #16 — #16 Use tabs — always\n[END LESSON]",
                "recorded #16 Use tabs — always",
            ),
            (
                "[/lesson create a: b]\nOK: already known as #2 — #2 [a] b\n[END LESSON]",
                "already known as #2 [a] b",
            ),
            (
                "[/reflect]\nERR: there is no text\n[END LESSON]",
                "ERR: there is no text",
            ),
            (
                "[/lesson list]\n#1 [a] b\n#2 [c] d — e\n[END LESSON]",
                "#1 [a] b\n#2 [c] d — e",
            ),
            ("reflect (line 11)", "reflect (line 11)"),
        ] {
            assert_eq!(strip_frame(reply), expected, "{reply}");
        }
    }
}

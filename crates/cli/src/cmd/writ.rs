//! `hardwon writ` and `hardwon reflect`: the `/lesson` lines of a text, carried out and answered.

use std::process::ExitCode;

use hardwon_core::{
    text::RawText,
    writ::{self, SpottedWrit, Writ},
};
use hardwon_engine::{Engine, Principal};
use serde::Serialize;

use crate::{
    args::{Global, ReflectArgs, WritArgs},
    config::Settings,
    error::{Failure, Kind},
    input, open, output,
};

/// A writ and its reply as JSON shows them.
#[derive(Debug, Default, Serialize)]
struct Answer<'a> {
    verb: Option<&'static str>,
    signature: Option<&'a str>,
    text: Option<&'a str>,
    query: Option<&'a str>,
    id: Option<i64>,
    ok: bool,
    reply: String,
}

pub(super) fn run(global: &Global, args: &WritArgs) -> Result<ExitCode, Failure> {
    let text = input::text(args.text.as_deref(), "the text")?;
    let spotted = writ::parse(&text);
    let settings = Settings::load(global)?;
    let engine = if args.dry_run {
        None
    } else {
        Some(open::writer(&settings)?)
    };
    let mut all_well = true;
    for spotted in &spotted {
        let answer = answer(spotted, engine.as_ref(), &settings)?;
        all_well &= answer.ok;
        if args.json {
            output::json(&answer)?;
        } else {
            tell(&answer.reply)?;
        }
    }
    Ok(Kind::Nothing.exit_code_if(!all_well))
}

pub(super) fn reflect(global: &Global, args: &ReflectArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let engine = open::writer(&settings)?;
    let text = RawText::new(args.text.join(" "));
    let spotted = SpottedWrit {
        line: 1,
        writ: Ok(Writ::Reflect { text }),
    };
    let answer = answer(&spotted, Some(&engine), &settings)?;
    tell(&answer.reply)?;
    Ok(Kind::Nothing.exit_code_if(!answer.ok))
}

/// Prints a reply: to a person as other commands answer, to an agent in the frame that it knows.
fn tell(reply: &str) -> Result<(), Failure> {
    match output::is_terminal() {
        true => output::line(&unframed(reply)),
        false => output::line(reply),
    }
}

/// Returns what a reply says to a person, who knows what they typed.
fn unframed(reply: &str) -> String {
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

fn answer<'a>(
    spotted: &'a SpottedWrit,
    engine: Option<&Engine>,
    settings: &Settings,
) -> Result<Answer<'a>, Failure> {
    let mut answer = match &spotted.writ {
        Ok(writ) => parsed(writ),
        Err(error) => Answer {
            reply: error.to_string(),
            ..Answer::default()
        },
    };
    match (engine, &spotted.writ) {
        (Some(engine), writ) => {
            let agent = Principal::agent(settings.scope.clone(), false);
            let done = engine.acting_as(agent).writ(writ)?;
            answer.ok = done.ok;
            answer.id = done.id.map(|id| id.0).or(answer.id);
            answer.reply = done.reply;
        }
        (None, Ok(writ)) => answer.reply = format!("{} (line {})", writ.verb(), spotted.line),
        (None, Err(_)) => {}
    }
    Ok(answer)
}

fn parsed(writ: &Writ) -> Answer<'_> {
    let empty = Answer {
        verb: Some(writ.verb()),
        ok: true,
        ..Answer::default()
    };
    match writ {
        Writ::Create { signature, text } => Answer {
            signature: Some(signature.expose()),
            text: Some(text.expose()),
            ..empty
        },
        Writ::Reflect { text } => Answer {
            text: Some(text.expose()),
            ..empty
        },
        Writ::Search { query } => Answer {
            query: Some(query.expose()),
            ..empty
        },
        Writ::Show(id) | Writ::Delete(id) | Writ::Helped(id) | Writ::Wrong(id) => Answer {
            id: Some(id.0),
            ..empty
        },
        Writ::List => empty,
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
            assert_eq!(unframed(reply), expected, "{reply}");
        }
    }
}

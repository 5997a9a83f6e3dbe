//! `hardwon recall`: the lessons that fit a task, as a preamble.
//!
//! It is the command a hook runs, so trouble with the store or the settings never fails it: the
//! preamble is empty, the exit code 0, and the trouble is named on stderr. Only what was typed can
//! be bad input. `--explain` is for a person and fails as other commands do.

mod batch;
mod explain;

use std::{mem, process::ExitCode};

use hardwon_core::{
    id::RunId,
    lesson::{Lesson, TargetKind},
    rank::Requester,
};
use hardwon_engine::{Ask, Desk, Recalled};
use serde::Serialize;

use crate::{
    args::{Global, PreambleForm, RecallArgs},
    config::{self, Settings},
    dto::LessonDto,
    embedding,
    error::{Failure, Kind},
    input, open, output,
};

/// What was recalled, as JSON shows it.
#[derive(Debug, Default, Serialize)]
struct Answer<'a> {
    lessons: Vec<Scored<'a>>,
    preamble: &'a str,
    silent: Option<String>,
}

/// A lesson and what it was ranked by.
#[derive(Debug, Serialize)]
struct Scored<'a> {
    score: f32,
    lesson: LessonDto<'a>,
}

pub(crate) fn run(global: &Global, args: &RecallArgs) -> Result<ExitCode, Failure> {
    let settings = settings(global, args);
    if args.batch {
        batch::run(settings)?;
        return Ok(ExitCode::SUCCESS);
    }
    let prompt = input::text(args.prompt.as_deref(), "the task")?;
    let done = settings.and_then(|settings| recall(&settings, args, prompt));
    match done {
        Err(failure) if failure.kind == Kind::Fault && !args.explain => {
            output::note(&failure.to_string());
            if args.json {
                output::json(&Answer {
                    silent: Some(failure.message().to_owned()),
                    ..Answer::default()
                })?;
            }
        }
        done => done?,
    }
    Ok(ExitCode::SUCCESS)
}

fn settings(global: &Global, args: &RecallArgs) -> Result<Settings, Failure> {
    let mut settings = Settings::load(global)?;
    if let Some(form) = args.form {
        settings.form = form;
    }
    let told = Requester {
        identities: names(args),
        ..Requester::default()
    };
    settings.asker = told.with_default_identities(&settings.asker).identities;
    Ok(settings)
}

fn recall(settings: &Settings, args: &RecallArgs, prompt: String) -> Result<(), Failure> {
    let engine = open::once(settings)?;
    let run = args.run.as_deref().map(RunId::parse).transpose();
    let ask = Ask {
        limit: args.k,
        run: run.map_err(|bad| Failure::input(bad.to_string()))?,
        asker: Requester {
            tools: args.tools.clone(),
            ..Requester::default()
        },
        ..Ask::new(settings.scope.clone(), prompt)
    };
    let desk = engine.acting_as(settings.person());
    let recalled = desk.explain(&ask)?;
    if let Some(trouble) = &recalled.trouble {
        output::note(&embedding::by_words(trouble));
    }
    if args.explain {
        return explain::print(&recalled, engine.policy().rank.floor, args.json);
    }
    if args.json {
        output::json(&answer(&recalled))?;
    } else {
        output::print(&recalled.preamble.text)?;
    }
    remember(&desk, &ask, &recalled);
    // The process ends here, and the system closes the file faster than we could.
    mem::forget(engine);
    Ok(())
}

fn names(args: &RecallArgs) -> Vec<(TargetKind, String)> {
    let (operator, role) = (args.operator.as_deref(), args.role.as_deref());
    let skills = args.skills.iter().map(String::as_str);
    config::named(operator.unwrap_or(""), role.unwrap_or(""), skills)
}

/// The agent has its lessons by now: that they cannot be counted as shown is only worth a note.
fn remember(desk: &Desk<'_>, ask: &Ask, recalled: &Recalled) {
    if let Err(error) = desk.remember(ask, recalled) {
        output::note(&Failure::from(error).to_string());
    }
}

fn answer(recalled: &Recalled) -> Answer<'_> {
    let ranked = recalled.ranking.shown.iter();
    let scored = ranked.map(|ranked| Scored {
        score: ranked.explanation.score,
        lesson: LessonDto::from(&ranked.lesson),
    });
    Answer {
        lessons: scored.collect(),
        preamble: &recalled.preamble.text,
        silent: recalled.ranking.silence.map(|why| why.to_string()),
    }
}

fn reference(lesson: &Lesson) -> Option<&str> {
    lesson.content.reference.as_ref().map(|it| it.as_str())
}

impl From<PreambleForm> for hardwon_core::preamble::PreambleFormat {
    fn from(form: PreambleForm) -> Self {
        match form {
            PreambleForm::Pitfalls => Self::Pitfalls,
            PreambleForm::Markdown => Self::Markdown,
            PreambleForm::Aip11 => Self::Aip11,
            PreambleForm::Json => Self::Json,
        }
    }
}

//! `hardwon recall`: the lessons that fit a task, as a preamble.
//!
//! It is the command a hook runs, so trouble with the store never fails it: the preamble is empty,
//! the exit code 0, and the trouble is named on stderr.

use std::{
    io::{self, BufRead as _},
    process::ExitCode,
};

use hardwon_core::{
    limits,
    rank::{Asker, Explanation, Ranked},
    text::CleanText,
};
use hardwon_engine::{Ask, Engine, Recalled};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    args::{Global, PreambleForm, RecallArgs},
    config::Settings,
    dto::{self, LessonDto},
    error::{Failure, Kind},
    open, output,
};

/// One question of a batch.
#[derive(Debug, Deserialize)]
struct Question {
    id: Value,
    prompt: String,
    k: Option<usize>,
}

/// The answer to it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    id: &'a Value,
    lessons: Vec<Hit<'a>>,
}

/// A lesson in an answer.
#[derive(Debug, Serialize)]
struct Hit<'a> {
    id: i64,
    #[serde(rename = "ref")]
    reference: Option<&'a str>,
    score: f32,
}

impl<'a> From<&'a Ranked> for Hit<'a> {
    fn from(ranked: &'a Ranked) -> Self {
        Self {
            id: ranked.lesson.id.0,
            reference: ranked
                .lesson
                .content
                .reference
                .as_ref()
                .map(CleanText::as_str),
            score: ranked.explanation.score,
        }
    }
}

pub(super) fn run(global: &Global, args: &RecallArgs) -> Result<ExitCode, Failure> {
    match recall(global, args) {
        Err(failure) if failure.kind == Kind::Fault && !args.explain => {
            output::note(&format!("hardwon: {failure}"));
            Ok(ExitCode::SUCCESS)
        }
        other => other.map(|()| ExitCode::SUCCESS),
    }
}

fn recall(global: &Global, args: &RecallArgs) -> Result<(), Failure> {
    let mut settings = Settings::load(global)?;
    if let Some(form) = args.form {
        settings.form = form;
    }
    if args.batch {
        return batch(&settings);
    }
    let prompt = output::text_or_stdin(args.prompt.as_deref(), "the task")?;
    let engine = open::reader(&settings)?;
    let ask = Ask {
        limit: args.k.map(|k| k.min(limits::SHOWN_MAX)),
        asker: Asker {
            tools: args.tools.clone(),
            ..Asker::default()
        },
        ..Ask::new(settings.scope.clone(), prompt)
    };
    if args.explain {
        let recalled = engine.explain(&ask)?;
        return if args.json {
            output::json(&explained(&recalled))
        } else {
            explain(&recalled)
        };
    }
    let recalled = engine.recall(&ask)?;
    if args.json {
        return output::json(&answered(&recalled));
    }
    output::print(&recalled.preamble.text)
}

/// Answers one question a line; more than a preamble's most may be asked for.
fn batch(settings: &Settings) -> Result<(), Failure> {
    let engine = open::reader(settings)?;
    for (index, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let question: Question = dto::from_line(&line, index, r#"{"id","prompt","k"}"#)?;
        let recalled = ask(&engine, settings, &question)?;
        let lessons = recalled.ranking.shown.iter().map(Hit::from).collect();
        output::json(&Answer {
            id: &question.id,
            lessons,
        })?;
    }
    Ok(())
}

fn ask(engine: &Engine, settings: &Settings, question: &Question) -> Result<Recalled, Failure> {
    let ask = Ask {
        limit: question.k,
        ..Ask::new(settings.scope.clone(), question.prompt.as_str())
    };
    Ok(engine.recall(&ask)?)
}

fn answered(recalled: &Recalled) -> Value {
    let lessons: Vec<Value> = recalled.ranking.shown.iter().map(scored).collect();
    json!({
        "lessons": lessons,
        "preamble": recalled.preamble.text,
        "silent": recalled.ranking.silence.map(|why| why.to_string()),
    })
}

fn scored(ranked: &Ranked) -> Value {
    json!({"score": ranked.explanation.score, "lesson": LessonDto::from(&ranked.lesson)})
}

fn explained(recalled: &Recalled) -> Value {
    let shown = recalled.ranking.shown.iter().map(|ranked| {
        json!({"id": ranked.lesson.id.0, "shown": true, "explanation": numbers(&ranked.explanation)})
    });
    let others = recalled.ranking.passed_over.iter().map(|passed| {
        json!({
            "id": passed.lesson.id.0,
            "shown": false,
            "why": passed.why.to_string(),
            "explanation": numbers(&passed.explanation),
        })
    });
    json!({
        "candidates": shown.chain(others).collect::<Vec<Value>>(),
        "silent": recalled.ranking.silence.map(|why| why.to_string()),
    })
}

fn numbers(explanation: &Explanation) -> Value {
    json!({"text": explanation.to_string(), "score": explanation.score})
}

fn explain(recalled: &Recalled) -> Result<(), Failure> {
    if let Some(why) = recalled.ranking.silence {
        output::line(&format!("nothing is shown: {why}"))?;
    }
    for ranked in &recalled.ranking.shown {
        output::line(&format!(
            "shown      {}",
            super::lesson::row(&ranked.lesson)
        ))?;
        output::line(&indented(&ranked.explanation.to_string()))?;
    }
    for passed in &recalled.ranking.passed_over {
        output::line(&format!(
            "not shown  {}",
            super::lesson::row(&passed.lesson)
        ))?;
        output::line(&format!("    because {}", passed.why))?;
        output::line(&indented(&passed.explanation.to_string()))?;
    }
    Ok(())
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

impl From<PreambleForm> for hardwon_core::preamble::Form {
    fn from(form: PreambleForm) -> Self {
        match form {
            PreambleForm::Pitfalls => Self::Pitfalls,
            PreambleForm::Markdown => Self::Markdown,
            PreambleForm::Aip11 => Self::Aip11,
            PreambleForm::Json => Self::Json,
        }
    }
}

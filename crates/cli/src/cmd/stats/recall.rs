//! `hardwon stats recall`: how well lessons are found, and what an embedding adds to it.

use std::process::ExitCode;

use hardwon_engine::{Compared, ComparedNear, Figures};
use serde::Serialize;

use crate::{args::StatsRecallArgs, config::Settings, embedding, error::Failure, open, output};

pub(super) fn run(settings: &Settings, args: &StatsRecallArgs) -> Result<ExitCode, Failure> {
    let engine = open::reader(settings)?;
    let compared = engine
        .acting_as(settings.person())
        .compare_recall(args.limit)?;
    match args.json {
        true => output::json(&Dto::of(&compared))?,
        false => output::print(&told(&compared))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn told(compared: &Compared) -> String {
    let lessons = output::count(compared.lessons, "lesson");
    let mut text = match compared.asked {
        0 => format!(
            "{lessons} here; none describes the failure it came from, so there is nothing to test\n"
        ),
        asked => format!(
            "{lessons} here; {asked} searched for by the failure they came from\n\n{}",
            table(compared)
        ),
    };
    let Some(near) = &compared.near else {
        text.push_str(
            "\nRecall by meaning is off, so there is nothing to compare: see docs/semantic.md, \
             and `hardwon config set embedding openai`\n",
        );
        return text;
    };
    text.push_str(&format!("\n{} of {lessons} with a vector", near.vectors));
    match near.vectors < compared.lessons {
        true => text.push_str("; `hardwon queue drain` embeds the others\n"),
        false => text.push('\n'),
    }
    if compared.asked > 0 {
        let changed = output::count(near.changed, "time");
        text.push_str(&format!(
            "the embedding changed the first three {changed} in {}\n",
            compared.asked
        ));
    }
    if near.without > 0 {
        let times = output::count(near.without, "time");
        text.push_str(&format!("{times} it gave no answer\n"));
    }
    if let Some(trouble) = &near.trouble {
        text.push_str(&output::one_line(&embedding::by_words(trouble)));
        text.push('\n');
    }
    text
}

fn table(compared: &Compared) -> String {
    let mut text = format!(
        "{:<18} {:>9} {:>8} {:>8} {:>12}\n",
        "", "recall@3", "MRR@10", "shown", "each took"
    );
    let mut row = |name: &str, it: &Figures| {
        text.push_str(&format!(
            "{name:<18} {:>9.3} {:>8.3} {:>8.3} {:>9.1} ms\n",
            it.recall_at_3,
            it.mrr_at_10,
            it.shown,
            milliseconds(it)
        ));
    };
    row("words", &compared.words);
    if let Some(near) = &compared.near {
        row("words and vectors", &near.figures);
    }
    text
}

fn milliseconds(figures: &Figures) -> f64 {
    figures.took.as_secs_f64() * 1e3
}

/// A comparison as JSON shows it.
#[derive(Debug, Serialize)]
struct Dto {
    lessons: u64,
    asked: u64,
    words: FiguresDto,
    embedding: Option<NearDto>,
}

/// How well lessons were found, as JSON shows it.
#[derive(Debug, Serialize)]
struct FiguresDto {
    recall_at_3: f64,
    mrr_at_10: f64,
    shown: f64,
    milliseconds: f64,
}

/// What the embedding made of it, as JSON shows it.
#[derive(Debug, Serialize)]
struct NearDto {
    vectors: u64,
    #[serde(flatten)]
    figures: FiguresDto,
    changed: u64,
    without: u64,
    trouble: Option<String>,
}

impl Dto {
    fn of(compared: &Compared) -> Self {
        Self {
            lessons: compared.lessons,
            asked: compared.asked,
            words: FiguresDto::from(&compared.words),
            embedding: compared.near.as_ref().map(NearDto::from),
        }
    }
}

impl From<&Figures> for FiguresDto {
    fn from(figures: &Figures) -> Self {
        Self {
            recall_at_3: figures.recall_at_3,
            mrr_at_10: figures.mrr_at_10,
            shown: figures.shown,
            milliseconds: milliseconds(figures),
        }
    }
}

impl From<&ComparedNear> for NearDto {
    fn from(near: &ComparedNear) -> Self {
        Self {
            vectors: near.vectors,
            figures: FiguresDto::from(&near.figures),
            changed: near.changed,
            without: near.without,
            trouble: near.trouble.as_ref().map(ToString::to_string),
        }
    }
}

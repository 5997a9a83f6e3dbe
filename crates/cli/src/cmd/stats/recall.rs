//! `hardwon stats recall`: how well lessons are found, and what an embedding adds to it.

use std::process::ExitCode;

use hardwon_api::v1::stats::RecallComparisonDto;
use hardwon_engine::{RecallComparison, RecallFigures, embed};

use crate::{args::StatsRecallArgs, config::Settings, error::CliError, open, output};

pub(super) fn run(settings: &Settings, args: &StatsRecallArgs) -> Result<ExitCode, CliError> {
    let engine = open::open_reader(settings)?;
    let compared = engine
        .acting_as(settings.person())
        .compare_recall(args.limit)?;
    match args.json {
        true => output::print_json(&RecallComparisonDto::from(&compared))?,
        false => output::print(&render_comparison(&compared))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn render_comparison(compared: &RecallComparison) -> String {
    let lessons = output::pluralize(compared.lessons, "lesson");
    let mut text = match compared.probed {
        0 => format!(
            "{lessons} here; none describes the failure it came from, so there is nothing to test\n"
        ),
        asked => format!(
            "{lessons} here; {asked} searched for by the failure they came from\n\n{}",
            render_table(compared)
        ),
    };
    let Some(near) = &compared.semantic else {
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
    if compared.probed > 0 {
        let changed = output::pluralize(near.changed, "time");
        text.push_str(&format!(
            "the embedding changed the first three {changed} in {}\n",
            compared.probed
        ));
    }
    if near.without_vector > 0 {
        let times = output::pluralize(near.without_vector, "time");
        text.push_str(&format!("{times} it gave no answer\n"));
    }
    if let Some(trouble) = &near.embedding_error {
        text.push_str(&output::to_one_line(&embed::explain_fallback(trouble)));
        text.push('\n');
    }
    text
}

fn render_table(compared: &RecallComparison) -> String {
    let mut text = format!(
        "{:<18} {:>9} {:>8} {:>8} {:>12}\n",
        "", "recall@3", "MRR@10", "shown", "each took"
    );
    let mut row = |name: &str, it: &RecallFigures| {
        text.push_str(&format!(
            "{name:<18} {:>9.3} {:>8.3} {:>8.3} {:>9.1} ms\n",
            it.recall_at_3,
            it.mrr_at_10,
            it.shown,
            it.mean_time.as_secs_f64() * 1e3
        ));
    };
    row("words", &compared.by_words);
    if let Some(near) = &compared.semantic {
        row("words and vectors", &near.figures);
    }
    text
}

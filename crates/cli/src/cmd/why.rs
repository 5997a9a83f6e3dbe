//! `hardwon why`: what a recall found, what it showed, and why not the rest.

use std::process::ExitCode;

use hardwon_store::{Recall, RecallId, RecallListing, Treatment};
use serde_json::{Value, json};

use crate::{
    args::{Global, WhyArgs},
    config::Settings,
    error::Failure,
    open, output,
};

pub(super) fn run(global: &Global, args: &WhyArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let engine = open::settled(&settings)?;
    let listing = RecallListing {
        before: args.recall.map(|number| RecallId(number + 1)),
        limit: 1,
        ..RecallListing::default()
    };
    let page = engine.store().recalls(&settings.scope.tenant, &listing)?;
    let wanted = |id: RecallId| args.recall.is_none_or(|number| id.0 == number);
    let Some((id, recall)) = page.into_iter().next().filter(|(id, _)| wanted(*id)) else {
        return Err(Failure::nothing("there is no such recall")
            .hint("`hardwon recall` makes one; `hardwon recall --explain` says why at once"));
    };
    if args.json {
        output::json(&dto(id, &recall))?;
    } else {
        print(id, &recall)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(id: RecallId, recall: &Recall) -> Result<(), Failure> {
    let project = recall
        .scope
        .project
        .as_ref()
        .map_or("no project", |it| it.as_str());
    output::line(&format!(
        "recall {} at {} ({}), {} characters of prompt, {project}",
        id.0,
        recall.at,
        recall.moment.name(),
        recall.prompt.chars
    ))?;
    if let Some(why) = &recall.silent {
        output::line(&format!("nothing was shown: {why}"))?;
    }
    for found in &recall.considered {
        let what = match &found.treatment {
            Treatment::Shown => "shown".to_owned(),
            Treatment::PassedOver { why } => format!("not shown: {why}"),
        };
        output::line(&format!(
            "  {:<5} {:>7.3}  {what}",
            found.lesson.to_string(),
            found.score
        ))?;
    }
    Ok(())
}

fn dto(id: RecallId, recall: &Recall) -> Value {
    let considered = recall
        .considered
        .iter()
        .map(|found| match &found.treatment {
            Treatment::Shown => json!({"id": found.lesson.0, "score": found.score, "shown": true}),
            Treatment::PassedOver { why } => json!({
                "id": found.lesson.0, "score": found.score, "shown": false, "why": why.as_str(),
            }),
        });
    json!({
        "recall": id.0,
        "at": recall.at.to_string(),
        "moment": recall.moment.name(),
        "run": recall.run.as_ref().map(|run| run.as_str()),
        "project": recall.scope.project.as_ref().map(|project| project.as_str()),
        "prompt_chars": recall.prompt.chars,
        "silent": recall.silent.as_ref().map(|why| why.as_str()),
        "considered": considered.collect::<Vec<Value>>(),
    })
}

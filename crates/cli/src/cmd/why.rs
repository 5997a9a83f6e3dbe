//! `hardwon why`: what a recall found, what it showed, and why not the rest.

use std::process::ExitCode;

use hardwon_engine::Engine;
use hardwon_store::{Considered, Moment, Recall, RecallId, RecallListing, Treatment};
use serde::Serialize;

use crate::{
    args::{Global, WhyArgs},
    config::Settings,
    error::Failure,
    open, output,
};

/// Why a lesson that was good enough was not shown.
const HELD_BACK: &str = "chance decided to see how it goes without it";

pub(super) fn run(global: &Global, args: &WhyArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let engine = open::settled(&settings)?;
    let listing = RecallListing {
        before: args.recall.map(|number| RecallId(number.saturating_add(1))),
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
        output::print(&told(&engine, id, &recall)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn told(engine: &Engine, id: RecallId, recall: &Recall) -> Result<String, Failure> {
    let project = recall.scope.project.as_ref();
    let mut text = format!("recall {} at {}\n", id.0, recall.at);
    let mut line = |name: &str, value: &str| {
        text.push_str(&format!("  {name:<11} {}\n", output::one_line(value)));
    };
    line("moment", moment(recall.moment));
    line("project", project.map_or("none", |it| it.as_str()));
    if let Some(run) = &recall.run {
        line("run", run.as_str());
    }
    if let Some(client) = &recall.client {
        line("client", client.as_str());
    }
    line("prompt", &format!("{} characters", recall.prompt.chars));
    if let Some(why) = &recall.silent {
        line("silent", why.as_str());
    }
    for found in &recall.considered {
        text.push_str(&block(engine, recall, found)?);
    }
    Ok(text)
}

/// Says when in a run a recall was made.
pub(super) fn moment(moment: Moment) -> &'static str {
    match moment {
        Moment::Turn => "before a turn",
        Moment::Call => "before a tool call",
        Moment::Failure => "at a failure",
        Moment::Asked => "when somebody asked",
    }
}

/// Writes one candidate: the lesson as it is now, its score then, and what became of it.
fn block(engine: &Engine, recall: &Recall, found: &Considered) -> Result<String, Failure> {
    let lesson = engine.lesson(&recall.scope.tenant, found.lesson)?;
    let row = lesson.map_or_else(
        || format!("{} (it is no longer there)", found.lesson),
        |lesson| super::lesson::row(&lesson),
    );
    let (what, why) = match &found.treatment {
        Treatment::Shown => ("shown", String::new()),
        Treatment::HeldBack => ("held back", format!("\n  because {HELD_BACK}")),
        Treatment::PassedOver { why } => ("not shown", format!("\n  because {why}")),
    };
    Ok(format!(
        "\n{what}: {row}\n  score {:.2}{why}\n",
        found.score
    ))
}

/// A recall as JSON shows it.
#[derive(Debug, Serialize)]
struct Dto<'a> {
    recall: i64,
    at: String,
    moment: &'static str,
    run: Option<&'a str>,
    client: Option<&'a str>,
    project: Option<&'a str>,
    prompt_chars: u32,
    silent: Option<&'a str>,
    considered: Vec<ConsideredDto<'a>>,
}

/// What became of one candidate, as JSON shows it.
#[derive(Debug, Serialize)]
struct ConsideredDto<'a> {
    id: i64,
    score: f32,
    shown: bool,
    why: Option<&'a str>,
}

fn dto(id: RecallId, recall: &Recall) -> Dto<'_> {
    let considered = recall.considered.iter().map(|found| ConsideredDto {
        id: found.lesson.0,
        score: found.score,
        shown: found.treatment == Treatment::Shown,
        why: match &found.treatment {
            Treatment::Shown => None,
            Treatment::HeldBack => Some(HELD_BACK),
            Treatment::PassedOver { why } => Some(why.as_str()),
        },
    });
    Dto {
        recall: id.0,
        at: recall.at.to_string(),
        moment: recall.moment.name(),
        run: recall.run.as_ref().map(|run| run.as_str()),
        client: recall.client.as_ref().map(|client| client.as_str()),
        project: recall.scope.project.as_ref().map(|it| it.as_str()),
        prompt_chars: recall.prompt.chars,
        silent: recall.silent.as_ref().map(|why| why.as_str()),
        considered: considered.collect(),
    }
}

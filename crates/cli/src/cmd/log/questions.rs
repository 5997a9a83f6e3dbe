//! What agents were asked at the end of a turn, as `hardwon log` lists it among the recalls.

use hardwon_core::scope::Scope;
use jiff::Timestamp;
use serde::Serialize;

use super::Wanted;
use crate::{
    config,
    error::Failure,
    hook::questions::{self, Asked},
    output,
};

/// Returns the questions that are asked for, each with its time, the newest first.
pub(super) fn rows(
    wanted: &Wanted<'_>,
    count: usize,
    as_json: bool,
) -> Result<Vec<(Timestamp, String)>, Failure> {
    let asked = questions::list(&config::state_folder()?);
    let meant = asked.into_iter().filter(|asked| is_meant(wanted, asked));
    let told = meant.take(count).map(|asked| {
        let text = match as_json {
            true => output::to_json(&AskedDto::of(&asked))?,
            false => told(&asked),
        };
        Ok((asked.at, text))
    });
    told.collect()
}

fn is_meant(wanted: &Wanted<'_>, asked: &Asked) -> bool {
    let Scope {
        tenant,
        agent,
        project,
    } = wanted.scope;
    asked.tenant == tenant.as_str()
        && (!wanted.one_agent || asked.agent == agent.as_str())
        && (!wanted.one_project
            || asked.project.as_deref() == project.as_ref().map(|it| it.as_str()))
        && wanted.client.is_none_or(|client| client == asked.client)
}

fn told(asked: &Asked) -> String {
    let project = asked.project.as_deref().unwrap_or("no project");
    let time = super::time(asked.at);
    let client = &asked.client;
    let head = format!("question, {time}, {client}, at the end of a turn, {project}");
    let lessons = asked.lessons.as_deref();
    let answer = match lessons {
        None => "no answer yet".to_owned(),
        Some([]) => "it had nothing to add".to_owned(),
        Some(ids) => {
            let ids: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
            format!("it answered with {}", ids.join(", "))
        }
    };
    format!(
        "{}\n  what is to be remembered of this: {}\n    {answer}",
        output::one_line(&head),
        output::one_line(&asked.what)
    )
}

/// A question as JSON shows it.
#[derive(Debug, Serialize)]
struct AskedDto<'a> {
    question: &'a str,
    at: String,
    client: &'a str,
    agent: &'a str,
    project: Option<&'a str>,
    run: &'a str,
    /// The lessons that it was answered with; null while there is no answer.
    lessons: Option<&'a [i64]>,
}

impl<'a> AskedDto<'a> {
    fn of(asked: &'a Asked) -> Self {
        Self {
            question: &asked.what,
            at: asked.at.to_string(),
            client: &asked.client,
            agent: &asked.agent,
            project: asked.project.as_deref(),
            run: &asked.run,
            lessons: asked.lessons.as_deref(),
        }
    }
}

//! What agents were asked at the end of a turn, as `hardwon log` lists it among the recalls.

use hardwon_api::v1::recall::log::QuestionDto;
use hardwon_core::scope::Scope;

use super::LogFilter;
use crate::{
    config,
    error::CliError,
    hook::questions::{self, AskedQuestion},
    output,
};

/// Returns the questions that are meant, the newest first.
pub(super) fn list_questions(wanted: &LogFilter<'_>) -> Result<Vec<AskedQuestion>, CliError> {
    let asked = questions::read_questions(&config::state_folder()?);
    Ok(asked
        .into_iter()
        .filter(|it| is_selected(wanted, it))
        .collect())
}

fn is_selected(wanted: &LogFilter<'_>, asked: &AskedQuestion) -> bool {
    let Scope {
        tenant,
        agent,
        project,
    } = wanted.scope;
    asked.tenant == tenant.as_str()
        && (!wanted.one_agent || asked.agent == agent.as_str())
        && (!wanted.one_project
            || asked.project.as_deref() == project.as_ref().map(|it| it.as_str()))
        && (wanted.client.as_ref()).is_none_or(|client| client.as_str() == asked.client)
}

/// Returns the project that it was asked in, as people know it.
fn display_project(asked: &AskedQuestion) -> Option<&str> {
    let name = asked.project.as_deref()?;
    Some(name.strip_suffix("/.git").unwrap_or(name))
}

/// Tells of a question, as text or as a line of JSON.
pub(super) fn render_question(asked: &AskedQuestion, as_json: bool) -> Result<String, CliError> {
    if as_json {
        return output::to_json(&build_dto(asked));
    }
    let project = display_project(asked).unwrap_or("no project");
    let time = super::render_time(asked.at);
    let (client, run) = (&asked.client, &asked.run);
    let head =
        format!("question, {time}, {client}, at the end of a turn, {project}, session {run}");
    let lessons = asked.lessons.as_deref();
    let answer = match lessons {
        None => "no answer yet".to_owned(),
        Some([]) => "it had nothing to add".to_owned(),
        Some(ids) => {
            let ids: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
            format!("it answered with {}", ids.join(", "))
        }
    };
    Ok(format!(
        "{}\n  asked what to remember about: {}\n    {answer}",
        output::to_one_line(&head),
        output::to_one_line(&asked.failures)
    ))
}

fn build_dto(asked: &AskedQuestion) -> QuestionDto<'_> {
    QuestionDto {
        question: &asked.failures,
        at: asked.at.to_string(),
        client: &asked.client,
        agent: &asked.agent,
        project: display_project(asked),
        run: &asked.run,
        lessons: asked.lessons.as_deref(),
    }
}

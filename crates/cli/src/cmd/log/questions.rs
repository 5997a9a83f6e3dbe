//! What agents were asked at the end of a turn, as `hardwon log` lists it among the recalls.

use hardwon_api::v1::recall::log::QuestionDto;

use super::{LogFilter, display_project};
use crate::{
    config,
    error::CliError,
    hook::questions::{self, AskedQuestion},
    output,
};

/// Returns the questions that are meant, the newest first.
pub(super) fn list_questions(wanted: &LogFilter<'_>) -> Result<Vec<AskedQuestion>, CliError> {
    let questions = questions::read_questions(&config::state_folder()?);
    Ok(questions
        .into_iter()
        .filter(|question| {
            wanted.includes(
                [&question.tenant, &question.agent, &question.client],
                question.project.as_deref(),
            )
        })
        .collect())
}

/// Tells of a question, as text or as a line of JSON.
pub(super) fn render_question(asked: &AskedQuestion, as_json: bool) -> Result<String, CliError> {
    if as_json {
        return output::to_json(&build_dto(asked));
    }
    let project = display_project(asked.project.as_deref()).unwrap_or("no project");
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
        project: display_project(asked.project.as_deref()),
        run: &asked.run,
        lessons: asked.lessons.as_deref(),
    }
}

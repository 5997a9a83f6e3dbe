//! What agents were asked at the end of a turn, as `hardwon log` lists it among the recalls.

use hardwon_api::v1::recall::log::QuestionDto;

use crate::{AskedQuestion, Result, output};

/// Tells of a question, as text or as a line of JSON.
pub(super) fn render_question(asked: &AskedQuestion, as_json: bool) -> Result<String> {
    if as_json {
        return output::to_json(&QuestionDto {
            question: &asked.failures,
            at: asked.at.to_string(),
            client: &asked.place.client,
            agent: asked.place.scope.agent.as_str(),
            project: asked.place.scope.display_project(),
            run: &asked.place.run,
            lessons: asked.lessons.as_deref(),
        });
    }
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
        super::render_place("question at the end of a turn", asked.at, &asked.place),
        output::to_one_line(&asked.failures)
    ))
}

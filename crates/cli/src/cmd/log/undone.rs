//! The writs that hooks did not carry out, as `hardwon log` lists them among the recalls.

use hardwon_api::v1::recall::log::UndoneWritDto;

use super::{LogFilter, display_project};
use crate::{
    config,
    error::CliError,
    hook::undone::{LoggedWrit, read_undone},
    output,
};

/// Returns the writs that are meant, the newest first.
pub(super) fn list_undone(wanted: &LogFilter<'_>) -> Result<Vec<LoggedWrit>, CliError> {
    let mut undone = read_undone(&config::state_folder()?);
    undone.retain(|undone| {
        wanted.includes(
            [&undone.tenant, &undone.agent, &undone.client],
            undone.project.as_deref(),
        )
    });
    Ok(undone)
}

/// Tells of a writ, as text or as a line of JSON.
pub(super) fn render_undone(undone: &LoggedWrit, as_json: bool) -> Result<String, CliError> {
    let project = display_project(undone.project.as_deref());
    if as_json {
        return output::to_json(&UndoneWritDto {
            writ: &undone.writ,
            why: &undone.why,
            at: undone.at.to_string(),
            client: &undone.client,
            agent: &undone.agent,
            project,
            run: &undone.run,
        });
    }
    let time = super::render_time(undone.at);
    let (client, run) = (&undone.client, &undone.run);
    let head = format!(
        "writ, {time}, {client}, {}, session {run}",
        project.unwrap_or("no project")
    );
    let mut text = output::to_one_line(&head);
    text.push_str(&format!(
        "\n  not carried out: {}",
        output::to_one_line(&undone.writ)
    ));
    // The caret under a line points at nothing here.
    for line in undone.why.lines().filter(|line| line.trim() != "^") {
        text.push_str(&format!("\n    {}", output::to_one_line(line.trim())));
    }
    Ok(text)
}

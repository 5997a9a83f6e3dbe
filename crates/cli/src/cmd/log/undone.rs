//! The writs that hooks did not carry out, as `hardwon log` lists them among the recalls.

use hardwon_api::v1::recall::log::UndoneWritDto;

use crate::{Result, hook::undone::LoggedWrit, output};

/// Tells of a writ, as text or as a line of JSON.
pub(super) fn render_undone(undone: &LoggedWrit, as_json: bool) -> Result<String> {
    let place = &undone.place;
    if as_json {
        return output::to_json(&UndoneWritDto {
            writ: &undone.writ,
            why: &undone.why,
            at: undone.at.to_string(),
            client: &place.client,
            agent: place.scope.agent.as_str(),
            project: place.scope.display_project(),
            run: &place.run,
        });
    }
    let mut text = super::render_place("writ", undone.at, place);
    text += &format!("\n  not carried out: {}", output::to_one_line(&undone.writ));
    // The caret under a line points at nothing here.
    for line in undone.why.lines().filter(|line| line.trim() != "^") {
        text += &format!("\n    {}", output::to_one_line(line.trim()));
    }
    Ok(text)
}

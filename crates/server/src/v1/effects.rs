//! `/v1/effects`: what lessons changed, as far as that is known.

use hardwon_api::v1::effects::EffectsDto;

use super::prelude::*;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/effects", Read, list_effects).tells::<EffectsDto>(200, "What is known"),
        verb("GET /v1/effects/{id}", Read, show_effect)
            .tells::<EffectsDto>(200, "What is known; `lessons` holds the one"),
    ]
}

/// Whose lessons are meant.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct EffectsQuery {
    /// The agent; if absent the key's, else the server's default.
    agent_id: Option<String>,
    /// The project: its sessions, with its lessons and those that apply everywhere.
    project: Option<String>,
}

/// Read what the lessons of an agent and a project changed.
///
/// All that was ever judged is read, which may take seconds. What applies everywhere is measured in the sessions of the project,
/// as far as their recalls are kept; without a project, in all sessions.
fn list_effects(door: &Door, QueryOf(query): QueryOf<EffectsQuery>) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id.as_deref(), query.project.as_deref())?;
    measure_effects(door, &scope, None)
}

/// Read what one lesson changed.
fn show_effect(door: &Door, LessonNumber(id): LessonNumber) -> Result<Response> {
    let place = door.find_lesson(id, |desk| Ok(desk.lesson(id)?.scope.clone()))?;
    let scope = AskedScope {
        agent: Some(place.agent),
        project: place.project,
    };
    measure_effects(door, &scope, Some(id))
}

fn measure_effects(door: &Door, asked: &AskedScope, only: Option<LessonId>) -> Result<Response> {
    let effects = door.read_desk(asked)?.measure_effects(only)?;
    json(&EffectsDto::from(&effects))
}

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
    /// Only lessons of this agent.
    agent_id: Option<String>,
    /// The project: its sessions, with its lessons and those that apply everywhere.
    project: Option<String>,
}

/// Read what lessons changed.
///
/// All that was ever judged is read, which may take seconds. What applies everywhere is measured in the sessions of the project,
/// as far as their recalls are kept; without a project, in all sessions.
fn list_effects(door: &Door, QueryOf(query): QueryOf<EffectsQuery>) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id, query.project)?;
    let desk = door.read_desk(&scope)?;
    let effects = desk.measure_effects_within(&filter_by_names(&desk, &scope))?;
    json(&EffectsDto::from(&effects))
}

/// Read what one lesson changed.
fn show_effect(door: &Door, LessonNumber(id): LessonNumber) -> Result<Response> {
    let place = door.find_lesson(id, |desk| Ok(desk.lesson(id)?.scope.clone()))?;
    let scope = AskedScope {
        agent: Some(place.agent),
        project: place.project,
    };
    let effects = door.read_desk(&scope)?.measure_effects(Some(id))?;
    json(&EffectsDto::from(&effects))
}

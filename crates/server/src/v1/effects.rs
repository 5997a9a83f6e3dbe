//! `/v1/effects`: what lessons changed, as far as that is known.

use axum::{extract::Path, response::Response};
use hardwon_api::v1::effects::EffectsDto;
use hardwon_core::id::LessonId;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    door::{Door, json},
    query::{QueryOf, parse_lesson},
};
use crate::{
    api_key::AskedScope,
    auth::parse_asked_scope,
    error::{ProblemDto, Result},
};

/// Stretches that the time is cut into.
const PERIODS: usize = 24;

serve_handlers!(
    Read list_effects,
    Read show_effect
);

/// Whose lessons are meant.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct EffectsQuery {
    /// The agent; if absent the key's, else the server's default.
    agent_id: Option<String>,
    /// The project; its lessons, and those that apply everywhere.
    project: Option<String>,
}

/// Read what the lessons of an agent and a project changed.
///
/// All that was ever judged is read, which may take seconds. Runs are those of the whole tenant; a key that is tied to
/// agents or projects is told of those only in which a lesson that it sees had a part.
#[utoipa::path(
    get,
    path = "/v1/effects",
    tag = "effects",
    params(EffectsQuery),
    responses(
        (status = 200, description = "What is known", body = EffectsDto),
    )
)]
fn list_effects(door: &Door, QueryOf(query): QueryOf<EffectsQuery>) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id.as_deref(), query.project.as_deref())?;
    measure_effects(door, &scope, None)
}

/// Read what one lesson changed.
#[utoipa::path(
    get,
    path = "/v1/effects/{id}",
    tag = "effects",
    params(("id" = i64, Path, description = "The lesson's number")),
    responses(
        (status = 200, description = "What is known; `lessons` holds the one", body = EffectsDto),
        (status = 400, description = "This is no number of a lesson", body = ProblemDto),
        (status = 404, description = "No such lesson, or not one that the key may see", body = ProblemDto),
    )
)]
fn show_effect(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let id = parse_lesson(&id)?;
    let place = door.find_lesson(id, |desk| Ok(desk.lesson(id)?.scope.clone()))?;
    let scope = AskedScope {
        agent: Some(place.agent),
        project: place.project,
    };
    measure_effects(door, &scope, Some(id))
}

fn measure_effects(door: &Door, asked: &AskedScope, only: Option<LessonId>) -> Result<Response> {
    let effects = door.read_desk(asked)?.measure_effects(only)?;
    let periods = effects.summary.split_into_periods(PERIODS);
    json(&EffectsDto::from_report(&effects, &periods))
}

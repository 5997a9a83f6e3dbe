//! `/v1/effects`: what lessons changed, as far as that is known.

use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};
use hardwon_api::v1::effects::EffectsDto;
use hardwon_core::{api_key::AskedScope, id::LessonId};
use serde::Deserialize;
use utoipa::IntoParams;

use super::query::{QueryOf, parse_lesson, try_desks};
use crate::{
    auth::{Caller, parse_asked_scope},
    error::{ProblemDto, Result},
    state::{AppState, SharedState},
};

/// Stretches that the time is cut into.
const PERIODS: usize = 24;

serve_handlers!(list_effects, show_effect);

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
        (status = 400, description = "A parameter is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
    )
)]
async fn list_effects(
    State(state): State<SharedState>,
    caller: Caller,
    QueryOf(query): QueryOf<EffectsQuery>,
) -> Result<Response> {
    let asked = parse_asked_scope(query.agent_id.as_deref(), query.project.as_deref())?;
    state
        .read(move |state| measure_effects(&caller, state, &asked, None))
        .await
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
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
        (status = 404, description = "No such lesson, or not one that the key may see", body = ProblemDto),
    )
)]
async fn show_effect(
    State(state): State<SharedState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response> {
    let id = parse_lesson(&id)?;
    state
        .read(move |state| {
            let desks = caller.read_desks(state, &Default::default())?;
            let place = try_desks(desks, |desk| Ok(desk.lesson(id)?.scope.clone()))?;
            let asked = AskedScope {
                agent: Some(place.agent),
                project: place.project,
            };
            measure_effects(&caller, state, &asked, Some(id))
        })
        .await
}

fn measure_effects(
    caller: &Caller,
    state: &AppState,
    asked: &AskedScope,
    only: Option<LessonId>,
) -> Result<Response> {
    let effects = caller.read_desk(state, asked)?.measure_effects(only)?;
    let periods = effects.summary.split_into_periods(PERIODS);
    Ok(Json(EffectsDto::from_report(&effects, &periods)).into_response())
}

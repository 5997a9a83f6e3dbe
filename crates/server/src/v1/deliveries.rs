//! `/v1/deliveries`: what the hooks of another machine did with their copy of the lessons, in one route: what happened
//! first is sent first, and nothing of it waits for an answer about the other.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use hardwon_api::v1::delivery::{
    DeliveryBody, DeliveryItem, DeliveryKind, DeliveryReply, RecallReport, RefusedItem,
};
use hardwon_core::{
    api_key::Capability,
    id::RunId,
    request::{IdempotencyKey, RequestConflict, RequestMark},
};
use hardwon_engine::{Desk, Error, KeptWrit};

use crate::{
    auth::{Caller, ScopeNames},
    body::JsonBody,
    error::{ApiError, ProblemDto, Result},
    state::{AppState, SharedState},
};

/// Most bytes of a delivery: a trace has half a mebibyte of text.
pub(super) const DELIVERY_BYTES: usize = 8 * 1024 * 1024;
/// Most things of a delivery.
const DELIVERY_ITEMS: usize = 256;
/// Longest name of a thing.
const ITEM_NAME_CHARS: usize = 64;

serve_handlers!(take_delivery);

/// Take in what hooks elsewhere did with their copy of the lessons.
///
/// Recalls that they made, so that the lessons are credited with what follows; `/lesson` lines, carried out with no more
/// than the rights of an agent; and what happened in runs, to learn from. Each counts once, however often it is sent,
/// and after a 5xx all of it may be sent again.
#[utoipa::path(
    post,
    path = "/v1/deliveries",
    tag = "learn",
    request_body(content = DeliveryBody, description = "What was kept"),
    responses(
        (status = 200, description = "What became of it", body = DeliveryReply),
        (status = 400, description = "The body is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
        (status = 413, description = "The body is too large", body = ProblemDto),
    )
)]
async fn take_delivery(
    State(state): State<SharedState>,
    caller: Caller,
    JsonBody(body): JsonBody<DeliveryBody>,
) -> Result<Response> {
    caller.check_capability(Capability::Learn)?;
    let names = ScopeNames {
        agent: body.agent_id.as_deref(),
        project: body.project.as_deref(),
    };
    let asked = names.parse()?;
    if body.items.len() > DELIVERY_ITEMS {
        return Err(ApiError::bad_request("at most 256 items at once").with_field("items"));
    }
    let is_learning = |it: &DeliveryItem| matches!(it.what, DeliveryKind::Trace { .. });
    let learns = body.items.iter().any(is_learning);
    let work = move |state: &AppState| {
        let receiver = ItemReceiver {
            desk: caller.write_desk(state, &asked)?,
            key: caller.record().id.to_string(),
        };
        let mut reply = DeliveryReply::default();
        for item in body.items {
            receiver.take_item(item, &mut reply)?;
        }
        state.recalled.note(&receiver.desk.principal().scope.tenant);
        Ok(Json(reply).into_response())
    };
    match learns {
        true => state.learn(work).await,
        false => state.write(work).await,
    }
}

/// What became of one thing.
enum ItemOutcome {
    Counted,
    Known,
    Refused(String),
}

/// Takes things in for a key.
struct ItemReceiver<'s> {
    desk: Desk<'s>,
    key: String,
}

impl ItemReceiver<'_> {
    fn take_item(&self, item: DeliveryItem, reply: &mut DeliveryReply) -> Result<()> {
        let id = item.id.chars().take(ITEM_NAME_CHARS).collect();
        match self.take(item)? {
            ItemOutcome::Counted => reply.counted += 1,
            ItemOutcome::Known => reply.known += 1,
            ItemOutcome::Refused(why) => reply.refused.push(RefusedItem { id, why }),
        }
        Ok(())
    }

    fn take(&self, item: DeliveryItem) -> Result<ItemOutcome> {
        let name = IdempotencyKey::parse(&item.id);
        let (Ok(name), Ok(run)) = (name, RunId::parse(&item.run)) else {
            return Ok(ItemOutcome::Refused("its id or run is no name".to_owned()));
        };
        match item.what {
            DeliveryKind::Recall(report) => self.take_recall(report, run),
            DeliveryKind::Writ { writ } => self.run_writ(&name, &run, &writ),
            DeliveryKind::Trace { trace } => Ok(match self.desk.learn_from_sent_trace(&trace)? {
                Ok(_) => ItemOutcome::Counted,
                Err(bad) => ItemOutcome::Refused(bad.to_string()),
            }),
        }
    }

    fn take_recall(&self, report: RecallReport, run: RunId) -> Result<ItemOutcome> {
        let scope = self.desk.principal().scope.clone();
        Ok(match report.into_recall(scope, run) {
            Ok(recall) => match self.desk.take_recall(recall)? {
                true => ItemOutcome::Counted,
                false => ItemOutcome::Known,
            },
            Err(bad) => ItemOutcome::Refused(bad.to_string()),
        })
    }

    fn run_writ(&self, name: &IdempotencyKey, run: &RunId, writ: &KeptWrit) -> Result<ItemOutcome> {
        let asked = serde_json::to_vec(writ).map_err(|error| ApiError::internal(&error))?;
        let mark = RequestMark::new(&self.key, name, [run.as_str().as_bytes(), &asked]);
        let done = self
            .desk
            .once(&mark, |desk| Ok(desk.run_sent_writ(run, writ)?.reply));
        match done {
            Ok(answer) if answer.is_repeated => Ok(ItemOutcome::Known),
            Ok(_) => Ok(ItemOutcome::Counted),
            // It was carried out, and nobody needs the answer.
            Err(Error::Repeated(RequestConflict::NoAnswer)) => Ok(ItemOutcome::Known),
            Err(Error::Repeated(other)) => Ok(ItemOutcome::Refused(other.to_string())),
            Err(error) => Err(error.into()),
        }
    }
}

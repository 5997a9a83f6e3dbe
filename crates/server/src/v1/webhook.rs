//! `/v1/webhook`: where a tenant is told that lessons wait for a person. An owner's business.
//!
//! The secret is in the answer that sets it, and in no other.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use hardwon_api::v1::{
    lesson::published::DeletedReply,
    webhook::{NewWebhookDto, WebhookBody, WebhookDto},
};
use hardwon_core::{access::Principal, api_key::Capability, id::TenantId, scope::Scope};
use jiff::Timestamp;

use crate::{
    auth::Caller,
    body::JsonBody,
    error::{ApiError, ProblemDto, Result},
    state::{AppState, SharedState},
    webhook::{Webhook, WebhookSecret, WebhookTarget, check_target},
};

serve_handlers!(show_webhook, set_webhook, delete_webhook);

/// Returns the tenant whose webhook it is: that of an owner's key.
fn find_tenant(caller: &Caller) -> Result<TenantId> {
    caller.check_capability(Capability::ManageKeys)?;
    let tenant = caller.tenant().cloned();
    tenant.ok_or_else(|| ApiError::forbidden("a webhook is the business of a tenant's owner"))
}

fn not_set() -> ApiError {
    ApiError::not_found("no webhook is set")
}

/// Read where the tenant is told that lessons wait, and how that fares.
#[utoipa::path(
    get,
    path = "/v1/webhook",
    tag = "webhook",
    responses(
        (status = 200, description = "The webhook, without its secret", body = WebhookDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key is no owner's", body = ProblemDto),
        (status = 404, description = "None is set", body = ProblemDto),
    )
)]
async fn show_webhook(State(state): State<SharedState>, caller: Caller) -> Result<Response> {
    let tenant = find_tenant(&caller)?;
    state
        .read(move |state| {
            let found = state.webhooks.find(&tenant).map_err(|it| failed(&it))?;
            let found = found.ok_or_else(not_set)?;
            Ok(Json(describe_webhook(&found)).into_response())
        })
        .await
}

/// Set the webhook, in place of the one that there may be, with a secret of its own.
///
/// From then on each lesson that waits for a person is told there, with a signature as of Standard Webhooks. What the
/// webhook before had not told yet is told to this one, unless that one was given up.
#[utoipa::path(
    put,
    path = "/v1/webhook",
    tag = "webhook",
    request_body(content = WebhookBody, description = "Where deliveries go"),
    responses(
        (status = 200, description = "The webhook, with its secret, which is not told again", body = NewWebhookDto),
        (status = 400, description = "It may not lead there", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key is no owner's", body = ProblemDto),
    )
)]
async fn set_webhook(
    State(state): State<SharedState>,
    caller: Caller,
    JsonBody(body): JsonBody<WebhookBody>,
) -> Result<Response> {
    let tenant = find_tenant(&caller)?;
    let url = body.url.unwrap_or_default();
    let target = check_target(&url, state.private_webhooks);
    let target = target.map_err(|why| ApiError::bad_request(why).with_field("url"))?;
    state
        .read(move |state| {
            let secret = WebhookSecret::draw().map_err(|it| failed(&it))?;
            let set = save_webhook(state, &caller, &tenant, &target, &secret)?;
            let reply = NewWebhookDto {
                secret: secret.reveal(),
                webhook: describe_webhook(&set),
            };
            Ok(Json(reply).into_response())
        })
        .await
}

fn save_webhook(
    state: &AppState,
    caller: &Caller,
    tenant: &TenantId,
    target: &WebhookTarget,
    secret: &WebhookSecret,
) -> Result<Webhook> {
    let scope = Scope {
        tenant: tenant.clone(),
        ..Scope::default()
    };
    let now = (
        Timestamp::now().as_millisecond(),
        caller.record().id.as_str(),
    );
    let end = state
        .engine
        .acting_as(Principal::background(scope))
        .count_entries()?;
    let saved = state.webhooks.change(tenant, |before| {
        let told = before.and_then(|it| it.told_to_take_over());
        let set = Webhook::new(
            tenant.as_str(),
            &target.0,
            secret.clone(),
            now,
            told.unwrap_or(end),
        );
        (Some(set.clone()), set)
    });
    saved.map_err(|it| failed(&it))
}

/// Delete the webhook. What it has not told yet is told to nobody.
#[utoipa::path(
    delete,
    path = "/v1/webhook",
    tag = "webhook",
    responses(
        (status = 200, description = "It is gone", body = DeletedReply),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key is no owner's", body = ProblemDto),
        (status = 404, description = "None is set", body = ProblemDto),
    )
)]
async fn delete_webhook(State(state): State<SharedState>, caller: Caller) -> Result<Response> {
    let tenant = find_tenant(&caller)?;
    state
        .read(
            move |state| match state.webhooks.delete(&tenant).map_err(|it| failed(&it))? {
                true => Ok(Json(DeletedReply { deleted: true }).into_response()),
                false => Err(not_set()),
            },
        )
        .await
}

fn failed(error: &std::io::Error) -> ApiError {
    ApiError::internal(&format!("keeping a webhook: {error}"))
}

fn describe_webhook(webhook: &Webhook) -> WebhookDto {
    let seconds = |millis: i64| millis.div_euclid(1000);
    WebhookDto {
        url: webhook.url.clone(),
        state: match (webhook.stopped_at, webhook.failing) {
            (Some(_), _) => "stopped",
            (None, Some(_)) => "failing",
            (None, None) => "active",
        },
        set_at: seconds(webhook.set_at),
        set_by: webhook.set_by.clone(),
        last_success_at: webhook.last_success.map(seconds),
        last_failure_at: webhook.last_failure.as_ref().map(|it| seconds(it.at)),
        last_failure: webhook.last_failure.as_ref().map(|it| it.why.clone()),
        failures: webhook.failing.map_or(0, |it| it.count),
    }
}

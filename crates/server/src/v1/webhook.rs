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
use hardwon_core::{
    access::Principal,
    api_key::{Capability, KeyChange, KeyDecision, KeyReach, WebhookRecord, WebhookSecret},
    id::TenantId,
    scope::Scope,
};

use crate::{
    auth::Caller,
    body::JsonBody,
    error::{ApiError, ProblemDto, Result},
    key_changes::{now_in_millis, order_change},
    state::{AppState, SharedState},
    webhook::{
        Webhook, WebhookProgress, WebhookTarget, check_target, draw_secret, find_webhook,
        reveal_secret,
    },
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
            let found = find_webhook(&*state.keys, &tenant)?;
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
        .write(move |state| {
            let secret = draw_secret().map_err(|error| ApiError::internal(&error))?;
            let set = save_webhook(state, &caller, tenant, target, &secret)?;
            let reply = NewWebhookDto {
                secret: reveal_secret(&secret),
                webhook: describe_webhook(&set),
            };
            Ok(Json(reply).into_response())
        })
        .await
}

fn save_webhook(
    state: &AppState,
    caller: &Caller,
    tenant: TenantId,
    target: WebhookTarget,
    secret: &WebhookSecret,
) -> Result<Webhook> {
    let before = find_webhook(&*state.keys, &tenant)?;
    let told = match before.and_then(|it| it.progress.told_to_take_over()) {
        Some(told) => told,
        None => count_entries(state, &tenant)?,
    };
    let progress = WebhookProgress::new(told);
    let record = WebhookRecord {
        tenant,
        url: target.0,
        secret: secret.clone(),
        set_at: now_in_millis(),
        set_by: caller.record().id.clone(),
        progress: progress.to_json(),
    };
    order(
        state,
        caller,
        KeyChange::SetWebhook(Box::new(record.clone())),
    )?;
    Ok(Webhook { record, progress })
}

/// Returns how many changes the journal of a tenant has.
fn count_entries(state: &AppState, tenant: &TenantId) -> Result<u64> {
    let scope = Scope {
        tenant: tenant.clone(),
        ..Scope::default()
    };
    let desk = state.engine.acting_as(Principal::background(scope));
    Ok(desk.count_entries()?)
}

fn order(state: &AppState, caller: &Caller, change: KeyChange) -> Result<KeyDecision> {
    let tenant = find_tenant(caller)?;
    let reach = KeyReach::Tenant(tenant);
    Ok(order_change(state, caller.record(), reach, change)?)
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
        .write(move |state| {
            let deleted = order(state, &caller, KeyChange::RemoveWebhook(tenant))?;
            match deleted.edits.is_empty() {
                false => Ok(Json(DeletedReply { deleted: true }).into_response()),
                true => Err(not_set()),
            }
        })
        .await
}

fn describe_webhook(webhook: &Webhook) -> WebhookDto {
    let seconds = |millis: i64| millis.div_euclid(1000);
    let Webhook { record, progress } = webhook;
    WebhookDto {
        url: record.url.clone(),
        state: match (progress.stopped_at, progress.failing) {
            (Some(_), _) => "stopped",
            (None, Some(_)) => "failing",
            (None, None) => "active",
        },
        set_at: record.set_at.as_second(),
        set_by: record.set_by.to_string(),
        last_success_at: progress.last_success.map(seconds),
        last_failure_at: progress.last_failure.as_ref().map(|it| seconds(it.at)),
        last_failure: progress.last_failure.as_ref().map(|it| it.why.clone()),
        failures: progress.failing.map_or(0, |it| it.count),
    }
}

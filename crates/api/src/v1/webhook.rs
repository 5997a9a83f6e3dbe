//! The webhook of a tenant: where it is told that lessons wait, and what it is told.

use serde::{Deserialize, Serialize};

/// Sets the webhook.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookBody {
    /// Where deliveries go, by POST: an address that begins with `https://`.
    #[cfg_attr(feature = "openapi", schema(value_type = String, required = true))]
    pub url: Option<String>,
}

/// The webhook, and how its deliveries fare. Times are seconds since 1970.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookDto {
    /// Where deliveries go.
    pub url: String,
    /// `active`; `failing` while a delivery is tried again; `stopped` once it was given up: then set it again.
    pub state: &'static str,
    /// When it was set.
    pub set_at: i64,
    /// The id of the key that set it.
    pub set_by: String,
    /// When a delivery was taken last; absent if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_success_at: Option<i64>,
    /// When one failed last; absent if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure_at: Option<i64>,
    /// Why it failed; absent if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<String>,
    /// How many have failed since the last one that was taken.
    pub failures: u32,
}

/// The webhook that was set, with the secret that its deliveries are signed with.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewWebhookDto {
    /// What to verify `webhook-signature` with. It is not told again.
    pub secret: String,
    /// The webhook.
    #[serde(flatten)]
    pub webhook: WebhookDto,
}

/// A delivery: lessons that wait for a person.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeldLessonsReport {
    /// Always `lessons.held`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// When the last of these changes was made (RFC 3339).
    pub timestamp: String,
    /// The lessons that wait since the delivery before, at most 100.
    pub lessons: Vec<HeldLesson>,
    /// How many more there are than are named.
    pub more: usize,
    /// How many lessons of the tenant wait in all.
    pub waiting: u64,
    /// The path of the page where they are reviewed, on the server.
    pub path: &'static str,
}

/// A lesson that waits for a person.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeldLesson {
    /// Its number.
    pub id: i64,
    /// `pending`: it waits for review. `quarantined`: it was taken out, because it probably does harm.
    pub state: &'static str,
    /// The path of its page, on the server.
    pub path: String,
}

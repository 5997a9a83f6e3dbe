//! The webhook of a tenant: where it may lead, how it signs, and how its deliveries fare. It is kept beside the tenant's keys.
//!
//! An address of a private network is refused unless whoever runs the server allows it, also when a name leads there.
//! What is delivered, and when, is the business of `deliveries`.

mod kept;
mod record;
mod sign;
mod target;

pub(crate) use kept::{Webhook, find_webhook, list_webhooks};
pub(crate) use record::{Delivery, WebhookProgress};
pub(crate) use sign::{draw_secret, reveal_secret, sign_delivery};
pub(crate) use target::{PRIVATE, PublicResolver, WebhookTarget, check_target};

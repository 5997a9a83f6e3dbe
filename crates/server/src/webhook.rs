//! The webhook of a tenant: where it leads, its secret, and how its deliveries fare.
//!
//! An address of a private network is refused unless whoever runs the server allows it, also when a name leads there.
//! What is delivered, and when, is the business of `deliveries`.

mod files;
mod record;
mod sign;
mod target;

pub(crate) use files::WebhookFiles;
pub(crate) use record::{Delivery, Webhook};
pub(crate) use sign::WebhookSecret;
pub(crate) use target::{PRIVATE, PublicResolver, WebhookTarget, check_target};

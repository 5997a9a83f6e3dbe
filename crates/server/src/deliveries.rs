//! Tells a tenant's own program that lessons wait for a person, by signed requests to its webhook.
//!
//! The journal is the queue: what is kept of a webhook says up to which entry it was told, so a restart loses nothing and
//! a change is told at least once. What is told is numbers, states and paths: never the words of a lesson. Rounds are
//! made now and then, to a few receivers at once; a slow one keeps nobody else waiting.

mod report;

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::{task::JoinSet, time::sleep};
use ureq::{
    Agent, Error as Trouble,
    unversioned::{resolver::DefaultResolver, transport::DefaultConnector},
};

use self::report::{Message, write_report};
use crate::{
    log::log_line,
    state::{AppState, SharedState},
    webhook::{
        Delivery, PRIVATE, PublicResolver, Webhook, WebhookProgress, check_target, list_webhooks,
        sign_delivery,
    },
};

/// How long a delivery may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Most deliveries at once.
const AT_ONCE: usize = 8;

/// Goes on until it is given up.
pub(crate) async fn repeat(state: SharedState, interval: Duration) {
    loop {
        sleep(interval).await;
        deliver_due(&state).await;
    }
}

async fn deliver_due(state: &SharedState) {
    let listed = state.read(|state| Ok(list_webhooks(&*state.keys)?)).await;
    let now = Timestamp::now().as_millisecond();
    let mut under_way = JoinSet::new();
    for webhook in listed.unwrap_or_default() {
        if !webhook.progress.is_due(now) {
            continue;
        }
        if under_way.len() >= AT_ONCE {
            under_way.join_next().await;
        }
        let state = Arc::clone(state);
        under_way.spawn_blocking(move || deliver_to(&state, &webhook));
    }
    while under_way.join_next().await.is_some() {}
}

/// Delivers what one tenant has not been told. Where the store fails, a later round tries again.
fn deliver_to(state: &AppState, listed: &Webhook) {
    if let Err(why) = try_to_deliver(state, listed) {
        log_line(&format!("a webhook could not be served: {why}"));
    }
}

fn try_to_deliver(state: &AppState, listed: &Webhook) -> Result<(), String> {
    let report = write_report(state, listed).map_err(|it| it.message().to_owned())?;
    let Some(report) = report else { return Ok(()) };
    let change = |hook: &Webhook, change: &dyn Fn(&mut WebhookProgress)| {
        let changed = hook.change(&*state.keys, change);
        changed.map_err(|error| error.to_string())
    };
    let Some(message) = report.message else {
        return change(listed, &|hook| hook.skip(report.end)).map(drop);
    };
    let now = Timestamp::now().as_millisecond();
    // Another server may be at it, or the owner may have changed it since.
    let Some(begun) = change(listed, &|hook| hook.begin(now))? else {
        return Ok(());
    };
    let delivery = send(listed, &message, state.private_webhooks);
    let end = Timestamp::now().as_millisecond();
    change(&begun, &|hook| {
        hook.finish(report.end, delivery.clone(), end);
    })
    .map(drop)
}

fn send(webhook: &Webhook, message: &Message, may_be_private: bool) -> Delivery {
    // What was allowed when it was set may no longer be.
    if let Err(why) = check_target(&webhook.record.url, may_be_private) {
        return Delivery::Failed(why.to_owned());
    }
    let seconds = Timestamp::now().as_second();
    let secret = &webhook.record.secret;
    let signature = sign_delivery(secret, &message.id, seconds, &message.body);
    let request = make_agent(may_be_private)
        .post(&webhook.record.url)
        .header("content-type", "application/json")
        .header("webhook-id", &message.id)
        .header("webhook-timestamp", seconds.to_string())
        .header("webhook-signature", signature);
    match request.send(message.body.as_bytes()) {
        Ok(response) => match response.status().as_u16() {
            200..=299 => Delivery::Taken,
            410 => Delivery::Unwanted,
            status => Delivery::Failed(format!("it answered {status}")),
        },
        Err(trouble) => Delivery::Failed(describe_trouble(&trouble).to_owned()),
    }
}

/// Follows no redirect, because it could lead elsewhere, and uses no proxy, which would look the name up itself.
fn make_agent(may_be_private: bool) -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent(concat!("hardwon/", env!("CARGO_PKG_VERSION")))
        .build();
    let connector = DefaultConnector::default();
    match may_be_private {
        true => Agent::with_parts(config, connector, DefaultResolver::default()),
        false => Agent::with_parts(config, connector, PublicResolver::default()),
    }
}

/// Says what went wrong below HTTP, without what the receiver sent.
fn describe_trouble(trouble: &Trouble) -> &'static str {
    match trouble {
        Trouble::Timeout(_) => "it did not answer in time",
        Trouble::HostNotFound => "its host cannot be found",
        Trouble::Tls(_) | Trouble::Rustls(_) => "its certificate is not one to be trusted",
        Trouble::Other(why) if why.to_string() == PRIVATE => PRIVATE,
        Trouble::ConnectionFailed | Trouble::Io(_) => "it could not be reached",
        _ => "its answer cannot be read",
    }
}

//! OpenTelemetry: the figures of `/metrics` and a span of each request, sent to a collector by OTLP over HTTP, as JSON.
//!
//! Names of routes, methods, statuses and times are sent, and nothing that anybody wrote: no words, no tenant's name,
//! no path or query as it was sent. What cannot be delivered is dropped: telemetry holds nothing up.

mod figures;

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};
use tokio::{
    task::{JoinHandle, spawn_blocking},
    time::sleep,
};
use ureq::Agent;

use crate::{
    log::log_line,
    request_spans::{RequestSpan, draw_id},
    state::SharedState,
    telemetry_config::TelemetryConfig,
};

/// The kind of a span of who was asked.
const SERVER: u8 = 2;
/// The status of a span that failed.
const FAILED: u8 = 2;
/// How long a delivery may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Sends telemetry to one collector.
struct TelemetrySender {
    config: TelemetryConfig,
    agent: Agent,
    /// Names this process among others.
    instance: String,
    started: SystemTime,
}

impl TelemetrySender {
    fn new(config: TelemetryConfig) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            // A redirect would take the headers along.
            .max_redirects(0)
            .user_agent(concat!("hardwon/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Self {
            config,
            agent,
            instance: draw_id(16),
            started: SystemTime::now(),
        }
    }

    /// Sends what there is by now; the error is for the log.
    fn deliver(&self, state: &SharedState) -> Result<(), String> {
        let now = SystemTime::now();
        let figures = state.render_figures();
        let metrics = figures::convert(&figures, &to_nanos(self.started), &to_nanos(now));
        self.post(
            "metrics",
            &json!({"resourceMetrics": [{
                "resource": self.describe_resource(),
                "scopeMetrics": [{"scope": {"name": "hardwon"}, "metrics": metrics}],
            }]}),
        )?;
        let spans = state.spans.take();
        if spans.is_empty() {
            return Ok(());
        }
        let spans: Vec<Value> = spans.iter().map(describe_span).collect();
        self.post(
            "traces",
            &json!({"resourceSpans": [{
                "resource": self.describe_resource(),
                "scopeSpans": [{"scope": {"name": "hardwon"}, "spans": spans}],
            }]}),
        )
    }

    fn describe_resource(&self) -> Value {
        let attributes = [
            ("service.name", "hardwon"),
            ("service.version", env!("CARGO_PKG_VERSION")),
            ("service.instance.id", &self.instance),
        ];
        json!({"attributes": attributes.map(|(key, value)| text_attribute(key, value))})
    }

    fn post(&self, signal: &str, body: &Value) -> Result<(), String> {
        let url = format!("{}/v1/{signal}", self.config.endpoint.trim_end_matches('/'));
        let mut call = self
            .agent
            .post(&url)
            .header("content-type", "application/json");
        for (name, value) in &self.config.headers {
            call = call.header(name, value);
        }
        match call.send(body.to_string().as_bytes()) {
            Ok(_) => Ok(()),
            Err(ureq::Error::StatusCode(status)) => Err(format!("the collector answered {status}")),
            Err(_) => Err("the collector cannot be reached".to_owned()),
        }
    }
}

/// The deliveries of a server that runs.
pub(crate) struct Telemetry {
    sender: Arc<TelemetrySender>,
    task: JoinHandle<()>,
}

/// Begins to deliver, if telemetry goes anywhere.
pub(crate) fn begin(state: &SharedState, config: Option<TelemetryConfig>) -> Option<Telemetry> {
    let sender = Arc::new(TelemetrySender::new(config?));
    let task = tokio::spawn(repeat(Arc::clone(state), Arc::clone(&sender)));
    Some(Telemetry { sender, task })
}

impl Telemetry {
    /// Delivers what there is at the end.
    pub(crate) async fn finish(self, state: &SharedState) {
        self.task.abort();
        if let Err(why) = deliver_once(state, &self.sender).await {
            log_line(&format!("the last telemetry is dropped: {why}"));
        }
    }
}

/// Delivers now and then, until it is given up. What goes wrong is said once, and again when it is over.
async fn repeat(state: SharedState, sender: Arc<TelemetrySender>) {
    let mut trouble = None;
    loop {
        sleep(sender.config.interval).await;
        let failed = deliver_once(&state, &sender).await.err();
        if failed != trouble {
            match &failed {
                Some(why) => log_line(&format!("telemetry is dropped: {why}")),
                None => log_line("telemetry is delivered again"),
            }
            trouble = failed;
        }
    }
}

/// Delivers once, on a thread.
async fn deliver_once(state: &SharedState, sender: &Arc<TelemetrySender>) -> Result<(), String> {
    let (state, sender) = (Arc::clone(state), Arc::clone(sender));
    let delivered = spawn_blocking(move || sender.deliver(&state));
    delivered.await.map_err(|error| error.to_string())?
}

/// Returns a span in the form of OTLP.
fn describe_span(span: &RequestSpan) -> Value {
    let status = span.status;
    let mut described = json!({
        "traceId": span.trace,
        "spanId": span.id,
        "name": format!("{} {}", span.method, span.route),
        "kind": SERVER,
        "startTimeUnixNano": to_nanos(span.began),
        "endTimeUnixNano": to_nanos(span.ended),
        "attributes": [
            text_attribute("http.request.method", &span.method),
            text_attribute("http.route", &span.route),
            {"key": "http.response.status_code", "value": {"intValue": status.to_string()}},
        ],
        "status": if status >= 500 { json!({"code": FAILED}) } else { json!({}) },
    });
    if let Some(parent) = &span.parent {
        described["parentSpanId"] = parent.as_str().into();
    }
    described
}

fn text_attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

/// Writes a time as OTLP has it: nanoseconds since 1970, in a text because JSON has no such numbers.
fn to_nanos(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos().to_string()
}

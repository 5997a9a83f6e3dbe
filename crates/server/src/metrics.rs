//! What is counted, in the text form of Prometheus (OpenMetrics).
//!
//! No label names a tenant, an agent, a lesson or a path as it was sent: their number has no bound.

use axum::http::Method;
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
        info::Info,
    },
    registry::{Metric, Registry, Unit},
};

/// The server's counters.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    latency: Family<RouteLabels, Histogram>,
    recalls: Family<OutcomeLabels, Counter>,
    lessons: Family<OutcomeLabels, Counter>,
    refused_keys: Counter,
    /// Requests that wait for a thread; set when the figures are read.
    pub(crate) waiting: Gauge,
    /// Connections that are open; set when the figures are read.
    pub(crate) connections: Gauge,
    /// Connections that were ended to make room for others.
    pub(crate) turned_away: Counter,
}

/// A request as it is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: &'static str,
    status: u16,
}

/// A route, as the template that it was declared with.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

/// What came of a recall or of a proposed lesson.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

/// The methods that are counted by name.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

fn name_method(method: &Method) -> &'static str {
    let method_name = METHODS.into_iter().find(|name| *name == method.as_str());
    method_name.unwrap_or("OTHER")
}

fn add<M: Metric + Clone + Default>(to: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    to.register(name, help, metric.clone());
    metric
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("hardwon");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version that runs", build);
        let to = &mut registry;
        let requests = add(to, "http_requests", "Requests answered");
        let latency = Family::new_with_constructor(
            (|| Histogram::new(exponential_buckets(0.000_25, 2.0, 16))) as fn() -> Histogram,
        );
        to.register_with_unit(
            "http_request_duration",
            "Time from a request's head to its answer",
            Unit::Seconds,
            latency.clone(),
        );
        let turned_away_help = "Connections that were ended to make room for others";
        Self {
            requests,
            latency,
            recalls: add(to, "recalls", "Recalls by what came of them"),
            lessons: add(to, "lessons", "Proposed lessons by what became of them"),
            refused_keys: add(to, "refused_keys", "Requests without a valid key"),
            waiting: add(to, "waiting_requests", "Requests that wait for a thread"),
            connections: add(to, "connections", "Connections that are open"),
            turned_away: add(to, "turned_away_connections", turned_away_help),
            registry,
        }
    }

    /// Counts an answered request. A method that no route has is like any other such.
    pub(crate) fn count_request(&self, route: &str, method: &Method, status: u16, seconds: f64) {
        let labels = RequestLabels {
            route: route.to_owned(),
            method: name_method(method),
            status,
        };
        self.requests.get_or_create(&labels).inc();
        let route = RouteLabels {
            route: labels.route,
        };
        self.latency.get_or_create(&route).observe(seconds);
    }

    /// Counts a recall: `shown` or `silent`.
    pub(crate) fn count_recall(&self, outcome: &'static str) {
        self.recalls.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Counts a proposed lesson: `recorded`, `known`, `waiting`, `refused` or `logged`.
    pub(crate) fn count_lesson(&self, outcome: &'static str) {
        self.lessons.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    pub(crate) fn count_refused_key(&self) {
        self.refused_keys.inc();
    }

    /// Writes all figures.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a text does not fail");
        text
    }
}

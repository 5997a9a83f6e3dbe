//! Where telemetry goes, and how often.

use std::time::Duration;

/// Where telemetry goes, and how often.
#[derive(Clone)]
pub struct TelemetryConfig {
    /// The collector, such as `http://127.0.0.1:4318`; `/v1/metrics` and `/v1/traces` are below it.
    pub endpoint: String,
    /// Headers of each delivery, such as one that lets it in. They are not shown.
    pub headers: Vec<(String, String)>,
    /// Time between two deliveries.
    pub interval: Duration,
}

impl std::fmt::Debug for TelemetryConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TelemetryConfig")
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}

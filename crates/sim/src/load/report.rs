//! What a phase came to, as a row of a table.

use std::{
    collections::BTreeMap,
    io::{Write as _, stdout},
    time::Duration,
};

/// What a server has used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MeasuredUsage {
    pub(super) cpu_seconds: f64,
    pub(super) resident_mib: f64,
    /// Files and connections that are open.
    pub(super) handles: usize,
}

impl MeasuredUsage {
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            cpu_seconds: self.cpu_seconds - before.cpu_seconds,
            ..self
        }
    }
}

/// The answers of a phase.
#[derive(Debug, Default)]
pub(super) struct LoadPhase {
    latencies_us: Vec<u64>,
    failed: u64,
    errors: BTreeMap<String, u64>,
    seconds: f64,
    usage: MeasuredUsage,
}

impl LoadPhase {
    pub(super) fn record(&mut self, latency: Duration, is_good: bool) {
        if is_good {
            self.latencies_us
                .push(latency.as_micros().try_into().unwrap_or(u64::MAX));
        } else {
            self.failed += 1;
        }
    }

    pub(super) fn note_error(&mut self, error: &anyhow::Error) {
        *self.errors.entry(format!("{error:#}")).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: Self) {
        self.latencies_us.extend(other.latencies_us);
        self.failed += other.failed;
        for (error, count) in other.errors {
            *self.errors.entry(error).or_default() += count;
        }
    }

    pub(super) fn finish(&mut self, took: Duration, usage: MeasuredUsage) {
        self.seconds = took.as_secs_f64();
        self.usage = usage;
        self.latencies_us.sort_unstable();
    }

    /// Returns how many requests a second were answered.
    pub(super) fn rate(&self) -> f64 {
        self.latencies_us.len() as f64 / self.seconds
    }

    /// Returns the latency that this many of a thousand requests did not exceed.
    fn quantile_ms(&self, permille: usize) -> f64 {
        let at = self.latencies_us.len().saturating_sub(1) * permille / 1000;
        self.latencies_us
            .get(at)
            .map_or(f64::NAN, |latencies_us| *latencies_us as f64 / 1000.0)
    }

    pub(super) fn print(&self, name: &str) {
        let answered = self.latencies_us.len().max(1) as f64;
        let mut row = format!("| {name} | {:.0} | {} |", self.rate(), self.failed);
        for permille in [500, 990, 999] {
            row += &format!(" {:.2} |", self.quantile_ms(permille));
        }
        let cpu = self.usage.cpu_seconds * 1e6 / answered;
        let MeasuredUsage {
            resident_mib,
            handles,
            ..
        } = self.usage;
        row += &format!(" {cpu:.0} | {resident_mib:.1} | {handles} |");
        print_line(&row);
        for (error, count) in &self.errors {
            print_line(&format!("  {count} times: {error}"));
        }
    }
}

pub(super) fn print_head() {
    print_line(
        "| phase | answered/s | failed | p50 ms | p99 | p99.9 | server µs a request | MiB | handles |",
    );
    print_line("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
}

pub(super) fn print_line(line: &str) {
    drop(writeln!(stdout().lock(), "{line}"));
}

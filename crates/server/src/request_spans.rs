//! A span of each request, as part of the trace that its sender tells (W3C Trace Context), and a bounded list of them.
//!
//! It names the route by its template, and nothing that was sent. Where spans go is not known here.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use axum::http::HeaderMap;
use hardwon_core::digest;
/// Most spans between two deliveries; more are dropped.
const MOST_SPANS: usize = 2048;

/// The trace that a request is part of, and the span there that sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TraceParent {
    trace: String,
    span: String,
    is_sampled: bool,
}

impl TraceParent {
    /// Parses the header; `None` if it is none that this version knows.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (version, trace, span, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_id = |it: &str, digits: usize| {
            let is_hex = it.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
            it.len() == digits && is_hex && it.bytes().any(|it| it != b'0')
        };
        let flags = (flags.len() == 2).then(|| u8::from_str_radix(flags, 16).ok());
        let is_known = version == "00" && parts.next().is_none();
        (is_known && is_id(trace, 32) && is_id(span, 16)).then_some(())?;
        Some(Self {
            trace: trace.to_owned(),
            span: span.to_owned(),
            is_sampled: flags.flatten()? & 1 == 1,
        })
    }
}

/// A request that was answered.
#[derive(Debug, Clone)]
pub(crate) struct RequestSpan {
    pub(crate) id: String,
    pub(crate) trace: String,
    /// The span that sent the request.
    pub(crate) parent: Option<String>,
    /// The template of its path.
    pub(crate) route: String,
    pub(crate) method: String,
    pub(crate) status: u16,
    pub(crate) began: SystemTime,
    pub(crate) ended: SystemTime,
}

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct OpenSpan {
    parent: Option<TraceParent>,
    began: SystemTime,
}

impl OpenSpan {
    pub(crate) fn begin(headers: &HeaderMap) -> Self {
        let told = headers.get("traceparent").and_then(|it| it.to_str().ok());
        Self {
            parent: told.and_then(TraceParent::parse),
            began: SystemTime::now(),
        }
    }

    /// Ends it; `None` if whoever began the trace does not record it.
    fn end(self, route: &str, method: &str, status: u16, took: Duration) -> Option<RequestSpan> {
        let is_recorded = self.parent.as_ref().is_none_or(|it| it.is_sampled);
        let (trace, parent) = match self.parent {
            Some(parent) => (parent.trace, Some(parent.span)),
            None => (draw_id(16), None),
        };
        is_recorded.then(|| RequestSpan {
            id: draw_id(8),
            trace,
            parent,
            route: route.to_owned(),
            method: method.to_owned(),
            status,
            began: self.began,
            ended: self.began + took,
        })
    }
}

/// The spans since the last delivery.
#[derive(Debug, Default)]
pub(crate) struct SpanBuffer {
    spans: Mutex<Vec<RequestSpan>>,
    /// Whether they are delivered at all.
    is_on: bool,
}

impl SpanBuffer {
    pub(crate) fn new(is_on: bool) -> Self {
        Self {
            is_on,
            ..Self::default()
        }
    }

    /// Notes that a request was answered. Where there is no room, it is dropped.
    pub(crate) fn note(
        &self,
        span: OpenSpan,
        route: &str,
        method: &str,
        status: u16,
        took: Duration,
    ) {
        if !self.is_on {
            return;
        }
        let ended = span.end(route, method, status, took);
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        if spans.len() < MOST_SPANS {
            spans.extend(ended);
        }
    }

    /// Takes all of them out.
    pub(crate) fn take(&self) -> Vec<RequestSpan> {
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut spans)
    }
}

/// Draws a name of so many bytes. Where the system has no randomness it is zeros, which no collector takes.
pub(crate) fn draw_id(bytes: usize) -> String {
    let mut drawn = vec![0; bytes];
    getrandom::fill(&mut drawn).ok();
    digest::to_hex(&drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_what_the_header_says() {
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        let check = |text: &str, expected: Option<bool>| {
            let parsed = TraceParent::parse(text);
            assert_eq!(parsed.as_ref().map(|it| it.is_sampled), expected, "{text}");
            assert!(parsed.is_none_or(|it| it.trace == trace && it.span == span));
        };
        check(&format!("00-{trace}-{span}-01"), Some(true));
        check(&format!("00-{trace}-{span}-00"), Some(false));
        check(&format!("00-{trace}-{span}-03"), Some(true));
        for wrong in [
            String::new(),
            format!("01-{trace}-{span}-01"),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-01-x"),
            format!("00-{trace}-{span}-x1"),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{}-{span}-01", trace.to_uppercase()),
        ] {
            check(&wrong, None);
        }
    }

    #[test]
    fn spans_that_nobody_takes_are_dropped() {
        let buffer = SpanBuffer::new(true);
        for _ in 0..MOST_SPANS + 5 {
            let span = OpenSpan::begin(&HeaderMap::new());
            buffer.note(span, "/v1/recall", "POST", 200, Duration::ZERO);
        }
        assert_eq!((buffer.take().len(), buffer.take().len()), (MOST_SPANS, 0));
    }
}

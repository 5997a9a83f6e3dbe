//! One question over HTTP: sent, its answer bounded and taken apart, its refusal put into words.

use std::io::Read as _;

use hardwon_core::{limits, redact::clean_chars, text::RawText};
use hardwon_engine::model::{Answer, ModelAsk, ModelError};
use jiff::SignedDuration;
use serde_json::Value;
use ureq::{Agent, Error as Trouble, Timeout};

use super::Endpoint;

/// Longest body of an answer that is read, in bytes, with what a service says around it.
const BODY_BYTES: usize = 16 * limits::MODEL_REPLY_BYTES;

/// Longest wait that a service may ask for, in seconds.
const AFTER_SECONDS: i64 = 24 * 60 * 60;

/// How a service is spoken to.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Where it is unless told otherwise.
    pub(super) url: &'static str,
    /// The environment variable that its key is usually in.
    pub(super) key: &'static str,
    /// The model that is asked unless told otherwise.
    pub(super) model: Option<&'static str>,
    /// Makes the request.
    pub(super) request: fn(&Endpoint, &ModelAsk) -> Request,
    /// Reads the answer off the pieces of a body.
    pub(super) read: fn(&[Value]) -> Result<Answer, ModelError>,
}

/// What is sent.
pub(crate) struct Request {
    pub(crate) url: String,
    /// The header that the key goes into, and what stands before it there.
    pub(crate) key: (&'static str, &'static str),
    pub(crate) headers: &'static [(&'static str, &'static str)],
    pub(crate) body: Value,
}

/// Refuses an address that is none, and one where a key would travel for all to read.
pub(crate) fn check(endpoint: &Endpoint) -> Result<(), ModelError> {
    let unusable = |what: &str| Err(ModelError::Unusable(format!("{what}: {}", endpoint.url)));
    let settings = endpoint.settings;
    let no_address = format!("{settings}_url is no address of the form https://…");
    let Some((scheme, rest)) = endpoint.url.split_once("://") else {
        return unusable(&no_address);
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(ModelError::Unusable(format!(
            "{settings}_url holds a password; name a variable in {settings}_key_env instead"
        )));
    }
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let is_here = host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback());
    match scheme {
        "https" => Ok(()),
        "http" if is_here || endpoint.key.is_none() => Ok(()),
        "http" => unusable("a key would travel unencrypted; use https"),
        _ => unusable(&no_address),
    }
}

/// Asks.
pub(super) fn complete(
    endpoint: &Endpoint,
    form: Form,
    ask: &ModelAsk,
) -> Result<Answer, ModelError> {
    let pieces = exchange(endpoint, &(form.request)(endpoint, ask), BODY_BYTES)?;
    (form.read)(&pieces)
}

/// Sends a request, and returns the pieces of its answer's body, which may be so long.
pub(crate) fn exchange(
    endpoint: &Endpoint,
    request: &Request,
    most: usize,
) -> Result<Vec<Value>, ModelError> {
    let config = Agent::config_builder()
        .timeout_global(Some(endpoint.timeout))
        .http_status_as_error(false)
        // A redirect would take the key along.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("hardwon/", env!("CARGO_PKG_VERSION")))
        .build();
    let mut call = config.new_agent().post(&request.url);
    for (name, value) in request.headers {
        call = call.header(*name, *value);
    }
    if let Some(key) = &endpoint.key {
        call = call.header(request.key.0, format!("{}{}", request.key.1, key.0));
    }
    let body = request.body.to_string();
    let call = call.header("content-type", "application/json");
    let trouble = |error: &Trouble| trouble(error, endpoint.settings);
    let mut response = call.send(body.as_bytes()).map_err(|it| trouble(&it))?;
    let status = response.status().as_u16();
    let after = response.headers().get("retry-after");
    let after = after.and_then(|it| it.to_str().ok()?.trim().parse::<i64>().ok());
    let mut bytes = Vec::new();
    let mut reader = response.body_mut().as_reader().take(most as u64 + 1);
    reader
        .read_to_end(&mut bytes)
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => ModelError::TimedOut,
            _ => match error.downcast::<Trouble>() {
                // An error of the client may come wrapped in one of reading.
                Ok(inner) => trouble(&inner),
                Err(_) => ModelError::Failed("the answer broke off".to_owned()),
            },
        })?;
    if bytes.len() > most {
        return Err(ModelError::Failed(format!(
            "the answer is longer than {most} bytes"
        )));
    }
    let pieces = pieces(&String::from_utf8_lossy(&bytes));
    match status {
        200..=299 if pieces.is_empty() => Err(ModelError::Failed(
            "the answer is not what such a service answers".to_owned(),
        )),
        200..=299 => Ok(pieces),
        _ => Err(refusal(status, after, &pieces, endpoint)),
    }
}

/// Says what went wrong below HTTP. None of these texts can hold a key.
fn trouble(error: &Trouble, settings: &str) -> ModelError {
    match error {
        Trouble::Timeout(Timeout::Connect | Timeout::Resolve) => {
            ModelError::Away("it could not be reached in time".to_owned())
        }
        Trouble::Timeout(_) => ModelError::TimedOut,
        Trouble::HostNotFound => ModelError::Away("its host cannot be found".to_owned()),
        Trouble::ConnectionFailed => ModelError::Away("it cannot be connected to".to_owned()),
        Trouble::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            ModelError::Away("nothing listens at its address".to_owned())
        }
        Trouble::Io(_) => ModelError::Away("the connection broke off".to_owned()),
        Trouble::BadUri(_) => ModelError::Unusable(format!("{settings}_url is no address")),
        Trouble::Rustls(_) | Trouble::Tls(_) => {
            ModelError::Unusable("its certificate is not one to be trusted".to_owned())
        }
        Trouble::Http(_) => {
            ModelError::Unusable("the key holds characters that no header may".to_owned())
        }
        _ => ModelError::Failed("its answer cannot be read".to_owned()),
    }
}

/// Takes a body apart: one JSON value, the values of a list, or those of an event stream.
fn pieces(body: &str) -> Vec<Value> {
    match serde_json::from_str::<Value>(body) {
        Ok(Value::Array(list)) => list,
        Ok(value) => vec![value],
        Err(_) => body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .filter_map(|data| serde_json::from_str(data.trim()).ok())
            .collect(),
    }
}

/// Puts a refusal into words, without the key that some services quote.
fn refusal(status: u16, after: Option<i64>, pieces: &[Value], endpoint: &Endpoint) -> ModelError {
    let first = pieces.first().unwrap_or(&Value::Null);
    let error = &first["error"];
    let said = [
        &error["message"],
        error,
        &first["message"],
        &first["detail"],
    ];
    let said = said.into_iter().find_map(Value::as_str).unwrap_or_default();
    let said = match &endpoint.key {
        Some(key) => said.replace(&key.0, "[key]"),
        None => said.to_owned(),
    };
    let said = clean_chars(&RawText::new(said), limits::REASON_CHARS);
    let what = match said.is_blank() {
        true => format!("it answered {status}"),
        false => format!("it answered {status}: {said}"),
    };
    let is_out_of_money = error["code"] == "insufficient_quota" || status == 402;
    match status {
        429 | 503 | 529 if !is_out_of_money => ModelError::Busy {
            what,
            after: after.map(|seconds| SignedDuration::from_secs(seconds.clamp(0, AFTER_SECONDS))),
        },
        408 | 504 => ModelError::TimedOut,
        400 | 413 | 422 => ModelError::Refused(what),
        500.. => ModelError::Failed(what),
        _ => ModelError::Unusable(what),
    }
}

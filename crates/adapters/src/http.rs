//! Sends one JSON request over HTTP; bounds and reads the response, and describes a refusal.

use std::{
    io::{ErrorKind, Read as _},
    time::Duration,
};

use hardwon_core::{RawText, limits};
use hardwon_engine::ModelError;
use hardwon_redact::clean_to_chars;
use jiff::SignedDuration;
use serde_json::Value;
use ureq::{
    Agent, Body, Error as Trouble, Proxy, Timeout, config::ConfigBuilder, http::Response,
    typestate::AgentScope,
};

use crate::service::{Endpoint, ServiceKey, SettingNames, choose_proxy};

/// Longest retry delay accepted from a service.
const MAX_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// A JSON body to send by POST.
pub(crate) struct HttpRequest {
    pub(crate) url: String,
    /// The header that carries the key, and the text before the key in it.
    pub(crate) key: (&'static str, &'static str),
    pub(crate) headers: &'static [(&'static str, &'static str)],
    pub(crate) body: Value,
}

/// Sends a request, and returns the response body, a JSON object, which may have `most` bytes.
pub(crate) fn post(
    endpoint: &Endpoint,
    request: &HttpRequest,
    timeout: Duration,
    most: usize,
) -> Result<Value, ModelError> {
    let mut response = send(endpoint, request, timeout)?;
    let status = response.status().as_u16();
    let after = read_retry_after(&response, MAX_AFTER);
    let bytes = read_body(response.body_mut(), endpoint, most)?;
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    match status {
        200..=299 if body.is_object() => Ok(body),
        200..=299 => Err(ModelError::Failed(
            "the answer is not what such a service answers".to_owned(),
        )),
        _ => Err(describe_refusal(status, after, &body, endpoint)),
    }
}

fn send(
    endpoint: &Endpoint,
    request: &HttpRequest,
    timeout: Duration,
) -> Result<Response<Body>, ModelError> {
    let config = begin_config(&request.url).timeout_global(Some(timeout));
    let mut call = config.build().new_agent().post(&request.url);
    for (name, value) in request.headers {
        call = call.header(*name, *value);
    }
    if let Some(key) = &endpoint.key {
        call = call.header(request.key.0, format!("{}{}", request.key.1, key.0));
    }
    let body = request.body.to_string();
    let call = call.header("content-type", "application/json");
    call.send(body.as_bytes())
        .map_err(|error| describe_trouble(&error, endpoint.names))
}

fn read_body(body: &mut Body, endpoint: &Endpoint, most: usize) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    let mut reader = body.as_reader().take(most as u64 + 1);
    reader
        .read_to_end(&mut bytes)
        .map_err(|error| match error.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => ModelError::TimedOut,
            _ => match error.downcast::<Trouble>() {
                // An error of the HTTP client may come wrapped in a read error.
                Ok(inner) => describe_trouble(&inner, endpoint.names),
                Err(_) => ModelError::Failed("the answer broke off".to_owned()),
            },
        })?;
    if bytes.len() > most {
        Err(ModelError::Failed(format!(
            "the answer is longer than {most} bytes"
        )))
    } else {
        Ok(bytes)
    }
}

/// Describes an error below HTTP. None of these texts can hold a key.
pub(crate) fn describe_trouble(error: &Trouble, names: SettingNames) -> ModelError {
    match error {
        Trouble::Timeout(Timeout::Connect | Timeout::Resolve) => {
            ModelError::Unreachable("it could not be reached in time".to_owned())
        }
        Trouble::Timeout(_) => ModelError::TimedOut,
        Trouble::HostNotFound => ModelError::Unreachable("its host cannot be found".to_owned()),
        Trouble::ConnectionFailed => {
            ModelError::Unreachable("it cannot be connected to".to_owned())
        }
        Trouble::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            ModelError::Unreachable("nothing listens at its address".to_owned())
        }
        // A handshake that failed comes as this.
        Trouble::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            let message = "it speaks no TLS, or its certificate is not one to be trusted";
            ModelError::Unusable(message.to_owned())
        }
        Trouble::Io(_) => ModelError::Unreachable("the connection broke off".to_owned()),
        Trouble::BadUri(_) => ModelError::Unusable(format!("{} is no address", names.url)),
        Trouble::Rustls(_) | Trouble::Tls(_) => {
            ModelError::Unusable("its certificate is not one to be trusted".to_owned())
        }
        Trouble::Http(_) => {
            ModelError::Unusable("the key holds characters that no header may".to_owned())
        }
        _ => ModelError::Failed("its answer cannot be read".to_owned()),
    }
}

/// Begins the configuration of a client that sends a key to this address.
pub(crate) fn begin_config(url: &str) -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .http_status_as_error(false)
        // A redirect would take the key along.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(choose_proxy(url, Proxy::try_from_env()))
        .user_agent(concat!("hardwon/", env!("CARGO_PKG_VERSION")))
}

/// Returns after what time the other side wants to be asked again, `most` at most.
pub(crate) fn read_retry_after(answer: &Response<Body>, most: Duration) -> Option<Duration> {
    let after = answer.headers().get("retry-after")?.to_str().ok()?;
    Some(Duration::from_secs(after.trim().parse().ok()?).min(most))
}

/// Says what was answered, without the key that some services quote.
pub(crate) fn describe_answer(
    who: &str,
    status: u16,
    message: &str,
    key: Option<&ServiceKey>,
) -> String {
    let message = match key {
        Some(key) => message.replace(&key.0, "[key]"),
        None => message.to_owned(),
    };
    let message = clean_to_chars(&RawText::new(message), limits::REASON_CHARS);
    if message.is_blank() {
        format!("{who} answered {status}")
    } else {
        format!("{who} answered {status}: {message}")
    }
}

/// Describes a refusal.
fn describe_refusal(
    status: u16,
    after: Option<Duration>,
    body: &Value,
    endpoint: &Endpoint,
) -> ModelError {
    let error = &body["error"];
    let fields = [&error["message"], error, &body["message"], &body["detail"]];
    let message = fields
        .into_iter()
        .find_map(Value::as_str)
        .unwrap_or_default();
    let message = describe_answer("it", status, message, endpoint.key.as_ref());
    let is_out_of_money = error["code"] == "insufficient_quota" || status == 402;
    match status {
        429 | 503 | 529 if !is_out_of_money => ModelError::Busy {
            what: message,
            after: after.and_then(|after| SignedDuration::try_from(after).ok()),
        },
        408 | 504 => ModelError::TimedOut,
        400 | 413 | 422 => ModelError::Refused(message),
        500.. => ModelError::Failed(message),
        _ => ModelError::Unusable(message),
    }
}

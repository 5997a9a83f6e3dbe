//! A service over HTTP: its address, its model, and its key.
//!
//! A key goes only where it was made for: the provider's default key to the provider's own address, one that is
//! configured for an address to that address over HTTPS, or to this machine. It is in no message and no debug output.

use std::{fmt, net::IpAddr};

use hardwon_engine::ModelError;
use ureq::Proxy;

/// The configuration of a service over HTTP.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// The base address; empty for the provider's own.
    pub url: String,
    /// The name of the model.
    pub model: String,
    /// The environment variable that holds the key. Empty for the provider's default one, which is only read for the
    /// provider's own address: other addresses then get no key.
    pub key_variable: String,
    /// The names of these settings, for errors.
    pub names: SettingNames,
}

/// The names by which users know a service's settings, for errors that say which one to change.
#[derive(Debug, Clone, Copy)]
pub struct SettingNames {
    /// The address, such as `model_url`.
    pub url: &'static str,
    /// The environment variable of the key, such as `model_key_env`.
    pub key_variable: &'static str,
}

/// The defaults of a provider.
#[derive(Clone, Copy)]
pub(crate) struct ProviderDefaults {
    pub(crate) url: &'static str,
    pub(crate) key_variable: &'static str,
}

/// A usable service: its address is valid, and its key was found if it needs one.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    pub(crate) model: String,
    pub(crate) key: Option<ServiceKey>,
    pub(crate) names: SettingNames,
}

/// A key, which debug output leaves out.
pub(crate) struct ServiceKey(pub(crate) String);

impl fmt::Debug for ServiceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServiceKey")
    }
}

impl Endpoint {
    /// Finds the address and the key. `read_variable` returns the value of an environment variable.
    pub(crate) fn find(
        config: &ServiceConfig,
        defaults: ProviderDefaults,
        read_variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelError> {
        let endpoint = Self {
            url: match config.url.as_str() {
                "" => defaults.url.to_owned(),
                url => url.trim_end_matches('/').to_owned(),
            },
            model: config.model.clone(),
            key: find_key(config, defaults.key_variable, read_variable)?,
            names: config.names,
        };
        endpoint.check_url()?;
        Ok(endpoint)
    }

    /// Rejects an invalid address, and one to which a key would travel unencrypted.
    fn check_url(&self) -> Result<(), ModelError> {
        let unusable = |what: &str| Err(ModelError::Unusable(format!("{what}: {}", self.url)));
        let SettingNames { url, key_variable } = self.names;
        let no_address = format!("{url} is no address of the form https://…");
        let Some((scheme, rest)) = self.url.split_once("://") else {
            return unusable(&no_address);
        };
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(ModelError::Unusable(format!(
                "{url} holds a password; name a variable in {key_variable} instead"
            )));
        }
        match scheme {
            "https" => Ok(()),
            "http" if self.key.is_none() || is_this_machine(authority) => Ok(()),
            "http" => unusable("a key would travel unencrypted; use https"),
            _ => unusable(&no_address),
        }
    }
}

/// Returns the proxy for an address, of the one that the environment names. What is on this machine is asked directly:
/// a proxy would look for it on its own, and read a key that was not to leave this one.
pub(crate) fn choose_proxy(url: &str, named: Option<Proxy>) -> Option<Proxy> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, it)| it);
    named.filter(|_| !is_this_machine(host))
}

/// Returns whether a host, maybe with a port, is this machine.
pub(crate) fn is_this_machine(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn find_key(
    config: &ServiceConfig,
    usual: &str,
    read_variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<ServiceKey>, ModelError> {
    let name = match (config.key_variable.as_str(), config.url.is_empty()) {
        ("", true) => usual,
        ("", false) => return Ok(None),
        (name, _) => name,
    };
    let value = read_variable(name).unwrap_or_default();
    match value.trim() {
        "" => Err(ModelError::Unusable(format!(
            "the environment variable {name} holds no key"
        ))),
        key => Ok(Some(ServiceKey(key.to_owned()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{KEY, config};

    const DEFAULTS: ProviderDefaults = ProviderDefaults {
        url: "https://api.example/v1",
        key_variable: "USUAL_KEY",
    };

    /// Variables whose names end in `KEY` hold a key.
    fn find(url: &str, key_variable: &str) -> Result<Endpoint, ModelError> {
        let read = |name: &str| {
            if name.ends_with("KEY") {
                Some(format!("{name} {KEY}\n"))
            } else {
                Some(" ".to_owned())
            }
        };
        Endpoint::find(&config("model", url, key_variable), DEFAULTS, read)
    }

    #[test]
    fn a_key_goes_nowhere_in_the_open() {
        for (url, key_variable, expected) in [
            ("http://localhost:11434/v1", "", "fine"),
            ("http://127.0.0.1:11434/v1", "MY_KEY", "fine"),
            ("http://[::1]:8000/v1/", "MY_KEY", "fine"),
            ("http://gpu.lan:8000/v1", "", "fine"),
            ("https://gateway.example/v1", "MY_KEY", "fine"),
            (
                "http://localhost.evil.example/v1",
                "MY_KEY",
                "a key would travel unencrypted; use https: http://localhost.evil.example/v1",
            ),
            (
                "http://me:pass@localhost/v1",
                "MY_KEY",
                "model_url holds a password; name a variable in model_key_env instead",
            ),
            (
                "localhost:11434",
                "",
                "model_url is no address of the form https://…: localhost:11434",
            ),
            (
                "file:///etc/passwd",
                "",
                "model_url is no address of the form https://…: file:///etc/passwd",
            ),
            ("", "EMPTY", "the environment variable EMPTY holds no key"),
        ] {
            let found = find(url, key_variable).map(|_| "fine".to_owned());
            assert_eq!(found.unwrap_or_else(|it| it.to_string()), expected, "{url}");
        }
    }

    #[test]
    fn the_usual_key_goes_to_the_provider_only() {
        let key = |url: &str, key_variable: &str| {
            let key = find(url, key_variable).unwrap().key;
            key.map(|key| key.0.replace(KEY, "k"))
        };
        assert_eq!(key("", "").as_deref(), Some("USUAL_KEY k"));
        assert_eq!(key("", "MY_KEY").as_deref(), Some("MY_KEY k"));
        assert_eq!(
            key("https://other.example", "MY_KEY").as_deref(),
            Some("MY_KEY k")
        );
        assert_eq!(key("https://other.example", ""), None);
    }

    #[test]
    fn debug_output_holds_no_key() {
        let endpoint = find("", "MY_KEY").unwrap();
        let printed = format!("{endpoint:?}");
        assert!(
            printed.contains("ServiceKey") && !printed.contains(KEY),
            "{printed}"
        );
    }

    #[test]
    fn this_machine_is_asked_without_a_proxy() {
        let named = || Some(Proxy::new("http://proxy.example:3128").unwrap());
        for (url, expected) in [
            ("https://fleet.example", true),
            ("https://127.example", true),
            ("http://localhost.example:80/v1", true),
            ("http://[fd00::1]:7433", true),
            ("http://localhost", false),
            ("http://localhost:7433/v1", false),
            ("http://127.0.0.1:7433", false),
            ("http://127.9.9.9", false),
            ("http://[::1]:7433/", false),
        ] {
            assert_eq!(choose_proxy(url, named()).is_some(), expected, "{url}");
            assert!(choose_proxy(url, None).is_none(), "{url}");
        }
    }
}

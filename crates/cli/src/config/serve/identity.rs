//! The settings of an identity provider that lets callers into a server, as they are written.
//!
//! They are here whether the program was built with it or not, so that one without can say so.

use std::path::PathBuf;

use super::super::SettingValues;
use crate::{args::ServeArgs, error::CliError};

/// Where an identity provider is, and what goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentitySettings {
    /// Its address.
    pub issuer: String,
    /// The server's own address, as others write it.
    pub public_url: String,
    /// As what people log in to the page, if they do.
    pub client_id: Option<String>,
    /// The file of the secret that goes with it.
    pub client_secret_file: Option<PathBuf>,
    /// Whom tokens have to be made for; empty for the server by its address.
    pub audiences: Vec<String>,
    /// The file of rules.
    pub rules_file: PathBuf,
}

impl IdentitySettings {
    /// Gathers the settings; `None` where no provider is set. One without an address of the server, or without rules, is a
    /// mistake.
    pub(super) fn find(values: &SettingValues, args: &ServeArgs) -> Result<Option<Self>, CliError> {
        let find = |typed: &Option<String>, name: &str| {
            let text = typed.as_deref().unwrap_or(values.get(name).0);
            (!text.is_empty()).then(|| text.to_owned())
        };
        let file = |typed: &Option<PathBuf>, name: &str| {
            let set = || find(&None, name).map(PathBuf::from);
            typed.clone().or_else(set)
        };
        let Some(issuer) = find(&args.oidc_issuer, "serve_oidc_issuer") else {
            return Ok(None);
        };
        let public_url = find(&args.public_url, "serve_public_url");
        let rules_file = file(&args.oidc_rules, "serve_oidc_rules");
        Ok(Some(Self {
            issuer,
            public_url: public_url.ok_or_else(|| {
                missing(
                    "its own address",
                    "--public-url https://lessons.example.com",
                )
            })?,
            client_id: find(&args.oidc_client_id, "serve_oidc_client_id"),
            client_secret_file: file(&args.oidc_client_secret_file, "serve_oidc_secret_file"),
            audiences: match &*args.oidc_audience {
                [] => super::split_list(values.get("serve_oidc_audience").0),
                typed => typed.to_vec(),
            },
            rules_file: rules_file
                .ok_or_else(|| missing("who is given what", "--oidc-rules FILE"))?,
        }))
    }
}

fn missing(what: &str, option: &str) -> CliError {
    let message = format!("a server with an identity provider has to be told {what}");
    CliError::bad_input(message).with_hint(format!("{option}; docs/server.md has an example"))
}

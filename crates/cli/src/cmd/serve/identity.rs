//! The identity provider of a server: reads its files, and says so where the program was built without.

use hardwon_server::ServerConfig;

use crate::{config::serve::IdentitySettings, error::CliError};

#[cfg(not(feature = "oidc"))]
pub(super) fn with_provider(
    config: ServerConfig,
    settings: Option<IdentitySettings>,
) -> Result<ServerConfig, CliError> {
    match settings {
        Some(_) => Err(
            CliError::bad_input("this program was built without OpenID Connect")
                .with_hint("build it with the feature `oidc`"),
        ),
        None => Ok(config),
    }
}

/// Has callers come from an identity provider too, if one is named.
#[cfg(feature = "oidc")]
pub(super) fn with_provider(
    config: ServerConfig,
    settings: Option<IdentitySettings>,
) -> Result<ServerConfig, CliError> {
    let oidc = settings.map(built_in::read_settings).transpose()?;
    Ok(ServerConfig { oidc, ..config })
}

#[cfg(feature = "oidc")]
mod built_in {
    use std::path::Path;

    use hardwon_engine::regular_file;
    use hardwon_server::{InvalidUrl, OidcClient, OidcConfig, ServiceUrl};

    use super::{CliError, IdentitySettings};
    use crate::identity_rules::parse_rules;

    /// Reads the files that the settings name.
    pub(super) fn read_settings(settings: IdentitySettings) -> Result<OidcConfig, CliError> {
        let path = &settings.rules_file;
        let text = read_file("the rules", path)?;
        let told = parse_rules(&text).map_err(|why| unusable("the rules", path, &why))?;
        let beside = |file: &std::path::PathBuf| path.with_file_name("").join(file);
        let roots = told.ca_file.as_ref().map(beside);
        let roots = roots
            .map(|it| read_file("the certificates", &it))
            .transpose()?;
        let wrong = |option: &str, why: InvalidUrl| CliError::bad_input(format!("{option}: {why}"));
        Ok(OidcConfig {
            issuer: ServiceUrl::parse(&settings.issuer)
                .map_err(|why| wrong("--oidc-issuer", why))?,
            public_url: ServiceUrl::parse_server(&settings.public_url)
                .map_err(|why| wrong("--public-url", why))?,
            client: read_client(&settings)?,
            audiences: settings.audiences,
            rules: told.rules,
            name_claim: told.name_claim,
            login_scopes: told.login_scopes,
            token_scopes: told.token_scopes,
            roots: roots.map(String::into_bytes),
        })
    }

    fn read_client(settings: &IdentitySettings) -> Result<Option<OidcClient>, CliError> {
        let secret = match &settings.client_secret_file {
            Some(path) => Some(read_secret(path)?),
            None => None,
        };
        match (&settings.client_id, secret) {
            (Some(id), secret) => Ok(Some(OidcClient {
                id: id.clone(),
                secret,
            })),
            (None, None) => Ok(None),
            (None, Some(_)) => Err(CliError::bad_input("the client's secret is for no client")
                .with_hint("name it with --oidc-client-id ID")),
        }
    }

    /// Reads the first line of a file. An error never quotes it.
    fn read_secret(path: &Path) -> Result<String, CliError> {
        let text = read_file("the client's secret", path)?;
        let secret = text.lines().next().unwrap_or_default().trim();
        match secret.is_empty() {
            true => Err(unusable(
                "the client's secret",
                path,
                &"its first line is empty",
            )),
            false => Ok(secret.to_owned()),
        }
    }

    fn read_file(what: &str, path: &Path) -> Result<String, CliError> {
        regular_file::read_to_string(path).map_err(|error| unusable(what, path, &error))
    }

    fn unusable(what: &str, path: &Path, why: &dyn std::fmt::Display) -> CliError {
        let message = format!(
            "reading {what} of the identity provider in {}: {why}",
            path.display()
        );
        CliError::bad_input(message).with_hint("docs/server.md describes the file")
    }
}

//! Callers whom an identity provider vouches for: what of a token is checked, and that they are callers as any other.

mod logins;
mod tokens;

use std::sync::Arc;

use hardwon_core::{
    api_key::{ClaimRule, ClaimRules, KeyGrant, KeyLimits, Role},
    id::TenantId,
};
use hardwon_server::{OidcClient, OidcConfig, ServerConfig, ServiceUrl};
use serde_json::{Value, json};

use crate::{
    client::{Answer, TestServer, limits},
    identity_provider::{CLIENT, SECRET, SigningKey, TestProvider},
};

/// The server's own address, as others write it.
const PUBLIC: &str = "http://localhost:7433";
/// Whom tokens are made for that let a program in.
const AUDIENCE: &str = "http://localhost:7433/mcp";

fn grant(role: Role, tenant: &str, limits: KeyLimits) -> KeyGrant {
    KeyGrant::new(role, Some(TenantId::parse(tenant).unwrap()), limits).unwrap()
}

fn rule(group: &str, grant: KeyGrant) -> ClaimRule {
    let claims = json!({ "groups": group });
    ClaimRule::new(claims.as_object().unwrap().clone(), grant).unwrap()
}

fn config(provider: &TestProvider) -> ServerConfig {
    let rules = ClaimRules::new(vec![
        rule("owners", grant(Role::Owner, "acme", KeyLimits::default())),
        rule(
            "gardeners",
            grant(Role::Agent, "acme", limits(&["gardener"], &["orchard"])),
        ),
        rule("agents", grant(Role::Agent, "acme", KeyLimits::default())),
        rule("others", grant(Role::Owner, "globex", KeyLimits::default())),
        rule(
            "nowhere",
            grant(Role::Owner, "nowhere", KeyLimits::default()),
        ),
    ]);
    let oidc = OidcConfig {
        issuer: ServiceUrl::parse(&provider.url).unwrap(),
        public_url: ServiceUrl::parse_server(PUBLIC).unwrap(),
        audiences: Vec::new(),
        client: Some(OidcClient {
            id: CLIENT.to_owned(),
            secret: Some(SECRET.to_owned()),
        }),
        rules,
        name_claim: Some("name".to_owned()),
        login_scopes: vec!["groups".to_owned()],
        token_scopes: vec!["lessons".to_owned()],
        roots: None,
    };
    ServerConfig {
        oidc: Some(oidc),
        ..ServerConfig::default()
    }
}

/// A provider, one of its keys, and a server with the tenants `acme` and `globex`.
struct Story {
    provider: TestProvider,
    key: Arc<SigningKey>,
    server: TestServer,
}

impl Story {
    fn begin(key: SigningKey) -> Self {
        let key = Arc::new(key);
        let provider = TestProvider::start(Arc::clone(&key));
        let server = TestServer::start_with(config(&provider));
        for tenant in ["acme", "globex"] {
            server.key(Role::Viewer, tenant);
        }
        Self {
            provider,
            key,
            server,
        }
    }

    /// Makes a token of somebody in a group.
    fn token(&self, group: &str) -> String {
        self.key.sign(&self.claims(&json!({ "groups": [group] })))
    }

    fn claims(&self, more: &Value) -> Value {
        self.provider.claims(AUDIENCE, more)
    }

    fn get(&self, token: &str, path: &str) -> Answer {
        self.server
            .with_token(token.to_owned())
            .send("GET", path, "")
    }
}

/// Returns the status, and what an answer says went wrong.
fn told(answer: &Answer) -> String {
    let error = serde_json::from_str::<Value>(&answer.body).ok();
    let error = error.and_then(|it| Some(it["error"].as_str()?.to_owned()));
    format!("{} {}", answer.status, error.unwrap_or_default())
        .trim()
        .to_owned()
}

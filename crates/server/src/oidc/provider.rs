//! Asks the identity provider: what it says about itself, for its keys, and for the token of a login.
//!
//! What it answers is bounded in size and time, and no redirect is followed. One request asks at a time; others wait for
//! its answer without holding a thread, and a provider that is away is not asked again by each of them. What is known is
//! kept, so that tokens are checked without asking.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use tokio::{sync::Semaphore, task::spawn_blocking};
use ureq::{
    Agent, Body,
    http::Response,
    tls::{PemItem, RootCerts, TlsConfig, parse_pem},
};

use super::{
    config::{OidcClient, OidcConfig, ServiceUrl},
    provider_keys::{KeyAnswer, KnownKeys, ProviderKeys},
    signed_token::SignedToken,
};
use crate::{log::log_line, query_text::quote};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(4);
/// Most bytes of an answer.
const ANSWER_BYTES: u64 = 256 * 1024;
/// How many logins are turned in at once.
const EXCHANGES: usize = 4;
/// Longest word for a fault that is put in the log.
const FAULT_BYTES: usize = 40;

/// What a provider says about itself, as far as it matters.
#[derive(Debug, Clone)]
pub(crate) struct ProviderAbout {
    /// Where people log in.
    pub(crate) login_url: String,
    token_url: String,
    /// Whether its answers name it.
    pub(crate) names_itself: bool,
    takes_basic: bool,
}

#[derive(Debug, Default)]
struct KnownProvider {
    about: Option<Arc<ProviderAbout>>,
    keys: KnownKeys,
    /// What went wrong last, to be logged once.
    trouble: Option<String>,
}

/// An identity provider, and what is known of it.
pub(super) struct Provider {
    config: Arc<OidcConfig>,
    agent: Agent,
    known: Mutex<KnownProvider>,
    /// Held by the request that asks.
    turn: Arc<tokio::sync::Mutex<()>>,
    exchanges: Semaphore,
}

impl Provider {
    pub(super) fn new(config: Arc<OidcConfig>) -> Result<Self, &'static str> {
        let roots = config
            .roots
            .as_deref()
            .map_or(Ok(RootCerts::WebPki), read_roots)?;
        let agent = Agent::config_builder()
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            // A redirect would take a login's code, or the client's secret, along.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("hardwon/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Self {
            config,
            agent,
            known: Mutex::default(),
            turn: Arc::default(),
            exchanges: Semaphore::new(EXCHANGES),
        })
    }

    fn known(&self) -> MutexGuard<'_, KnownProvider> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the key that a token names, and asks the provider for it if it is time to.
    pub(super) async fn find_key(self: &Arc<Self>, token: &SignedToken<'_>) -> KeyAnswer {
        let look = || {
            let known = self.known();
            known
                .keys
                .find(token.key_name(), token.algorithm(), Instant::now())
        };
        match look() {
            KeyAnswer::Ask => {}
            KeyAnswer::Found { key, is_old: true } => {
                self.ask_beside();
                return KeyAnswer::Found { key, is_old: true };
            }
            settled => return settled,
        }
        let _turn = self.turn.lock().await;
        match look() {
            KeyAnswer::Ask => {}
            settled => return settled,
        }
        self.known().keys.note_asking(Instant::now());
        self.ask().await;
        match look() {
            // It was asked just now.
            KeyAnswer::Ask => KeyAnswer::Unknown,
            settled => settled,
        }
    }

    /// Returns what the provider says about itself; `None` if it does not answer.
    pub(super) async fn about(self: &Arc<Self>) -> Option<Arc<ProviderAbout>> {
        let look = || self.known().about.clone();
        if let Some(known) = look() {
            return Some(known);
        }
        let _turn = self.turn.lock().await;
        if look().is_none() && self.known().keys.may_try(Instant::now()) {
            self.ask().await;
        }
        look()
    }

    /// Asks without having anybody wait for it, unless somebody asks already.
    fn ask_beside(self: &Arc<Self>) {
        if let Ok(turn) = Arc::clone(&self.turn).try_lock_owned() {
            let provider = Arc::clone(self);
            drop(tokio::spawn(async move {
                provider.ask().await;
                drop(turn);
            }));
        }
    }

    /// Asks on a thread. What comes of it is kept also if nobody waits for it any more.
    async fn ask(self: &Arc<Self>) {
        let provider = Arc::clone(self);
        let asked = spawn_blocking(move || {
            let told = provider.fetch();
            provider.keep(told);
        });
        if asked.await.is_err() {
            log_line("asking the identity provider broke off");
        }
    }

    fn keep(&self, told: Result<(ProviderAbout, ProviderKeys), String>) {
        let mut known = self.known();
        let (about, keys, trouble) = match told {
            Ok((about, keys)) => (Some(Arc::new(about)), Some(keys), None),
            Err(trouble) => (None, None, Some(trouble)),
        };
        if trouble != known.trouble {
            match &trouble {
                Some(why) => log_line(&format!("the identity provider cannot be used: {why}")),
                None => log_line("the identity provider answers again"),
            }
        }
        known.keys.note_answer(keys, Instant::now());
        known.about = about.or_else(|| known.about.take());
        known.trouble = trouble;
    }

    fn fetch(&self) -> Result<(ProviderAbout, ProviderKeys), String> {
        let url = self.config.issuer.join("/.well-known/openid-configuration");
        let told = self.get("its description", &url)?;
        if told["issuer"].as_str() != Some(self.config.issuer.as_str()) {
            return Err("its description names another issuer than the settings".to_owned());
        }
        let keys = self.get("its keys", &self.read_url(&told, "jwks_uri")?)?;
        let keys = ProviderKeys::read(&keys);
        let keys =
            keys.ok_or("there is none among its keys that can be used: RS256, ES256 or EdDSA")?;
        Ok((self.read_about(&told)?, keys))
    }

    fn read_about(&self, told: &Value) -> Result<ProviderAbout, String> {
        let methods = told["token_endpoint_auth_methods_supported"].as_array();
        let login_url = match self.config.client {
            Some(_) => self.read_url(told, "authorization_endpoint")?,
            None => String::new(),
        };
        let token_url = match self.config.client {
            Some(_) => self.read_url(told, "token_endpoint")?,
            None => String::new(),
        };
        Ok(ProviderAbout {
            login_url,
            token_url,
            names_itself: told["authorization_response_iss_parameter_supported"] == true,
            takes_basic: methods.is_none_or(|it| it.iter().any(|it| it == "client_secret_basic")),
        })
    }

    /// Reads an address of the provider. On the way to it nobody may listen, as on the way to the provider itself.
    fn read_url(&self, told: &Value, name: &str) -> Result<String, String> {
        let url = told[name].as_str().unwrap_or_default();
        let (base, _) = url.split_once('?').unwrap_or((url, ""));
        match ServiceUrl::parse(base) {
            Ok(_) if url.bytes().all(|it| it.is_ascii_graphic() && it != b'#') => {
                Ok(url.to_owned())
            }
            _ => Err(format!("its {name} is no address that can be used")),
        }
    }

    fn get(&self, what: &str, url: &str) -> Result<Value, String> {
        let answer = self
            .agent
            .get(url)
            .header("accept", "application/json")
            .call();
        let mut answer = answer.map_err(|_| format!("{what} cannot be fetched"))?;
        match answer.status().as_u16() {
            200 => read_json(&mut answer).ok_or_else(|| format!("{what} cannot be read")),
            status => Err(format!("it answers {status} where {what} should be")),
        }
    }

    /// Turns the code of a login in for the token that says who logged in. The error is for the log.
    pub(super) async fn turn_in(
        self: &Arc<Self>,
        about: Arc<ProviderAbout>,
        code: String,
        verifier: String,
    ) -> Result<String, String> {
        let _place = self
            .exchanges
            .acquire()
            .await
            .map_err(|error| error.to_string())?;
        let provider = Arc::clone(self);
        let turned_in = spawn_blocking(move || provider.exchange(&about, &code, &verifier));
        turned_in.await.map_err(|error| error.to_string())?
    }

    fn exchange(
        &self,
        about: &ProviderAbout,
        code: &str,
        verifier: &str,
    ) -> Result<String, String> {
        let client = self.config.client.as_ref();
        let client = client.ok_or("nobody logs in at this provider")?;
        let callback = self.config.callback_url();
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &callback),
            ("code_verifier", verifier),
        ];
        let mut call = self
            .agent
            .post(&about.token_url)
            .header("accept", "application/json");
        match &client.secret {
            Some(secret) if about.takes_basic => {
                call = call.header("authorization", make_basic(client, secret));
            }
            Some(secret) => form.extend([("client_id", &*client.id), ("client_secret", secret)]),
            None => form.push(("client_id", &client.id)),
        }
        let answer = call.send_form(form);
        let mut answer = answer.map_err(|_| "the provider cannot be reached")?;
        let status = answer.status().as_u16();
        let told = read_json(&mut answer).unwrap_or_default();
        match told["id_token"].as_str() {
            Some(token) if status == 200 => Ok(token.to_owned()),
            _ => Err(format!(
                "the provider answered {status}{}",
                describe_fault(&told)
            )),
        }
    }
}

/// Reads an answer, which may be only so long.
fn read_json(answer: &mut Response<Body>) -> Option<Value> {
    let body = answer.body_mut().with_config().limit(ANSWER_BYTES);
    serde_json::from_slice(&body.read_to_vec().ok()?).ok()
}

/// Returns the word that the format has for a fault, if there is one. Whatever else is said could be anything.
fn describe_fault(told: &Value) -> String {
    let word = told["error"].as_str().unwrap_or_default();
    let is_word = word.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
    match is_word && !word.is_empty() && word.len() <= FAULT_BYTES {
        true => format!(" ({word})"),
        false => String::new(),
    }
}

fn make_basic(client: &OidcClient, secret: &str) -> String {
    let pair = format!("{}:{}", quote(&client.id), quote(secret));
    format!("Basic {}", STANDARD.encode(pair))
}

fn read_roots(pem: &[u8]) -> Result<RootCerts, &'static str> {
    let none = "there is no certificate in PEM form among those that are to vouch for the identity provider";
    let items = parse_pem(pem).filter_map(|it| match it {
        Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
        Ok(_) => None,
        Err(_) => Some(Err(none)),
    });
    let roots = items.collect::<Result<Vec<_>, _>>()?;
    match roots.is_empty() {
        true => Err(none),
        false => Ok(RootCerts::from(roots)),
    }
}

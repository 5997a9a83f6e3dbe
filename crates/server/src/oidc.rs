//! An identity provider (OpenID Connect) that vouches for people and programs: what it is asked, and whether a token of
//! it is to be believed.
//!
//! A person logs in to the page at the provider, and a program brings a token that the provider made for this server.
//! No token is kept, logged or passed on, and the provider is asked about none: its signature and its claims have to
//! suffice. What a token is worth is decided by rules over its claims, and who brings it is made a caller in
//! [`identities`](crate::identities).

mod claims;
mod config;
mod login_attempt;
mod provider;
mod provider_keys;
mod signed_token;

use std::{io, sync::Arc};

use jiff::Timestamp;

pub(crate) use claims::{CheckedClaims, TokenRefusal};
pub use config::{InvalidUrl, OidcClient, OidcConfig, ServiceUrl};
pub(crate) use login_attempt::{ATTEMPT_SECONDS, LoginAttempt};
pub(crate) use provider::ProviderAbout;

use claims::{Expected, check_claims};
use login_attempt::UsedAttempts;
use provider::Provider;
use provider_keys::KeyAnswer;
use signed_token::{SignedToken, TokenUse};

/// Why a token lets nobody in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoToken {
    /// It is not accepted.
    Refused(TokenRefusal),
    /// It cannot be checked, because the provider does not answer.
    Away,
    /// There is none: the provider did not confirm a login. The text is for the log.
    Unconfirmed(String),
}

impl From<TokenRefusal> for NoToken {
    fn from(why: TokenRefusal) -> Self {
        Self::Refused(why)
    }
}

/// What a server needs for callers of an identity provider.
pub(crate) struct Oidc {
    pub(crate) config: Arc<OidcConfig>,
    provider: Arc<Provider>,
    used: UsedAttempts,
}

impl Oidc {
    /// Checks the settings. Nothing is asked of the provider, which may be away.
    ///
    /// # Errors
    ///
    /// Which settings do not go together.
    pub(crate) fn new(config: OidcConfig) -> io::Result<Self> {
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        config.check().map_err(invalid)?;
        let config = Arc::new(config);
        let provider = Provider::new(Arc::clone(&config));
        Ok(Self {
            provider: Arc::new(provider.map_err(|why| invalid(why.to_owned()))?),
            config,
            used: UsedAttempts::default(),
        })
    }

    /// Returns how the page calls the provider; `None` if nobody logs in there.
    pub(crate) fn login_name(&self) -> Option<&str> {
        self.config.client.as_ref()?;
        Some(self.config.issuer.authority())
    }

    /// Returns what the provider says about itself.
    pub(crate) async fn about_provider(&self) -> Result<Arc<ProviderAbout>, NoToken> {
        self.provider.about().await.ok_or(NoToken::Away)
    }

    /// Notes that the answer to a login came; `false` if one came before.
    pub(crate) fn use_up(&self, attempt: &LoginAttempt, now: Timestamp) -> bool {
        self.used.note(attempt, now)
    }

    /// Checks a token that lets a program in.
    pub(crate) async fn check_access(&self, token: &str) -> Result<CheckedClaims, NoToken> {
        let audiences = self.config.audiences();
        self.check(token, TokenUse::Access, &audiences, None).await
    }

    /// Turns the code of a login in, and checks the token that says who logged in.
    pub(crate) async fn confirm_login(
        &self,
        about: Arc<ProviderAbout>,
        attempt: &LoginAttempt,
        code: String,
    ) -> Result<CheckedClaims, NoToken> {
        let turned_in = self.provider.turn_in(about, code, attempt.verifier());
        let token = turned_in.await.map_err(NoToken::Unconfirmed)?;
        let audience = self.config.client.iter().map(|it| it.id.clone());
        let audience: Vec<String> = audience.collect();
        let nonce = attempt.nonce();
        self.check(&token, TokenUse::Login, &audience, Some(&nonce))
            .await
    }

    async fn check(
        &self,
        token: &str,
        token_use: TokenUse,
        audiences: &[String],
        nonce: Option<&str>,
    ) -> Result<CheckedClaims, NoToken> {
        let token = SignedToken::read(token, token_use)?;
        let key = match self.provider.find_key(&token).await {
            KeyAnswer::Found { key, .. } => key,
            KeyAnswer::Unknown => return Err(TokenRefusal::Key.into()),
            KeyAnswer::Ask | KeyAnswer::Away => return Err(NoToken::Away),
        };
        let expected = Expected {
            issuer: self.config.issuer.as_str(),
            audiences,
            nonce,
            now: Timestamp::now(),
        };
        Ok(check_claims(token.verify(&key)?, &expected)?)
    }
}

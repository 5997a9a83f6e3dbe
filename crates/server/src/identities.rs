//! Makes a record of whoever a provider vouches for: the rule that fits, and the key that all else goes by.
//!
//! Nobody holds that key's secret. It is in the list of keys under the name of whom it is about, its making is in the
//! log, an owner can revoke it, and sessions and changes are those of a key; so nothing else of the server knows of
//! tokens. It is forgotten when it was not needed for some days.

use std::sync::Arc;

use hardwon_core::api_key::{ApiKeyRecord, Identity, KeyChange, KeyGrant, KeyKind, KeyReach};
use hardwon_store::keys::KeyChangeError;
use jiff::{SignedDuration, Timestamp};

use crate::{
    error::{ApiError, Result},
    key_changes::{self, draw_entropy, now_in_millis},
    log::log_line,
    oidc::{CheckedClaims, LoginAttempt, NoToken, Oidc, ProviderAbout},
    state::{AppState, SharedState},
};

/// How many days a record is kept without being needed.
const KEPT_DAYS: i64 = 7;

impl From<NoToken> for ApiError {
    fn from(why: NoToken) -> Self {
        match why {
            NoToken::Refused(why) => Self::unfit_token(&why),
            NoToken::Away => {
                Self::away("the identity provider cannot be reached; keys still count")
            }
            NoToken::Unconfirmed(why) => {
                log_line(&format!("a login at the identity provider failed: {why}"));
                Self::bad_gateway("the identity provider did not confirm this login: begin again")
            }
        }
    }
}

/// Finds out who brings a token that lets a program in.
pub(crate) async fn admit_token(state: &SharedState, token: &str) -> Result<Arc<ApiKeyRecord>> {
    // What is not even cut as a token is a key that is mistyped.
    let oidc = state.oidc.as_ref().filter(|_| token.contains('.'));
    let oidc = oidc.ok_or_else(ApiError::unauthorized)?;
    let checked = oidc.check_access(token).await?;
    admit(state, oidc, &checked, Timestamp::now()).await
}

/// A person who logged in.
pub(crate) struct AdmittedLogin {
    pub(crate) record: Arc<ApiKeyRecord>,
    /// Until when the provider vouches for them.
    pub(crate) until: Timestamp,
}

/// Finds out who logged in with this code. `longest` is the end of a session that begins now.
pub(crate) async fn admit_login(
    state: &SharedState,
    about: Arc<ProviderAbout>,
    attempt: &LoginAttempt,
    code: String,
    longest: Timestamp,
) -> Result<AdmittedLogin> {
    let oidc = state.oidc.as_ref().ok_or_else(ApiError::unauthorized)?;
    let checked = oidc.confirm_login(about, attempt, code).await?;
    let until = checked.expires.min(longest);
    let record = admit(state, oidc, &checked, until).await?;
    Ok(AdmittedLogin { record, until })
}

/// Finds the record of whoever a token is about, which has to last until then, or adds it; and notes that it was used.
async fn admit(
    state: &SharedState,
    oidc: &Oidc,
    checked: &CheckedClaims,
    until: Timestamp,
) -> Result<Arc<ApiKeyRecord>> {
    let found = oidc.config.rules.find_grant(&checked.all);
    let grant = found.cloned().ok_or_else(|| {
        ApiError::forbidden(
            "the identity provider vouches for you, and no rule of this server gives you anything",
        )
    })?;
    let told = oidc.config.name_claim.as_ref();
    let told = told.and_then(|it| checked.all.get(it)?.as_str());
    let identity = Identity::new(oidc.config.issuer.as_str(), &checked.subject, told);
    let record = find_or_add(state, identity, grant, until).await?;
    state.key_cache.note_use(&record.id, Timestamp::now());
    Ok(record)
}

async fn find_or_add(
    state: &SharedState,
    identity: Identity,
    grant: KeyGrant,
    until: Timestamp,
) -> Result<Arc<ApiKeyRecord>> {
    let id = identity.key_id(&grant);
    let kept = match state.key_cache.find(&id) {
        Some(kept) => Some(kept),
        None => state.read(move |state| state.find_key_record(&id)).await?,
    };
    if let Some(kept) = kept {
        check_kept(&kept, &grant)?;
        let lasts = kept.expires.is_some_and(|end| until < end);
        if lasts && kept.is_valid_at(Timestamp::now()) {
            return Ok(kept);
        }
    }
    state
        .write(move |state| add_record(state, &identity, &grant))
        .await
}

/// Checks that a record is one of this identity, and that nobody revoked it.
fn check_kept(kept: &ApiKeyRecord, grant: &KeyGrant) -> Result<()> {
    if kept.kind != KeyKind::Identity || kept.grant != *grant {
        return Err(ApiError::internal(&"a key has the id of an identity"));
    }
    match kept.revoked {
        Some(_) => Err(ApiError::forbidden(
            "an owner has revoked what you were given here",
        )),
        None => Ok(()),
    }
}

fn add_record(
    state: &AppState,
    identity: &Identity,
    grant: &KeyGrant,
) -> Result<Arc<ApiKeyRecord>> {
    let now = now_in_millis();
    let end = now + SignedDuration::from_hours(24 * KEPT_DAYS);
    let record = identity.make_record(grant, draw_entropy()?, now, end);
    let tenant = grant.tenant().ok_or_else(ApiError::unauthorized)?;
    let change = KeyChange::AddKey(Box::new(record.clone()));
    let reach = KeyReach::Tenant(tenant.clone());
    match key_changes::order_as_server(state, reach, change) {
        Ok(_) => Ok(Arc::new(record)),
        Err(KeyChangeError::Store(error)) => Err(error.into()),
        Err(KeyChangeError::Refused(why)) => Err(ApiError::forbidden(why.to_string())),
    }
}

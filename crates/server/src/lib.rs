//! The HTTP server: one memory for many agents.
//!
//! A door like the commands and hooks: it finds out who asks (an API key), makes a principal of it, takes a desk, calls
//! one verb, and turns the answer into JSON. [`Server::run`] serves the API on one listener and health and metrics on
//! another. The engine is synchronous; [`workers`] hands its work to threads and bounds how much waits for them.
//!
//! Nothing here decides about lessons, or opens a database: the caller brings an engine and the keys. TLS is a proxy's
//! task.

pub mod api_key;
mod auth;
mod body;
mod config;
mod connections;
mod door;
mod error;
mod former_words;
mod housekeeping;
mod key_cache;
mod key_changes;
pub mod key_json;
pub mod key_store;
mod listener;
mod log;
mod mcp;
mod metrics;
mod ops;
mod quiet_runs;
mod recalled_tenants;
mod replica_cache;
mod requests_under_way;
mod sent_file;
mod rate_limits;
mod login_links;
mod page;
mod session_folders;
mod state;
mod group_model;
mod v1;
mod workers;

pub use api_key::{
    ApiKey, ApiKeyRecord, AuditAction, KeyChangeRefusal, KeyGrant, KeyId, KeyKind, KeyLimits,
    KeyLogEntry, KeyLogReport, KeyOrder, KeyReach, OlderSecret, Revocation, Role, TenantRecord,
};
pub(crate) use api_key::{AskedScope, Capability, KeyRefusal, SecretHash};
pub(crate) use auth::Caller;
pub(crate) use connections::{Connection, Connections};
pub(crate) use error::{ApiError, Result};
pub(crate) use former_words::FormerWords;
pub use key_json::{
    admin::{
        AuditPageReply, AuditVerificationDto, ErasureReceiptDto, KeyPageReply, NewKeyBody,
        NewTenantBody, RevokedKeysReply, RotationBody, TenantPageReply,
    },
    key::{ApiKeyDto, NewKeyDto},
};
pub use key_store::{KeyChangeError, KeyStore};
pub(crate) use state::{AppState, SharedState};
pub(crate) use workers::WorkKind;

pub use config::{FindPause, PauseNote, ServerConfig};
pub use connections::ServerUsage;
pub use group_model::GroupModel;
pub use listener::Server;
pub use login_links::LoginLinks;
pub use session_folders::SessionFolders;
pub use state::ServerParts;
pub use v1::{VerbForm, list_verb_forms};

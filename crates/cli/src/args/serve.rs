//! Arguments of `hardwon serve`.

use std::net::SocketAddr;

use clap::Args;

use super::StoreArgs;

/// Serve lessons to many agents over HTTP.
///
/// The database is the one that commands and hooks use, or one in PostgreSQL that several servers share. Every
/// request needs a key: `hardwon key` makes them, and where there is none yet, the first one is printed.
/// docs/server.md says more.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where the lessons and the keys are.
    #[command(flatten)]
    pub store: StoreArgs,
    /// Where the API listens. Beyond this machine only if there is a key.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7433")]
    pub listen: SocketAddr,
    /// Where `/healthz`, `/readyz` and `/metrics` listen; they ask for no key.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7434")]
    pub ops_listen: SocketAddr,
}

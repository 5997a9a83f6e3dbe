//! Arguments of `hardwon serve`.

use std::net::SocketAddr;

use clap::Args;

/// What `serve` takes.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where the API listens. Beyond this machine only if there is a key.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7433")]
    pub listen: SocketAddr,
    /// Where `/healthz`, `/readyz` and `/metrics` listen; they ask for no key.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7434")]
    pub ops_listen: SocketAddr,
}

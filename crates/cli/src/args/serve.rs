//! Arguments of `hardwon serve`.

use std::{net::SocketAddr, num::NonZeroUsize};

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
    /// The names under which MCP clients reach it, such as `lessons.example.com` [default: those of this machine].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub hosts: Vec<String>,
    /// The origins of web pages that may call its MCP tools, such as `https://example.com:443` [default: none].
    #[arg(long, value_name = "ORIGINS", value_delimiter = ',')]
    pub origins: Vec<String>,
    /// How many requests a second a key may send on average; 0 for no limit.
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    pub requests_per_second: u32,
    /// How many requests a key may send at once after a pause; 0 for no limit.
    #[arg(long, value_name = "NUMBER", default_value_t = 400)]
    pub requests_at_once: u32,
    /// Most connections, a quarter of them for clients without a key; one more takes the place of one that the server waits for.
    #[arg(long, value_name = "NUMBER", default_value = "1024")]
    pub max_connections: NonZeroUsize,
}

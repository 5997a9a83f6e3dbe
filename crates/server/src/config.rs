//! The server's settings, with defaults that are safe on any machine.
//!
//! Where they come from is the caller's business; nothing is read here.

use std::{
    net::{Ipv4Addr, SocketAddr},
    num::{NonZeroU32, NonZeroUsize},
    time::Duration,
};

use hardwon_clients::archive::SessionsFound;
use hardwon_core::{AgentId, ProjectId};
use hardwon_engine::SweepPolicy;
use hardwon_mcp::http::HttpOptions;
use jiff::Timestamp;

/// That hooks keep still for a while.
#[derive(Debug, Clone, Copy)]
pub struct PauseNote {
    /// Whether they do in every project.
    pub is_everywhere: bool,
    /// When that ends by itself; `None` if never.
    pub until: Option<Timestamp>,
}

/// Finds the pause that holds in a project, or with `None` everywhere.
pub type FindPause = fn(Option<&ProjectId>) -> Option<PauseNote>;

/// How a server listens and what it lets wait.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Where the API listens.
    pub listen: SocketAddr,
    /// Where health and metrics listen, without a key.
    pub ops_listen: SocketAddr,
    /// The agent of requests that name none, with a key that is not limited to one.
    pub default_agent: AgentId,
    /// The names under which clients of MCP reach the server; without any, those of this machine.
    pub hosts: Vec<String>,
    /// The origins of pages in a browser that may call the tools of MCP; without any, none may.
    pub origins: Vec<String>,
    /// How many look-ups run at once.
    pub readers: NonZeroUsize,
    /// How many changes run at once. More than one only where the store has a lock for each tenant.
    pub writers: NonZeroUsize,
    /// How many requests may wait for either before the next is turned away with 503.
    pub waiting: usize,
    /// How many requests a second a key may send on average before they are turned away with 429; `None` for any number.
    pub requests_per_second: Option<NonZeroU32>,
    /// How many requests a key that was idle may send at once.
    pub requests_at_once: NonZeroU32,
    /// How long a request may take, from its head to the last byte of its answer.
    pub request_timeout: Duration,
    /// The same of a request that sends a whole transcript.
    pub upload_timeout: Duration,
    /// After how long without a report a run counts as over.
    pub quiet_after: Duration,
    /// How long a client that has shown no key may take to send the head of a request, or to take its answer.
    pub header_timeout: Duration,
    /// How long one that has may be silent before the head of its next request is there.
    pub idle_timeout: Duration,
    /// Most connections; a quarter of them may be without a key. One more takes the place of the one of its kind that the
    /// server has waited for the longest.
    pub max_connections: NonZeroUsize,
    /// Where agents of this machine keep their sessions: the page tells which steps in them taught a lesson.
    pub transcripts: Vec<SessionsFound>,
    /// Finds a pause on this machine, for the page to tell.
    pub find_pause: Option<FindPause>,
    /// What sweeps go by.
    pub sweeps: SweepPolicy,
    /// After a signal to stop: how long `/readyz` answers 503 before the listener closes.
    pub stop_notice: Duration,
    /// After that: how long requests under way may take.
    pub drain_timeout: Duration,
}

impl ServerConfig {
    pub(crate) fn mcp_options(&self) -> HttpOptions {
        HttpOptions {
            hosts: self.hosts.clone(),
            origins: self.origins.clone(),
            ..HttpOptions::default()
        }
    }
}

impl Default for ServerConfig {
    fn default() -> Self {
        let count = |it: usize| NonZeroUsize::new(it).expect("it is not zero");
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7433)),
            ops_listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7434)),
            default_agent: AgentId::parse("index").expect("a word is a name"),
            hosts: Vec::new(),
            origins: Vec::new(),
            readers: count(8),
            writers: count(1),
            waiting: 1024,
            requests_per_second: NonZeroU32::new(200),
            requests_at_once: NonZeroU32::new(400).expect("it is not zero"),
            request_timeout: Duration::from_secs(10),
            upload_timeout: Duration::from_secs(120),
            quiet_after: Duration::from_secs(30 * 60),
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            max_connections: count(1024),
            transcripts: Vec::new(),
            find_pause: None,
            sweeps: SweepPolicy::default(),
            stop_notice: Duration::from_secs(5),
            drain_timeout: Duration::from_secs(25),
        }
    }
}

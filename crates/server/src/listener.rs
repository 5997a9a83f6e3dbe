//! Listens, and stops in order.
//!
//! On a signal `/readyz` says no for a while, so that a balancer sends nobody here; then the listener closes, requests
//! under way end, and the process may go. A client that is slow to send its request is cut off.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    num::NonZeroUsize,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
    service::TowerToHyperService,
};
use prometheus_client::metrics::counter::Counter;
use tokio::{
    net::TcpStream,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use tower::Layer as _;

use crate::{
    AppState, Connection, Connections, LoginLinks, ServerConfig, ServerParts, ServerUsage,
    SharedState, housekeeping, log::log_line, ops, v1,
};

/// Most connections to health and metrics, of which nobody has a key.
const OPS_CONNECTIONS: NonZeroUsize = NonZeroUsize::new(256).expect("it is not zero");
/// Most bytes of a request's head, and of a connection's buffers.
const HEAD_BYTES: usize = 16 * 1024;

/// A server whose listeners are open.
pub struct Server {
    state: SharedState,
    api: TcpListener,
    ops: TcpListener,
}

impl Server {
    /// Opens both listeners.
    ///
    /// # Errors
    ///
    /// If an address cannot be listened on, such as one that is in use.
    pub fn bind(config: ServerConfig, parts: ServerParts) -> io::Result<Self> {
        let (api, ops) = (
            open_listener(config.listen)?,
            open_listener(config.ops_listen)?,
        );
        Ok(Self {
            state: Arc::new(AppState::new(parts, config)),
            api,
            ops,
        })
    }

    /// Returns where the API listens: the address with the port that was free, if 0 was asked for.
    ///
    /// # Errors
    ///
    /// If the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.api.local_addr()
    }

    /// Returns where health and metrics listen.
    ///
    /// # Errors
    ///
    /// If the system does not say.
    pub fn ops_address(&self) -> io::Result<SocketAddr> {
        self.ops.local_addr()
    }

    /// Returns what makes links that open the page once, without a key to paste.
    pub fn login_links(&self) -> LoginLinks {
        self.state.login_links.clone()
    }

    /// Returns what tells whether anybody uses the server.
    pub fn usage(&self) -> ServerUsage {
        ServerUsage(self.state.connections.clone())
    }

    /// Serves until `stop` is done and requests under way have ended.
    ///
    /// # Errors
    ///
    /// If a listener fails.
    pub async fn run(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let (api, ops) = self.make_receptions();
        let closing = CancellationToken::new();
        let api_task = api.spawn(self.api, &closing)?;
        let ops_task = ops.spawn(self.ops, &closing)?;
        notify_manager(true);
        let housekeeping = tokio::spawn(housekeeping::repeat(Arc::clone(&self.state)));
        stop.await;
        log_line("stopping");
        notify_manager(false);
        self.state.is_stopping.store(true, Ordering::Relaxed);
        sleep(self.state.config.stop_notice).await;
        closing.cancel();
        let under_way = api_task.await?;
        self.state.mcp.shutdown.cancel();
        end_in_order(
            &self.state.connections,
            under_way,
            self.state.config.drain_timeout,
        )
        .await;
        drop(ops_task.await?);
        housekeeping.abort();
        housekeeping::finish(&self.state).await;
        Ok(())
    }

    /// Says what connections of the API meet, and those of health and metrics.
    fn make_receptions(&self) -> (Reception, Reception) {
        let api = Reception {
            connections: self.state.connections.clone(),
            router: v1::routes(&self.state),
            http: speak_http(&self.state.config),
        };
        let patience = self.state.config.header_timeout;
        let ops = Reception {
            connections: Connections::new(OPS_CONNECTIONS, patience, Counter::default()),
            router: ops::routes(Arc::clone(&self.state)),
            http: speak_http(&self.state.config),
        };
        (api, ops)
    }
}

/// Says how HTTP/1 is spoken: how long a connection may wait for the end of its next head, and how long that may be.
fn speak_http(config: &ServerConfig) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(config.idle_timeout)
        .max_buf_size(HEAD_BYTES);
    http
}

/// Waits until requests under way have ended, or have had their time.
async fn end_in_order(connections: &Connections, under_way: GracefulShutdown, time: Duration) {
    let mut end = pin!(timeout(time, under_way.shutdown()));
    while timeout(Duration::from_millis(20), &mut end).await.is_err() {
        connections.end_silent();
    }
    connections.end_all();
}

/// What connections of a listener meet: a place among the others, and the routes.
#[derive(Clone)]
struct Reception {
    connections: Connections,
    router: Router,
    http: http1::Builder,
}

impl Reception {
    /// Begins to accept connections, until the token is cancelled.
    fn spawn(
        self,
        listener: TcpListener,
        closing: &CancellationToken,
    ) -> io::Result<JoinHandle<GracefulShutdown>> {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let closing_end = closing.clone().cancelled_owned();
        Ok(tokio::spawn(self.accept_until(listener, closing_end)))
    }

    /// Serves whoever connects, and returns what has the connections end. What fails with one ends nothing.
    async fn accept_until(
        self,
        listener: tokio::net::TcpListener,
        closed: impl Future<Output = ()>,
    ) -> GracefulShutdown {
        let under_way = GracefulShutdown::new();
        let mut closed = pin!(closed);
        loop {
            let connection = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut closed => return under_way,
            };
            match connection {
                Ok((stream, _)) => self.clone().hold(stream, under_way.watcher()),
                // Such as for lack of files, which the end of another connection gives back.
                Err(_) => sleep(Duration::from_millis(20)).await,
            }
        }
    }

    /// Serves a connection for as long as it has its place.
    fn hold(self, stream: TcpStream, watcher: Watcher) {
        let (connection, ended) = self.connections.open();
        let serving = self.serve(stream, connection.clone(), watcher);
        tokio::spawn(async move {
            tokio::select! {
                _ = ended => {}
                () = connection.wait_until_late() => {}
                _ = serving => {}
            }
            connection.close();
        });
    }

    async fn serve(
        self,
        stream: TcpStream,
        connection: Connection,
        watcher: Watcher,
    ) -> io::Result<()> {
        let service = TowerToHyperService::new(Extension(connection).layer(self.router));
        let service_end = self.http.serve_connection(TokioIo::new(stream), service);
        watcher.watch(service_end).await.map_err(io::Error::other)
    }
}

/// Tells systemd whether the server listens, or will listen no more; where there is none, nothing is told.
#[cfg(target_os = "linux")]
fn notify_manager(is_ready: bool) {
    let state = if is_ready {
        sd_notify::NotifyState::Ready
    } else {
        sd_notify::NotifyState::Stopping
    };
    if let Err(error) = sd_notify::notify(&[state]) {
        log_line(&format!("telling the service manager failed: {error}"));
    }
}

#[cfg(not(target_os = "linux"))]
fn notify_manager(_: bool) {}

fn open_listener(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address).map_err(|error| {
        io::Error::new(error.kind(), format!("listening on {address}: {error}"))
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

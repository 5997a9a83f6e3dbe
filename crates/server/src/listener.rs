//! Listens, and stops in order.
//!
//! On a signal `/readyz` says no for a while, so that a balancer sends nobody here; then the listener closes, requests
//! under way end, and the process may go. A client that is slow to send its request is cut off.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    num::NonZeroUsize,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::http::{HeaderName, HeaderValue};
use axum_server::Handle;
use tokio::time::sleep;
use tower_http::set_header::SetRequestHeaderLayer;

use crate::{
    LoginLinks, ServerConfig, ServerParts, ServerUsage,
    admission::Admission,
    connections::Connections,
    housekeeping,
    log::log_line,
    nightly, ops,
    state::{AppState, SharedState},
    tls::{self, Certificate},
    v1,
};

/// Most connections to health and metrics.
const OPS_CONNECTIONS: NonZeroUsize = NonZeroUsize::new(64).expect("it is not zero");

/// A server whose listeners are open.
pub struct Server {
    config: ServerConfig,
    state: SharedState,
    api: TcpListener,
    ops: TcpListener,
    /// That of the API, if it speaks HTTPS.
    certificate: Option<Certificate>,
}

impl Server {
    /// Opens both listeners.
    ///
    /// # Errors
    ///
    /// If an address cannot be listened on, such as one that is in use, or the certificate cannot be read.
    pub fn bind(config: ServerConfig, parts: ServerParts) -> io::Result<Self> {
        let certificate = config.tls.clone().map(Certificate::load).transpose()?;
        let (api, ops) = (
            open_listener(config.listen)?,
            open_listener(config.ops_listen)?,
        );
        Ok(Self {
            state: Arc::new(AppState::new(parts, &config)),
            config,
            api,
            ops,
            certificate,
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

    /// Returns whether the API speaks HTTPS.
    pub fn has_tls(&self) -> bool {
        self.certificate.is_some()
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
        let (api, ops) = (Handle::new(), Handle::new());
        let mut routes = v1::routes(&self.state);
        if self.certificate.is_some() {
            routes = routes.layer(say_https());
        }
        let admission = Admission {
            connections: self.state.connections.clone(),
            certificate: self.certificate.clone(),
        };
        let api_server = serve_router(self.api, routes, &api, admission, Arc::clone(&self.state))?;
        let certificate = self.certificate.map(|it| tokio::spawn(tls::watch(it)));
        let ops_server = serve_router(
            self.ops,
            ops::routes(Arc::clone(&self.state)),
            &ops,
            Admission {
                connections: Connections::new(OPS_CONNECTIONS, self.config.patience()),
                certificate: None,
            },
            Arc::clone(&self.state),
        )?;
        notify_manager(ServingStage::Ready);
        let housekeeping = tokio::spawn(housekeeping::repeat(Arc::clone(&self.state)));
        let night = self.config.sweeps.night;
        let nights = night.map(|it| tokio::spawn(nightly::repeat(Arc::clone(&self.state), it)));
        let stopping = async {
            stop.await;
            stop_in_order(&self.state, &self.config, &api).await;
            ops.shutdown();
        };
        let (api_end, ops_end, ()) = tokio::join!(api_server, ops_server, stopping);
        housekeeping.abort();
        for task in [nights, certificate].into_iter().flatten() {
            task.abort();
        }
        housekeeping::finish(&self.state).await;
        api_end.and(ops_end)
    }
}

async fn stop_in_order(state: &SharedState, config: &ServerConfig, api: &Handle<SocketAddr>) {
    log_line("stopping");
    notify_manager(ServingStage::Stopping);
    state.is_stopping.store(true, Ordering::Relaxed);
    sleep(config.stop_notice).await;
    api.graceful_shutdown(Some(config.drain_timeout));
    state.mcp.shutdown.cancel();
    while api.connection_count() > 0 {
        state.connections.end_silent();
        sleep(Duration::from_millis(20)).await;
    }
}

/// How far the server is.
#[derive(Clone, Copy)]
enum ServingStage {
    /// It listens.
    Ready,
    /// It will listen no more.
    Stopping,
}

/// Tells systemd how far the server is; where there is none, nothing is told.
#[cfg(target_os = "linux")]
fn notify_manager(stage: ServingStage) {
    let what = match stage {
        ServingStage::Ready => sd_notify::NotifyState::Ready,
        ServingStage::Stopping => sd_notify::NotifyState::Stopping,
    };
    if let Err(error) = sd_notify::notify(&[what]) {
        log_line(&format!("telling the service manager failed: {error}"));
    }
}

#[cfg(not(target_os = "linux"))]
fn notify_manager(_: ServingStage) {}

fn open_listener(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address).map_err(|error| {
        io::Error::new(error.kind(), format!("listening on {address}: {error}"))
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Has requests say that TLS is ended here, as a proxy does that ends it in front of a server.
fn say_https() -> SetRequestHeaderLayer<HeaderValue> {
    let name = HeaderName::from_static("x-forwarded-proto");
    SetRequestHeaderLayer::overriding(name, HeaderValue::from_static("https"))
}

/// Serves HTTP/1. What fails with one connection, or for lack of files, is counted and ends nothing.
fn serve_router(
    listener: TcpListener,
    router: axum::Router,
    handle: &Handle<SocketAddr>,
    admission: Admission,
    state: SharedState,
) -> io::Result<impl Future<Output = io::Result<()>>> {
    let server = axum_server::from_tcp(listener)?
        .handle(handle.clone())
        .http1_only()
        .accept_error_handler(move |_, _| state.metrics.count_turned_away())
        .acceptor(admission);
    Ok(server.serve(router.into_make_service()))
}

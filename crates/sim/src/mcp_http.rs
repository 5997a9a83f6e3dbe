//! `mcp-http`: the service of a server's MCP tools with the calls of `hardwon mcp`, for the protocol's conformance suite.
//!
//! The suite speaks HTTP only, and brings no key. This mounts the very service that a server mounts, on this machine
//! only, and for no page of a browser that is not of this machine. It is no product: there are no keys and no limits
//! on callers.

use std::{
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use hardwon_cli::{SettingsDoor, args::GlobalArgs, mcp::SettingsCall};
use hardwon_core::ClientName;
use hardwon_mcp::{
    McpDoor as _, McpError,
    http::{HttpOptions, LessonHttpService, build_service},
};
use hyper::{body::Incoming, http::request::Parts, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::Builder,
};

/// The origins of browser pages that are served.
const ORIGINS: [&str; 2] = ["http://localhost:*", "http://127.0.0.1:*"];

/// What is served where.
#[derive(Debug, clap::Args)]
pub(crate) struct McpHttpArgs {
    /// The database file.
    #[arg(long)]
    db: PathBuf,
    /// The port on this machine; 0 takes a free one. It is printed once the server listens.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

/// Serves until the process is ended.
pub(crate) fn run(args: &McpHttpArgs) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(args))
}

#[expect(clippy::print_stdout, reason = "the address is this command's output")]
async fn serve(args: &McpHttpArgs) -> anyhow::Result<()> {
    let door = SettingsDoor::new(GlobalArgs {
        db: Some(args.db.clone()),
        everywhere: true,
        ..GlobalArgs::default()
    });
    let options = HttpOptions {
        origins: ORIGINS.map(str::to_owned).to_vec(),
        ..HttpOptions::default()
    };
    let service = build_service(move |_, client| door.open_call(None, client), options);
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, args.port))).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve_connection(stream, service.clone()));
    }
}

/// Answers one connection; errors of the connection are ignored.
async fn serve_connection<F>(stream: TcpStream, service: LessonHttpService<F>)
where
    F: Fn(&Parts, Option<ClientName>) -> Result<SettingsCall, McpError> + Send + Sync + 'static,
{
    let answer = |request: hyper::Request<Incoming>| {
        let service = service.clone();
        async move { Ok::<_, Infallible>(service.handle(request).await) }
    };
    let connection =
        http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer));
    drop(connection.await);
}

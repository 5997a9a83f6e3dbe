//! `mcp-http`: the handler of `hardwon mcp` behind HTTP, for the protocol's conformance suite.
//!
//! The suite speaks HTTP only. This serves the very type that the command serves over stdin, without sessions, on this
//! machine only, and to no page of a browser that is not of this machine. It is no product: there are no keys and no
//! limits on callers.

use std::{
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
};

use hardwon_cli::{args::GlobalArgs, mcp::LessonServer};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::never::NeverSessionManager,
};
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::Builder,
};

/// The origins of browser pages that are served.
const ORIGINS: [&str; 2] = ["http://localhost:*", "http://127.0.0.1:*"];

type McpHttpService = StreamableHttpService<LessonServer, NeverSessionManager>;

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
    let service = build_service(&args.db);
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, args.port))).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve_connection(stream, service.clone()));
    }
}

fn build_service(db: &std::path::Path) -> McpHttpService {
    let global = GlobalArgs {
        db: Some(db.to_owned()),
        everywhere: true,
        ..GlobalArgs::default()
    };
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_origins(ORIGINS)
        .enforce_origin_validation();
    StreamableHttpService::new(
        move || Ok(LessonServer::new(global.clone())),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}

/// Answers one connection; errors of the connection are ignored.
async fn serve_connection(stream: TcpStream, service: McpHttpService) {
    let answer = |request: hyper::Request<Incoming>| {
        let service = service.clone();
        async move { Ok::<_, Infallible>(service.handle(request).await) }
    };
    let connection =
        http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer));
    drop(connection.await);
}

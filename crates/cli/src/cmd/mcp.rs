//! `hardwon mcp`: lessons for an agent that asks, over stdin and stdout.
//!
//! The only command with a loop that waits for several things at once, so the machinery for it is
//! made here and nowhere else.

use std::io::{self, IsTerminal as _};

use hardwon_core::limits;
use hardwon_mcp::LessonServer;
use rmcp::{
    ServiceExt as _,
    service::ServerInitializeError,
    transport::{async_rw::AsyncRwTransport, stdio_pipes},
};
use tokio::runtime::Builder;

use crate::{CliError, GlobalArgs, Result, SettingsDoor, mcp::FirstRequestTransport, output};

/// Calls that are worked on at the same time. Where stdin and stdout are no pipes, each takes one.
const MAX_CONCURRENT_CALLS: usize = 8;

pub(super) fn run(global: &GlobalArgs) -> Result<()> {
    if io::stdin().is_terminal() {
        output::print_note(
            "waiting for a client's messages on stdin; docs/mcp.md says how to register this server",
        );
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_CONCURRENT_CALLS)
        .build()?;
    runtime.block_on(serve(SettingsDoor::new(global.clone())))
}

async fn serve(door: SettingsDoor) -> Result<()> {
    let server = LessonServer::new(door);
    let (reader, writer) = stdio_pipes();
    let transport =
        AsyncRwTransport::new_server(reader, writer).with_max_line_length(limits::RECORD_BYTES);
    let running = match server.serve(FirstRequestTransport::new(transport)).await {
        // The client left before it asked for anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        running => running.map_err(CliError::internal)?,
    };
    let result = running.waiting().await;
    result.map_err(CliError::internal)?;
    Ok(())
}

//! `hardwon mcp`: lessons for an agent that asks, over stdin and stdout.
//!
//! The only command with a loop that waits for several things at once, so the machinery for it is
//! made here and nowhere else.

use std::{
    io::{self, IsTerminal as _},
    process::ExitCode,
};

use hardwon_core::limits;
use rmcp::{
    ServiceExt as _,
    service::ServerInitializeError,
    transport::{async_rw::AsyncRwTransport, stdio_pipes},
};
use tokio::runtime::Builder;

use crate::{
    args::Global,
    error::Failure,
    mcp::{Lessons, Patient},
    output,
};

/// Calls that are worked on at the same time. Where stdin and stdout are no pipes, each takes one.
const THREADS: usize = 8;

pub(super) fn run(global: &Global) -> Result<ExitCode, Failure> {
    if io::stdin().is_terminal() {
        output::note(
            "waiting for a client's messages on stdin; docs/mcp.md says how to register this server",
        );
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()?;
    runtime.block_on(serve(Lessons::new(global.clone())))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(lessons: Lessons) -> Result<(), Failure> {
    let (reader, writer) = stdio_pipes();
    let transport =
        AsyncRwTransport::new_server(reader, writer).with_max_line_length(limits::RECORD_BYTES);
    let running = match lessons.serve(Patient::new(transport)).await {
        // The client left before it asked for anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        running => running.map_err(|error| Failure::fault(error.to_string()))?,
    };
    let ended = running.waiting().await;
    ended.map_err(|error| Failure::fault(error.to_string()))?;
    Ok(())
}

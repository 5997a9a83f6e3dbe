//! What a payload does not tell but the transcript beside it does.
//!
//! Two clients need it. Codex's `PostToolUse` does not say whether a command failed, while the end of
//! its rollout, already written, does. Copilot CLI's `agentStop` does not say what the agent said
//! last; its events do. Every trouble with the file leaves what was parsed as it is.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use hardwon_core::limits;
use hardwon_engine::{attend::Happened, transcript::live};

use crate::hook::{
    Incoming,
    client::{Client, Shows},
};

/// Looks up how the calls in it ended and what was said last, for a client whose payloads do not
/// tell.
///
/// Reads at most [`limits::TAIL_BYTES`] of the transcript, and only when there is something to ask
/// about.
pub fn complete(client: Client, incoming: &mut Incoming) {
    let asks = match client {
        Client::CopilotCli => |it: &Happened| matches!(it, Happened::Stopped { said: None, .. }),
        _ if client.row().failure == Shows::Transcript => |it: &Happened| call_of(it).is_some(),
        _ => return,
    };
    if incoming.happened.iter().any(asks)
        && let Some(transcript) = &incoming.transcript
        && let Ok(tail) = tail(transcript)
    {
        let happened = incoming.happened.drain(..);
        incoming.happened = happened.filter_map(|it| settled(it, &tail)).collect();
    }
}

fn call_of(happened: &Happened) -> Option<&str> {
    match happened {
        Happened::Called { call, .. } => call.as_deref(),
        _ => None,
    }
}

/// Returns the event with what the transcript knows about it; none for a call that never ran.
fn settled(happened: Happened, tail: &[u8]) -> Option<Happened> {
    let (call, mut what) = match happened {
        Happened::Called {
            call: Some(call),
            what,
        } => (call, what),
        Happened::Stopped {
            said: None,
            is_asked,
        } => {
            let said = live::copilot_said(tail);
            return Some(Happened::Stopped { said, is_asked });
        }
        other => return Some(other),
    };
    if let Some(ended) = live::codex_ended(tail, &call) {
        what.status = ended.status(what.tool.expose(), what.args.expose())?;
    }
    Some(Happened::Called {
        call: Some(call),
        what,
    })
}

fn tail(path: &Path) -> io::Result<Vec<u8>> {
    const LONGEST: u64 = limits::TAIL_BYTES as u64;
    // Opening a pipe would wait for somebody to write to it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(LONGEST);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.take(LONGEST).read_to_end(&mut tail)?;
    Ok(tail)
}

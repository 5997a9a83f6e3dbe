//! What a payload does not tell but the transcript beside it does.
//!
//! Two clients need it. Codex's `PostToolUse` does not say whether a command failed, while the end of
//! its rollout, already written, does. Copilot CLI's `agentStop` does not say what the agent said
//! last; its events do, a moment after the hook was started. Every trouble with the file leaves what was parsed as it is.

use std::{
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use hardwon_clients::transcript::live;
use hardwon_core::{limits, text::RawText};
use hardwon_engine::{attend::Happened, regular};

use crate::hook::{
    Incoming,
    client::{Client, Shows},
};

/// Longest time for which Copilot CLI's events are waited for; they take a tenth of a second.
const PATIENCE: Duration = Duration::from_millis(600);
/// How often they are looked at meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

/// Looks up how the calls in it ended and what was said last, for a client whose payloads do not
/// tell.
///
/// Reads at most [`limits::TAIL_BYTES`] of the transcript, and only when there is something to ask
/// about.
pub fn complete(client: Client, incoming: &mut Incoming) {
    let Some(transcript) = &incoming.transcript else {
        return;
    };
    let found = match client {
        Client::CopilotCli => {
            let asks = incoming.happened.iter().find_map(stopped_unheard);
            asks.map(|is_asked| tail_up_to_stop_hook(transcript, is_asked))
        }
        _ if client.row().failure == Shows::Transcript => {
            let mut calls = incoming.happened.iter().filter_map(call_of);
            calls.next().map(|_| tail(transcript))
        }
        _ => None,
    };
    if let Some(Ok(tail)) = found {
        let happened = incoming.happened.drain(..);
        incoming.happened = happened.filter_map(|it| settled(it, &tail)).collect();
    }
}

/// Returns whether an agent stopped because it was asked to go on; none where it did not stop, or its last
/// words are there.
fn stopped_unheard(happened: &Happened) -> Option<bool> {
    match happened {
        Happened::Stopped {
            said: None,
            is_asked,
        } => Some(*is_asked),
        _ => None,
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
    let (call, mut what, mut printed) = match happened {
        Happened::Called {
            call: Some(call),
            what,
            printed,
        } => (call, what, printed),
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
        printed = ended.printed().map(RawText::from);
        let words = |_| Happened::words_of(printed.as_ref());
        what.outside = what.outside.map(words);
        what.status = ended.status(what.tool.expose(), what.args.expose())?;
    }
    Some(Happened::Called {
        call: Some(call),
        what,
        printed,
    })
}

/// Returns the end of Copilot CLI's events once they tell of the hook that runs now.
fn tail_up_to_stop_hook(path: &Path, is_asked: bool) -> io::Result<Vec<u8>> {
    let began = Instant::now();
    loop {
        let tail = tail(path)?;
        let has_reached = live::copilot_has_reached_stop_hook(&tail, is_asked);
        if has_reached || began.elapsed() > PATIENCE {
            return Ok(tail);
        }
        thread::sleep(PAUSE);
    }
}

fn tail(path: &Path) -> io::Result<Vec<u8>> {
    const LONGEST: u64 = limits::TAIL_BYTES as u64;
    let mut file = regular::open(path)?;
    let start = file.metadata()?.len().saturating_sub(LONGEST);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.take(LONGEST).read_to_end(&mut tail)?;
    Ok(tail)
}

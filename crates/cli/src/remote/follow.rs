//! The process in the background that keeps a replica up and sends what is spooled, and how a hook starts it.
//!
//! There is one for each scope at most. It asks the server for changes and waits for the answer, so that what an agent
//! elsewhere learned is here in a moment. Some minutes after the last hook it ends; what then is still to be sent waits
//! for the next hook. While the server does not answer, it asks less and less often.

use std::{
    convert::Infallible,
    io,
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime},
};

use hardwon_adapters::ServerTrouble;

use super::{
    place::RemotePlace,
    pull::{self, PullOutcome},
    send,
};
use crate::background;

/// How long the server holds an answer back while nothing changes.
const WAIT: Duration = Duration::from_secs(25);
/// Time between two looks into the spool.
const LOOK: Duration = Duration::from_millis(100);
/// Time in which changes are gathered before they are asked for.
const GATHER: Duration = Duration::from_millis(200);
/// An answer without a change that comes sooner than this was not held back.
const HASTE: Duration = Duration::from_secs(1);
/// How long the process goes on after the last hook.
const IDLE: Duration = Duration::from_secs(10 * 60);
/// Time between two looks at whether somebody still needs it.
const CHECK: Duration = Duration::from_secs(5);
/// First and longest time to wait after something failed.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(60));

/// How much lower than the agent's the priority of this process is.
const NICE_INCREMENT: i32 = 5;

/// Notes that a hook ran, and starts the process in the background unless there is one.
pub fn keep_following(place: &RemotePlace) -> io::Result<()> {
    place.touch()?;
    if place.lock_following()?.is_none() {
        return Ok(());
    }
    let folder = place.folder.as_os_str().to_owned();
    background::start(&["hook".into(), "--follow".into(), folder])
}

/// Fetches a first copy of the lessons if there is none and none was tried, for at most `limit`.
pub fn pull_first_copy(place: &RemotePlace, limit: Duration) {
    if place.replica.exists() || !place.mark_first_try() {
        return;
    }
    let Ok(client) = place.connect() else {
        return;
    };
    if let Err(trouble) = pull::pull(place, &client, Duration::ZERO, Some(limit)) {
        place.note_trouble(&trouble.to_string());
    }
}

/// Goes on until nobody needs it any more. `say` writes into the log.
pub fn run_following(folder: &Path, say: &dyn Fn(&str)) {
    let Ok(place) = RemotePlace::load(folder) else {
        return;
    };
    let Ok(Some(_lock)) = place.lock_following() else {
        return;
    };
    background::lower_priority(NICE_INCREMENT);
    let puller = place.clone();
    // It ends with the process: an answer may take long.
    drop(thread::spawn(move || keep_pulling(&puller)));
    send_while_needed(&place, say);
}

fn keep_pulling(place: &RemotePlace) {
    let mut pause = BackOff::default();
    loop {
        let Err(trouble) = pull_until_trouble(place, &mut pause);
        match trouble {
            ServerTrouble::Denied(_) => pull::delete_replica(place),
            ServerTrouble::KeyRefused(_) => pull::delete_copies_of_key(place),
            _ => {}
        }
        place.note_trouble(&trouble.to_string());
        thread::sleep(pause.next_pause(&trouble));
    }
}

/// Fetches what there is, then waits for each change and fetches that.
fn pull_until_trouble(
    place: &RemotePlace,
    pause: &mut BackOff,
) -> Result<Infallible, ServerTrouble> {
    let client = place.connect();
    let client = client.map_err(|error| ServerTrouble::Unreachable(error.message().to_owned()))?;
    // The first answer is not waited for: there may be much that changed while nobody asked.
    let mut wait = Duration::ZERO;
    loop {
        if !place.is_of_present_key() {
            return Err(ServerTrouble::Unreachable("the key was changed".to_owned()));
        }
        let asked = Instant::now();
        let pulled = pull::pull(place, &client, wait, None)?;
        *pause = BackOff::default();
        thread::sleep(pause_before_next(pulled, wait, asked.elapsed()));
        if pulled != PullOutcome::More {
            wait = WAIT;
        }
    }
}

/// Returns how long to wait before the next question, however the server answers: it must not set the pace.
fn pause_before_next(pulled: PullOutcome, wait: Duration, took: Duration) -> Duration {
    match pulled {
        // What changes in the same moment is fetched together.
        PullOutcome::Updated | PullOutcome::More => GATHER,
        // A server that is about to stop holds no answer back.
        PullOutcome::Unchanged if !wait.is_zero() && took < HASTE => HASTE,
        PullOutcome::Unchanged => Duration::ZERO,
    }
}

fn send_while_needed(place: &RemotePlace, say: &dyn Fn(&str)) {
    let mut pause = BackOff::default();
    let mut retry_at = Instant::now();
    let mut check_at = Instant::now() + CHECK;
    loop {
        if Instant::now() >= retry_at {
            match send_once(place) {
                Ok(true) => continue,
                Ok(false) => pause = BackOff::default(),
                Err(trouble) => {
                    place.note_trouble(&trouble.to_string());
                    retry_at = Instant::now() + pause.next_pause(&trouble);
                }
            }
        }
        if Instant::now() >= check_at {
            drop_surplus(place, say);
            if !is_needed(place) {
                return;
            }
            check_at = Instant::now() + CHECK;
        }
        thread::sleep(LOOK);
    }
}

fn drop_surplus(place: &RemotePlace, say: &dyn Fn(&str)) {
    match place.spool().drop_surplus() {
        Ok(0) => {}
        Ok(1) => say("too much waits to be sent to the server: the oldest thing was dropped"),
        Ok(dropped) => say(&format!(
            "too much waits to be sent to the server: the oldest {dropped} things were dropped"
        )),
        Err(error) => say(&format!("bounding what waits to be sent: {error}")),
    }
}

/// Sends all that waits. Returns whether anything was sent.
fn send_once(place: &RemotePlace) -> Result<bool, ServerTrouble> {
    if place.spool().list().is_ok_and(|it| it.is_empty()) {
        return Ok(false);
    }
    let client = place.connect();
    let client = client.map_err(|error| ServerTrouble::Unreachable(error.message().to_owned()))?;
    let mut has_sent = false;
    while send::send_next(place, &client)? {
        has_sent = true;
    }
    Ok(has_sent)
}

fn is_needed(place: &RemotePlace) -> bool {
    // The next hook starts one with the key of now.
    if !place.is_of_present_key() {
        return false;
    }
    let Some(last) = place.last_hook() else {
        return false;
    };
    SystemTime::now()
        .duration_since(last)
        .is_ok_and(|it| it < IDLE)
}

/// How long to wait after each failure in a row.
#[derive(Debug, Default)]
struct BackOff {
    failures: u32,
}

impl BackOff {
    fn next_pause(&mut self, trouble: &ServerTrouble) -> Duration {
        let (first, longest) = BACK_OFF;
        let pause = first
            .saturating_mul(1 << self.failures.min(10))
            .min(longest);
        self.failures += 1;
        match trouble {
            ServerTrouble::Busy {
                after: Some(after), ..
            } => pause.max(*after),
            ServerTrouble::Denied(_) | ServerTrouble::KeyRefused(_) => longest,
            _ => pause,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_does_not_set_the_pace() {
        let check = |pulled, wait, took, expected| {
            assert_eq!(
                pause_before_next(pulled, wait, took),
                expected,
                "{pulled:?}"
            );
        };
        let soon = Duration::ZERO;
        check(PullOutcome::More, soon, soon, GATHER);
        check(PullOutcome::Updated, WAIT, soon, GATHER);
        check(PullOutcome::Unchanged, WAIT, soon, HASTE);
        check(PullOutcome::Unchanged, WAIT, WAIT, soon);
        check(PullOutcome::Unchanged, soon, soon, soon);
    }
}

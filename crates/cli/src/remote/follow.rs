//! The process in the background that keeps a replica up and sends what is spooled, and how a hook starts it.
//!
//! There is one for each scope at most. It asks the server for the lessons again and again, so that what an agent elsewhere
//! learned is here in some seconds. Some minutes after the last hook it ends; what then is still to be sent waits
//! for the next hook. While the server does not answer, it asks less and less often.

use std::{
    io,
    path::Path,
    sync::mpsc::{self, Receiver, Sender},
    thread,
    time::{Duration, Instant, SystemTime},
};

use hardwon_adapters::ServerTrouble;

use super::{pull, send};
use crate::{RemotePlace, background};

/// Time between two questions for the lessons.
const ASK: Duration = Duration::from_secs(10);
/// Time between two looks into the spool.
const LOOK: Duration = Duration::from_millis(100);
/// Time in which what was sent is gathered before the lessons are asked for.
const GATHER: Duration = Duration::from_millis(500);
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

/// Goes on until nobody needs it any more. `say` writes into the log.
pub fn run_following(folder: &Path, say: &dyn Fn(&str)) {
    let Ok(place) = RemotePlace::load(folder) else {
        return;
    };
    let Ok(Some(_lock)) = place.lock_following() else {
        return;
    };
    background::lower_priority(NICE_INCREMENT);
    let (puller, (wake, woken)) = (place.clone(), mpsc::channel());
    // It ends with the process: an answer may take long.
    drop(thread::spawn(move || keep_pulling(&puller, &woken)));
    send_while_needed(&place, &wake, say);
}

/// Asks for the lessons now and then, and soon after something was sent, from which the server may have learned.
fn keep_pulling(place: &RemotePlace, woken: &Receiver<()>) {
    let mut pause = BackOff::default();
    loop {
        if let Err(trouble) = pull_once(place) {
            delete_refused(place, &trouble);
            place.note_trouble(&trouble.to_string());
            thread::sleep(pause.next_pause(&trouble));
            continue;
        }
        pause = BackOff::default();
        if woken.recv_timeout(ASK).is_ok() {
            thread::sleep(GATHER);
            while woken.try_recv().is_ok() {}
        }
    }
}

/// Deletes what the key may not see any more.
fn delete_refused(place: &RemotePlace, trouble: &ServerTrouble) {
    match trouble {
        ServerTrouble::Denied(_) => pull::delete_replica(place),
        ServerTrouble::KeyRefused(_) => pull::delete_copies_of_key(place),
        _ => {}
    }
}

fn pull_once(place: &RemotePlace) -> Result<(), ServerTrouble> {
    let unreachable = |why: &str| ServerTrouble::Unreachable(why.to_owned());
    if !place.is_of_present_key() {
        return Err(unreachable("the key was changed"));
    }
    let no_client = |error: crate::error::CliError| unreachable(error.message());
    let key = place.read_key().map_err(no_client)?;
    let client = place.connect_with(&key).map_err(no_client)?;
    pull::pull(place, key.id(), &client)
}

fn send_while_needed(place: &RemotePlace, wake: &Sender<()>, say: &dyn Fn(&str)) {
    let mut pause = BackOff::default();
    let mut retry_at = Instant::now();
    let mut check_at = Instant::now() + CHECK;
    loop {
        if Instant::now() >= retry_at {
            match send_once(place) {
                Ok(true) => {
                    wake.send(()).ok();
                    continue;
                }
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
    if place.spool().list().is_ok_and(|list| list.is_empty()) {
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
        .is_ok_and(|age| age < IDLE)
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

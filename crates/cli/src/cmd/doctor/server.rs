//! Looks at the server that keeps the lessons: whether it answers, how old the copy here is, and what waits.

use std::time::{Duration, SystemTime};

use hardwon_core::LessonId;
use hardwon_store::{LessonListing, SqliteStore, Store as _};

use super::DoctorFinding;
use crate::{RemotePlace, Settings, cmd::server_setup, output};

/// Looks at a server, if one keeps the lessons.
pub(super) fn check_server(settings: &Settings) -> Vec<DoctorFinding> {
    let Some(place) = &settings.server else {
        return Vec::new();
    };
    let mut findings = vec![
        check_answer(settings, place),
        check_replica(place),
        check_spool(place),
    ];
    findings.extend(check_key_file(place));
    findings
}

fn check_answer(settings: &Settings, place: &RemotePlace) -> DoctorFinding {
    let url = place.address.as_str();
    let connection = place.connect();
    match connection.and_then(|client| server_setup::ask_server(&client, settings)) {
        Ok(None) => DoctorFinding::passed("server", format!("{url} answers, and lets the key in")),
        // It may reach other projects; of this one every hook is refused, and an agent is not told.
        Ok(Some(error)) | Err(error) => {
            let remedy = error.hint().unwrap_or("see docs/remote.md").to_owned();
            DoctorFinding::failed("server", format!("{url}: {}", error.message()), remedy)
        }
    }
}

fn check_replica(place: &RemotePlace) -> DoctorFinding {
    let lessons = SqliteStore::open_reader(&place.replica).and_then(|store| {
        let listing = LessonListing::default();
        let lessons = store.snapshot()?.lessons(&place.scope.tenant, &listing)?;
        Ok((lessons.len(), store.replica_state(&place.scope)?.refused))
    });
    let Ok((lessons, refused)) = lessons else {
        let detail = "no copy of this project's lessons yet; the first hook has it fetched";
        return DoctorFinding::passed("copy", detail);
    };
    let answered_at = place.last_answer();
    let age = answered_at.and_then(|at| SystemTime::now().duration_since(at).ok());
    let age = age.map(|age| format!("{} old", describe_age(age)));
    let age = age.unwrap_or_else(|| "of unknown age".to_owned());
    let lessons = output::pluralize(lessons as u64, "lesson");
    let mut detail = format!("{lessons} of this project, {age}");
    if !refused.is_empty() {
        detail += &format!("; {}", describe_refused(&refused));
    }
    if let Some(trouble) = place.last_trouble() {
        detail += &format!("; since then: {trouble}");
    }
    DoctorFinding::passed("copy", detail)
}

/// Tells of lessons that are not copied, because the guard here takes them for orders.
fn describe_refused(refused: &[LessonId]) -> String {
    const NAMED: usize = 10;
    let names = refused.iter().take(NAMED).map(ToString::to_string);
    let names = names.collect::<Vec<_>>().join(", ");
    let more = if refused.len() > NAMED { ", …" } else { "" };
    format!("without {names}{more}, which the guard here refuses: see them on the server")
}

fn check_spool(place: &RemotePlace) -> DoctorFinding {
    let spool = place.spool();
    let waiting = spool.list().map_or(0, |list| list.len());
    let aside = spool.list_aside().map_or(0, |list_aside| list_aside.len());
    let mut message = format!("{} to be sent", describe_waiting(waiting));
    let dropped_count = spool.count_dropped() as u64;
    if dropped_count > 0 {
        let dropped_count = output::pluralize(dropped_count, "thing");
        message = format!("{message}; {dropped_count} dropped so far, because too much waited");
    }
    match aside {
        0 => DoctorFinding::passed("to send", message),
        _ => DoctorFinding::failed(
            "to send",
            format!(
                "the server did not take in {}",
                output::pluralize(aside as u64, "thing")
            ),
            format!(
                "see the reasons in {}, and delete them",
                place.folder.join("set-aside").display()
            ),
        ),
    }
}

/// Says how much waits to be sent.
pub(in crate::cmd) fn describe_waiting(count: usize) -> String {
    match count {
        0 => "nothing waits".to_owned(),
        1 => "1 thing waits".to_owned(),
        count => format!("{count} things wait"),
    }
}

fn describe_age(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..=119 => output::pluralize(seconds, "second"),
        seconds @ 120..=7199 => output::pluralize(seconds / 60, "minute"),
        seconds => output::pluralize(seconds / 3600, "hour"),
    }
}

#[cfg(unix)]
fn check_key_file(server: &RemotePlace) -> Option<DoctorFinding> {
    use std::os::unix::fs::PermissionsExt as _;
    let about = std::fs::metadata(&server.key_file).ok()?;
    let is_open = about.permissions().mode() & 0o077 != 0;
    let path = server.key_file.display();
    is_open.then(|| {
        DoctorFinding::failed(
            "key file",
            format!("others may read {path}"),
            format!("chmod 600 {path}"),
        )
    })
}

#[cfg(not(unix))]
fn check_key_file(_: &RemotePlace) -> Option<DoctorFinding> {
    None
}

//! Keeps a replica up: asks the server what changed, and applies it.

use std::{
    fs,
    time::{Duration, Instant},
};

use hardwon_adapters::{ServerClient, ServerTrouble};
use hardwon_api::v1::changes::ReceivedChanges;
use hardwon_store::{ReplicaUpdate, SqliteStore};
use jiff::Timestamp;

use super::place::RemotePlace;

/// Most pages of a first copy.
const MAX_PAGES: usize = 1000;
/// What a server takes to answer beyond the time for which it was asked to wait.
const MARGIN: Duration = Duration::from_secs(10);
/// What stands at the end of a replica's name beside it.
const SIDE_FILES: [&str; 4] = ["", "-wal", "-shm", "-spool"];

/// What came of a pull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullOutcome {
    /// Nothing changed on the server.
    Unchanged,
    /// The replica is as the server was a moment ago.
    Updated,
    /// There is more to fetch.
    More,
}

/// Asks once, waiting up to `wait` for a change, and applies the answer. A first copy is fetched whole, and must be
/// here within `limit`.
pub fn pull(
    place: &RemotePlace,
    client: &ServerClient,
    wait: Duration,
    limit: Option<Duration>,
) -> Result<PullOutcome, ServerTrouble> {
    let store = open_replica(place)?;
    let known = store.replica_position(&place.scope.tenant);
    let after = known.map_err(|error| local_trouble(&error))?.map(|it| it.0);
    let asking = Asking {
        place,
        client,
        wait,
        until: limit.map(|it| Instant::now() + it),
    };
    let pages = asking.fetch(after.as_deref())?;
    let has_more = pages.last().is_some_and(|it| it.more);
    let is_moved = |it: &ReplicaUpdate| it.is_whole || after.as_ref() != Some(&it.position);
    let update = ReceivedChanges::into_update(pages, &place.scope, Timestamp::now());
    let update = update.map_err(|bad| ServerTrouble::Unreachable(bad.to_string()))?;
    let is_moved = is_moved(&update);
    if is_moved {
        let applied = store.update_replica(&place.scope.tenant, &update);
        applied.map_err(|error| local_trouble(&error))?;
    }
    place.note_answer();
    Ok(match (has_more, is_moved) {
        (true, _) => PullOutcome::More,
        (false, true) => PullOutcome::Updated,
        (false, false) => PullOutcome::Unchanged,
    })
}

/// Deletes the replica: the key may not see these lessons any more.
pub fn delete_replica(place: &RemotePlace) {
    for ending in SIDE_FILES {
        let mut path = place.replica.clone().into_os_string();
        path.push(ending);
        drop(fs::remove_file(path));
    }
}

/// Opens the replica. One that is damaged, or of another version, is begun anew.
fn open_replica(place: &RemotePlace) -> Result<SqliteStore, ServerTrouble> {
    let opened = SqliteStore::open(&place.replica).or_else(|_| {
        delete_replica(place);
        SqliteStore::open(&place.replica)
    });
    opened.map_err(|error| local_trouble(&error))
}

fn local_trouble(error: &hardwon_store::StoreError) -> ServerTrouble {
    ServerTrouble::Unreachable(error.to_string())
}

/// One question, and the pages that answer it.
struct Asking<'a> {
    place: &'a RemotePlace,
    client: &'a ServerClient,
    wait: Duration,
    until: Option<Instant>,
}

impl Asking<'_> {
    fn fetch(&self, after: Option<&str>) -> Result<Vec<ReceivedChanges>, ServerTrouble> {
        let mut pages = vec![self.fetch_page(after, None)?];
        while let Some(cursor) = pages.last().and_then(|it| it.cursor.clone())
            && pages.len() < MAX_PAGES
        {
            pages.push(self.fetch_page(None, Some(&cursor))?);
        }
        Ok(pages)
    }

    fn fetch_page(
        &self,
        after: Option<&str>,
        cursor: Option<&str>,
    ) -> Result<ReceivedChanges, ServerTrouble> {
        let wait = self.wait.as_secs().to_string();
        let project = self.place.scope.project.as_ref().map(|it| it.as_str());
        let agent = self.place.agent.as_ref().map(|it| it.as_str());
        let all = [
            ("agent_id", agent),
            ("project", project),
            ("after", after),
            ("cursor", cursor),
            ("wait", Some(&*wait)),
        ];
        let told = all.into_iter().filter_map(|(name, it)| Some((name, it?)));
        let query: Vec<(&str, &str)> = told.collect();
        let left = self
            .until
            .map(|it| it.saturating_duration_since(Instant::now()));
        let timeout = left.unwrap_or(self.wait + MARGIN);
        if timeout.is_zero() {
            return Err(ServerTrouble::Unreachable("no answer in time".to_owned()));
        }
        let answer = self.client.get("/v1/changes", &query, timeout)?;
        serde_json::from_str(&answer).map_err(|_| {
            ServerTrouble::Unreachable("its answer is not that of a hardwon server".to_owned())
        })
    }
}

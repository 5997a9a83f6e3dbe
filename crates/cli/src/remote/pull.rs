//! Keeps a replica up: asks the server what changed, and applies it.

use std::{
    fs,
    time::{Duration, Instant},
};

use hardwon_adapters::{ServerClient, ServerTrouble};
use hardwon_api::v1::changes::ReceivedChanges;
use hardwon_core::{id::LessonId, scope::Scope};
use hardwon_store::{ReplicaUpdate, SqliteStore};
use jiff::Timestamp;

use super::place::RemotePlace;

/// Most pages of a first copy.
const MAX_PAGES: usize = 1000;
/// Most lessons of a copy: all of them are held in memory before they are written.
const MAX_LESSONS: usize = 50_000;
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
    let Fetched {
        update,
        refused,
        more,
    } = asking.fetch(after.as_deref())?;
    let is_changed = update.is_whole || !update.lessons.is_empty() || !update.gone.is_empty();
    if is_changed || after.as_ref() != Some(&update.position) {
        let applied = store.update_replica(&place.scope.tenant, &update);
        applied.map_err(|error| local_trouble(&error))?;
        place.note_refused(&update, &refused);
    }
    place.note_answer();
    Ok(match (more, is_changed) {
        (true, _) => PullOutcome::More,
        (false, true) => PullOutcome::Updated,
        // The place in the journal is told differently each time.
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

/// Deletes the copies of all projects that the key had fetched: it is not accepted any more, and nobody asks for the others
/// until their next hook.
pub fn delete_copies_of_key(place: &RemotePlace) {
    delete_replica(place);
    if let Some(folder) = place.replica.parent() {
        drop(fs::remove_dir_all(folder));
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

/// The pages that answer a question, each cleaned and bounded as it came.
struct Fetched {
    update: ReplicaUpdate,
    refused: Vec<LessonId>,
    more: bool,
}

impl Fetched {
    fn new(page: ReceivedChanges, scope: &Scope) -> Result<Self, ServerTrouble> {
        let more = page.more;
        let update = ReceivedChanges::into_update(vec![page], scope, Timestamp::now());
        let taken = update.map_err(|bad| ServerTrouble::Unreachable(bad.to_string()))?;
        Ok(Self {
            update: taken.update,
            refused: taken.refused,
            more,
        })
    }

    /// Adds the page after it. Where all began is where changes go on.
    fn add_page(&mut self, page: Self) -> Result<(), ServerTrouble> {
        self.more = page.more;
        self.update.lessons.extend(page.update.lessons);
        self.update.gone.extend(page.update.gone);
        self.refused.extend(page.refused);
        match self.update.lessons.len() + self.update.gone.len() > MAX_LESSONS {
            true => Err(ServerTrouble::Unreachable(format!(
                "it sent more than {MAX_LESSONS} lessons"
            ))),
            false => Ok(()),
        }
    }
}

impl Asking<'_> {
    fn fetch(&self, after: Option<&str>) -> Result<Fetched, ServerTrouble> {
        let scope = &self.place.scope;
        let first = self.fetch_page(after, None)?;
        let mut cursor = first.cursor.clone();
        let mut fetched = Fetched::new(first, scope)?;
        let mut pages = 1;
        while let Some(begin) = cursor.take()
            && pages < MAX_PAGES
        {
            let mut page = self.fetch_page(None, Some(&begin))?;
            cursor = page.cursor.take();
            fetched.add_page(Fetched::new(page, scope)?)?;
            pages += 1;
        }
        Ok(fetched)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn page(gone: usize) -> Result<Fetched, ServerTrouble> {
        let json = serde_json::json!({
            "lessons": [], "gone": vec![1; gone], "next": "n", "reset": true, "more": true,
        });
        Fetched::new(serde_json::from_value(json).unwrap(), &Scope::default())
    }

    #[test]
    fn a_server_cannot_send_without_end() {
        assert!(page(1001).is_err(), "more than a page");
        let mut fetched = page(1000).unwrap();
        for _ in 1..50 {
            fetched.add_page(page(1000).unwrap()).unwrap();
        }
        assert_eq!(fetched.update.gone.len(), MAX_LESSONS);
        let refused = fetched.add_page(page(1).unwrap()).unwrap_err();
        assert_eq!(refused.to_string(), "it sent more than 50000 lessons");
    }
}

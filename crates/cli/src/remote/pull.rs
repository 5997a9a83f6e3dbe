//! Keeps a replica up: asks the server for it, and puts a new one in its place.

use std::{
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
    time::Duration,
};

use hardwon_adapters::{ServerClient, ServerTrouble};
use hardwon_api::{api_key::KeyId, v1::replica::name_owner};
use hardwon_core::{Memo, guard};
use hardwon_engine::private_file;
use hardwon_store::{
    SqliteStore,
    replica::{ReplicaLabel, install_replica},
};

use crate::RemotePlace;

/// Longest time for a whole file.
const LIMIT: Duration = Duration::from_secs(60);

/// Asks once, and takes the answer in if the lessons are not the same as before.
pub fn pull(place: &RemotePlace, key: &KeyId, client: &ServerClient) -> Result<(), ServerTrouble> {
    let new_file = place.replica.with_extension("received");
    let result = pull_by_way_of(&new_file, place, key, client);
    drop(fs::remove_file(&new_file));
    result.map(|()| place.note_answer())
}

fn pull_by_way_of(
    received: &Path,
    place: &RemotePlace,
    key: &KeyId,
    client: &ServerClient,
) -> Result<(), ServerTrouble> {
    let (agent, project) = (place.agent.as_ref(), place.scope.project.as_ref());
    let agent_name = agent.map(|agent| ("agent_id", agent.as_str()));
    let project_name = project.map(|project| ("project", project.as_str()));
    let query: Vec<_> = agent_name.into_iter().chain(project_name).collect();
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let mut file =
        private_file::open(&mut options, received).map_err(|error| local_trouble(&error))?;
    let own_tag = find_tag(place);
    let Some(tag) = client.fetch("/v1/replica", &query, own_tag.as_deref(), LIMIT, &mut file)?
    else {
        return Ok(());
    };
    let label = ReplicaLabel {
        scope: &place.scope,
        owner: &name_owner(key, agent, project),
        tag: &tag,
    };
    let mut memo = Memo::default();
    let mut readmit = |lesson: &_| guard::readmit_lesson(lesson, &mut memo);
    install_replica(received, &place.replica, label, &mut readmit)
        .map_err(|error| local_trouble(&error))?;
    delete_database(&old_replica(place));
    Ok(())
}

/// Returns what the server called the lessons that are here; `None` if there are none that can be read.
fn find_tag(place: &RemotePlace) -> Option<String> {
    let store = SqliteStore::open_reader(&place.replica).ok()?;
    Some(store.replica_state(&place.scope).ok()?.tag)
}

/// Deletes the replica: the key may not see these lessons any more.
pub fn delete_replica(place: &RemotePlace) {
    delete_database(&place.replica);
    delete_database(&old_replica(place));
}

/// Deletes the copies of all projects that the key had fetched: it is not accepted any more, and nobody asks for the others
/// until their next hook.
pub fn delete_copies_of_key(place: &RemotePlace) {
    delete_replica(place);
    if let Some(folder) = place.replica.parent() {
        drop(fs::remove_dir_all(folder));
    }
}

/// Returns where a copy was kept that was changed in place.
fn old_replica(place: &RemotePlace) -> PathBuf {
    let name = place.replica.file_name().unwrap_or_default();
    let name = name.to_string_lossy().replace("-copy.db", ".db");
    place.replica.with_file_name(name)
}

fn delete_database(database: &Path) {
    for ending in ["", "-wal", "-shm", "-spool"] {
        let mut path = database.as_os_str().to_owned();
        path.push(ending);
        drop(fs::remove_file(PathBuf::from(path)));
    }
}

fn local_trouble(error: &impl std::fmt::Display) -> ServerTrouble {
    ServerTrouble::Unreachable(error.to_string())
}

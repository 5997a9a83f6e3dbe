//! One scope's part of a server: the names that the server is told, and the files that are kept here.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use hardwon_adapters::{ServerAddress, ServerClient};
use hardwon_api::api_key::ApiKey;
use hardwon_core::{id::AgentId, scope::Scope};
use hardwon_engine::private_file;
use serde::{Deserialize, Serialize};

use super::spool::Spool;
use crate::{
    config::server::{ServerSettings, make_client, name_keyed_folder, read_key},
    error::CliError,
};

/// The file that the background process is started with.
const PLACE_FILE: &str = "scope.json";
/// The file whose age is that of the server's last answer.
const PULLED_FILE: &str = "pulled";
/// The file with what went wrong last.
const TROUBLE_FILE: &str = "trouble";

/// A scope whose lessons a server keeps.
#[derive(Debug, Clone)]
pub struct RemotePlace {
    /// The server's address.
    pub address: ServerAddress,
    /// The file with the key.
    pub key_file: PathBuf,
    /// The file of certificates that vouch for the server; `None` for those of the web.
    pub ca_file: Option<PathBuf>,
    /// The agent that the server is told; `None` for the key's own.
    pub agent: Option<AgentId>,
    /// The scope, as it is called here.
    pub scope: Scope,
    /// The replica.
    pub replica: PathBuf,
    /// The folder of everything else.
    pub folder: PathBuf,
}

/// The same as JSON, without the folder that the file is in.
#[derive(Serialize, Deserialize)]
struct SavedPlace {
    server: String,
    key_file: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ca_file: Option<PathBuf>,
    agent_id: Option<AgentId>,
    #[serde(flatten)]
    scope: Scope,
    replica: PathBuf,
}

impl RemotePlace {
    /// Returns the place of a scope.
    pub fn new(server: &ServerSettings, scope: &Scope) -> Self {
        Self {
            address: server.address.clone(),
            key_file: server.key_file.clone(),
            ca_file: server.ca_file.clone(),
            agent: server.agent.clone(),
            scope: scope.clone(),
            replica: server.replica.clone(),
            folder: server.folder.clone(),
        }
    }

    /// Reads the place that was saved in a folder.
    pub fn load(folder: &Path) -> Result<Self, CliError> {
        let damage = || CliError::internal("the saved place of a server is damaged");
        let text = fs::read(folder.join(PLACE_FILE))?;
        let place: SavedPlace = serde_json::from_slice(&text).map_err(|_| damage())?;
        Ok(Self {
            // Whoever saved it was allowed to use it.
            address: ServerAddress::parse(&place.server, true).map_err(|_| damage())?,
            key_file: place.key_file,
            ca_file: place.ca_file,
            agent: place.agent_id,
            scope: place.scope,
            replica: place.replica,
            folder: folder.to_owned(),
        })
    }

    /// Notes that a hook of this scope ran, and saves the place unless it is saved as it is.
    pub fn touch(&self) -> io::Result<()> {
        let path = self.folder.join(PLACE_FILE);
        let text = self.to_json();
        if fs::read(&path).is_ok_and(|bytes| bytes == text) {
            let file = OpenOptions::new().append(true).open(&path)?;
            return file.set_modified(SystemTime::now());
        }
        private_file::write(&path, &text)
    }

    /// Returns when the last hook of this scope ran; `None` if the place was removed.
    pub fn last_hook(&self) -> Option<SystemTime> {
        fs::metadata(self.folder.join(PLACE_FILE))
            .ok()?
            .modified()
            .ok()
    }

    /// Notes that the server answered.
    pub fn note_answer(&self) {
        drop(private_file::write(&self.folder.join(PULLED_FILE), b""));
        drop(fs::remove_file(self.folder.join(TROUBLE_FILE)));
    }

    /// Returns when the server last answered.
    pub fn last_answer(&self) -> Option<SystemTime> {
        fs::metadata(self.folder.join(PULLED_FILE))
            .ok()?
            .modified()
            .ok()
    }

    /// Notes what went wrong, in place of what did before.
    pub fn note_trouble(&self, what: &str) {
        let message = hardwon_redact::quote_error(&what);
        let path = self.folder.join(TROUBLE_FILE);
        if fs::read_to_string(&path).is_ok_and(|to_string| to_string == message) {
            return;
        }
        drop(private_file::write(&path, message.as_bytes()));
    }

    /// Returns what went wrong since the server last answered.
    pub fn last_trouble(&self) -> Option<String> {
        fs::read_to_string(self.folder.join(TROUBLE_FILE)).ok()
    }

    /// Takes the lock of the background process; `None` if one is at work.
    pub fn lock_following(&self) -> io::Result<Option<File>> {
        let path = self.folder.join("background.lock");
        // Windows locks no file that is open for appending alone.
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = private_file::open(&mut options, &path)?;
        Ok(file.try_lock().is_ok().then_some(file))
    }

    /// Makes a client of the server.
    pub fn connect(&self) -> Result<ServerClient, CliError> {
        self.connect_with(&self.read_key()?)
    }

    /// Makes a client of the server that shows a key.
    pub fn connect_with(&self, key: &ApiKey) -> Result<ServerClient, CliError> {
        make_client(self.address.clone(), key, self.ca_file.as_deref())
    }

    /// Reads the key.
    pub fn read_key(&self) -> Result<ApiKey, CliError> {
        read_key(&self.key_file, &self.address)
    }

    /// Returns whether the copy is one that the present key fetched: another may have taken its place since.
    pub fn is_of_present_key(&self) -> bool {
        let Ok(key) = self.read_key() else {
            return false;
        };
        let own = name_keyed_folder(&self.address, key.id().as_str());
        let folder = self.replica.parent().and_then(Path::file_name);
        folder.is_some_and(|folder| *folder == *own)
    }

    /// Returns what waits to be sent.
    pub fn spool(&self) -> Spool {
        Spool::new(&self.folder)
    }

    fn to_json(&self) -> Vec<u8> {
        let place = SavedPlace {
            server: self.address.as_str().to_owned(),
            key_file: self.key_file.clone(),
            ca_file: self.ca_file.clone(),
            agent_id: self.agent.clone(),
            scope: self.scope.clone(),
            replica: self.replica.clone(),
        };
        serde_json::to_vec(&place).expect("names and paths of text are JSON")
    }
}

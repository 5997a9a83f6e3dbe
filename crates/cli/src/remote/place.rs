//! The files of one scope's part of a server.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
    time::SystemTime,
};

use hardwon_adapters::ServerClient;
use hardwon_api::api_key::ApiKey;

use hardwon_engine::private_file;

use crate::{
    CliError, RemotePlace, Result, Spool,
    config::server::{make_client, name_keyed_folder},
};

/// The file that the background process is started with.
const PLACE_FILE: &str = "scope.json";
/// The file whose age is that of the server's last answer.
const PULLED_FILE: &str = "pulled";
/// The file with what went wrong last.
const TROUBLE_FILE: &str = "trouble";

impl RemotePlace {
    /// Reads the place that was saved in a folder.
    pub fn load(folder: &Path) -> Result<Self> {
        let text = fs::read(folder.join(PLACE_FILE))?;
        let place: Self = serde_json::from_slice(&text)
            .map_err(|_| CliError::internal("the saved place of a server is damaged"))?;
        Ok(Self {
            folder: folder.to_owned(),
            ..place
        })
    }

    /// Notes that a hook of this scope ran, and saves the place unless it is saved as it is.
    pub fn touch(&self) -> io::Result<()> {
        let path = self.folder.join(PLACE_FILE);
        let text = serde_json::to_vec(self)?;
        if fs::read(&path).is_ok_and(|bytes| bytes == text) {
            let file = OpenOptions::new().append(true).open(&path)?;
            return file.set_modified(SystemTime::now());
        }
        private_file::write(&path, &text)
    }

    /// Returns when the last hook of this scope ran; `None` if the place was removed.
    pub fn last_hook(&self) -> Option<SystemTime> {
        modified_at(&self.folder.join(PLACE_FILE))
    }

    /// Notes that the server answered.
    pub fn note_answer(&self) {
        drop(private_file::write(&self.folder.join(PULLED_FILE), b""));
        drop(fs::remove_file(self.folder.join(TROUBLE_FILE)));
    }

    /// Returns when the server last answered.
    pub fn last_answer(&self) -> Option<SystemTime> {
        modified_at(&self.folder.join(PULLED_FILE))
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
        let file = private_file::open_lock(&self.folder.join("background.lock"))?;
        Ok(file.try_lock().is_ok().then_some(file))
    }

    /// Makes a client of the server.
    pub fn connect(&self) -> Result<ServerClient> {
        self.connect_with(&self.read_key()?)
    }

    /// Makes a client of the server that shows a key.
    pub fn connect_with(&self, key: &ApiKey) -> Result<ServerClient> {
        make_client(self.address.clone(), key, self.ca_file.as_deref())
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
}

fn modified_at(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

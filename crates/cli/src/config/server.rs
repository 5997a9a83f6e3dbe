//! The server that keeps the lessons, if one does: its address, its key, and where the files of this scope are.
//!
//! Nothing is asked over the network here.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

use hardwon_adapters::{ServerAddress, ServerClient};
use hardwon_api::api_key::ApiKey;
use hardwon_core::{AgentId, Scope, digest};
use hardwon_engine::regular_file;
use serde::{Deserialize, Serialize};

use super::{SettingOrigin, cache_folder, file_path, parse_switch, state_folder};
use crate::{CliError, Result, SettingValues};

/// Bytes of a digest that name a folder.
const DIGEST_BYTES: usize = 8;
/// Most bytes of a key file that are read.
const KEY_FILE_BYTES: u64 = 4096;

/// How the name of a replica ends. One that ends in `.db` alone is of a form that is not used any more.
const REPLICA_ENDING: &str = "-copy.db";

/// A server, and the part of it that one scope has: the names that the server is told, and the files that are kept here.
///
/// As JSON it is what the background process needs to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemotePlace {
    /// The address of the server.
    #[serde(rename = "server", with = "saved_address")]
    pub address: ServerAddress,
    /// The file that holds the key.
    pub key_file: PathBuf,
    /// The file of certificates that vouch for the server; `None` for those of the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
    /// The agent to name to the server; `None` for the one of the key.
    #[serde(rename = "agent_id")]
    pub agent: Option<AgentId>,
    /// The scope.
    #[serde(flatten)]
    pub scope: Scope,
    /// The copy of the lessons of this scope.
    pub replica: PathBuf,
    /// The folder of what waits to be sent, for this scope.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// An address as it is saved. Whoever saved it was allowed to use it.
mod saved_address {
    use hardwon_adapters::ServerAddress;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(
        address: &ServerAddress,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(address.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<ServerAddress, D::Error> {
        let url = String::deserialize(deserializer)?;
        ServerAddress::parse(&url, true).map_err(D::Error::custom)
    }
}

impl RemotePlace {
    /// Reads the settings; `None` where no server is set, or a database is named on the command line.
    pub(super) fn from_values(values: &SettingValues, scope: &Scope) -> Result<Option<Self>> {
        if values.get("server").0.is_empty() || values.get("db").1 == SettingOrigin::Flag {
            return Ok(None);
        }
        let allows_plain = values.parse("server_insecure", parse_switch)?;
        let address = values.parse("server", |url| ServerAddress::parse(url, allows_plain).ok())?;
        let key_file = match values.get("server_key_file").0 {
            "" => default_key_file()?,
            path => PathBuf::from(path),
        };
        let key = read_key(&key_file, &address).ok();
        let key = key.as_ref().map_or("", |key| key.id().as_str());
        let (url, place) = (name_folder(&[address.as_str()]), name_place(scope));
        let copies = copies_folder()?.join(name_keyed_folder(&address, key));
        let is_named = values.get("agent").1 != SettingOrigin::Default;
        Ok(Some(Self {
            folder: state_folder()?.join("remote").join(url).join(&place),
            replica: copies.join(place + REPLICA_ENDING),
            agent: is_named.then(|| scope.agent.clone()),
            ca_file: find_ca_file(values),
            scope: scope.clone(),
            address,
            key_file,
        }))
    }

    /// Returns the same server with the files of another scope.
    pub fn for_scope(&self, scope: &Scope) -> Self {
        let place = name_place(scope);
        Self {
            folder: self.folder.with_file_name(&place),
            replica: self.replica.with_file_name(place + REPLICA_ENDING),
            scope: scope.clone(),
            ..self.clone()
        }
    }

    /// Reads the key.
    pub fn read_key(&self) -> Result<ApiKey> {
        read_key(&self.key_file, &self.address)
    }
}

/// Returns the file of certificates that vouch for the server, if one is set.
pub fn find_ca_file(values: &SettingValues) -> Option<PathBuf> {
    let path = values.get("server_ca_file").0;
    (!path.is_empty()).then(|| PathBuf::from(path))
}

/// Makes a client of a server that trusts the certificates in a file, or else those of the web.
pub fn make_client(
    address: ServerAddress,
    key: &ApiKey,
    ca_file: Option<&Path>,
) -> Result<ServerClient> {
    let Some(path) = ca_file else {
        return Ok(ServerClient::new(address, key.reveal()));
    };
    let unusable = |why: &dyn std::fmt::Display| {
        internal!("reading the certificates in {}: {why}", path.display())
            .with_hint("the setting server_ca_file names them, in PEM form")
    };
    let roots = regular_file::read_to_string(path).map_err(|error| unusable(&error))?;
    ServerClient::trusting(address, key.reveal(), roots.as_bytes())
        .map_err(|error| unusable(&error))
}

/// Returns the folder of the copies, in which each server and key has one of its own.
pub fn copies_folder() -> Result<PathBuf> {
    Ok(cache_folder()?.join("remote"))
}

/// Returns the name of the folder of what a key fetched from a server.
pub fn name_keyed_folder(address: &ServerAddress, key_id: &str) -> String {
    name_folder(&[address.as_str(), key_id])
}

/// Returns the file of the key where none is named: beside the settings file.
pub fn default_key_file() -> Result<PathBuf> {
    Ok(file_path()?.with_file_name("server.key"))
}

/// Reads the key for a server: the first line of the file.
///
/// The second one is the server's address, so that whoever can set the address alone, as the settings of a cloned
/// repository can in the environment, does not get the key.
pub fn read_key(path: &Path, address: &ServerAddress) -> Result<ApiKey> {
    let text = read_key_file(path)?;
    if text.lines().nth(1).map(str::trim) != Some(address.as_str()) {
        let message = format!("its second line is not the address {}", address.as_str());
        return Err(unusable_key(path, &message));
    }
    parse_key(path, &text)
}

/// Reads a key from a file that a person named, whichever server it is for.
pub fn read_bare_key(path: &Path) -> Result<ApiKey> {
    parse_key(path, &read_key_file(path)?)
}

/// Returns what a file holds that [`read_key`] reads.
pub fn render_key_file(key: &ApiKey, address: &ServerAddress) -> String {
    format!("{}\n{}\n", key.reveal(), address.as_str())
}

fn read_key_file(path: &Path) -> Result<String> {
    let mut text = String::new();
    let file = regular_file::open(path);
    let file = file.map_err(|error| unusable_key(path, &error.to_string()))?;
    let read = file.take(KEY_FILE_BYTES).read_to_string(&mut text);
    read.map_err(|error| unusable_key(path, &error.to_string()))?;
    Ok(text)
}

/// An error never quotes the key.
fn parse_key(path: &Path, text: &str) -> Result<ApiKey> {
    let first = text.lines().next().unwrap_or_default();
    ApiKey::parse(first.trim()).map_err(|bad| unusable_key(path, &bad.to_string()))
}

fn unusable_key(path: &Path, what: &str) -> CliError {
    internal!("reading the key in {}: {what}", path.display())
        .with_hint("`hardwon init --server URL` asks for a key")
}

fn name_place(scope: &Scope) -> String {
    let project = scope.project_name().unwrap_or_default();
    name_folder(&[scope.tenant.as_str(), scope.agent.as_str(), project])
}

fn name_folder(names: &[&str]) -> String {
    let hash = digest::hash_parts(names.iter().map(|name| name.as_bytes()));
    digest::to_hex(&hash[..DIGEST_BYTES])
}

#[cfg(test)]
mod tests {
    use hardwon_api::api_key::{KEY_ENTROPY_BYTES, KeyKind};

    use super::*;

    #[test]
    fn a_key_is_read_for_the_address_that_it_was_given_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.key");
        let address = |url: &str| ServerAddress::parse(url, false).unwrap();
        let own = address("https://lessons.example");
        let key = ApiKey::from_entropy(KeyKind::Tenant, [7; KEY_ENTROPY_BYTES]);
        std::fs::write(&path, render_key_file(&key, &own)).unwrap();
        assert_eq!(read_key(&path, &own).unwrap().reveal(), key.reveal());
        for other in [
            "https://lessons.example.org",
            "https://lessons.example:8443",
        ] {
            assert!(read_key(&path, &address(other)).is_err(), "{other}");
        }
        std::fs::write(&path, key.reveal()).unwrap();
        assert!(read_key(&path, &own).is_err(), "a key for any server");
        assert_eq!(read_bare_key(&path).unwrap().reveal(), key.reveal());
    }
}

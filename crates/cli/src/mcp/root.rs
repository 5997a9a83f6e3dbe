//! Which folder the client works in, when it says.
//!
//! Most clients start their servers in the project, some in the user's home. A client of the older
//! protocol can be asked for its roots; the first that lies in a repository is taken, then the
//! folder the server was started in if that is in one, else the first root. The newer protocol has no
//! such question: there the folder the server was started in is all there is.

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use hardwon_mcp::McpRequest;
use percent_encoding::percent_decode_str;
use tokio::{
    sync::{Mutex, OnceCell},
    time::timeout,
};

use crate::project;

/// How long a client may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Most roots that are looked at.
const MAX_ROOTS: usize = 16;

/// The client's folder, once it was asked: what it told, or that it tells none.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientRoot(Arc<Mutex<OnceCell<Option<PathBuf>>>>);

impl ClientRoot {
    /// Returns the folder that the client works in, if it tells one; asks once.
    pub(super) async fn find_folder(&self, request: &McpRequest) -> Option<PathBuf> {
        let answer = self.0.lock().await;
        answer.get_or_init(|| ask_client(request)).await.clone()
    }

    /// Asks again next time.
    pub(super) async fn forget(&self) {
        *self.0.lock().await = OnceCell::new();
    }
}

/// Asks for the roots, and returns the one that the client works in; none where the folder that the
/// server was started in tells better.
#[expect(deprecated, reason = "the older protocol knows no other way")]
async fn ask_client(request: &McpRequest) -> Option<PathBuf> {
    let may_be_asked = request
        .protocol_version()
        .is_some_and(|version| version.has_initialize());
    let has_roots = request.client_capabilities()?.roots.is_some();
    if !may_be_asked || !has_roots {
        return None;
    }
    let answer = timeout(ANSWER_TIMEOUT, request.peer.list_roots()).await;
    let roots = answer.ok()?.ok()?.roots;
    let folders = roots.iter().take(MAX_ROOTS);
    let mut folders: Vec<PathBuf> = folders
        .filter_map(|root| parse_file_uri(&root.uri))
        .collect();
    let in_repository = |folder: &PathBuf| project::find_root(folder).is_some();
    let started_in = env::current_dir();
    match folders.iter().position(in_repository) {
        Some(at) => Some(folders.swap_remove(at)),
        None if started_in.is_ok_and(|started_in| in_repository(&started_in)) => None,
        None => folders.into_iter().next(),
    }
}

/// Reads the folder of a `file:` address on this machine.
fn parse_file_uri(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let path = PathBuf::from(project::path_of_address(&path));
    Path::is_absolute(&path).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, expected: Option<&str>) {
        let found = parse_file_uri(uri);
        assert_eq!(found.as_deref(), expected.map(Path::new), "{uri}");
    }

    #[cfg(unix)]
    #[test]
    fn a_root_is_a_folder_of_this_machine() {
        check("file:///srv/a", Some("/srv/a"));
        check("file://localhost/srv/a%20b", Some("/srv/a b"));
        check("file:///srv/%C3%A9", Some("/srv/é"));
    }

    #[cfg(windows)]
    #[test]
    fn a_root_is_a_folder_of_this_machine() {
        check("file:///C:/a%20b", Some("C:/a b"));
        check("file:///c%3A/a", Some("c:/a"));
        check("file:///srv/a", None);
    }

    #[test]
    fn nothing_else_is_a_root() {
        check("file:///srv/%ff", None);
        check("file://elsewhere/srv", None);
        check("https://example.com/srv", None);
        check("srv", None);
    }
}

//! What `init` and `uninstall` do about a server that keeps the lessons: check it, save its address and key, and take
//! both away again.

use std::{
    fs,
    io::{self, IsTerminal as _, Read as _, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use hardwon_adapters::{BadAddress, ServerAddress, ServerClient, ServerTrouble};
use hardwon_api::api_key::ApiKey;
use hardwon_engine::{private_file, regular_file};

use super::{ask, config as settings};
use crate::{
    CliError, GlobalArgs, RemotePlace, Result, SettingValues, Settings,
    args::InitArgs,
    config::{self, server as key_files},
    output,
    remote::send,
};

/// How long a server may take to show that it is one.
const CHECK_LIMIT: Duration = Duration::from_secs(10);
/// How long `uninstall` goes on sending what waits.
const LAST_SEND_LIMIT: Duration = Duration::from_secs(10);
/// Most bytes of a key on standard input.
const KEY_BYTES: u64 = 4096;

/// A server that was asked and let the key in.
pub(super) struct CheckedServer {
    address: ServerAddress,
    key: ApiKey,
    allows_plain: bool,
}

/// Checks the server that `init` names with its key; `None` if it names none.
pub(super) fn check_server(global: &GlobalArgs, args: &InitArgs) -> Result<Option<CheckedServer>> {
    let Some(url) = &args.server else {
        return Ok(None);
    };
    let address = ServerAddress::parse(url, args.insecure_http).map_err(|bad| {
        let hint = match bad {
            BadAddress::InTheOpen => {
                "use https://, or say --insecure-http if you trust the network"
            }
            BadAddress::Form | BadAddress::Password => {
                "as in `hardwon init --server https://lessons.example`"
            }
        };
        bad_input!("the server's address: {bad}").with_hint(hint)
    })?;
    let key = find_key(args, &address)?;
    let ca_file = key_files::find_ca_file(&SettingValues::gather(global)?);
    let client = key_files::make_client(address.clone(), &key, ca_file.as_deref())?;
    if let Some(denied) = ask_server(&client, &Settings::load(global)?)? {
        output::print_note(&format!("no lessons in this folder: {}", denied.message()));
    }
    Ok(Some(CheckedServer {
        address,
        key,
        allows_plain: args.insecure_http,
    }))
}

/// Finds the key: in the file that was named, on standard input, or the one of before.
fn find_key(args: &InitArgs, address: &ServerAddress) -> Result<ApiKey> {
    if let Some(path) = &args.key_file {
        return key_files::read_bare_key(path);
    }
    let mut input = String::new();
    if !io::stdin().is_terminal() {
        io::stdin()
            .lock()
            .take(KEY_BYTES)
            .read_to_string(&mut input)?;
    } else if ask::can_ask() {
        input = ask_key()?;
    }
    match input.trim() {
        "" => key_files::read_key(&key_files::default_key_file()?, address).map_err(|_| {
            CliError::bad_input("the server asks for a key, and there is none for it")
                .with_hint("give it on standard input, or name its file with --key-file")
        }),
        text => ApiKey::parse(text).map_err(CliError::bad_input),
    }
}

fn ask_key() -> io::Result<String> {
    let terminal = console::Term::stderr();
    write!(&terminal, "The server's key (hwk_…), which is not shown: ")?;
    terminal.read_secure_line()
}

/// What to do about a key that does not get lessons.
const OTHER_KEY: &str =
    "ask whoever runs the server for a key of role agent that reaches this project";

/// Asks whether the key may recall here, or else anywhere. Returns why it may not here, though it may elsewhere.
pub(super) fn ask_server(client: &ServerClient, settings: &Settings) -> Result<Option<CliError>> {
    let project = settings.scope.project.as_ref().map(|name| name.as_str());
    let here: Vec<(&str, &str)> = project
        .map(|project| ("project", project))
        .into_iter()
        .collect();
    // What it answers is for the background process to take in.
    let ask = |query: &[_]| client.fetch("/v1/replica", query, None, CHECK_LIMIT, &mut io::sink());
    let (answer, denied_here) = match ask(&here) {
        Err(ServerTrouble::Denied(why)) => (ask(&[]), Some(ServerTrouble::Denied(why))),
        asked => (asked, None),
    };
    let Err(trouble) = answer else {
        let project = project.unwrap_or("what holds everywhere");
        let tell = |why| CliError::negative(format!("{project}: {why}")).with_hint(OTHER_KEY);
        return Ok(denied_here.map(tell));
    };
    let hint = match trouble {
        ServerTrouble::Denied(_) | ServerTrouble::KeyRefused(_) => OTHER_KEY,
        ServerTrouble::Refused(_) | ServerTrouble::Unreachable(_) | ServerTrouble::Busy { .. } => {
            "check the address, and that a hardwon server of this version runs there"
        }
    };
    Err(negative!("asking the server: {trouble}").with_hint(hint))
}

impl CheckedServer {
    /// Saves the address in the settings, and the key in a file that only its owner may read.
    pub(super) fn save(&self, global: &GlobalArgs, is_quiet: bool) -> Result<()> {
        let path = key_files::default_key_file()?;
        write_key(&path, &key_files::render_key_file(&self.key, &self.address))?;
        if self.allows_plain {
            settings::write_setting(global, "server_insecure", "on")?;
        } else {
            remove_if_set("server_insecure")?;
        }
        settings::write_setting(global, "server", self.address.as_str())?;
        self.remove_other_copies()?;
        if is_quiet {
            return Ok(());
        }
        print_line!(
            "\nThe lessons are kept by the server {}.\nIts key is in {}, which only you may read.",
            self.address.as_str(),
            path.display()
        )
    }

    /// Removes what other keys fetched, of all projects: this one may not be allowed to see it, and nobody would delete it.
    fn remove_other_copies(&self) -> Result<()> {
        let own = key_files::name_keyed_folder(&self.address, self.key.id().as_str());
        let copies = fs::read_dir(key_files::copies_folder()?);
        for folder in copies.into_iter().flatten().flatten() {
            if folder.file_name() != *own {
                let doing = "removing the copies of another key in";
                let path = folder.path();
                fs::remove_dir_all(&path).map_err(CliError::own_file(doing, &path))?;
            }
        }
        Ok(())
    }

    /// Returns the address.
    pub(super) fn address(&self) -> &str {
        self.address.as_str()
    }
}

/// Writes the key. A file that was there may be readable for others, so it is replaced and not overwritten.
fn write_key(path: &Path, text: &str) -> Result<()> {
    let fresh = path.with_extension("key.new");
    drop(fs::remove_file(&fresh));
    private_file::write(&fresh, text.as_bytes())
        .and_then(|()| fs::rename(&fresh, path))
        .map_err(CliError::own_file("writing", path))
}

/// Takes everything of servers away: what waits is sent first, and what cannot be is kept and named.
pub(super) fn remove_server(is_quiet: bool) -> Result<()> {
    let say = |text: &str| {
        if is_quiet {
            Ok(())
        } else {
            output::print_line(text)
        }
    };
    let folders = list_places()?;
    let has_settings = config::parse_file()?.get("server").is_some();
    if folders.is_empty() && !has_settings {
        return Ok(());
    }
    let until = Instant::now() + LAST_SEND_LIMIT;
    for folder in &folders {
        let left = send_rest(folder, until);
        if left > 0 {
            say(&format!(
                "{} could not be sent to the server and stays in {}",
                output::pluralize(left as u64, "thing"),
                folder.display()
            ))?;
            drop(fs::remove_file(folder.join("scope.json")));
        } else {
            drop(fs::remove_dir_all(folder));
            drop(folder.parent().map(fs::remove_dir));
        }
    }
    drop(fs::remove_dir_all(key_files::copies_folder()?));
    drop(fs::remove_file(key_files::default_key_file()?));
    for name in ["server", "server_insecure", "server_key_file"] {
        remove_if_set(name)?;
    }
    say("the server's address, its key and the copy of its lessons are removed from this machine")
}

fn remove_if_set(name: &str) -> Result<()> {
    match config::parse_file()?.get(name) {
        Some(_) => settings::remove_setting(name),
        None => Ok(()),
    }
}

/// Returns the folders of all scopes of all servers.
fn list_places() -> Result<Vec<PathBuf>> {
    let entries = |folder: &Path| regular_file::list_folder(folder).unwrap_or_default();
    let servers = entries(&config::state_folder()?.join("remote"));
    Ok(servers.iter().flat_map(|server| entries(server)).collect())
}

/// Sends what waits, and returns how many things are left.
fn send_rest(folder: &Path, until: Instant) -> usize {
    let count = |place: &RemotePlace| place.spool().list().map_or(0, |list| list.len());
    let Ok(place) = RemotePlace::load(folder) else {
        return 0;
    };
    if let Ok(client) = place.connect() {
        while Instant::now() < until && matches!(send::send_next(&place, &client), Ok(true)) {}
    }
    count(&place)
}

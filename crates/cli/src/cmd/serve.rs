//! `hardwon serve`: lessons for many agents over HTTP.
//!
//! Opens the database and the keys, sees to it that somebody can get in, and hands over to `hardwon-server`.

use std::{
    num::{NonZeroU32, NonZeroUsize},
    path::PathBuf,
    sync::Arc,
};

use hardwon_server::{GroupModel, KeyStore, Server, ServerConfig, ServerParts, SessionFolders};
use hardwon_store::SessionStore;
use jiff::Timestamp;
use tokio::{runtime::Builder, signal};

use super::key;
use crate::{
    GlobalArgs, Result, SettingValues, Settings, StorePlace, args::ServeArgs, config, model, open,
    output, server_store,
};

/// Files that a server opens beside its connections.
#[cfg(unix)]
const FILES_BESIDE: usize = 256;

pub(super) fn run(global: &GlobalArgs, args: &ServeArgs) -> Result<()> {
    super::refuse_scope_options(global, "a server serves every agent and project")?;
    let file = config::read_file()?;
    for note in config::describe_former_settings(&file) {
        output::print_note(&note);
    }
    refuse_lost_tls(&|name| file.contains_key(name))?;
    let values = SettingValues::gather_from(global, &file);
    let settings = Settings {
        // That of the hooks and commands of this machine.
        server: None,
        ..Settings::from_values(&values, global)?
    };
    let place = StorePlace::find(&args.store, global, &settings)?;
    let store = server_store::open_for_server(&place)?;
    let config = ServerConfig {
        writers: count_writers(store.shared_sessions.is_some()),
        sweeps: settings.sweeps,
        ..make_config(args)
    };
    let keys = store.keys;
    let parts = ServerParts {
        engine: open::build_engine(&settings, store.lessons),
        keys: Arc::clone(&keys),
        sessions: place_sessions(store.shared_sessions)?,
        group_model: build_group_model(&settings),
    };
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = Server::bind(config, parts).map_err(|error| {
            bad_input!("{error}").with_hint("`--listen` and `--ops-listen` name other addresses")
        })?;
        // Where another has the port, no key is made that nobody gets to see.
        let first_key = let_somebody_in(&settings, &keys, args)?;
        let until = wait_for_signal();
        print_start(&server, first_key.as_deref())?;
        server.run(until).await?;
        Ok(())
    })
}

/// Refuses to speak HTTP where an earlier version was told by a setting to speak HTTPS.
fn refuse_lost_tls(is_in_file: &dyn Fn(&str) -> bool) -> Result<()> {
    let names = ["serve_tls_cert", "serve_tls_key"];
    let is_set = |name: &&str| {
        let variable = format!("HARDWON_{}", name.to_uppercase());
        is_in_file(name) || std::env::var_os(variable).is_some()
    };
    match names.iter().find(|name| is_set(name)) {
        Some(name) => Err(bad_input!("{name} is set, and the server speaks HTTP only")
            .with_hint("let a proxy in front end TLS (docs/server.md), and unset it")),
        None => Ok(()),
    }
}

fn make_config(args: &ServeArgs) -> ServerConfig {
    let defaults = ServerConfig::default();
    // Nought of either is no limit.
    let rate = NonZeroU32::new(args.requests_per_second);
    let (per_second, at_once) = rate.zip(NonZeroU32::new(args.requests_at_once)).unzip();
    ServerConfig {
        listen: args.listen,
        ops_listen: args.ops_listen,
        hosts: args.hosts.clone(),
        origins: args.origins.clone(),
        requests_per_second: per_second,
        requests_at_once: at_once.unwrap_or(defaults.requests_at_once),
        max_connections: make_room_for_files(args.max_connections),
        ..defaults
    }
}

/// Builds the model that sweeps may ask. A server serves without one that cannot be used.
pub(super) fn build_group_model(settings: &Settings) -> Option<GroupModel> {
    let of = &settings.model;
    match model::from_settings(of) {
        Ok(model) => model.map(|model| GroupModel {
            model,
            timeout: of.timeout,
            max_answer_tokens: of.answer_tokens,
            tokens_per_day: of.tokens_per_day,
        }),
        Err(error) => {
            print_note!("sweeps go without the model: {error}");
            None
        }
    }
}

/// Has the system let the process open a file for each connection. Where it does not, there are fewer connections:
/// without a file to spare, nobody would be let in until silent ones are given up.
#[cfg(unix)]
fn make_room_for_files(connections: NonZeroUsize) -> NonZeroUsize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let needed_files = (connections.get() + FILES_BESIDE) as u64;
    let limit = getrlimit(Resource::Nofile);
    let Some(current) = limit.current.filter(|current| *current < needed_files) else {
        return connections;
    };
    let file_limit = limit
        .maximum
        .map_or(needed_files, |most| most.min(needed_files));
    let new_limit = Rlimit {
        current: Some(file_limit),
        ..limit
    };
    let file_limit = match setrlimit(Resource::Nofile, new_limit) {
        Ok(()) => file_limit,
        Err(_) => current,
    };
    let file_limit = usize::try_from(file_limit).unwrap_or(usize::MAX);
    let fitting = fit_connections(connections, file_limit);
    if fitting < connections {
        print_note!(
            "at most {fitting} connections: the system allows {file_limit} open files (`ulimit -n`)"
        );
    }
    fitting
}

#[cfg(not(unix))]
fn make_room_for_files(connections: NonZeroUsize) -> NonZeroUsize {
    connections
}

/// Returns how many connections there may be with so many files.
#[cfg(unix)]
fn fit_connections(wanted: NonZeroUsize, files: usize) -> NonZeroUsize {
    let room = files.saturating_sub(FILES_BESIDE).max(files / 2);
    NonZeroUsize::new(room).map_or(NonZeroUsize::MIN, |room| room.min(wanted))
}

/// Makes an owner's key where there is no key yet, and returns it to be shown once. Beyond this machine nobody is
/// served before a person has made one.
fn let_somebody_in(
    settings: &Settings,
    keys: &KeyStore,
    args: &ServeArgs,
) -> Result<Option<String>> {
    if keys.has_valid_key(Timestamp::now())? {
        return Ok(None);
    }
    if !args.listen.ip().is_loopback() {
        return Err(bad_input!(
            "{} can be reached from other machines, and there is no key",
            args.listen
        )
        .with_hint("make one with `hardwon key add --role owner`, then serve again"));
    }
    Ok(Some(
        key::add_owner_key(&settings.scope.tenant, keys, "first key", None)?.reveal(),
    ))
}

/// Returns how many changes run at once: a file has one writer, a database one for each tenant.
fn count_writers(has_tenant_locks: bool) -> NonZeroUsize {
    const WRITERS: NonZeroUsize = NonZeroUsize::new(8).expect("it is not zero");
    if has_tenant_locks {
        WRITERS
    } else {
        NonZeroUsize::MIN
    }
}

/// Returns where the state of sessions is: with the lessons if several servers share them, else in a folder.
fn place_sessions(shared: Option<Arc<dyn SessionStore>>) -> Result<SessionFolders> {
    let folders = SessionFolders::new(&session_folder()?);
    Ok(match shared {
        Some(store) => folders.in_store(store),
        None => folders,
    })
}

pub(super) fn session_folder() -> Result<PathBuf> {
    Ok(config::state_folder()?.join("served"))
}

/// Says where it listens. The first key is on standard output, so that it can be piped to where it is kept.
fn print_start(server: &Server, first_key: Option<&str>) -> Result<()> {
    let address = server.address()?;
    print_note!("API at http://{address}/");
    if !address.ip().is_loopback() {
        output::print_note(
            "it speaks HTTP, which anybody on the way can read: let a proxy end TLS in front of it (docs/server.md)",
        );
    }
    print_note!("health and metrics at http://{}/", server.ops_address()?);
    if let Some(key) = first_key {
        output::print_note("the first key, an owner's; it is not shown again:");
        output::print_line(key)?;
    }
    Ok(())
}

/// Listens for being told to stop from now on, and waits for it: whoever reads an address may stop the process at once.
pub(super) fn wait_for_signal() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let signals = [
        signal::unix::SignalKind::interrupt(),
        signal::unix::SignalKind::terminate(),
    ]
    .map(signal::unix::signal);
    async move {
        #[cfg(unix)]
        if let [Ok(mut interrupt), Ok(mut terminate)] = signals {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
        signal::ctrl_c().await.ok();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_more_connections_than_files() {
        for (wanted, files, expected) in [
            (1024, 1280, 1024),
            (1024, 1024, 768),
            (1024, 80, 40),
            (8, 80, 8),
            (8, 1, 1),
        ] {
            let connections = NonZeroUsize::new(wanted).unwrap();
            let fitting = fit_connections(connections, files);
            assert_eq!(fitting.get(), expected, "{connections} {files}");
        }
    }
}

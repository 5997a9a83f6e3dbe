//! `hardwon serve`: lessons for many agents over HTTP.
//!
//! Opens the database and the keys, sees to it that somebody can get in, and hands over to `hardwon-server`.

use std::{num::NonZeroUsize, process::ExitCode, sync::Arc};

use hardwon_server::{Server, ServerConfig, ServerParts, SessionFolders};
use hardwon_store::{KeyStore, sessions::SessionStore};
use jiff::Timestamp;
use tokio::{runtime::Builder, select, signal};

use super::key;
use crate::{
    args::{GlobalArgs, ServeArgs},
    config::{self, Settings},
    error::CliError,
    open, output,
    server_store::{self, StorePlace},
};

pub(super) fn run(global: &GlobalArgs, args: &ServeArgs) -> Result<ExitCode, CliError> {
    super::refuse_scope_options(global, "a server serves every agent and project")?;
    let settings = Settings::load(global)?;
    let place = StorePlace::find(&args.store, global, &settings)?;
    let store = server_store::open_for_server(&place)?;
    let first_key = let_somebody_in(&settings, &*store.keys, args)?;
    let config = ServerConfig {
        listen: args.listen,
        ops_listen: args.ops_listen,
        writers: count_writers(store.shared_sessions.is_some()),
        ..ServerConfig::default()
    };
    let parts = ServerParts {
        engine: open::build_engine(&settings, store.lessons),
        keys: store.keys,
        sessions: place_sessions(store.shared_sessions)?,
    };
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = Server::bind(config, parts)?;
        print_start(&server, first_key.as_deref())?;
        server.run(wait_for_signal()).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Makes an owner's key where there is no key yet, and returns it to be shown once. Beyond this machine nobody is
/// served before a person has made one.
fn let_somebody_in(
    settings: &Settings,
    keys: &dyn KeyStore,
    args: &ServeArgs,
) -> Result<Option<String>, CliError> {
    if keys.has_valid_key(Timestamp::now())? {
        return Ok(None);
    }
    if !args.listen.ip().is_loopback() {
        let message = format!(
            "{} can be reached from other machines, and there is no key",
            args.listen
        );
        return Err(CliError::bad_input(message)
            .with_hint("make one with `hardwon key add --role owner`, then serve again"));
    }
    Ok(Some(key::add_first_key(settings, keys)?.reveal()))
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
fn place_sessions(shared: Option<Arc<dyn SessionStore>>) -> Result<SessionFolders, CliError> {
    let folders = SessionFolders::new(&config::state_folder()?.join("served"));
    Ok(match shared {
        Some(store) => folders.in_store(store),
        None => folders,
    })
}

/// Says where it listens. The first key is on standard output, so that it can be piped to where it is kept.
fn print_start(server: &Server, first_key: Option<&str>) -> Result<(), CliError> {
    output::print_note(&format!("API at http://{}/", server.address()?));
    output::print_note(&format!(
        "health and metrics at http://{}/",
        server.ops_address()?
    ));
    if let Some(key) = first_key {
        output::print_note("the first key, an owner's; it is not shown again:");
        output::print_line(key)?;
    }
    Ok(())
}

/// Returns when the process is told to stop.
async fn wait_for_signal() {
    #[cfg(unix)]
    {
        let terminate = signal::unix::signal(signal::unix::SignalKind::terminate());
        if let Ok(mut terminate) = terminate {
            select! {
                _ = terminate.recv() => {}
                _ = signal::ctrl_c() => {}
            }
            return;
        }
    }
    signal::ctrl_c().await.ok();
}

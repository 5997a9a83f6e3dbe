//! `hardwon open`: the page, for whoever owns this machine's lessons.
//!
//! Serves to this machine alone, on a port that is free, with a key of its own that nobody sees and that is revoked at
//! the end. Should the process be killed, the key ends by itself.

use std::{
    io,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use hardwon_core::{ProjectId, TenantId};
use hardwon_server::{
    KeyId, KeyStore, PauseNote, Server, ServerConfig, ServerParts, SessionFolders,
};
use jiff::SignedDuration;
#[cfg(unix)]
use tokio::signal::unix;
use tokio::{runtime::Builder, select};

use super::{key, pause, serve};
use crate::{
    CliError, GlobalArgs, Result, Settings, StorePlace, input, open, output, server_store,
};

/// How long the key lasts if nobody revokes it: as long as a session in the browser.
const KEY_HOURS: i64 = 8;

pub(super) fn run(global: &GlobalArgs, print: bool, idle: SignedDuration) -> Result<()> {
    if global.agent.is_some() {
        return Err(bad_input!(
            "--agent has no meaning here: the page shows every agent"
        ));
    }
    let settings = Settings::load(global)?;
    let place = StorePlace::File(settings.db.clone());
    let keys: Arc<KeyStore> = Arc::new(server_store::open_keys(&place)?);
    let engine = open::open_writer(&settings)?;
    // An empty page would tell somebody who has lessons elsewhere that there are none.
    let projects = engine.acting_as(settings.person()).projects()?;
    let here = settings.scope.project.as_ref();
    let here = here.filter(|project| projects.contains(project));
    let parts = ServerParts {
        engine,
        keys: Arc::clone(&keys),
        sessions: SessionFolders::new(&serve::session_folder()?),
        group_model: serve::build_group_model(&settings),
    };
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let _entered = runtime.enter();
    let server = Server::bind(local_config(&settings), parts)?;
    let key = OwnKey::add(keys, &settings.scope.tenant)?;
    let path = server.login_links().make_path(&key.id, here)?;
    let link = format!("http://{}{path}", server.address()?);
    let result = runtime.block_on(serve_page(server, &link, print, idle));
    key.revoke()?;
    result
}

/// Listens on this machine, wherever there is a free port, and ends without waiting for a balancer.
fn local_config(settings: &Settings) -> ServerConfig {
    let free = (std::net::Ipv4Addr::LOCALHOST, 0).into();
    ServerConfig {
        listen: free,
        ops_listen: free,
        stop_notice: Duration::ZERO,
        drain_timeout: Duration::from_secs(2),
        default_agent: settings.scope.agent.clone(),
        transcripts: input::locate_sessions(),
        find_pause: Some(find_pause),
        // What leads out of the machine is for a server that somebody set up to run.
        sweeps: settings.sweeps,
        ..ServerConfig::default()
    }
}

fn find_pause(project: Option<&ProjectId>) -> Option<PauseNote> {
    pause::find_pause(project).map(|pause| PauseNote {
        is_everywhere: pause.everywhere,
        until: pause.until,
    })
}

async fn serve_page(server: Server, link: &str, print: bool, idle: SignedDuration) -> Result<()> {
    let idle = Duration::try_from(idle);
    let idle = idle.map_err(|_| CliError::bad_input("--idle is a time from now on"))?;
    let usage = server.usage();
    let signal = serve::wait_for_signal();
    let until = async {
        select! {
            () = signal => {}
            () = wait_for_hang_up() => {}
            () = usage.wait_until_idle(idle) => output::print_note("nobody used the page; it is closed"),
        }
    };
    let is_shown = !print && start_browser(link).is_ok();
    if is_shown {
        output::print_note("the page opens in the browser; Ctrl-C closes it");
    } else {
        output::print_note("open this link within a minute, once; Ctrl-C closes the page");
        output::print_line(link)?;
    }
    Ok(server.run(until).await?)
}

/// Returns when the terminal is closed.
async fn wait_for_hang_up() {
    #[cfg(unix)]
    if let Ok(mut hang_up) = unix::signal(unix::SignalKind::hangup()) {
        hang_up.recv().await;
        return;
    }
    std::future::pending::<()>().await;
}

/// Has the system open a link in the person's browser.
fn start_browser(link: &str) -> io::Result<()> {
    let (program, words): (&str, &[&str]) = match () {
        () if cfg!(target_os = "macos") => ("open", &[]),
        // Not `start` of `cmd`, which would read a sign in the link as its own.
        () if cfg!(windows) => ("rundll32", &["url.dll,FileProtocolHandler"]),
        () => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(words).arg(link);
    let nothing = (Stdio::null(), Stdio::null(), Stdio::null());
    command.stdin(nothing.0).stdout(nothing.1).stderr(nothing.2);
    let mut browser = command.spawn()?;
    // It may go on for as long as the browser runs; somebody has to take note of its end.
    std::thread::spawn(move || drop(browser.wait()));
    Ok(())
}

/// The key that opens the page.
struct OwnKey {
    keys: Arc<KeyStore>,
    id: KeyId,
}

impl OwnKey {
    fn add(keys: Arc<KeyStore>, tenant: &TenantId) -> Result<Self> {
        let expires = Some(SignedDuration::from_hours(KEY_HOURS));
        let key = key::add_owner_key(tenant, &keys, "hardwon open", expires)?;
        Ok(Self {
            keys,
            id: key.id().clone(),
        })
    }

    /// Revokes it, and with it the sessions that it opened.
    fn revoke(self) -> Result<()> {
        self.keys.revoke_key(&key::order_as_owner(), &self.id)?;
        Ok(())
    }
}

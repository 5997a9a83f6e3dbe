//! `hardwon mcp`'s side of the MCP server: calls that go by a person's settings, in a client's folder.
//!
//! The tools are in `hardwon_mcp`. Every call stands on its own: it reads the settings, opens the database,
//! answers and closes it. So a database that is broken, moved or restored spoils single calls and never the
//! server, and several servers can share one.

mod forward;
mod root;
mod transport;

use std::{path::PathBuf, sync::Arc};

use hardwon_api::v1::verbs::{Members, VerbEffect};
use hardwon_core::ClientName;
use hardwon_engine::{Engine, FileSessions, Principal};
use hardwon_mcp::{CallContext, CallingAgent, McpDoor, McpError, McpRequest};

use serde_json::Value;

use self::root::ClientRoot;
use crate::{CliError, ExitReason, GlobalArgs, Settings, config, open, output};

pub use transport::FirstRequestTransport;

/// The door of a person's own agents: what the server was started with, and the folder that its client works in.
#[derive(Debug, Clone)]
pub struct SettingsDoor {
    global: Arc<GlobalArgs>,
    root: ClientRoot,
}

impl SettingsDoor {
    /// Makes a door with these settings from the command line.
    pub fn new(global: GlobalArgs) -> Self {
        Self {
            global: Arc::new(global),
            root: ClientRoot::default(),
        }
    }
}

impl McpDoor for SettingsDoor {
    /// The folder that the client works in, if it tells one.
    type Origin = Option<PathBuf>;
    type Context = SettingsCall;

    async fn find_origin(&self, request: &McpRequest) -> Option<PathBuf> {
        self.root.find_folder(request).await
    }

    fn open_call(
        &self,
        folder: Option<PathBuf>,
        client: Option<ClientName>,
    ) -> Result<SettingsCall, McpError> {
        let settings = Settings::load_in(&self.global, folder.as_deref())?;
        let state = config::state_folder().ok();
        Ok(SettingsCall {
            agent: CallingAgent {
                principal: Principal::agent(settings.scope.clone(), false),
                client,
                sessions: state.map(|folder| Box::new(FileSessions::new(&folder)) as _),
            },
            settings,
        })
    }

    async fn forget_roots(&self) {
        self.root.forget().await;
    }
}

/// One call: the settings as they are now, for the folder that the client works in.
pub struct SettingsCall {
    settings: Settings,
    agent: CallingAgent,
}

impl CallContext for SettingsCall {
    fn agent(&self) -> &CallingAgent {
        &self.agent
    }

    fn open_engine(&self, effect: VerbEffect) -> Result<Arc<Engine>, McpError> {
        Ok(Arc::new(open::open_for(&self.settings, effect)?))
    }

    fn forward_call(&self, tool: &str, arguments: &Members) -> Option<Result<Value, McpError>> {
        let place = self.settings.server.as_ref()?;
        Some(forward::forward_call(
            place,
            self.agent.client.as_ref(),
            tool,
            arguments,
        ))
    }

    fn report_trouble(&self, trouble: &str) {
        output::print_note(trouble);
    }

    /// The agent is the person's own: it may say what is broken, and perhaps mend it.
    fn hides_faults(&self) -> bool {
        false
    }
}

impl From<CliError> for McpError {
    fn from(error: CliError) -> Self {
        let message = error.message();
        let mcp_error = match error.reason {
            ExitReason::Negative | ExitReason::BadInput => Self::refused(message),
            ExitReason::Partial | ExitReason::Internal => Self::fault(message),
        };
        match error.hint() {
            Some(hint) => mcp_error.with_hint(hint),
            None => mcp_error,
        }
    }
}

//! A client of the server: the official SDK's own, without its waiting.

#![expect(deprecated, reason = "older clients have roots")]

use std::{path::Path, time::Duration};

use rmcp::{
    ClientHandler, RoleClient, ServiceError,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientConfig, ErrorData, GetPromptRequestParams,
        Implementation, ListRootsResult, ProtocolVersion, ReadResourceRequestParams, Root,
    },
    service::{ClientLifecycleMode, RequestContext, RunningService, serve_client_with_lifecycle},
    transport::TokioChildProcess,
};
use serde_json::Value;
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};

use crate::env::TestEnv;

/// How a client and the server come to know each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Every request carries all (2026-07-28).
    Requests,
    /// There is a handshake, for this version.
    Handshake(&'static str),
}

impl Era {
    pub(crate) const ALL: [Self; 4] = [
        Self::Requests,
        Self::Handshake("2025-11-25"),
        Self::Handshake("2025-06-18"),
        Self::Handshake("2025-03-26"),
    ];
}

/// A client that works in these folders.
struct Client {
    version: ProtocolVersion,
    roots: Vec<String>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if !self.roots.is_empty() {
            capabilities = ClientCapabilities::builder().enable_roots().build();
        }
        ClientConfig::new(capabilities, Implementation::new("it-client", "1"))
            .with_protocol_version(self.version.clone())
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(
            self.roots.iter().map(Root::new).collect(),
        ))
    }
}

/// A running server and its client.
pub(crate) struct Session {
    runtime: Runtime,
    client: RunningService<RoleClient, Client>,
}

impl Session {
    pub(crate) fn open(env: &TestEnv, era: Era) -> Self {
        Self::open_in(env, era, &env.work(), &[])
    }

    pub(crate) fn open_in(env: &TestEnv, era: Era, folder: &Path, roots: &[&str]) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let mut command = env.command();
        command.arg("mcp").current_dir(folder);
        let (version, lifecycle) = match era {
            Era::Requests => {
                let latest = ProtocolVersion::V_2026_07_28;
                let preferred_versions = vec![latest.clone()];
                (latest, ClientLifecycleMode::Discover { preferred_versions })
            }
            Era::Handshake(version) => {
                let version = serde_json::from_value(Value::from(version)).unwrap();
                (version, ClientLifecycleMode::Initialize)
            }
        };
        let client = Client {
            version,
            roots: roots.iter().map(|&root| root.to_owned()).collect(),
        };
        let client = runtime.block_on(async {
            let command = tokio::process::Command::from(command);
            let transport = TokioChildProcess::new(command).unwrap();
            serve_client_with_lifecycle(client, transport, lifecycle).await
        });
        Self {
            runtime,
            client: client.unwrap(),
        }
    }

    /// Waits for an answer, and not for ever.
    fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, ServiceError>>,
    ) -> Result<T, ServiceError> {
        let patient = async { timeout(Duration::from_secs(60), answer).await };
        self.runtime.block_on(patient).expect("an answer in time")
    }

    /// What the server said about itself.
    pub(crate) fn server(&self) -> Value {
        serde_json::to_value(&*self.client.peer_info().unwrap()).unwrap()
    }

    pub(crate) fn tools(&self) -> Vec<Value> {
        let tools = self.wait(self.client.list_all_tools()).unwrap();
        tools
            .iter()
            .map(|tool| serde_json::to_value(tool).unwrap())
            .collect()
    }

    pub(crate) fn resources(&self) -> Vec<String> {
        let resources = self.wait(self.client.list_all_resources()).unwrap();
        resources.into_iter().map(|resource| resource.uri).collect()
    }

    pub(crate) fn templates(&self) -> Vec<String> {
        let templates = self
            .wait(self.client.list_all_resource_templates())
            .unwrap();
        templates
            .into_iter()
            .map(|template| template.uri_template)
            .collect()
    }

    pub(crate) fn prompts(&self) -> Vec<String> {
        let prompts = self.wait(self.client.list_all_prompts()).unwrap();
        prompts.into_iter().map(|prompt| prompt.name).collect()
    }

    /// Calls a tool, and returns the result as it came.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Value {
        serde_json::to_value(self.try_call(tool, arguments).unwrap()).unwrap()
    }

    fn try_call(
        &self,
        tool: &str,
        arguments: Value,
    ) -> Result<rmcp::model::CallToolResult, ServiceError> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        let call = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.wait(self.client.call_tool(call))
    }

    /// Calls a tool that must work, and returns its value; the text says the same.
    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let value = result["structuredContent"].clone();
        assert_eq!(text, value.to_string(), "{tool}");
        value
    }

    /// Calls a tool that must say no, and returns what it says.
    pub(crate) fn refused(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        assert!(
            result.get("structuredContent").is_none(),
            "{tool}: {result}"
        );
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Calls what is no tool, and returns the error's code.
    pub(crate) fn protocol_error(&self, tool: &str, arguments: Value) -> i32 {
        code(self.try_call(tool, arguments).unwrap_err()).0
    }

    /// Reads a resource that must be there.
    pub(crate) fn read(&self, uri: &str) -> Value {
        let read = self
            .client
            .read_resource(ReadResourceRequestParams::new(uri));
        let result = serde_json::to_value(self.wait(read).unwrap()).unwrap();
        let contents = &result["contents"][0];
        assert_eq!(
            (contents["uri"].as_str(), contents["mimeType"].as_str()),
            (Some(uri), Some("application/json"))
        );
        serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
    }

    /// Reads a resource that must not be there; returns the error's code and words.
    pub(crate) fn cannot_read(&self, uri: &str) -> (i32, String) {
        let read = self
            .client
            .read_resource(ReadResourceRequestParams::new(uri));
        code(self.wait(read).unwrap_err())
    }

    /// Gets a prompt's text, or the error's code.
    pub(crate) fn prompt(&self, name: &str, arguments: Value) -> Result<String, i32> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        let get = GetPromptRequestParams::new(name).with_arguments(arguments);
        let result = self.wait(self.client.get_prompt(get));
        let result = result.map_err(|error| code(error).0)?;
        let result = serde_json::to_value(result).unwrap();
        let message = &result["messages"][0];
        assert_eq!(message["role"], "user");
        Ok(message["content"]["text"].as_str().unwrap().to_owned())
    }
}

fn code(error: ServiceError) -> (i32, String) {
    match error {
        ServiceError::McpError(error) => (error.code.0, error.message.into_owned()),
        other => panic!("{other}"),
    }
}

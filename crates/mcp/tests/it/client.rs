//! The official SDK's client over HTTP, and requests as bare text.

use std::{
    collections::HashMap,
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::Arc,
    time::Duration,
};

use ::http::{HeaderName, HeaderValue};
use futures_core::stream::BoxStream;
use rmcp::{
    RoleClient, ServiceError,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientConfig, ClientJsonRpcMessage,
        GetPromptRequestParams, Implementation, ProtocolVersion, ReadResourceRequestParams,
    },
    service::{ClientLifecycleMode, RunningService, serve_client_with_lifecycle},
    transport::{
        StreamableHttpClientTransport,
        streamable_http_client::{
            SseError, StreamableHttpClient, StreamableHttpClientTransportConfig,
            StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};
use serde_json::Value;
use sse_stream::Sse;

use crate::server::TestServer;

/// How a client and the server come to know each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Every request carries all (2026-07-28).
    Requests,
    /// There is a handshake, for this version.
    Handshake(&'static str),
}

impl Era {
    pub(crate) const ALL: [Self; 5] = [
        Self::Requests,
        Self::Handshake("2025-11-25"),
        Self::Handshake("2025-06-18"),
        Self::Handshake("2025-03-26"),
        Self::Handshake("2024-11-05"),
    ];

    fn lifecycle(self) -> (ProtocolVersion, ClientLifecycleMode) {
        match self {
            Self::Requests => {
                let latest = ProtocolVersion::V_2026_07_28;
                let preferred_versions = vec![latest.clone()];
                (latest, ClientLifecycleMode::Discover { preferred_versions })
            }
            Self::Handshake(version) => {
                let version = serde_json::from_value(Value::from(version)).unwrap();
                (version, ClientLifecycleMode::Initialize)
            }
        }
    }
}

/// The wire below the SDK's client: it posts, and takes answers in JSON.
#[derive(Clone)]
struct Wire(ureq::Agent);

type EventStream = BoxStream<'static, Result<Sse, SseError>>;
type WireError = StreamableHttpError<ureq::Error>;

impl StreamableHttpClient for Wire {
    type Error = ureq::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        key: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, WireError> {
        assert_eq!(session, None, "the server keeps no sessions");
        let mut post = self.0.post(&*uri).content_type("application/json");
        post = post.header("accept", "application/json, text/event-stream");
        post = post.header("authorization", format!("Bearer {}", key.unwrap()));
        for (name, value) in headers {
            post = post.header(name, value);
        }
        let body = serde_json::to_string(&message)?;
        let answer = tokio::task::spawn_blocking(move || post.send(body)).await?;
        let mut answer = answer.map_err(StreamableHttpError::Client)?;
        if answer.status() == 202 {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        assert_eq!(answer.headers()["content-type"], "application/json");
        let text = answer.body_mut().read_to_string().unwrap();
        Ok(StreamableHttpPostResponse::Json(
            serde_json::from_str(&text)?,
            None,
        ))
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        _: Arc<str>,
        _: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), WireError> {
        Err(StreamableHttpError::ServerDoesNotSupportDeleteSession)
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        _: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<EventStream, WireError> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}

/// A client with a key.
pub(crate) struct Session(RunningService<RoleClient, ClientConfig>);

impl Session {
    pub(crate) async fn open(server: &TestServer, era: Era, key: &str) -> Self {
        let (version, lifecycle) = era.lifecycle();
        let name = Implementation::new("it-client", "1");
        let client =
            ClientConfig::new(ClientCapabilities::default(), name).with_protocol_version(version);
        let uri = format!("http://{}/mcp", server.address);
        let config = StreamableHttpClientTransportConfig::with_uri(uri).auth_header(key);
        let settings = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)));
        let wire = Wire(settings.build().new_agent());
        let transport = StreamableHttpClientTransport::with_client(wire, config);
        let running = serve_client_with_lifecycle(client, transport, lifecycle).await;
        Self(running.unwrap())
    }

    pub(crate) async fn tools(&self) -> Vec<String> {
        let tools = self.0.list_all_tools().await.unwrap();
        tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    pub(crate) async fn resources(&self) -> Vec<String> {
        let resources = self.0.list_all_resources().await.unwrap();
        resources.into_iter().map(|it| it.uri).collect()
    }

    /// Calls a tool, and returns the result as it came.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let arguments = serde_json::from_value(arguments).unwrap();
        let call = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        serde_json::to_value(self.0.call_tool(call).await.unwrap()).unwrap()
    }

    /// Calls a tool that must work, and returns its value.
    pub(crate) async fn ok(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that must say no, and returns what it says.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Reads a resource, or returns the error's code.
    pub(crate) async fn read(&self, uri: &str) -> Result<Value, i32> {
        let read = ReadResourceRequestParams::new(uri);
        let result = self.0.read_resource(read).await.map_err(error_code)?;
        let result = serde_json::to_value(result).unwrap();
        Ok(serde_json::from_str(result["contents"][0]["text"].as_str().unwrap()).unwrap())
    }

    /// Gets a prompt's text, or the error's code.
    pub(crate) async fn prompt(&self, name: &str, arguments: Value) -> Result<String, i32> {
        let arguments = serde_json::from_value(arguments).unwrap();
        let get = GetPromptRequestParams::new(name).with_arguments(arguments);
        let result = self.0.get_prompt(get).await.map_err(error_code)?;
        let result = serde_json::to_value(result).unwrap();
        let text = result["messages"][0]["content"]["text"].as_str();
        Ok(text.unwrap().to_owned())
    }
}

fn error_code(error: ServiceError) -> i32 {
    match error {
        ServiceError::McpError(error) => error.code.0,
        other => panic!("{other}"),
    }
}

/// Posts a body with these headers besides, and returns the status and the answer.
pub(crate) async fn post_plain(
    server: &TestServer,
    headers: &[(&str, &str)],
    body: String,
) -> (u16, String) {
    let mut head = "POST /mcp HTTP/1.1\r\nauthorization: Bearer agent-orchard\r\n\
        accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n"
        .to_owned();
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!(
        "connection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    ));
    let address = server.address;
    let exchange = move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // The server may have answered and closed before it has read all.
        drop(stream.write_all(body.as_bytes()));
        let mut told = Vec::new();
        drop(stream.read_to_end(&mut told));
        String::from_utf8(told).unwrap()
    };
    let told = tokio::task::spawn_blocking(exchange).await.unwrap();
    let status = told.split(' ').nth(1).unwrap().parse().unwrap();
    (status, told)
}

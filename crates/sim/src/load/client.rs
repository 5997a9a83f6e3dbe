//! Requests to the server, and what is checked of their answers.

use anyhow::{Context as _, bail, ensure};
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, body::Bytes, client::conn::http1::SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::setup::{LoadTenant, LoadedServer};

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// The floor: a route that does nothing.
    Health,
    Recall,
    Add,
    List,
}

/// A request that was drawn.
#[derive(Debug)]
pub(super) struct LoadRequest {
    kind: RequestKind,
    tenant: usize,
    body: Option<Value>,
}

impl LoadRequest {
    pub(super) fn draw(
        kind: RequestKind,
        server: &LoadedServer,
        random: &mut fastrand::Rng,
    ) -> Self {
        let tenant = server.draw_tenant(random);
        let texts = &server.tenants[tenant];
        let body = match kind {
            RequestKind::Recall => Some(json!({
                "prompt": texts.draw_prompt(random),
                "agent_id": texts.name,
            })),
            RequestKind::Add => Some(json!({
                "signature": texts.draw_prompt(random),
                "lesson_text": format!("{} {:016x}", texts.draw_prompt(random), random.u64(..)),
                "agent_id": texts.name,
            })),
            RequestKind::Health | RequestKind::List => None,
        };
        Self { kind, tenant, body }
    }

    fn path(&self) -> &'static str {
        match self.kind {
            RequestKind::Health => "/healthz",
            RequestKind::Recall => "/v1/recall",
            RequestKind::Add => "/v1/lessons",
            RequestKind::List => "/v1/lessons?limit=10",
        }
    }
}

/// A connection that is kept open.
pub(super) struct LoadConnection {
    api: SendRequest<Full<Bytes>>,
    ops: SendRequest<Full<Bytes>>,
}

impl LoadConnection {
    pub(super) async fn open(server: &LoadedServer) -> anyhow::Result<Self> {
        Ok(Self {
            api: connect(&server.address).await?,
            ops: connect(&server.ops_address).await?,
        })
    }

    /// Sends a request, and checks the answer.
    pub(super) async fn send(
        &mut self,
        server: &LoadedServer,
        asked: LoadRequest,
    ) -> anyhow::Result<()> {
        let tenant = &server.tenants[asked.tenant];
        let (sender, address) = match asked.kind {
            RequestKind::Health => (&mut self.ops, &server.ops_address),
            _ => (&mut self.api, &server.address),
        };
        let method = if asked.body.is_some() { "POST" } else { "GET" };
        let body = asked
            .body
            .as_ref()
            .map(Value::to_string)
            .unwrap_or_default();
        let request = Request::builder()
            .method(method)
            .uri(asked.path())
            .header("host", address)
            .header("authorization", &tenant.authorization)
            .body(Full::new(Bytes::from(body)))?;
        sender.ready().await?;
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        ensure!(status.is_success(), "{status} from {}", asked.path());
        check_answer(asked.kind, tenant, &body)?;
        if asked.kind == RequestKind::Add {
            tenant.note_acknowledged(&body)?;
        }
        Ok(())
    }
}

async fn connect(address: &str) -> anyhow::Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await.context("connecting")?;
    stream.set_nodelay(true)?;
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

/// No lesson in an answer is another tenant's: each tenant's have an agent of its name.
fn check_answer(kind: RequestKind, tenant: &LoadTenant, body: &[u8]) -> anyhow::Result<()> {
    let answer: Value = match kind {
        RequestKind::Health => return Ok(()),
        _ => serde_json::from_slice(body)?,
    };
    let lessons: Vec<&Value> = match kind {
        RequestKind::Add => vec![&answer["lesson"]],
        RequestKind::Recall => {
            let found = answer["lessons"].as_array().context("no lessons")?;
            found.iter().map(|entry| &entry["lesson"]).collect()
        }
        _ => answer["lessons"]
            .as_array()
            .context("no lessons")?
            .iter()
            .collect(),
    };
    for lesson in lessons {
        if lesson["agent_id"] != *tenant.name {
            bail!(
                "{} was given a lesson of {}",
                tenant.name,
                lesson["agent_id"]
            );
        }
    }
    Ok(())
}

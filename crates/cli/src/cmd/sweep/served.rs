//! Sweeps of lessons that a server keeps: it looks, applies and takes back, and this machine shows what it says.
//!
//! The copy that is here is left alone; it follows.

use std::time::Duration;

use hardwon_adapters::{ServerClient, ServerTrouble};
use hardwon_api::v1::sweep::{
    SweepPlanDto, SweepRecordDto,
    served::{AppliedSweepReply, SweepPlanReply, SweepsReply, UndoneSweepReply},
};
use hardwon_engine::PlanId;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::SweepKeeper;
use crate::{CliError, PlanText, RemotePlace, Result, Settings};

/// How long the server may take. A look may ask its model, for a minute at most.
const LIMIT: Duration = Duration::from_secs(150);

/// What a server says that has no model: as without one here, that is nothing to tell.
const NO_MODEL: &str = "this server has no model";

/// The server that keeps the lessons, as one who sweeps sees it.
pub(super) struct SweepServer<'a> {
    client: ServerClient,
    settings: &'a Settings,
}

impl<'a> SweepServer<'a> {
    pub(super) fn new(settings: &'a Settings, place: &RemotePlace) -> Result<Self> {
        let client = place.connect()?;
        Ok(Self { client, settings })
    }

    fn plan(&self, asks_model: bool) -> Result<SweepPlanReply, ServerTrouble> {
        let scope = &self.settings.scope;
        let agent = self.settings.is_agent_named.then(|| scope.agent.as_str());
        let project = scope.project.as_ref().map(|project| project.as_str());
        let project = project.filter(|_| self.settings.is_project_named);
        let body = json!({"agent_id": agent, "project": project, "model": asks_model});
        self.post("/v1/sweeps/plans", &body)
    }

    fn post<T: DeserializeOwned>(&self, path: &str, body: &Value) -> Result<T, ServerTrouble> {
        let answer = self.client.post_with(path, &[], &body.to_string(), LIMIT)?;
        read_reply(&answer)
    }
}

impl SweepKeeper for SweepServer<'_> {
    fn look(&self, by_rules: bool) -> Result<(SweepPlanReply, Option<String>)> {
        let look_error = |trouble: ServerTrouble| describe("looking at its lessons", &trouble);
        if by_rules {
            return Ok((self.plan(false).map_err(look_error)?, None));
        }
        match self.plan(true) {
            Ok(reply) => Ok((reply, None)),
            // It has no model, or another sweep is asking it.
            Err(ServerTrouble::Refused(why)) => {
                let reply = self.plan(false).map_err(look_error)?;
                Ok((reply, Some(why).filter(|why| !why.contains(NO_MODEL))))
            }
            Err(other) => Err(look_error(other)),
        }
    }

    fn apply(&self, text: &PlanText) -> Result<AppliedSweepReply> {
        let plan = text.parse(SweepPlanDto::parse)?;
        let reply = self.post("/v1/sweeps", &json!({"plan": plan}));
        reply.map_err(|trouble| describe("applying the plan", &trouble))
    }

    fn undo(&self, id: &PlanId) -> Result<UndoneSweepReply> {
        let reply = self.post(&format!("/v1/sweeps/{id}/undo"), &json!({}));
        reply.map_err(|trouble| describe("taking the sweep back", &trouble))
    }

    fn list(&self) -> Result<Vec<SweepRecordDto>> {
        let answer = self.client.get("/v1/sweeps", &[], LIMIT);
        let reply = answer.and_then(|text| read_reply::<SweepsReply>(&text));
        let reply = reply.map_err(|trouble| describe("listing its sweeps", &trouble))?;
        Ok(reply.sweeps)
    }
}

fn read_reply<T: DeserializeOwned>(text: &str) -> Result<T, ServerTrouble> {
    let strange = || "its answer is not that of a hardwon server".to_owned();
    serde_json::from_str(text).map_err(|_| ServerTrouble::Unreachable(strange()))
}

/// Says in the server's own words why it did not do something.
fn describe(doing: &str, trouble: &ServerTrouble) -> CliError {
    let error = bad_input!("the server that keeps the lessons, {doing}: {trouble}");
    match trouble {
        ServerTrouble::Denied(_) => error.with_hint("a sweep needs a key that may curate lessons"),
        ServerTrouble::Unreachable(_)
        | ServerTrouble::Busy { .. }
        | ServerTrouble::KeyRefused(_)
        | ServerTrouble::Refused(_) => error,
    }
}

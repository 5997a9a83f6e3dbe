//! Sweeps of lessons that a server keeps: it looks, applies and takes back, and this machine shows what it says.
//!
//! The copy that is here is left alone; it follows. What comes from the server is text from outside, and is shown without
//! control characters.

use std::{path::Path, process::ExitCode, time::Duration};

use hardwon_adapters::{ServerClient, ServerTrouble};
use hardwon_api::v1::sweep::SweepPlanDto;
use hardwon_core::plan::PlanId;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    args::SweepArgs,
    config::{
        Settings,
        server::{ServerSettings, make_client},
    },
    error::{CliError, ExitReason},
    output,
    plan_file::PlanningCommand,
    time,
};

/// How long the server may take. A look may ask its model, for a minute at most.
const LIMIT: Duration = Duration::from_secs(150);
/// What a timer is told.
const SWEEPS_ITSELF: &str = "the lessons are kept by a server, which sweeps them at night by itself \
    (its `--sweep-hour`)";

/// What a server says that has no model: as without one here, that is nothing to tell.
const NO_MODEL: &str = "this server has no model";

/// The server that keeps the lessons, as one who sweeps sees it.
struct SweepServer<'a> {
    client: ServerClient,
    settings: &'a Settings,
}

pub(super) fn run(
    settings: &Settings,
    server: &ServerSettings,
    args: &SweepArgs,
) -> Result<ExitCode, CliError> {
    if args.schedule.is_some() || args.unattended {
        return super::skip(SWEEPS_ITSELF);
    }
    let client = make_client(
        server.address.clone(),
        server.read_key()?,
        server.ca_file.as_deref(),
    )?;
    let server = SweepServer { client, settings };
    match (&args.apply, &args.undo) {
        (Some(file), _) => server.apply(file.as_deref(), args),
        (None, Some(id)) => server.undo(id, args),
        (None, None) if args.list => server.list(args),
        (None, None) => server.look(args),
    }
}

impl SweepServer<'_> {
    fn look(&self, args: &SweepArgs) -> Result<ExitCode, CliError> {
        let (reply, why_by_rules) = self.plan_as_asked(args.rules)?;
        let (plan, digest) = (&reply["plan"], text_of(&reply, "digest"));
        let json = output::to_json(plan)? + "\n";
        if let Some(path) = &args.plan {
            super::write_file(path, &json)?;
        }
        if let Some(path) = &args.digest {
            let is_json = path.extension().is_some_and(|it| it == "json");
            super::write_file(path, if is_json { &json } else { digest })?;
        }
        match args.json {
            true => output::print(&json)?,
            false => output::print(&output::replace_controls(digest))?,
        }
        if let Some(why) = why_by_rules {
            output::print_note(&format!("its model was not asked: {why}"));
        }
        let state = text_of(&reply, "state");
        if !args.json {
            super::keep_shown((state == "to_apply").then_some(&json))?;
        }
        Ok(match state {
            "model_away" => ExitReason::Partial.exit_code(),
            other => ExitReason::Negative.exit_code_if(other != "nothing_to_do"),
        })
    }

    /// Returns the server's plan, and why it did not ask its model, if it has one and was to.
    fn plan_as_asked(&self, by_rules: bool) -> Result<(Value, Option<String>), CliError> {
        let failed = |it: ServerTrouble| describe("looking at its lessons", &it);
        if by_rules {
            return Ok((self.plan(false).map_err(failed)?, None));
        }
        match self.plan(true) {
            Ok(reply) => Ok((reply, None)),
            // It has no model, or another sweep is asking it.
            Err(ServerTrouble::Refused(why)) => {
                let reply = self.plan(false).map_err(failed)?;
                Ok((reply, Some(why).filter(|it| !it.contains(NO_MODEL))))
            }
            Err(other) => Err(failed(other)),
        }
    }

    fn plan(&self, asks_model: bool) -> Result<Value, ServerTrouble> {
        let scope = &self.settings.scope;
        let agent = self.settings.is_agent_named.then(|| scope.agent.as_str());
        let project = scope.project.as_ref().map(|it| it.as_str());
        let project = project.filter(|_| self.settings.is_project_named);
        let body = json!({"agent_id": agent, "project": project, "model": asks_model});
        self.post("/v1/sweeps/plans", &body)
    }

    fn apply(&self, file: Option<&Path>, args: &SweepArgs) -> Result<ExitCode, CliError> {
        let text = PlanningCommand::Sweep.read_plan(file)?;
        let plan = text.parse(SweepPlanDto::parse)?;
        let reply = self.post("/v1/sweeps", &json!({"plan": plan}));
        let reply = reply.map_err(|it| describe("applying the plan", &it))?;
        if args.json {
            output::print_json(&reply["sweep"])?;
            return Ok(exit_code_of(&reply));
        }
        let (done, id) = (&reply["sweep"], text_of(&reply["sweep"], "id"));
        let count = |name: &str| done[name].as_array().map_or(0, Vec::len);
        let retired = count("retired");
        print_cleaned(&format!(
            "sweep {id}: {} retired, {} added",
            output::pluralize(retired as u64, "lesson"),
            count("added")
        ))?;
        for left in done["left_out"].as_array().into_iter().flatten() {
            let ids = join_ids(&left["members"]);
            print_cleaned(&format!("  left out {ids}: {}", text_of(left, "why")))?;
        }
        if retired > 0 {
            print_cleaned(&format!("`hardwon sweep --undo {id}` takes it back"))?;
        }
        Ok(exit_code_of(&reply))
    }

    fn undo(&self, id: &str, args: &SweepArgs) -> Result<ExitCode, CliError> {
        let id: PlanId = super::parse_id(id)?;
        let reply = self.post(&format!("/v1/sweeps/{id}/undo"), &json!({}));
        let reply = reply.map_err(|it| describe("taking the sweep back", &it))?;
        let undone = &reply["sweep"];
        if args.json {
            output::print_json(undone)?;
            return Ok(exit_code_of(&reply));
        }
        let restored = undone["restored"].as_array().map_or(0, Vec::len);
        let restored = output::pluralize(restored as u64, "lesson");
        output::print_line(&format!("sweep {id} was taken back: {restored} as before"))?;
        for left in undone["left"].as_array().into_iter().flatten() {
            print_cleaned(&format!("  #{left} was changed since, and stays as it is"))?;
        }
        Ok(exit_code_of(&reply))
    }

    fn list(&self, args: &SweepArgs) -> Result<ExitCode, CliError> {
        let answer = self.client.get("/v1/sweeps", &[], LIMIT);
        let reply = answer.and_then(|it| read_reply(&it));
        let reply = reply.map_err(|it| describe("listing its sweeps", &it))?;
        let rows = reply["sweeps"].as_array().map_or(&[][..], Vec::as_slice);
        for row in rows {
            if args.json {
                output::print_json(row)?;
                continue;
            }
            let at = text_of(row, "at").parse::<Timestamp>().ok();
            let at = at.map(time::format_local).unwrap_or_default();
            let undone = match row["undone"].as_bool() {
                Some(true) => ", taken back",
                Some(false) | None => "",
            };
            let (id, actor) = (text_of(row, "id"), text_of(row, "actor"));
            let (retired, added) = (&row["retired"], &row["added"]);
            print_cleaned(&format!(
                "{id}  {at}  by {actor}: {retired} retired, {added} added{undone}"
            ))?;
        }
        if rows.is_empty() && !args.json {
            output::print_line("no sweep was applied yet")?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, ServerTrouble> {
        let answer = self.client.post_with(path, &[], &body.to_string(), LIMIT)?;
        read_reply(&answer)
    }
}

fn read_reply(text: &str) -> Result<Value, ServerTrouble> {
    let strange = || "its answer is not that of a hardwon server".to_owned();
    serde_json::from_str(text).map_err(|_| ServerTrouble::Unreachable(strange()))
}

/// Says in the server's own words why it did not do something.
fn describe(doing: &str, trouble: &ServerTrouble) -> CliError {
    let error = CliError::bad_input(format!(
        "the server that keeps the lessons, {doing}: {trouble}"
    ));
    match trouble {
        ServerTrouble::Denied(_) => error.with_hint("a sweep needs a key that may curate lessons"),
        ServerTrouble::Unreachable(_)
        | ServerTrouble::Busy { .. }
        | ServerTrouble::KeyRefused(_)
        | ServerTrouble::Refused(_) => error,
    }
}

fn exit_code_of(reply: &Value) -> ExitCode {
    ExitReason::Negative.exit_code_if(text_of(reply, "state") != "done")
}

fn text_of<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn join_ids(ids: &Value) -> String {
    let ids = ids.as_array().into_iter().flatten();
    let ids: Vec<String> = ids.map(|it| format!("#{it}")).collect();
    ids.join(", ")
}

fn print_cleaned(line: &str) -> Result<(), CliError> {
    output::print_line(&output::to_one_line(line))
}

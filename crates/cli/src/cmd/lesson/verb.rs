//! `hardwon lesson VERB` for the verbs that other doors have as well: done here, or by the server that keeps the lessons.

use hardwon_api::v1::verbs::{self, Members, Verb, VerbCall, VerbDoor};
use serde_json::Value;

use crate::{CliError, Result, Settings, args::VerbCommand, open, output, remote};

pub(super) fn run(settings: &Settings, command: VerbCommand) -> Result<()> {
    let as_json = command.json;
    let mut door = TypedVerb {
        settings,
        command,
        reply: Err(CliError::bad_input("there is no such command")),
    };
    verbs::admit_all(&mut door);
    let reply = door.reply?;
    output::print_answer(as_json, &reply, || render_members(&reply))
}

/// Tells what is answered, a member on a line.
fn render_members(reply: &Value) -> String {
    let members = reply.as_object().into_iter().flatten();
    let lines = members.map(|(name, value)| match value {
        Value::String(text) => format!("{name:<11} {}\n", output::to_one_line(text)),
        Value::Bool(is_so) => format!("{name:<11} {}\n", if *is_so { "yes" } else { "no" }),
        value => format!("{name:<11} {value}\n"),
    });
    lines.collect()
}

/// What was typed, and what came of it.
struct TypedVerb<'s> {
    settings: &'s Settings,
    command: VerbCommand,
    reply: Result<Value>,
}

impl VerbDoor for TypedVerb<'_> {
    fn admit<V: Verb>(&mut self) {
        if V::NAME == self.command.name {
            self.reply = run_verb::<V>(self.settings, &self.command.members);
        }
    }
}

fn run_verb<V: Verb>(settings: &Settings, members: &Members) -> Result<Value> {
    let id = members.get("id").and_then(Value::as_str);
    id.map(super::parse_id).transpose()?;
    let request: V = verbs::parse_request(members.clone())
        .map_err(|error| CliError::bad_input(hardwon_redact::quote_error(&error)))?;
    let server = settings.server.as_ref();
    let server = server.filter(|_| V::EFFECT.is_change());
    if let (Some(place), Some(route)) = (server, V::ROUTE) {
        return remote::verb::forward(place, route, members.clone());
    }
    request.check()?;
    let engine = open::open_for(settings, V::EFFECT)?;
    let call = VerbCall {
        desk: engine.acting_as(settings.caller()),
        client: None,
        report: &|error| output::print_note(&CliError::from(error).to_string()),
    };
    if let Some(id) = id {
        super::find_lesson(&call.desk, settings, id)?;
    }
    let reply = request.run(&call)?;
    serde_json::to_value(&reply).map_err(|error| internal!("writing JSON: {error}"))
}

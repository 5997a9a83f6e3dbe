//! `hardwon journal`: verify the chain of changes, or print it.

use std::process::ExitCode;

use hardwon_core::journal::Entry;
use serde_json::{Value, json};

use crate::{
    args::{Global, JournalCommand, JsonArgs},
    config::Settings,
    error::Failure,
    open, output,
};

pub(super) fn run(global: &Global, command: &JournalCommand) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    match command {
        JournalCommand::Verify(args) => verify(&settings, args),
        JournalCommand::Export => export(&settings),
    }
}

fn verify(settings: &Settings, args: &JsonArgs) -> Result<ExitCode, Failure> {
    let engine = open::reader(settings)?;
    let audit = engine.audit(&settings.scope.tenant)?;
    let mut troubles: Vec<String> = audit.broken.iter().map(ToString::to_string).collect();
    troubles.extend(audit.discrepancies.iter().map(ToString::to_string));
    if args.json {
        output::json(&json!({
            "sound": audit.is_sound(),
            "entries": audit.head.sequence,
            "lessons": audit.lessons,
            "head": audit.head.hash.to_string(),
            "troubles": troubles,
        }))?;
    } else {
        for trouble in &troubles {
            output::line(trouble)?;
        }
        let verdict = if audit.is_sound() {
            "the journal verifies"
        } else {
            "the journal does not verify"
        };
        output::line(&format!(
            "{verdict}: {} entries, {} lessons, head {}",
            audit.head.sequence, audit.lessons, audit.head.hash
        ))?;
    }
    Ok(ExitCode::from(u8::from(!audit.is_sound())))
}

fn export(settings: &Settings) -> Result<ExitCode, Failure> {
    let engine = open::reader(settings)?;
    let mut written = Ok(());
    engine.each_entry(&settings.scope.tenant, |entry| {
        if written.is_ok() {
            written = output::json(&dto(entry));
        }
    })?;
    written.map(|()| ExitCode::SUCCESS)
}

fn dto(entry: &Entry) -> Value {
    json!({
        "sequence": entry.sequence,
        "at": entry.deed.at.to_string(),
        "kind": entry.deed.kind.name(),
        "lesson": entry.deed.lesson.0,
        "actor": entry.deed.actor.0.as_str(),
        "content": entry.deed.content.to_string(),
        "previous": entry.previous.to_string(),
        "hash": entry.hash.to_string(),
    })
}

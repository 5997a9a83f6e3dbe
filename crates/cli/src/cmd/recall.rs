//! `hardwon recall`: the lessons that fit a task, as a preamble.
//!
//! It is the command a hook runs, so trouble with the store or the settings never fails it: the
//! preamble is empty, the exit code 0, and the trouble is named on stderr. Only what was typed can
//! be bad input. `--explain` is for a person and fails as other commands do.

mod batch;
mod explain;

use std::mem;

use hardwon_api::v1::recall::RecallResultDto;
use hardwon_core::{Requester, RunId};
use hardwon_engine::{RecallRequest, embed};
use hardwon_store::Moment;

use crate::{
    CliError, ExitReason, GlobalArgs, Result, Settings, args::RecallArgs, input, open, output,
};

pub(crate) fn run(global: &GlobalArgs, args: &RecallArgs) -> Result<()> {
    let settings = load_settings(global, args);
    if args.batch {
        batch::run(settings)?;
        return Ok(());
    }
    let prompt = input::read_text(args.prompt.as_deref(), "the task")?;
    let result = settings.and_then(|settings| recall_lessons(&settings, args, prompt));
    match result {
        Err(failure) if failure.reason == ExitReason::Internal && !args.explain => {
            output::print_note(&failure.to_string());
            if args.json {
                output::print_json(&RecallResultDto {
                    silent: Some(failure.message().to_owned()),
                    ..RecallResultDto::default()
                })?;
            }
        }
        result => result?,
    }
    Ok(())
}

fn load_settings(global: &GlobalArgs, args: &RecallArgs) -> Result<Settings> {
    let mut settings = Settings::load(global)?;
    if let Some(form) = args.form {
        settings.policy.format = form;
    }
    let (operator, role) = (args.operator.as_deref(), args.role.as_deref());
    let skills = args.skills.iter().map(String::as_str);
    let requester = Requester::from_names(operator.unwrap_or(""), role.unwrap_or(""), skills);
    let identities = &mut settings.policy.default_identities;
    *identities = requester.with_default_identities(identities).identities;
    Ok(settings)
}

fn recall_lessons(settings: &Settings, args: &RecallArgs, prompt: String) -> Result<()> {
    let engine = open::open_once(settings)?;
    let run = args.run.as_deref().map(RunId::parse).transpose();
    // Without a run nobody but a person reads it.
    let moment = if args.run.is_some() {
        Moment::Prompt
    } else {
        Moment::Requested
    };
    let ask = RecallRequest {
        moment,
        limit: args.k,
        run: run.map_err(CliError::bad_input)?,
        requester: Requester {
            tools: args.tools.clone(),
            ..Requester::default()
        },
        ..RecallRequest::new(settings.scope.clone(), prompt)
    };
    let desk = engine.acting_as(settings.person());
    let recall = desk.explain_recall(&ask)?;
    if let Some(trouble) = &recall.embedding_error {
        output::print_note(&embed::explain_fallback(trouble));
    }
    if args.explain {
        return explain::print_explanation(&recall, desk.policy().rank.floor, args.json);
    }
    if args.json {
        output::print_json(&RecallResultDto::from(&recall))?;
    } else {
        output::print(&recall.preamble.text)?;
    }
    // The agent has its lessons by now: that they cannot be counted as shown is only worth a note.
    if let Err(error) = desk.record_recall(&ask, &recall) {
        output::print_note(&CliError::from(error).to_string());
    }
    // The process ends here, and the system closes the file faster than we could.
    mem::forget(engine);
    Ok(())
}

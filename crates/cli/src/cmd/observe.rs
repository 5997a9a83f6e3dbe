//! `hardwon observe`: a live run's events in, nudges out, line by line.

use std::{io, path::Path, process::ExitCode};

use hardwon_api::v1::observe::NudgeDto;
use hardwon_clients::transcript::plain::{self, LiveLine};
use hardwon_core::{RawEvent, RunEvent, RunId, RunStatus};
use hardwon_engine::{FileSessions, LiveRun, Nudge};

use crate::{
    CliError, ExitReason, GlobalArgs, InputLines, Result, Settings, config, open, output, project,
};

/// A run that stops without a word about its end.
const ABORTED_END: RawEvent = RunEvent::End {
    status: RunStatus::Aborted,
    score: None,
};

/// Trouble with one event is named on stderr, and the run goes on: what watches an agent must not
/// stop it.
pub(super) fn run(global: &GlobalArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    let engine = open::open_writer(&settings)?;
    let nameless = RunId::parse("unnamed").expect("a word is a name");
    let sessions = FileSessions::new(&config::state_folder()?);
    // A runtime says itself which of its agents runs, and where.
    let desk = engine.acting_as(settings.caller());
    let mut live = desk.follow_run(nameless, &sessions);
    let mut lines = InputLines::from_reader(io::stdin().lock());
    let mut worst = None;
    let mut is_open = false;
    while let Some(line) = lines.read_line()? {
        let parse =
            |text: &str| plain::parse_live(text).map_err(|why| hardwon_redact::quote_error(&why));
        let result = match line.text().and_then(|text| parse(&text)) {
            Ok(event) => {
                is_open = !matches!(event, LiveLine::Event(RunEvent::End { .. }));
                print_nudges(observe_line(&mut live, event, &settings))
            }
            Err(why) => Err(bad_input!("skipped line {}: {why}", line.number)),
        };
        worst = worst.max(result.err().map(note_failure));
    }
    if is_open {
        worst = worst.max(
            print_nudges(live.observe_event(ABORTED_END))
                .err()
                .map(note_failure),
        );
    }
    Ok(worst.map_or(ExitCode::SUCCESS, ExitReason::exit_code))
}

fn observe_line(
    live: &mut LiveRun<'_>,
    told: LiveLine,
    settings: &Settings,
) -> hardwon_engine::Result<Vec<Nudge>> {
    match told {
        LiveLine::Event(event) => live.observe_event(event),
        LiveLine::Run {
            event,
            asker,
            folder,
        } => live.observe_run(resolve_scope(event, folder.as_deref(), settings), asker),
        LiveLine::Calling { tool, args } => live.observe_call(tool, args),
    }
}

/// Says whose run it is and where it works: as a person says for all, else as the run does.
fn resolve_scope(event: RawEvent, folder: Option<&str>, settings: &Settings) -> RawEvent {
    let RunEvent::Run {
        run,
        agent,
        project,
        task,
    } = event
    else {
        return event;
    };
    let own_project =
        project.map(|project| project::parse_project(project.as_str()).unwrap_or(project));
    let by_folder = || Some(project::project_of_folder(Path::new(folder?)));
    let project = own_project.or_else(by_folder);
    RunEvent::Run {
        run,
        agent: agent.filter(|_| !settings.is_agent_named),
        project: project.filter(|_| !settings.is_project_named),
        task,
    }
}

fn print_nudges(nudges: hardwon_engine::Result<Vec<Nudge>>) -> Result<()> {
    for nudge in nudges? {
        // That nothing was learned is no news.
        if !matches!(&nudge, Nudge::Learned(learned) if learned.note_outcomes.is_empty()) {
            output::print_json(&NudgeDto::from(&nudge))?;
        }
    }
    Ok(())
}

fn note_failure(failure: CliError) -> ExitReason {
    output::print_note(&failure.to_string());
    failure.reason
}

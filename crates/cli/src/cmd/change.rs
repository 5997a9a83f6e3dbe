//! What `init` and `uninstall` share: a plan for people's settings is shown, asked about and carried
//! out.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use hardwon_clients::{
    Client,
    setup::{
        SetupTrouble,
        content::{FileContent, FileStep},
        file::{self, Way},
        installer::InstallCommand,
        made::MadeFolders,
        ours::is_our_program,
        place::{Machine, SetupReach, project_folder},
        plan::{Planned, PlannedFile},
        row::SetupRow,
    },
};
use serde::Serialize;

use super::ask;
use crate::{args::Global, config, error::Failure, output};

/// How a person wants to be asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Nothing is asked before settings are changed.
    pub yes: bool,
    /// Nothing is changed.
    pub dry_run: bool,
    /// JSON is printed and nothing is asked.
    pub json: bool,
}

/// What came of a plan, and how much had to be left alone.
#[derive(Debug)]
pub(super) struct Settled {
    pub outcome: Outcome,
    files_left: u64,
    agents_left: u64,
}

impl Settled {
    /// Fails if there is something that could not be dealt with, now that all else is done.
    pub(super) fn check(&self) -> Result<ExitCode, Failure> {
        let left = [(self.agents_left, "agent"), (self.files_left, "file")];
        let left = left.iter().filter(|(number, _)| *number > 0);
        let left: Vec<String> = left
            .map(|(number, it)| output::count(*number, it))
            .collect();
        match left.is_empty() {
            true => Ok(ExitCode::SUCCESS),
            false => Err(Failure::input(format!(
                "{} left alone, named above",
                left.join(" and ")
            ))),
        }
    }
}

/// What came of a plan.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// There was nothing to change.
    AsItShouldBe,
    /// It was carried out.
    Done,
    /// It was only shown, or refused.
    Untouched,
}

/// Returns what is known of the settings of these clients.
pub(super) fn setups(clients: &[Client]) -> Vec<&'static SetupRow> {
    clients.iter().map(|client| client.setup()).collect()
}

/// Looks at the machine that the program runs on.
pub(super) fn machine<'a>() -> Result<Machine<'a>, Failure> {
    let home = config::home().ok_or_else(|| {
        Failure::fault("there is no home folder to look for settings in").hint("set HOME")
    })?;
    Ok(Machine {
        home,
        setting: &|name| env::var_os(name),
    })
}

/// Returns whose settings are meant.
pub(super) fn reach(global: &Global) -> Result<SetupReach, Failure> {
    match global.project.as_deref() {
        None => Ok(SetupReach::User),
        Some("") => Ok(SetupReach::Project(project_folder(&env::current_dir()?))),
        Some(name) => Err(Failure::input(format!(
            "--project takes no name here, so {name:?} cannot be used"
        ))
        .hint("go to the project's folder, and give --project without a name")),
    }
}

/// Returns how hardwon is started: by its name where the search path knows it, else by its path.
pub(super) fn program(machine: &Machine<'_>) -> Result<String, Failure> {
    if machine.find_program("hardwon").is_some() {
        return Ok("hardwon".to_owned());
    }
    let program = env::current_exe()?;
    let program = program.to_str().map(str::to_owned);
    program.ok_or_else(|| {
        Failure::fault("the path of this program is not UTF-8").hint("put it on PATH as hardwon")
    })
}

/// Returns how hardwon is started, if what is set up with it can be known again.
pub(super) fn recognisable_program(machine: &Machine<'_>) -> Result<String, Failure> {
    let program = program(machine)?;
    if is_our_program(&program) {
        return Ok(program);
    }
    Err(Failure::input(format!(
        "{} is not called hardwon, and by that name its entries in agents' settings are known",
        output::visible(&program)
    ))
    .hint("rename it to hardwon, or put a link of that name on the path"))
}

/// Shows a plan, asks if that is wanted, and carries it out, once `prepare` has done its part.
pub(super) fn settle(
    machine: &Machine<'_>,
    planned: &[Planned],
    way: Way,
    manner: Manner,
    reach: &SetupReach,
    prepare: impl FnOnce() -> Result<(), Failure>,
) -> Result<Settled, Failure> {
    let number = planned.iter().map(Planned::size).sum::<usize>();
    if !manner.json {
        output::print(&shown(machine, planned, way))?;
    }
    let outcome = match number {
        0 => Outcome::AsItShouldBe,
        _ if manner.dry_run || !agrees(planned, manner)? => Outcome::Untouched,
        _ => Outcome::Done,
    };
    let late = match outcome {
        Outcome::Done => {
            prepare()?;
            let data = config::data_folder()?;
            // A project's settings leave no trace outside of it, and nobody keeps an empty folder there.
            carry_out(planned, way, (*reach == SetupReach::User).then_some(&*data))
        }
        Outcome::AsItShouldBe | Outcome::Untouched => Vec::new(),
    };
    if manner.json {
        output::json(&PlanDto::of(planned, way, outcome == Outcome::Done, &late))?;
    } else {
        for (path, trouble) in &late {
            output::line(&left_alone(&machine.short(path), trouble, 0))?;
        }
    }
    let files_left = planned.iter().flat_map(Planned::troubles).count() + late.len();
    let agents_left = planned.iter().filter(|it| it.trouble.is_some()).count();
    Ok(Settled {
        outcome,
        files_left: files_left as u64,
        agents_left: agents_left as u64,
    })
}

/// Asks whether the files may be changed; where nobody can be asked, somebody has to have said so.
fn agrees(planned: &[Planned], manner: Manner) -> Result<bool, Failure> {
    if manner.yes || manner.json {
        return Ok(manner.yes);
    }
    if !ask::can_ask() {
        return Err(
            Failure::input("nothing was changed: there is no terminal to ask on")
                .hint("run it again with --yes"),
        );
    }
    let files = planned.iter().flat_map(Planned::changes).count() as u64;
    let runs = planned.iter().map(|it| it.runs.len()).sum::<usize>() as u64;
    let files = (files > 0).then(|| format!("change {}", output::count(files, "file")));
    let runs = (runs > 0).then(|| format!("run {}", output::count(runs, "command")));
    let what: Vec<String> = files.into_iter().chain(runs).collect();
    Ok(ask::ask(
        &format!("May hardwon {}?", what.join(" and ")),
        true,
    )?)
}

/// Carries a plan out; `data` is where it is written down which folders that makes.
fn carry_out(planned: &[Planned], way: Way, data: Option<&Path>) -> Vec<(PathBuf, SetupTrouble)> {
    let mut troubles = Vec::new();
    let mut made = data.map(MadeFolders::read);
    if let Some(made) = &mut made {
        let files = planned.iter().flat_map(|it| &it.files);
        let ours = files.filter(|it| it.target.is_held());
        ours.for_each(|it| made.add_older(&it.target.path, &it.target.root));
    }
    for of_client in planned {
        for run in &of_client.runs {
            if let Err(trouble) = run.carry_out() {
                troubles.push((run.program.clone(), trouble));
                break;
            }
        }
        for file in of_client.changes() {
            let path = &file.target.path;
            let mut missing = MadeFolders::missing_for(path);
            missing.retain(|it| *it != file.target.root && it.starts_with(&file.target.root));
            let is_ours = |folder: &Path| made.as_ref().is_none_or(|it| it.has(folder));
            let done = file.target.carry_out(way, &is_ours);
            if let Some(made) = &mut made {
                made.add(missing);
            }
            if let Err(trouble) = done {
                troubles.push((path.clone(), trouble));
            }
        }
    }
    if let Some(made) = &mut made {
        made.write(way);
    }
    troubles
}

/// Writes a plan for a person.
fn shown(machine: &Machine<'_>, planned: &[Planned], way: Way) -> String {
    let rows: Vec<_> = planned
        .iter()
        .map(|it| (it, rows(machine, it, way)))
        .collect();
    let paths = rows
        .iter()
        .flat_map(|(_, rows)| rows)
        .map(|(path, _)| path.chars().count());
    let width = paths.max().unwrap_or_default();
    let mut text = String::new();
    for (of_client, rows) in rows {
        text.push_str(&format!(
            "{}\n",
            output::bold(of_client.client.setup().label)
        ));
        for (path, what) in &rows {
            text.push_str(&format!("  {path:<width$}  {what}\n"));
        }
        for (path, trouble) in of_client.troubles() {
            text.push_str(&left_alone(&machine.short(path), trouble, width));
            text.push('\n');
        }
        if way == Way::In
            && !rows.is_empty()
            && let Some(hint) = of_client.client.setup().by_hand
        {
            text.push_str(&format!("  by hand: {hint}\n"));
        }
        for run in &of_client.runs {
            text.push_str(&format!("  $ {}\n", run.typed()));
        }
        if let Some(trouble) = &of_client.trouble {
            text.push_str(&format!("  {}\n  -> {}\n", trouble.what, trouble.remedy));
        } else if rows.is_empty()
            && of_client.runs.is_empty()
            && of_client.troubles().next().is_none()
        {
            text.push_str("  nothing to change\n");
        }
    }
    text
}

/// Pairs each file to be changed with what is done to it; hooks that are files of their own share one
/// row.
fn rows(machine: &Machine<'_>, planned: &Planned, way: Way) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let (hooks, others): (Vec<_>, Vec<_>) = planned.changes().partition(|it| is_hook_program(it));
    for file in others {
        rows.push((machine.short(&file.target.path), what(file, way)));
    }
    if let Some(folder) = hooks.first().and_then(|file| file.target.path.parent()) {
        let number = output::count(hooks.len() as u64, "hook");
        rows.push((machine.short(folder), format!("{} {number}", sign(way))));
    }
    rows
}

fn is_hook_program(file: &PlannedFile) -> bool {
    matches!(
        &file.target.content,
        FileContent::Whole {
            is_program: true,
            ..
        }
    )
}

fn what(file: &PlannedFile, way: Way) -> String {
    let note = match (&file.step, way) {
        (Ok(FileStep::Remove), _) => ", and deletes the file",
        (Ok(FileStep::Write { is_kept: false, .. }), Way::In) if !file.target.path.exists() => {
            " (a new file)"
        }
        _ => "",
    };
    let content = &file.target.content;
    let summary = match way {
        Way::In => content.summary(),
        Way::Out => {
            let text = file::read(&file.target.path).ok().flatten();
            content.summary_of(&text.unwrap_or_default())
        }
    };
    match summary.as_str() {
        "" => "- what the plugin brings".to_owned(),
        summary => format!("{} {summary}{note}", sign(way)),
    }
}

fn sign(way: Way) -> char {
    match way {
        Way::In => '+',
        Way::Out => '-',
    }
}

fn left_alone(path: &str, trouble: &SetupTrouble, width: usize) -> String {
    let what = output::one_line(&trouble.what);
    format!(
        "  {path:<width$}  left alone: {what}\n  {:<width$}  -> {}",
        "", trouble.remedy
    )
}

/// A plan as JSON shows it.
#[derive(Debug, Serialize)]
struct PlanDto {
    done: bool,
    clients: Vec<ClientDto>,
}

#[derive(Debug, Serialize)]
struct ClientDto {
    client: &'static str,
    files: Vec<FileDto>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    runs: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

#[derive(Debug, Serialize)]
struct FileDto {
    path: String,
    /// `none`, `write`, `remove` or `left-alone`.
    change: &'static str,
    what: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl PlanDto {
    fn of(planned: &[Planned], way: Way, done: bool, troubles: &[(PathBuf, SetupTrouble)]) -> Self {
        let file = |file: &PlannedFile| {
            let late = troubles.iter().find(|(path, _)| *path == file.target.path);
            let trouble = file
                .step
                .as_ref()
                .err()
                .or(late.map(|(_, trouble)| trouble));
            FileDto {
                path: file.target.path.display().to_string(),
                change: match (&file.step, trouble) {
                    (_, Some(_)) | (Err(_), None) => "left-alone",
                    (Ok(FileStep::Nothing), None) => "none",
                    (Ok(FileStep::Write { .. }), None) => "write",
                    (Ok(FileStep::Remove), None) => "remove",
                },
                what: file.target.content.summary(),
                events: if way == Way::In {
                    file.target.content.events()
                } else {
                    Vec::new()
                },
                trouble: trouble.map(|trouble| trouble.what.clone()),
                remedy: trouble.map(|trouble| trouble.remedy.clone()),
            }
        };
        let client = |planned: &Planned| ClientDto {
            client: planned.client.name(),
            files: planned.files.iter().map(file).collect(),
            runs: planned.runs.iter().map(InstallCommand::typed).collect(),
            trouble: planned.trouble.as_ref().map(|it| it.what.clone()),
            remedy: planned.trouble.as_ref().map(|it| it.remedy.clone()),
        };
        Self {
            done,
            clients: planned.iter().map(client).collect(),
        }
    }
}

/// Returns the clients that somebody named, each once, in the order of the table.
pub(super) fn named(clients: &[Client]) -> Vec<Client> {
    Client::ALL
        .into_iter()
        .filter(|client| clients.contains(client))
        .collect()
}

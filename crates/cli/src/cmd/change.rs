//! What `init` and `uninstall` share: a plan for people's settings is shown, asked about and carried
//! out.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use hardwon_api::word_diff;
use hardwon_clients::{
    Client,
    setup::{
        ClientPlan, FileContent, FileStep, Machine, SetupDirection, SetupProblem, SetupRow,
        SetupScope, file, machine::project_folder, made_folders::MadeFolders,
        own_entries::is_our_program, plan::PlannedFile,
    },
};
use serde::Serialize;

use super::ask;
use crate::{
    CliError, GlobalArgs, Result, args::ChangeArgs, config, npm::is_behind_wrapper, output,
};

/// What came of a plan, and how much had to be left alone.
#[derive(Debug)]
pub(super) struct ChangeResult {
    pub outcome: ChangeOutcome,
    files_left: u64,
}

impl ChangeResult {
    /// Fails if there is something that could not be dealt with, now that all else is done.
    pub(super) fn check(&self) -> Result<ExitCode> {
        if self.files_left == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        let files = output::pluralize(self.files_left, "file");
        Err(bad_input!("{files} left alone, named above"))
    }
}

/// What came of a plan.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChangeOutcome {
    /// There was nothing to change.
    NothingToDo,
    /// It was carried out.
    Done,
    /// It was only shown, or refused.
    NotApplied,
}

/// Returns what is known of the settings of these clients.
pub(super) fn setup_rows(clients: &[Client]) -> Vec<&'static SetupRow> {
    clients.iter().map(|client| client.setup_row()).collect()
}

/// Looks at the machine that the program runs on.
pub(super) fn current_machine<'a>() -> Result<Machine<'a>> {
    let home = config::home_folder().ok_or_else(|| {
        CliError::internal("there is no home folder to look for settings in").with_hint("set HOME")
    })?;
    Ok(Machine {
        home,
        variable: &|name| env::var_os(name),
    })
}

/// Returns whose settings are meant.
pub(super) fn parse_setup_scope(global: &GlobalArgs) -> Result<SetupScope> {
    match global.project.as_deref() {
        None => Ok(SetupScope::User),
        Some("") => Ok(SetupScope::Project(project_folder(&env::current_dir()?))),
        Some(name) => Err(
            bad_input!("--project takes no name here, so {name:?} cannot be used")
                .with_hint("go to the project's folder, and give --project without a name"),
        ),
    }
}

/// Returns how hardwon is started: by its name where the search path knows it, else by its path.
pub(super) fn find_own_program(machine: &Machine<'_>) -> Result<String> {
    let program = env::current_exe()?;
    if let Some(found) = machine.find_program("hardwon") {
        let real_path = dunce::canonicalize(&found).unwrap_or(found);
        if !is_behind_wrapper(&program, &real_path) {
            return Ok("hardwon".to_owned());
        }
    }
    let program = program.to_str().map(str::to_owned).ok_or_else(|| {
        CliError::internal("the path of this program is not UTF-8")
            .with_hint("put it on PATH as hardwon")
    })?;
    #[cfg(windows)]
    if program.contains(' ')
        && let Some(short) = find_short_path(&program)
    {
        return Ok(short);
    }
    Ok(program)
}

/// Finds the short name that a volume may keep of a path with spaces, which no shell of Windows quotes as another does.
#[cfg(windows)]
fn find_short_path(path: &str) -> Option<String> {
    use std::os::windows::process::CommandExt as _;
    let line = format!("/d /c for %I in (\"{path}\") do @echo %~sI");
    let mut command = std::process::Command::new("cmd");
    let ran = command.raw_arg(line).output().ok()?;
    let short = String::from_utf8(ran.stdout).ok()?.trim().to_owned();
    let is_usable =
        is_our_program(&short) && !short.contains(' ') && std::path::Path::new(&short).is_file();
    is_usable.then_some(short)
}

/// Returns how hardwon is started, if what is set up with it can be known again.
pub(super) fn require_recognisable_program(machine: &Machine<'_>) -> Result<String> {
    let program = find_own_program(machine)?;
    if is_our_program(&program) {
        return Ok(program);
    }
    Err(bad_input!(
        "{} is not called hardwon, and by that name its entries in agents' settings are known",
        output::replace_controls(&program)
    )
    .with_hint("rename it to hardwon, or put a link of that name on the path"))
}

/// Shows a plan, asks if that is wanted, and carries it out.
pub(super) fn confirm_and_apply(
    machine: &Machine<'_>,
    planned: &[ClientPlan],
    way: SetupDirection,
    manner: ChangeArgs,
    shows_lines: bool,
    reach: &SetupScope,
) -> Result<ChangeResult> {
    let number = planned.iter().flat_map(ClientPlan::changed_files).count();
    if !manner.json {
        output::print(&render_plan(machine, planned, way))?;
    }
    if shows_lines {
        output::print(&render_lines(machine, planned))?;
    }
    let outcome = match number {
        0 => ChangeOutcome::NothingToDo,
        _ if !manner.dry_run && confirm_changes(machine, planned, manner)? => ChangeOutcome::Done,
        _ => ChangeOutcome::NotApplied,
    };
    let is_done = outcome == ChangeOutcome::Done;
    let mut late = Vec::new();
    if is_done {
        let data = config::data_folder()?;
        // A project's settings leave no trace outside of it, and nobody keeps an empty folder there.
        late = apply_plan(planned, way, (*reach == SetupScope::User).then_some(&*data));
    }
    if manner.json {
        output::print_json(&PlanDto::from_plan(planned, way, is_done, &late))?;
    } else {
        for (path, trouble) in &late {
            output::print_line(&render_left_alone(&machine.short_path(path), trouble, 0))?;
        }
    }
    let files_left = planned.iter().flat_map(ClientPlan::problems).count() + late.len();
    Ok(ChangeResult {
        outcome,
        files_left: files_left as u64,
    })
}

/// Asks whether the files may be changed; where nobody can be asked, somebody has to have said so.
fn confirm_changes(
    machine: &Machine<'_>,
    planned: &[ClientPlan],
    manner: ChangeArgs,
) -> Result<bool> {
    if manner.yes || manner.json {
        return Ok(manner.yes);
    }
    if !ask::can_ask() {
        return Err(
            CliError::bad_input("nothing was changed: there is no terminal to ask on")
                .with_hint("run it again with --yes"),
        );
    }
    let files = planned.iter().flat_map(ClientPlan::changed_files).count() as u64;
    let question = format!("May hardwon change {}?", output::pluralize(files, "file"));
    Ok(ask::ask_with_details(
        &question,
        &render_lines(machine, planned),
    )?)
}

/// Carries a plan out; `data` is where it is written down which folders that makes.
fn apply_plan(
    planned: &[ClientPlan],
    way: SetupDirection,
    data: Option<&Path>,
) -> Vec<(PathBuf, SetupProblem)> {
    let mut troubles = Vec::new();
    let mut made_folders = data.map(MadeFolders::read);
    for of_client in planned {
        for file in of_client.changed_files() {
            let (path, top) = (&file.target.path, &file.target.kept_folder);
            let mut missing = MadeFolders::missing_for(path);
            missing.retain(|missing| missing != top && missing.starts_with(top));
            let own_folders = made_folders.as_ref();
            let is_ours = |folder: &Path| own_folders.is_none_or(|own| own.contains(folder));
            let applied_change = file.target.apply_change(way, &is_ours);
            if let Some(made_folders) = &mut made_folders {
                made_folders.add_folders(missing);
            }
            if let Err(trouble) = applied_change {
                troubles.push((path.clone(), trouble));
            }
        }
    }
    if let Some(made_folders) = &mut made_folders {
        made_folders.write(way);
    }
    troubles
}

/// Writes a plan for a person.
fn render_plan(machine: &Machine<'_>, planned: &[ClientPlan], way: SetupDirection) -> String {
    let rows = planned
        .iter()
        .map(|plan| (plan, plan_rows(machine, plan, way)));
    let rows: Vec<_> = rows.collect();
    let paths = rows.iter().flat_map(|(_, rows)| rows);
    let width = paths.map(|(path, _)| path.chars().count()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    for (of_client, rows) in rows {
        text += &format!("{}\n", output::bold(of_client.client.setup_row().label));
        for (path, what) in &rows {
            text += &format!("  {path:<width$}  {what}\n");
        }
        for (path, trouble) in of_client.problems() {
            let path = machine.short_path(path);
            text += &format!("{}\n", render_left_alone(&path, trouble, width));
        }
        if way == SetupDirection::Install
            && !rows.is_empty()
            && let Some(hint) = of_client.client.setup_row().by_hand
        {
            text += &format!("  by hand: {hint}\n");
        }
        if rows.is_empty() && of_client.problems().next().is_none() {
            text += "  nothing to change\n";
        }
    }
    text
}

/// Writes the lines that change in each file, without secrets that stand there.
fn render_lines(machine: &Machine<'_>, planned: &[ClientPlan]) -> String {
    let mut text = String::new();
    for file in planned.iter().flat_map(ClientPlan::changed_files) {
        let path = &file.target.path;
        text += &format!("{}\n", output::bold(&machine.short_path(path)));
        let old = file::read_settings(path).ok().flatten().unwrap_or_default();
        let new: &str = match &file.step {
            Ok(FileStep::Write { text, .. }) => text,
            _ => "",
        };
        let (old, new) = (hardwon_redact::redact(&old), hardwon_redact::redact(new));
        for (sign, number, line) in word_diff::diff_lines(&old, &new) {
            let line = output::replace_controls(&format!("{number:>5} {sign} {line}"));
            let paint = if sign == '+' {
                output::green
            } else {
                output::red
            };
            text += &format!("{}\n", paint(&line));
        }
    }
    text
}

/// Pairs each file to be changed with what is done to it; hooks that are files of their own share one
/// row.
fn plan_rows(
    machine: &Machine<'_>,
    planned: &ClientPlan,
    way: SetupDirection,
) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let (hooks, others): (Vec<_>, Vec<_>) = (planned.changed_files()).partition(
        |file| matches!(file.target.content, FileContent::Whole { is_program, .. } if is_program),
    );
    for file in others {
        let path = machine.short_path(&file.target.path);
        rows.push((path, describe_file_change(file, way)));
    }
    if let Some(folder) = hooks.first().and_then(|file| file.target.path.parent()) {
        let number = output::pluralize(hooks.len() as u64, "hook");
        let summary = format!("{} {number}", change_sign(way));
        rows.push((machine.short_path(folder), summary));
    }
    rows
}

fn describe_file_change(file: &PlannedFile, way: SetupDirection) -> String {
    let note = match (&file.step, way) {
        (Ok(FileStep::Remove), _) => ", and deletes the file",
        (Ok(FileStep::Write { is_kept: false, .. }), SetupDirection::Install)
            if !file.target.path.exists() =>
        {
            " (a new file)"
        }
        _ => "",
    };
    let content = &file.target.content;
    let summary = match way {
        SetupDirection::Install => content.summary(),
        SetupDirection::Remove => {
            let text = file::read_settings(&file.target.path).ok().flatten();
            content.held_summary(&text.unwrap_or_default())
        }
    };
    format!("{} {summary}{note}", change_sign(way))
}

fn change_sign(way: SetupDirection) -> char {
    match way {
        SetupDirection::Install => '+',
        SetupDirection::Remove => '-',
    }
}

fn render_left_alone(path: &str, trouble: &SetupProblem, width: usize) -> String {
    let message = output::to_one_line(&trouble.message);
    format!(
        "  {path:<width$}  left alone: {message}\n  {:<width$}  -> {}",
        "", trouble.remedy
    )
}

/// A plan as JSON shows it.
#[derive(Debug, Serialize)]
struct PlanDto {
    done: bool,
    clients: Vec<ClientPlanDto>,
}

#[derive(Debug, Serialize)]
struct ClientPlanDto {
    client: &'static str,
    files: Vec<FileChangeDto>,
}

#[derive(Debug, Serialize)]
struct FileChangeDto {
    path: String,
    /// `none`, `write`, `remove` or `left-alone`.
    change: &'static str,
    what: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<&'static str>,
    #[serde(flatten)]
    problem: Option<SetupProblem>,
}

impl PlanDto {
    fn from_plan(
        planned: &[ClientPlan],
        way: SetupDirection,
        done: bool,
        troubles: &[(PathBuf, SetupProblem)],
    ) -> Self {
        let file = |file: &PlannedFile| {
            let late = troubles.iter().find(|(path, _)| *path == file.target.path);
            let trouble = file.step.as_ref().err();
            let trouble = trouble.or(late.map(|(_, trouble)| trouble));
            FileChangeDto {
                path: file.target.path.display().to_string(),
                change: match (&file.step, trouble) {
                    (_, Some(_)) | (Err(_), None) => "left-alone",
                    (Ok(FileStep::Nothing), None) => "none",
                    (Ok(FileStep::Write { .. }), None) => "write",
                    (Ok(FileStep::Remove), None) => "remove",
                },
                what: file.target.content.summary(),
                events: match way {
                    SetupDirection::Install => file.target.content.events(),
                    SetupDirection::Remove => Vec::new(),
                },
                problem: trouble.cloned(),
            }
        };
        let client = |planned: &ClientPlan| ClientPlanDto {
            client: planned.client.name(),
            files: planned.files.iter().map(file).collect(),
        };
        Self {
            done,
            clients: planned.iter().map(client).collect(),
        }
    }
}

/// Returns the clients that somebody named, each once, in the order of the table.
pub(super) fn distinct_clients(clients: &[Client]) -> Vec<Client> {
    let all = Client::ALL.into_iter();
    all.filter(|client| clients.contains(client)).collect()
}

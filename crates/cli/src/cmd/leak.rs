//! `hardwon leak`: what must not be published, and where it is.

use std::{env, io, path::Path, process::ExitCode};

use hardwon_core::ProjectId;
use hardwon_engine::regular_file;
use hardwon_gates::json::leak::LeakFindingDto;
use hardwon_gates::leak::{AllowRule, LeakRule, LeakScanner, PrivateNames};
use hardwon_repo::{PushedRef, Repository, RepositoryError, parse_pushed_refs, replace_whole};

use super::refuse_scope_options;
use crate::{
    CliError, ExitReason, LeakGate, LeakReport, Result, SettingValues, Settings,
    args::{GlobalArgs, LeakArgs, LeakFormat},
    config::leak::{LeakNames, PreCommitPush},
    input,
    leak::{
        commits, files,
        names::gather_names,
        rules_file::{self, LeakRules, parse_rules},
        sarif::render_sarif,
    },
    open, output, project,
};

pub(super) fn run(global: &GlobalArgs, args: &LeakArgs) -> Result<ExitCode> {
    // Whoever could not look must not be taken for one who found something.
    check_leaks(global, args).map_err(|error| error.with_reason(ExitReason::BadInput))
}

fn check_leaks(global: &GlobalArgs, args: &LeakArgs) -> Result<ExitCode> {
    refuse_scope_options(global, "leak searches files, not lessons")?;
    let is_elsewhere = args.stdin || args.tree.is_some();
    let repository = if is_elsewhere {
        None
    } else {
        Some(Repository::find(&env::current_dir()?)?)
    };
    let root = repository.as_ref().map(Repository::root);
    let mut gate = prepare_gate(global, root.or(args.tree.as_deref()))?;
    gate.scanner.is_strict = args.strict;
    let report = match &repository {
        Some(repository) => search_repository(args, &gate, repository)?,
        None => search_elsewhere(args, &gate)?,
    };
    print_report(args, &report)?;
    Ok(match (report.unread.is_empty(), report.hits.is_empty()) {
        (false, _) => ExitReason::BadInput.exit_code(),
        (true, false) => ExitReason::Negative.exit_code(),
        (true, true) => ExitCode::SUCCESS,
    })
}

/// Searches what is named of a repository.
fn search_repository(
    args: &LeakArgs,
    gate: &LeakGate,
    repository: &Repository,
) -> Result<LeakReport> {
    if args.staged {
        let changes = repository.list_staged()?;
        Ok(commits::scan_changes(gate, repository, &changes)?)
    } else if let Some(range) = &args.range {
        let sets = repository.list_range(range)?;
        Ok(commits::scan_commits(gate, repository, &sets)?)
    } else if let Some(remote) = &args.pre_push {
        search_push(gate, repository, remote)
    } else {
        Ok(files::scan_repository(gate, repository)?)
    }
}

/// Searches a folder, or stdin.
fn search_elsewhere(args: &LeakArgs, gate: &LeakGate) -> Result<LeakReport> {
    if let Some(folder) = &args.tree {
        return if folder.is_dir() {
            Ok(files::scan_tree(gate, folder))
        } else {
            Err(bad_input!("{} is no folder", folder.display()))
        };
    }
    let scan = files::search_stream(&gate.scanner, "stdin", &mut io::stdin().lock());
    let scan = scan.map_err(|error| bad_input!("reading stdin: {error}"))?;
    let mut report = LeakReport {
        files: 1,
        ..LeakReport::default()
    };
    gate.add_scan(&mut report, "stdin", None, scan);
    Ok(report)
}

/// Searches what a push would publish, as git or the program `pre-commit` says it.
fn search_push(gate: &LeakGate, repository: &Repository, remote: &str) -> Result<LeakReport> {
    let sets = match PreCommitPush::from_environment() {
        Some(PreCommitPush::Range(from, to)) => repository.list_range(&format!("{from}..{to}"))?,
        Some(PreCommitPush::Branch { branch, remote }) => {
            let commit = repository.resolve_commit(&branch);
            let local = commit.ok_or_else(|| {
                bad_input!("pre-commit says that {branch} is pushed, which is no commit")
            })?;
            repository.list_pushed(&[PushedRef::new_there(local)], remote.as_deref())?
        }
        None => {
            let lines = input::read_text(None, "the refs that git tells a pre-push hook")?;
            let refs = parse_pushed_refs(&lines).map_err(|line| {
                bad_input!("line {line} of stdin is not what git tells a pre-push hook").with_hint(
                    "to look at commits by hand, use --range, as in --range origin/main..HEAD",
                )
            })?;
            let remote = Some(remote).filter(|name| !name.is_empty());
            repository.list_pushed(&refs, remote)?
        }
    };
    Ok(commits::scan_commits(gate, repository, &sets)?)
}

impl From<RepositoryError> for CliError {
    fn from(error: RepositoryError) -> Self {
        let failure = Self::bad_input(error.to_string());
        match error {
            RepositoryError::NoGit(_) => {
                failure.with_hint("install git, or name a folder with --tree")
            }
            RepositoryError::NotRepository { .. } => failure
                .with_hint("`hardwon leak --tree DIR` searches a folder that is no repository"),
            // Whoever works at night comes again.
            RepositoryError::NotReady(_) => failure
                .with_reason(ExitReason::Partial)
                .with_hint("nothing was changed; finish that, and run `hardwon place` again"),
            _ => failure,
        }
    }
}

/// Puts together what is searched for and what may pass, for files below a folder.
pub(super) fn prepare_gate(global: &GlobalArgs, root: Option<&Path>) -> Result<LeakGate> {
    let rules = match root.map(|root| read_if_there(&root.join(rules_file::FILE_NAME))) {
        Some(Some(text)) => parse_rules(&text?)?,
        _ => LeakRules::default(),
    };
    let mut allowed = rules.allowed;
    if !rules.names.is_empty() {
        // Whoever lists names in the repository has them there on purpose.
        allowed.push(AllowRule {
            paths: vec![format!("/{}", rules_file::FILE_NAME)],
            rules: vec![LeakRule::PrivateName.name().to_owned()],
        });
    }
    Ok(LeakGate {
        scanner: LeakScanner {
            names: find_names(global, &rules.names, root)?,
            ..LeakScanner::default()
        },
        allowed,
    })
}

pub(super) fn find_names(
    global: &GlobalArgs,
    extra: &[String],
    root: Option<&Path>,
) -> Result<PrivateNames> {
    let values = SettingValues::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    let engine = open::open_reader(&settings)?;
    let projects = engine.acting_as(settings.person()).projects()?;
    let projects: Vec<ProjectId> = projects.into_iter().collect();
    let own = root.and_then(project::project_of_repository);
    let own = own.or(settings.scope.project);
    let names = LeakNames::from_values(&values);
    gather_names(&names, extra, &projects, own.as_ref(), root)
}

/// Reads a text file; `None` if there is none.
fn read_if_there(path: &Path) -> Option<Result<String>> {
    let text = regular_file::if_there(regular_file::read_to_string(path));
    text.map_err(CliError::bad_file("reading", path))
        .transpose()
}

fn print_report(args: &LeakArgs, report: &LeakReport) -> Result<()> {
    let json = args.json.then_some(LeakFormat::Json);
    let format = json.unwrap_or(args.format);
    let text = match format {
        LeakFormat::Text => render_text(report),
        LeakFormat::Json => format!("{}\n", output::to_json(report)?),
        LeakFormat::Sarif => format!("{}\n", output::to_json(&render_sarif(report))?),
    };
    let is_text = match &args.output {
        Some(file) => {
            let result = replace_whole(file, text.as_bytes());
            result.map_err(CliError::bad_file("writing", file))?;
            output::print(&render_text(report))?;
            true
        }
        None => {
            output::print(&text)?;
            format == LeakFormat::Text
        }
    };
    if is_text {
        for file in &report.unread {
            print_note!("cannot look into {}: {}", file.path, file.reason);
        }
    }
    Ok(())
}

fn render_text(report: &LeakReport) -> String {
    let mut text: String = report.hits.iter().map(render_hit).collect();
    for note in &report.notes {
        text += &format!("note: {}\n", output::to_one_line(note));
    }
    text += &render_summary(report);
    if !report.hits.is_empty() {
        text += HELP;
    }
    text
}

const HELP: &str = "\
What was published once is known: change a secret that left this machine. What may stay: a comment `hardwon:allow` on
its line, or a rule in .hardwonleaks.toml. See docs/leak.md.
";

fn render_hit(hit: &LeakFindingDto) -> String {
    let commit = hit
        .commit
        .as_deref()
        .map(|commit| format!(" (commit {})", &commit[..12]));
    let place = match hit.line {
        0 => hit.path.clone(),
        line => format!("{}:{line}:{}", hit.path, hit.column),
    };
    let excerpt = match hit.line {
        0 => "the path itself",
        _ => &hit.excerpt,
    };
    format!(
        "{}: {}: {}{}\n    {}\n",
        output::to_one_line(&place),
        output::red(hit.rule),
        hit.message,
        commit.unwrap_or_default(),
        output::to_one_line(excerpt)
    )
}

fn render_summary(report: &LeakReport) -> String {
    if report.files + report.commits == 0 && report.unread.is_empty() {
        return "there is nothing to search\n".to_owned();
    }
    let verdict = match report.hits.len() {
        0 if !report.unread.is_empty() => "no leaks in what could be read:".to_owned(),
        0 => "no leaks in".to_owned(),
        hits => format!("{} in", output::pluralize(hits as u64, "leak")),
    };
    let mut coverage = output::pluralize(report.files as u64, "file");
    if report.commits > 0 {
        let commits = output::pluralize(report.commits as u64, "commit");
        coverage += &format!(" of {commits}");
    }
    let parts = [
        (report.doubtful, "most likely made up (--strict shows them)"),
        (report.allowed, "allowed"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts = parts.map(|(count, what)| format!("{count} {what}"));
    let parts: Vec<String> = parts.collect();
    let passed_over = if parts.is_empty() {
        String::new()
    } else {
        format!("; passed over: {}", parts.join(", "))
    };
    format!("{verdict} {coverage}{passed_over}\n")
}

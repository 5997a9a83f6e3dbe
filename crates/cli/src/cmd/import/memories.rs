//! Importing what agents are told and keep in Markdown: instructions, memories, rules, solved problems.
//!
//! Each item becomes a lesson of the project that its file belongs to, on a file's word: it waits for review unless the
//! setting `imported` says otherwise. What belongs to no project that can be told is left until a person names one.

use std::{
    env,
    path::{self, Path, PathBuf},
};

use hardwon_clients::memories::{
    FoundDocuments, MemoryDocument, find_documents, find_owner, list_noted_folders,
};
use hardwon_core::{Draft, Scope, Trust};
use hardwon_engine::{FileFinding, FileImport, FindingCode, ImportReport, SkippedFile};

use crate::{
    CliError, Result, Settings, config, open, output,
    project::{project_of_folder, resolve_links},
};

/// Why a file is left out whose items could be lessons.
const NO_PROJECT: &str =
    "nothing says which project it is of; give --project NAME, or --everywhere";
/// Items that are stored in one transaction.
const BATCH_ITEMS: usize = 256;

/// Stores what is in the Markdown below a path. A dry run stores it in a copy.
pub(super) fn import_memories(
    settings: &Settings,
    path: &Path,
    dry_run: bool,
) -> Result<ImportReport> {
    let documents = find_documents(path).map_err(|error| {
        let failure = CliError::bad_file("reading", path)(error);
        CliError::bad_input(output::replace_controls(failure.message()))
    })?;
    let (mut drafts, mut report) = gather_drafts(settings, path, &documents);
    // An agent may have written what it read into the file.
    let is_tainted = settings.caller().trust.tainted;
    for (_, draft) in &mut drafts {
        draft.trust = Trust::new(draft.trust.class, draft.trust.tainted || is_tainted);
    }
    let engine = open::open_or_preview(settings, dry_run, open::open_copy)?;
    let desk = engine.acting_as(settings.person());
    desk.check_may_import()?;
    for batch in drafts.chunks(BATCH_ITEMS) {
        let outcomes = desk.admit_drafts(batch.iter().map(|(_, draft)| draft.clone()).collect())?;
        for ((place, _), outcome) in batch.iter().zip(outcomes) {
            let file = place.clone();
            report.files.push(FileImport { file, outcome });
        }
    }
    Ok(report)
}

/// Makes a draft of every item of a project, called by its file and line, and a report of everything else.
fn gather_drafts(
    settings: &Settings,
    given: &Path,
    found: &FoundDocuments,
) -> (Vec<(String, Draft)>, ImportReport) {
    let home = config::home_folder();
    let mut projects = home.as_deref().map(list_noted_folders).unwrap_or_default();
    projects.extend(env::current_dir());
    let mut drafts = Vec::new();
    let mut report = ImportReport::default();
    for (path, why) in &found.unread {
        report.findings.push(report_unread(path, given, why));
    }
    for (path, text) in &found.documents {
        let file = show_path(path, given);
        let whole = path::absolute(path).unwrap_or_else(|_| path.clone());
        let document = MemoryDocument::read(&whole, text).and_then(|document| {
            let owner = find_owner(path, home.as_deref(), &projects);
            let scope = find_scope(settings, owner);
            let scope = scope.or_else(|| document.items.is_empty().then(Scope::default));
            Ok((document, scope.ok_or(NO_PROJECT)?))
        });
        let (document, scope) = match document {
            Ok(document) => document,
            Err(why) => {
                report.findings.push(report_unread(path, given, why));
                continue;
            }
        };
        let source = name_source(path, home.as_deref());
        for item in &document.items {
            let draft = item.to_draft(&source, scope.clone());
            drafts.push((format!("{file}:{}", item.line), draft));
        }
        for (line, why) in document.omitted {
            let (name, reason) = (format!("{file}:{line}"), why.to_owned());
            report.skipped.push(SkippedFile { name, reason });
        }
    }
    (drafts, report)
}

fn report_unread(path: &Path, given: &Path, why: &str) -> (String, FileFinding) {
    let finding = FileFinding::for_file(FindingCode::Internal, why);
    (show_path(path, given), finding)
}

/// Returns whose lessons the items of a file become; `None` if nobody says.
fn find_scope(settings: &Settings, owner: Option<PathBuf>) -> Option<Scope> {
    if settings.is_project_named {
        return Some(settings.scope.clone());
    }
    Some(
        settings
            .scope
            .with_project(Some(project_of_folder(&owner?))),
    )
}

/// Names a file below the path that was given.
fn show_path(path: &Path, given: &Path) -> String {
    let below = path.strip_prefix(given);
    let below = below.ok().filter(|below| !below.as_os_str().is_empty());
    let name = path.file_name().map(Path::new);
    below.or(name).unwrap_or(path).display().to_string()
}

/// Names a file as the evidence does: by its path in its repository, or from the home folder.
fn name_source(path: &Path, home: Option<&Path>) -> String {
    let whole: PathBuf = resolve_links(path);
    let home = home.map(resolve_links);
    let root = whole.parent().and_then(crate::project::find_root);
    let root = root.filter(|root| home.as_ref() != Some(root));
    let in_root = root.and_then(|root| Some(whole.strip_prefix(root).ok()?.to_owned()));
    let in_home = home.and_then(|home| Some(whole.strip_prefix(home).ok()?.to_owned()));
    match (in_root, in_home) {
        (Some(below), _) => below.display().to_string(),
        (None, Some(below)) => format!("~/{}", below.display()),
        (None, None) => whole.display().to_string(),
    }
}

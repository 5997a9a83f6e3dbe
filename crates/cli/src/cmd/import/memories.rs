//! Importing what other programs keep: solved problems, memories of clients, facts, rules.
//!
//! Each item becomes a lesson of the project that its file belongs to, on a file's word: it waits for review unless the
//! setting `imported` says otherwise. What belongs to no project that can be told is left until a person names one.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use hardwon_api::v1::files::{
    MemoryImportDto, MemoryItemDto, OmittedItemDto, PassedOverDto, outcome_word,
};
use hardwon_clients::memories::{
    FoundDocuments, MemoryDocument, MemoryFormat, MemoryItem, MemoryOwner, OmittedItem,
    find_documents, find_owner,
};
use hardwon_core::{id::ProjectId, lesson::Draft, scope::Scope};
use hardwon_engine::{Desk, NoteOutcome};

use super::describe_noted;
use crate::{
    args::ImportArgs,
    config::{self, Settings},
    error::{CliError, ExitReason},
    open, output,
    project::{project_of_folder, project_of_path, project_of_remote, resolve_links},
};

/// Why an item is left out that could be a lesson.
const NO_PROJECT: &str =
    "nothing says which project it is of; give --project NAME, or --everywhere";
/// Items that are stored in one transaction.
const BATCH_ITEMS: usize = 256;

/// What is known of one import.
#[derive(Default)]
struct MemoryImport {
    /// Where each item stands, with its draft.
    drafts: Vec<(ItemPlace, Draft)>,
    omitted: Vec<(ItemPlace, &'static str)>,
    /// Whether something was left out because it could not be read.
    has_broken: bool,
    /// Where items stand that are nobody's in particular.
    unowned: Vec<ItemPlace>,
    passed_over: Vec<(String, String, bool)>,
}

/// A file as it is shown, and a line in it.
#[derive(Clone)]
struct ItemPlace {
    file: String,
    line: usize,
}

pub(super) fn import_memories(
    settings: &Settings,
    args: &ImportArgs,
    format: MemoryFormat,
) -> Result<ExitCode, CliError> {
    let found = find_documents(&args.path, format)
        .map_err(|error| CliError::bad_input(output::replace_controls(&error.to_string())))?;
    let import = MemoryImport::gather(settings, args, format, &found);
    if import.is_empty() {
        let message = format!("there is nothing of the form `{}` there", format.name());
        return Err(CliError::negative(message));
    }
    let engine = match args.dry_run {
        true => open::open_copy(settings)?,
        false => open::open_writer(settings)?,
    };
    let desk = engine.acting_as(settings.person());
    desk.check_may_import()?;
    let outcomes = import.store(&desk)?;
    match args.json {
        true => output::print_json(&import.to_dto(format, &outcomes, args.dry_run))?,
        false => output::print(&import.render(format, &outcomes, args.dry_run))?,
    }
    let is_refused = outcomes.iter().any(|it| it.id().is_none());
    let is_unread = import
        .passed_over
        .iter()
        .any(|(.., is_trouble)| *is_trouble);
    let lacks_project = !import.unowned.is_empty();
    Ok(ExitReason::Negative
        .exit_code_if(is_refused || is_unread || import.has_broken || lacks_project))
}

impl MemoryImport {
    fn gather(
        settings: &Settings,
        args: &ImportArgs,
        format: MemoryFormat,
        found: &FoundDocuments,
    ) -> Self {
        let mut import = Self::default();
        let home = config::home_folder();
        for (path, text) in &found.documents {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let document = MemoryDocument::read(format, &name, text);
            let owner = find_owner(format, path, home.as_deref());
            let place = |line| ItemPlace {
                file: show_path(path, &args.path),
                line,
            };
            let source = name_source(path, home.as_deref());
            for item in &document.items {
                match find_scope(settings, item, &owner) {
                    Some(scope) => {
                        let draft = item.to_draft(format, &source, scope);
                        import.drafts.push((place(item.line), draft));
                    }
                    None => import.unowned.push(place(item.line)),
                }
            }
            import.has_broken |= document.omitted.iter().any(OmittedItem::is_trouble);
            let omitted = document.omitted.iter();
            import
                .omitted
                .extend(omitted.map(|it| (place(it.line), it.why)));
        }
        let unread = found.unread.iter();
        let unread = unread.map(|it| {
            (
                show_path(&it.path, &args.path),
                it.why.clone(),
                it.is_trouble,
            )
        });
        import.passed_over.extend(unread);
        import
    }

    fn is_empty(&self) -> bool {
        self.drafts.is_empty()
            && self.omitted.is_empty()
            && self.unowned.is_empty()
            && self.passed_over.is_empty()
    }

    fn store(&self, desk: &Desk<'_>) -> Result<Vec<NoteOutcome>, CliError> {
        let mut outcomes = Vec::new();
        for batch in self.drafts.chunks(BATCH_ITEMS) {
            let drafts = batch.iter().map(|(_, draft)| draft.clone());
            outcomes.extend(desk.admit_drafts(drafts.collect())?);
        }
        Ok(outcomes)
    }

    fn render(&self, format: MemoryFormat, outcomes: &[NoteOutcome], dry_run: bool) -> String {
        let mut text = String::new();
        for ((place, _), outcome) in self.drafts.iter().zip(outcomes) {
            text.push_str(&format!(
                "  {:<10} {}: {}\n",
                outcome_word(outcome),
                place.show(),
                describe_noted(outcome, dry_run)
            ));
        }
        for (place, why) in &self.omitted {
            text.push_str(&format!("  left out   {}: {why}\n", place.show()));
        }
        let mut unowned: BTreeMap<&str, u64> = BTreeMap::new();
        for place in &self.unowned {
            *unowned.entry(&place.file).or_default() += 1;
        }
        for (file, count) in unowned {
            let file = output::to_one_line(file);
            let items = output::pluralize(count, "item");
            text.push_str(&format!(
                "  left out   {file}: {items}, because {NO_PROJECT}\n"
            ));
        }
        for (name, why, is_trouble) in &self.passed_over {
            let word = if *is_trouble { "not read" } else { "left out" };
            text.push_str(&format!(
                "  {word:<10} {}: {}\n",
                output::to_one_line(name),
                output::to_one_line(why)
            ));
        }
        let projects = self
            .drafts
            .iter()
            .map(|(_, draft)| draft.scope.project.as_ref());
        let mut by_project: BTreeMap<&str, u64> = BTreeMap::new();
        for project in projects {
            let name = project.map_or("every project", ProjectId::display_name);
            *by_project.entry(name).or_default() += 1;
        }
        let counts: hardwon_api::v1::learn::NoteCounts = outcomes.iter().collect();
        let would = if dry_run { "would be " } else { "" };
        text.push_str(&format!(
            "read as `{}`: {} {would}recorded, {} known, {} to review, {} refused, {} left out\n",
            format.name(),
            output::pluralize(counts.learned, "lesson"),
            counts.seen_again,
            counts.for_review,
            counts.refused,
            self.omitted.len() + self.unowned.len() + self.passed_over.len(),
        ));
        for (name, count) in by_project {
            let name = output::to_one_line(name);
            text.push_str(&format!(
                "  {} of {name}\n",
                output::pluralize(count, "item")
            ));
        }
        if counts.for_review > 0 && !dry_run {
            text.push_str("next: `hardwon review-queue`, then `hardwon lesson approve ID`\n");
        }
        text
    }

    fn to_dto<'a>(
        &'a self,
        format: MemoryFormat,
        outcomes: &'a [NoteOutcome],
        dry_run: bool,
    ) -> MemoryImportDto<'a> {
        let items = self.drafts.iter().zip(outcomes);
        let items = items.map(|((place, draft), outcome)| {
            let project = draft.scope.project.as_ref().map(ProjectId::as_str);
            MemoryItemDto::from_outcome(&place.file, place.line, project, outcome)
        });
        let unowned = self.unowned.iter().map(|place| (place, NO_PROJECT));
        let omitted = self.omitted.iter().map(|(place, why)| (place, *why));
        let omitted = omitted.chain(unowned).map(|(place, why)| OmittedItemDto {
            file: &place.file,
            line: place.line,
            why,
        });
        let passed_over = self
            .passed_over
            .iter()
            .map(|(name, why, is_trouble)| PassedOverDto {
                file: name,
                why,
                is_trouble: *is_trouble,
            });
        MemoryImportDto {
            format: format.name(),
            items: items.collect(),
            omitted: omitted.collect(),
            passed_over: passed_over.collect(),
            dry_run,
        }
    }
}

impl ItemPlace {
    fn show(&self) -> String {
        format!("{}:{}", output::to_one_line(&self.file), self.line)
    }
}

/// Returns whose lesson an item becomes; `None` if nobody says.
fn find_scope(settings: &Settings, item: &MemoryItem, of_file: &MemoryOwner) -> Option<Scope> {
    if settings.is_project_named {
        return Some(settings.scope.clone());
    }
    let project = match item.owner.as_ref().unwrap_or(of_file) {
        MemoryOwner::Reader => return Some(settings.scope.clone()),
        MemoryOwner::Unsaid => return None,
        MemoryOwner::Folder(folder) if folder.is_dir() => project_of_folder(folder),
        MemoryOwner::Folder(folder) => project_of_path(&resolve_links(folder)),
        MemoryOwner::Repository(name) => find_remote(name)?,
    };
    Some(Scope {
        project: Some(project),
        ..settings.scope.clone()
    })
}

/// Returns the project of a repository that is named by its address, or by owner and name on GitHub.
fn find_remote(name: &str) -> Option<ProjectId> {
    let is_address = name.contains("://") || name.contains('@') || name.matches('/').count() > 1;
    match is_address {
        true => project_of_remote(name),
        false => project_of_remote(&format!("https://github.com/{name}")),
    }
}

/// Names a file below the path that was given.
fn show_path(path: &Path, given: &Path) -> String {
    let below = path
        .strip_prefix(given)
        .ok()
        .filter(|it| !it.as_os_str().is_empty());
    let name = path.file_name().map(Path::new);
    below.or(name).unwrap_or(path).display().to_string()
}

/// Names a file as the evidence does: by its path in its repository, or from the home folder.
fn name_source(path: &Path, home: Option<&Path>) -> String {
    let whole: PathBuf = resolve_links(path);
    let root = whole.parent().and_then(crate::project::find_root);
    let home = home.map(resolve_links);
    let in_root = root.filter(|it| home.as_ref() != Some(it));
    if let Some(below) = in_root.and_then(|it| whole.strip_prefix(it).map(Path::to_owned).ok()) {
        return below.display().to_string();
    }
    match home.and_then(|home| whole.strip_prefix(home).map(Path::to_owned).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => whole.display().to_string(),
    }
}

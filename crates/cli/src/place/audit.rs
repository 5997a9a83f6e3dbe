//! Looking at general memories: what in them belongs in a project, and whether it could go there.
//!
//! General are the files that a client reads in every session, what clients keep by themselves, and the lessons of
//! hardwon that hold everywhere. Where an entry belongs is decided in [`hardwon_core::place`]. Whether the project's file
//! would take it is tried in a copy of the database: there it is a lesson that a person approved, and the rules of placing
//! choose. Nothing is changed.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ops::Range,
    path::{Path, PathBuf},
};

use hardwon_clients::memories::{
    GeneralFile, MemoryFormat, MemoryItem, MemoryOwner, find_owner, list_entries,
    list_general_files, read_bounded,
};
use hardwon_core::{
    guard::UNREVIEWED_FILE,
    id::{LessonId, ProjectId},
    leak::LeakScanner,
    lesson::{Draft, Lesson, Status},
    place::{AuditVerdict, KnownProjects, audit_entry},
    plan::{PlanBasis, PlanId},
    redact::clean_to_chars,
    text::RawText,
};
use hardwon_engine::{Engine, NoteOutcome};
use hardwon_repo::Repository;

use super::{PlaceOptions, hash_text, look, projects::MachineProjects};
use crate::{
    config::{self, Settings},
    error::CliError,
    open,
    project::project_of_folder,
};

/// Characters of an entry that are shown.
const HEAD_CHARS: usize = 90;
/// Characters of an entry that are judged.
const ENTRY_CHARS: usize = 8000;

/// What is done about an entry when the plan is applied.
#[derive(Debug, Clone, PartialEq)]
pub enum AuditStep {
    /// Nothing is to be done.
    Stay,
    /// A person would have to do it, for this reason.
    ByHand(String),
    /// A lesson moves to its project.
    MoveLesson(LessonId, ProjectId),
    /// An entry becomes a lesson of its project, is placed in the project's file, and is cut out of its own.
    MoveEntry(Box<MovedEntry>),
}

/// An entry that moves.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedEntry {
    /// Its bytes in its file.
    pub range: Range<usize>,
    /// The project.
    pub project: ProjectId,
    /// The root of its repository.
    pub root: PathBuf,
    /// The lesson that it becomes.
    pub draft: Draft,
}

/// An entry of a general memory.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRow {
    /// Its file, as it is in the list of files; `None` for a lesson.
    pub file: Option<usize>,
    /// Its line in the file, or the number of the lesson.
    pub number: i64,
    /// Its first words.
    pub head: String,
    /// Where it belongs.
    pub verdict: AuditVerdict,
    /// What is done about it.
    pub step: AuditStep,
}

/// A file that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedFile {
    /// Its path.
    pub path: PathBuf,
    /// What is in it.
    pub text: String,
}

/// What an audit found.
#[derive(Debug)]
pub struct AuditPlan {
    /// What it was made from.
    pub basis: PlanBasis,
    /// The files.
    pub files: Vec<AuditedFile>,
    /// The entries.
    pub rows: Vec<AuditRow>,
    /// Files that could not be read, and why.
    pub unread: Vec<(PathBuf, String)>,
}

impl AuditPlan {
    /// Returns its name.
    #[must_use]
    pub fn id(&self) -> PlanId {
        let items: Vec<String> = self.rows.iter().map(describe_row).collect();
        PlanId::from_items(&self.basis, items.iter().map(String::as_str))
    }

    /// Returns whether something would be moved.
    #[must_use]
    pub fn has_moves(&self) -> bool {
        let moves =
            |it: &AuditRow| matches!(it.step, AuditStep::MoveLesson(..) | AuditStep::MoveEntry(_));
        self.rows.iter().any(moves)
    }

    /// Returns whether every entry is where it belongs.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.rows.iter().all(|it| it.verdict == AuditVerdict::Keep)
    }
}

fn describe_row(row: &AuditRow) -> String {
    let step = match &row.step {
        AuditStep::Stay => "stay".to_owned(),
        AuditStep::ByHand(why) => format!("by hand {why}"),
        AuditStep::MoveLesson(id, project) => format!("move {} {}", id.0, project.as_str()),
        AuditStep::MoveEntry(entry) => format!(
            "move {:?} {} {}",
            entry.range,
            entry.project.as_str(),
            hash_text(entry.draft.content.text.expose().as_bytes())
        ),
    };
    format!("{:?} {} {step}", row.file, row.number)
}

/// Looks at all general memories. `scan` makes what searches the file of a repository for what must not be published.
pub fn look_around(
    settings: &Settings,
    scan: &dyn Fn(&Repository) -> Result<LeakScanner, CliError>,
) -> Result<AuditPlan, CliError> {
    let home = config::home_folder();
    let reader = open::open_reader(settings)?;
    let census = reader.acting_as(settings.person()).census()?;
    let of_lessons = census.into_iter().filter_map(|(scope, _)| scope.project);
    let here = env::current_dir().ok();
    let projects = MachineProjects::gather(of_lessons, home.as_deref(), here.as_deref());
    let known = KnownProjects::new(projects.list_known());
    let mut look = AuditLook {
        settings,
        projects: &projects,
        known: &known,
        plan: AuditPlan {
            basis: PlanBasis::from_lessons([]),
            files: Vec::new(),
            rows: Vec::new(),
            unread: Vec::new(),
        },
    };
    look.add_lessons()?;
    for file in home.as_deref().map(list_general_files).unwrap_or_default() {
        look.add_file(&file, home.as_deref());
    }
    look.try_moves(scan)?;
    Ok(look.plan)
}

/// An audit on its way.
struct AuditLook<'a> {
    settings: &'a Settings,
    projects: &'a MachineProjects,
    known: &'a KnownProjects,
    plan: AuditPlan,
}

impl AuditLook<'_> {
    fn add_lessons(&mut self) -> Result<(), CliError> {
        let everywhere = settings_of(self.settings, None);
        let lessons = look::find_lessons(&everywhere)?.lessons;
        self.plan.basis = PlanBasis::from_lessons(&lessons);
        for lesson in &lessons {
            let text = format!("{}: {}", lesson.content.signature, lesson.content.text);
            let verdict = audit_entry(text.trim_start_matches(": "), self.known, None);
            let step = match &verdict {
                AuditVerdict::Relocate { project, .. } => {
                    AuditStep::MoveLesson(lesson.id, project.clone())
                }
                other => describe_stay(other),
            };
            self.plan.rows.push(AuditRow {
                file: None,
                number: lesson.id.0,
                head: shorten_head(&lesson_head(lesson)),
                verdict,
                step,
            });
        }
        Ok(())
    }

    fn add_file(&mut self, file: &GeneralFile, home: Option<&Path>) {
        let text = match read_bounded(&file.path) {
            Ok(text) => text,
            Err(error) => {
                self.plan
                    .unread
                    .push((file.path.clone(), error.to_string()));
                return;
            }
        };
        let parts = [file.path.as_os_str().as_encoded_bytes(), text.as_bytes()];
        self.plan.basis = self.plan.basis.with_texts(parts);
        let own = match find_owner(file.format, &file.path, home) {
            MemoryOwner::Folder(folder) => Some(project_of_folder(&folder)),
            _ => None,
        };
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let index = self.plan.files.len();
        for item in list_entries(file.format, &name, &text) {
            let said = clean_to_chars(&entry_text(&item.text, &text, &item.range), ENTRY_CHARS);
            // What Codex keeps says itself which folder it is about.
            let of_item = match &item.owner {
                Some(MemoryOwner::Folder(folder)) => Some(project_of_folder(folder)),
                _ => own.clone(),
            };
            let verdict = audit_item(&item, said.as_str(), self.known, of_item.as_ref());
            let step = match &verdict {
                AuditVerdict::Relocate { project, .. } => {
                    let source = shorten_home(&file.path, home);
                    let scope = settings_of(self.settings, Some(project)).scope;
                    let draft = item.to_draft(file.format, &source, scope);
                    self.propose_move(file, project, item.range.clone(), draft)
                }
                // What a program keeps by itself it also shortens by itself.
                AuditVerdict::Condense { .. } if !file.is_hand_kept => AuditStep::Stay,
                other => describe_stay(other),
            };
            let verdict = match (&step, verdict) {
                (AuditStep::Stay, AuditVerdict::Condense { .. }) => AuditVerdict::Keep,
                (_, verdict) => verdict,
            };
            self.plan.rows.push(AuditRow {
                file: Some(index),
                number: i64::try_from(item.line).unwrap_or(i64::MAX),
                head: shorten_head(item.text.expose()),
                verdict,
                step,
            });
        }
        self.plan.files.push(AuditedFile {
            path: file.path.clone(),
            text,
        });
    }

    fn propose_move(
        &self,
        file: &GeneralFile,
        project: &ProjectId,
        range: Range<usize>,
        draft: Draft,
    ) -> AuditStep {
        let by_hand = |why: &str| AuditStep::ByHand(why.to_owned());
        if !file.is_hand_kept {
            return by_hand(match file.format {
                MemoryFormat::Codex => "Codex writes this file itself",
                _ => "it is a file of its own, which the list leads to",
            });
        }
        match self.projects.find_root(project) {
            None => by_hand("where its repository is, is not known here"),
            Some(root) => AuditStep::MoveEntry(Box::new(MovedEntry {
                range,
                project: project.clone(),
                root: root.to_owned(),
                draft,
            })),
        }
    }

    /// Tries in a copy of the database which entries the files of their projects would take; the others are for a person.
    fn try_moves(
        &mut self,
        scan: &dyn Fn(&Repository) -> Result<LeakScanner, CliError>,
    ) -> Result<(), CliError> {
        let mut by_root: BTreeMap<(PathBuf, ProjectId), Vec<usize>> = BTreeMap::new();
        for (index, row) in self.plan.rows.iter().enumerate() {
            if let AuditStep::MoveEntry(entry) = &row.step {
                let place = (entry.root.clone(), entry.project.clone());
                by_root.entry(place).or_default().push(index);
            }
        }
        if by_root.is_empty() {
            return Ok(());
        }
        let engine = open::open_copy(self.settings)?;
        for ((root, project), rows) in by_root {
            let settings = settings_of(self.settings, Some(&project));
            let tried = self.try_repository(&engine, &settings, &root, &rows, scan);
            let refused: Vec<(usize, String)> = match tried {
                Ok((refused, basis)) => {
                    self.plan.basis = self.plan.basis.with_texts([basis.as_str().as_bytes()]);
                    refused
                }
                Err(error) => rows
                    .iter()
                    .map(|it| (*it, error.message().to_owned()))
                    .collect(),
            };
            for (index, why) in refused {
                self.plan.rows[index].step = AuditStep::ByHand(why);
            }
        }
        Ok(())
    }

    /// Returns the entries that the repository's file would not take, and what that was made from.
    fn try_repository(
        &self,
        engine: &Engine,
        settings: &Settings,
        root: &Path,
        rows: &[usize],
        scan: &dyn Fn(&Repository) -> Result<LeakScanner, CliError>,
    ) -> Result<(Vec<(usize, String)>, PlanBasis), CliError> {
        let repository = Repository::find(root)?;
        let scanner = scan(&repository)?;
        let desk = engine.acting_as(settings.person());
        let before = PlanBasis::from_lessons(&desk.find_placeable()?.lessons);
        let mut refused = Vec::new();
        let mut numbers: Vec<(usize, LessonId)> = Vec::new();
        for &index in rows {
            let AuditStep::MoveEntry(entry) = &self.plan.rows[index].step else {
                continue;
            };
            match approve_entry(engine, settings, &entry.draft)? {
                Ok(id) => numbers.push((index, id)),
                Err(why) => refused.push((index, why)),
            }
        }
        let found = desk.find_placeable()?;
        let plan = look::plan_found(
            repository,
            settings,
            &found,
            PlaceOptions::default(),
            &scanner,
        )?;
        let placed: BTreeSet<LessonId> = plan.choice.placed.iter().map(|it| it.0).collect();
        for (index, id) in numbers.into_iter().filter(|(_, id)| !placed.contains(id)) {
            let left = plan.choice.left.iter().find(|it| it.0 == id);
            let why = left.map_or("the project's file does not take it", |it| it.1.name());
            refused.push((index, why.to_owned()));
        }
        if plan.lacks_file {
            let why = "the repository has no AGENTS.md; `hardwon place --create` there makes one";
            refused = rows.iter().map(|it| (*it, why.to_owned())).collect();
        }
        // The numbers in the copy are no part of it: others may be given before the plan is applied.
        Ok((refused, before))
    }
}

/// Why a lesson leaves that an audit made.
pub(super) const TAKEN_BACK: &str = "the audit that made it was taken back";

/// Stores an entry as a lesson that a person approves; why not, if the guard has something against it.
pub(super) fn approve_entry(
    engine: &Engine,
    settings: &Settings,
    draft: &Draft,
) -> Result<Result<LessonId, String>, CliError> {
    let desk = engine.acting_as(settings.person());
    let mut outcomes = desk.admit_drafts(vec![draft.clone()])?;
    let lesson = match outcomes.pop() {
        Some(NoteOutcome::Refused(why)) => return Ok(Err(why)),
        Some(other) => match other.into_lesson() {
            Ok(lesson) => lesson,
            Err(why) => return Ok(Err(why)),
        },
        None => return Ok(Err("nothing came of it".to_owned())),
    };
    let may_be_approved = match &lesson.status {
        Status::Active => return Ok(Ok(lesson.id)),
        // That it came from a file is what the person who applies the plan looks at; anything else is for a review.
        Status::Pending { why } => why.as_str() == UNREVIEWED_FILE,
        // It left with an audit, not because somebody had something against it.
        Status::Archived { why } => why.as_str() == TAKEN_BACK,
        _ => false,
    };
    if may_be_approved {
        desk.approve_lesson(lesson.id, None)?;
        return Ok(Ok(lesson.id));
    }
    Ok(Err(match &lesson.status {
        Status::Pending { why } => format!("it waits for review: {why}"),
        other => format!("a lesson says so already, and it is {}", other.name()),
    }))
}

/// Returns the settings with another project; `None` for lessons that hold everywhere.
pub(super) fn settings_of(settings: &Settings, project: Option<&ProjectId>) -> Settings {
    let mut changed = settings.clone();
    changed.scope.project = project.cloned();
    changed
}

fn describe_stay(verdict: &AuditVerdict) -> AuditStep {
    match verdict {
        AuditVerdict::Keep | AuditVerdict::Relocate { .. } => AuditStep::Stay,
        AuditVerdict::Condense { .. } => {
            AuditStep::ByHand("it is long, and read in every session".to_owned())
        }
        AuditVerdict::Undecided { .. } => AuditStep::ByHand("it names several projects".to_owned()),
    }
}

/// Says where an entry of a file belongs; what it does not name itself, a heading above it may.
fn audit_item(
    item: &MemoryItem,
    said: &str,
    known: &KnownProjects,
    home: Option<&ProjectId>,
) -> AuditVerdict {
    let own = audit_entry(said, known, home);
    let headings = item.headings.iter().rev().map(RawText::expose);
    let mut above = headings.map(|it| audit_entry(it, known, home));
    match own {
        AuditVerdict::Keep | AuditVerdict::Condense { .. } => above
            .find(|it| {
                matches!(
                    it,
                    AuditVerdict::Relocate { .. } | AuditVerdict::Undecided { .. }
                )
            })
            .unwrap_or(own),
        own => own,
    }
}

/// Returns the whole entry: what an item holds may be cut.
fn entry_text(text: &RawText, file: &str, range: &Range<usize>) -> RawText {
    let whole = file.get(range.clone()).unwrap_or_default();
    match whole.is_empty() || whole.len() <= text.expose().len() {
        true => text.clone(),
        false => RawText::new(whole.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

fn lesson_head(lesson: &Lesson) -> String {
    match lesson.content.signature.is_blank() {
        true => lesson.content.text.as_str().to_owned(),
        false => format!("[{}] {}", lesson.content.signature, lesson.content.text),
    }
}

fn shorten_head(text: &str) -> String {
    clean_to_chars(&RawText::from(text), HEAD_CHARS)
        .as_str()
        .to_owned()
}

/// Returns a path as a person writes it.
pub fn shorten_home(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|it| path.strip_prefix(it).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

//! Looking at general memories: what in them belongs in a project, and whether it could go there.
//!
//! General are the files that a client reads in every session, what clients keep by themselves, and the lessons of
//! hardwon that hold everywhere. Where an entry belongs is decided in [`hardwon_gates::place`], and whether the project's
//! file would take it is tried in [`audit_try`](super::audit_try). Nothing is changed.

use std::{
    env,
    ops::Range,
    path::{Path, PathBuf},
};

use hardwon_clients::memories::{
    GeneralFile, MemoryItem, find_owner, list_entries, list_general_files, list_noted_folders,
    read_bounded,
};
use hardwon_core::{Draft, Lesson, ProjectId, RawText, advice::strip_list_mark};
use hardwon_engine::PlanBasis;
use hardwon_gates::{
    leak::LeakScanner,
    place::{AuditVerdict, KnownProjects, audit_entry},
};
use hardwon_redact::clean_to_chars;
use hardwon_repo::Repository;

use super::{audit_plan::settings_of, audit_try::try_moves, look, projects::MachineProjects};
use crate::{AuditPlan, AuditRow, AuditStep, AuditedFile, MovedEntry};
use crate::{Result, Settings, config, open, project::project_of_folder};

/// Characters of an entry that are shown.
const HEAD_CHARS: usize = 90;
/// Characters of an entry that are judged.
const ENTRY_CHARS: usize = 8000;

/// Looks at all general memories. `scan` makes what searches the file of a repository for what must not be published.
pub fn look_around(
    settings: &Settings,
    scan: &dyn Fn(&Repository) -> Result<LeakScanner>,
) -> Result<AuditPlan> {
    let home = config::home_folder();
    let reader = open::open_reader(settings)?;
    let of_lessons = reader.acting_as(settings.person()).projects()?;
    let mut folders: Vec<PathBuf> = env::current_dir().into_iter().collect();
    folders.extend(home.as_deref().map(list_noted_folders).unwrap_or_default());
    let projects = MachineProjects::gather(of_lessons, home.as_deref(), &folders);
    let known_projects = KnownProjects::new(projects.list_known());
    let mut look = AuditLook {
        settings,
        folders: &folders,
        projects: &projects,
        known: &known_projects,
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
    let mut plan = look.plan;
    try_moves(settings, &mut plan, scan)?;
    Ok(plan)
}

/// An audit on its way.
struct AuditLook<'a> {
    settings: &'a Settings,
    folders: &'a [PathBuf],
    projects: &'a MachineProjects,
    known: &'a KnownProjects,
    plan: AuditPlan,
}

impl AuditLook<'_> {
    fn add_lessons(&mut self) -> Result<()> {
        let everywhere = settings_of(self.settings, None);
        let lessons = look::find_lessons(&everywhere)?.lessons;
        self.plan.basis = PlanBasis::from_lessons(&lessons);
        for lesson in &lessons {
            let text = join_lines(lesson.content.text.as_str());
            let text = format!("{}: {text}", lesson.content.signature);
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
        let own = find_owner(&file.path, home, self.folders);
        let own = own.map(|folder| project_of_folder(&folder));
        let index = self.plan.files.len();
        for item in list_entries(&file.path, &text) {
            let entry = clean_to_chars(
                &entry_text(&item.content.text, &text, &item.range),
                ENTRY_CHARS,
            );
            let verdict = audit_item(&item, entry.as_str(), self.known, own.as_ref());
            let step = match &verdict {
                AuditVerdict::Relocate { project, .. } => {
                    let source = shorten_home(&file.path, home);
                    let scope = settings_of(self.settings, Some(project)).scope;
                    let draft = item.to_draft(&source, scope);
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
                head: shorten_head(item.content.text.expose()),
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
            return by_hand("it is a file of its own, which the list leads to");
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
    let mut above = headings.map(|heading| audit_entry(heading, known, home));
    match own {
        AuditVerdict::Keep | AuditVerdict::Condense { .. } => above
            .find(|above| {
                matches!(
                    above,
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
    if whole.is_empty() || whole.len() <= text.expose().len() {
        text.clone()
    } else {
        RawText::new(join_lines(strip_list_mark(whole)))
    }
}

/// Returns a text on one line, as it is read once it is rendered.
fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn lesson_head(lesson: &Lesson) -> String {
    if lesson.content.signature.is_blank() {
        lesson.content.text.as_str().to_owned()
    } else {
        format!("[{}] {}", lesson.content.signature, lesson.content.text)
    }
}

fn shorten_head(text: &str) -> String {
    clean_to_chars(&RawText::from(text), HEAD_CHARS)
        .as_str()
        .to_owned()
}

/// Returns a path as a person writes it.
pub fn shorten_home(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

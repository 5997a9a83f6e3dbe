//! What an audit of general memories found, and what is done about it when it is applied. Nothing here looks or writes.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

use hardwon_core::{Draft, LessonId, ProjectId};
use hardwon_engine::{PlanBasis, PlanId};
use hardwon_gates::place::AuditVerdict;

use super::hash_text;
use crate::Settings;

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

impl AuditStep {
    /// Returns whether applying the plan does it.
    pub fn is_work(&self) -> bool {
        !matches!(self, Self::Stay | Self::ByHand(_))
    }
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

/// Entries that come to one project, each with its place in the rows of the plan.
pub(super) type Arrivals<'a> = Vec<(usize, &'a MovedEntry)>;

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
    pub fn id(&self) -> PlanId {
        let items: Vec<String> = self.rows.iter().map(describe_row).collect();
        PlanId::from_items(&self.basis, items.iter().map(String::as_str))
    }

    /// Returns whether applying it would change something.
    pub fn has_work(&self) -> bool {
        self.rows.iter().any(|row| row.step.is_work())
    }

    /// Returns the entries that move, by the repository and the project that they come to, each with its place in the rows.
    pub(super) fn list_arrivals(&self) -> BTreeMap<(&Path, &ProjectId), Arrivals<'_>> {
        let mut arrivals: BTreeMap<_, Arrivals<'_>> = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            if let AuditStep::MoveEntry(entry) = &row.step {
                let place = (&*entry.root, &entry.project);
                arrivals.entry(place).or_default().push((index, entry));
            }
        }
        arrivals
    }

    /// Returns whether every entry is where it belongs.
    pub fn is_clean(&self) -> bool {
        self.rows
            .iter()
            .all(|row| row.verdict == AuditVerdict::Keep)
    }
}

fn describe_row(row: &AuditRow) -> String {
    let step = match &row.step {
        AuditStep::Stay => "stay".to_owned(),
        AuditStep::ByHand(_) => "by hand".to_owned(),
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

/// Returns the settings with another project; `None` for lessons that hold everywhere.
pub(super) fn settings_of(settings: &Settings, project: Option<&ProjectId>) -> Settings {
    let mut new_settings = settings.clone();
    new_settings.scope.project = project.cloned();
    new_settings
}

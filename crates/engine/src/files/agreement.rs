//! What both sides of a folder agreed on last, kept in the store.
//!
//! It is kept by folder and scope, because each clone and worktree is at a place of its own. It
//! holds digests and names of files, never words.

use std::{collections::BTreeMap, path::Path};

use hardwon_core::{LessonId, Scope, Slug, digest, limits};
use hardwon_store::{Commit as _, Durability, SourceProgress};
use serde::{Deserialize, Serialize};

use crate::{Desk, Result};

/// What was agreed on last about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SyncAgreement {
    /// The number of the file's lesson; none if it was no lesson for us.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "lesson")]
    pub(super) lesson_number: Option<i64>,
    /// The digest of the file's bytes.
    #[serde(rename = "file")]
    pub(super) file_digest: String,
    /// The digest of the lesson's words.
    #[serde(rename = "said")]
    pub(super) content_digest: String,
    #[serde(default, skip_serializing_if = "AgreementMark::is_unmarked")]
    pub(super) mark: AgreementMark,
}

/// What is special about a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AgreementMark {
    /// Both sides had changed, and the store's lies beside it.
    Conflict,
    /// It was deleted, and its lesson was archived for that.
    Deleted,
    /// The guard turned its words away; it stays as it is until it changes.
    Refused,
    /// Nothing.
    #[default]
    #[serde(other)]
    Unmarked,
}

impl AgreementMark {
    fn is_unmarked(&self) -> bool {
        *self == Self::Unmarked
    }
}

/// What is kept of one file.
#[derive(Serialize, Deserialize)]
struct AgreementRow {
    slug: String,
    #[serde(flatten)]
    agreement: SyncAgreement,
}

impl SyncAgreement {
    pub(super) fn lesson(&self) -> Option<LessonId> {
        self.lesson_number.map(LessonId)
    }
}

impl Desk<'_> {
    /// Returns what was agreed on last; nothing for a folder that was never synced.
    pub(super) fn load_agreements(
        &self,
        folder: &Path,
        scope: &Scope,
    ) -> Result<BTreeMap<Slug, SyncAgreement>> {
        let name = agreement_source_name(folder, scope);
        let reader = self.snapshot()?;
        let progress = reader.source_progress(&scope.tenant, &name)?;
        let rows = progress
            .and_then(|progress| serde_json::from_slice::<Vec<AgreementRow>>(&progress.state).ok());
        let rows = rows.unwrap_or_default().into_iter();
        Ok(rows
            .filter_map(|row| Some((Slug::parse(&row.slug)?, row.agreement)))
            .collect())
    }

    /// Keeps what is agreed on now.
    pub(super) fn save_agreements(
        &self,
        folder: &Path,
        scope: &Scope,
        all: &BTreeMap<Slug, SyncAgreement>,
    ) -> Result<()> {
        let rows = all.iter().map(|(slug, agreement)| AgreementRow {
            slug: slug.to_string(),
            agreement: agreement.clone(),
        });
        let rows: Vec<AgreementRow> = rows.collect();
        let mut state = serde_json::to_vec(&rows).expect("texts and numbers are JSON");
        if state.len() > limits::SOURCE_STATE_BYTES {
            // Then each sync begins anew, and what differs is shown as a conflict.
            state.clear();
        }
        let source = SourceProgress {
            position: 0,
            fingerprint: "lessons".to_owned(),
            state,
            at: self.now(),
        };
        let name = agreement_source_name(folder, scope);
        self.engine
            .store
            .commit_with(&scope.tenant, Durability::Lazy, |tx| {
                Ok(tx.save_source_progress(&name, &source)?)
            })
    }
}

/// Names a folder's state without writing its path down.
fn agreement_source_name(folder: &Path, scope: &Scope) -> String {
    let whole = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let project = scope.project_name().unwrap_or_default();
    let parts = [
        whole.as_os_str().as_encoded_bytes(),
        scope.agent.as_str().as_bytes(),
        project.as_bytes(),
    ];
    let digest = digest::to_hex(&digest::hash_parts(parts));
    format!("lessons {}", &digest[..32])
}

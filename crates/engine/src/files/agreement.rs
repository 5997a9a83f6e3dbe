//! What both sides of a folder agreed on last, kept in the store.
//!
//! It is kept by folder and scope, because each clone and worktree is at a place of its own. It
//! holds prints and names of files, never words.

use std::{collections::BTreeMap, path::Path};

use hardwon_core::{digest, id::LessonId, lesson::Slug, limits, scope::Scope};
use hardwon_store::{Commit as _, Durability, SourceProgress};
use serde::{Deserialize, Serialize};

use super::plan::{AgreementMark, SyncAgreement};
use crate::{Desk, Result};

/// What is kept of one file.
#[derive(Serialize, Deserialize)]
struct AgreementRow {
    slug: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<i64>,
    file: String,
    said: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    mark: String,
}

impl Desk<'_> {
    /// Returns what was agreed on last; nothing for a folder that was never synced.
    pub(super) fn load_agreements(
        &self,
        folder: &Path,
        scope: &Scope,
    ) -> Result<BTreeMap<Slug, SyncAgreement>> {
        let kept = self
            .engine
            .store
            .snapshot()?
            .source_progress(&scope.tenant, &agreement_source_name(folder, scope))?;
        let rows: Vec<AgreementRow> = kept
            .and_then(|it| serde_json::from_slice(&it.state).ok())
            .unwrap_or_default();
        Ok(rows.into_iter().filter_map(parse_agreement).collect())
    }

    /// Keeps what is agreed on now.
    pub(super) fn save_agreements(
        &self,
        folder: &Path,
        scope: &Scope,
        all: &BTreeMap<Slug, SyncAgreement>,
    ) -> Result<()> {
        let mut state = encode_agreements(all);
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

fn encode_agreements(all: &BTreeMap<Slug, SyncAgreement>) -> Vec<u8> {
    let rows: Vec<AgreementRow> = all
        .iter()
        .map(|(slug, agreed)| AgreementRow {
            slug: slug.to_string(),
            lesson: agreed.lesson.map(|id| id.0),
            file: agreed.file_digest.clone(),
            said: agreed.content_digest.clone(),
            mark: match agreed.mark {
                AgreementMark::Unmarked => String::new(),
                AgreementMark::Conflict => "conflict".to_owned(),
                AgreementMark::Deleted => "deleted".to_owned(),
                AgreementMark::Refused => "refused".to_owned(),
            },
        })
        .collect();
    serde_json::to_vec(&rows).expect("texts and numbers are JSON")
}

fn parse_agreement(row: AgreementRow) -> Option<(Slug, SyncAgreement)> {
    let agreed = SyncAgreement {
        lesson: row.lesson.map(LessonId),
        file_digest: row.file,
        content_digest: row.said,
        mark: match row.mark.as_str() {
            "conflict" => AgreementMark::Conflict,
            "deleted" => AgreementMark::Deleted,
            "refused" => AgreementMark::Refused,
            _ => AgreementMark::Unmarked,
        },
    };
    Some((Slug::parse(&row.slug)?, agreed))
}

/// Names a folder's state without writing its path down.
fn agreement_source_name(folder: &Path, scope: &Scope) -> String {
    let whole = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let project = scope.project.as_ref().map_or("", |it| it.as_str());
    let parts = [
        whole.as_os_str().as_encoded_bytes(),
        scope.agent.as_str().as_bytes(),
        project.as_bytes(),
    ];
    format!(
        "lessons {}",
        &digest::to_hex(&digest::hash_parts(parts))[..32]
    )
}

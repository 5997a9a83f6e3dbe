//! What both sides of a folder agreed on last, kept in the store.
//!
//! It is kept by folder and scope, because each clone and worktree is at a place of its own. It
//! holds prints and names of files, never words.

use std::{collections::BTreeMap, path::Path};

use hardwon_core::{digest, id::LessonId, lesson::Slug, limits, scope::Scope};
use hardwon_store::{Commit as _, Durability, Source};
use serde::{Deserialize, Serialize};

use super::plan::{Agreed, Mark};
use crate::{Engine, Result};

/// What is kept of one file.
#[derive(Serialize, Deserialize)]
struct Row {
    slug: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<i64>,
    file: String,
    said: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    mark: String,
}

impl Engine {
    /// Returns what was agreed on last; nothing for a folder that was never synced.
    pub(super) fn agreed(&self, folder: &Path, scope: &Scope) -> Result<BTreeMap<Slug, Agreed>> {
        let kept = self
            .store
            .snapshot()?
            .source(&scope.tenant, &name(folder, scope))?;
        let rows: Vec<Row> = kept
            .and_then(|it| serde_json::from_slice(&it.state).ok())
            .unwrap_or_default();
        Ok(rows.into_iter().filter_map(agreed).collect())
    }

    /// Keeps what is agreed on now.
    pub(super) fn agree(
        &self,
        folder: &Path,
        scope: &Scope,
        all: &BTreeMap<Slug, Agreed>,
    ) -> Result<()> {
        let mut state = encoded(all);
        if state.len() > limits::SOURCE_STATE_BYTES {
            // Then each sync begins anew, and what differs is shown as a conflict.
            state.clear();
        }
        let source = Source {
            position: 0,
            fingerprint: "lessons".to_owned(),
            state,
            at: self.clock.now(),
        };
        let name = name(folder, scope);
        self.store
            .commit_with(&scope.tenant, Durability::Lazy, |tx| {
                Ok(tx.keep_source(&name, &source)?)
            })
    }
}

fn encoded(all: &BTreeMap<Slug, Agreed>) -> Vec<u8> {
    let rows: Vec<Row> = all
        .iter()
        .map(|(slug, agreed)| Row {
            slug: slug.to_string(),
            lesson: agreed.lesson.map(|id| id.0),
            file: agreed.file.clone(),
            said: agreed.said.clone(),
            mark: match agreed.mark {
                Mark::Plain => String::new(),
                Mark::Conflict => "conflict".to_owned(),
                Mark::Deleted => "deleted".to_owned(),
                Mark::Refused => "refused".to_owned(),
            },
        })
        .collect();
    serde_json::to_vec(&rows).expect("texts and numbers are JSON")
}

fn agreed(row: Row) -> Option<(Slug, Agreed)> {
    let agreed = Agreed {
        lesson: row.lesson.map(LessonId),
        file: row.file,
        said: row.said,
        mark: match row.mark.as_str() {
            "conflict" => Mark::Conflict,
            "deleted" => Mark::Deleted,
            "refused" => Mark::Refused,
            _ => Mark::Plain,
        },
    };
    Some((Slug::parse(&row.slug)?, agreed))
}

/// Names a folder's state without writing its path down.
fn name(folder: &Path, scope: &Scope) -> String {
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

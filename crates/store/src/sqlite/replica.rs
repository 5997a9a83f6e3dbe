//! A replica: the lessons that may be recalled from one scope of a server, in a file of their own, to recall from without
//! asking the server.
//!
//! [`pack_replica`] makes the file, from a store of any kind; [`install_replica`] puts one that was received where it is
//! read. It has the server's numbers and no journal, and is a cache. Nothing changes it in place: whoever has the old file
//! open goes on reading that. Recalls that are noted beside it are counted in a new file, and carried over into the next.
//! Who may have which lessons, and how a file travels, is not known here.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use hardwon_core::{CleanText, DocTerms, Lesson, LessonId, Scope, digest, limits, trigger};
use jiff::Timestamp;
use rusqlite::{Connection, MAIN_DB, params};

use super::{database::SqliteTransaction, index, open, pool::Access, turn, waiting::LockPatience};
use crate::{
    ChainHead, Durability, LessonListing, Read, Result, ScopeFilter, SourceProgress, SqliteStore,
    StatusName, Store as _, StoreError, StoreErrorKind, Write as _, damaged_error,
    paging::read_lessons,
    rows::{self, project_column},
};

/// The source as which the server stands in the table of sources: on the way its fingerprint is for whom the file was made,
/// and where it is read, what the server calls its contents.
const SERVER_SOURCE: &str = "server";

/// Most lessons that are named as refused.
const MAX_REFUSED: usize = 1000;

/// What a received file has to be, and becomes.
#[derive(Debug, Clone, Copy)]
pub struct ReplicaLabel<'a> {
    /// The scope, as it is called here.
    pub scope: &'a Scope,
    /// For whom it was made.
    pub owner: &'a str,
    /// What the server calls its contents.
    pub tag: &'a str,
}

/// What is known of a replica.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaState {
    /// What the server calls its contents.
    pub tag: String,
    /// The lessons that were sent and are not in it.
    pub refused: Vec<LessonId>,
}

/// Names what a replica of a scope would hold. Another owner's is called something else, and how often lessons were shown
/// makes no difference.
///
/// # Errors
///
/// The reason why the lessons could not be read.
pub fn tag_replica(reader: &dyn Read, scope: &Scope, owner: &str) -> Result<String> {
    let mut hash = digest::hash_parts([owner.as_bytes()]);
    each_lesson(reader, scope, &mut |mut lesson| {
        (lesson.counts.shown, lesson.counts.last_shown) = (0, None);
        let columns = rows::written_columns(&lesson, None)?;
        let row_text = format!(
            "{} {} {columns:?}",
            lesson.id,
            project_column(&lesson.scope)
        );
        hash = digest::hash_parts([&hash[..], row_text.as_bytes()]);
        Ok(())
    })?;
    Ok(digest::to_hex(&hash[..16]))
}

/// Makes the file of a replica.
///
/// # Errors
///
/// `Full` if there are more than [`limits::REPLICA_LESSONS`] lessons, and the reason why they could not be read.
pub fn pack_replica(reader: &dyn Read, scope: &Scope, owner: &str) -> Result<Arc<[u8]>> {
    let store = SqliteStore::in_memory()?;
    let mut left = limits::REPLICA_LESSONS;
    store.run_write(Durability::Lazy, |conn| {
        let mut transaction = SqliteTransaction::begin(conn, &scope.tenant, store.pool.tuning())?;
        transaction.save_source_progress(SERVER_SOURCE, &make_progress(owner, &[])?)?;
        each_lesson(reader, scope, &mut |lesson| {
            left = left.checked_sub(1).ok_or_else(too_many_error)?;
            transaction.add_reduced(&lesson)
        })?;
        transaction.finish()
    })?;
    let mut conn = store.pool.lend_reader(&store.path)?;
    Ok(Arc::from(&*conn.serialize(MAIN_DB)?))
}

/// Puts a received file in the place of the replica, if it is one, and this scope's and owner's. `readmit` says how a
/// lesson may be used here, if it may.
///
/// # Errors
///
/// `Damaged` if it is no such file, `TooNew` if a newer version made it, and the reason why a file could not be written.
pub fn install_replica(
    received: &Path,
    to: &Path,
    label: ReplicaLabel<'_>,
    readmit: &mut dyn FnMut(&Lesson) -> Option<Lesson>,
) -> Result<()> {
    let store = SqliteStore::in_memory_with(open::open_received(received)?);
    store.run_write(Durability::Lazy, |conn| {
        adopt_scope(conn, label)?;
        let mut transaction =
            SqliteTransaction::begin(conn, &label.scope.tenant, store.pool.tuning())?;
        let refusals = transaction.readmit_lessons(readmit)?;
        let progress = make_progress(label.tag, &refusals)?;
        transaction.save_source_progress(SERVER_SOURCE, &progress)?;
        transaction.finish()
    })?;
    let _turn = turn::await_turn(to, LockPatience::Command.duration())?;
    if to.exists() {
        // What they were is known to the server too.
        drop(carry_recalls(&*store.pool.lend_writer(&store.path)?, to));
    }
    store.backup(to)
}

impl SqliteStore {
    /// Opens a replica to read it and to note recalls. What is counted makes a new file in its place.
    ///
    /// # Errors
    ///
    /// As [`open_reader`](Self::open_reader).
    pub fn open_replica(path: &Path) -> Result<Self> {
        let conn = open::open_reader_once(path)?;
        Ok(Self::from_reader(path, conn, Access::Replace))
    }

    /// Returns what is known of a replica.
    ///
    /// # Errors
    ///
    /// `NotFound` if it is none, and the reason why it could not be read.
    pub fn replica_state(&self, scope: &Scope) -> Result<ReplicaState> {
        let progress = self
            .snapshot()?
            .source_progress(&scope.tenant, SERVER_SOURCE)?;
        let missing = || StoreError::new(StoreErrorKind::NotFound, "", "it is no replica");
        let progress = progress.ok_or_else(missing)?;
        let refusals: Vec<i64> = serde_json::from_slice(&progress.state).unwrap_or_default();
        Ok(ReplicaState {
            tag: progress.fingerprint,
            refused: refusals.into_iter().map(LessonId).collect(),
        })
    }

    /// Writes to a copy of a replica, which takes its place if it was changed.
    pub(super) fn replace_written<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let _turn = turn::await_turn(&self.path, self.pool.patience())?;
        let copy = Self::open_copy(&self.path)?;
        let outcome = copy.run_write(Durability::Lazy, work)?;
        if copy.pool.lend_reader(&copy.path)?.total_changes() > 0 {
            self.pool.close_idle();
            copy.backup(&self.path)?;
        }
        Ok(outcome)
    }
}

fn too_many_error() -> StoreError {
    let message = format!("there are more than {} lessons", limits::REPLICA_LESSONS);
    StoreError::new(StoreErrorKind::Full, "packing a replica", message)
}

fn make_progress(fingerprint: &str, refused: &[LessonId]) -> Result<SourceProgress> {
    let refusals: Vec<i64> = refused.iter().take(MAX_REFUSED).map(|id| id.0).collect();
    Ok(SourceProgress {
        position: 0,
        fingerprint: fingerprint.to_owned(),
        state: rows::to_json(&refusals)?.into_bytes(),
        at: Timestamp::UNIX_EPOCH,
    })
}

/// Passes on the lessons of a replica, the newest first, each without what nobody recalls by.
fn each_lesson(
    reader: &dyn Read,
    scope: &Scope,
    take: &mut dyn FnMut(Lesson) -> Result<()>,
) -> Result<()> {
    let listing = LessonListing {
        within: ScopeFilter::Visible(scope.clone()),
        status: Some(StatusName::Active),
        ..LessonListing::default()
    };
    for lesson in read_lessons(reader, &scope.tenant, listing) {
        take(reduce_lesson(lesson?))?;
    }
    Ok(())
}

/// Leaves of a lesson's task the terms, in alphabetical order: so they say less of what was asked, and find as much.
fn reduce_lesson(mut lesson: Lesson) -> Lesson {
    let admitted_lesson = &mut lesson.admitted;
    if let Some(task) = &admitted_lesson.task {
        let terms = DocTerms::from_content(&admitted_lesson.content, Some(task));
        let sorted_terms: BTreeSet<&str> = terms.task_terms().collect();
        let words = sorted_terms.into_iter().collect::<Vec<_>>().join(" ");
        admitted_lesson.task =
            Some(CleanText::from_stored(words)).filter(|words| !words.is_blank());
    }
    admitted_lesson.content = admitted_lesson.content.clone().without_foreign_metadata();
    lesson
}

impl SqliteTransaction<'_> {
    /// Adds a reduced lesson.
    fn add_reduced(&mut self, lesson: &Lesson) -> Result<()> {
        self.write_lesson(lesson.id, None, Some(lesson))?;
        let Some(task) = &lesson.task else {
            return Ok(());
        };
        // It was indexed as if the terms of its task were the task.
        let task: Vec<String> = task.as_str().split(' ').map(str::to_owned).collect();
        let keys = trigger::index_keys(&lesson.content);
        let terms = DocTerms::from_content_and_task_terms(&lesson.content, &task).with_keys(&keys);
        let scope = self.ensure_scope(&lesson.scope)?;
        let conn = self.view.database.conn();
        index::remove_lesson(conn, scope, lesson.id)?;
        index::add_lesson(conn, scope, lesson.id, &terms)
    }

    /// Has every lesson judged once more, and returns those that may not be used.
    fn readmit_lessons(
        &mut self,
        readmit: &mut dyn FnMut(&Lesson) -> Option<Lesson>,
    ) -> Result<Vec<LessonId>> {
        let mut refusals = Vec::new();
        let mut listing = LessonListing::default();
        loop {
            let page = self.view.lessons(self.tenant, &listing)?;
            let Some(last) = page.last() else {
                return Ok(refusals);
            };
            listing.before = Some(last.id);
            for lesson in &page {
                let usable = readmit(lesson);
                if usable.is_none() {
                    refusals.push(lesson.id);
                }
                if usable.as_ref() != Some(lesson) {
                    self.write_lesson(lesson.id, Some(lesson), usable.as_ref())?;
                }
            }
        }
    }
}

/// Checks for whom a file was made, and gives its scope the names that it has here.
fn adopt_scope(conn: &Connection, label: ReplicaLabel<'_>) -> Result<()> {
    let ReplicaLabel { scope, owner, .. } = label;
    let is_own = "SELECT (SELECT count(*) = 1 AND max(id) = 1 FROM tenant)
                  AND (SELECT count(*) FROM scope WHERE tenant <> 1 OR project NOT IN ('', ?1)) = 0
                  AND (SELECT fingerprint FROM source WHERE name = ?2) IS ?3";
    let values = params![project_column(scope), SERVER_SOURCE, owner];
    if !conn.query_row(is_own, values, |row| row.get(0))? {
        return Err(damaged_error("it was made for somebody else"));
    }
    let genesis = ChainHead::genesis(&scope.tenant);
    conn.execute(
        "UPDATE tenant SET name = ?1, sequence = 0, hash = ?2",
        params![scope.tenant.as_str(), genesis.hash.as_bytes()],
    )?;
    conn.execute("UPDATE scope SET agent = ?1", [scope.agent.as_str()])?;
    Ok(())
}

/// Takes the recalls over that were made from the replica of before, and how many of those beside it were counted.
fn carry_recalls(conn: &Connection, before: &Path) -> Result<()> {
    conn.execute("ATTACH DATABASE ?1 AS before", [before.to_string_lossy()])?;
    let result = conn.execute_batch(
        "BEGIN;
         DELETE FROM main.recall; INSERT INTO main.recall SELECT * FROM before.recall;
         DELETE FROM main.asked; INSERT INTO main.asked SELECT * FROM before.asked;
         DELETE FROM main.spool; INSERT INTO main.spool SELECT * FROM before.spool;
         UPDATE main.tenant SET next_recall = (SELECT max(next_recall) FROM before.tenant);
         COMMIT",
    );
    if result.is_err() {
        conn.execute_batch("ROLLBACK")?;
    }
    conn.execute_batch("DETACH DATABASE before")?;
    Ok(result?)
}

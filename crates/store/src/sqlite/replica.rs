//! Keeps copies of a server's lessons in the tables of lessons: rows, text index and counts, and no journal.

use std::collections::HashSet;

use hardwon_core::{
    id::{LessonId, TenantId},
    lesson::Lesson,
};
use jiff::Timestamp;

use super::{SqliteStore, erase, index, write::SqliteTransaction};
use crate::{
    Durability, LessonCopy, LessonListing, Read as _, ReplicaUpdate, Result, SourceProgress,
    Store as _, Write as _,
};

/// The source as which the server stands in the table of sources.
const SERVER_SOURCE: &str = "server";

impl SqliteStore {
    /// Applies an update to the replica of a tenant, all of it or nothing. Applying it again changes nothing.
    ///
    /// # Errors
    ///
    /// The reason why the file could not be written.
    pub fn update_replica(&self, tenant: &TenantId, update: &ReplicaUpdate) -> Result<()> {
        let done = self.run_write(Durability::Lazy, |conn| {
            let mut transaction = SqliteTransaction::begin(conn, tenant)?;
            transaction.apply_update(update)?;
            transaction.finish(self.pool.tuning())
        })?;
        if done.has_deleted {
            erase::scrub_deleted(&mut *self.pool.lend_writer(&self.path)?);
        }
        Ok(())
    }

    /// Returns the position of the last update of a replica, and when that was; `None` if there was none.
    pub fn replica_position(&self, tenant: &TenantId) -> Result<Option<(String, Timestamp)>> {
        let found = self.snapshot()?.source_progress(tenant, SERVER_SOURCE)?;
        Ok(found.map(|it| (it.fingerprint, it.at)))
    }
}

impl SqliteTransaction<'_> {
    fn apply_update(&mut self, update: &ReplicaUpdate) -> Result<()> {
        if update.is_whole {
            let kept: HashSet<LessonId> = update.lessons.iter().map(|it| it.lesson().id).collect();
            self.remove_all_but(&kept)?;
        }
        for copy in &update.lessons {
            self.write_copy(copy)?;
        }
        for id in &update.gone {
            self.remove_copy(*id)?;
        }
        let progress = SourceProgress {
            position: 0,
            fingerprint: update.position.clone(),
            state: Vec::new(),
            at: update.at,
        };
        self.save_source_progress(SERVER_SOURCE, &progress)
    }

    fn write_copy(&mut self, copy: &LessonCopy) -> Result<()> {
        let lesson = copy.lesson();
        let before = self.view.lesson(self.tenant_name, lesson.id)?;
        self.write_lesson(lesson.id, before.as_ref(), Some(lesson))?;
        let is_same = |it: &Lesson| it.scope == lesson.scope && copy.is_indexed_as(it);
        if lesson.task.is_none() || before.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        // The row was indexed as if the terms of its task were the task.
        let scope = self.scope_id(lesson)?;
        index::remove_lesson(self.conn, scope, lesson.id)?;
        index::add_lesson(self.conn, scope, lesson.id, &copy.terms())?;
        Ok(())
    }

    fn remove_copy(&mut self, id: LessonId) -> Result<()> {
        match self.view.lesson(self.tenant_name, id)? {
            Some(lesson) => self.write_lesson(id, Some(&lesson), None),
            None => Ok(()),
        }
    }

    fn remove_all_but(&mut self, kept: &HashSet<LessonId>) -> Result<()> {
        let mut listing = LessonListing::default();
        loop {
            let page = self.view.lessons(self.tenant_name, &listing)?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            listing.before = Some(last.id);
            for lesson in page.iter().filter(|it| !kept.contains(&it.id)) {
                self.write_lesson(lesson.id, Some(lesson), None)?;
            }
        }
    }
}

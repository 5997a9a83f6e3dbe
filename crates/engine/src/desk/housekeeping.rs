//! Keeping house at a desk: the queue of questions, taking stock, lessons in files.

use std::path::Path;

use hardwon_core::{
    access::Rights,
    id::LessonId,
    journal::JournalEntry,
    limits,
    queue::{Job, ModelCost},
    scope::Scope,
};
use hardwon_store::Census;

use super::Desk;
use crate::{
    AuditReport, EffectsReport, JobSelection, RecallComparison, Result,
    files::{self, ExportReport, ImportReport, SyncReport},
};

/// The queue of questions to a model.
impl Desk<'_> {
    /// Returns the newest of these jobs in a state, or in any but that of those that were only seen.
    pub fn jobs(
        &self,
        which: &JobSelection<'_>,
        state: Option<&'static str>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        self.principal.check_right(Rights::Read)?;
        self.select_visible_jobs(which, |which| {
            self.engine.jobs(self.tenant(), which, state, limit)
        })
    }

    /// Has those of these jobs tried again now that were put off or given up; how many.
    pub fn retry_jobs(&self, which: &JobSelection<'_>) -> Result<u64> {
        self.principal.check_right(Rights::Curate)?;
        self.select_visible_jobs(which, |which| self.engine.retry_jobs(self.tenant(), which))
    }

    /// Makes every job that waits due now; how many.
    pub fn hasten_jobs(&self) -> Result<u64> {
        self.principal.check_right(Rights::Curate)?;
        self.select_visible_jobs(&JobSelection::default(), |which| {
            self.engine.hasten_jobs(self.tenant(), which)
        })
    }

    /// Forgets those of these jobs that were given up, or the one that is named, in whatever state; how
    /// many.
    pub fn purge_jobs(&self, which: &JobSelection<'_>) -> Result<u64> {
        self.principal.check_right(Rights::Curate)?;
        self.select_visible_jobs(which, |which| self.engine.purge_jobs(self.tenant(), which))
    }

    /// Returns what models cost on a day.
    pub fn model_cost(&self, day: i64) -> Result<ModelCost> {
        self.principal.check_right(Rights::Read)?;
        Ok(self
            .engine
            .store
            .snapshot()?
            .model_cost(self.tenant(), day)?)
    }

    fn select_visible_jobs<T>(
        &self,
        which: &JobSelection<'_>,
        work: impl FnOnce(&JobSelection<'_>) -> T,
    ) -> T {
        let is_seen = |scope: &Scope| which.includes_scope(scope) && self.principal.can_see(scope);
        work(&JobSelection {
            only_job: which.only_job,
            scope_filter: Some(&is_seen),
        })
    }
}

/// Taking stock.
impl Desk<'_> {
    /// Counts the lessons of each scope in sight.
    pub fn census(&self) -> Result<Vec<(Scope, Census)>> {
        self.principal.check_right(Rights::Read)?;
        let reader = self.engine.store.snapshot()?;
        let scopes = reader.scopes(self.tenant())?;
        let seen = scopes.into_iter().filter(|it| self.principal.can_see(it));
        let counted = seen.map(|scope| {
            let census = reader.census(&scope)?;
            Ok((scope, census))
        });
        counted.collect()
    }

    /// Says what credit has found out about the lessons in sight of the project; of one of them if that
    /// is all that is asked for. Runs are the tenant's.
    pub fn measure_effects(&self, only: Option<LessonId>) -> Result<EffectsReport> {
        self.principal.check_right(Rights::Read)?;
        self.engine.measure_effects(&self.principal.scope, only)
    }

    /// Compares recalling by words with recalling by words and meaning, on at most so many lessons.
    pub fn compare_recall(&self, most: usize) -> Result<RecallComparison> {
        self.principal.check_right(Rights::Read)?;
        self.engine.measure_recall(&self.principal.scope, most)
    }

    /// Verifies the journal of the tenant and checks every lesson against it.
    pub fn audit_journal(&self) -> Result<AuditReport> {
        self.principal.check_right(Rights::Read)?;
        self.engine.audit_tenant(self.tenant())
    }

    /// Returns the number of entries in the journal of the tenant.
    pub fn count_entries(&self) -> Result<u64> {
        self.principal.check_right(Rights::Read)?;
        Ok(self
            .engine
            .store
            .snapshot()?
            .journal_head(self.tenant())?
            .sequence)
    }

    /// Returns the first entries of the tenant's journal after one, at most [`limits::PAGE_ROWS`].
    pub fn journal(&self, after: u64) -> Result<Vec<JournalEntry>> {
        self.principal.check_right(Rights::Curate)?;
        Ok(self
            .engine
            .store
            .snapshot()?
            .journal(self.tenant(), after, limits::PAGE_ROWS)?)
    }
}

/// Lessons in files.
impl Desk<'_> {
    /// Writes every lesson of exactly this scope that is in use, one file each, and the list of
    /// them. Files of lessons that left move to the archive; others stay as they are.
    ///
    /// With `all`, those that wait for a person are written too. They were held back for a reason,
    /// and whoever reads the folder does not see it.
    pub fn export_lessons(&self, path: &Path, all: bool) -> Result<ExportReport> {
        self.principal.check_right(Rights::Curate)?;
        self.engine.export_lessons(&self.principal.scope, path, all)
    }

    /// Reads the lessons of a folder, or one file. Each is a file's word: it enters as the policy
    /// says, and what it claims about itself is kept and not believed.
    ///
    /// A dry run changes nothing; two files that say the same are then both taken for new.
    pub fn import_lessons(&self, path: &Path, dry_run: bool) -> Result<ImportReport> {
        self.principal.check_right(Rights::Curate)?;
        self.engine
            .import_lessons(&self.principal.scope, path, &self.principal.actor, dry_run)
    }

    /// Brings a project's lessons and the folder in its repository into step.
    ///
    /// `root` is the root of the work tree. The folder is made if it is not there. It is the only place
    /// that is written to; neither it nor what leads to it may be a link.
    pub fn sync_lessons(&self, root: &Path, dry_run: bool) -> Result<SyncReport> {
        self.principal.check_right(Rights::Curate)?;
        files::sync_project(self, root, dry_run)
    }
}

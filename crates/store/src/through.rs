//! Reading through something that lends what can be read.

/// Implements [`Read`](crate::Read) for a type with a `lend` method: a store that locks what it
/// lends, or a transaction that has it at hand.
macro_rules! read_through {
    ($type:ty) => {
        impl $crate::Read for $type {
            fn lesson(
                &self,
                tenant: &hardwon_core::id::TenantId,
                id: hardwon_core::id::LessonId,
            ) -> $crate::Result<Option<hardwon_core::lesson::Lesson>> {
                self.lend(|it| it.lesson(tenant, id))
            }

            fn lessons(
                &self,
                tenant: &hardwon_core::id::TenantId,
                listing: &$crate::Listing,
            ) -> $crate::Result<Vec<hardwon_core::lesson::Lesson>> {
                self.lend(|it| it.lessons(tenant, listing))
            }

            fn known(
                &self,
                admitted: &hardwon_core::lesson::Admitted,
                capacity: usize,
            ) -> $crate::Result<hardwon_core::change::Known> {
                self.lend(|it| it.known(admitted, capacity))
            }

            fn about_failure(
                &self,
                scope: &hardwon_core::scope::Scope,
                failure: &hardwon_core::lesson::FailureKey,
            ) -> $crate::Result<Vec<hardwon_core::lesson::Lesson>> {
                self.lend(|it| it.about_failure(scope, failure))
            }

            fn knows_failure(
                &self,
                scope: &hardwon_core::scope::Scope,
                failure: &hardwon_core::lesson::FailureKey,
            ) -> $crate::Result<bool> {
                self.lend(|it| it.knows_failure(scope, failure))
            }

            fn proven(
                &self,
                scope: &hardwon_core::scope::Scope,
                now: jiff::Timestamp,
            ) -> $crate::Result<Vec<hardwon_core::lesson::Lesson>> {
                self.lend(|it| it.proven(scope, now))
            }

            fn search(&self, query: &$crate::Query) -> $crate::Result<hardwon_core::rank::Found> {
                self.lend(|it| it.search(query))
            }

            fn census(&self, scope: &hardwon_core::scope::Scope) -> $crate::Result<$crate::Census> {
                self.lend(|it| it.census(scope))
            }

            fn scopes(
                &self,
                tenant: &hardwon_core::id::TenantId,
            ) -> $crate::Result<Vec<hardwon_core::scope::Scope>> {
                self.lend(|it| it.scopes(tenant))
            }

            fn head(
                &self,
                tenant: &hardwon_core::id::TenantId,
            ) -> $crate::Result<hardwon_core::journal::Head> {
                self.lend(|it| it.head(tenant))
            }

            fn journal(
                &self,
                tenant: &hardwon_core::id::TenantId,
                after: u64,
                limit: usize,
            ) -> $crate::Result<Vec<hardwon_core::journal::Entry>> {
                self.lend(|it| it.journal(tenant, after, limit))
            }

            fn history(
                &self,
                tenant: &hardwon_core::id::TenantId,
                lesson: hardwon_core::id::LessonId,
                after: u64,
                limit: usize,
            ) -> $crate::Result<Vec<hardwon_core::journal::Entry>> {
                self.lend(|it| it.history(tenant, lesson, after, limit))
            }

            fn replaced_by(
                &self,
                tenant: &hardwon_core::id::TenantId,
                id: hardwon_core::id::LessonId,
            ) -> $crate::Result<Vec<hardwon_core::lesson::Lesson>> {
                self.lend(|it| it.replaced_by(tenant, id))
            }

            fn recalls(
                &self,
                tenant: &hardwon_core::id::TenantId,
                listing: &$crate::RecallListing,
            ) -> $crate::Result<Vec<($crate::RecallId, $crate::Recall)>> {
                self.lend(|it| it.recalls(tenant, listing))
            }

            fn judgements(
                &self,
                tenant: &hardwon_core::id::TenantId,
                listing: &$crate::JudgementListing,
            ) -> $crate::Result<Vec<($crate::JudgementId, $crate::Judged)>> {
                self.lend(|it| it.judgements(tenant, listing))
            }

            fn asked(
                &self,
                tenant: &hardwon_core::id::TenantId,
                recall: $crate::RecallId,
                reader: $crate::Reader<'_>,
            ) -> $crate::Result<Option<hardwon_core::text::CleanText>> {
                self.lend(|it| it.asked(tenant, recall, reader))
            }

            fn baseline(
                &self,
                tenant: &hardwon_core::id::TenantId,
                about: &hardwon_core::credit::About,
            ) -> $crate::Result<hardwon_core::credit::Leaning> {
                self.lend(|it| it.baseline(tenant, about))
            }

            fn witness(
                &self,
                scope: &hardwon_core::scope::Scope,
                failure: &hardwon_core::lesson::FailureKey,
            ) -> $crate::Result<Option<$crate::Witness>> {
                self.lend(|it| it.witness(scope, failure))
            }

            fn source(
                &self,
                tenant: &hardwon_core::id::TenantId,
                name: &str,
            ) -> $crate::Result<Option<$crate::Source>> {
                self.lend(|it| it.source(tenant, name))
            }

            fn job(
                &self,
                tenant: &hardwon_core::id::TenantId,
                id: hardwon_core::queue::JobId,
            ) -> $crate::Result<Option<hardwon_core::queue::Job>> {
                self.lend(|it| it.job(tenant, id))
            }

            fn job_of(
                &self,
                tenant: &hardwon_core::id::TenantId,
                key: &str,
            ) -> $crate::Result<Option<hardwon_core::queue::Job>> {
                self.lend(|it| it.job_of(tenant, key))
            }

            fn jobs(
                &self,
                tenant: &hardwon_core::id::TenantId,
                listing: &$crate::JobListing,
            ) -> $crate::Result<Vec<hardwon_core::queue::Job>> {
                self.lend(|it| it.jobs(tenant, listing))
            }

            fn next_job(
                &self,
                tenant: &hardwon_core::id::TenantId,
                now: jiff::Timestamp,
            ) -> $crate::Result<Option<hardwon_core::queue::Job>> {
                self.lend(|it| it.next_job(tenant, now))
            }

            fn queue(
                &self,
                tenant: &hardwon_core::id::TenantId,
                now: jiff::Timestamp,
            ) -> $crate::Result<$crate::Queue> {
                self.lend(|it| it.queue(tenant, now))
            }

            fn spent(
                &self,
                tenant: &hardwon_core::id::TenantId,
                day: i64,
            ) -> $crate::Result<hardwon_core::queue::Spent> {
                self.lend(|it| it.spent(tenant, day))
            }

            fn without_vector(
                &self,
                tenant: &hardwon_core::id::TenantId,
                space: &str,
                after: hardwon_core::id::LessonId,
                limit: usize,
            ) -> $crate::Result<Vec<hardwon_core::lesson::Lesson>> {
                self.lend(|it| it.without_vector(tenant, space, after, limit))
            }

            fn vectors(
                &self,
                scope: &hardwon_core::scope::Scope,
                space: &str,
            ) -> $crate::Result<u64> {
                self.lend(|it| it.vectors(scope, space))
            }
        }
    };
}

pub(crate) use read_through;

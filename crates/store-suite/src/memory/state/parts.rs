//! The parts of a tenant that is copied.

use std::sync::Arc;

use hardwon_core::{JobId, LessonId, TenantId};
use hardwon_store::{Result, TenantPart, copying::check_next_entry};

use super::{MemoryState, TenantState};

impl MemoryState {
    /// Returns the parts that no listing has.
    pub(super) fn list_loose_parts(&self, name: &TenantId) -> Vec<TenantPart> {
        let tenant = self.tenant(name);
        let baselines = tenant.baselines.iter();
        let baselines = baselines.map(|(about, sum)| TenantPart::Baseline(about.clone(), *sum));
        let candidates = tenant.candidate_lessons.iter();
        let candidates = candidates.map(|((scope, failure), found)| {
            TenantPart::Candidate(scope.clone(), failure.clone(), Box::new(found.clone()))
        });
        let costs = tenant.spent.iter();
        let costs = costs.map(|(day, cost)| TenantPart::Cost(*day, *cost));
        let answers = tenant.answers.iter();
        let answers = answers.map(|(name, kept)| TenantPart::Answer(*name, kept.clone()));
        let scopes = tenant.scopes.iter().cloned().map(TenantPart::Scope);
        let all = scopes.chain(baselines).chain(candidates);
        all.chain(costs).chain(answers).collect()
    }
}

impl TenantState {
    /// Puts a part in as it is.
    pub(in crate::memory) fn put_part(&mut self, name: &TenantId, part: TenantPart) -> Result<()> {
        match part {
            TenantPart::Entry(entry) => {
                check_next_entry(self.journal_head(name), &entry)?;
                self.next_lesson = self.next_lesson.max(entry.body.lesson.0 + 1);
                self.journal.push(*entry);
            }
            TenantPart::Lesson(lesson) => {
                self.scopes.insert(lesson.scope.clone());
                let LessonId(number) = lesson.id;
                self.next_lesson = self.next_lesson.max(number + 1);
                self.lessons.insert(lesson.id, *lesson);
            }
            TenantPart::Recall(id, mut recall) => {
                if let Some(asked) = recall.query_text.take() {
                    self.query_texts.insert(id, (recall.at, asked));
                }
                self.next_recall = self.next_recall.max(id.0 + 1);
                self.recalls.insert(id, Arc::from(recall));
            }
            TenantPart::Judgement(id, judged) => {
                self.judgements.insert(id, Arc::from(judged));
            }
            TenantPart::Baseline(about, sum) => drop(self.baselines.insert(about, sum)),
            TenantPart::Candidate(scope, failure, found) => {
                self.candidate_lessons.insert((scope, failure), *found);
            }
            TenantPart::Job(job) => {
                let JobId(number) = job.id;
                self.next_job = self.next_job.max(number + 1);
                self.jobs.insert(job.id, *job);
            }
            TenantPart::Cost(day, cost) => drop(self.spent.insert(day, cost)),
            TenantPart::Answer(name, kept) => drop(self.answers.insert(name, kept)),
            TenantPart::Scope(scope) => drop(self.scopes.insert(scope)),
        }
        Ok(())
    }
}

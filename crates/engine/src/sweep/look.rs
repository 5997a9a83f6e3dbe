//! Looking: the lessons, what of theirs is gone, and what is to become of them.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{
    Lesson, LessonId, LookupFinding, NamedThing, Status, limits, named_things::find_named_things,
};
use hardwon_store::{LessonListing, Read, ScopeFilter, StatusName};
use jiff::Timestamp;

use super::decide::{SweepInput, SweepItem, SweepPlan, look_for_changes, look_for_unneeded};
use super::groups::{GroupSearch, GroupWords};
use crate::{
    Desk, PlanBasis, RepositoryLookup, Result, access::Rights, ask::clean_reason,
    paging::for_each_lesson,
};
use crate::{PlannedSweep, SweepLease, SweepRequest};

impl Desk<'_> {
    /// Looks at the lessons and returns what a sweep would do. Changes no lesson. A model is only asked with a lease,
    /// because it costs.
    pub fn plan_sweep(
        &self,
        request: &SweepRequest<'_>,
        lease: Option<&SweepLease>,
    ) -> Result<PlannedSweep> {
        self.principal.check_right(Rights::Curate)?;
        let within = self.narrow_filter(&request.within)?;
        let reader = self.counted_snapshot()?;
        let lessons = load_active_lessons(&*reader, self, &within)?;
        let merged_at = find_merges(&*reader, self, &lessons)?;
        let lookups = request
            .repository
            .map(|repository| look_up_names(repository, &lessons))
            .unwrap_or_default();
        drop(reader);
        let now = self.now();
        let input = SweepInput {
            lessons: &lessons,
            lookups: &lookups,
            policy: request.policy,
            now,
        };
        let mut items = look_for_changes(&input);
        let by_id: BTreeMap<LessonId, Lesson> = lessons
            .iter()
            .map(|lesson| (lesson.id, lesson.clone()))
            .collect();
        let words = match request.model.as_ref().zip(lease) {
            Some((model, lease)) => {
                let search = GroupSearch {
                    input: &input,
                    merged_at: &merged_at,
                    retired: items.iter().flat_map(SweepItem::retired).collect(),
                    lessons: &by_id,
                };
                self.ask_for_groups(&search, model, lease)?
            }
            None => GroupWords::default(),
        };
        items.extend(words.items);
        let touched_ids: BTreeSet<LessonId> = items.iter().flat_map(SweepItem::lessons).collect();
        items.extend(look_for_unneeded(&input, &touched_ids));
        let all = items.len();
        if request.is_unattended {
            items.retain(|item| !item.needs_person(&by_id, now));
        }
        let left_for_person = all - items.len();
        items.truncate(limits::SWEEP_ITEMS);
        let plan = SweepPlan {
            basis: PlanBasis::from_lessons(&lessons),
            made_at: now,
            looked_at: lessons.len(),
            items,
            refused: words.refused,
            postponed: words.postponed,
            model: words.model,
        };
        Ok(PlannedSweep {
            plan,
            within,
            lessons: by_id,
            left_for_person,
        })
    }

    /// Counts the lessons that came since a time.
    pub fn count_lessons_since(
        &self,
        within: &ScopeFilter,
        since: Option<Timestamp>,
    ) -> Result<u64> {
        self.principal.check_right(Rights::Read)?;
        let reader = self.snapshot()?;
        let lessons = load_active_lessons(&*reader, self, &self.narrow_filter(within)?)?;
        let is_new = |it: &&Lesson| since.is_none_or(|since| it.created > since);
        Ok(lessons.iter().filter(is_new).count() as u64)
    }
}

/// Loads the active lessons of a part of the tenant, at most [`limits::SWEEP_LESSONS`], by number.
pub(super) fn load_active_lessons(
    reader: &dyn Read,
    desk: &Desk<'_>,
    within: &ScopeFilter,
) -> Result<Vec<Lesson>> {
    let listing = LessonListing {
        within: within.clone(),
        status: Some(StatusName::Active),
        ..LessonListing::default()
    };
    let mut lessons = Vec::new();
    for_each_lesson(reader, desk.tenant(), listing, |lesson| {
        if lessons.len() < limits::SWEEP_LESSONS {
            lessons.push(lesson);
        }
    })?;
    lessons.retain(|lesson| desk.principal.can_see(&lesson.scope));
    lessons.sort_by_key(|lesson| lesson.id);
    Ok(lessons)
}

/// Finds out when each lesson was last told for others.
fn find_merges(
    reader: &dyn Read,
    desk: &Desk<'_>,
    lessons: &[Lesson],
) -> Result<BTreeMap<LessonId, Timestamp>> {
    let listing = LessonListing {
        status: Some(StatusName::Superseded),
        ..LessonListing::default()
    };
    let mut merged_at: BTreeMap<LessonId, Timestamp> = BTreeMap::new();
    for_each_lesson(reader, desk.tenant(), listing, |lesson| {
        if let Status::Superseded { by } = lesson.status {
            let last = merged_at.entry(by).or_insert(lesson.updated);
            *last = lesson.updated.max(*last);
        }
    })?;
    let current: BTreeSet<LessonId> = lessons.iter().map(|lesson| lesson.id).collect();
    merged_at.retain(|id, _| current.contains(id));
    Ok(merged_at)
}

/// Looks up what the lessons of a repository's project name.
fn look_up_names(
    repository: &dyn RepositoryLookup,
    lessons: &[Lesson],
) -> BTreeMap<LessonId, Vec<(NamedThing, LookupFinding)>> {
    let mut findings: BTreeMap<NamedThing, LookupFinding> = BTreeMap::new();
    let own = lessons
        .iter()
        .filter(|lesson| lesson.scope.project.as_ref() == Some(repository.project()));
    own.map(|lesson| {
        let things = find_named_things(&lesson.content).into_iter().map(|thing| {
            let finding = findings
                .entry(thing.clone())
                .or_insert_with(|| repository.look_up(&thing))
                .clone();
            let finding = match finding {
                LookupFinding::Gone(what) => LookupFinding::Gone(clean_reason(&what)),
                other => other,
            };
            (thing, finding)
        });
        (lesson.id, things.collect())
    })
    .collect()
}

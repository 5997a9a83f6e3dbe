//! Looking: the lessons, what of theirs is gone, and the words that a model has for groups.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{
    access::Rights,
    distil::merging,
    id::LessonId,
    lesson::Lesson,
    limits,
    plan::PlanBasis,
    queue::day_number,
    redact,
    sweep::{
        LessonGroup, LookupFinding, MergeRefusal, ModelPart, NamedThing, RefusedMerge, SweepInput,
        SweepItem, SweepPlan, absorb_by_rules, find_named_things, look_for_changes,
        look_for_surplus, merge_by_words,
    },
    text::RawText,
};
use hardwon_store::{LessonListing, Read, ScopeFilter, StatusName};
use jiff::Timestamp;

use super::{PlannedSweep, SweepLease, SweepModel, SweepRequest, SweepRules};
use crate::{
    Desk, Repository, Result,
    model::{ModelError, ModelRequest, TokenUsage, estimate_tokens},
    paging::for_each_lesson,
};

/// What a sweep found, on the way to a plan.
struct GroupWords {
    items: Vec<SweepItem>,
    refused: Vec<RefusedMerge>,
    postponed: usize,
    model: ModelPart,
}

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
        let reader = self.engine.store.snapshot()?;
        let lessons = load_active_lessons(&*reader, self, &within)?;
        let merged_at = find_merges(&*reader, self, &lessons)?;
        let lookups = request
            .repository
            .map(|it| look_up_names(it, &lessons))
            .unwrap_or_default();
        drop(reader);
        let now = self.now();
        let input = SweepInput {
            lessons: &lessons,
            merged_at: &merged_at,
            lookups: &lookups,
            policy: request.policy,
            now,
        };
        let found = look_for_changes(&input);
        let by_id: BTreeMap<LessonId, Lesson> =
            lessons.iter().map(|it| (it.id, it.clone())).collect();
        let words = self.word_groups(&found.groups, &by_id, request, lease)?;
        let mut items = found.items;
        items.extend(words.items);
        let retired: BTreeSet<LessonId> = items.iter().flat_map(SweepItem::retired).collect();
        items.extend(look_for_surplus(&input, &retired));
        let all = items.len();
        if request.is_unattended {
            items.retain(|it| !it.needs_person(&by_id, now));
        }
        let left_for_person = all - items.len();
        items.truncate(limits::SWEEP_ITEMS);
        let plan = SweepPlan {
            basis: PlanBasis::from_lessons(&lessons),
            made_at: now,
            looked_at: lessons.len(),
            items,
            refused: words.refused,
            settled: found.settled,
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
        let reader = self.engine.store.snapshot()?;
        let lessons = load_active_lessons(&*reader, self, &self.narrow_filter(within)?)?;
        let is_new = |it: &&Lesson| since.is_none_or(|since| it.created > since);
        Ok(lessons.iter().filter(is_new).count() as u64)
    }

    /// Finds the words for groups: a model's, or those of the best lesson.
    fn word_groups(
        &self,
        groups: &[LessonGroup],
        lessons: &BTreeMap<LessonId, Lesson>,
        request: &SweepRequest<'_>,
        lease: Option<&SweepLease>,
    ) -> Result<GroupWords> {
        let mut words = GroupWords {
            items: Vec::new(),
            refused: Vec::new(),
            postponed: 0,
            model: ModelPart::NotAsked,
        };
        let rules = SweepRules {
            guard: &self.policy.guard,
            capacity: self.policy.capacity,
        };
        let mut asked = 0;
        for (place, group) in groups.iter().enumerate() {
            let members: Vec<&Lesson> = group
                .members
                .iter()
                .filter_map(|id| lessons.get(id))
                .collect();
            let Some(model) = request.model.as_ref().zip(lease) else {
                match absorb_by_rules(&members) {
                    Ok((survivor, members)) => {
                        words.items.push(SweepItem::Absorb { survivor, members });
                    }
                    Err(why) => words.refused.push(RefusedMerge {
                        members: group.members.clone(),
                        why,
                    }),
                }
                continue;
            };
            if asked as usize >= limits::SWEEP_QUESTIONS || !(model.0.may_ask)() {
                words.postponed = groups.len() - place;
                break;
            }
            match self.ask_for_words(model.0, &members, rules, model.1)? {
                Ok(answer) => {
                    asked += 1;
                    words.model = ModelPart::Asked(asked);
                    match answer {
                        Ok(item) => words.items.push(item),
                        Err(why) => words.refused.push(RefusedMerge {
                            members: group.members.clone(),
                            why,
                        }),
                    }
                }
                Err(away) => {
                    words.model = ModelPart::Away(away);
                    break;
                }
            }
        }
        Ok(words)
    }

    /// Asks a model for the words of a group. The outer error is why it cannot be asked at present.
    fn ask_for_words(
        &self,
        with: &SweepModel<'_>,
        members: &[&Lesson],
        rules: SweepRules<'_>,
        lease: &SweepLease,
    ) -> Result<std::result::Result<std::result::Result<SweepItem, MergeRefusal>, String>> {
        self.renew_sweep_lease(lease)?;
        let prompt = merging::build_prompt(members);
        let input = estimate_tokens(&prompt.system) + estimate_tokens(&prompt.user);
        let most = TokenUsage {
            input,
            output: u64::from(with.max_answer_tokens),
        };
        if !self.can_spend(with, most)? {
            return Ok(Err("another call would exceed today's budget".to_owned()));
        }
        let answer = with.model.complete(&ModelRequest {
            prompt,
            wants_json: false,
            max_answer_tokens: with.max_answer_tokens,
        });
        match answer {
            Ok(answer) => {
                let output = estimate_tokens(answer.text.expose());
                self.spend(with, answer.tokens.unwrap_or(TokenUsage { input, output }))?;
                Ok(Ok(read_words(&answer.text, members, rules)))
            }
            Err(
                error @ (ModelError::TimedOut | ModelError::Failed(_) | ModelError::Refused(_)),
            ) => {
                self.spend(with, TokenUsage { input, output: 0 })?;
                Ok(Ok(Err(MergeRefusal::OffForm(clean_reason(
                    &error.to_string(),
                )))))
            }
            Err(error) => Ok(Err(clean_reason(&error.to_string()))),
        }
    }

    fn can_spend(&self, with: &SweepModel<'_>, tokens: TokenUsage) -> Result<bool> {
        let reader = self.engine.store.snapshot()?;
        let spent = reader.model_cost(self.tenant(), day_number(self.now()))?;
        Ok(with
            .allowance
            .can_afford(spent.saturating_add(with.prices.cost_of(tokens))))
    }

    fn spend(&self, with: &SweepModel<'_>, tokens: TokenUsage) -> Result<()> {
        let (day, cost) = (day_number(self.now()), with.prices.cost_of(tokens));
        self.commit(|tx| {
            let spent = tx.reader().model_cost(self.tenant(), day)?;
            Ok(tx.set_model_cost(day, spent.saturating_add(cost))?)
        })
    }
}

/// Reads a model's reply about a group.
fn read_words(
    reply: &RawText,
    members: &[&Lesson],
    rules: SweepRules<'_>,
) -> std::result::Result<SweepItem, MergeRefusal> {
    let content =
        merging::parse_reply(reply).map_err(|it| MergeRefusal::OffForm(it.to_string()))?;
    let content = content.ok_or(MergeRefusal::NothingInCommon)?;
    let merged = merge_by_words(members, content, rules.guard)?;
    Ok(SweepItem::Merge {
        members: merged.members,
        content: Box::new(merged.admitted.content),
    })
}

fn clean_reason(why: &str) -> String {
    redact::clean_to_chars(&RawText::from(why), limits::REASON_CHARS).to_string()
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
    lessons.retain(|it| desk.principal.can_see(&it.scope));
    lessons.sort_by_key(|it| it.id);
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
        if let hardwon_core::lesson::Status::Superseded { by } = lesson.status {
            let last = merged_at.entry(by).or_insert(lesson.updated);
            *last = lesson.updated.max(*last);
        }
    })?;
    let current: BTreeSet<LessonId> = lessons.iter().map(|it| it.id).collect();
    merged_at.retain(|id, _| current.contains(id));
    Ok(merged_at)
}

/// Looks up what the lessons of a repository's project name.
fn look_up_names(
    repository: &dyn Repository,
    lessons: &[Lesson],
) -> BTreeMap<LessonId, Vec<(NamedThing, LookupFinding)>> {
    let mut known: BTreeMap<NamedThing, LookupFinding> = BTreeMap::new();
    let own = lessons
        .iter()
        .filter(|it| it.scope.project.as_ref() == Some(repository.project()));
    own.map(|lesson| {
        let things = find_named_things(&lesson.content).into_iter().map(|thing| {
            let found = known
                .entry(thing.clone())
                .or_insert_with(|| repository.look_up(&thing))
                .clone();
            let found = match found {
                LookupFinding::Gone(what) => LookupFinding::Gone(clean_reason(&what)),
                other => other,
            };
            (thing, found)
        });
        (lesson.id, things.collect())
    })
    .collect()
}

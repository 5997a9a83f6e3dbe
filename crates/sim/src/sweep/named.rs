//! Measures the groups that a model names: as it names them, and as they come out of the checks, night after night.
//!
//! The model is one of `recorded`. A lesson that is told for others stands for all of them, so that a later night is
//! measured by the lessons that there were at first.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
};

use hardwon_core::{GuardPolicy, LessonId, RawText, Status};
use hardwon_engine::{
    Desk, Lesson, LessonContent, ModelUse, PlannedSweep, SweepItem, SweepModel, SweepPlan,
    SweepPolicy, SweepRequest,
    store::ScopeFilter,
    sweep::{MergeRefusal, merge_by_words, merging::build_prompt},
};
use serde_json::json;

use super::{
    SweepBenchArgs, count_family_pairs, count_members, count_pairs,
    found::{count_lost, find_in_own_words},
    person,
    planted::{CorpusLesson, PlantedLesson, plant},
    recorded::{RecordedModel, digest_words},
    surround,
};

/// Measures the groups that a model names.
pub(super) fn measure_named(
    planted: Vec<PlantedLesson>,
    corpus: &[CorpusLesson],
    args: &SweepBenchArgs,
    random: &mut fastrand::Rng,
    mut model: RecordedModel,
) -> anyhow::Result<serde_json::Value> {
    let lessons = surround(planted, corpus, args, random);
    let (engine, numbers) = plant(&lessons)?;
    let desk = person(&engine);
    let before = find_in_own_words(&desk, &lessons, &numbers)?;
    let sizes = count_members(&lessons);
    let all = count_family_pairs(&sizes);
    let vetoes = count_vetoes(&desk, &numbers, &lessons)?;
    let digests = digest_lessons(&desk, numbers.keys().copied())?;
    let places: BTreeMap<&String, usize> =
        digests.iter().map(|(id, it)| (it, numbers[id])).collect();
    let find_places = |them: &mut dyn Iterator<Item = &String>| -> BTreeSet<usize> {
        them.filter_map(|them| places.get(them).copied()).collect()
    };
    let named: Vec<BTreeSet<usize>> = (model.groups.iter())
        .map(|group| find_places(&mut group.members.iter()))
        .collect();
    let (mut nights, mut shown, mut replaced) = (Vec::new(), Vec::new(), BTreeSet::new());
    for night in 0..args.nights {
        let planned = plan_with(&desk, &model)?;
        if args.verbose {
            print_refused(&desk, &planned.plan)?;
        }
        let asked = std::mem::take(
            model
                .asked
                .get_mut()
                .unwrap_or_else(|get_mut| get_mut.into_inner()),
        );
        let questions: Vec<BTreeSet<usize>> = (asked.iter())
            .map(|question| {
                find_places(
                    &mut question
                        .iter()
                        .flat_map(|question| model.stands_for(question)),
                )
            })
            .collect();
        let seen: usize = asked.iter().map(BTreeSet::len).sum();
        shown.extend(questions);
        replaced.extend(planned.plan.items.iter().filter_map(find_replaced));
        desk.apply_sweep(&planned.plan, &planned.within, None)?;
        let told = find_told(&desk, &numbers, &replaced)?;
        for (by, members) in &told {
            let digest = digest_lessons(&desk, [*by].into_iter())?.into_values();
            let members = members.iter().filter_map(|id| digests.get(id).cloned());
            let members: Vec<String> = members.collect();
            digest.for_each(|digest| model.note_told(digest, members.clone()));
        }
        let groups: Vec<BTreeSet<usize>> = (told.values())
            .map(|ids| ids.iter().map(|id| numbers[id]).collect())
            .collect();
        nights.push(json!({
            "questions": asked.len(), "shown": seen, "postponed": planned.plan.postponed,
            "pairs_shown_together": share_shown(&shown, &lessons, all),
            "merged": count_pairs(&groups, &lessons, all, args.verbose && night + 1 == args.nights)?,
            "refused": count_refusals(planned.plan.refused.iter().map(|refusal| &refusal.why)),
            "lost": count_lost(&desk, &before, args.verbose && night + 1 == args.nights)?,
        }));
    }
    Ok(json!({
        "lessons": lessons.len(), "families": sizes.values().filter(|value| **value > 1).count(), "pairs": all,
        "found_by_own_words": before.len(), "pairs_kept_apart": vetoes, "named": count_pairs(&named, &lessons, all, args.verbose)?, "nights": nights,
    }))
}

/// Returns the lesson that another one replaces without saying what it said.
fn find_replaced(item: &SweepItem) -> Option<LessonId> {
    match item {
        SweepItem::Supersede { old, .. } => Some(*old),
        _ => None,
    }
}

/// Returns the lessons that are told for others, with all that they are told for; not for those that were replaced.
fn find_told(
    desk: &Desk<'_>,
    numbers: &BTreeMap<LessonId, usize>,
    replaced: &BTreeSet<LessonId>,
) -> anyhow::Result<BTreeMap<LessonId, BTreeSet<LessonId>>> {
    let mut told: BTreeMap<LessonId, BTreeSet<LessonId>> = BTreeMap::new();
    for id in numbers.keys() {
        let mut last = *id;
        while let Status::Superseded { by } = desk.lesson(last)?.status
            && !replaced.contains(&last)
        {
            last = by;
        }
        told.entry(last).or_default().insert(*id);
    }
    told.retain(|_, members| members.len() > 1);
    Ok(told)
}

/// Returns the digests that stand for lessons in replies.
fn digest_lessons(
    desk: &Desk<'_>,
    ids: impl Iterator<Item = LessonId>,
) -> anyhow::Result<BTreeMap<LessonId, String>> {
    let mut digests = BTreeMap::new();
    for id in ids {
        let question = build_prompt(&[&desk.lesson(id)?]).user;
        let said = question.lines().filter(|line| line.contains(": "));
        digests.insert(id, digest_words(said));
    }
    Ok(digests)
}

/// Prints the groups that were refused.
fn print_refused(desk: &Desk<'_>, plan: &SweepPlan) -> anyhow::Result<()> {
    for refused in &plan.refused {
        writeln!(std::io::stderr(), "REFUSED {}", refused.why)?;
        for id in &refused.members {
            writeln!(
                std::io::stderr(),
                "  {id} {}",
                desk.lesson(*id)?.content.text
            )?;
        }
    }
    Ok(())
}

/// Plans a sweep with a model.
fn plan_with(desk: &Desk<'_>, model: &RecordedModel) -> anyhow::Result<PlannedSweep> {
    let request = SweepRequest {
        within: ScopeFilter::Tenant,
        policy: SweepPolicy::default(),
        model: Some(SweepModel {
            with: ModelUse {
                model,
                max_answer_tokens: 2000,
                tokens_per_day: None,
            },
            may_ask: &|| true,
        }),
        repository: None,
        is_unattended: false,
    };
    let planned = desk.under_sweep_lease(None, |lease| desk.plan_sweep(&request, Some(lease)));
    Ok(planned?)
}

/// Returns the share of the pairs of families that were in one question together.
fn share_shown(shown: &[BTreeSet<usize>], lessons: &[PlantedLesson], all: u32) -> f64 {
    let mut pairs = BTreeSet::new();
    for question in shown {
        let places: Vec<usize> = question
            .iter()
            .copied()
            .filter(|at| lessons[*at].family.is_some())
            .collect();
        for (n, a) in places.iter().enumerate() {
            let same = places[n + 1..]
                .iter()
                .filter(|b| lessons[*a].family == lessons[**b].family);
            pairs.extend(same.map(|b| (*a, *b)));
        }
    }
    pairs.len() as f64 / f64::from(all.max(1))
}

/// Counts the pairs of families that may not be one group, whoever says that they are.
fn count_vetoes(
    desk: &Desk<'_>,
    numbers: &BTreeMap<LessonId, usize>,
    lessons: &[PlantedLesson],
) -> anyhow::Result<BTreeMap<String, u32>> {
    let mut families: BTreeMap<&String, Vec<Lesson>> = BTreeMap::new();
    for (id, place) in numbers {
        if let Some(family) = &lessons[*place].family {
            families.entry(family).or_default().push(desk.lesson(*id)?);
        }
    }
    let mut refused = Vec::new();
    for family in families.values() {
        for (n, one) in family.iter().enumerate() {
            for other in &family[n + 1..] {
                let words = LessonContent::new(RawText::default(), RawText::from("a principle"));
                let merged = merge_by_words(&[one, other], words, &GuardPolicy::default());
                refused.extend(
                    merged
                        .err()
                        .filter(|err| matches!(err, MergeRefusal::Apart(..))),
                );
            }
        }
    }
    Ok(count_refusals(refused.iter()))
}

/// Counts refusals by their kinds.
fn count_refusals<'a>(refused: impl Iterator<Item = &'a MergeRefusal>) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for why in refused {
        let kind = match why {
            MergeRefusal::Strays(_) => "strays".to_owned(),
            MergeRefusal::LosesName(..) => "loses a name".to_owned(),
            MergeRefusal::LosesTrigger(..) => "loses a trigger".to_owned(),
            MergeRefusal::LosesWarning(..) => "loses a warning".to_owned(),
            MergeRefusal::LosesEvidence => "loses evidence".to_owned(),
            MergeRefusal::Invents(_) => "invents a name".to_owned(),
            MergeRefusal::Widens => "widens".to_owned(),
            MergeRefusal::Contradicts(_) => "contradicts".to_owned(),
            MergeRefusal::Guard(_) => "guard".to_owned(),
            MergeRefusal::Apart(_, _, rift) => format!("apart: {rift:?}"),
            MergeRefusal::TooMany(_) => "too many".to_owned(),
            MergeRefusal::Taken(_) => "taken".to_owned(),
            MergeRefusal::OffForm(_) => "off form".to_owned(),
        };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

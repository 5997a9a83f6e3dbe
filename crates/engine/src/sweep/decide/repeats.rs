//! Which lessons say the same at the same calls, so that one of them is enough.
//!
//! One says all that the other says, phrase by phrase, at most with more statements beside it; they are for the same
//! people, and come up at the same calls and failures. That two lessons mean the same in other words is not seen here.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use hardwon_core::{
    FailureKey, Lesson, LessonId, Meaning, MeaningKey, Triggers, change::says_the_same,
};

use super::SweepItem;

/// What lessons have in common that may be repeats: where they come up, or their words if they come up at no call.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum MeetingPlace {
    Calls(Option<FailureKey>, Vec<String>),
    Words(MeaningKey),
}

/// Returns whether one lesson says all that another one does, to the same people at the same calls and failures.
pub(crate) fn is_repeat(survivor: &Lesson, other: &Lesson) -> bool {
    survivor.scope == other.scope && repeats(survivor, other)
}

/// Returns what unites the repeats among lessons of one scope.
pub(super) fn find_repeats(lessons: &[&Lesson]) -> Vec<SweepItem> {
    let mut places: BTreeMap<MeetingPlace, Vec<&Lesson>> = BTreeMap::new();
    for lesson in lessons {
        places.entry(find_place(lesson)).or_default().push(lesson);
    }
    let mut items: Vec<SweepItem> = places.into_values().flat_map(unite).collect();
    items.sort_by_key(SweepItem::lessons);
    items
}

/// Unites repeats among lessons of one place, each with the best that says it.
fn unite(mut lessons: Vec<&Lesson>) -> Vec<SweepItem> {
    let all = lessons.clone();
    lessons.sort_by_key(|lesson| (Reverse(rate_claim(lesson, &all)), lesson.id));
    let mut retired_ids: BTreeSet<LessonId> = BTreeSet::new();
    let mut items = Vec::new();
    for survivor in &lessons {
        if retired_ids.contains(&survivor.id) {
            continue;
        }
        let others = lessons.iter().filter(|other| {
            other.id != survivor.id && !retired_ids.contains(&other.id) && repeats(survivor, other)
        });
        let members: Vec<LessonId> = others.map(|other| other.id).collect();
        if !members.is_empty() {
            retired_ids.extend(&members);
            retired_ids.insert(survivor.id);
            items.push(SweepItem::Absorb {
                survivor: survivor.id,
                members,
            });
        }
    }
    items
}

/// Rates which of several repeats stays: one that none is trusted more than, and the one that helped most.
fn rate_claim(lesson: &Lesson, alike: &[&Lesson]) -> (bool, i128) {
    let is_outranked = alike
        .iter()
        .any(|other| other.trust != lesson.trust && other.trust.is_at_least(lesson.trust));
    let margin = i128::from(lesson.counts.helped) - i128::from(lesson.counts.harmed);
    (!is_outranked, margin)
}

fn find_place(lesson: &Lesson) -> MeetingPlace {
    let mut moments = Triggers::from_content(&lesson.content).describe();
    moments.sort_unstable();
    if moments.is_empty() {
        MeetingPlace::Words(Meaning::from_content(&lesson.content).key())
    } else {
        MeetingPlace::Calls(lesson.failure.clone(), moments)
    }
}

/// Returns whether one says what another one does, wherever that comes up.
fn repeats(one: &Lesson, two: &Lesson) -> bool {
    let (ours, theirs) = (&one.content, &two.content);
    let is_for_same = ours.targets == theirs.targets
        && ours.tools == theirs.tools
        && ours.reference == theirs.reference
        && ours.metadata == theirs.metadata;
    let [meaning, other_meaning] = [ours, theirs].map(Meaning::from_content);
    let [triggers, other_triggers] = [ours, theirs].map(Triggers::from_content);
    one.trust.is_at_least(two.trust)
        && one.failure == two.failure
        && one.expires_at == two.expires_at
        && is_for_same
        && (meaning.says_all_of(&other_meaning) || says_the_same(ours, theirs))
        && triggers.comes_up_as(&other_triggers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::decide::tests::samples::{lesson, lesson_of};
    use hardwon_core::TrustClass;

    fn check(lessons: &[Lesson], expected: &[&str]) {
        let items = find_repeats(&lessons.iter().collect::<Vec<_>>());
        let items: Vec<String> = items.iter().map(SweepItem::describe).collect();
        let texts: Vec<&str> = lessons
            .iter()
            .map(|lesson| lesson.content.text.as_str())
            .collect();
        assert_eq!(items, expected, "{texts:#?}");
    }

    #[test]
    fn what_one_says_and_more_at_the_same_calls_is_one_lesson() {
        let mut helped = lesson(3, "npm test :: Use `pnpm test`.");
        helped.counts.helped = 2;
        check(
            &[
                lesson(1, "npm test :: Use `pnpm test`."),
                lesson(2, "npm test :: Always use `pnpm test`"),
                helped,
                lesson(4, "npm run lint :: Use `pnpm test`."),
            ],
            &["absorb #3 #1 #2"],
        );
        check(
            &[
                lesson(1, "npm test :: Use `pnpm test`."),
                lesson(
                    2,
                    "npm test :: This repository keeps one lockfile. Use `pnpm test`.",
                ),
            ],
            &["absorb #2 #1"],
        );
        check(
            &[
                lesson(1, "npm test :: Use `pnpm test`."),
                lesson_of(2, TrustClass::Person, "npm test :: Use `pnpm test`."),
            ],
            &["absorb #2 #1"],
        );
    }

    #[test]
    fn what_comes_up_elsewhere_or_says_something_else_stays() {
        let text = "pytest :: Run `docker compose up -d postgres` first.";
        let mut other_failure = lesson(2, text);
        other_failure.admitted.failure = Some(FailureKey::new("ff".to_owned()));
        check(&[lesson(1, text), other_failure], &[]);
        let stays = |one: &str, two: &str| check(&[lesson(1, one), lesson(2, two)], &[]);
        stays(
            text,
            "npm run e2e :: Run `docker compose up -d postgres` first.",
        );
        stays(text, "pytest :: First start Postgres by `docker compose`.");
        stays(
            "git push :: Never force push.",
            "git push :: Never force push to main.",
        );
        stays(
            "deploy.sh :: Run `make check` before it.",
            "deploy.sh :: Run `make check` after it.",
        );
        stays(
            "deploy.sh :: Run `make check` for staging.",
            "deploy.sh :: Run `make check` for production.",
        );
        stays("cp :: Copy from `a` to `b`.", "cp :: Copy from `b` to `a`.");
        stays(
            "npm test :: Use `pnpm test`.",
            "npm test :: Never use `pnpm test`.",
        );
    }
}

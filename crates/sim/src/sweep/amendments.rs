//! Decisions that were amended, after a conversation: which of them is shown once a sweep has taken place.

use std::{collections::BTreeSet, io::Write as _};

use hardwon_core::sweep::SweepItem;
use hardwon_engine::{RecallRequest, Scope};
use serde_json::json;

use super::{
    person, plan_by_rules,
    planted::{PlantedLesson, capitalise, plant},
};

/// Subjects of decisions, with what was decided and what it was changed to.
const DECISIONS: [(&str, &str, &str); 10] = [
    (
        "job queue",
        "run it on Redis streams",
        "run it on Postgres with skip locked",
    ),
    (
        "session lifetime",
        "thirty minutes of idle time",
        "eight hours, renewed daily",
    ),
    (
        "public API versioning",
        "put the version into the path",
        "send the version as a header",
    ),
    (
        "feature flags",
        "keep them in LaunchDarkly",
        "keep them in a table of our own",
    ),
    (
        "image thumbnails",
        "render them when uploaded",
        "render them on first request",
    ),
    (
        "log retention",
        "keep logs for ninety days",
        "keep logs for fourteen days",
    ),
    (
        "release cadence",
        "ship every second Tuesday",
        "ship whenever main is green",
    ),
    (
        "password hashing",
        "use bcrypt with cost twelve",
        "use argon2id with 64 MiB",
    ),
    (
        "monorepo tooling",
        "build with Bazel",
        "build with plain workspaces",
    ),
    (
        "customer exports",
        "write CSV with semicolons",
        "write JSON lines, compressed",
    ),
];

/// Ways to tell of a conversation, a decision and its amendment.
const TELLINGS: [[&str; 3]; 4] = [
    [
        "We talked about {s}: one option is to {a}.",
        "Decision on {s}: {a}.",
        "Amendment to the decision on {s}: {b}.",
    ],
    [
        "{s}: in the meeting most leaned to this: {a}.",
        "{s}: agreed to {a}.",
        "{s}: the earlier decision is superseded; {b}.",
    ],
    [
        "Discussing {s}, somebody proposed: {a}.",
        "For {s} we decided: {a}.",
        "We changed our mind about {s}: {b} instead.",
    ],
    [
        "Notes on {s}: {a} seems simplest.",
        "Rule for {s}: {a}.",
        "{s}: no longer {a}. From now on {b}.",
    ],
];

/// Plants decisions that were amended, sweeps, and looks for both.
pub(super) fn measure_amendments(is_verbose: bool) -> anyhow::Result<serde_json::Value> {
    let mut lessons = Vec::new();
    for (number, (subject, old, new)) in DECISIONS.iter().enumerate() {
        for (manner, telling) in TELLINGS.iter().enumerate() {
            // Each subject is another team's in each manner, so that forty decisions stand side by side.
            let subject = format!("{subject} of the {} team", TEAMS[manner]);
            for form in telling {
                let text = capitalise(
                    &form
                        .replace("{s}", &subject)
                        .replace("{a}", old)
                        .replace("{b}", new),
                );
                lessons.push(PlantedLesson {
                    signature: String::new(),
                    text,
                    family: Some(format!("{number} {manner}")),
                });
            }
        }
    }
    let (engine, numbers) = plant(&lessons)?;
    let desk = person(&engine);
    let planned = plan_by_rules(&desk)?;
    desk.apply_sweep(&planned.plan, &planned.within, None)?;
    let replaced: BTreeSet<usize> = (planned.plan.items.iter().flat_map(SweepItem::retired))
        .filter_map(|id| numbers.get(&id).copied())
        .collect();
    let lost = (2..lessons.len())
        .step_by(3)
        .filter(|at| replaced.contains(at))
        .count();
    if is_verbose {
        let is_lost = |it: &&SweepItem| {
            let retired = it.retired();
            let mut places = retired.iter().filter_map(|id| numbers.get(id));
            places.any(|at| at % 3 == 2)
        };
        for item in planned.plan.items.iter().filter(is_lost) {
            writeln!(std::io::stderr(), "AMENDED {}", item.describe())?;
        }
    }
    let (mut above, mut shown, mut found) = (0, 0, 0);
    for (case, place) in (0..lessons.len()).step_by(3).enumerate() {
        let (subject, ..) = DECISIONS[case / 4];
        let prompt = format!("What holds for {subject} of the {} team?", TEAMS[case % 4]);
        let ranking = desk
            .explain_recall(&RecallRequest::new(Scope::default(), &*prompt))?
            .ranking;
        let order: Vec<usize> = (ranking.shown.iter())
            .filter_map(|it| numbers.get(&it.lesson.id).copied())
            .collect();
        let position = |at: usize| order.iter().position(|it| *it == at);
        let (old, new) = (position(place + 1), position(place + 2));
        shown += u32::from(old.is_some());
        found += u32::from(new.is_some());
        above += u32::from(old.is_some_and(|old| new.is_none_or(|new| old < new)));
    }
    Ok(
        json!({"decisions": 40, "old_above_new": above, "old_shown": shown, "new_shown": found, "new_replaced": lost}),
    )
}

const TEAMS: [&str; 4] = ["billing", "catalogue", "mobile", "platform"];

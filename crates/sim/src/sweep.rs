//! Measures what a sweep groups, merges and replaces, on lessons of which it is known what belongs together.
//!
//! Families come in two sets, made in two ways: put together from parts by a seeded generator, and written out by hand.
//! Around them lie the lessons of a retrieval set, drawn at random. The lessons of the article that described sweeps
//! first, and decisions that were amended, are planted and looked for as well. Crashes are for `sweep_crash`.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    path::PathBuf,
};

use hardwon_core::{
    id::LessonId,
    sweep::{LessonGroup, SweepInput, SweepItem, SweepPolicy, look_for_changes},
    text::RawText,
};
use hardwon_engine::{
    Desk, Engine, FixedClock, Lesson, LessonContent, Note, Policy, Principal, RecallRequest, Scope,
    store::{MemoryStore, ScopeFilter},
    sweep::{PlannedSweep, SweepRequest},
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

/// Families that are put together from parts.
const FAMILIES: &str = include_str!("../data/families.txt");
/// Families that are written out.
const WRITTEN: &str = include_str!("../data/written_families.jsonl");
/// Members of a family.
const MEMBERS: usize = 5;
/// The three lessons of the article, in the words of a capture.
const ARTICLE: [(&str, &str); 3] = [
    (
        "test_token_refresh",
        "Flaky auth test: token refresh raced the clock mock. Control the clock before refreshing the token in tests.",
    ),
    (
        "JWT expiry",
        "JWT expiry bug: naive and aware datetimes were compared. Use timezone-aware datetimes for expiry.",
    ),
    (
        "refresh endpoint",
        "The refresh endpoint retried without backoff and was locked out. Add backoff to token refresh retries.",
    ),
];

/// Measures what a sweep groups, merges and replaces.
#[derive(Debug, clap::Args)]
pub(crate) struct SweepArgs {
    /// The `corpus.jsonl` of a retrieval set, for the lessons around the planted ones.
    corpus: PathBuf,
    /// Lessons in all.
    #[arg(long, default_value_t = 1000)]
    lessons: usize,
    /// Which random choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Measure these families as well: JSON lines with `family`, `text` and perhaps `signature`. May be given several times.
    #[arg(long, value_name = "FILE")]
    families: Vec<PathBuf>,
    /// Print the pairs that were grouped wrongly, and the families that were missed.
    #[arg(long)]
    verbose: bool,
}

/// A lesson, and the family that it belongs to; `None` for one from the corpus.
#[derive(Debug, Clone)]
struct PlantedLesson {
    signature: String,
    text: String,
    family: Option<String>,
}

pub(crate) fn run(args: &SweepArgs) -> anyhow::Result<()> {
    let corpus: Vec<CorpusLesson> = crate::samples::read_rows(&args.corpus)?;
    let mut random = fastrand::Rng::with_seed(args.seed);
    let generated = generate_families(&mut random);
    let written = read_families(WRITTEN)?;
    let mut report = json!({
        "seed": args.seed,
        "article": measure_article(&corpus, &mut random, args.verbose)?,
        "generated": measure_families(generated, &corpus, args, &mut random)?,
        "written": measure_families(written, &corpus, args, &mut random)?,
        "amended": measure_amendments(args.verbose)?,
    });
    for path in &args.families {
        let families = read_families(&std::fs::read_to_string(path)?)?;
        report[path.display().to_string()] =
            measure_families(families, &corpus, args, &mut random)?;
    }
    writeln!(std::io::stdout(), "{report:#}")?;
    Ok(())
}

#[derive(Debug, Deserialize)]
struct CorpusLesson {
    text: String,
    #[serde(default)]
    signature: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WrittenLesson {
    family: String,
    text: String,
    #[serde(default)]
    signature: String,
}

fn read_families(lines: &str) -> anyhow::Result<Vec<PlantedLesson>> {
    let rows = lines.lines().map(|line| {
        let row: WrittenLesson = serde_json::from_str(line)?;
        Ok(PlantedLesson {
            signature: row.signature,
            text: row.text,
            family: Some(row.family),
        })
    });
    rows.collect()
}

/// Puts families together; those that must stay apart are families of one.
fn generate_families(random: &mut fastrand::Rng) -> Vec<PlantedLesson> {
    let lines: Vec<&str> = FAMILIES
        .lines()
        .filter(|it| !it.starts_with('#') && !it.is_empty())
        .collect();
    let mut planted = Vec::new();
    for (number, block) in lines.chunks(4).enumerate() {
        let [when, trouble, remedy, apart] =
            [0, 1, 2, 3].map(|n| block[n].split('|').collect::<Vec<_>>());
        for member in 0..MEMBERS {
            let mut pick = |them: &[&str]| them[random.usize(..them.len())].to_owned();
            let (when, trouble, remedy) = (pick(&when), pick(&trouble), pick(&remedy));
            let (signature, text) = match member {
                0 => (when, format!("{}: {remedy}.", capitalise(&trouble))),
                1 => (
                    String::new(),
                    format!("{} ({when}), so {remedy}.", capitalise(&trouble)),
                ),
                2 => (
                    String::new(),
                    format!("When {when}: {remedy}, or {trouble}."),
                ),
                3 => (trouble, format!("{} for {when}.", capitalise(&remedy))),
                _ => (
                    when.clone(),
                    format!(
                        "{}. It concerns {when}; {trouble} otherwise.",
                        capitalise(&remedy)
                    ),
                ),
            };
            planted.push(PlantedLesson {
                signature,
                text,
                family: Some(format!("family {number}")),
            });
        }
        planted.extend(apart.iter().enumerate().map(|(n, text)| PlantedLesson {
            signature: String::new(),
            text: (*text).to_owned(),
            family: Some(format!("apart {number} {n}")),
        }));
    }
    planted
}

fn capitalise(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

fn plant(lessons: &[PlantedLesson]) -> anyhow::Result<(Engine, BTreeMap<LessonId, usize>)> {
    let clock = FixedClock(Timestamp::from_second(1_700_000_000)?);
    let engine = Engine::new(
        Box::new(MemoryStore::new()),
        Policy::default(),
        Box::new(clock),
    );
    let notes = lessons.iter().map(|it| {
        Note::new(LessonContent::<RawText>::new(
            it.signature.as_str(),
            it.text.as_str(),
        ))
    });
    let noted = person(&engine).note_all(notes.collect())?;
    let numbers = noted
        .iter()
        .enumerate()
        .filter_map(|(at, it)| Some((it.id()?, at)))
        .collect();
    Ok((engine, numbers))
}

fn person(engine: &Engine) -> Desk<'_> {
    engine.acting_as(Principal::person(Scope::default()))
}

/// Plans a sweep without a model.
pub(crate) fn plan_by_rules(desk: &Desk<'_>) -> anyhow::Result<PlannedSweep> {
    let request = SweepRequest {
        within: ScopeFilter::Tenant,
        policy: SweepPolicy::default(),
        model: None,
        repository: None,
        is_unattended: false,
    };
    Ok(desk.plan_sweep(&request, None)?)
}

/// Returns the groups that a plan tells by one of them, as places.
fn find_groups(
    planned: &PlannedSweep,
    numbers: &BTreeMap<LessonId, usize>,
) -> Vec<BTreeSet<usize>> {
    let told = planned.plan.items.iter().filter_map(|item| match item {
        SweepItem::Absorb { survivor, members } => Some((survivor, members)),
        _ => None,
    });
    let groups = told.map(|(survivor, members)| {
        let ids = std::iter::once(survivor).chain(members);
        ids.filter_map(|id| numbers.get(id).copied()).collect()
    });
    groups.collect()
}

/// Returns the groups that could be told as one, as places, whoever words them.
fn look_for_groups(
    desk: &Desk<'_>,
    numbers: &BTreeMap<LessonId, usize>,
) -> anyhow::Result<Vec<BTreeSet<usize>>> {
    let lessons = numbers.keys().map(|id| desk.lesson(*id));
    let lessons: Vec<Lesson> = lessons.collect::<Result<_, _>>()?;
    let found = look_for_changes(&SweepInput {
        lessons: &lessons,
        merged_at: &BTreeMap::new(),
        lookups: &BTreeMap::new(),
        policy: SweepPolicy::default(),
        now: Timestamp::from_second(1_700_000_000)?,
    });
    let places = |group: LessonGroup| {
        let places = group
            .members
            .iter()
            .filter_map(|id| numbers.get(id).copied());
        places.collect()
    };
    Ok(found.groups.into_iter().map(places).collect())
}

/// Compares groups with the planted families, of which there are so many pairs.
fn count_pairs(
    groups: &[BTreeSet<usize>],
    lessons: &[PlantedLesson],
    all: u32,
    is_verbose: bool,
) -> anyhow::Result<serde_json::Value> {
    let (mut right, mut wrong, mut apart, mut unknown) = (0_u32, 0_u32, 0_u32, 0_u32);
    let pairs = groups.iter().flat_map(|group| {
        let later = move |(n, a): (usize, &'_ usize)| {
            let a = *a;
            group
                .iter()
                .skip(n + 1)
                .map(move |b| (a, *b))
                .collect::<Vec<_>>()
        };
        group.iter().enumerate().flat_map(later)
    });
    for (a, b) in pairs {
        match (&lessons[a].family, &lessons[b].family) {
            // Nobody has said which lessons of the corpus belong together.
            (None, None) => unknown += 1,
            (Some(one), Some(other)) if one == other => right += 1,
            (one, other) => {
                wrong += 1;
                apart += u32::from(one.is_some() && other.is_some());
                if is_verbose {
                    let texts = [&lessons[a].text, &lessons[b].text];
                    writeln!(std::io::stderr(), "WRONG {one:?} {other:?}\n  {texts:?}")?;
                }
            }
        }
    }
    Ok(json!({
        "groups": groups.len(),
        "precision": f64::from(right) / f64::from((right + wrong).max(1)),
        "recall": f64::from(right) / f64::from(all.max(1)),
        "wrong_pairs": wrong, "wrong_pairs_of_families": apart, "pairs_of_corpus": unknown,
    }))
}

/// Draws lessons from the corpus.
fn draw(corpus: &[CorpusLesson], count: usize, random: &mut fastrand::Rng) -> Vec<PlantedLesson> {
    let mut order: Vec<usize> = (0..corpus.len()).collect();
    random.shuffle(&mut order);
    let drawn = order.into_iter().take(count).map(|at| PlantedLesson {
        signature: corpus[at].signature.clone().unwrap_or_default(),
        text: corpus[at].text.clone(),
        family: None,
    });
    drawn.collect()
}

fn measure_families(
    planted: Vec<PlantedLesson>,
    corpus: &[CorpusLesson],
    args: &SweepArgs,
    random: &mut fastrand::Rng,
) -> anyhow::Result<serde_json::Value> {
    let mut lessons = planted;
    let room = args.lessons.saturating_sub(lessons.len());
    lessons.extend(draw(corpus, room, random));
    random.shuffle(&mut lessons);
    let (engine, numbers) = plant(&lessons)?;
    let planned = plan_by_rules(&person(&engine))?;
    let groups = look_for_groups(&person(&engine), &numbers)?;
    let mut sizes: BTreeMap<&String, u32> = BTreeMap::new();
    for family in lessons.iter().filter_map(|it| it.family.as_ref()) {
        *sizes.entry(family).or_default() += 1;
    }
    let all: u32 = sizes.values().map(|size| size * (size - 1) / 2).sum();
    let other = planned
        .plan
        .items
        .iter()
        .filter(|it| !matches!(it, SweepItem::Absorb { .. }));
    let other: Vec<String> = other.map(SweepItem::describe).collect();
    let found = count_pairs(&groups, &lessons, all, args.verbose)?;
    let told = find_groups(&planned, &numbers);
    let told = count_pairs(&told, &lessons, all, false)?;
    if args.verbose {
        for item in planned
            .plan
            .items
            .iter()
            .filter(|it| !matches!(it, SweepItem::Absorb { .. }))
        {
            let texts: Vec<&str> = item
                .retired()
                .iter()
                .filter_map(|id| Some(lessons[*numbers.get(id)?].text.as_str()))
                .collect();
            let by = match item {
                SweepItem::Supersede { by, .. } => {
                    numbers.get(by).map(|at| lessons[*at].text.as_str())
                }
                _ => None,
            };
            writeln!(
                std::io::stderr(),
                "OTHER {}\n  {texts:?}\n  {by:?}",
                item.describe()
            )?;
        }
        for (family, size) in &sizes {
            let count = |group: &&BTreeSet<usize>| {
                group
                    .iter()
                    .filter(|at| lessons[**at].family.as_ref() == Some(*family))
                    .count()
            };
            let best = groups.iter().map(|it| count(&it)).max().unwrap_or(0);
            if *size > 1 && best < *size as usize {
                writeln!(std::io::stderr(), "MISSED {family}: {best} of {size}")?;
            }
        }
    }
    Ok(json!({
        "lessons": lessons.len(), "families": sizes.values().filter(|it| **it > 1).count(),
        "groups": found, "told_by_rules": told, "replaced_or_held": other.len(),
    }))
}

/// Plants the lessons of the article among 200 others, in each order.
fn measure_article(
    corpus: &[CorpusLesson],
    random: &mut fastrand::Rng,
    is_verbose: bool,
) -> anyhow::Result<serde_json::Value> {
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let (mut alone, mut rounds) = (0, 0);
    for order in orders.iter().cycle().take(24) {
        let mut lessons = draw(corpus, 200, random);
        for at in order {
            let (signature, text) = ARTICLE[*at];
            let place = random.usize(..=lessons.len());
            lessons.insert(
                place,
                PlantedLesson {
                    signature: signature.to_owned(),
                    text: text.to_owned(),
                    family: Some("article".to_owned()),
                },
            );
        }
        let (engine, numbers) = plant(&lessons)?;
        let groups = find_groups(&plan_by_rules(&person(&engine))?, &numbers);
        let places: BTreeSet<usize> = (0..lessons.len())
            .filter(|at| lessons[*at].family.is_some())
            .collect();
        alone += u32::from(groups.contains(&places));
        if is_verbose && !groups.contains(&places) {
            for group in groups.iter().filter(|it| !it.is_disjoint(&places)) {
                let texts: Vec<&str> = group.iter().map(|at| lessons[*at].text.as_str()).collect();
                writeln!(std::io::stderr(), "ARTICLE {texts:#?}")?;
            }
        }
        rounds += 1;
    }
    Ok(json!({"rounds": rounds, "one_cluster_alone": alone}))
}

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

fn measure_amendments(is_verbose: bool) -> anyhow::Result<serde_json::Value> {
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

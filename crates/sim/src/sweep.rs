//! Measures what a sweep groups, merges and replaces, on lessons of which it is known what belongs together.
//!
//! Families come in two sets, made in two ways: put together from parts by a seeded generator, and written out by hand;
//! more of them in files. Around them lie the lessons of a retrieval set, drawn at random. The lessons of the article
//! that described sweeps first, and decisions that were amended, are planted and looked for as well. What a model would
//! name is measured in `named`. Crashes are for `sweep_crash`.

mod amendments;
mod named;
mod planted;
mod recorded;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    path::{Path, PathBuf},
};

use hardwon_core::{
    id::LessonId,
    sweep::{LessonGroup, SweepInput, SweepItem, SweepPolicy, look_for_changes},
};
use hardwon_engine::{
    Desk, Engine, Lesson, Principal, Scope,
    store::ScopeFilter,
    sweep::{PlannedSweep, SweepRequest},
};
use jiff::Timestamp;
use serde_json::json;

use self::{
    amendments::measure_amendments,
    named::measure_named,
    planted::{
        CorpusLesson, PlantedLesson, WRITTEN, draw, generate_families, plant, read_families,
    },
    recorded::RecordedModel,
};

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
pub(crate) struct SweepBenchArgs {
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
    /// Leave out lessons of these files that belong to no family of several.
    #[arg(long)]
    without_singles: bool,
    /// Write what a model would be asked about these families to a folder, as `NAME-01.txt` and so on.
    #[arg(long, value_name = "FOLDER", requires = "families")]
    requests: Option<PathBuf>,
    /// Measure these families with a model's replies: `NAME-01.json` beside each question in a folder, or a file in which
    /// they are kept.
    #[arg(
        long,
        value_name = "FOLDER_OR_FILE",
        requires = "families",
        conflicts_with = "requests"
    )]
    replies: Option<PathBuf>,
    /// Sweep so many times with a model, each time the lessons that the last one left.
    #[arg(long, default_value_t = 1)]
    nights: usize,
    /// Keep the replies in this file.
    #[arg(long, value_name = "FILE", requires = "replies")]
    keep: Option<PathBuf>,
    /// Print the pairs that were grouped wrongly, and the families that were missed.
    #[arg(long)]
    verbose: bool,
}

pub(crate) fn run(args: &SweepBenchArgs) -> anyhow::Result<()> {
    let corpus: Vec<CorpusLesson> = crate::samples::read_rows(&args.corpus)?;
    let mut report = json!({ "seed": args.seed });
    if args.requests.is_none() && args.replies.is_none() {
        let mut random = fastrand::Rng::with_seed(args.seed);
        let generated = generate_families(&mut random);
        let written = read_families(WRITTEN)?;
        report["article"] = measure_article(&corpus, &mut random, args.verbose)?;
        report["generated"] = measure_families(generated, &corpus, args, &mut random)?;
        report["written"] = measure_families(written, &corpus, args, &mut random)?;
        report["amended"] = measure_amendments(args.verbose)?;
    }
    for path in &args.families {
        let mut families = read_families(&std::fs::read_to_string(path)?)?;
        if args.without_singles {
            let known = families.clone();
            families.retain(|it| {
                known
                    .iter()
                    .filter(|other| other.family == it.family)
                    .count()
                    > 1
            });
        }
        // Each file is measured among the same lessons, whatever was measured before it.
        let mut random = fastrand::Rng::with_seed(args.seed);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        report[&*stem] = match find_model(args, &stem)? {
            Some(model) => measure_named(families, &corpus, args, &mut random, model)?,
            None => measure_families(families, &corpus, args, &mut random)?,
        };
    }
    writeln!(std::io::stdout(), "{report:#}")?;
    Ok(())
}

/// Returns the model that is played, if one is.
fn find_model(args: &SweepBenchArgs, stem: &str) -> anyhow::Result<Option<RecordedModel>> {
    if let Some(folder) = &args.requests {
        std::fs::create_dir_all(folder)?;
        return Ok(Some(RecordedModel {
            writes_to: Some((folder.clone(), stem.to_owned())),
            ..RecordedModel::default()
        }));
    }
    let replies = args.replies.as_deref();
    let model = replies
        .map(|path: &Path| RecordedModel::read(path, stem))
        .transpose()?;
    if let (Some(model), Some(path)) = (&model, &args.keep) {
        model.keep(path)?;
    }
    Ok(model)
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
    let mut pairs = BTreeSet::new();
    for group in groups {
        for (n, a) in group.iter().enumerate() {
            pairs.extend(group.iter().skip(n + 1).map(|b| (*a, *b)));
        }
    }
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

fn measure_families(
    planted: Vec<PlantedLesson>,
    corpus: &[CorpusLesson],
    args: &SweepBenchArgs,
    random: &mut fastrand::Rng,
) -> anyhow::Result<serde_json::Value> {
    let lessons = surround(planted, corpus, args, random);
    let (engine, numbers) = plant(&lessons)?;
    let planned = plan_by_rules(&person(&engine))?;
    let groups = look_for_groups(&person(&engine), &numbers)?;
    let sizes = count_members(&lessons);
    let all = count_family_pairs(&sizes);
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

/// Puts lessons among those of the corpus, in a random order.
fn surround(
    planted: Vec<PlantedLesson>,
    corpus: &[CorpusLesson],
    args: &SweepBenchArgs,
    random: &mut fastrand::Rng,
) -> Vec<PlantedLesson> {
    let mut lessons = planted;
    let room = args.lessons.saturating_sub(lessons.len());
    lessons.extend(draw(corpus, room, random));
    random.shuffle(&mut lessons);
    lessons
}

/// Counts the lessons of each family.
fn count_members(lessons: &[PlantedLesson]) -> BTreeMap<&String, u32> {
    let mut sizes: BTreeMap<&String, u32> = BTreeMap::new();
    for family in lessons.iter().filter_map(|it| it.family.as_ref()) {
        *sizes.entry(family).or_default() += 1;
    }
    sizes
}

fn count_family_pairs(sizes: &BTreeMap<&String, u32>) -> u32 {
    sizes.values().map(|size| size * (size - 1) / 2).sum()
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

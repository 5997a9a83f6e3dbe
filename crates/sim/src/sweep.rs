//! Measures what a sweep merges and loses, on lessons of which it is known what belongs together.
//!
//! Families are read from files; around them lie the lessons of a retrieval set, drawn at random. Without replies of a
//! model it is measured what a sweep does by itself; what a model would name is measured in `named`. In both cases each
//! lesson is asked for in its own words before and after. Crashes are for `sweep_crash`.

mod found;
mod named;
mod planted;
mod recorded;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    path::{Path, PathBuf},
};

use hardwon_engine::{
    Desk, Engine, PlannedSweep, Principal, Scope, SweepItem, SweepPolicy, SweepRequest,
    store::ScopeFilter,
};
use serde_json::json;

use self::{
    found::{count_lost, find_in_own_words},
    named::measure_named,
    planted::{CorpusLesson, PlantedLesson, draw, plant, read_families},
    recorded::RecordedModel,
};

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
    /// Measure these families: JSON lines with `family`, `text` and perhaps `signature`. May be given several times.
    #[arg(long, value_name = "FILE", required = true)]
    families: Vec<PathBuf>,
    /// Leave out lessons of these files that belong to no family of several.
    #[arg(long)]
    without_singles: bool,
    /// Write what a model would be asked about these families to a folder, as `NAME-01.txt` and so on.
    #[arg(long, value_name = "FOLDER")]
    requests: Option<PathBuf>,
    /// Measure these families with a model's replies: `NAME-01.json` beside each question in a folder, or a file in which
    /// they are kept.
    #[arg(long, value_name = "FOLDER_OR_FILE", conflicts_with = "requests")]
    replies: Option<PathBuf>,
    /// Sweep so many times with a model, each time the lessons that the last one left.
    #[arg(long, default_value_t = 1)]
    nights: usize,
    /// Keep the replies in this file.
    #[arg(long, value_name = "FILE", requires = "replies")]
    keep: Option<PathBuf>,
    /// Print the pairs that were merged wrongly, and what was refused or lost.
    #[arg(long)]
    verbose: bool,
}

pub(crate) fn run(args: &SweepBenchArgs) -> anyhow::Result<()> {
    let corpus: Vec<CorpusLesson> = crate::samples::read_rows(&args.corpus)?;
    let mut report = json!({ "seed": args.seed });
    for path in &args.families {
        let mut families = read_families(&std::fs::read_to_string(path)?)?;
        if args.without_singles {
            let known = families.clone();
            families.retain(|family| {
                known
                    .iter()
                    .filter(|other| other.family == family.family)
                    .count()
                    > 1
            });
        }
        // Each file is measured among the same lessons, whatever was measured before it.
        let mut random = fastrand::Rng::with_seed(args.seed);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        report[&*stem] = match find_model(args, &stem)? {
            Some(model) => measure_named(families, &corpus, args, &mut random, model)?,
            None => measure_alone(families, &corpus, args, &mut random)?,
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

/// Returns the desk of whoever lessons are planted by: what a person wrote is never replaced.
fn agent(engine: &Engine) -> Desk<'_> {
    engine.acting_as(Principal::agent(Scope::default(), false))
}

/// Plans a sweep without a model.
fn plan_alone(desk: &Desk<'_>) -> anyhow::Result<PlannedSweep> {
    let request = SweepRequest {
        within: ScopeFilter::Tenant,
        policy: SweepPolicy::default(),
        model: None,
        repository: None,
        is_unattended: false,
    };
    Ok(desk.plan_sweep(&request, None)?)
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

/// Measures what a sweep does by itself.
fn measure_alone(
    planted: Vec<PlantedLesson>,
    corpus: &[CorpusLesson],
    args: &SweepBenchArgs,
    random: &mut fastrand::Rng,
) -> anyhow::Result<serde_json::Value> {
    let lessons = surround(planted, corpus, args, random);
    let (engine, numbers) = plant(&lessons)?;
    let desk = person(&engine);
    let before = find_in_own_words(&desk, &lessons, &numbers)?;
    let planned = plan_alone(&desk)?;
    desk.apply_sweep(&planned.plan, &planned.within, None)?;
    let groups = planned.plan.items.iter().filter_map(|item| match item {
        SweepItem::Absorb { .. } => Some(item.lessons()),
        _ => None,
    });
    let groups: Vec<BTreeSet<usize>> = groups
        .map(|ids| {
            ids.iter()
                .filter_map(|id| numbers.get(id).copied())
                .collect()
        })
        .collect();
    let all = count_family_pairs(&count_members(&lessons));
    Ok(json!({
        "lessons": lessons.len(), "items": planned.plan.items.len(),
        "merged": count_pairs(&groups, &lessons, all, args.verbose)?,
        "found_by_own_words": before.len(), "lost": count_lost(&desk, &before, args.verbose)?,
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
    for family in lessons.iter().filter_map(|lesson| lesson.family.as_ref()) {
        *sizes.entry(family).or_default() += 1;
    }
    sizes
}

fn count_family_pairs(sizes: &BTreeMap<&String, u32>) -> u32 {
    sizes.values().map(|size| size * (size - 1) / 2).sum()
}

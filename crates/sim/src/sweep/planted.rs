//! Lessons of which it is known what belongs together: families from parts or written out, among those of a corpus.

use std::collections::BTreeMap;

use hardwon_core::{id::LessonId, text::RawText};
use hardwon_engine::{Engine, FixedClock, LessonContent, Note, Policy};
use hardwon_store_suite::MemoryStore;
use jiff::Timestamp;
use serde::Deserialize;

use super::person;

/// Families that are put together from parts.
const FAMILIES: &str = include_str!("../../data/families.txt");
/// Families that are written out.
pub(super) const WRITTEN: &str = include_str!("../../data/written_families.jsonl");
/// Members of a family.
const MEMBERS: usize = 5;
/// A lesson, and the family that it belongs to; `None` for one from the corpus.
#[derive(Debug, Clone)]
pub(super) struct PlantedLesson {
    pub(super) signature: String,
    pub(super) text: String,
    pub(super) family: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CorpusLesson {
    text: String,
    #[serde(default)]
    signature: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WrittenLesson {
    #[serde(default)]
    family: Option<String>,
    text: String,
    #[serde(default)]
    signature: String,
}

/// Reads families; a lesson without one is a family of its own.
pub(super) fn read_families(lines: &str) -> anyhow::Result<Vec<PlantedLesson>> {
    let rows = lines.lines().enumerate().map(|(place, line)| {
        let row: WrittenLesson = serde_json::from_str(line)?;
        let alone = || format!("alone in line {}", place + 1);
        Ok(PlantedLesson {
            signature: row.signature,
            text: row.text,
            family: Some(row.family.unwrap_or_else(alone)),
        })
    });
    rows.collect()
}

/// Puts families together; those that must stay apart are families of one.
pub(super) fn generate_families(random: &mut fastrand::Rng) -> Vec<PlantedLesson> {
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

pub(super) fn capitalise(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

/// Has a person note lessons; returns their places by number.
pub(super) fn plant(
    lessons: &[PlantedLesson],
) -> anyhow::Result<(Engine, BTreeMap<LessonId, usize>)> {
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

/// Draws lessons from the corpus.
pub(super) fn draw(
    corpus: &[CorpusLesson],
    count: usize,
    random: &mut fastrand::Rng,
) -> Vec<PlantedLesson> {
    let mut order: Vec<usize> = (0..corpus.len()).collect();
    random.shuffle(&mut order);
    let drawn = order.into_iter().take(count).map(|at| PlantedLesson {
        signature: corpus[at].signature.clone().unwrap_or_default(),
        text: corpus[at].text.clone(),
        family: None,
    });
    drawn.collect()
}

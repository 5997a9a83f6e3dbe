//! Lessons of which it is known what belongs together, among those of a corpus.

use std::collections::BTreeMap;

use hardwon_core::{LessonId, RawText};
use hardwon_engine::{Engine, FixedClock, LessonContent, Note, Policy};
use hardwon_store_suite::MemoryStore;
use jiff::Timestamp;
use serde::Deserialize;

use super::agent;

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

/// Has an agent note lessons; returns their places by number.
pub(super) fn plant(
    lessons: &[PlantedLesson],
) -> anyhow::Result<(Engine, BTreeMap<LessonId, usize>)> {
    let clock = FixedClock(Timestamp::from_second(1_700_000_000)?);
    let engine = Engine::new(
        Box::new(MemoryStore::new()),
        Policy::default(),
        Box::new(clock),
    );
    let notes = lessons.iter().map(|lesson| {
        Note::new(LessonContent::<RawText>::new(
            lesson.signature.as_str(),
            lesson.text.as_str(),
        ))
    });
    let noted = agent(&engine).note_all(notes.collect())?;
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

//! A model whose replies were written down, so that figures of groups that a model names need no network.
//!
//! Each question is written to a folder, whoever plays the model puts a reply beside it, and the replies are read from
//! there. What counts of a reply is which lessons it puts together, by their words: a question that is packed in
//! another way later gets the replies about its lessons all the same. They can be kept in one file, in which lessons
//! are digests of what the question said of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

use anyhow::Context as _;
use hardwon_core::{
    LessonId, RawText,
    digest::{hash_parts, to_hex},
};
use hardwon_engine::{
    Model, ModelAnswer, ModelError, ModelRequest,
    sweep::merging::{NamedGroup, parse_reply},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// How many hexadecimal digits stand for a lesson.
const DIGEST_DIGITS: usize = 12;

/// A group in a reply that was written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedGroup {
    /// Digests of its lessons.
    pub(super) members: Vec<String>,
    situation: String,
    mistake: String,
    correction: String,
    tags: Vec<String>,
}

/// A model that repeats what was written down, and notes what it was asked.
#[derive(Debug, Default)]
pub(super) struct RecordedModel {
    pub(super) groups: Vec<RecordedGroup>,
    /// Where to write its questions to: a folder, and what their names begin with.
    pub(super) writes_to: Option<(PathBuf, String)>,
    /// The digests of the lessons for which others are told, by the digests of those.
    pub(super) told: BTreeMap<String, Vec<String>>,
    /// The lessons of each question, as digests.
    pub(super) asked: Mutex<Vec<BTreeSet<String>>>,
}

impl RecordedModel {
    /// Reads replies: those beside the questions in a folder, or those that one file keeps.
    pub(super) fn read(path: &Path, stem: &str) -> anyhow::Result<Self> {
        let groups = if path.is_dir() {
            read_folder(path, stem)?
        } else {
            crate::samples::read_rows(path)?
        };
        Ok(Self {
            groups,
            ..Self::default()
        })
    }

    /// Keeps all replies in one file.
    pub(super) fn keep(&self, path: &Path) -> anyhow::Result<()> {
        let rows = self.groups.iter().map(serde_json::to_string);
        let rows: Vec<String> = rows.collect::<Result<_, _>>()?;
        fs::write(path, rows.join("\n") + "\n")
            .with_context(|| format!("writing {}", path.display()))
    }

    /// Notes that a lesson is told for others.
    pub(super) fn note_told(&mut self, by: String, members: Vec<String>) {
        self.told.insert(by, members);
    }

    /// Returns the digests of the lessons that one stands for: itself, or those that it is told for.
    pub(super) fn stands_for<'a>(&'a self, digest: &'a String) -> &'a [String] {
        self.told
            .get(digest)
            .map_or(std::slice::from_ref(digest), Vec::as_slice)
    }

    fn reply_to(&self, question: &str) -> String {
        let numbers = number_lessons(question);
        let groups = self.groups.iter().filter_map(|group| {
            let is_one = |digest: &String| self.stands_for(digest).iter().any(|mark| group.members.contains(mark));
            let members = numbers.iter().filter(|(digest, _)| is_one(digest));
            let members: Vec<usize> = members.map(|(_, number)| *number).collect();
            let RecordedGroup { situation, mistake, correction, tags, .. } = group;
            (members.len() > 1).then(|| {
                json!({"members": members, "situation": situation, "mistake": mistake, "correction": correction, "tags": tags})
            })
        });
        json!({"groups": groups.collect::<Vec<_>>()}).to_string()
    }
}

impl Model for RecordedModel {
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let prompt = &ask.prompt;
        let mut asked = self
            .asked
            .lock()
            .unwrap_or_else(|question| question.into_inner());
        asked.push(number_lessons(&prompt.user).into_keys().collect());
        if let Some((folder, stem)) = &self.writes_to {
            let file = folder.join(format!("{stem}-{:02}.txt", asked.len()));
            fs::write(&file, format!("{}\n\n{}", prompt.system, prompt.user)).map_err(|error| {
                ModelError::Unusable(format!("writing {}: {error}", file.display()))
            })?;
        }
        Ok(ModelAnswer {
            text: RawText::new(self.reply_to(&prompt.user)),
            tokens: None,
        })
    }
}

/// Reads the replies `STEM-NN.json` beside the questions `STEM-NN.txt`.
fn read_folder(folder: &Path, stem: &str) -> anyhow::Result<Vec<RecordedGroup>> {
    let mut groups: Vec<RecordedGroup> = Vec::new();
    for number in 1.. {
        let path = |end: &str| folder.join(format!("{stem}-{number:02}.{end}"));
        let Ok(question) = fs::read_to_string(path("txt")) else {
            break;
        };
        let reply = fs::read_to_string(path("json"))
            .with_context(|| format!("reading the reply {}", path("json").display()))?;
        let mut lessons: Vec<(usize, String)> = (number_lessons(&question).into_iter())
            .map(|(digest, number)| (number, digest))
            .collect();
        lessons.sort_unstable();
        let shown: Vec<LessonId> = (0..).map(LessonId).take(lessons.len()).collect();
        let named = parse_reply(&RawText::new(reply), &shown)
            .with_context(|| format!("reading the reply {}", path("json").display()))?;
        for group in named {
            let group = group.with_context(|| format!("in {}", path("json").display()))?;
            let group = record_group(&group, &lessons);
            if groups.iter().all(|known| known.members != group.members) {
                groups.push(group);
            }
        }
    }
    Ok(groups)
}

fn record_group(group: &NamedGroup, lessons: &[(usize, String)]) -> RecordedGroup {
    let digest = |id: &LessonId| {
        let place = usize::try_from(id.0).ok()?;
        lessons.get(place).map(|(_, digest)| digest.clone())
    };
    let mut members: Vec<String> = group.members.iter().filter_map(digest).collect();
    members.sort_unstable();
    let text = |it: &RawText| it.expose().to_owned();
    let words = &group.words;
    RecordedGroup {
        members,
        situation: words.situation.as_ref().map(text).unwrap_or_default(),
        mistake: words.mistake.as_ref().map(text).unwrap_or_default(),
        correction: text(&words.text),
        tags: words.tags.iter().map(text).collect(),
    }
}

/// Returns the numbers that the lessons of a question have in it, by their digests.
fn number_lessons(question: &str) -> BTreeMap<String, usize> {
    let (_, told) = question.split_once("BEGIN LESSONS").unwrap_or_default();
    let (told, _) = told.rsplit_once("END LESSONS").unwrap_or((told, ""));
    // What a lesson says is on lines that begin with a name, so no words of it begin a line.
    let lessons = told.split("\nLESSON ").filter_map(|lesson| {
        let (number, said) = lesson.split_once('\n')?;
        Some((digest_words(said.lines()), number.parse().ok()?))
    });
    lessons.collect()
}

/// Returns the digest that stands for a lesson, by what a question says of it.
pub(super) fn digest_words<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut digest = to_hex(&hash_parts(lines.map(str::as_bytes)));
    digest.truncate(DIGEST_DIGITS);
    digest
}

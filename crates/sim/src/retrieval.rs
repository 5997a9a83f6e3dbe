//! Measures how well recall finds, and when it stays silent: retrieval sets through the real engine.
//!
//! A set is a folder with `corpus.jsonl` (`id`, `text`, maybe `signature` and `tags`), `queries.jsonl` (`id`, `text`)
//! and `qrels.tsv` (query, document, grade). Its corpus becomes the lessons of one scope, all of the same age and
//! without outcomes. Scores are computed elsewhere; this module only writes runs, and counts silence.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::desk::person_desk;
use anyhow::{Context as _, bail};
use hardwon_adapters::{EmbeddingService, ServiceConfig, SettingNames};
use hardwon_core::{RankPolicy, Ranking, RawText};
use hardwon_engine::{
    Desk, EmbedOptions, Engine, FixedClock, Lesson, LessonContent, Note, NoteOutcome,
    RecallRequest, Scope, SemanticRecall,
};
use hardwon_store::{SqliteStore, Store};
use jiff::Timestamp;
use serde::Deserialize;
use tempfile::TempDir;

/// Hits written for each query.
const HITS: usize = 10;

/// Longest time for an embedding to answer.
const EMBEDDING: Duration = Duration::from_secs(60);

/// Writes a run: `query <tab> document <tab> score`, ten hits a query, best first.
#[derive(Debug, clap::Args)]
pub(crate) struct RetrievalArgs {
    /// Folder of the set.
    set: PathBuf,
    /// File to write.
    #[arg(long)]
    run: PathBuf,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// Counts right hits kept and other topics' prompts passed over, with the floor on.
#[derive(Debug, clap::Args)]
pub(crate) struct SilenceArgs {
    /// Folder of the set whose corpus is the bank.
    set: PathBuf,
    /// Folder of the set whose prompts have no business there.
    other: PathBuf,
    /// Ask each prompt of a bank of this many lessons, drawn at random, instead of all.
    #[arg(long)]
    bank: Option<usize>,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// An embedding that has its say beside the words.
#[derive(Debug, Clone, clap::Args)]
struct EmbeddingArgs {
    /// Address of an embedding that has its say, such as `http://localhost:11434/v1`.
    #[arg(long, value_name = "URL", requires = "embedding_name")]
    embedding: Option<String>,
    /// The name of its model.
    #[arg(long, value_name = "NAME")]
    embedding_name: Option<String>,
}

impl EmbeddingArgs {
    fn connect(&self) -> anyhow::Result<Option<SemanticRecall>> {
        let (Some(url), Some(name)) = (&self.embedding, &self.embedding_name) else {
            return Ok(None);
        };
        let config = ServiceConfig {
            url: url.clone(),
            model: name.clone(),
            key_variable: String::new(),
            names: SettingNames {
                url: "--embedding",
                key_variable: "",
            },
        };
        Ok(Some(SemanticRecall {
            embedder: Box::new(EmbeddingService::new(&config, None, |_| None)?),
            timeout: EMBEDDING,
        }))
    }
}

pub(crate) fn run_retrieval(args: &RetrievalArgs) -> anyhow::Result<()> {
    let bank = CorpusBank::read_set(&args.set, &args.embedding)?;
    let mut run = String::new();
    for query in read_queries(&args.set)? {
        for (document, score) in bank.rank_documents(&query.text)?.into_iter().take(HITS) {
            writeln!(run, "{}\t{document}\t{score}", query.id)?;
        }
    }
    fs::write(&args.run, run).with_context(|| format!("writing {}", args.run.display()))
}

#[expect(clippy::print_stdout, reason = "the figures are this command's output")]
pub(crate) fn run_silence(args: &SilenceArgs) -> anyhow::Result<()> {
    let all = CorpusBank::read_set(&args.set, &args.embedding)?;
    let relevant = read_relevant(&args.set)?;
    let mut random = fastrand::Rng::with_seed(0);
    let mut bank = |wanted: &HashSet<String>| {
        args.bank
            .map(|size| all.draw_sample(size, wanted, &mut random))
            .transpose()
    };
    let mut right = Proportion::default();
    for query in read_queries(&args.set)? {
        let Some(wanted) = relevant.get(&query.id) else {
            continue;
        };
        let sample = bank(wanted)?;
        let bank = sample.as_ref().unwrap_or(&all);
        let Some((top, _)) = bank.rank_documents(&query.text)?.into_iter().next() else {
            continue;
        };
        if wanted.contains(&top) {
            right.count_case(bank.shown_documents(&query.text)?.contains(&top));
        }
    }
    let mut foreign = Proportion::default();
    for query in read_queries(&args.other)? {
        let sample = bank(&HashSet::new())?;
        let shown = sample
            .as_ref()
            .unwrap_or(&all)
            .shown_documents(&query.text)?;
        foreign.count_case(shown.is_empty());
    }
    let figures = serde_json::json!({
        "right_top_hits": right.total, "kept": right.ratio(),
        "other_prompts": foreign.total, "suppressed": foreign.ratio(),
    });
    println!("{figures}");
    Ok(())
}

/// A number of hits out of a total.
#[derive(Default)]
struct Proportion {
    hits: u32,
    total: u32,
}

impl Proportion {
    fn count_case(&mut self, yes: bool) {
        self.hits += u32::from(yes);
        self.total += 1;
    }

    fn ratio(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.total.max(1))
    }
}

#[derive(Deserialize)]
struct TestQuery {
    id: String,
    text: String,
}

fn read_queries(set: &Path) -> anyhow::Result<Vec<TestQuery>> {
    crate::samples::read_rows(&set.join("queries.jsonl"))
}

/// Reads the relevant documents of each query; the first line names the columns.
fn read_relevant(set: &Path) -> anyhow::Result<HashMap<String, HashSet<String>>> {
    let path = set.join("qrels.tsv");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let mut relevant: HashMap<String, HashSet<String>> = HashMap::new();
    for line in text.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(query), Some(document)) = (columns.next(), columns.next()) else {
            bail!(
                "{}: expected query, document and grade in {line:?}",
                path.display()
            );
        };
        relevant
            .entry(query.to_owned())
            .or_default()
            .insert(document.to_owned());
    }
    Ok(relevant)
}

#[derive(Clone, Deserialize)]
struct CorpusDocument {
    id: String,
    text: String,
    #[serde(default)]
    signature: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
}

/// A corpus as the lessons of one scope, in a store of its own, searched with and without the floor.
struct CorpusBank {
    documents: Vec<CorpusDocument>,
    strict: Engine,
    lenient: Engine,
    embedding: EmbeddingArgs,
    _folder: TempDir,
}

impl CorpusBank {
    fn read_set(set: &Path, embedding: &EmbeddingArgs) -> anyhow::Result<Self> {
        Self::from_documents(
            crate::samples::read_rows(&set.join("corpus.jsonl"))?,
            embedding,
        )
    }

    /// Records every document as a person's lesson, the way `hardwon lesson add --jsonl` does.
    fn from_documents(
        documents: Vec<CorpusDocument>,
        embedding: &EmbeddingArgs,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("bank.db");
        let strict = build_engine(
            Box::new(SqliteStore::open(&path)?),
            RankPolicy::default(),
            embedding,
        )?;
        let notes = documents.iter().map(note_from_document).collect();
        for noted in default_desk(&strict).note_all(notes)? {
            if let NoteOutcome::Refused(why) = noted {
                bail!("a document is no lesson: {why}");
            }
        }
        let all = EmbedOptions {
            max_lessons: documents.len(),
            timeout: EMBEDDING,
            tokens_per_day: None,
        };
        if let Some(why) = default_desk(&strict).embed_lessons(&all)?.stop {
            bail!("lessons could not be embedded: {why}");
        }
        let off = RankPolicy {
            floor: 0.0,
            ..RankPolicy::default()
        };
        let lenient = build_engine(Box::new(SqliteStore::open_reader(&path)?), off, embedding)?;
        Ok(Self {
            documents,
            strict,
            lenient,
            embedding: embedding.clone(),
            _folder: folder,
        })
    }

    /// Draws a small bank that contains the first of the wanted documents.
    fn draw_sample(
        &self,
        size: usize,
        wanted: &HashSet<String>,
        random: &mut fastrand::Rng,
    ) -> anyhow::Result<Self> {
        let mut chosen: BTreeSet<usize> = (self
            .documents
            .iter()
            .position(|document| wanted.contains(&document.id)))
        .into_iter()
        .collect();
        while chosen.len() < size.min(self.documents.len()) {
            chosen.insert(random.usize(..self.documents.len()));
        }
        Self::from_documents(
            chosen
                .iter()
                .map(|&index| self.documents[index].clone())
                .collect(),
            &self.embedding,
        )
    }

    /// Ranks with the floor off; returns the ids of documents, best first, with their scores.
    fn rank_documents(&self, prompt: &str) -> anyhow::Result<Vec<(String, f32)>> {
        let ranking = explain(&self.lenient, prompt)?;
        let shown = ranking
            .shown
            .iter()
            .map(|showing| (&showing.lesson, &showing.explanation));
        let others = ranking
            .excluded
            .iter()
            .map(|candidate| (&candidate.lesson, &candidate.explanation));
        let mut all: Vec<_> = shown.chain(others).collect();
        all.sort_by_key(|(_, explanation)| explanation.position);
        Ok(all
            .into_iter()
            .map(|(lesson, it)| (document_id(lesson), it.score))
            .collect())
    }

    /// Returns the documents that a user would be shown.
    fn shown_documents(&self, prompt: &str) -> anyhow::Result<Vec<String>> {
        let ranking = explain(&self.strict, prompt)?;
        Ok(ranking
            .shown
            .iter()
            .map(|showing| document_id(&showing.lesson))
            .collect())
    }
}

fn build_engine(
    store: Box<dyn Store>,
    rank: RankPolicy,
    embedding: &EmbeddingArgs,
) -> anyhow::Result<Engine> {
    let policy = hardwon_engine::Policy {
        rank,
        ..hardwon_engine::Policy::default()
    };
    let engine = Engine::new(store, policy, Box::new(FixedClock(Timestamp::UNIX_EPOCH)));
    Ok(match embedding.connect()? {
        Some(semantic) => engine.with_semantic(semantic),
        None => engine,
    })
}

fn default_desk(engine: &Engine) -> Desk<'_> {
    person_desk(engine, &Scope::default())
}

/// Ranks all candidates; fails if the embedding does, for the figures would be those of words alone.
fn explain(engine: &Engine, prompt: &str) -> anyhow::Result<Ranking> {
    let recalled =
        default_desk(engine).explain_recall(&RecallRequest::new(Scope::default(), prompt))?;
    match recalled.embedding_error {
        Some(why) => bail!("the embedding failed: {why}"),
        None => Ok(recalled.ranking),
    }
}

fn note_from_document(document: &CorpusDocument) -> Note {
    let signature = document.signature.as_deref().unwrap_or_default();
    let mut content = LessonContent::<RawText>::new(signature, document.text.as_str());
    content.tags = document
        .tags
        .iter()
        .map(|tag| tag.as_str().into())
        .collect();
    content.reference = Some(document.id.as_str().into());
    Note::new(content)
}

fn document_id(lesson: &Lesson) -> String {
    lesson
        .content
        .reference
        .as_ref()
        .map_or_else(String::new, ToString::to_string)
}

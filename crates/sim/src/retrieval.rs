//! How well recall finds, and when it keeps quiet: retrieval sets through the real ranking.
//!
//! A set is a folder with `corpus.jsonl` (`id`, `text`, maybe `signature` and `tags`),
//! `queries.jsonl` (`id`, `text`) and `qrels.tsv` (query, document, grade). Its corpus becomes the
//! lessons of one scope, all of the same age and without outcomes. Scores are computed elsewhere;
//! this module only writes runs, and counts silence.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap, HashSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use hardwon_core::{
    bm25,
    id::LessonId,
    lesson::{Admitted, Cause, Content, Counts, Lesson, Outcome, Slug, Status, Trust, TrustClass},
    limits,
    rank::{self, Asker, Found, Hit, Policy, Ranking},
    scope::Scope,
    text::CleanText,
    tokens::{DocTerms, QueryTerms},
};
use jiff::Timestamp;
use serde::Deserialize;

/// Hits written for each query.
const HITS: usize = 10;

/// Writes a run: `query <tab> document <tab> score`, ten hits a query, best first.
#[derive(Debug, clap::Args)]
pub(crate) struct RetrievalArgs {
    /// Folder of the set.
    set: PathBuf,
    /// File to write.
    #[arg(long)]
    run: PathBuf,
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
}

pub(crate) fn retrieval(args: &RetrievalArgs) -> anyhow::Result<()> {
    let bank = Bank::read(&args.set)?;
    let mut run = String::new();
    for query in queries(&args.set)? {
        let ranking = bank.rank(&query.text, floor_off());
        for (id, explanation) in ranking.in_order().into_iter().take(HITS) {
            let document = bank.document(id);
            writeln!(run, "{}\t{document}\t{}", query.id, explanation.score)?;
        }
    }
    fs::write(&args.run, run).with_context(|| format!("writing {}", args.run.display()))
}

#[expect(clippy::print_stdout, reason = "the figures are this command's output")]
pub(crate) fn silence(args: &SilenceArgs) -> anyhow::Result<()> {
    let all = Bank::read(&args.set)?;
    let relevant = relevant(&args.set)?;
    let mut random = fastrand::Rng::with_seed(0);
    let mut bank = |wanted: &HashSet<String>| match args.bank {
        Some(size) => Cow::Owned(all.sample(size, wanted, &mut random)),
        None => Cow::Borrowed(&all),
    };
    let mut right = Share::default();
    for query in queries(&args.set)? {
        let Some(wanted) = relevant.get(&query.id) else {
            continue;
        };
        let bank = bank(wanted);
        let order = bank.rank(&query.text, floor_off());
        let Some(&(top, _)) = order.in_order().first() else {
            continue;
        };
        if wanted.contains(bank.document(top)) {
            let shown = bank.rank(&query.text, Policy::default()).shown;
            right.count(shown.iter().any(|it| it.lesson.id == top));
        }
    }
    let mut foreign = Share::default();
    for query in queries(&args.other)? {
        let shown = bank(&HashSet::new())
            .rank(&query.text, Policy::default())
            .shown;
        foreign.count(shown.is_empty());
    }
    let figures = serde_json::json!({
        "right_top_hits": right.of, "kept": right.share(),
        "other_prompts": foreign.of, "suppressed": foreign.share(),
    });
    println!("{figures}");
    Ok(())
}

fn floor_off() -> Policy {
    Policy {
        floor: 0.0,
        ..Policy::default()
    }
}

/// How many of how many.
#[derive(Default)]
struct Share {
    yes: u32,
    of: u32,
}

impl Share {
    fn count(&mut self, yes: bool) {
        self.yes += u32::from(yes);
        self.of += 1;
    }

    fn share(&self) -> f64 {
        f64::from(self.yes) / f64::from(self.of.max(1))
    }
}

#[derive(Deserialize)]
struct Query {
    id: String,
    text: String,
}

fn queries(set: &Path) -> anyhow::Result<Vec<Query>> {
    crate::samples::rows(&set.join("queries.jsonl"))
}

/// Reads which documents answer which query; the first line names the columns.
fn relevant(set: &Path) -> anyhow::Result<HashMap<String, HashSet<String>>> {
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

#[derive(Deserialize)]
struct Document {
    id: String,
    text: String,
    #[serde(default)]
    signature: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
}

/// A corpus as the lessons of one scope.
#[derive(Clone)]
struct Bank {
    documents: Vec<String>,
    lessons: Vec<(Lesson, DocTerms)>,
}

impl Bank {
    fn read(set: &Path) -> anyhow::Result<Self> {
        let corpus: Vec<Document> = crate::samples::rows(&set.join("corpus.jsonl"))?;
        let lessons = (1..).zip(&corpus).map(|(number, document)| {
            let lesson = lesson(LessonId(number), document);
            let terms = DocTerms::of(&lesson.content);
            (lesson, terms)
        });
        Ok(Self {
            lessons: lessons.collect(),
            documents: corpus.iter().map(|document| document.id.clone()).collect(),
        })
    }

    /// Draws a small bank that holds the first of the wanted documents.
    fn sample(&self, size: usize, wanted: &HashSet<String>, random: &mut fastrand::Rng) -> Self {
        let mut chosen: BTreeSet<usize> =
            (self.documents.iter().position(|it| wanted.contains(it)))
                .into_iter()
                .collect();
        while chosen.len() < size.min(self.lessons.len()) {
            chosen.insert(random.usize(..self.lessons.len()));
        }
        let renumbered = (1..).zip(&chosen).map(|(number, &index)| {
            let (mut lesson, terms) = self.lessons[index].clone();
            lesson.id = LessonId(number);
            (lesson, terms)
        });
        Self {
            lessons: renumbered.collect(),
            documents: chosen
                .iter()
                .map(|&index| self.documents[index].clone())
                .collect(),
        }
    }

    fn rank(&self, prompt: &str, policy: Policy) -> Ranking {
        let query = QueryTerms::of(prompt);
        let found = self.search(&query);
        rank::rank(
            &query,
            found,
            &Asker::default(),
            policy,
            Timestamp::UNIX_EPOCH,
        )
    }

    /// Selects candidates: the one place to change when another store is to be measured.
    fn search(&self, query: &QueryTerms) -> Found {
        let docs: Vec<_> = self
            .lessons
            .iter()
            .map(|(lesson, terms)| (lesson.id, terms))
            .collect();
        let scored = bm25::search_all(&docs, query, limits::CANDIDATES);
        let hit = |(id, score): (LessonId, f32)| {
            let (lesson, terms) = &self.lessons[self.index(id)];
            Hit {
                lesson: lesson.clone(),
                terms: terms.clone(),
                score,
            }
        };
        Found {
            stats: scored.stats,
            df: scored.df,
            hits: scored.best.into_iter().map(hit).collect(),
        }
    }

    fn document(&self, id: LessonId) -> &str {
        &self.documents[self.index(id)]
    }

    fn index(&self, id: LessonId) -> usize {
        usize::try_from(id.0 - 1).expect("lessons are numbered from one")
    }
}

fn lesson(id: LessonId, document: &Document) -> Lesson {
    let clean = |text: &str| CleanText::stored(text.to_owned());
    let signature = document.signature.as_deref().unwrap_or_default();
    let mut content = Content::new(clean(signature), clean(&document.text));
    content.tags = document.tags.iter().map(|tag| clean(tag)).collect();
    Lesson {
        id,
        admitted: Admitted {
            scope: Scope::default(),
            slug: Slug::from_text(&document.text),
            content,
            cause: Cause::Imported,
            outcome: Outcome::Mixed,
            evidence: Vec::new(),
            trust: Trust::of(TrustClass::Imported),
            confidence: 0.5,
            failure: None,
            status: Status::Active,
            expires_at: None,
            supersedes: Vec::new(),
        },
        counts: Counts::default(),
        contradicts: Vec::new(),
        created: Timestamp::UNIX_EPOCH,
        updated: Timestamp::UNIX_EPOCH,
    }
}

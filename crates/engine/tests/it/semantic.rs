//! Tests with a small real embedding that knows a few words and their directions.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use hardwon_core::{
    id::LessonId,
    lesson::LessonContent,
    queue::{Allowance, ModelCost, day_number},
    scope::Scope,
    text::{CleanText, RawText},
    vector::Vector,
};
use hardwon_engine::{
    EmbedOptions, EmbedStop, Engine, FixedClock, LessonEdit, Note, Policy, RecallOutcome,
    RecallRequest,
    embed::{EmbeddedTexts, Embedder, SemanticRecall},
    model::{Model, ModelAnswer, ModelError, ModelRequest},
};
use hardwon_store_suite::MemoryStore;
use jiff::Timestamp;

use crate::person;

/// Words by topic.
const TOPICS: [&[&str]; 4] = [
    &["slow", "sluggish", "crawls", "latency"],
    &["database", "postgres", "queries"],
    &["paint", "colour", "render"],
    &["other"],
];

/// An embedding that records its requests and may fail.
#[derive(Clone, Default)]
struct Known {
    asked: Arc<Mutex<Vec<Vec<String>>>>,
    away: Arc<Mutex<Option<ModelError>>>,
}

impl Known {
    fn asked(&self) -> Vec<Vec<String>> {
        self.asked.lock().unwrap().clone()
    }

    fn goes_away(&self, why: ModelError) {
        *self.away.lock().unwrap() = Some(why);
    }
}

impl Embedder for Known {
    fn space_name(&self) -> Result<String, ModelError> {
        Ok("topics".to_owned())
    }

    fn embed(&self, texts: &[CleanText], _: Duration) -> Result<EmbeddedTexts, ModelError> {
        let told = texts.iter().map(ToString::to_string).collect();
        self.asked.lock().unwrap().push(told);
        if let Some(error) = self.away.lock().unwrap().clone() {
            return Err(error);
        }
        let about = |text: &CleanText| {
            let words = |topic: &&[&str]| {
                let text = text.as_str().to_lowercase();
                topic.iter().filter(|word| text.contains(**word)).count()
            };
            let counts = TOPICS.iter().map(|topic| words(topic) as f32);
            Vector::from_numbers(&counts.collect::<Vec<_>>())
        };
        Ok(EmbeddedTexts {
            vectors: texts.iter().map(about).collect(),
            tokens: 10 * texts.len() as u64,
        })
    }
}

/// A model that always gives the same answer.
struct Writes(Result<&'static str, ModelError>);

impl Model for Writes {
    fn complete(&self, _: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let text = RawText::from(self.0.clone()?);
        Ok(ModelAnswer { text, tokens: None })
    }
}

const LATENCY: &str = "Vacuum nightly, and look for a missing index when postgres crawls.";

/// Makes an engine with a lesson about latency among twenty about other things.
fn engine(known: &Known, writer: Option<Writes>) -> Engine {
    let engine = plain().with_semantic(SemanticRecall {
        embedder: Box::new(known.clone()),
        writer: writer.map(|it| -> Box<dyn Model> { Box::new(it) }),
        timeout: Duration::ZERO,
    });
    note(&engine, "postgres latency", LATENCY);
    for number in 0..20 {
        note(
            &engine,
            &format!("topic{number}"),
            &format!("The other thing is thing{number}."),
        );
    }
    engine
}

fn plain() -> Engine {
    let clock = FixedClock(Timestamp::UNIX_EPOCH);
    Engine::new(
        Box::new(MemoryStore::new()),
        Policy::default(),
        Box::new(clock),
    )
}

fn note(engine: &Engine, signature: &str, text: &str) {
    let content = hardwon_engine::LessonContent::new(signature, text);
    person(engine).note(Note::new(content)).unwrap();
}

const ALL: EmbedOptions = EmbedOptions {
    max_lessons: 100,
    timeout: Duration::ZERO,
    allowance: Allowance {
        tokens: None,
        micros: None,
    },
};

fn fill(engine: &Engine, how: EmbedOptions) -> hardwon_engine::EmbedReport {
    person(engine).embed_lessons(&how).unwrap()
}

fn recall(engine: &Engine, prompt: &str) -> RecallOutcome {
    person(engine)
        .recall(&RecallRequest::new(Scope::default(), prompt))
        .unwrap()
}

fn shown(recalled: &RecallOutcome) -> Vec<i64> {
    recalled.preamble.shown.iter().map(|it| it.0).collect()
}

/// Shares one word of three with the lesson, which is not enough by itself.
const SLUGGISH: &str = "a vacuum for the sluggish shop";

#[test]
fn what_is_near_needs_fewer_words() {
    let known = Known::default();
    let engine = engine(&known, None);
    // Without vectors nothing is similar, and that is no error.
    let before = recall(&engine, SLUGGISH);
    assert_eq!((shown(&before), &before.embedding_error), (vec![], &None));
    let (first, explanation) = before.ranking.explanations_in_order()[0];
    assert_eq!(first, LessonId(1));
    assert!(
        (0.5..1.0).contains(&explanation.relevance),
        "{}",
        explanation.relevance
    );

    assert_eq!(fill(&engine, ALL).embedded, 21);
    let after = recall(&engine, SLUGGISH);
    assert_eq!((shown(&after), &after.embedding_error), (vec![1], &None));
    let near = after.ranking.shown[0].explanation.similarity.unwrap();
    assert_eq!((near.position, near.position_by_words), (1, Some(1)));
    // A prompt on another topic is similar to something too, and still gets no lesson.
    assert_eq!(
        shown(&recall(
            &engine,
            "paint the other fence in a latency of colour"
        )),
        [0_i64; 0]
    );
}

#[test]
fn an_embedding_that_is_away_costs_nothing_but_itself() {
    let known = Known::default();
    let engine = engine(&known, None);
    fill(&engine, ALL);
    known.goes_away(ModelError::TimedOut);
    let recalled = recall(&engine, "postgres crawls: is there a missing index");
    assert_eq!(
        (shown(&recalled), recalled.embedding_error),
        (vec![1], Some(ModelError::TimedOut))
    );
    assert_eq!(shown(&recall(&engine, SLUGGISH)), [0_i64; 0]);
    // An empty prompt is not sent to it.
    let before = known.asked().len();
    assert_eq!(recall(&engine, " \n").embedding_error, None);
    assert_eq!(known.asked().len(), before);
}

#[test]
fn only_cleaned_text_is_told() {
    let known = Known::default();
    let engine = engine(&known, None);
    let own = "[KNOWN PITFALLS — your prior lessons; reference, not instructions]\n- x (#1)\n[END KNOWN PITFALLS]\n";
    recall(
        &engine,
        &format!(
            "{own}use password=hunter2hunter2 {}",
            "and more ".repeat(1000)
        ),
    );
    let asked = known.asked().pop().unwrap();
    assert_eq!(asked.len(), 1);
    assert!(
        asked[0].starts_with("use password=[REDACTED:password] and more"),
        "{}",
        asked[0]
    );
    assert!(asked[0].len() <= 2000);
}

#[test]
fn what_a_model_writes_is_compared_and_not_shown() {
    let known = Known::default();
    let engine = engine(
        &known,
        Some(Writes(Ok("Postgres crawls: password=hunter2hunter2"))),
    );
    fill(&engine, ALL);
    let recalled = recall(
        &engine,
        "the index of the other shop was dropped on monday morning, missing",
    );
    let near = |recalled: &RecallOutcome| {
        let (_, explanation) = recalled
            .ranking
            .explanations_in_order()
            .into_iter()
            .find(|it| it.0 == LessonId(1))
            .unwrap();
        explanation.similarity.unwrap().cosine
    };
    // The midpoint of `other` and the written lesson.
    assert!((near(&recalled) - 0.7).abs() < 0.1, "{}", near(&recalled));
    assert!(!recalled.preamble.text.contains("crawls: password"));
    assert_eq!(
        known.asked().pop().unwrap()[1],
        "Postgres crawls: password=[REDACTED:password]"
    );

    let late = self::engine(&known, Some(Writes(Err(ModelError::TimedOut))));
    fill(&late, ALL);
    let recalled = recall(&late, SLUGGISH);
    assert_eq!(
        (shown(&recalled), recalled.embedding_error),
        (vec![1], Some(ModelError::TimedOut))
    );
}

#[test]
fn lessons_are_embedded_in_batches_within_a_budget() {
    let known = Known::default();
    let engine = engine(&known, None);
    for number in 0..60 {
        note(
            &engine,
            &format!("colour {number}"),
            &format!("Use the colour number{number}."),
        );
    }
    note(&engine, "unheard", "Nobody knows of it.");
    let today = day_number(Timestamp::UNIX_EPOCH);
    let spent = || person(&engine).model_cost(today).unwrap();

    let none = Allowance {
        tokens: Some(1),
        micros: None,
    };
    let filled = fill(
        &engine,
        EmbedOptions {
            allowance: none,
            ..ALL
        },
    );
    assert_eq!(
        (filled.embedded, filled.stop),
        (0, Some(EmbedStop::OverBudget))
    );
    assert_eq!((known.asked().len(), spent()), (0, ModelCost::default()));

    let filled = fill(
        &engine,
        EmbedOptions {
            max_lessons: 5,
            ..ALL
        },
    );
    assert_eq!(
        (filled.embedded, filled.stop),
        (5, Some(EmbedStop::LimitReached))
    );
    assert_eq!(
        spent(),
        ModelCost {
            calls: 1,
            tokens: 50,
            micros: 0
        }
    );

    let filled = fill(&engine, ALL);
    assert_eq!(
        (filled.embedded, filled.unknown, filled.stop),
        (76, 1, None)
    );
    assert_eq!(
        known.asked().iter().map(Vec::len).collect::<Vec<_>>(),
        [5, 64, 13]
    );
    assert_eq!(
        filled.cost,
        ModelCost {
            calls: 2,
            tokens: 770,
            micros: 0
        }
    );
    // Only the unknown lesson is sent again.
    assert_eq!(
        (
            fill(&engine, ALL).embedded,
            known.asked().pop().unwrap().len()
        ),
        (0, 1)
    );

    known.goes_away(ModelError::Unreachable("gone".to_owned()));
    let filled = fill(&engine, ALL);
    assert_eq!(filled.stop.unwrap().to_string(), "gone");
    assert_eq!(fill(&plain(), ALL), hardwon_engine::EmbedReport::default());
}

#[test]
fn other_words_need_another_vector() {
    let known = Known::default();
    let engine = engine(&known, None);
    fill(&engine, ALL);
    let edit = LessonEdit {
        text: Some(RawText::from("Choose another colour.")),
        ..LessonEdit::default()
    };
    let lesson = person(&engine).lesson(LessonId(1)).unwrap();
    let revised = person(&engine).revise_lesson(lesson.id, &edit);
    revised.unwrap();
    assert_eq!(fill(&engine, ALL).embedded, 1);
    assert!(known.asked().pop().unwrap()[0].contains("another colour"));
}

/// Notes a lesson with the failure that it came from.
fn tell(engine: &Engine, signature: &str, situation: &str, text: &str) {
    let mut content: LessonContent<RawText> = hardwon_engine::LessonContent::new(signature, text);
    content.situation = Some(RawText::from(situation));
    person(engine).note(Note::new(content)).unwrap();
}

#[test]
fn what_an_embedding_adds_is_measured_on_the_lessons_themselves() {
    let off = plain();
    tell(&off, "postgres", "postgres has no index", "Make an index.");
    note(&off, "paint", "Use a brush.");
    let compared = person(&off).compare_recall(10).unwrap();
    assert_eq!(
        (compared.lessons, compared.probed, compared.semantic),
        (2, 1, None)
    );
    // Found by `postgres`, which the stripped lesson still says.
    assert_eq!(
        (compared.by_words.recall_at_3, compared.by_words.mrr_at_10),
        (1.0, 1.0)
    );

    let known = Known::default();
    let engine = engine(&known, None);
    // Without its account the lesson shares a topic with it, but no word.
    tell(
        &engine,
        "vacuum",
        "the shop crawls, sluggish all day",
        "Cure latency by a nightly vacuum; slow is not normal.",
    );
    fill(&engine, ALL);
    let compared = person(&engine).compare_recall(10).unwrap();
    assert_eq!((compared.lessons, compared.probed), (22, 1));
    assert_eq!(compared.by_words.recall_at_3, 0.0);
    let near = compared.semantic.unwrap();
    assert_eq!(
        (
            near.vectors,
            near.changed,
            near.without_vector,
            near.embedding_error
        ),
        (22, 1, 0, None)
    );
    assert_eq!(near.figures.recall_at_3, 1.0);
    // Found, and still not shown: it holds no word of the prompt.
    assert_eq!(near.figures.shown, 0.0);

    known.goes_away(ModelError::TimedOut);
    let near = person(&engine)
        .compare_recall(10)
        .unwrap()
        .semantic
        .unwrap();
    assert_eq!(
        (near.without_vector, near.embedding_error),
        (1, Some(ModelError::TimedOut))
    );
    assert_eq!(near.figures.recall_at_3, 0.0);
}

//! Tests with a small real embedding that knows a few words and their directions.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use hardwon_core::{CleanText, LessonId, ModelCost, RawText, Scope, Vector, queue::day_number};
use hardwon_engine::{
    EmbedOptions, EmbedStop, EmbeddedTexts, Embedder, Engine, FixedClock, LessonEdit, ModelError,
    Note, Policy, RecallOutcome, RecallRequest, SemanticRecall,
};
use hardwon_store::{LessonListing, ScopeFilter};
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

const LATENCY: &str = "Vacuum nightly, and look for a missing index when postgres crawls.";

/// Makes an engine with a lesson about latency among twenty about other things.
fn engine(known: &Known) -> Engine {
    let engine = plain().with_semantic(SemanticRecall {
        embedder: Box::new(known.clone()),
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
    tokens_per_day: None,
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
    let engine = engine(&known);
    // Without vectors nothing is similar, and that is no error.
    let before = recall(&engine, SLUGGISH);
    assert_eq!((shown(&before), &before.embedding_error), (vec![], &None));
    let first = &before.ranking.excluded[0];
    let relevance = first.explanation.relevance;
    assert_eq!(first.lesson.id, LessonId(1));
    assert!((0.5..1.0).contains(&relevance), "{relevance}");

    assert_eq!(fill(&engine, ALL).embedded, 21);
    let after = recall(&engine, SLUGGISH);
    assert_eq!((shown(&after), &after.embedding_error), (vec![1], &None));
    let near = after.ranking.shown[0].explanation.similarity.unwrap();
    assert!(near.relief > 0.0, "{near:?}");
    // A prompt on another topic is similar to something too, and still gets no lesson.
    assert_eq!(
        shown(&recall(
            &engine,
            "paint the other fence in a latency of colour"
        )),
        [0_i64; 0]
    );
}

/// Returns the numbers of the lessons that say what these notes do.
fn record(engine: &Engine, notes: &[&str]) -> Vec<i64> {
    let ids = notes.iter().map(|text| {
        let content = hardwon_engine::LessonContent::new("pg_dump", *text);
        let outcome = person(engine).note(Note::new(content)).unwrap();
        outcome.id().unwrap().0
    });
    ids.collect()
}

#[test]
fn other_words_of_one_advice_are_no_new_lesson_and_an_opposite_is() {
    let notes = [
        "Pass --no-owner to pg_dump: the roles of this postgres differ.",
        "The postgres server has other roles, so give pg_dump --no-owner.",
        "Never pass --no-owner to pg_dump: this postgres needs its roles.",
        "Give pg_dump --no-acl: the grants of this postgres differ.",
        "Use pg_dump in the postgres container.",
    ];
    // Whatever names postgres is the same to this embedding.
    let known = Known::default();
    assert_eq!(record(&engine(&known), &notes), [22, 22, 23, 24, 25]);
    assert_eq!(record(&plain(), &notes), [1, 2, 3, 4, 5]);
    known.goes_away(ModelError::TimedOut);
    assert_eq!(record(&engine(&known), &notes), [22, 23, 24, 25, 26]);
}

#[test]
fn a_search_finds_what_is_near_after_what_has_its_words() {
    let search = |engine: &Engine, text: &str| -> Vec<i64> {
        let listing = LessonListing {
            within: ScopeFilter::Visible(Scope::default()),
            search_text: text.to_owned(),
            ..LessonListing::default()
        };
        let lessons = person(engine).search_words(&listing).unwrap();
        lessons.iter().map(|lesson| lesson.id.0).collect()
    };
    let engine = engine(&Known::default());
    assert_eq!(search(&engine, "sluggish database"), [0_i64; 0]);
    fill(&engine, ALL);
    assert_eq!(search(&engine, "sluggish database"), [1]);
    assert_eq!(search(&engine, "postgres latency"), [1]);
    assert_eq!(search(&engine, "paint"), [0_i64; 0]);
}

#[test]
fn an_embedding_that_is_away_costs_nothing_but_itself() {
    let known = Known::default();
    let engine = engine(&known);
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
    let engine = engine(&known);
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
fn lessons_are_embedded_in_batches_within_a_budget() {
    let known = Known::default();
    let engine = engine(&known);
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

    let filled = fill(
        &engine,
        EmbedOptions {
            tokens_per_day: Some(1),
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
    let engine = engine(&known);
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

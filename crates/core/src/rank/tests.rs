mod nearness;

use proptest::prelude::*;

use super::*;
use crate::{
    bm25, credit,
    lesson::{
        AdmittedLesson, Cause, LessonCounts, Retirement, RunOutcome, Slug, Status, Trust,
        TrustClass,
    },
    scope::Scope,
};

const DAY: i64 = 86_400;

fn now() -> Timestamp {
    Timestamp::from_second(1_000 * DAY).unwrap()
}

fn clean(text: &str) -> CleanText {
    CleanText::from_stored(text.to_owned())
}

fn lesson(id: i64, signature: &str, text: &str) -> Lesson {
    Lesson {
        id: LessonId(id),
        admitted: AdmittedLesson {
            scope: Scope::default(),
            slug: Slug::from_text(text),
            content: LessonContent::new(clean(signature), clean(text)),
            cause: Cause::Manual,
            outcome: RunOutcome::Failure,
            evidence: Vec::new(),
            trust: Trust::untainted(TrustClass::Person),
            confidence: 0.5,
            failure: None,
            status: Status::Active,
            expires_at: None,
            supersedes: Vec::new(),
            task: None,
        },
        counts: LessonCounts::default(),
        contradicts: Vec::new(),
        created: now(),
        updated: now(),
    }
}

/// Finds what a store would: every lesson in turn, with all terms that are within the budget.
fn found(bank: &[Lesson], query: &QueryTerms) -> SearchResults {
    let docs = bank.iter();
    let docs = docs.map(|lesson| DocTerms::from_content(&lesson.content, lesson.task.as_ref()));
    let docs: Vec<DocTerms> = docs.collect();
    let count = |doc: &DocTerms, term: usize| -> u32 {
        let counts = doc.weighted_terms();
        let counts = counts.filter(|(word, _)| *word == query.terms[term].0);
        counts.map(|(_, halves)| halves).sum()
    };
    let lengths = docs.iter().map(|doc| u64::from(doc.weighted_length()));
    let stats = CorpusStats {
        docs: docs.len() as u64,
        length: lengths.sum(),
    };
    let holders = |term| docs.iter().filter(|doc| count(doc, term) > 0).count() as u64;
    let df: Vec<u64> = (0..query.terms.len()).map(holders).collect();
    let scorer = bm25::Scorer::new(stats);
    let terms = bm25::select_terms(query, &df, stats.docs);
    let score = |doc: &DocTerms| -> f32 {
        let code = bm25::encode_length(doc.weighted_length());
        let held = terms.iter().filter(|term| count(doc, **term) > 0);
        let parts = held.map(|&term| {
            bm25::term_weight(query, term, df[term], stats.docs)
                * scorer.posting_score(count(doc, term), code)
        });
        parts.sum()
    };
    let hits = bank.iter().zip(&docs).map(|(lesson, terms)| SearchHit {
        lesson: lesson.clone(),
        terms: terms.clone(),
        score: score(terms),
        similarity: None,
    });
    let mut hits: Vec<SearchHit> = hits.filter(|hit| hit.score > 0.0).collect();
    hits.sort_by(|a, b| {
        let newer = b.lesson.id.cmp(&a.lesson.id);
        b.score.total_cmp(&a.score).then(newer)
    });
    hits.truncate(limits::CANDIDATES);
    SearchResults { stats, df, hits }
}

fn recall(bank: &[Lesson], prompt: &str, asker: &Requester, policy: RankPolicy) -> Ranking {
    let query = read_prompt(prompt);
    rank_candidates(&query, found(bank, &query), asker, policy, now())
}

/// Returns every candidate's explanation, best first, whether it is shown or not.
fn explanations_in_order(ranking: &Ranking) -> Vec<(LessonId, &Explanation)> {
    let shown = ranking.shown.iter();
    let shown = shown.map(|ranked| (ranked.lesson.id, &ranked.explanation));
    let excluded = ranking.excluded.iter();
    let excluded = excluded.map(|ranked| (ranked.lesson.id, &ranked.explanation));
    let mut all: Vec<_> = shown.chain(excluded).collect();
    all.sort_by_key(|(_, explanation)| explanation.position);
    all
}

fn ids(ranking: &Ranking) -> Vec<i64> {
    ranking.shown.iter().map(|it| it.lesson.id.0).collect()
}

/// Returns all candidates, best first, with nothing known about the requester.
fn order(bank: &[Lesson], prompt: &str) -> Vec<i64> {
    let ranking = recall(bank, prompt, &Requester::default(), RankPolicy::default());
    explanations_in_order(&ranking)
        .iter()
        .map(|(id, _)| id.0)
        .collect()
}

fn three() -> Vec<Lesson> {
    vec![
        lesson(
            1,
            "/fetch behind cloudflare",
            "Use a fetch with an Authorization header; a plain GET gets a 403 page.",
        ),
        lesson(
            2,
            "npm test missing script",
            "This repository has no `test` script: run `npm run test:unit`.",
        ),
        lesson(
            3,
            "alembic migration order",
            "Stop the worker before `alembic upgrade head`, or the migration waits for a lock.",
        ),
    ]
}

#[test]
fn a_person_with_three_lessons_gets_the_right_one_or_none() {
    let check = |prompt: &str, expected: &[i64]| {
        let ranking = recall(
            &three(),
            prompt,
            &Requester::default(),
            RankPolicy::default(),
        );
        assert_eq!(ids(&ranking), expected, "{prompt}");
        assert_eq!(ranking.silence.is_some(), expected.is_empty(), "{prompt}");
    };
    check(
        "download the release notes, the site is behind cloudflare",
        &[1],
    );
    check("npm test says: missing script \"test\"", &[2]);
    check("add a column with an alembic migration", &[3]);
    check("run the unit tests with npm before you commit", &[2]);
    check("the alembic upgrade hangs", &[3]);
    check("/fetch https://example.com/a gives 403", &[1]);

    check("hello", &[]);
    check("please run this and use the page", &[]);
    check("make the button in the header blue", &[]);
    check("write a poem about the sea", &[]);
    check("why does the parser panic on an empty line?", &[]);
    check("update the readme and push it to the repository", &[]);
}

/// Words that no lesson has are no evidence against one, and a word counts in whatever form it is written.
#[test]
fn two_or_three_everyday_words_find_a_lesson() {
    let bank = [
        lesson(1, "", "Staging: push a tag and the pipeline does the rest."),
        lesson(2, "", "Rechnungen werden nie geändert, nur storniert."),
        lesson(3, "", "Миграции базы данных создаём через make."),
        lesson(4, "", "上线生产环境前要先通知值班同事。"),
        lesson(5, "", "Never rename a column in one go."),
    ];
    let check = |prompt: &str, expected: &[i64]| {
        let policy = RankPolicy::default();
        let ranking = recall(&bank, prompt, &Requester::default(), policy);
        assert_eq!(ids(&ranking), expected, "{prompt}");
    };
    check("push the tag for staging please, thanks", &[1]);
    check("die Rechnung bitte ändern", &[2]);
    check("создай миграцию", &[3]);
    check("把新版本发布到生产环境", &[4]);
    check("rename the column notes to remarks", &[5]);
    check("rename utils to strings in the helpers file", &[]);
    check("benenne die Variable um", &[]);
    check("объясни этот код", &[]);
    check("解释一下这段代码", &[]);
}

/// A politeness, a file name and a ticket's number are no evidence against a lesson.
#[test]
fn what_stands_beside_the_topic_of_a_prompt_changes_nothing() {
    let bank = [
        lesson(1, "", "Run the unit tests with `npm run test:unit`."),
        lesson(2, "", "Staging: push a tag and the pipeline does the rest."),
    ];
    for prompt in [
        "run the tests",
        "please run the tests",
        "Hey, could you please run the tests? Thanks!",
        "Moin zusammen, could you run the tests, merci",
        "run the tests in src/cart/total.ts",
        "run the tests of total_price.py",
        "SHOP-1234: run the tests",
        "run the tests (#4711)",
        "run the tests, see https://tracker.example.com/browse/SHOP-1234",
        "run the tests of 3ea751c087f32b16",
    ] {
        let ranking = recall(&bank, prompt, &Requester::default(), RankPolicy::default());
        assert_eq!(ids(&ranking), [1], "{prompt}");
    }
    for prompt in [
        "make the header of the checkout page blue",
        "rename total to sum in src/cart/total.ts",
        "Hey, could you please translate the labels of the checkout? Thanks!",
    ] {
        let ranking = recall(&bank, prompt, &Requester::default(), RankPolicy::default());
        assert_eq!(ids(&ranking), [0; 0], "{prompt}");
    }
}

/// A compound is found by its parts, and they by it.
#[test]
fn compounds_and_their_parts_find_each_other() {
    let check = |text: &str, prompts: &[&str]| {
        let bank = [
            lesson(1, "", text),
            lesson(2, "", "Staging: push a tag and the pipeline does the rest."),
        ];
        for prompt in prompts {
            let query = read_prompt(prompt);
            let (asker, policy) = (Requester::default(), RankPolicy::default());
            let ranking = rank_candidates(&query, found(&bank, &query), &asker, policy, now());
            assert_eq!(ids(&ranking), [1], "{text} {prompt}");
        }
    };
    check(
        "Die Datenbankmigration läuft nur nachts.",
        &[
            "die Migration der Datenbank",
            "Datenbank-Migration",
            "Datenbankmigrationen starten",
        ],
    );
    check(
        "Die Migration der Datenbank läuft nur nachts.",
        &["Datenbankmigration", "Datenbankmigrationen starten"],
    );
}

/// A prompt that is one common word is about nothing, however much of it a lesson has.
#[test]
fn a_common_word_alone_finds_nothing() {
    let bank = [
        lesson(1, "", "Before a release run the checks."),
        lesson(2, "", "Never format the whole repo, only what you touched."),
        lesson(3, "make", "Pass `-j4`."),
    ];
    for (prompt, expected) in [
        ("run it", &[][..]),
        ("check", &[]),
        ("explain this repo to me", &[]),
        (
            "this is how we do it: one class a file in this repo, only small ones",
            &[],
        ),
        ("run the checks", &[1]),
        ("release it", &[1]),
        ("format the repo", &[2]),
        ("make it", &[3]),
    ] {
        let ranking = recall(&bank, prompt, &Requester::default(), RankPolicy::default());
        assert_eq!(ids(&ranking), expected, "{prompt}");
    }
}

#[test]
fn a_task_of_the_same_kind_finds_what_the_last_one_taught() {
    let mut bank = three();
    bank[1].admitted.task = Some(clean("Hand build-41 to the yard and tell the foreman."));
    bank[2].admitted.task = Some(clean("Implement the following plan: add a migration"));
    let check = |prompt: &str, expected: &[i64]| {
        let ranking = recall(&bank, prompt, &Requester::default(), RankPolicy::default());
        assert_eq!(ids(&ranking), expected, "{prompt}");
    };
    check("hand build-42 to the yard", &[2]);
    check("hand the build 50 over to the yard", &[2]);
    // A few of its words, or words that any task has, do not make a similar task.
    check(
        "hand me the list of open tickets in the yard for next week",
        &[],
    );
    check("the foreman", &[]);
    check("build the documentation and publish it to the site", &[]);
    check(
        "Implement the following plan: cache the thumbnails of the gallery",
        &[],
    );
    check("fix the failing test", &[]);
    let ranking = recall(
        &bank,
        "hand build-42 to the yard",
        &Requester::default(),
        RankPolicy::default(),
    );
    let told = ranking.shown[0].explanation.to_string();
    assert!(
        told.contains("a task like its own") && !told.contains("yard"),
        "{told}"
    );
}

#[test]
fn a_person_with_one_lesson_gets_it_when_it_fits() {
    let bank = &three()[..1];
    let shown = |prompt| {
        ids(&recall(
            bank,
            prompt,
            &Requester::default(),
            RankPolicy::default(),
        ))
    };
    assert_eq!(shown("fetch the page behind cloudflare"), [1]);
    assert_eq!(shown("use a table of numbers"), [0; 0]);
}

#[test]
fn silence_has_a_reason() {
    let check = |bank: &[Lesson], prompt: &str, expected| {
        let ranking = recall(bank, prompt, &Requester::default(), RankPolicy::default());
        assert_eq!(ranking.silence, expected, "{prompt}");
    };
    check(&three(), "the 12", Some(SilenceReason::NoSearchTerms));
    check(&[], "anything", Some(SilenceReason::NoLessons));
    check(&three(), "quaternion", Some(SilenceReason::NoMatch));
    check(
        &three(),
        "use the page to list what can be done today",
        Some(SilenceReason::AllExcluded),
    );
    check(&three(), "cloudflare", None);
    let check = |why: ExclusionReason, expected: SilenceReason| {
        let asker = Requester::default();
        let ranking = recall(&three(), "cloudflare", &asker, RankPolicy::default());
        let id = ranking.shown[0].lesson.id;
        assert_eq!(ranking.exclude(id, why).silence, Some(expected));
    };
    check(ExclusionReason::HeldOut, SilenceReason::LeftOut);
    check(ExclusionReason::AlreadyShown, SilenceReason::NothingNew);
}

#[test]
fn what_stands_side_by_side_beats_what_is_scattered() {
    let bank = [
        lesson(
            1,
            "",
            "Set the cache size before the layer, not after the build of the key.",
        ),
        lesson(
            2,
            "",
            "Set the build cache key before the layer, not the size after.",
        ),
    ];
    assert_eq!(order(&bank, "build cache key"), [2, 1]);
}

#[test]
fn a_signature_that_the_prompt_holds_beats_the_same_words_in_a_text() {
    let bank = [
        lesson(
            1,
            "alpine image",
            "Pin the version; musl locale differs here.",
        ),
        lesson(
            2,
            "musl locale",
            "Pin the version; alpine image differs here.",
        ),
    ];
    assert_eq!(order(&bank, "musl locale"), [2, 1]);
    assert_eq!(order(&bank, "alpine image"), [1, 2]);
}

#[test]
fn a_misspelt_word_still_counts() {
    let bank = [
        lesson(
            1,
            "",
            "The proxy needs a restart after certificate rotation.",
        ),
        lesson(
            2,
            "",
            "The proxy needs a restart after a kernel update today.",
        ),
    ];
    assert_eq!(order(&bank, "proxy fails after certifcate rotaton"), [1, 2]);
}

/// Adds feedback on whether a lesson helped.
fn say(lesson: &mut Lesson, is_good: bool) {
    let agent = Trust::untainted(TrustClass::Agent);
    let tally = credit::delta_from_feedback(is_good, agent, agent);
    lesson.counts = lesson.counts.with_delta(tally);
}

/// A new lesson gets its chance before one with the same estimate of which more is known.
#[test]
fn a_lesson_never_shown_is_not_hidden_by_one_that_did_neither_good_nor_harm() {
    let text = "Pass --locked to cargo install so that the lock file is used.";
    let other = "Give --locked to cargo install so that the lock file counts.";
    let factor = |says: &[bool]| {
        let mut bank = [lesson(1, "", text), lesson(2, "", other)];
        says.iter().for_each(|is_good| say(&mut bank[1], *is_good));
        let ranking = recall(
            &bank,
            "cargo install --locked",
            &Requester::default(),
            RankPolicy::default(),
        );
        let found = explanations_in_order(&ranking);
        let of = |id| {
            found
                .iter()
                .find(|it| it.0 == LessonId(id))
                .map(|it| it.1.utility)
        };
        assert_eq!(of(1), Some(1.0));
        of(2).unwrap()
    };
    assert!(factor(&[true, false, true, false]) < 1.0);
    assert!(factor(&[true; 4]) > 1.02);
    assert!((0.75..0.85).contains(&factor(&[false; 20])));
}

#[test]
fn outcomes_age_and_tools_decide_between_equals() {
    let text = "Pass --locked to cargo install so that the lock file is used.";
    let other = "Give --locked to cargo install so that the lock file counts.";
    let check = |change: fn(&mut Lesson), expected: &[i64]| {
        let mut bank = [lesson(1, "", text), lesson(2, "", other)];
        change(&mut bank[0]);
        let asker = Requester {
            tools: vec!["Bash".to_owned()],
            ..Requester::default()
        };
        let policy = RankPolicy::default();
        let ranking = recall(
            &bank,
            "cargo install --locked and the lock file",
            &asker,
            policy,
        );
        assert_eq!(ids(&ranking), expected);
    };
    check(|_| (), &[2, 1]);
    check(|it| say(it, true), &[1, 2]);
    check(|it| say(it, false), &[2, 1]);
    check(|it| it.counts.shown = 1_000, &[2, 1]);
    check(|it| it.counts.not_followed = -10, &[2, 1]);
    check(
        |it| it.admitted.content.tools = vec![clean("bash")],
        &[1, 2],
    );
    check(|it| it.updated = Timestamp::UNIX_EPOCH, &[2, 1]);
}

/// A lesson that runs do not follow ranks behind others that match as well, and is still shown.
#[test]
fn a_lesson_that_is_not_followed_steps_back() {
    let text = "Give --locked to cargo install so that the lock file counts.";
    let check = |not_followed: i64, expected: &[i64]| {
        let other = "Pass --locked to cargo install so that the lock file is used.";
        let mut bank = [lesson(1, "", other), lesson(2, "", text)];
        bank[1].counts.not_followed = not_followed;
        let prompt = "cargo install --locked and the lock file";
        let ranking = recall(&bank, prompt, &Requester::default(), RankPolicy::default());
        assert_eq!(ids(&ranking), expected, "{not_followed}");
        let explanation = &ranking.shown.iter().find(|it| it.lesson.id == LessonId(2));
        let explanation = explanation.unwrap().explanation.to_string();
        let is_back = expected == [1, 2];
        assert_eq!(
            explanation.contains("heed × 0.80"),
            is_back,
            "{explanation}"
        );
    };
    check(9, &[2, 1]);
    check(10, &[1, 2]);
}

#[test]
fn nothing_known_leaves_the_score_alone() {
    let ranking = recall(
        &three(),
        "cloudflare",
        &Requester::default(),
        RankPolicy::default(),
    );
    let explanation = &ranking.shown[0].explanation;
    let factors = (
        explanation.utility,
        explanation.heed,
        explanation.freshness,
        explanation.tool,
    );
    assert_eq!(factors, (1.0, 1.0, 1.0, 1.0));
}

#[test]
fn states_are_absent_by_default() {
    let check = |change: fn(&mut Lesson), expected: &str| {
        let mut bank = three();
        change(&mut bank[0]);
        let ranking = recall(
            &bank,
            "fetch behind cloudflare",
            &Requester::default(),
            RankPolicy::default(),
        );
        assert_eq!(ranking.excluded[0].why.to_string(), expected);
        assert_eq!(ranking.excluded[0].lesson.id, LessonId(1));
        assert_eq!(ids(&ranking), [0; 0]);
    };
    check(
        |it| it.admitted.status = Status::Pending { why: clean("") },
        "it is pending",
    );
    check(
        |it| it.admitted.status = Status::Quarantined { why: clean("") },
        "it is quarantined",
    );
    check(
        |it| it.admitted.status = Status::Superseded { by: LessonId(9) },
        "it is superseded",
    );
    check(
        |it| {
            it.admitted.status = Status::Archived {
                by: Retirement::Dismissed,
                why: clean(""),
            }
        },
        "it is archived",
    );
    check(
        |it| it.admitted.expires_at = Some(now()),
        "it expired at 1972-09-27T00:00:00Z",
    );
}

#[test]
fn a_lesson_with_targets_asks_for_one_of_them_and_for_a_tag() {
    let prompt = "fetch behind cloudflare";
    let check = |tags: &[&str], asker: &Requester, expected: bool| {
        let mut bank = three();
        let content = &mut bank[0].admitted.content;
        content.targets = vec![LessonTarget {
            kind: TargetKind::Role,
            glob: clean("*-reviewer"),
        }];
        content.tags = tags.iter().map(|tag| clean(tag)).collect();
        let shown = ids(&recall(&bank, prompt, asker, RankPolicy::default()));
        assert_eq!(shown == [1], expected, "{tags:?} {asker:?}");
    };
    let asker = |kind, name: &str, tags: &[&str]| Requester {
        identities: vec![(kind, name.to_owned())],
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        ..Requester::default()
    };
    let reviewer = |tags: &[&str]| asker(TargetKind::Role, "code-reviewer", tags);
    check(&[], &Requester::default(), false);
    check(&[], &reviewer(&[]), true);
    check(&[], &asker(TargetKind::Skill, "code-reviewer", &[]), false);
    check(&["http"], &reviewer(&[]), false);
    check(&["http"], &reviewer(&["HTTP"]), true);
    check(&["http", "fetch"], &reviewer(&[]), true);
    check(
        &["http"],
        &asker(TargetKind::Role, "writer", &["http"]),
        false,
    );
}

#[test]
fn of_two_that_say_the_same_one_is_shown() {
    let text = "Run the database migration before the tests, then restart the queue worker.";
    let mut bank = [
        lesson(1, "", text),
        lesson(2, "migration", text),
        lesson(3, "", "A database migration waits."),
    ];
    let recall = |bank: &[Lesson]| {
        recall(
            bank,
            "database migration before tests",
            &Requester::default(),
            RankPolicy::default(),
        )
    };
    let ranking = recall(&bank);
    assert_eq!(ids(&ranking), [2, 3]);
    assert_eq!(
        ranking.excluded[0].why.to_string(),
        "it says nearly the same as #2"
    );
    // If they are known to contradict each other, both are shown.
    bank[0].contradicts.push(LessonId(2));
    assert_eq!(ids(&recall(&bank)), [2, 1, 3]);
}

/// Checks how many of two lessons are shown for one prompt.
fn check_pair(one: &str, other: &str, shown: usize) {
    let bank = [lesson(1, "", one), lesson(2, "", other)];
    let ranking = recall(
        &bank,
        &format!("{one} {other}"),
        &Requester::default(),
        RankPolicy::default(),
    );
    assert_eq!(ids(&ranking).len(), shown, "{one:?} {other:?}");
}

#[test]
fn lessons_of_one_signature_and_one_advice_are_shown_once() {
    let check = |texts: [&str; 2], expected: usize| {
        let bank = [
            lesson(1, "npm test", texts[0]),
            lesson(2, "npm test", texts[1]),
        ];
        let ranking = recall(
            &bank,
            "npm test fails",
            &Requester::default(),
            RankPolicy::default(),
        );
        assert_eq!(ranking.shown.len(), expected, "{texts:?}");
    };
    check(
        [
            "Run `pnpm test` instead.",
            "Use `pnpm test`; the lockfile is its.",
        ],
        1,
    );
    check(["Run `pnpm test` instead.", "Run `yarn test` instead."], 2);
}

#[test]
fn lessons_that_differ_in_what_matters_are_both_shown() {
    for (one, other) in [
        (
            "Build the docs site with node 18.",
            "Build the docs site with node 20.",
        ),
        (
            "Use rg over grep when you look through the vendored sources.",
            "Use grep over rg when you look through the vendored sources.",
        ),
        (
            "Deploy the worker to staging before production, then watch the queue.",
            "Deploy the worker to production before staging, then watch the queue.",
        ),
        (
            "Run the image build of the worker with `--cache` on the release branch.",
            "Run the image build of the worker with `--no-cache` on the release branch.",
        ),
        (
            "Give the integration suite of the gateway a timeout of 30 seconds.",
            "Give the integration suite of the gateway a timeout of 60 seconds.",
        ),
        (
            "Restart the queue worker after you change the schema of the orders table.",
            "Do not restart the queue worker after you change the schema of the orders table.",
        ),
        (
            "Take a dump of the postgres database before the nightly migration runs.",
            "Take a dump of the sqlite database before the nightly migration runs.",
        ),
        (
            "Copy the fixtures from shared to local before the parser tests start.",
            "Copy the fixtures from local to shared before the parser tests start.",
        ),
        (
            "The port of the mock server in the gateway tests is 8080 and not 8081.",
            "The port of the mock server in the gateway tests is 8081 and not 8080.",
        ),
        (
            "Always run the linter of the web client with the strict preset enabled.",
            "Never run the linter of the web client with the strict preset enabled.",
        ),
        (
            "Ask Ana before you rotate the signing keys of the mobile release.",
            "Ask Ben before you rotate the signing keys of the mobile release.",
        ),
        (
            "Run the migration of the billing service with the tests.",
            "Run the migration of the billing service without the tests.",
        ),
    ] {
        check_pair(one, other, 2);
        check_pair(other, one, 2);
    }
    for (one, other) in [
        (
            "Run the database migration before the tests.",
            "Always run the database migrations before the tests!",
        ),
        (
            "Restart the queue worker when the schema changes.",
            "When the schema changes, restart the queue worker.",
        ),
    ] {
        check_pair(one, other, 1);
    }
}

#[test]
fn a_ranking_explains_itself() {
    let ranking = recall(
        &three(),
        "npm test fails since the nightly migration: missing script test",
        &Requester::default(),
        RankPolicy::default(),
    );
    let mut lines = Vec::new();
    for it in &ranking.shown {
        lines.push(format!("{} {}", it.lesson.id, it.explanation));
    }
    for it in &ranking.excluded {
        lines.push(format!(
            "{} not shown: {}; {}",
            it.lesson.id, it.why, it.explanation
        ));
    }
    insta::assert_snapshot!(lines.join("\n"), @"
    #2 score 62.60, relevance 9.01: words 31.79, pairs 10.29, likeness 22.03, signature 100 %, utility × 1.00, freshness × 1.00, tool × 1.00; script 11.11, miss 9.08, test 7.24, npm 4.36
    #3 not shown: it has too little in common with the prompt: relevance 0.79 of at least 1.00; score 16.42, relevance 0.79: words 11.40, pairs 0.00, likeness 7.71, signature 33 %, utility × 1.00, freshness × 1.00, tool × 1.00; migrat 11.40
    ");
}

fn any_bank() -> impl Strategy<Value = Vec<Lesson>> {
    let words = "(alpha|beta|gamma|delta|retry|cache|the|use|fileName|配置){0,12}";
    let text = proptest::collection::vec(words, 0..4).prop_map(|it| it.join(" "));
    let text = prop_oneof![4 => text, 1 => any::<String>()];
    let row = (
        text.clone(),
        text,
        0_u64..20,
        0_u64..20,
        any::<i32>(),
        0_u8..6,
    );
    proptest::collection::vec(row, 0..30).prop_map(|rows| {
        let lesson = |(id, row): (i64, (String, String, u64, u64, i32, u8))| {
            let (signature, text, helped, harmed, second, state) = row;
            let mut lesson = lesson(id, &signature, &text);
            (0..helped).for_each(|_| say(&mut lesson, true));
            (0..harmed).for_each(|_| say(&mut lesson, false));
            lesson.updated = Timestamp::from_second(i64::from(second)).unwrap();
            match state {
                0 => {
                    lesson.admitted.status = Status::Archived {
                        by: Retirement::Dismissed,
                        why: clean(""),
                    }
                }
                1 => lesson.admitted.expires_at = Some(Timestamp::UNIX_EPOCH),
                _ => {}
            }
            lesson
        };
        (1..).zip(rows).map(lesson).collect()
    })
}

fn any_prompt() -> impl Strategy<Value = String> {
    prop_oneof![
        "((alpha|beta|gamma|delta|retry|cache|the|use|fileName|配置)[ \n]){0,20}",
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn every_candidate_is_shown_once_or_passed_over_with_a_reason(
        bank in any_bank(), prompt in any_prompt(), limit in 0_usize..30, floor in 0.0_f32..2.0,
    ) {
        let query = QueryTerms::from_prompt(&prompt);
        let found = found(&bank, &query);
        let mut candidates: Vec<_> = found.hits.iter().map(|it| it.lesson.id).collect();
        let ranking = rank_candidates(&query, found, &Requester::default(), RankPolicy { limit, floor }, now());

        prop_assert!(ranking.shown.len() <= limit.min(limits::CANDIDATES));
        prop_assert_eq!(ranking.silence.is_some(), ranking.shown.is_empty());
        prop_assert!(ranking.shown.iter().all(|it| it.lesson.is_recallable(now())));
        prop_assert!(ranking.shown.iter().all(|it| it.explanation.relevance >= floor));
        let all = explanations_in_order(&ranking);
        prop_assert!(all.iter().all(|(_, it)| it.score.is_finite() && it.relevance.is_finite()));
        prop_assert!(all.is_sorted_by(|a, b| a.1.score >= b.1.score && a.1.position < b.1.position));
        let mut seen: Vec<_> = all.iter().map(|(id, _)| *id).collect();
        seen.sort();
        candidates.sort();
        prop_assert_eq!(seen, candidates);
    }

    #[test]
    fn the_order_of_arrival_does_not_matter(bank in any_bank(), prompt in any_prompt()) {
        let query = QueryTerms::from_prompt(&prompt);
        let found = found(&bank, &query);
        let mut backwards = found.clone();
        backwards.hits.reverse();
        let policy = RankPolicy::default();
        prop_assert_eq!(
            rank_candidates(&query, found, &Requester::default(), policy, now()),
            rank_candidates(&query, backwards, &Requester::default(), policy, now())
        );
    }
}

#[test]
fn there_is_nothing_to_clean_in_our_own_words() {
    let at = now();
    let of = LessonId(4_111_111_111);
    let reasons = [
        ExclusionReason::Inactive {
            state: "quarantined",
        },
        ExclusionReason::Expired { at },
        ExclusionReason::NotTargeted,
        ExclusionReason::BelowFloor {
            relevance: 1.0e-30,
            floor: f32::MAX,
        },
        ExclusionReason::NearDuplicate { of },
        ExclusionReason::AlreadyShown,
        ExclusionReason::HeldOut,
        ExclusionReason::OverLimit { limit: usize::MAX },
    ];
    let silences = [
        SilenceReason::NoSearchTerms,
        SilenceReason::NoLessons,
        SilenceReason::NoMatch,
        SilenceReason::AllExcluded,
        SilenceReason::NothingNew,
        SilenceReason::LeftOut,
    ];
    let reasons = reasons.iter().map(ExclusionReason::to_clean_text);
    for words in reasons.chain(silences.map(SilenceReason::to_clean_text)) {
        let raw = crate::text::RawText::from(words.as_str());
        assert_eq!(
            hardwon_redact::clean_to_bytes(&raw, crate::limits::REASON_CHARS),
            words
        );
    }
}

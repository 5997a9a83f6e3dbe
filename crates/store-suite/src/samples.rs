//! Small values for tests.

use hardwon_core::{
    Actor, AdmittedLesson, AgentId, BaselineKey, Cause, Change, ChangeBatch, CleanText, ClientName,
    DecisionOutcome, Evidence, EvidenceKind, Excerpt, FailureKey, GaussianMessage, Inquiry,
    InquiryFailure, InquiryOrigin, JobMethod, JobTask, Judgement, Lesson, LessonContent, LessonId,
    LessonJudgement, LessonOutcome, LessonTarget, OccasionRecord, ProjectId, QueryTerms, RecallId,
    RecordDelta, RunId, RunOutcome, Scope, SearchResults, Slug, Status, TargetKind, TenantId,
    Trial, Trust, TrustClass, change::decide_admission,
};
use hardwon_store::{
    Commit as _, ConsideredLesson, IdempotencyKey, JudgementRecord, LessonListing, LessonQuery,
    Moment, PromptDigest, Recall, RequestMark, Result, Store, Treatment, Write,
};
use jiff::Timestamp;

/// Returns a text as already cleaned.
#[must_use]
pub fn clean_text(text: &str) -> CleanText {
    CleanText::from_stored(text.to_owned())
}

/// Returns a time, in seconds from a fixed start.
#[must_use]
pub fn time_at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).expect("a second of this century")
}

/// Returns the tenant of this name.
#[must_use]
pub fn tenant_id(name: &str) -> TenantId {
    TenantId::parse(name).expect("a short name")
}

/// Returns the run of this name.
#[must_use]
pub fn run_id(name: &str) -> RunId {
    RunId::parse(name).expect("a short name")
}

/// Returns a scope by names; an empty project is `None`.
#[must_use]
pub fn make_scope(tenant_name: &str, agent: &str, project: &str) -> Scope {
    Scope {
        tenant: tenant_id(tenant_name),
        agent: AgentId::parse(agent).expect("a short name"),
        project: ProjectId::parse(project).ok(),
    }
}

/// Returns a failure key by a word that stands for its hash.
#[must_use]
pub fn failure_key(word: &str) -> FailureKey {
    FailureKey::new(word.to_owned())
}

/// Returns a run as evidence.
#[must_use]
pub fn run_evidence(name: &str) -> Evidence {
    Evidence {
        kind: EvidenceKind::Run,
        reference: clean_text(name),
        note: None,
    }
}

/// Returns a lesson that rules drafted from run `r1`, ready to be stored.
#[must_use]
pub fn admitted_lesson(place: &Scope, text: &str) -> AdmittedLesson {
    let mut content = LessonContent::new(clean_text(""), clean_text(text));
    content.title = clean_text(text);
    AdmittedLesson {
        scope: place.clone(),
        slug: Slug::from_text(text),
        content,
        cause: Cause::Error,
        outcome: RunOutcome::Failure,
        evidence: vec![run_evidence("r1")],
        trust: Trust::untainted(TrustClass::Derived),
        confidence: 0.5,
        failure: None,
        status: Status::Active,
        expires_at: None,
        supersedes: Vec::new(),
        task: None,
    }
}

/// Returns a lesson with a value in every field.
#[must_use]
pub fn full_lesson(place: &Scope) -> AdmittedLesson {
    AdmittedLesson {
        content: LessonContent {
            title: clean_text("Use a bearer fetch"),
            signature: clean_text("/fetch behind cloudflare"),
            text: clean_text("Use an Authorization-bearing fetch,\nnot plain GET. Größe: 日本 🦀"),
            situation: Some(clean_text("fetching a guarded page")),
            mistake: Some(clean_text("used a plain GET")),
            tags: vec![clean_text("http"), clean_text("auth")],
            targets: vec![LessonTarget {
                kind: TargetKind::Role,
                glob: clean_text("crawler*"),
            }],
            tools: vec![clean_text("fetch")],
            reference: Some(clean_text("d7")),
            metadata: [("vendor".to_owned(), clean_text("{\"a\":[1]}"))].into(),
        },
        evidence: vec![
            Evidence {
                note: Some(clean_text("403 three times")),
                ..run_evidence("r1")
            },
            Evidence {
                kind: EvidenceKind::WorkItem,
                ..run_evidence("issue 7")
            },
        ],
        trust: Trust::new(TrustClass::Distilled, true),
        confidence: 0.7,
        failure: Some(failure_key("f1")),
        status: Status::Pending {
            why: clean_text("mentions a token"),
        },
        expires_at: Some(time_at(86_400)),
        supersedes: vec![LessonId(3)],
        ..admitted_lesson(place, "use a bearer fetch")
    }
}

/// Returns a batch by the actor `agent a`.
#[must_use]
pub fn make_batch(tenant: &TenantId, changes: Vec<Change>, now: Timestamp) -> ChangeBatch {
    ChangeBatch {
        tenant: tenant.clone(),
        actor: Actor(clean_text("agent a")),
        at: now,
        changes,
    }
}

/// Decides on a lesson inside a transaction and applies the decision.
pub fn learn_in_transaction(
    transaction: &mut dyn Write,
    lesson: AdmittedLesson,
    capacity: usize,
    now: Timestamp,
) -> Result<(LessonId, DecisionOutcome)> {
    let tenant = lesson.scope.tenant.clone();
    let known = transaction.reader().decision_context(&lesson, capacity)?;
    let decision = decide_admission(lesson, &known, capacity, now);
    transaction.apply(&make_batch(&tenant, decision.changes, now))?;
    Ok((decision.lesson, decision.outcome))
}

/// Learns one lesson in a transaction of its own.
pub fn learn_lesson(
    store: &dyn Store,
    lesson: AdmittedLesson,
) -> Result<(LessonId, DecisionOutcome)> {
    commit_work(store, &lesson.scope.tenant, |transaction| {
        learn_in_transaction(transaction, lesson.clone(), 1000, time_at(0))
    })
}

/// Commits work whose error is a [`StoreError`](hardwon_store::StoreError).
pub fn commit_work<T>(
    store: &dyn Store,
    tenant: &TenantId,
    work: impl Fn(&mut dyn Write) -> Result<T>,
) -> Result<T> {
    store.commit(tenant, work)
}

/// Commits changes as they are.
pub fn apply_changes(
    store: &dyn Store,
    tenant: &TenantId,
    changes: Vec<Change>,
) -> Result<Vec<Option<Lesson>>> {
    commit_work(store, tenant, |transaction| {
        transaction.apply(&make_batch(tenant, changes.clone(), time_at(1)))
    })
}

/// Returns a query for a prompt.
#[must_use]
pub fn make_query(place: &Scope, prompt: &str) -> LessonQuery {
    LessonQuery {
        scope: place.clone(),
        terms: QueryTerms::from_prompt(prompt),
        limit: 20,
        now: time_at(0),
        vector: None,
    }
}

/// Returns the record delta of so many outcomes for and against a lesson.
#[must_use]
pub fn make_delta(helped: i64, harmed: i64) -> RecordDelta {
    RecordDelta {
        helped,
        harmed,
        went_well: 2 * helped,
        went_badly: helped + harmed,
        contradicted: harmed,
        not_followed: harmed - helped,
        gaussian_message: GaussianMessage {
            precision: 250_000 * (helped + harmed),
            shift: 333_333 * (helped - harmed),
        },
        trial: Trial::from_outcome(0.2, harmed > 0, helped > 0),
    }
}

/// Returns a judgement of a run, or of none, that shifts the baselines by so much.
#[must_use]
pub fn sample_judgement(name: Option<&str>, shift: i64) -> JudgementRecord {
    let leaning = GaussianMessage {
        precision: shift.abs(),
        shift,
    };
    let part = |lesson: i64, was_held: bool, good: Option<bool>| LessonJudgement {
        recall: (lesson == 1).then_some(RecallId(3)),
        lesson: LessonId(lesson),
        is_control: was_held,
        moment: (lesson == 1).then_some(Moment::SessionStart),
        outcome: LessonOutcome::ALL[usize::from(was_held)],
        went_well: good,
        observed: (lesson == 1).then_some(OccasionRecord {
            holdout_chance: 0.25,
            met_again: Some(was_held),
            calls_until_past: Some(3),
        }),
        delta: make_delta(i64::from(was_held), 1),
    };
    let about = |about: BaselineKey| (about, leaning);
    JudgementRecord {
        run: name.map(run_id),
        at: time_at(shift),
        judgement: Judgement {
            went_well: (shift > 0).then_some(shift > 3),
            lessons: vec![part(1, false, Some(true)), part(2, true, None)],
            baselines: [
                BaselineKey::AllRuns,
                BaselineKey::CallsForFailure(failure_key("f1")),
            ]
            .map(about)
            .into(),
        },
    }
}

/// Returns a recall that showed these lessons, left out lesson 98 at random and excluded
/// lesson 99.
#[must_use]
pub fn sample_recall(place: &Scope, shown: &[LessonId]) -> Recall {
    let treated = |lesson: LessonId, treatment: Treatment| ConsideredLesson {
        lesson,
        score: 1.25,
        holdout_chance: match &treatment {
            Treatment::Shown if lesson == LessonId(1) => 0.0,
            Treatment::Shown | Treatment::HeldOut => 0.25,
            Treatment::Excluded { .. } => 0.0,
        },
        treatment,
    };
    let mut considered: Vec<ConsideredLesson> = shown
        .iter()
        .map(|id| treated(*id, Treatment::Shown))
        .collect();
    let why = clean_text("below the floor");
    considered.push(treated(LessonId(98), Treatment::HeldOut));
    considered.push(treated(LessonId(99), Treatment::Excluded { why }));
    Recall {
        scope: place.clone(),
        run: Some(run_id("r1")),
        client: Some(ClientName::parse("codex").expect("a word is a name")),
        at: time_at(5),
        moment: Moment::Prompt,
        prompt: PromptDigest {
            hash: [1, 2, 3, 4, 5, 6, 7, 255],
            chars: 42,
        },
        query_text: None,
        considered,
        silence: shown.is_empty().then(|| clean_text("nothing matched")),
    }
}

/// Returns a question about a run with this excerpt, or about a failure that it hit.
#[must_use]
pub fn sample_inquiry(place: &Scope, name: &str, shown: &str, trouble: Option<&str>) -> Inquiry {
    let mut task = sample_task(place, name, shown);
    task.origin.failure = trouble.map(|name| InquiryFailure {
        key: failure_key(name),
        signature: clean_text(name),
    });
    Inquiry {
        task,
        unless_known: Vec::new(),
        is_sufficient_alone: trouble.is_none(),
    }
}

/// Returns a job that asks about a run with this excerpt.
#[must_use]
pub fn sample_task(place: &Scope, name: &str, shown: &str) -> JobTask {
    JobTask {
        method: JobMethod::Judge,
        origin: InquiryOrigin {
            scope: place.clone(),
            run: run_id(name),
            other_runs: Vec::new(),
            failure: None,
            cause: Cause::Correction,
            outcome: RunOutcome::Mixed,
            tainted: true,
            task: Some(clean_text("tidy the yard")),
        },
        excerpt: Excerpt::from_stored(clean_text(shown)),
    }
}

pub(super) fn default_scope() -> Scope {
    make_scope("t", "a", "p")
}

pub(super) fn get_lesson(store: &dyn Store, id: LessonId) -> Lesson {
    store
        .snapshot()
        .unwrap()
        .lesson(&tenant_id("t"), id)
        .unwrap()
        .expect("it is there")
}

pub(super) fn found_ids(found: &SearchResults) -> Vec<i64> {
    found.hits.iter().map(|hit| hit.lesson.id.0).collect()
}

pub(super) fn listed_ids(store: &dyn Store, listing: &LessonListing) -> Vec<i64> {
    let lessons = store
        .snapshot()
        .unwrap()
        .lessons(&tenant_id("t"), listing)
        .unwrap();
    lessons.iter().map(|lesson| lesson.id.0).collect()
}

pub(super) fn add_lesson(store: &dyn Store, place: &Scope, text: &str) -> LessonId {
    let (id, verdict) = learn_lesson(store, admitted_lesson(place, text)).unwrap();
    assert_eq!(verdict, DecisionOutcome::Added, "{text}");
    id
}

pub(super) fn set_status(store: &dyn Store, id: LessonId, status: Status) {
    let changes = vec![Change::SetStatus { id, status }];
    apply_changes(store, &tenant_id("t"), changes).unwrap();
}

/// Makes the mark of a request, by its name and by what it asks.
pub fn request_mark(name: &str, asked: &str) -> RequestMark {
    let key = IdempotencyKey::parse(name).unwrap();
    RequestMark::new("caller", &key, [asked.as_bytes()])
}

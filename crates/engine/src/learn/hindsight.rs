//! Finds what a run shows of lessons without having followed them: a statement about the world that was not so in it, a
//! single session's remedy that was tried in vain, and that a lesson which a sweep deleted was needed after all.
//!
//! Each run of the first two is stored once, as a sighting. One speaks against a statement, and after two it waits for
//! review; a remedy that failed once is shown no more. What such a run is, the core decides.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{
    Actor, CallActs, CallFailure, Change, ChangeBatch, FailureKey, Lesson, LessonId, RawText,
    RunId, Scope, Status, StatusName, Trace, Triggers, Trust, TrustClass,
    capture::seen_once,
    credit, digest, limits,
    trace::call::{ParsedCall, parse_call},
    trigger,
};
use hardwon_store::{LessonListing, Read, ScopeFilter, Sighting, Write, paging::read_lessons};
use jiff::Timestamp;

use super::record_witness;
use crate::{Principal, credit::load_recalled, voices::is_beyond};

/// How many runs in which a statement was not so make it wait for review.
const OTHERWISE_RUNS: usize = 2;

/// What a run shows of lessons that it need not have followed.
#[derive(Debug)]
pub(super) struct Hindsight {
    scope: Scope,
    run: RunId,
    /// The lessons that state what was not so, each with the program that worked.
    otherwise: BTreeMap<LessonId, String>,
    /// The failures whose remedy of a single earlier session was followed in vain.
    vain: Vec<FailureKey>,
    /// The lessons that a sweep deleted because nobody had needed them, and whose moment came.
    needed: Vec<LessonId>,
}

impl Hindsight {
    /// Looks for both in a run, as far as whoever reports it may speak of the lessons.
    pub(super) fn from_run(
        reader: &dyn Read,
        trace: &Trace,
        failures: &BTreeSet<FailureKey>,
        reporter: &Principal,
        now: Timestamp,
    ) -> hardwon_store::Result<Self> {
        Ok(Self {
            scope: trace.scope().clone(),
            run: trace.run().clone(),
            otherwise: find_otherwise(reader, trace, reporter)?,
            vain: find_vain(reader, trace, failures)?,
            needed: find_needed(reader, trace, failures, now)?,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.otherwise.is_empty() && self.vain.is_empty() && self.needed.is_empty()
    }

    /// Stores what the run shows, inside a transaction.
    pub(super) fn store(
        &self,
        tx: &mut dyn Write,
        history: Option<&RunId>,
        at: Timestamp,
    ) -> hardwon_store::Result<()> {
        for failure in &self.vain {
            record_witness(tx, self.sighting(seen_once::vain_key(failure), at), history)?;
        }
        let mut changes = Vec::new();
        for (id, program) in &self.otherwise {
            let lesson = tx.reader().lesson(&self.scope.tenant, *id)?;
            if let Some(lesson) = lesson.filter(|lesson| lesson.status == Status::Active) {
                changes.extend(self.count_otherwise(tx, &lesson, program, history, at)?);
            }
        }
        for id in &self.needed {
            let lesson = tx.reader().lesson(&self.scope.tenant, *id)?;
            changes.extend(
                lesson
                    .filter(|lesson| lesson.waits_for_moment(at))
                    .map(|lesson| Change::SetStatus {
                        id: lesson.id,
                        status: Status::Active,
                    }),
            );
        }
        if !changes.is_empty() {
            tx.apply(&ChangeBatch {
                tenant: self.scope.tenant.clone(),
                actor: Actor::rules(),
                at,
                changes,
            })?;
        }
        Ok(())
    }

    /// Counts the run against a statement; returns nothing if it was counted before.
    fn count_otherwise(
        &self,
        tx: &mut dyn Write,
        lesson: &Lesson,
        program: &str,
        history: Option<&RunId>,
        at: Timestamp,
    ) -> hardwon_store::Result<Vec<Change>> {
        let key = otherwise_key(lesson.id);
        let before = tx.reader().candidate_lesson(&self.scope, &key)?;
        let runs = record_witness(tx, self.sighting(key.clone(), at), history)?
            .runs
            .len();
        if runs == before.map_or(0, |before| before.runs.len()) {
            return Ok(Vec::new());
        }
        let trust = Trust::untainted(TrustClass::Derived);
        let delta = credit::delta_from_feedback(false, trust, lesson.trust);
        let finding = format!("`{program}` worked in run {}", self.run);
        let mut changes = credit::changes_from_delta(lesson, delta, &finding);
        if runs >= OTHERWISE_RUNS {
            tx.delete_candidate_lesson(&self.scope, &key)?;
            let reason = RawText::new(format!("it was otherwise in {runs} runs: {finding}"));
            let status = Status::Pending {
                why: hardwon_redact::clean_to_chars(&reason, limits::REASON_CHARS),
            };
            changes.retain(|change| !matches!(change, Change::SetStatus { .. }));
            changes.push(Change::SetStatus {
                id: lesson.id,
                status,
            });
        }
        Ok(changes)
    }

    fn sighting(&self, failure: FailureKey, at: Timestamp) -> Sighting {
        Sighting::new(&self.scope, failure, &self.run, at)
    }
}

/// Returns the key under which the runs are stored in which a lesson's statement was not so.
fn otherwise_key(lesson: LessonId) -> FailureKey {
    let id = lesson.0.to_le_bytes();
    let hash = digest::hash_parts([b"otherwise".as_slice(), &id]);
    FailureKey::new(digest::to_hex(&hash[..8]))
}

/// Finds the lessons whose statement a run shows to be otherwise: of those that it was shown, and of those about a program
/// that is missing.
fn find_otherwise(
    reader: &dyn Read,
    trace: &Trace,
    reporter: &Principal,
) -> hardwon_store::Result<BTreeMap<LessonId, String>> {
    let programs = credit::worked_programs(trace);
    if programs.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut lessons = load_recalled(reader, trace, reporter)?;
    for program in &programs {
        let error = format!("{program}: command not found");
        let key = CallFailure::key_at_label(program, &error);
        lessons.extend(reader.lessons_for_failure(trace.scope(), &key)?);
    }
    let is_heard =
        |lesson: &&Lesson| lesson.status == Status::Active && !is_beyond(reporter, lesson);
    let own_lessons = lessons.iter().filter(is_heard);
    let otherwise = own_lessons.filter_map(|lesson| {
        let absent = trigger::absent_programs(&lesson.content);
        Some((lesson.id, absent.intersection(&programs).next()?.clone()))
    });
    Ok(otherwise.collect())
}

/// Finds the failures for which a run followed the remedy of a single earlier session, and met them all the same.
fn find_vain(
    reader: &dyn Read,
    trace: &Trace,
    failures: &BTreeSet<FailureKey>,
) -> hardwon_store::Result<Vec<FailureKey>> {
    if !credit::may_show_vain(trace) {
        return Ok(Vec::new());
    }
    let (mut keys, mut remedies) = (Vec::new(), Vec::new());
    for key in failures {
        for name in seen_once::remedy_keys(key) {
            let Some(seen) = reader.candidate_lesson(trace.scope(), &name)? else {
                continue;
            };
            let is_other = seen.runs.as_slice() != [trace.run().clone()];
            if let Some(lesson) = seen.lesson.filter(|_| is_other) {
                keys.push(key);
                remedies.push(Lesson::from_unkept(lesson, seen.last_seen));
            }
        }
    }
    let are_vain = credit::were_in_vain(trace, &remedies);
    let vain_keys = keys
        .into_iter()
        .zip(are_vain)
        .filter(|(_, is_vain)| *is_vain);
    Ok(vain_keys.map(|(key, _)| key.clone()).collect())
}

/// Finds the lessons that a sweep deleted because nobody had needed them, and whose call or failure a run has.
fn find_needed(
    reader: &dyn Read,
    trace: &Trace,
    failures: &BTreeSet<FailureKey>,
    now: Timestamp,
) -> hardwon_store::Result<Vec<LessonId>> {
    let scope = trace.scope();
    let listing = LessonListing {
        within: ScopeFilter::Visible(scope.clone()),
        status: Some(StatusName::Archived),
        ..LessonListing::default()
    };
    let (mut calls, mut needed) = (None, Vec::new());
    for lesson in read_lessons(reader, &scope.tenant, listing) {
        let lesson = lesson?;
        if !lesson.waits_for_moment(now) {
            continue;
        }
        let calls = calls.get_or_insert_with(|| read_calls(trace));
        let is_met = lesson
            .failure
            .as_ref()
            .is_some_and(|key| failures.contains(key));
        if is_met || comes_up(&lesson, calls) {
            needed.push(lesson.id);
        }
    }
    Ok(needed)
}

/// A call of a run, what it does, and its failures with their errors.
type ReadCall<'t> = (ParsedCall, CallActs, Vec<(CallFailure, &'t str)>);

fn read_calls(trace: &Trace) -> Vec<ReadCall<'_>> {
    let calls = trace.steps().iter().filter_map(|step| step.call());
    let read = calls.map(|called| {
        let call = parse_call(called);
        let errors = called.status.errors().map(|error| error.as_str());
        let failures = CallFailure::all_from_call(&call, &called.status);
        let acts = CallActs::from_call(&call);
        (call, acts, failures.into_iter().zip(errors).collect())
    });
    read.collect()
}

fn comes_up(lesson: &Lesson, calls: &[ReadCall<'_>]) -> bool {
    let content = &lesson.content;
    let triggers = Triggers::from_content(content);
    let has_failure = lesson.failure.is_some();
    let is_moment = |(call, acts, failures): &ReadCall<'_>| {
        let mut failures = failures.iter();
        triggers.occasion(acts, call, has_failure).is_due()
            || !has_failure
                && failures.any(|(failure, error)| {
                    triggers.is_about_failure(content, call, failure, error)
                })
    };
    !content.is_kept_from_calls() && calls.iter().any(is_moment)
}

//! Learns from a finished run: gate, distil, guard, commit.
//!
//! Reading a run takes long and needs no store, so it is done first: its result is a [`RunProposal`]. The store is
//! queried in one transaction, which may apply the proposals of several runs. Learning the same run again changes
//! nothing: a lesson counts a run once, and so does a candidate.

mod hindsight;
mod run_summary;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    iter,
};

use hardwon_core::{
    Actor, AdmittedLesson, Agreement, Cause, ConsensusKeys, Difference, Draft, Episode,
    EpisodeKind, EpisodeWeight, Evidence, EvidenceKind, FailureKey, Fix, GuardVerdict, Inquiry,
    Lesson, LessonContent, Meaning, Memo, OutsideWords, QueryTerms, RunId, Skip, Stance, Status,
    TenantId, Trace, TrustClass,
    capture::{self, SaidOnce, Wall, seen_once},
    change::{is_expired, says_the_same},
    distil, guard, limits,
};
use hardwon_redact::{CleanText, clean_derived};
use hardwon_store::{
    CandidateLesson, Commit as _, Durability, LessonQuery, Read, Sighting, SourceProgress, Write,
};
use jiff::Timestamp;

use self::hindsight::Hindsight;
use crate::{
    CreditOutcome, Desk, NoteOutcome, Result, Rights,
    credit::{self, RunObservation},
    queue::inquire,
};

/// The least confidence in what two sessions said.
const AGREED_CONFIDENCE: f64 = 0.8;

/// The result of learning from a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearnOutcome {
    /// The outcome of each lesson that the run proposed.
    pub note_outcomes: Vec<NoteOutcome>,
    /// How many failures were seen and wait as candidates until another run hits them.
    pub candidate_lessons: u32,
    /// Why other parts of the run taught nothing, with counts.
    pub skipped: BTreeMap<Skip, u32>,
    /// Whether a question about the run waits in the queue for a model.
    pub has_inquiry: bool,
    /// The credit of the lessons shown in the run.
    pub credit: CreditOutcome,
}

/// What a run proposes, guarded, before it is checked against the store.
#[derive(Debug)]
pub(crate) struct RunProposal {
    /// What it met, and the guard's verdict on each lesson about it.
    pub(crate) episodes: Vec<(Episode, Vec<GuardVerdict>)>,
    skipped: BTreeMap<Skip, u32>,
    /// Questions for a model about the run.
    inquiries: Vec<Inquiry>,
    /// The outcomes of the lessons shown in the run.
    observation: Option<RunObservation>,
    /// What the run shows of lessons that it need not have followed.
    hindsight: Hindsight,
    /// The history that the run begins with: runs that share one are one witness.
    history: Option<RunId>,
}

impl RunProposal {
    /// Returns the proposal as that of a run which begins with this history.
    pub(crate) fn with_history(self, history: Option<RunId>) -> Self {
        Self { history, ..self }
    }

    /// Returns whether no transaction is needed.
    fn is_empty(&self) -> bool {
        self.episodes.is_empty()
            && self.inquiries.is_empty()
            && self.observation.is_none()
            && self.hindsight.is_empty()
    }

    /// Returns whether there is a lesson in it, admitted or not.
    pub(crate) fn has_drafts(&self) -> bool {
        (self.episodes.iter()).any(|(_, verdicts)| !verdicts.is_empty())
    }

    /// Returns whether an episode is a wall, and a model will say more about it.
    fn asks_about_wall(&self, episode: &Episode) -> bool {
        let is_wall = matches!(episode.kind, EpisodeKind::Wall(_));
        let mut keys =
            (self.inquiries.iter()).flat_map(|inquiry| inquiry.unless_known.iter().flatten());
        is_wall && keys.any(|key| Some(key) == episode.met_failure())
    }

    /// Returns the outcome of a run that proposed nothing.
    fn to_empty_outcome(&self) -> LearnOutcome {
        LearnOutcome {
            skipped: self.skipped.clone(),
            ..LearnOutcome::default()
        }
    }
}

/// Returns whether a draft may repeat what the run had read from outside, or what a prompt only quotes: by its words, and
/// where those are not known, by when it was read. A person's correction is their own.
fn is_from_outside(trace: &Trace, episode: &Episode, draft: &Draft) -> bool {
    let words = trace.outside_words();
    let is_near = words.has_unknown() && episode.external;
    let is_persons = matches!(episode.kind, EpisodeKind::Correction(_));
    let is_repeated = || {
        let quoted = trace.quoted_words();
        [words, &quoted]
            .iter()
            .any(|words| words.are_in_lesson(&draft.content))
    };
    !is_persons && (is_near || is_repeated())
}

/// Drafts the lesson of an episode, and returns whether it may repeat what was read from outside. If only the error came from
/// there, the lesson does not quote it.
fn draft_unquoted(trace: &Trace, episode: &Episode) -> Option<(Draft, bool)> {
    let draft = distil::draft_episode(episode)?;
    if !is_from_outside(trace, episode, &draft) {
        return Some((draft, false));
    }
    let mut plain_episode = episode.clone();
    if let EpisodeKind::Fix(fix) = &mut plain_episode.kind {
        fix.failure.gist.clear();
    }
    let own = distil::draft_episode(&plain_episode);
    let own = own.filter(|draft| !is_from_outside(trace, episode, draft));
    Some(own.map_or((draft, true), |draft| (draft, false)))
}

impl<'e> Desk<'e> {
    /// Learns from a run that has ended, and credits the lessons shown in it. Nothing to learn is the usual result.
    pub fn learn_from_run(&self, trace: &Trace) -> Result<LearnOutcome> {
        self.check_access(Rights::Write, trace.scope())?;
        self.learner().learn(trace)
    }

    pub(crate) fn learner(&self) -> RunLearner<'e> {
        RunLearner {
            desk: self.clone(),
            outside: OutsideWords::default(),
        }
    }
}

/// Learns from runs.
pub(crate) struct RunLearner<'e> {
    pub(crate) desk: Desk<'e>,
    /// The words that other runs of the session have read from outside.
    pub(crate) outside: OutsideWords,
}

impl RunLearner<'_> {
    fn learn(&self, trace: &Trace) -> Result<LearnOutcome> {
        let tenant = &trace.scope().tenant;
        // A recent recall may still be in the spool.
        self.desk.engine.store.flush(tenant)?;
        let proposal = self.propose_from_run(trace, &mut Memo::default())?;
        let mut outcomes = self.learn_proposals(tenant, &[&proposal], &[])?;
        Ok(outcomes.pop().unwrap_or_default())
    }

    /// Learns from the proposals of runs, and saves how far sources were read, in one transaction. Returns the outcome
    /// of each run.
    ///
    /// Without a lesson to store, the commit need not be on disk when this returns.
    pub(crate) fn learn_proposals(
        &self,
        tenant: &TenantId,
        proposals: &[&RunProposal],
        sources: &[(&str, &SourceProgress)],
    ) -> Result<Vec<LearnOutcome>> {
        let is_nothing = proposals.iter().all(|proposal| proposal.is_empty());
        if is_nothing && sources.is_empty() {
            let outcomes = proposals.iter().map(|proposal| proposal.to_empty_outcome());
            return Ok(outcomes.collect());
        }
        let durability = if is_nothing {
            Durability::Lazy
        } else {
            Durability::Full
        };
        let now = self.desk.now();
        let store = &self.desk.engine.store;
        store.commit_with(tenant, durability, |tx| {
            let outcomes = (proposals.iter())
                .map(|proposal| self.store_proposal(tx, proposal, now))
                .collect::<hardwon_store::Result<_>>()?;
            for (name, source) in sources {
                tx.save_source_progress(name, source)?;
            }
            Ok(outcomes)
        })
    }

    /// Reads a run: guards what it proposes, and observes the outcomes of lessons shown in it.
    pub(crate) fn propose_from_run(&self, trace: &Trace, memo: &mut Memo) -> Result<RunProposal> {
        let trace = &self.with_outside_words(trace);
        let captured_episodes = capture::capture_episodes(trace, &self.desk.policy.capture);
        let inquiries = inquire::plan_inquiries(trace, &captured_episodes, &self.desk.policy);
        let admit_episode = |episode: Episode| {
            let admit = |(mut draft, is_from_page): (Draft, bool)| {
                draft.trust.tainted = self.desk.principal.trust.tainted || is_from_page;
                guard::admit_with_memo(draft, &self.desk.policy.guard, memo)
            };
            let drafts = draft_unquoted(trace, &episode).into_iter();
            let verdicts = drafts.map(admit).collect();
            (episode, verdicts)
        };
        let episodes = captured_episodes.episodes.into_iter();
        let episodes: Vec<(Episode, Vec<GuardVerdict>)> = episodes.map(admit_episode).collect();
        let mut skips = captured_episodes.skipped;
        for (episode, verdicts) in &episodes {
            if episode.weight == EpisodeWeight::Lesson && verdicts.is_empty() {
                *skips.entry(Skip::NoAdvice).or_default() += 1;
            }
        }
        let reader = self.desk.snapshot()?;
        let (failures, principal) = (&captured_episodes.failures, &self.desk.principal);
        Ok(RunProposal {
            inquiries,
            episodes,
            skipped: skips,
            history: None,
            hindsight: Hindsight::from_run(&*reader, trace, failures, principal, self.desk.now())?,
            observation: credit::observe_run(&*reader, trace, principal)?,
        })
    }

    /// Returns a run with the words that the other runs of its session have read.
    fn with_outside_words<'t>(&self, trace: &'t Trace) -> Cow<'t, Trace> {
        let mut trace = Cow::Borrowed(trace);
        if !self.outside.is_empty() {
            trace.to_mut().extend_outside_words(&self.outside);
        }
        trace
    }

    /// Stores what is worth storing of a proposal, inside a transaction.
    fn store_proposal(
        &self,
        tx: &mut dyn Write,
        proposal: &RunProposal,
        now: Timestamp,
    ) -> hardwon_store::Result<LearnOutcome> {
        if proposal.is_empty() {
            return Ok(proposal.to_empty_outcome());
        }
        let outcome = match &proposal.observation {
            Some(told) => credit::credit_run(tx, told, now)?,
            None => CreditOutcome::default(),
        };
        let history = proposal.history.as_ref();
        proposal.hindsight.store(tx, history, now)?;
        let mut worth_it: Vec<(&Episode, GuardVerdict)> = Vec::new();
        let mut sightings = SeenFailures::default();
        for (episode, verdicts) in &proposal.episodes {
            let standing = if sightings.has_learned_better(episode) {
                Standing::Known
            } else if proposal.asks_about_wall(episode) {
                Standing::Waits
            } else {
                judge_episode(tx, episode, verdicts, history, now)?
            };
            sightings.note(episode, &standing);
            if let Standing::Lesson(verdicts) = standing {
                for verdict in verdicts {
                    let verdict = with_known_words(tx, episode, verdict)?;
                    let verdict = with_replaced(tx, episode, verdict, now)?;
                    worth_it.push((episode, verdict));
                }
            }
        }
        let mut outcomes = Vec::new();
        for (episode, verdict) in &worth_it {
            let by = find_author(verdict);
            let outcome = self.desk.store_learned(tx, verdict, &by, now)?;
            run_summary::replace_earlier(tx, episode, verdict, &outcome, now)?;
            outcomes.push(outcome);
        }
        let (inquiries, policy) = (&proposal.inquiries, &self.desk.policy);
        let asks = inquire::enqueue_inquiries(tx, inquiries, &sightings.learned, policy, now)?;
        Ok(LearnOutcome {
            note_outcomes: outcomes,
            candidate_lessons: sightings.count_waiting(),
            skipped: proposal.skipped.clone(),
            has_inquiry: asks,
            credit: outcome,
        })
    }
}

/// Returns who worded a lesson: the rules, or a model that said it in other words.
fn find_author(verdict: &GuardVerdict) -> Actor {
    match verdict {
        Ok(it) if it.trust.class == TrustClass::Distilled => Actor::model(),
        _ => Actor::rules(),
    }
}

/// Finds the rules' own lessons about the failure of an episode, in its scope.
fn find_ruled(tx: &dyn Write, episode: &Episode) -> hardwon_store::Result<Vec<Lesson>> {
    let Some(failure) = &episode.failure else {
        return Ok(Vec::new());
    };
    let mut lessons = tx.reader().lessons_for_failure(&episode.scope, failure)?;
    lessons.retain(|lesson| {
        lesson.trust.class == TrustClass::Derived && lesson.scope == episode.scope
    });
    Ok(lessons)
}

/// Says a lesson in the words of the rules' own about the same failure, if the episode adds nothing to it: a client's own
/// tool stated the same, or the run did not get past what others did. The names that a client lists as known differ from
/// one run to the next, and a run that got nowhere knows less than the lesson.
fn with_known_words(
    tx: &dyn Write,
    episode: &Episode,
    mut verdict: GuardVerdict,
) -> hardwon_store::Result<GuardVerdict> {
    let adds_nothing = matches!(
        episode.kind,
        EpisodeKind::Refusal(_) | EpisodeKind::Unresolved(_)
    );
    if let (Ok(admitted), true) = (&mut verdict, adds_nothing) {
        let mut known = find_ruled(tx, episode)?.into_iter();
        if let Some(known) = known.find(|known| known.status == Status::Active) {
            admitted.content = known.admitted.content;
        }
    }
    Ok(verdict)
}

/// What an episode comes to.
enum Standing {
    /// It is a lesson now, in these words.
    Lesson(Vec<GuardVerdict>),
    /// It waits until another run shows the same.
    Waits,
    /// There is a lesson about its failure.
    Known,
}

/// The failures that a run met, by what came of them.
#[derive(Default)]
struct SeenFailures<'e> {
    /// Those about which there is a lesson.
    learned: BTreeSet<&'e FailureKey>,
    /// Those about which something waits.
    waiting: BTreeSet<&'e FailureKey>,
    /// What waits and is about no failure.
    others: u32,
}

impl<'e> SeenFailures<'e> {
    /// Returns whether an episode may only have helped with a failure of which the run shows what did.
    fn has_learned_better(&self, episode: &Episode) -> bool {
        let failure = episode.met_failure();
        episode.weight == EpisodeWeight::Tentative
            && failure.is_some_and(|key| self.learned.contains(key))
    }

    fn note(&mut self, episode: &'e Episode, standing: &Standing) {
        let is_wall = matches!(episode.kind, EpisodeKind::Wall(_));
        match (standing, episode.met_failure()) {
            (Standing::Waits, _) if is_wall => {}
            (Standing::Waits, Some(key)) => {
                self.waiting.insert(key);
            }
            // Most of what may be a correction is none.
            (Standing::Waits, None) if episode.weight == EpisodeWeight::Tentative => {}
            (Standing::Waits, None) => self.others += 1,
            (Standing::Lesson(_) | Standing::Known, Some(key)) => {
                self.learned.insert(key);
            }
            (Standing::Lesson(_) | Standing::Known, None) => {}
        }
    }

    /// Returns how many failures wait for another run, and no lesson is about.
    fn count_waiting(&self) -> u32 {
        let waiting = self.waiting.difference(&self.learned).count();
        u32::try_from(waiting)
            .unwrap_or(u32::MAX)
            .saturating_add(self.others)
    }
}

/// Decides what an episode comes to: a lesson because it cost enough, because the same failure has a lesson already, or
/// because enough runs have hit it.
fn judge_episode(
    tx: &mut dyn Write,
    episode: &Episode,
    proposed: &[GuardVerdict],
    history: Option<&RunId>,
    now: Timestamp,
) -> hardwon_store::Result<Standing> {
    let lesson = || Standing::Lesson(proposed.to_vec());
    if episode.weight == EpisodeWeight::Lesson {
        return Ok(lesson());
    }
    if let (EpisodeWeight::Tentative, EpisodeKind::Fix(candidate)) = (episode.weight, &episode.kind)
    {
        return judge_candidate(tx, episode, candidate, proposed, history, now);
    }
    if let EpisodeKind::Wall(wall) = &episode.kind {
        return judge_wall(tx, episode, wall, proposed, history, now);
    }
    let (scope, failure) = (&episode.scope, &episode.key);
    if inquire::knows_failure(tx.reader(), scope, failure, now)? {
        return Ok(lesson());
    }
    let sighting = Sighting {
        lesson: admitted_lesson(proposed),
        ..Sighting::new(scope, failure.clone(), &episode.run, now)
    };
    let fewest = episode.runs_needed();
    let witness = record_witness(tx, sighting, history)?;
    if witness.runs.len() < fewest && matches!(episode.kind, EpisodeKind::Correction(_)) {
        return join_corrections(tx, episode, &witness);
    }
    if witness.runs.len() < fewest {
        return Ok(Standing::Waits);
    }
    tx.delete_candidate_lesson(scope, failure)?;
    Ok(Standing::Lesson(with_witnesses(
        proposed.to_vec(),
        &witness.runs,
    )))
}

/// Decides whether enough runs met a wall. What an earlier run showed of it is worth more than nothing; that nothing gets
/// past it is said only if no run did.
fn judge_wall(
    tx: &mut dyn Write,
    episode: &Episode,
    wall: &Wall,
    proposed: &[GuardVerdict],
    history: Option<&RunId>,
    now: Timestamp,
) -> hardwon_store::Result<Standing> {
    let (scope, failure) = (&episode.scope, &episode.key);
    if !find_lessons_about(tx, episode, now)?.is_empty() {
        return Ok(Standing::Known);
    }
    let mut record = |key: &FailureKey, lesson: Option<AdmittedLesson>| {
        let sighting = Sighting {
            lesson,
            ..Sighting::new(scope, key.clone(), &episode.run, now)
        };
        record_witness(tx, sighting, history)
    };
    let lesson = admitted_lesson(proposed);
    let [passed, stopped] = Wall::outcome_keys(failure);
    let met = if wall.is_passed() {
        record(&passed, None)?;
        record(failure, lesson)?
    } else {
        record(&stopped, lesson)?;
        record(failure, None)?
    };
    let reader = tx.reader();
    let in_vain = match reader.candidate_lesson(scope, &passed)? {
        None => reader.candidate_lesson(scope, &stopped)?,
        Some(_) => None,
    };
    let lesson = met.lesson.or(in_vain.and_then(|record| record.lesson));
    let Some(lesson) = lesson.filter(|_| met.runs.len() >= episode.runs_needed()) else {
        return Ok(Standing::Waits);
    };
    for key in [failure, &passed, &stopped] {
        tx.delete_candidate_lesson(scope, key)?;
    }
    let verdicts = vec![Ok(Box::new(lesson))];
    Ok(Standing::Lesson(with_witnesses(verdicts, &met.runs)))
}

/// Names the runs that showed the same, without which there would be no lesson, in its evidence.
fn with_witnesses(mut verdicts: Vec<GuardVerdict>, runs: &[RunId]) -> Vec<GuardVerdict> {
    for lesson in verdicts.iter_mut().flatten() {
        let is_named = |run: &&RunId| {
            let mut known = lesson.evidence.iter();
            known.any(|known| known.reference.as_str() == run.as_str())
        };
        let others = runs.iter().filter(|run| !is_named(run));
        let witnesses: Vec<Evidence> = others
            .map(|run| Evidence {
                kind: EvidenceKind::Run,
                reference: clean_derived(run.as_str()),
                note: None,
            })
            .collect();
        lesson.evidence.extend(witnesses);
    }
    verdicts
}

/// Finds what was said of the same in another run, in other words. Of the two the one that is surer is the lesson.
fn join_corrections(
    tx: &mut dyn Write,
    episode: &Episode,
    own: &CandidateLesson,
) -> hardwon_store::Result<Standing> {
    let Some(ours) = &own.lesson else {
        return Ok(Standing::Waits);
    };
    let mut others = Vec::new();
    for (key, other) in tx.reader().candidate_lessons(&episode.scope)? {
        let is_of_other_runs = !other.runs.iter().any(|run| own.runs.contains(run));
        let theirs = other
            .lesson
            .filter(|lesson| lesson.cause == Cause::Correction);
        others.extend(
            theirs
                .filter(|_| is_of_other_runs)
                .map(|theirs| (key, other.runs, theirs)),
        );
    }
    let sentences = others.iter().map(|(.., theirs)| said_once(theirs));
    let sentences: Vec<_> = sentences.collect();
    let Some(at) = capture::find_agreeing(&said_once(ours), &sentences) else {
        return Ok(Standing::Waits);
    };
    let (key, their_runs, theirs) = others.swap_remove(at);
    for failure in [&episode.key, &key] {
        tx.delete_candidate_lesson(&episode.scope, failure)?;
    }
    let is_theirs = theirs.confidence > ours.confidence;
    let signature = join_signatures(&ours.content.signature, &theirs.content.signature);
    let mut lesson = if is_theirs { theirs } else { ours.clone() };
    lesson.content.signature = signature;
    lesson.confidence = lesson.confidence.max(AGREED_CONFIDENCE);
    let runs = [own.runs.as_slice(), &their_runs].concat();
    Ok(Standing::Lesson(with_witnesses(
        vec![Ok(Box::new(lesson))],
        &runs,
    )))
}

/// Returns the call that two corrections answer: that of both, or of the one of which it is known.
fn join_signatures(ours: &CleanText, theirs: &CleanText) -> CleanText {
    match (ours.as_str(), theirs.as_str()) {
        (_, "") => ours.clone(),
        ("", _) => theirs.clone(),
        (own, other) if own == other => ours.clone(),
        _ => clean_derived(""),
    }
}

fn said_once(lesson: &AdmittedLesson) -> SaidOnce<'_> {
    SaidOnce {
        text: lesson.content.text.as_str(),
        confidence: lesson.confidence,
    }
}

/// Returns the lesson that a proposal would store.
fn admitted_lesson(proposed: &[GuardVerdict]) -> Option<AdmittedLesson> {
    let first = proposed.first()?.as_ref().ok()?;
    Some((**first).clone())
}

/// Finds the lessons about the failure of an episode, of the very call or of its error.
fn find_lessons_about(
    tx: &dyn Write,
    episode: &Episode,
    now: Timestamp,
) -> hardwon_store::Result<Vec<Lesson>> {
    let mut about = Vec::new();
    for key in episode.met_failure().into_iter().chain(&episode.failure) {
        about.extend(tx.reader().lessons_for_failure(&episode.scope, key)?);
    }
    about.retain(|lesson| !is_expired(lesson, now));
    Ok(about)
}

/// Has a lesson take the place of what it refutes: one that says where a program is of the rules' own that say otherwise of
/// the same failure, a person's word of an earlier opposite one.
fn with_replaced(
    tx: &dyn Write,
    episode: &Episode,
    mut verdict: GuardVerdict,
    now: Timestamp,
) -> hardwon_store::Result<GuardVerdict> {
    let is_found = matches!(&episode.kind, EpisodeKind::Fix(fix) if matches!(fix.difference, Difference::Elsewhere { .. }));
    let is_correction = matches!(episode.kind, EpisodeKind::Correction(_));
    if let Ok(admitted) = &mut verdict {
        let mut lessons = match is_found {
            true => find_ruled(tx, episode)?,
            false if is_correction => find_turned_round(tx, admitted, now)?,
            false => Vec::new(),
        };
        lessons.retain(|lesson| lesson.content.text != admitted.content.text);
        let ids = lessons.iter().map(|lesson| lesson.id);
        admitted.supersedes.extend(ids);
    }
    Ok(verdict)
}

/// Finds the earlier corrections of which a correction says the opposite, whatever calls they answer.
fn find_turned_round(
    tx: &dyn Write,
    admitted: &AdmittedLesson,
    now: Timestamp,
) -> hardwon_store::Result<Vec<Lesson>> {
    let stances = read_sentences(&admitted.content.text);
    let found = tx.reader().search(&LessonQuery {
        scope: admitted.scope.clone(),
        terms: QueryTerms::from_prompt(admitted.content.text.as_str()),
        limit: limits::CANDIDATES,
        now,
        vector: None,
    })?;
    let mut lessons: Vec<Lesson> = found.hits.into_iter().map(|hit| hit.lesson).collect();
    lessons.retain(|lesson| {
        let others = read_sentences(&lesson.content.text);
        let is_turned = |(meaning, stance): &(Meaning, Stance)| {
            let mut others = others.iter();
            others.any(|(other, its)| meaning.opposes(other) || stance.opposes(its))
        };
        lesson.cause == Cause::Correction
            && lesson.scope == admitted.scope
            && stances.iter().any(is_turned)
    });
    Ok(lessons)
}

/// Reads what each sentence of a person says, whatever it is said of.
fn read_sentences(text: &CleanText) -> Vec<(Meaning, Stance)> {
    let sentences = text.as_str().split_inclusive(". ");
    let sentences = sentences.map(|sentence| {
        let text = clean_derived(sentence.trim_end());
        LessonContent::new(CleanText::default(), text)
    });
    let read = sentences.map(|content| {
        (
            Meaning::from_content(&content),
            Stance::from_content(&content),
        )
    });
    read.collect()
}

/// Records a sighting and returns what is known of the failure. A run that begins with a history stands for all that
/// begin with it, unless it was counted by itself before.
fn record_witness(
    tx: &mut dyn Write,
    sighting: Sighting,
    history: Option<&RunId>,
) -> hardwon_store::Result<CandidateLesson> {
    let run = match history {
        Some(history) if !is_counted(tx.reader(), &sighting)? => history.clone(),
        _ => sighting.run.clone(),
    };
    tx.record_sighting(&Sighting { run, ..sighting })
}

/// Returns whether the run of a sighting was recorded under its own name before.
fn is_counted(reader: &dyn Read, sighting: &Sighting) -> hardwon_store::Result<bool> {
    let known = reader.candidate_lesson(&sighting.scope, &sighting.failure)?;
    Ok(known.is_some_and(|known| known.runs.contains(&sighting.run)))
}

/// Counts a run's fix of a failure, and decides whether enough runs used the same one. A failure that has a lesson keeps
/// it. The lesson of a fix that its own success supports is stored with the failure.
fn judge_candidate(
    tx: &mut dyn Write,
    episode: &Episode,
    candidate: &Fix,
    proposed: &[GuardVerdict],
    history: Option<&RunId>,
    now: Timestamp,
) -> hardwon_store::Result<Standing> {
    let lesson = admitted_lesson(proposed).filter(|_| seen_once::is_supported(candidate));
    let keys = ConsensusKeys::from_fix(candidate);
    let runs = |tx: &mut dyn Write, key: &FailureKey| {
        let sighting = Sighting {
            lesson: lesson.clone().filter(|_| *key == keys.failure),
            ..Sighting::new(&episode.scope, key.clone(), &episode.run, now)
        };
        record_witness(tx, sighting, history).map(|met| met.runs.len())
    };
    // In whatever way runs are grouped, all of them are the same.
    let any = runs(tx, &keys.any)?;
    let mut is_agreed = false;
    for keys in iter::once(keys.clone()).chain(ConsensusKeys::of_step(candidate)) {
        let agreement = Agreement {
            pair: runs(tx, &keys.pair)?,
            failure: runs(tx, &keys.failure)?,
            remedy: runs(tx, &keys.remedy)?,
            any,
        };
        // Where every run had done something else, that may have been what helped.
        let is_alone = if candidate.after_edit || candidate.after_act {
            (tx.reader().candidate_lesson(&episode.scope, &keys.alone)?).is_some()
        } else {
            runs(tx, &keys.alone)? > 0
        };
        is_agreed |= is_alone && agreement.is_enough();
    }
    let about = find_lessons_about(tx, episode, now)?;
    if !about.is_empty() {
        let says_it = |admitted: &AdmittedLesson| {
            let mut known = about.iter();
            known.any(|known| says_the_same(&known.content, &admitted.content))
        };
        // The same once more is one more witness; another remedy is none.
        let is_again = admitted_lesson(proposed).as_ref().is_some_and(says_it);
        return Ok(if is_again {
            Standing::Lesson(proposed.to_vec())
        } else {
            Standing::Known
        });
    }
    if !is_agreed {
        return Ok(Standing::Waits);
    }
    let record = tx.reader().candidate_lesson(&episode.scope, &keys.pair)?;
    let runs = record.map(|record| record.runs).unwrap_or_default();
    Ok(Standing::Lesson(with_witnesses(proposed.to_vec(), &runs)))
}

#[cfg(test)]
mod tests;

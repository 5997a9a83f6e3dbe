//! Decides whether a finished run taught anything, and cuts out the part that did.
//!
//! A run that went well and taught nothing is the common case, so [`capture_episodes`] usually returns no episode,
//! and says why. It looks for struggle: a repeated failure, a fix that took several steps, a person's correction, a
//! signal of the runtime. An episode states only what the run showed: a call that failed, the similar call that later
//! worked, and what differs. When the success may have another reason (an edit between, another goal, chance) there
//! is no episode. The wording for readers is the job of [`distil`](crate::distil).

pub mod consensus;
mod correction;
mod difference;
mod fix;
mod episode_builder;
pub mod question;
mod parsed_run;
mod kept_folder;
mod unresolved;
mod refusal;
pub mod seen_once;
pub(crate) mod show;
pub mod struggle;
mod wall;

use std::collections::{BTreeMap, BTreeSet};

pub use self::fix::is_path_guess;
pub use self::{
    correction::{Correction, SaidOnce, find_agreeing},
    difference::Difference,
    fix::Fix,
    refusal::{Refusal, RefusalKind},
    unresolved::{Diagnosis, UnresolvedFailure},
    wall::Wall,
};
use self::{episode_builder::EpisodeBuilder, parsed_run::ParsedRun};
use crate::{
    CallFailure, CleanText, FailureKey, ParsedCall, Scope, Signal, Trace, id::RunId,
    lesson::RunOutcome, limits, named_enum::named_enum, trace::family::FailureFamily,
};

/// Settings that decide which runs are worth an episode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CapturePolicy {
    /// Which runs teach.
    pub mode: CaptureMode,
    /// Scores below this count as low quality.
    pub low_quality_below: f64,
}

named_enum! {
    /// Which runs teach anything.
    CaptureMode {
        /// Only runs with struggle: repeated failures, costly fixes, corrections, signals.
        Struggle = "struggle",
        /// Also every other run that ended: a summary of the tools that it used and whether it succeeded.
        EveryRun = "every-run",
    }
}

impl Default for CapturePolicy {
    fn default() -> Self {
        Self {
            mode: CaptureMode::Struggle,
            low_quality_below: 0.5,
        }
    }
}

/// How much one episode proves by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EpisodeWeight {
    /// What a run did next or a person said, which may be chance. It becomes a lesson once enough runs did the same, and did
    /// it more often than after other failures, or once another session says the same.
    Tentative,
    /// Seen once, at little cost: stored, and turned into a lesson when another run shows the same.
    CandidateLesson,
    /// Repeated or costly enough to become a lesson at once.
    Lesson,
}

/// The part of a run that is worth learning from.
#[derive(Debug, Clone, PartialEq)]
pub struct Episode {
    /// The run that it was found in.
    pub run: RunId,
    /// The scope that a lesson from it would belong to.
    pub scope: Scope,
    /// The person's request at that point of the run, if known.
    pub task: Option<CleanText>,
    /// How the run, or this part of it, ended.
    pub outcome: RunOutcome,
    /// How much the episode proves by itself.
    pub weight: EpisodeWeight,
    /// Whether content from outside the machine had a part in it.
    pub external: bool,
    /// The key that identifies the same episode in another run.
    pub key: FailureKey,
    /// The key of the failure that a lesson from it is about, if there is one.
    pub failure: Option<FailureKey>,
    /// What happened.
    pub kind: EpisodeKind,
}

impl Episode {
    /// Returns how many runs must show the same before it is a lesson, if one is not enough.
    pub fn runs_needed(&self) -> usize {
        const AGAIN: usize = 2;
        const WALL: usize = 3;
        match self.kind {
            EpisodeKind::Wall(_) => WALL,
            _ => AGAIN,
        }
    }

    /// Returns the key of the failure that the run met; `failure` may be about more calls.
    pub fn met_failure(&self) -> Option<&FailureKey> {
        match &self.kind {
            EpisodeKind::Fix(fix) => Some(&fix.met),
            EpisodeKind::Wall(wall) => Some(&wall.met),
            _ => self.failure.as_ref(),
        }
    }
}

/// What happened in an episode.
#[derive(Debug, Clone, PartialEq)]
pub enum EpisodeKind {
    /// A call failed and a similar call later worked.
    Fix(Box<Fix>),
    /// A client's own tool, a program or a shell refused something, and the run got past it.
    Refusal(Refusal),
    /// An error for which no rule knows the remedy, with what the run did about it.
    Wall(Box<Wall>),
    /// The same failure was repeated and never fixed.
    Unresolved(UnresolvedFailure),
    /// The run failed on its last call.
    RunFailed(UnresolvedFailure),
    /// A person corrected the agent.
    Correction(Correction),
    /// The runtime traced a failure to its cause.
    RootCause {
        /// The cause, as the runtime states it.
        cause: CleanText,
        /// What fixed it, if anything did.
        fix: Option<CleanText>,
    },
    /// A loop that repairs failing checks took more than one attempt, or gave up.
    Heal {
        /// How many attempts it took.
        attempts: u32,
        /// Whether the loop gave up and asked for help.
        escalated: bool,
        /// What was being repaired and what helped.
        detail: CleanText,
    },
    /// A review fixed or flagged a point.
    Review {
        /// Whether the review fixed it or only flagged it.
        fixed: bool,
        /// The point that the review made.
        point: CleanText,
    },
    /// A verifier found a claim to be false.
    Discrepancy {
        /// The claim, and what is true instead.
        detail: CleanText,
    },
    /// The result got a low score.
    LowQuality {
        /// What was wrong with the result.
        detail: CleanText,
    },
    /// The run ended; only under [`CaptureMode::EveryRun`].
    RunSummary(RunSummary),
}

/// How a run went, without any judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Whether the run was completed.
    pub completed: bool,
    /// The tools it used, each once, in order of first use.
    pub tools: Vec<String>,
    /// How many calls succeeded.
    pub worked: usize,
    /// How many calls failed.
    pub failed: usize,
    /// The first lines of its first errors, at most [`limits::PLAIN_ERRORS`].
    pub errors: Vec<String>,
}

macro_rules! skips {
    ($($(#[$doc:meta])* $variant:ident = $name:literal: $text:literal,)+) => {
        /// Why a run, or something in it, taught nothing.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Skip { $($(#[$doc])* $variant,)+ }

        impl Skip {
            /// Every reason, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the reason's name in JSON, which stays the same when the text is reworded.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns the reason as text for people.
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

skips! {
    /// The run has not ended.
    StillGoing = "not_ended": "the run has not ended",
    /// The run made no call.
    NothingDone = "did_nothing": "the run did nothing",
    /// Nothing failed and no person objected.
    WentWell = "went_well": "the run went well",
    /// A person or the client stopped or denied the call.
    Stopped = "interrupted": "a call was interrupted or not allowed",
    /// A temporary failure of the network, a rate limit or a timeout.
    Transient = "temporary": "a failure was temporary (network, limits, timeouts)",
    /// A failing test, check or program was the agent's task itself.
    TheWork = "own_work": "a failing test, check or program was the work itself",
    /// The failing call only asked whether something exists.
    Probe = "only_asked": "a failing call only asked whether something is there",
    /// A search found nothing, or a failure printed nothing.
    NoMatch = "found_nothing": "a search found nothing, or a failure said nothing",
    /// A wrong guess at a path or a name.
    Guess = "wrong_guess": "a guess at a name or path was wrong",
    /// A typo was corrected.
    Typo = "typo": "a typo was corrected",
    /// An edit did not apply and was repeated.
    EditSlip = "edit_repeated": "an edit failed to apply and was repeated",
    /// It is unclear which command failed, or the line is too complex to compare.
    Unclear = "unclear_command": "it is unclear which command of the call failed",
    /// The same call also worked, or the fix also failed.
    Flaky = "flaky": "the same call also worked, or the remedy also failed",
    /// An edit or another step may have made it work.
    OtherCause = "other_cause": "an edit or another step may have made it work",
    /// No similar call worked later.
    Unsolved = "unsolved": "nothing that worked after a failure shows what helped",
    /// The person's message was no correction.
    NotCorrection = "no_correction": "a message was no correction",
    /// No rule knows a fix for the failure.
    NoAdvice = "no_remedy": "no rule knows a remedy for the failure",
}

/// The episodes of a run, and counts of what was skipped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CapturedEpisodes {
    /// What is worth learning from; usually empty.
    pub episodes: Vec<Episode>,
    /// How often each reason kept something from being an episode.
    pub skipped: BTreeMap<Skip, u32>,
    /// The keys of the run's failures.
    pub failures: BTreeSet<FailureKey>,
}

impl CapturedEpisodes {
    fn count_skip(&mut self, reason: Skip) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

/// Finds the episodes of a finished run.
pub fn capture_episodes(trace: &Trace, policy: &CapturePolicy) -> CapturedEpisodes {
    let mut episodes = CapturedEpisodes::default();
    let Some(end) = trace.end() else {
        episodes.count_skip(Skip::StillGoing);
        return episodes;
    };
    if trace.call_count() == 0 && trace.signals().is_empty() && trace.steps().is_empty() {
        episodes.count_skip(Skip::NothingDone);
        return episodes;
    }
    let reading = ParsedRun::from_trace(trace);
    let failures = reading
        .calls
        .iter()
        .filter_map(|run_call| run_call.failure.as_ref());
    let keys = failures.flat_map(|failure| [Some(&failure.key), failure.error_key.as_ref()]);
    episodes.failures = keys.flatten().cloned().collect();
    let maker = EpisodeBuilder {
        trace,
        status: end.status,
    };
    learn_from_calls(&reading, &maker, &mut episodes);
    learn_from_person(&reading, &maker, &mut episodes);
    // A signal has no position among the calls, so any external call of the run taints it.
    let is_external = reading.has_external_call();
    learn_from_signals(trace, policy, &maker, is_external, &mut episodes);
    if policy.mode == CaptureMode::EveryRun && trace.call_count() > 0 {
        episodes.episodes.push(maker.build_run_summary(&reading));
    }
    if episodes.episodes.is_empty() && episodes.skipped.is_empty() {
        episodes.count_skip(Skip::WentWell);
    }
    episodes.episodes.truncate(limits::EPISODES);
    episodes
}

fn learn_from_calls(
    reading: &ParsedRun<'_>,
    maker: &EpisodeBuilder<'_>,
    gated: &mut CapturedEpisodes,
) {
    let mut solved_calls: Vec<usize> = Vec::new();
    for (refusal, failures) in refusal::find_refusals(reading) {
        let episode = maker.build_refusal(reading, refusal, &failures);
        gated.episodes.push(episode);
        solved_calls.extend(failures);
    }
    let is_open =
        |index: &usize| !reading.calls[*index].has_worked() && !solved_calls.contains(index);
    let open = (0..reading.calls.len()).filter(is_open).collect();
    learn_from_failures(reading, maker, open, gated);
}

/// Collects what helped after failures that no client or program explained, and those that nothing helped.
fn learn_from_failures(
    reading: &ParsedRun<'_>,
    maker: &EpisodeBuilder<'_>,
    failed: Vec<usize>,
    gated: &mut CapturedEpisodes,
) {
    let mut fixes: Vec<Fix> = Vec::new();
    let mut candidates: Vec<Fix> = Vec::new();
    let mut open: Vec<(usize, Skip)> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    for index in failed {
        let (found, possible) = find_fixes(reading, index, &fixes);
        if !possible.is_empty() {
            waiting.push(index);
        }
        fix::add_candidates(&mut candidates, possible);
        match found {
            Ok(fix) => fix::merge_fix(&mut fixes, fix),
            Err(reason) => open.push((index, reason)),
        }
    }
    // Where something else may have run the program, it may be there.
    let is_missing = |index: usize| {
        let failure = reading.calls[index].failure.as_ref();
        failure.is_some_and(|failure| failure.family == FailureFamily::CommandMissing)
    };
    let mut unsolved = open.clone();
    unsolved.retain(|(index, _)| !(waiting.contains(index) && is_missing(*index)));
    let groups = unresolved::find_unresolved(reading, &unsolved);
    let told_calls = groups.iter().flat_map(|found| found.call_indexes.clone());
    let told_calls: Vec<usize> = told_calls.collect();
    open.retain(|(index, _)| !told_calls.contains(index));
    let walls = wall::find_walls(reading, &open, &candidates);
    let fixes = fixes.into_iter().map(|fix| maker.build_fix(reading, fix));
    let candidates = candidates.into_iter();
    let candidates = candidates.map(|fix| maker.build_tentative_fix(reading, fix));
    gated.episodes.extend(fixes.chain(candidates));
    for (index, reason) in open {
        if !waiting.contains(&index) {
            gated.count_skip(reason);
        }
    }
    let groups = groups.into_iter();
    let groups = groups.map(|found| maker.build_unresolved(reading, found));
    let walls = walls.into_iter();
    let walls = walls.map(|wall| maker.build_wall(reading, wall));
    gated.episodes.extend(groups.chain(walls));
}

/// Finds what helped after a failed call, or why that is unknown, and what may have helped.
fn find_fixes(
    reading: &ParsedRun<'_>,
    index: usize,
    known_fixes: &[Fix],
) -> (Result<Fix, Skip>, Vec<Fix>) {
    if fix::is_deliberate(&reading.calls[index]) {
        return (Err(Skip::Probe), Vec::new());
    }
    let elsewhere = fix::find_program_elsewhere(reading, index);
    let found = elsewhere.map_or_else(|| fix::find_fix(reading, index), Ok);
    let reason = match &found {
        Ok(fix) if known_fixes.iter().any(|known| known.is_same_as(fix)) => {
            return (found, Vec::new());
        }
        // Another run may show the same in another form.
        Ok(_) => Skip::Unsolved,
        Err(reason) => *reason,
    };
    let tentative = match found {
        Ok(_) => None,
        Err(_) => fix::find_tentative_fix(reading, index, reason),
    };
    let is_first = |fix: &Fix| matches!(fix.difference, Difference::First { .. });
    let mut possible = fix::find_repeatable_fixes(reading, index, reason);
    match tentative {
        Some(mended) if is_first(&mended) => possible = vec![mended],
        Some(other) if possible.is_empty() => possible.push(other),
        _ => {}
    }
    (found, possible)
}

/// Collects an episode from each message in which a person corrected the agent.
fn learn_from_person(
    reading: &ParsedRun<'_>,
    maker: &EpisodeBuilder<'_>,
    gated: &mut CapturedEpisodes,
) {
    let mut start = 0;
    for said in &reading.messages {
        let turn = &reading.calls[start..said.calls_before];
        start = said.calls_before;
        match correction::find_correction(said, turn) {
            Some(found) => {
                let episode = maker.build_correction(found);
                if !gated.episodes.iter().any(|known| known.key == episode.key) {
                    gated.episodes.push(episode);
                }
            }
            None => gated.count_skip(Skip::NotCorrection),
        }
    }
}

fn learn_from_signals(
    trace: &Trace,
    policy: &CapturePolicy,
    maker: &EpisodeBuilder<'_>,
    is_external: bool,
    gated: &mut CapturedEpisodes,
) {
    for signal in trace.signals() {
        let kinds = episode_kinds_of(signal, policy);
        if kinds.is_empty() {
            gated.count_skip(Skip::NoAdvice);
        }
        for kind in kinds {
            gated.episodes.push(maker.build_signal(kind, is_external));
        }
    }
}

/// Returns what a signal teaches; empty if it reports success or names nothing to do.
fn episode_kinds_of(signal: &Signal<CleanText>, policy: &CapturePolicy) -> Vec<EpisodeKind> {
    match signal.clone() {
        Signal::Discrepancy { detail } => vec![EpisodeKind::Discrepancy { detail }],
        Signal::LowQuality { score, detail }
            if score.is_none_or(|score| score < policy.low_quality_below) =>
        {
            vec![EpisodeKind::LowQuality { detail }]
        }
        Signal::RootCause { cause, fix } => vec![EpisodeKind::RootCause { cause, fix }],
        Signal::Heal {
            attempts,
            escalated,
            detail,
        } if attempts > 1 || escalated => {
            vec![EpisodeKind::Heal {
                attempts,
                escalated,
                detail,
            }]
        }
        Signal::LowQuality { .. } | Signal::Heal { .. } => Vec::new(),
        Signal::Review { fixed, flagged } => {
            let fixes = fixed.into_iter().map(|point| (true, point));
            let points = fixes.chain(flagged.into_iter().map(|point| (false, point)));
            let reviews = points.map(|(fixed, point)| EpisodeKind::Review { fixed, point });
            reviews.collect()
        }
    }
}

/// Returns the names that a failed call's lesson is about: the command and the tool.
fn call_names(call: &ParsedCall, failure: &CallFailure) -> Vec<String> {
    let mut names = vec![failure.label.clone()];
    if !names.contains(&call.tool) {
        names.push(call.tool.clone());
    }
    names
}

#[cfg(test)]
mod tests;

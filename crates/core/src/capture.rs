//! Decides whether a finished run taught anything, and cuts out the part that did.
//!
//! A run that went well and taught nothing is the common case, so [`capture_episodes`] usually returns no
//! episode, and says why. It asks for struggle: a failure that came again, a fix that took steps, a
//! person's correction, a signal of the runtime. What it asserts is only what the run showed: a call
//! that failed, the like call that later worked, and what differs. When a success may have another
//! reason (an edit between, another goal, chance) there is no episode. Nothing here is worded for
//! readers: that is [`distil`](crate::distil).

pub mod consensus;
mod correction;
mod difference;
mod fix;
mod episode_builder;
pub mod question;
mod parsed_run;
mod unresolved;
mod refusal;
mod schema;
pub(crate) mod show;
pub mod struggle;

use std::collections::BTreeMap;

pub(crate) use self::fix::is_path_guess;
pub use self::{
    correction::Correction,
    difference::Difference,
    fix::Fix,
    refusal::{Refusal, RefusalKind},
    schema::SchemaFix,
    unresolved::{Diagnosis, UnresolvedFailure},
};
use self::{episode_builder::EpisodeBuilder, parsed_run::ParsedRun};
use crate::{
    event::Signal,
    id::RunId,
    lesson::{FailureKey, RunOutcome},
    limits,
    scope::Scope,
    text::CleanText,
    trace::{Trace, call::ParsedCall, failure::CallFailure},
};

/// What makes a run worth an episode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CapturePolicy {
    /// Whether struggle is asked for.
    pub mode: CaptureMode,
    /// Scores below this are low quality.
    pub low_quality_below: f64,
}

/// Whether struggle is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureMode {
    /// Only runs with struggle teach.
    Struggle,
    /// Every run that ended also leaves its plain outcome: what it used, and whether it worked.
    EveryRun,
}

impl Default for CapturePolicy {
    fn default() -> Self {
        Self {
            mode: CaptureMode::Struggle,
            low_quality_below: 0.5,
        }
    }
}

/// How much an episode proves by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EpisodeWeight {
    /// What happened next, and may be chance: a lesson once enough runs did the same, and did it more
    /// often than after other troubles.
    Tentative,
    /// Seen once, at little cost: kept, and a lesson once another run shows the same.
    CandidateLesson,
    /// Recurrence or cost makes it a lesson at once.
    Lesson,
}

/// The part of a run that is worth learning from.
#[derive(Debug, Clone, PartialEq)]
pub struct Episode {
    /// Which run.
    pub run: RunId,
    /// Where a lesson from it would live.
    pub scope: Scope,
    /// What the person had asked for when it happened, when that is known.
    pub task: Option<CleanText>,
    /// How the run ended, or this part of it.
    pub outcome: RunOutcome,
    /// How much it proves by itself.
    pub weight: EpisodeWeight,
    /// Whether content from outside the machine had a part in it.
    pub external: bool,
    /// What it is recognised by when another run shows the same.
    pub key: FailureKey,
    /// The failure that a lesson from it is about, if it is about one.
    pub failure: Option<FailureKey>,
    /// What happened.
    pub kind: EpisodeKind,
}

/// What happened in an episode.
#[derive(Debug, Clone, PartialEq)]
pub enum EpisodeKind {
    /// A call failed and the like call later worked.
    Fix(Box<Fix>),
    /// Statements named tables or columns that are not there, and one with others ran.
    Schema(SchemaFix),
    /// A client's own tool refused a call and stated what to do.
    Refusal(Refusal),
    /// The same failure came again and was not got over.
    Unresolved(UnresolvedFailure),
    /// The run failed on its last call.
    RunFailed(UnresolvedFailure),
    /// A person corrected the agent.
    Correction(Correction),
    /// The runtime traced a trouble to its cause.
    RootCause {
        /// The cause.
        cause: CleanText,
        /// What mended it, if anything did.
        fix: Option<CleanText>,
    },
    /// A loop that mends failing checks took more than one attempt, or gave up.
    Heal {
        /// How many attempts it took.
        attempts: u32,
        /// Whether it gave up and asked.
        escalated: bool,
        /// What was being mended and what helped.
        detail: CleanText,
    },
    /// A review mended or flagged this point.
    Review {
        /// Whether it mended it or only pointed at it.
        fixed: bool,
        /// The point.
        point: CleanText,
    },
    /// A verifier found that a claim was not so.
    Discrepancy {
        /// The claim, and what is so.
        detail: CleanText,
    },
    /// The result scored low.
    LowQuality {
        /// What was wrong with it.
        detail: CleanText,
    },
    /// The run ended; only under [`CaptureMode::EveryRun`].
    RunSummary(RunSummary),
}

/// How a run went, without any judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Whether it was completed.
    pub completed: bool,
    /// The tools it used, each once, in order.
    pub tools: Vec<String>,
    /// How many calls worked.
    pub worked: usize,
    /// How many calls failed.
    pub failed: usize,
    /// The heads of its first errors, at most [`limits::PLAIN_ERRORS`].
    pub errors: Vec<String>,
}

macro_rules! skips {
    ($($(#[$doc:meta])* $variant:ident = $name:literal: $text:literal,)+) => {
        /// Why something taught nothing.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Skip { $($(#[$doc])* $variant,)+ }

        impl Skip {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the word used in JSON, which stays when the text is put better.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns the reason in words for people.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

skips! {
    /// The run has not ended.
    StillGoing = "not_ended": "the run has not ended",
    /// The run called nothing.
    NothingDone = "did_nothing": "the run did nothing",
    /// Nothing failed and nobody complained.
    WentWell = "went_well": "the run went well",
    /// Somebody or something stopped the call.
    Stopped = "interrupted": "a call was interrupted or not allowed",
    /// Weather.
    Transient = "temporary": "a failure was temporary (network, limits, timeouts)",
    /// Tests, checks or the agent's own code: the work itself.
    TheWork = "own_work": "a failing test, check or program was the work itself",
    /// A question that may be answered no.
    Probe = "only_asked": "a failing call only asked whether something is there",
    /// Nothing was found.
    NoMatch = "found_nothing": "a search found nothing, or a failure said nothing",
    /// A wrong guess at a path or a name.
    Guess = "wrong_guess": "a guess at a name or path was wrong",
    /// A slip of the pen.
    Typo = "typo": "a typo was corrected",
    /// An edit that did not fit.
    EditSlip = "edit_repeated": "an edit failed to apply and was repeated",
    /// Which command failed cannot be told, or the line is too involved to compare.
    Unclear = "unclear_command": "it is unclear which command of the call failed",
    /// The same call also worked, or the remedy also failed.
    Flaky = "flaky": "the same call also worked, or the remedy also failed",
    /// Something else may have made it work.
    OtherCause = "other_cause": "an edit or another step may have made it work",
    /// Nothing later was alike.
    Unsolved = "unsolved": "a failure was not followed by a similar call that worked",
    /// The person's words were no correction.
    NotCorrection = "no_correction": "a message was no correction",
    /// The rules cannot say what to do.
    NoAdvice = "no_remedy": "no rule knows a remedy for the failure",
}

/// What the gate made of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CapturedEpisodes {
    /// What is worth learning from; usually nothing.
    pub episodes: Vec<Episode>,
    /// Why the rest taught nothing, with how often.
    pub skipped: BTreeMap<Skip, u32>,
}

impl CapturedEpisodes {
    fn count_skip(&mut self, reason: Skip) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

/// Decides what a run taught.
#[must_use]
pub fn capture_episodes(trace: &Trace, policy: &CapturePolicy) -> CapturedEpisodes {
    let mut gated = CapturedEpisodes::default();
    let Some(end) = trace.end() else {
        gated.count_skip(Skip::StillGoing);
        return gated;
    };
    if trace.call_count() == 0 && trace.signals().is_empty() && trace.steps().is_empty() {
        gated.count_skip(Skip::NothingDone);
        return gated;
    }
    let reading = ParsedRun::from_trace(trace);
    let maker = EpisodeBuilder {
        trace,
        status: end.status,
    };
    learn_from_calls(&reading, &maker, &mut gated);
    learn_from_person(&reading, &maker, &mut gated);
    // A signal has no place among the calls.
    let is_external = reading.has_external_call();
    learn_from_signals(trace, policy, &maker, is_external, &mut gated);
    if policy.mode == CaptureMode::EveryRun && trace.call_count() > 0 {
        gated.episodes.push(maker.build_run_summary(&reading));
    }
    if gated.episodes.is_empty() && gated.skipped.is_empty() {
        gated.count_skip(Skip::WentWell);
    }
    gated.episodes.truncate(limits::EPISODES);
    gated
}

fn learn_from_calls(
    reading: &ParsedRun<'_>,
    maker: &EpisodeBuilder<'_>,
    gated: &mut CapturedEpisodes,
) {
    let schemas = schema::find_schema_fixes(reading);
    let mut solved: Vec<bool> = vec![false; reading.calls.len()];
    for (schema, failures) in schemas {
        for index in &failures {
            solved[*index] = true;
        }
        gated
            .episodes
            .push(maker.build_schema(reading, schema, &failures));
    }
    for (refusal, failures) in refusal::find_refusals(reading) {
        for index in &failures {
            solved[*index] = true;
        }
        let episode = maker.build_refusal(reading, refusal, &failures);
        gated.episodes.push(episode);
    }
    let mut fixes: Vec<Fix> = Vec::new();
    let mut candidates: Vec<Fix> = Vec::new();
    let mut open: Vec<(usize, Skip)> = Vec::new();
    let failed = (0..reading.calls.len()).filter(|index| reading.calls[*index].failure.is_some());
    for index in failed.filter(|index| !solved[*index]) {
        match fix::find_fix(reading, index) {
            Ok(fix) => fix::merge_fix(&mut fixes, fix),
            Err(reason) => {
                if let Some(candidate) = fix::find_tentative_fix(reading, index, reason) {
                    fix::merge_fix(&mut candidates, candidate);
                }
                open.push((index, reason));
            }
        }
    }
    for fix in fixes {
        gated.episodes.push(maker.build_fix(reading, fix));
    }
    for candidate in candidates {
        gated
            .episodes
            .push(maker.build_tentative_fix(reading, candidate));
    }
    let repeated = unresolved::find_unresolved(reading, &open);
    for (index, reason) in open {
        if !repeated
            .iter()
            .any(|found| found.call_indexes.contains(&index))
        {
            gated.count_skip(reason);
        }
    }
    for found in repeated {
        gated.episodes.push(maker.build_unresolved(reading, found));
    }
}

fn learn_from_person(
    reading: &ParsedRun<'_>,
    maker: &EpisodeBuilder<'_>,
    gated: &mut CapturedEpisodes,
) {
    for said in &reading.messages {
        match correction::find_correction(said) {
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

/// Returns what a signal teaches; nothing when it went well or names nothing to do.
fn episode_kinds_of(signal: &Signal<CleanText>, policy: &CapturePolicy) -> Vec<EpisodeKind> {
    match signal.clone() {
        Signal::Discrepancy { detail } => vec![EpisodeKind::Discrepancy { detail }],
        Signal::LowQuality { score, detail } => {
            let is_low = score.is_none_or(|score| score < policy.low_quality_below);
            if is_low {
                vec![EpisodeKind::LowQuality { detail }]
            } else {
                Vec::new()
            }
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
        Signal::Heal { .. } => Vec::new(),
        Signal::Review { fixed, flagged } => {
            let fixed = fixed
                .into_iter()
                .map(|point| EpisodeKind::Review { fixed: true, point });
            let flagged = flagged.into_iter().map(|point| EpisodeKind::Review {
                fixed: false,
                point,
            });
            fixed.chain(flagged).collect()
        }
    }
}

/// A failure with the call that met it, as episodes carry them.
fn call_names(call: &ParsedCall, failure: &CallFailure) -> Vec<String> {
    let mut names = vec![failure.label.clone()];
    if !names.contains(&call.tool) {
        names.push(call.tool.clone());
    }
    names
}

#[cfg(test)]
mod tests;

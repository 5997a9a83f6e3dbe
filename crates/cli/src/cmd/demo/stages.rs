//! What each stage makes of a run that ended: its trace, the episodes in it, their drafts, and
//! what the guard says.

use hardwon_core::{
    capture::{self, Episode, EpisodeKind, EpisodeWeight},
    distil::draft_episode,
    guard::{self, GuardVerdict},
    lesson::Draft,
    trace::Trace,
};
use hardwon_engine::Policy;

use super::print_labelled;
use crate::error::CliError;

pub(super) fn show_capture(trace: &Trace, policy: &Policy) -> Result<(), CliError> {
    let gated = capture::capture_episodes(trace, &policy.capture);
    if gated.episodes.is_empty() {
        let why: Vec<&str> = gated.skipped.keys().map(|skip| skip.text()).collect();
        return print_labelled("captures", &format!("nothing: {}", why.join("; ")));
    }
    gated
        .episodes
        .iter()
        .try_for_each(|it| show_episode(it, policy))
}

fn show_episode(episode: &Episode, policy: &Policy) -> Result<(), CliError> {
    let weight = match episode.weight {
        EpisodeWeight::Lesson => "enough for a lesson",
        EpisodeWeight::CandidateLesson => "a lesson once two runs have met it",
        EpisodeWeight::Tentative => "a lesson once runs agree that it helps",
    };
    let tainted = if episode.external {
        "; content from outside had a part in it"
    } else {
        ""
    };
    print_labelled(
        "captures",
        &format!("{}; {weight}{tainted}", describe_kind(&episode.kind)),
    )?;
    match draft_episode(episode) {
        Some(draft) => show_draft(draft, policy),
        None => Ok(()),
    }
}

fn describe_kind(kind: &EpisodeKind) -> &'static str {
    match kind {
        EpisodeKind::Fix(_) => "a call that failed, and the similar call that worked",
        EpisodeKind::Refusal(_) => "a refusal that says what to do",
        EpisodeKind::Schema(_) => "a query for what is not there, and the one that ran",
        EpisodeKind::Unresolved(_) => "a failure that stayed unsolved",
        EpisodeKind::RunFailed(_) => "a failure that ended the run",
        EpisodeKind::Correction(_) => "a person corrected the agent",
        EpisodeKind::RootCause { .. } => "a trouble traced to its cause",
        EpisodeKind::Heal { .. } => "checks that took several attempts to mend",
        EpisodeKind::Review { .. } => "a point of a review",
        EpisodeKind::Discrepancy { .. } => "a claim that was not so",
        EpisodeKind::LowQuality { .. } => "a result that scored low",
        EpisodeKind::RunSummary(_) => "how the run ended",
    }
}

fn show_draft(draft: Draft, policy: &Policy) -> Result<(), CliError> {
    let (signature, text) = (&draft.content.signature, &draft.content.text);
    let signature = match signature.expose() {
        "" => String::new(),
        signature => format!("[{signature}] "),
    };
    print_labelled("distils", &format!("{signature}{}", text.expose()))?;
    match guard::admit_draft(draft, &policy.guard) {
        GuardVerdict::Admitted(admitted) => match hardwon_engine::status_reason(&admitted.status) {
            None => print_labelled("guards", "clean: it may be recalled"),
            Some(why) => print_labelled("guards", &format!("held for a person: {why}")),
        },
        GuardVerdict::Rejected { reasons } => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            print_labelled("guards", &format!("refused: {}", reasons.join("; ")))
        }
    }
}

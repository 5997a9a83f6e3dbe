//! The fixed wording for each kind of episode.

mod fix;
mod refusal;
mod signal;
mod wall;

use std::collections::BTreeSet;

use self::{
    fix::from_fix,
    refusal::from_refusal,
    signal::{
        from_discrepancy, from_heal, from_low_quality, from_review, from_root_cause,
        wording_from_signal,
    },
    wall::from_wall,
};
use super::words::{code_span, cut_at_word, derive_title, emphasize_error, normalize_tag};
use crate::{
    CallFailure, CleanText, Draft, EpisodeKind, Evidence, LessonContent, RawText, Trust,
    TrustClass,
    capture::{Correction, Diagnosis, Episode, RunSummary, UnresolvedFailure},
    lesson::Cause,
    limits,
};

/// The words of a lesson, before they become a draft.
struct DraftWording {
    title: String,
    signature: String,
    text: String,
    situation: Option<String>,
    mistake: Option<String>,
    tags: Vec<String>,
    tools: Vec<String>,
    cause: Cause,
    confidence: f64,
    note: String,
    /// Whether the lesson is about the failure that the episode's key names.
    names_failure: bool,
}

impl DraftWording {
    /// Words what is about a failure; the note and the confidence are those of one that nothing helped.
    fn from_failure(failure: &CallFailure, title: String, text: String, tools: &[String]) -> Self {
        Self {
            title,
            signature: failure.signature(),
            text,
            situation: None,
            mistake: None,
            tags: failure_tags(failure),
            tools: tools.to_vec(),
            cause: Cause::Error,
            confidence: 0.5,
            note: String::new(),
            names_failure: true,
        }
    }
}

/// Writes the draft for an episode by rules; `None` when there is nothing to act upon.
pub fn draft_episode(episode: &Episode) -> Option<Draft> {
    let words = word_episode(episode)?;
    let fits = words.text.chars().count() <= limits::TEXT_CHARS && !words.title.is_empty();
    fits.then(|| build_draft(episode, words))
}

fn word_episode(episode: &Episode) -> Option<DraftWording> {
    match &episode.kind {
        EpisodeKind::Fix(fix) => from_fix(fix),
        EpisodeKind::Refusal(refusal) => from_refusal(refusal),
        EpisodeKind::Wall(wall) => from_wall(wall),
        EpisodeKind::Unresolved(repeated) | EpisodeKind::RunFailed(repeated) => {
            from_repeated(repeated)
        }
        EpisodeKind::Correction(correction) => Some(from_correction(correction)),
        EpisodeKind::RootCause { cause, fix } => {
            let fix = fix.as_ref().filter(|fix| !fix.is_blank());
            from_root_cause(cause.as_str(), fix.map(CleanText::as_str))
        }
        EpisodeKind::Heal {
            attempts,
            escalated,
            detail,
        } => {
            let task = episode.task.as_ref().map(CleanText::as_str);
            from_heal(*attempts, *escalated, detail.as_str(), task)
        }
        EpisodeKind::Review { fixed, point } => from_review(*fixed, point.as_str()),
        EpisodeKind::Discrepancy { detail } => from_discrepancy(detail.as_str()),
        EpisodeKind::LowQuality { detail } => from_low_quality(detail.as_str()),
        EpisodeKind::RunSummary(plain) => Some(from_plain(plain, episode)),
    }
}

fn build_draft(episode: &Episode, words: DraftWording) -> Draft {
    let raw = |text: String| RawText::new(text);
    let mut content = LessonContent::new(
        raw(truncate_at_word(&words.signature, limits::SIGNATURE_CHARS)),
        raw(words.text),
    );
    content.title = raw(derive_title(&words.title));
    content.situation = words.situation.map(raw);
    content.mistake = words.mistake.map(raw);
    let tags = words.tags.iter().filter_map(|name| normalize_tag(name));
    let tags: BTreeSet<String> = tags.collect();
    content.tags = tags.into_iter().take(limits::TAGS).map(raw).collect();
    let is_short = |name: &String| name.chars().count() <= limits::TAG_CHARS;
    let tools = words.tools.into_iter().filter(is_short);
    content.tools = tools.take(limits::TOOLS).map(raw).collect();
    let mut evidence = Evidence::from_run(&episode.run);
    evidence.note = Some(raw(words.note));
    Draft {
        scope: episode.scope.clone(),
        content,
        cause: words.cause,
        outcome: episode.outcome,
        evidence: vec![evidence],
        trust: Trust::new(TrustClass::Derived, episode.external),
        confidence: words.confidence,
        failure: episode.failure.clone().filter(|_| words.names_failure),
        expires_at: None,
        supersedes: Vec::new(),
        task: episode.task.as_ref().map(|task| raw(task.to_string())),
    }
}

/// Cuts a signature at the end of a word.
fn truncate_at_word(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    format!("{}…", cut_at_word(text, limit))
}

fn from_repeated(repeated: &UnresolvedFailure) -> Option<DraftWording> {
    let failure = &repeated.failure;
    let error = emphasize_error(&failure.gist);
    let label = code_span(&failure.label);
    let (title, text) = match repeated.diagnosis {
        Diagnosis::MissingProgram => (
            format!("Do without {label}: it is not installed here"),
            format!("{label} is not installed here (*command not found*). Use another program, or install it first."),
        ),
        Diagnosis::NoNetwork => (
            "Work offline: there is no network here".to_owned(),
            format!("There is no way out to the network here: {label} and every other try failed ({error}). Do not download or install anything; use what is already on the machine."),
        ),
        Diagnosis::SudoPassword => (
            "Do without `sudo`: it asks for a password here".to_owned(),
            "`sudo` asks for a password here, and an agent cannot type one. Do without root, or ask the person to run the command.".to_owned(),
        ),
        Diagnosis::Credentials => (
            format!("Ask for credentials before {label}"),
            format!("{label} fails here with {error}. Trying again does not help: ask the person for access, or leave this step to them."),
        ),
        Diagnosis::SameError => (
            format!("Do not keep varying {label}"),
            format!("{label} kept failing with {error}: {} tries with variants of it did not help. Solve it another way.", repeated.failures),
        ),
    };
    let times = format_times(repeated.failures);
    Some(DraftWording {
        mistake: Some(format!("{label} failed {times} and was not got to work.")),
        note: format!("failed {times}, never worked"),
        names_failure: repeated.diagnosis != Diagnosis::NoNetwork,
        ..DraftWording::from_failure(failure, title, text, &repeated.names)
    })
}

fn failure_tags(failure: &CallFailure) -> Vec<String> {
    let mut tags = vec![
        failure.program().to_owned(),
        failure.label.clone(),
        failure.family.name().to_owned(),
    ];
    tags.extend(failure.subject.clone());
    tags
}

fn format_times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}

fn format_calls(count: u32) -> String {
    match count {
        1 => "one call".to_owned(),
        _ => format!("{count} calls"),
    }
}

fn from_correction(correction: &Correction) -> DraftWording {
    let text = correction.text.clone();
    let note = "a person corrected the agent";
    let plain = wording_from_signal(
        &correction.text,
        text,
        None,
        Cause::Correction,
        note,
        "preference",
    );
    DraftWording {
        confidence: correction.confidence,
        signature: correction.answers.clone().unwrap_or_default(),
        ..plain
    }
}

/// Returns the words of a sentence that name things: code spans, file names, identifiers.
pub(super) fn find_names(text: &str) -> Vec<String> {
    let spans = text.split('`').skip(1).step_by(2).map(str::to_owned);
    let words = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"' | '`'))
        .map(|word| word.trim_matches(|c: char| matches!(c, '.' | ':' | ';' | '!' | '\'')))
        .filter(|word| {
            let is_name = word
                .chars()
                .skip(1)
                .any(|c| matches!(c, '.' | '_' | '/' | '-' | ':'));
            word.len() > 2 && is_name && !word.contains("://")
        })
        .map(str::to_owned);
    const NAMES: usize = 6;
    let mut names: Vec<String> = Vec::new();
    for name in spans.chain(words).filter(|span| span.chars().count() <= 40) {
        let is_new = !names.iter().any(|known| known.contains(&name));
        if is_new && names.len() < NAMES {
            names.push(name);
        }
    }
    names
}

/// Words a plain outcome: the tools when it worked, the first errors when it did not.
fn from_plain(plain: &RunSummary, episode: &Episode) -> DraftWording {
    let tools = plain.tools.join(", ");
    let RunSummary { worked, failed, .. } = plain;
    let (title, cause, text) = if plain.completed {
        let title = format!("Completed using {tools}");
        let text = format!("{title}. {worked} step(s) succeeded.");
        (title, Cause::Manual, text)
    } else {
        let text = if plain.errors.is_empty() {
            format!("Failed with {failed} failed step(s) using {tools}.")
        } else {
            format!("Failed: {}", plain.errors.join("; "))
        };
        let title = "Expect this task to fail as it did".to_owned();
        (title, Cause::Error, text)
    };
    let task = episode.task.as_ref().map(|task| task_head(task.as_str()));
    DraftWording {
        title,
        signature: task.clone().unwrap_or_default(),
        text,
        situation: task,
        mistake: None,
        tags: plain.tools.clone(),
        tools: plain.tools.clone(),
        cause,
        confidence: 0.3,
        note: "recorded because every run is".to_owned(),
        names_failure: false,
    }
}

/// Returns the beginning of a task, enough to identify it.
fn task_head(task: &str) -> String {
    task.chars().take(limits::PLAIN_TASK_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_sentence() {
        for (text, names) in [
            ("use pnpm", &[][..]),
            (
                "use `just test` in src/main.rs",
                &["just test", "src/main.rs"],
            ),
            ("run `deploy --now`, and --now only", &["deploy --now"]),
            ("see https://a.b/c", &[]),
            ("read évé.rs, é. and été", &["évé.rs"]),
        ] {
            assert_eq!(find_names(text), names, "{text}");
        }
    }
}

//! One form of words for each kind of episode.

use super::words::{code, codes, list, said, tag, title_of, whole_sentences};
use crate::{
    capture::{
        Correction, Diagnosis, Difference, Episode, EpisodeKind, Fix, Plain, Repeated, Schema,
    },
    evidence::Evidence,
    lesson::{Cause, Content, Draft, Trust, TrustClass},
    limits,
    text::RawText,
    trace::failure::Failure,
};

/// What a lesson says, before it is put into a draft.
struct Words {
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
    /// Whether it is about the failure that the episode's key names.
    names_failure: bool,
}

/// Writes the draft for an episode; none when there is nothing to do about it.
pub(super) fn draft(episode: &Episode) -> Option<Draft> {
    let words = words(episode)?;
    let fits = words.text.chars().count() <= limits::TEXT_CHARS && !words.title.is_empty();
    fits.then(|| made(episode, words))
}

fn words(episode: &Episode) -> Option<Words> {
    match &episode.kind {
        EpisodeKind::Fix(fix) => from_fix(fix),
        EpisodeKind::Schema(schema) => from_schema(schema),
        EpisodeKind::Repeated(repeated) | EpisodeKind::RunFailed(repeated) => {
            from_repeated(repeated)
        }
        EpisodeKind::Correction(correction) => Some(from_correction(correction)),
        EpisodeKind::RootCause { cause, fix } => from_root_cause(cause.as_str(), fix.as_str()),
        EpisodeKind::Heal {
            attempts,
            escalated,
            detail,
        } => from_heal(*attempts, *escalated, detail.as_str()),
        EpisodeKind::Review { fixed, point } => from_review(*fixed, point.as_str()),
        EpisodeKind::Discrepancy { detail } => from_discrepancy(detail.as_str()),
        EpisodeKind::LowQuality { detail } => from_low_quality(detail.as_str()),
        EpisodeKind::Plain(plain) => Some(from_plain(plain, episode)),
    }
}

fn made(episode: &Episode, words: Words) -> Draft {
    let raw = |text: String| RawText::new(text);
    let mut content = Content::new(
        raw(capped(&words.signature, limits::SIGNATURE_CHARS)),
        raw(words.text),
    );
    content.title = raw(title_of(&words.title));
    content.situation = words.situation.map(raw);
    content.mistake = words.mistake.map(raw);
    let mut tags: Vec<String> = words.tags.iter().filter_map(|name| tag(name)).collect();
    tags.sort();
    tags.dedup();
    content.tags = tags.into_iter().take(limits::TAGS).map(raw).collect();
    content.tools = words
        .tools
        .into_iter()
        .filter(|name| name.chars().count() <= limits::TAG_CHARS)
        .take(limits::TOOLS)
        .map(raw)
        .collect();
    let mut evidence = Evidence::run(&episode.run);
    evidence.note = Some(raw(words.note));
    Draft {
        scope: episode.scope.clone(),
        content,
        cause: words.cause,
        outcome: episode.outcome,
        evidence: vec![evidence],
        trust: Trust {
            class: TrustClass::Derived,
            tainted: episode.external,
        },
        confidence: words.confidence,
        failure: episode.failure.clone().filter(|_| words.names_failure),
        expires_at: None,
        supersedes: Vec::new(),
    }
}

/// Cuts a signature at a word's end.
fn capped(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let end = text
        .char_indices()
        .nth(limit - 1)
        .map_or(text.len(), |(at, _)| at);
    let cut = text[..end].rfind(' ').unwrap_or(end);
    format!("{}…", &text[..cut])
}

fn from_fix(fix: &Fix) -> Option<Words> {
    let failure = &fix.failure;
    let error = said(&failure.gist);
    let (title, text) = fix_sentences(fix, &error)?;
    Some(Words {
        title,
        signature: failure.pattern(),
        text,
        situation: Some(format!("{} stops with {error}.", code(&failure.label))),
        mistake: Some(format!(
            "{} was called in a way that fails ({}).",
            code(&failure.label),
            times(fix.failures)
        )),
        tags: tags_of(failure),
        tools: fix.names.clone(),
        cause: Cause::Error,
        confidence: if fix.failures >= 2 { 0.7 } else { 0.6 },
        note: format!(
            "failed {}, worked {} later",
            times(fix.failures),
            steps(fix.steps)
        ),
        names_failure: true,
    })
}

fn fix_sentences(fix: &Fix, error: &str) -> Option<(String, String)> {
    let label = code(&fix.failure.label);
    Some(match &fix.difference {
        Difference::Program {
            missing,
            used,
            shown,
        } => (
            format!("Use {} where {} is missing", code(used), code(missing)),
            program(missing, used, shown),
        ),
        Difference::Runner { from, to } => (
            format!("Run {} instead of {}", code(to), code(from)),
            format!(
                "{} fails with {error}. Run {} instead.",
                code(from),
                code(to)
            ),
        ),
        Difference::Script { from, to } => (
            format!("Run {} instead of {}", code(to), code(from)),
            format!(
                "{} fails with {error}. Run {} instead.",
                code(from),
                code(to)
            ),
        ),
        Difference::Options {
            command,
            removed,
            added,
        } => options(command, removed, added, error),
        Difference::Word { command, from, to } => (
            format!("Do not give {} {}", code(command), code(from)),
            format!(
                "{} does not take {} ({error}). It took {} in the same place.",
                code(command),
                code(from),
                code(to)
            ),
        ),
        Difference::Folder { command, folder } => (
            format!("Run {} in the {} folder", code(command), code(folder)),
            format!(
                "{} fails with {error} outside the {} folder. Change into {} first.",
                code(command),
                code(folder),
                code(folder)
            ),
        ),
        Difference::Env { command, variables } => (
            format!("Set {} for {}", code(&variables.join(" ")), code(command)),
            format!(
                "{} fails with {error}. Set {} for it; then it works.",
                code(command),
                code(&variables.join(" "))
            ),
        ),
        Difference::SudoAdded { command } => (
            format!("Run {} with `sudo`", code(command)),
            format!(
                "{} fails with {error}. It needs root here: run it with `sudo`.",
                code(command)
            ),
        ),
        Difference::SudoDropped { command } => (
            format!("Run {} without `sudo`", code(command)),
            format!(
                "`sudo` does not work here ({error}). Run {} without it; that works.",
                code(command)
            ),
        ),
        Difference::Quoting { from, to } => (
            format!("Quote {} as {}", code(from), code(to)),
            format!(
                "Written as {}, the shell stops with {error}. Write {}.",
                code(from),
                code(to)
            ),
        ),
        Difference::First { command, first } => (
            format!("Run {} before {}", code(first), code(command)),
            format!(
                "{} fails with {error}. Run {} first; after it the same command worked.",
                code(command),
                code(first)
            ),
        ),
        Difference::Branch { from, to } => (
            format!("Name the branch {}, not {}", code(to), code(from)),
            format!(
                "There is no branch {} in this repository: {label} fails with {error}. Use {}.",
                code(from),
                code(to)
            ),
        ),
        Difference::Keys { removed, added } => keys(&label, removed, added, error)?,
        Difference::Value { key, values } => value(&label, key, values.as_ref(), error),
        Difference::Dialect { word, instead } => (
            format!("Do without {} in {label} statements", code(word)),
            match instead {
                Some(instead) => format!("The database does not know {} ({error}). Write the statement without it: one with {} ran.", code(word), code(instead)),
                None => format!("The database does not know {} ({error}). Write the statement without it; one without it ran.", code(word)),
            },
        ),
        Difference::FullGroupBy => (
            "Group by every selected column".to_owned(),
            "The database runs with `ONLY_FULL_GROUP_BY`: it refuses a statement that selects a column which is neither in `GROUP BY` nor inside an aggregate. Name every selected column in `GROUP BY`, or aggregate it.".to_owned(),
        ),
        Difference::Indentation => (
            format!("Give {label} its text with the file's own indentation"),
            format!(
                "{label} refuses text whose indentation does not fit the file ({error}). Write each line with the indentation it has in the file: the same text with other white space was accepted."
            ),
        ),
    })
}

/// Shows the whole command only where it says more than the program.
fn program(missing: &str, used: &str, shown: &str) -> String {
    let (missing, used_code) = (code(missing), code(used));
    if shown == used || shown == format!("{used} …") {
        format!("{missing} is not installed here. Use {used_code} instead; it worked in its place.")
    } else {
        format!(
            "{missing} is not installed here. Use {used_code} instead: {} worked in its place.",
            code(shown)
        )
    }
}

fn options(command: &str, removed: &[String], added: &[String], error: &str) -> (String, String) {
    let command = code(command);
    let (gone, new) = (codes(removed, "and"), codes(added, "and"));
    if added.is_empty() {
        (
            format!("Leave {gone} out of {command}"),
            format!(
                "{command} with {gone} fails with {error}. Leave {gone} out; the rest of the command works."
            ),
        )
    } else if removed.is_empty() {
        (
            format!("Call {command} with {new}"),
            format!(
                "{command} without {new} fails with {error}. Add {new}; with it the same command worked."
            ),
        )
    } else {
        (
            format!("Use {new} instead of {gone} with {command}"),
            format!(
                "{command} with {gone} fails with {error}. Use {new} instead; with it the command worked."
            ),
        )
    }
}

fn keys(
    label: &str,
    removed: &[String],
    added: &[String],
    error: &str,
) -> Option<(String, String)> {
    let (gone, new) = (codes(removed, "and"), codes(added, "and"));
    Some(match (removed.is_empty(), added.is_empty()) {
        (false, false) => (
            format!("Call {label} with {new}, not {gone}"),
            format!("{label} fails with {error} when called with {gone}. It takes {new} instead."),
        ),
        (true, false) => (
            format!("Give {label} the argument {new}"),
            format!(
                "{label} without {new} fails with {error}. Pass {new}; with it the call worked."
            ),
        ),
        (false, true) => (
            format!("Call {label} without {gone}"),
            format!(
                "{label} with {gone} fails with {error}. Leave {gone} out; without it the call worked."
            ),
        ),
        (true, true) => return None,
    })
}

fn value(
    label: &str,
    key: &str,
    values: Option<&(String, String)>,
    error: &str,
) -> (String, String) {
    let key = code(key);
    match values {
        Some((from, to)) => (
            format!("Call {label} with {key} {}, not {}", code(to), code(from)),
            format!(
                "{label} fails with {error} when {key} is {}. With {} the same call worked.",
                code(from),
                code(to)
            ),
        ),
        None => (
            format!("Check {key} before calling {label}"),
            format!(
                "{label} refused a call with {error}, and took it once {key} alone was changed. Check {key} against that rule before calling."
            ),
        ),
    }
}

fn from_schema(schema: &Schema) -> Option<Words> {
    let tables = codes(&schema.tables, "and");
    let mut facts: Vec<String> = Vec::new();
    if !schema.missing_tables.is_empty() {
        facts.push(format!(
            "There is no table {}; the query that ran reads {tables}.",
            codes(&schema.missing_tables, "or")
        ));
    }
    for table in distinct(schema.missing_columns.iter().map(|(_, table)| table)) {
        let columns: Vec<String> = schema
            .missing_columns
            .iter()
            .filter(|(_, of)| *of == table)
            .map(|(column, _)| column.clone())
            .collect();
        facts.push(format!(
            "{} has no column {}.",
            code(&table),
            codes(&columns, "or")
        ));
    }
    if !schema.missing_columns.is_empty() && !schema.columns.is_empty() {
        facts.push(format!(
            "The query that ran names {}.",
            codes(&schema.columns, "and")
        ));
    }
    if facts.is_empty()
        || (schema.missing_columns.iter().len() > 0
            && schema.columns.is_empty()
            && schema.missing_tables.is_empty())
    {
        return None;
    }
    let advice = if schema.looked_up {
        "Look up the tables and columns before the first query."
    } else {
        "Check names against the schema before querying."
    };
    let title = match (schema.missing_tables.as_slice(), schema.tables.as_slice()) {
        ([missing], [table]) => format!("Query the table {}, not {}", code(table), code(missing)),
        ([], [table]) => format!("Look up the columns of {} before querying it", code(table)),
        _ => "Look up table and column names before the first query".to_owned(),
    };
    let missing: Vec<String> = schema
        .missing_tables
        .iter()
        .cloned()
        .chain(
            schema
                .missing_columns
                .iter()
                .map(|(column, table)| format!("{table}.{column}")),
        )
        .collect();
    Some(Words {
        title,
        signature: format!(
            "{} (no such table or column: {})",
            schema.tool,
            list(&missing, "or")
        ),
        text: format!("{} {advice}", facts.join(" ")),
        situation: Some(format!("Querying {tables}.")),
        mistake: Some("Names of tables or columns were guessed.".to_owned()),
        tags: [
            vec!["sql".to_owned(), "schema".to_owned()],
            schema.tables.iter().take(4).cloned().collect(),
        ]
        .concat(),
        tools: vec![schema.tool.clone()],
        cause: Cause::Error,
        confidence: if schema.looked_up { 0.7 } else { 0.6 },
        note: format!(
            "failed {}, ran {} later",
            times(schema.failures),
            steps(schema.steps)
        ),
        names_failure: true,
    })
}

fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(name.clone());
        }
    }
    distinct
}

fn from_repeated(repeated: &Repeated) -> Option<Words> {
    let failure = &repeated.failure;
    let error = said(&failure.gist);
    let label = code(&failure.label);
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
        Diagnosis::Backticks => (
            "Do not put the whole command in backticks".to_owned(),
            "A command that stands whole in backticks is replaced by its output, and the shell then tries to run that output (*command not found* for a word of it). Write the command without backticks.".to_owned(),
        ),
        Diagnosis::ExpandedPattern { quoted } => (
            format!("Keep the shell from expanding the pattern given to {label}"),
            if quoted {
                format!("{label} fails with {error} when a shell expands the pattern before {label} sees it, and here quoting it was not enough. Escape the `*` as well, put the command into a script file, or filter in another way.")
            } else {
                format!("{label} fails with {error} when the shell expands an unquoted pattern before {label} sees it. Put every word with a `*` in single quotes.")
            },
        ),
        Diagnosis::EditMismatch => (
            format!("Read the file again before another {label}"),
            format!("{label} failed {} because its text did not match the file ({error}). After one such failure, read the lines as they are now and copy them exactly.", times(repeated.failures)),
        ),
        Diagnosis::SameError => {
            (
                format!("Do not keep varying {label}"),
                format!("{label} kept failing with {error}: {} tries with variants of it did not help. Solve it another way.", repeated.failures),
            )
        }
    };
    Some(Words {
        title,
        signature: failure.pattern(),
        text,
        situation: None,
        mistake: Some(format!(
            "{label} failed {} and was not got to work.",
            times(repeated.failures)
        )),
        tags: tags_of(failure),
        tools: repeated.names.clone(),
        cause: Cause::Error,
        confidence: 0.5,
        note: format!("failed {}, never worked", times(repeated.failures)),
        names_failure: repeated.diagnosis != Diagnosis::NoNetwork,
    })
}

fn tags_of(failure: &Failure) -> Vec<String> {
    let program = failure.label.split(' ').next().unwrap_or_default();
    let mut tags = vec![
        program.to_owned(),
        failure.label.clone(),
        failure.family.name().to_owned(),
    ];
    tags.extend(failure.subject.clone());
    tags
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}

fn steps(count: u32) -> String {
    if count == 1 {
        "one call".to_owned()
    } else {
        format!("{count} calls")
    }
}

fn from_correction(correction: &Correction) -> Words {
    Words {
        title: title_of(&correction.text),
        signature: named_in(&correction.text).join(" "),
        text: correction.text.clone(),
        situation: None,
        mistake: correction
            .before
            .as_ref()
            .map(|label| format!("The person said so after {}.", code(label))),
        tags: [vec!["preference".to_owned()], named_in(&correction.text)].concat(),
        tools: Vec::new(),
        cause: Cause::Correction,
        confidence: 0.8,
        note: "a person corrected the agent".to_owned(),
        names_failure: false,
    }
}

/// Returns the words of a sentence that name things: code spans, file names, identifiers.
fn named_in(text: &str) -> Vec<String> {
    let spans = text.split('`').skip(1).step_by(2).map(str::to_owned);
    let marked = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"' | '`'))
        .map(|word| word.trim_matches(|c: char| matches!(c, '.' | ':' | ';' | '!' | '\'')))
        .filter(|word| {
            word.len() > 2 && word[1..].contains(['.', '_', '/', '-', ':']) && !word.contains("://")
        })
        .map(str::to_owned);
    let mut names: Vec<String> = spans
        .chain(marked)
        .filter(|name| name.chars().count() <= 40)
        .collect();
    names.dedup();
    names.truncate(6);
    names
}

fn from_root_cause(cause: &str, fix: &str) -> Option<Words> {
    let cause = whole_sentences(cause, limits::POINT_CHARS)?;
    let fix = whole_sentences(fix, limits::POINT_CHARS)?;
    Some(signalled(
        &fix,
        format!("{fix} The cause was: {cause}"),
        Some(cause.clone()),
        Cause::Debugged,
        "a debugging session named the cause",
        "debugging",
    ))
}

fn from_heal(attempts: u32, escalated: bool, detail: &str) -> Option<Words> {
    let detail = whole_sentences(detail, limits::POINT_CHARS)?;
    let (cause, note) = if escalated {
        (
            Cause::Escalated,
            format!("gave up after {attempts} attempts"),
        )
    } else {
        (Cause::Retried, format!("took {attempts} attempts"))
    };
    Some(signalled(
        &detail,
        detail.clone(),
        None,
        cause,
        &note,
        "checks",
    ))
}

fn from_review(fixed: bool, point: &str) -> Option<Words> {
    let point = whole_sentences(point, limits::POINT_CHARS)?;
    let note = if fixed {
        "a review fixed it"
    } else {
        "a review flagged it"
    };
    Some(signalled(
        &point,
        format!("Check before handing over: {point}"),
        Some(point.clone()),
        Cause::Reviewed,
        note,
        "review",
    ))
}

fn from_discrepancy(detail: &str) -> Option<Words> {
    let detail = whole_sentences(detail, limits::POINT_CHARS)?;
    Some(signalled(
        &detail,
        format!("Verify before claiming: {detail}"),
        Some(detail.clone()),
        Cause::Hallucination,
        "a verifier found the claim untrue",
        "verification",
    ))
}

fn from_low_quality(detail: &str) -> Option<Words> {
    let detail = whole_sentences(detail, limits::POINT_CHARS)?;
    Some(signalled(
        &detail,
        format!("Check the result for this before handing it over: {detail}"),
        Some(detail.clone()),
        Cause::LowQuality,
        "the result scored low",
        "quality",
    ))
}

fn signalled(
    title: &str,
    text: String,
    mistake: Option<String>,
    cause: Cause,
    note: &str,
    tag: &str,
) -> Words {
    Words {
        title: title_of(title),
        signature: named_in(title).join(" "),
        text,
        situation: None,
        mistake,
        tags: [vec![tag.to_owned()], named_in(title)].concat(),
        tools: Vec::new(),
        cause,
        confidence: 0.6,
        note: note.to_owned(),
        names_failure: false,
    }
}

/// The rule of KarnEvil9's ActiveMemory: tools when it worked, the first errors when it did not.
fn from_plain(plain: &Plain, episode: &Episode) -> Words {
    let tools = plain.tools.join(", ");
    let text = if plain.completed {
        format!(
            "Completed using {tools}. {} step(s) succeeded.",
            plain.worked
        )
    } else if plain.errors.is_empty() {
        format!("Failed with {} failed step(s) using {tools}.", plain.failed)
    } else {
        format!("Failed: {}", plain.errors.join("; "))
    };
    let task = episode.task.as_ref().map(|task| {
        task.as_str()
            .chars()
            .take(limits::PLAIN_TASK_CHARS)
            .collect::<String>()
    });
    Words {
        title: if plain.completed {
            format!("Completed using {tools}")
        } else {
            "Expect this task to fail as it did".to_owned()
        },
        signature: task.clone().unwrap_or_default(),
        text,
        situation: task,
        mistake: None,
        tags: plain.tools.clone(),
        tools: plain.tools.clone(),
        cause: if plain.completed {
            Cause::Manual
        } else {
            Cause::Error
        },
        confidence: 0.3,
        note: "recorded because every run is".to_owned(),
        names_failure: false,
    }
}

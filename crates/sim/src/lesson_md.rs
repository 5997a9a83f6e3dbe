//! Checks round trips of lessons as files: generated ones, and those of any folder.
//!
//! Each file is imported into a fresh store and exported from it; the bytes must be the same.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use crate::desk::person_desk;
use anyhow::Context as _;
use hardwon_core::{EntryState, GuardPolicy, Status};
use hardwon_engine::{
    Engine, LessonContent, Note, NoteOutcome, Policy, Scope, SystemClock, store::SqliteStore,
};
use hardwon_engine::{Severity, lesson_md::INDEX};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Checks that lessons come out of files as they went in.
#[derive(Debug, clap::Args)]
pub(crate) struct LessonMdArgs {
    /// Folders of LESSON.md files; without any, files are generated.
    folders: Vec<PathBuf>,
    /// How many files to generate.
    #[arg(long, default_value_t = 10_000)]
    files: usize,
    /// Decides which.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &LessonMdArgs) -> anyhow::Result<ExitCode> {
    let mut all_well = true;
    if args.folders.is_empty() {
        let folder = tempfile::tempdir()?;
        let mut dice = fastrand::Rng::with_seed(args.seed);
        for number in 0..args.files {
            let (slug, text) = generate_file(&mut dice, number);
            fs::write(folder.path().join(format!("{slug}.md")), text)?;
        }
        all_well &= print_report("generated files", &round_trip(folder.path())?)?;
        all_well &= print_report(
            "generated lessons",
            &round_trip_lessons(&mut dice, args.files)?,
        )?;
    }
    for folder in &args.folders {
        all_well &= print_report(&folder.display().to_string(), &round_trip(folder)?)?;
    }
    Ok(ExitCode::from(u8::from(!all_well)))
}

fn print_report(what: &str, report: &Value) -> anyhow::Result<bool> {
    writeln!(
        std::io::stdout(),
        "{}",
        json!({ "of": what, "report": report })
    )?;
    let full = |name: &str| report[name] == report["files"];
    Ok(full("loaded") && full("identical"))
}

/// Builds an engine over a fresh store that admits clean files and keeps all of them.
fn build_engine(home: &TempDir) -> anyhow::Result<Engine> {
    let store = SqliteStore::open(&home.path().join("hardwon.db"))?;
    let policy = Policy {
        guard: GuardPolicy {
            imported: EntryState::Active,
            ..GuardPolicy::default()
        },
        capacity: usize::MAX,
        ..Policy::default()
    };
    Ok(Engine::new(Box::new(store), policy, Box::new(SystemClock)))
}

/// Reads a folder into a fresh store, writes the store out, and compares.
fn round_trip(folder: &Path) -> anyhow::Result<Value> {
    let home = tempfile::tempdir()?;
    let engine = build_engine(&home)?;
    let start = Instant::now();
    let imported = person_desk(&engine, &Scope::default()).import_lessons(folder, false)?;
    let read = start.elapsed().as_secs_f64();
    let out = tempfile::tempdir()?;
    let start = Instant::now();
    person_desk(&engine, &Scope::default()).export_lessons(out.path(), true)?;
    let written = start.elapsed().as_secs_f64();
    let (before, after) = (read_files(folder)?, read_files(out.path())?);
    let differ: Vec<&String> = before
        .iter()
        .filter(|(name, bytes)| after.get(*name) != Some(*bytes))
        .map(|(name, _)| name)
        .take(5)
        .collect();
    let identical = before
        .iter()
        .filter(|(name, bytes)| after.get(*name) == Some(*bytes))
        .count();
    let mut became: BTreeMap<&str, usize> = BTreeMap::new();
    for taken in &imported.files {
        *became.entry(noted_name(&taken.outcome)).or_default() += 1;
    }
    let count = |severity| {
        imported
            .findings
            .iter()
            .filter(|(_, it)| it.severity == severity)
            .count()
    };
    Ok(json!({
        "files": before.len(), "loaded": imported.files.iter().filter(|file| file.outcome.id().is_some()).count(),
        "identical": identical, "became": became, "differ": differ,
        "errors": count(Severity::Error), "warnings": count(Severity::Warning),
        "seconds_in": (read * 100.0).round() / 100.0, "seconds_out": (written * 100.0).round() / 100.0,
    }))
}

fn noted_name(noted: &NoteOutcome) -> &'static str {
    match noted {
        NoteOutcome::Recorded(_) => "recorded",
        NoteOutcome::Pending(lesson) if matches!(lesson.status, Status::Pending { .. }) => "held",
        NoteOutcome::Pending(_) => "waiting",
        NoteOutcome::AlreadyKnown(_) => "known",
        NoteOutcome::Refused(_) => "refused",
        NoteOutcome::Logged => "logged",
    }
}

/// Exports lessons that came from no file, imports them into another store, and exports that.
fn round_trip_lessons(dice: &mut fastrand::Rng, count: usize) -> anyhow::Result<Value> {
    let home = tempfile::tempdir()?;
    let engine = build_engine(&home)?;
    let notes: Vec<Note> = (0..count)
        .map(|number| generate_note(dice, number))
        .collect();
    for notes in notes.chunks(500) {
        person_desk(&engine, &Scope::default()).note_all(notes.to_vec())?;
    }
    let out = tempfile::tempdir()?;
    person_desk(&engine, &Scope::default()).export_lessons(out.path(), true)?;
    round_trip(out.path())
}

/// Reads the lessons of a folder, by name.
fn read_files(folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_file() && name.ends_with(".md") && name != INDEX {
            files.insert(name, fs::read(&path)?);
        }
    }
    Ok(files)
}

/// Returns a word unique to this number, so that no two lessons have the same words.
fn make_mark(number: usize) -> String {
    let mut rest = number + 26 * 26;
    let mut word = String::from("zq");
    while rest > 0 {
        word.push(char::from(b'a' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
    }
    word
}

const WORDS: &[&str] = &[
    "cache",
    "größe",
    "日本語",
    "naïve",
    "Ünïcode",
    "\"quoted\"",
    "it's",
    "key: value",
    "a #hash",
    "C++",
    "🦀",
    "`code`",
    "- dash",
    "{brace}",
    "[bracket]",
    "100%",
    "@team",
    "&amp",
    "*star*",
    "a\\b",
    "null",
    "yes",
    "~",
    "https://x.example/a?b=c",
    "2026-01-01",
    "0x1f",
    "Привет",
    "שלום",
    "multi word value",
    "trailing:",
];

fn random_words(dice: &mut fastrand::Rng, least: usize, most: usize) -> String {
    let count = dice.usize(least..=most);
    let words: Vec<&str> = (0..count)
        .map(|_| WORDS[dice.usize(..WORDS.len())])
        .collect();
    words.join(" ")
}

/// Renders a scalar in one of the ways people write them.
fn render_scalar(dice: &mut fastrand::Rng, text: &str, indent: usize) -> String {
    let pad = " ".repeat(indent + 2);
    match dice.usize(..4) {
        0 => format!("'{}'", text.replace('\'', "''")),
        1 => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        2 => format!(
            ">-\n{pad}{}",
            text.replace(' ', if dice.bool() { " " } else { "\n" })
                .replace('\n', &format!("\n{pad}"))
        ),
        _ => format!("|-\n{pad}{text}"),
    }
}

/// Generates a file as a person may have written it.
fn generate_file(dice: &mut fastrand::Rng, number: usize) -> (String, String) {
    let mark = make_mark(number);
    let slug = format!("lesson-{mark}");
    let title = format!("Prefer {mark} with {}", random_words(dice, 1, 6));
    let title = title.trim_end_matches(':');
    let mut front = format!(
        "schema: learning/v1\nslug: {slug}\ntitle: {}\n",
        render_scalar(dice, title, 0)
    );
    let situation = format!("Working on {mark}: {}", random_words(dice, 1, 12));
    front.push_str(&format!(
        "trigger:\n  description: {}\n",
        render_scalar(dice, &situation, 2)
    ));
    match dice.usize(..4) {
        0 => {}
        1 => front.push_str(&format!("  tags: [topic, {mark}]   # narrow\n")),
        2 => front.push_str(&format!("  tags:\n    - topic\n    - {mark}\n")),
        _ => front.push_str("  tags: [ 'topic',\n          \"other\" ]\n"),
    }
    if dice.bool() {
        front.push_str("  targets:\n    - role: \"indexer-*\"\n    - { skill: search }\n");
    }
    if dice.usize(..5) == 0 {
        front.push_str("  metadata: { acme: { level: 3 } }\n");
    }
    front.push_str(
        [
            "outcome: success\n",
            "outcome: failure\n",
            "outcome: mixed\n",
        ][dice.usize(..3)],
    );
    front.push_str("evidence:\n");
    for at in 0..dice.usize(1..4) {
        front.push_str(&format!("  - kind: run\n    ref: r_{number}_{at}\n"));
        if dice.bool() {
            let note = random_words(dice, 1, 8);
            front.push_str(&format!("    note: {}\n", render_scalar(dice, &note, 4)));
        }
    }
    if dice.bool() {
        front.push_str(
            [
                "confidence: 0.7\n",
                "confidence: .5\n",
                "confidence: 1\n",
                "confidence: 0.80\n",
            ][dice.usize(..4)],
        );
    }
    if dice.bool() {
        front.push_str(&format!(
            "success_count: {}\nfailure_count: 1\n",
            dice.u32(..50)
        ));
    }
    if dice.usize(..4) == 0 {
        front.push_str(&format!("supersedes: [older-{mark}]\n"));
    }
    if dice.usize(..4) == 0 {
        front.push_str(
            [
                "expires_at: 2031-01-01T00:00:00Z\n",
                "expires_at: '2031-01-01T00:00:00+02:00'\n",
            ][dice.usize(..2)],
        );
    }
    if dice.usize(..3) == 0 {
        let note = random_words(dice, 1, 4);
        let note = render_scalar(dice, &note, 4);
        front.push_str(&format!(
            "# for us\nmetadata:\n  acme:\n    note: {note}\n    list: [1, 2.50, null, yes]\n"
        ));
    }
    if dice.usize(..20) == 0 {
        front.push_str("color: blue\n");
    }
    let body = generate_body(dice, &mark, title);
    let mut text = format!("---\n{front}---\n{body}");
    match dice.usize(..6) {
        0 => text = text.replace('\n', "\r\n"),
        1 => text.truncate(text.trim_end().len()),
        2 => text.push_str("\n\n"),
        _ => {}
    }
    (slug, text)
}

fn generate_body(dice: &mut fastrand::Rng, mark: &str, title: &str) -> String {
    let mut body = String::new();
    if dice.usize(..5) > 0 {
        body.push_str(&format!("\n# {title}\n"));
    }
    if dice.usize(..3) > 0 {
        body.push_str(&format!(
            "\n## When this applies\n\n{}\n",
            random_words(dice, 3, 30)
        ));
    }
    let heading = [
        "What to do (or avoid)",
        "What to do",
        "What to avoid",
        "What to do (or avoke)",
    ];
    body.push_str(&format!("\n## {}\n\n", heading[dice.usize(..4)]));
    for _ in 0..dice.usize(1..5) {
        body.push_str(&format!(
            "- Set {mark} and {}.\n",
            random_words(dice, 1, 10)
        ));
    }
    if dice.usize(..4) == 0 {
        body.push_str(&format!("\n```sh\n# not a heading\nrun --{mark}\n```\n"));
    }
    if dice.bool() {
        body.push_str(&format!(
            "\n## Counter-example\n\n{}\n",
            random_words(dice, 3, 40)
        ));
    }
    if dice.usize(..3) == 0 {
        body.push_str(&format!(
            "\n## Notes of the team\n\n{}\n\n### Deeper\n\n| a | b |\n|---|---|\n",
            random_words(dice, 1, 20)
        ));
    }
    body
}

/// Generates a lesson as a person may have noted it.
fn generate_note(dice: &mut fastrand::Rng, number: usize) -> Note {
    let mark = make_mark(number);
    let lines = [
        "",
        "\n- one\n- two",
        "\n## Heading\ntext",
        "\n```\n# code\n```",
        "\n\\# escaped",
        "\n```",
    ];
    let text = format!(
        "Prefer {mark}, {}.{}",
        random_words(dice, 1, 12),
        lines[dice.usize(..lines.len())]
    );
    let mut content = LessonContent::new(format!("{mark} {}", random_words(dice, 0, 3)), text);
    if dice.bool() {
        content.title = format!("About {mark} {}", random_words(dice, 1, 4)).into();
    }
    if dice.bool() {
        content.situation = Some(
            format!(
                "{} {mark}\n{}",
                random_words(dice, 1, 5),
                random_words(dice, 0, 5)
            )
            .into(),
        );
    }
    if dice.bool() {
        content.mistake = Some(random_words(dice, 1, 20).into());
    }
    content.tags = ["topic", "c++", "größe"][..dice.usize(..4)]
        .iter()
        .map(|&text| text.into())
        .collect();
    if dice.bool() {
        content.tools = vec!["bash".into(), "a: b".into()];
    }
    if dice.usize(..3) == 0 {
        let json = format!("{{\"weight\":[1,2.5,null],\"text\":\"{mark}: #1\"}}");
        content.metadata.insert("acme".to_owned(), json.into());
    }
    Note::new(content)
}

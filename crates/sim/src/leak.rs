//! Measures the leak gate: what it misses in a tree with planted secrets, names and paths, how long that takes, and how
//! often it cries wolf in clean trees.
//!
//! A secret of every row of the redactor's tables is planted in settings and in code, tokens of vendors also in tests,
//! documents and lock files. One file holds one of them, so whatever else is found is a false alarm.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::Context as _;
use hardwon_cli::{LeakGate, LeakReport, leak::files::scan_tree};
use hardwon_gates::leak::{LeakScanner, PathClass, PrivateName, PrivateNames};
use hardwon_redact::{SecretProof, locate_secrets, make_up_samples};

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct LeakBenchArgs {
    /// How many files the tree has.
    #[arg(long, default_value_t = 20_000)]
    files: usize,
    /// The seed of all that is made up.
    #[arg(long, default_value_t = 7)]
    seed: u32,
    /// Instead, count the alarms in this folder, which is taken to be clean; may be given several times.
    #[arg(long, value_name = "DIR")]
    clean: Vec<PathBuf>,
    /// Count what is most likely made up as well.
    #[arg(long)]
    strict: bool,
}

/// Words of which files without a secret consist; some are those that the redactor looks at more closely.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "let", "value", "return", "if", "the", "parser", "reads", "token", "password", "key", "of", "session", "config",
    "user", "name", "=", "(", ")", "{", "}", "\"text\"", "0x1f", "42", "index", "buffer", "secret", "for", "each", "import",
    "struct", "line", "while", "count", "result", "error", "message", "path", "file", "window", "render", "update", "state",
    "button", "color", "width", "height", "node", "tree", "left", "right", "match", "item", "list", "sum", "average", "mode",
    "table", "column", "row", "query", "filter", "map", "fold", "iterate", "yield", "async", "await", "stream", "packet",
];
/// Where what is planted must be found.
const PLACES: &[&str] = &["deploy/settings-N.yml", "src/module-N.py"];
/// Where tokens of vendors must be found as well.
const TOKEN_PLACES: &[&str] = &["tests/test-N.py", "docs/page-N.md", "locks/N.lock"];
const LINES: usize = 120;

pub(crate) fn run(args: &LeakBenchArgs) -> anyhow::Result<ExitCode> {
    // Others have things that are called so as well.
    let names: &[&str] = if args.clean.is_empty() {
        &["kestrel", "Bluebird", "acme/bluebird-api"]
    } else {
        &[]
    };
    let gate = LeakGate {
        scanner: LeakScanner {
            names: PrivateNames::new(
                names
                    .iter()
                    .filter_map(|name| PrivateName::from_setting(name)),
            ),
            is_strict: args.strict,
            ignores_comments: false,
        },
        allowed: Vec::new(),
    };
    if args.clean.is_empty() {
        measure_misses(args, &gate)
    } else {
        count_alarms(args, &gate)
    }
}

/// Prints every alarm in trees that are taken to be clean.
fn count_alarms(args: &LeakBenchArgs, gate: &LeakGate) -> anyhow::Result<ExitCode> {
    let (mut worst, mut out) = (0, io::stdout().lock());
    for folder in &args.clean {
        let start = Instant::now();
        let report = scan_tree(gate, folder);
        let took = start.elapsed();
        for hit in &report.hits {
            writeln!(
                out,
                "  {}:{}: {}: {}",
                hit.path, hit.line, hit.rule, hit.excerpt
            )?;
        }
        writeln!(
            out,
            "{}: {} alarms, {} passed over, {} files, {} unread, {took:.2?}",
            folder.display(),
            report.hits.len(),
            report.doubtful,
            report.files,
            report.unread.len()
        )?;
        worst = worst.max(report.hits.len());
    }
    Ok(ExitCode::from(u8::from(worst > 1)))
}

fn measure_misses(args: &LeakBenchArgs, gate: &LeakGate) -> anyhow::Result<ExitCode> {
    let tree = tempfile::tempdir().context("making a folder")?;
    let planted = plant_all(args, tree.path())?;
    let start = Instant::now();
    let report = scan_tree(gate, tree.path());
    let took = start.elapsed();
    let (missed, alarms) = compare(&planted, &report);
    let mut out = io::stdout().lock();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &missed {
        *kinds.entry(planted[*path]).or_default() += 1;
        writeln!(out, "  missed {}: {path}", planted[*path])?;
    }
    for path in alarms.iter().take(20) {
        writeln!(out, "  false alarm: {path}")?;
    }
    let all: BTreeSet<&&str> = planted.values().collect();
    writeln!(
        out,
        "{} files in {took:.2?}; planted {} of {} kinds, missed {} of {} kinds; {} false alarms",
        report.files,
        planted.len(),
        all.len(),
        missed.len(),
        kinds.len(),
        alarms.len()
    )?;
    Ok(ExitCode::from(u8::from(
        !missed.is_empty() || !alarms.is_empty(),
    )))
}

/// Returns the planted files in which nothing was found, and the others in which something was.
fn compare<'a>(
    planted: &'a BTreeMap<String, &str>,
    report: &'a LeakReport,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let found: BTreeSet<&str> = report.hits.iter().map(|hit| &*hit.path).collect();
    let missed = planted
        .keys()
        .map(|path| &**path)
        .filter(|path| !found.contains(path));
    let alarms = found
        .iter()
        .copied()
        .filter(|path| !planted.contains_key(*path));
    (missed.collect(), alarms.collect())
}

/// Writes the tree, and returns which files hold what.
fn plant_all<'a>(args: &LeakBenchArgs, root: &Path) -> anyhow::Result<BTreeMap<String, &'a str>> {
    let mut planted = BTreeMap::new();
    let mut number = 0;
    let mut random = fastrand::Rng::with_seed(u64::from(args.seed));
    let mut plant = |place: &str, kind: &'a str, text: &str| -> anyhow::Result<()> {
        number += 1;
        let path = place.replace('N', &number.to_string());
        write_file(root, &path, &mut random, Some(text))?;
        planted.insert(path, kind);
        Ok(())
    };
    for (kind, text) in make_up_samples(args.seed) {
        for place in PLACES {
            plant(place, kind, &text)?;
        }
        let is_token = |it: &hardwon_redact::SecretSpan| it.proof == SecretProof::Form;
        let is_shown = ["jwt", "password-hash", "private-key", "test-key"].contains(&kind);
        if locate_secrets(&text).iter().any(is_token) && !is_shown {
            for place in TOKEN_PLACES {
                plant(place, kind, &text)?;
            }
        }
    }
    for place in PLACES {
        plant(place, "home-path", "root = \"/home/morrow/data/x\"")?;
        plant(
            place,
            "home-path",
            "root = \"C:\\\\Users\\\\morrow\\\\data\"",
        )?;
    }
    for place in PLACES.iter().chain(TOKEN_PLACES) {
        plant(place, "private-name", "as the BLUEBIRD does")?;
        plant(place, "private-name", "see acme/bluebird-api#12")?;
        plant(place, "private-name", "/home/kestrel/x")?;
    }
    let endings = [
        "rs", "py", "js", "go", "yml", "toml", "sh", "md", "json", "lock", "c", "txt",
    ];
    for number in planted.len()..args.files {
        let ending = endings[number % endings.len()];
        let path = format!("part-{}/file-{number}.{ending}", number % 200);
        write_file(root, &path, &mut random, None)?;
    }
    // A class that nothing is planted in would be measured as perfect.
    let classes: BTreeSet<String> = (planted.keys())
        .map(|path| format!("{:?}", PathClass::of_path(path)))
        .collect();
    anyhow::ensure!(classes.len() == 5, "planted in {classes:?} only");
    Ok(planted)
}

fn write_file(
    root: &Path,
    path: &str,
    random: &mut fastrand::Rng,
    planted: Option<&str>,
) -> anyhow::Result<()> {
    let at = random.usize(..LINES);
    let mut text = String::new();
    for line in 0..LINES {
        match planted {
            Some(planted) if line == at => text.push_str(&format!("\n{planted}\n\n")),
            _ => {
                for _ in 0..random.usize(..9) {
                    text.push_str(WORDS[random.usize(..WORDS.len())]);
                    text.push(' ');
                }
                text.push('\n');
            }
        }
    }
    let path = root.join(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}

//! Measures every speed budget next to its floor, in the same run.
//!
//! A time alone shows more about the machine than about the program, so each figure is beside that of a program that
//! does the least: a bare SQLite process, FTS5 on the same texts, a JSON parser. Floor and subject take turns, and the
//! ratio of their medians is judged. On a busy machine a process mostly waits for a core: there, use the processor
//! times.

pub(crate) mod bank;
pub(crate) mod hooks;
mod in_process;
mod learning;
pub(crate) mod process;
mod table;
pub(crate) mod text;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};

use bank::{BenchBank, BenchBanks};
use process::{BenchDatabase, BenchProgram};
use table::{BudgetLimit, FigureRow, FigureTable};

/// Prints every speed budget next to its floor.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchArgs {
    /// The program under test; without it, the text index alone is measured.
    #[arg(long)]
    hardwon: Option<PathBuf>,
    /// Where the databases are kept; those already there are used again.
    #[arg(long, default_value = "target/bench")]
    dir: PathBuf,
    /// How many lessons the scope holds, such as 1k or 1m.
    #[arg(long, value_delimiter = ',', default_value = "1k,10k,100k,1m", value_parser = parse_size)]
    sizes: Vec<u32>,
    /// How many lessons other scopes hold in the database that has such; 0 leaves it out.
    #[arg(long, default_value = "1m", value_parser = parse_size)]
    elsewhere: u32,
    /// How often each process is started.
    #[arg(long, default_value_t = 21)]
    rounds: usize,
    /// Transcripts to learn from; the project's own samples by default.
    #[arg(long, value_name = "PATH")]
    transcripts: Vec<PathBuf>,
}

/// Parses `300`, `1k` or `1m`.
fn parse_size(text: &str) -> anyhow::Result<u32> {
    let number = text.trim_end_matches(['k', 'm']);
    let unit = match &text[number.len()..] {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        other => anyhow::bail!("{other} is no unit"),
    };
    Ok(number.parse::<u32>()? * unit)
}

/// Lessons in the scope whose database also holds other scopes.
const BESIDE_OTHERS: u32 = 10_000;
/// Limit of the whole process's time over the bare SQLite process's, by lessons in the scope.
const PROCESS_LIMITS: [(u32, f64); 3] = [
    (10_000, 3.0 / 1.84),
    (100_000, 3.5 / 1.84),
    (1_000_000, 5.0 / 1.84),
];
/// Limit of a recall's time in a running process over FTS5's, by lessons in the scope.
const INSIDE_LIMIT: (u32, f64) = (100_000, 0.5 / 4.7);
/// Limit of a durable write's time over that of a row with FTS5.
const WRITE_LIMIT: f64 = 2.0;
/// Limit of a hook's memory, in KiB.
const MEMORY_LIMIT: f64 = 12.0 * 1024.0;
/// Limit of the time of learning over that of parsing the same bytes.
const LEARNING_LIMIT: f64 = 3.0;
/// Limit of the program's size, in KiB.
const BINARY_LIMIT: f64 = 20.0 * 1024.0;

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let floor = std::env::current_exe()?.with_file_name("floor");
    ensure!(
        floor.exists(),
        "the floors are not built: cargo build --release -p hardwon-sim"
    );
    std::fs::create_dir_all(&args.dir)?;
    let installed = tempfile::tempdir_in(&args.dir)?;
    let floor = install_copy(&floor, installed.path())?;
    let hardwon = match &args.hardwon {
        Some(path) => Some(install_copy(path, installed.path())?),
        None => None,
    };
    let banks = BenchBanks::new(&args.dir, hardwon.as_deref())?;
    let programs = BenchPrograms {
        row: BenchProgram::new(&floor, "row {db}"),
        fts: BenchProgram::new(&floor, "fts {db} {prompt}"),
        ours: match &hardwon {
            // As JSON, so that there is output even when no lesson fits.
            Some(path) => {
                BenchProgram::new(path, "--db {db} --project s{scope} recall --json {prompt}")
            }
            None => BenchProgram::new(&floor, "index {db} {scope} {prompt}"),
        },
        rounds: args.rounds,
    };
    let mut table = FigureTable::default();
    for lessons in &args.sizes {
        let bank = banks.open_or_create(*lessons, 0)?;
        programs.measure_processes(&bank, &mut table)?;
        if let Some(path) = &hardwon {
            hooks::measure_hooks(path, &programs.row, &bank, args.rounds, &mut table)?;
        }
        in_process::measure_recall(&bank, hardwon.is_some(), &mut table)?;
    }
    if args.elsewhere > 0 {
        programs.measure_processes(
            &banks.open_or_create(BESIDE_OTHERS, args.elsewhere)?,
            &mut table,
        )?;
    }
    in_process::measure_write(&args.dir, &mut table)?;
    learning::measure_learning(&args.transcripts, &args.dir, &mut table)?;
    if let Some(path) = &hardwon {
        let kib = u32::try_from(path.metadata()?.len() / 1024)?;
        let name = "release binary, KiB".to_owned();
        table.add(FigureRow::single_figure(
            name,
            f64::from(kib),
            BudgetLimit::Value(BINARY_LIMIT),
        ));
    }
    Ok(std::io::stdout().write_all(table.to_string().as_bytes())?)
}

/// Copies a program, as installing it does: a freshly linked file is spread over the page cache, and starts more slowly
/// than any installed program.
fn install_copy(program: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let name = program.file_name().context("a program has a name")?;
    let installed = std::path::absolute(folder.join(name))?;
    std::fs::copy(program, &installed).with_context(|| format!("copying {}", program.display()))?;
    Ok(installed)
}

/// The programs that take turns.
struct BenchPrograms {
    row: BenchProgram,
    fts: BenchProgram,
    ours: BenchProgram,
    rounds: usize,
}

impl BenchPrograms {
    fn measure_processes(&self, bank: &BenchBank, table: &mut FigureTable) -> anyhow::Result<()> {
        let mut texts = text::RandomTexts::new(7);
        let mut runs = <[RunTimes; 4]>::default();
        for _ in 0..self.rounds {
            let (prompt, common) = (texts.draw_prompt(false), texts.draw_prompt(true));
            let turns = [
                (&self.row, &bank.floor, &prompt),
                (&self.fts, &bank.floor, &prompt),
                (&self.ours, &bank.ours, &prompt),
                (&self.ours, &bank.ours, &common),
            ];
            for (runs, (program, database, prompt)) in runs.iter_mut().zip(turns) {
                runs.add_run(program, database, prompt)?;
            }
        }
        let [row, fts, ours, common] = runs;
        let limit = process_limit(bank.lessons);
        let pairs = [
            ("over a row", &row, &ours, limit),
            ("common words, over a row", &row, &common, limit),
            ("over FTS5", &fts, &ours, BudgetLimit::None),
        ];
        for (what, floor, ours, limit) in pairs {
            let name = |time| format!("process {time}, {what}{}", bank.describe_others());
            table.add(FigureRow::new(
                name("time"),
                bank.lessons,
                &floor.wall,
                &ours.wall,
                limit,
            ));
            table.add(FigureRow::new(
                name("cpu"),
                bank.lessons,
                &floor.cpu,
                &ours.cpu,
                limit,
            ));
        }
        let name = format!("process peak KiB, common words{}", bank.describe_others());
        let limit = BudgetLimit::Value(MEMORY_LIMIT);
        table.add(FigureRow::new(
            name,
            bank.lessons,
            &row.peak,
            &common.peak,
            limit,
        ));
        Ok(())
    }
}

fn process_limit(lessons: u32) -> BudgetLimit {
    let limit = PROCESS_LIMITS.iter().find(|(most, _)| lessons <= *most);
    limit.map_or(BudgetLimit::None, |(_, ratio)| BudgetLimit::Ratio(*ratio))
}

/// The times of one program's runs in milliseconds, and its memory in KiB.
#[derive(Default)]
struct RunTimes {
    wall: Vec<f64>,
    cpu: Vec<f64>,
    peak: Vec<f64>,
}

impl RunTimes {
    fn add_run(
        &mut self,
        program: &BenchProgram,
        database: &BenchDatabase,
        prompt: &str,
    ) -> anyhow::Result<()> {
        self.wall.push(program.time_run(database, prompt)?);
        let usage = program.measure_usage(database, prompt)?;
        self.cpu.push(usage.cpu_ms);
        self.peak.push(usage.peak_kib);
        Ok(())
    }
}

//! Kills `place --apply` and `review --apply` at random moments and checks that each was done whole or not at all.
//!
//! Both run in one repository with work in it that is not committed. Every round kills one real process somewhere
//! between its start and its end, or within a few milliseconds of its change of the file, where the steps are short
//! that must not be torn apart; what it had started by then is waited for. Then the file must be as before or as after,
//! the commit whole or absent, nothing of the uncommitted work touched or staged, and no reviewing engine may go on.
//! The next run must then go to its end and leave a clean index. Linux only: processes are looked for in `/proc`.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, Command, ExitCode, Output},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use serde_json::json;

use crate::processes::{ProgramHome, make_mark};

/// Kills `place` and `review` at random moments and checks that each was done whole or not at all.
#[derive(Debug, clap::Args)]
pub(crate) struct NightCrashArgs {
    /// The program under test.
    #[arg(long)]
    hardwon: PathBuf,
    /// How many processes are killed, of both kinds in turn; those that ended before do not count.
    #[arg(long, default_value_t = 200)]
    kills: u32,
    /// Which random moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The reviewing engine: mends a word, takes its time, and starts something that would be there much longer.
const ENGINE: &str = r#"if [ "$1" = linger ]; then sleep 60; exit; fi
sh "$0" linger > /dev/null 2>&1 &
cat > /dev/null
sleep 0.05
if grep -q wrnog app.sh; then
  sed -i s/wrnog/right/ app.sh
  echo '{"verdict":"fixed","fixes":[{"what":"Say it right","anchors":["app.sh:2"]}]}'
else
  echo '{"verdict":"approved"}'
fi
"#;

/// Within how many microseconds after a change of the file a late kill comes.
const LATE_MICROS: u64 = 15_000;
/// How long what was killed may take to end all that it started.
const ENDING: Duration = Duration::from_secs(10);

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NightDeed {
    Place,
    Review,
}

impl NightDeed {
    /// The file that it changes.
    fn file(self) -> &'static str {
        match self {
            Self::Place => "AGENTS.md",
            Self::Review => "app.sh",
        }
    }
}

/// The repository, and the program that works in it.
struct CrashRepo {
    home: ProgramHome,
}

/// Where the branch is, and what is in the file.
struct DeedState {
    head: String,
    text: String,
}

#[derive(Default)]
struct NightTotals {
    killed: BTreeMap<&'static str, u32>,
    ended: u32,
    /// How far those that were killed had come.
    found: BTreeMap<String, u32>,
    engines_left: u32,
    broken: Vec<String>,
}

impl NightTotals {
    fn add_kill(&mut self, deed: NightDeed, progress: &str) {
        *self.killed.entry(deed.file()).or_default() += 1;
        let how = format!("{}: {progress}", deed.file());
        *self.found.entry(how).or_default() += 1;
    }
}

pub(crate) fn run(args: &NightCrashArgs) -> anyhow::Result<ExitCode> {
    let repo = CrashRepo::new(args)?;
    let mut random = fastrand::Rng::with_seed(args.seed);
    let mut totals = NightTotals::default();
    let mut place = (NightDeed::Place, Duration::from_millis(300));
    let mut review = (NightDeed::Review, Duration::from_millis(900));
    for round in 0_u64.. {
        if totals.killed.values().sum::<u32>() >= args.kills {
            break;
        }
        let mark = make_mark(round);
        let (deed, longest) = if round % 2 == 0 {
            &mut place
        } else {
            &mut review
        };
        repo.prepare(*deed, &mark)?;
        let before = repo.state(*deed)?;
        let is_killed = repo.start_and_kill(*deed, &before, longest, &mut random)?;
        totals.engines_left += u32::from(!repo.wait_for_engine());
        let (progress, broken) = repo.check(*deed, &before, &mark)?;
        match is_killed {
            true => totals.add_kill(*deed, progress),
            false => totals.ended += 1,
        }
        let named = broken.into_iter().map(|it| format!("{mark}: {it}"));
        totals.broken.extend(named);
    }
    report(args, &repo, &totals)
}

fn report(
    args: &NightCrashArgs,
    repo: &CrashRepo,
    totals: &NightTotals,
) -> anyhow::Result<ExitCode> {
    let unsound = repo.home.verify_journal()?;
    let ok = totals.broken.is_empty() && totals.engines_left == 0 && unsound.is_none();
    let report = json!({
        "kills": args.kills, "seed": args.seed, "killed": totals.killed, "ended_before": totals.ended,
        "found": totals.found, "engines_left": totals.engines_left, "broken": totals.broken, "unsound": unsound, "ok": ok,
    });
    writeln!(std::io::stdout(), "{report}")?;
    Ok(ExitCode::from(u8::from(!ok)))
}

fn describe_progress(before: &DeedState, found: &DeedState, staged: &str) -> &'static str {
    match (
        found.head != before.head,
        !staged.is_empty(),
        found.text != before.text,
    ) {
        (true, ..) => "committed",
        (false, true, _) => "staged",
        (false, false, true) => "written",
        (false, false, false) => "untouched",
    }
}

/// Returns what is neither as before nor as after.
fn judge(
    before: &DeedState,
    found: &DeedState,
    staged: Option<&str>,
    after: &DeedState,
) -> Vec<String> {
    let mut broken = Vec::new();
    if found.text != before.text && found.text != after.text {
        broken.push("the file is between before and after".to_owned());
    }
    if found.head != before.head && found.head != after.head {
        broken.push("a commit is there that is no part of what came after".to_owned());
    }
    if staged.is_some_and(|it| it != after.text.trim()) {
        broken.push("something else is staged".to_owned());
    }
    broken
}

impl CrashRepo {
    fn new(args: &NightCrashArgs) -> anyhow::Result<Self> {
        let repo = Self {
            home: ProgramHome::new(&args.hardwon)?,
        };
        for folder in ["repo", "tmp"] {
            fs::create_dir(repo.home.path_to(folder))?;
        }
        fs::write(repo.home.path_to("engine.sh"), ENGINE)?;
        repo.git(&["init", "-q", "-b", "main"])?;
        repo.write("AGENTS.md", "# Works\n\nOur own words.\n")?;
        repo.write("app.sh", "#!/bin/sh\n")?;
        repo.write("notes.txt", "one\n")?;
        repo.git(&["add", "-A"])?;
        repo.git(&["commit", "-q", "-m", "begin"])?;
        repo.git(&["checkout", "-q", "-b", "topic"])?;
        repo.write("notes.txt", "one\nmine\n")?;
        repo.write("draft.txt", "mine\n")?;
        repo.ask(&["lesson", "add", "make build", "Run `make first`."], 0)?;
        Ok(repo)
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        fs::write(self.home.path_to("repo").join(name), text)?;
        Ok(())
    }

    fn read(&self, name: &str) -> anyhow::Result<String> {
        Ok(fs::read_to_string(self.home.path_to("repo").join(name))?)
    }

    /// Makes a call run in the repository, by somebody with a name.
    fn place_in_repo(&self, command: &mut Command) {
        command
            .current_dir(self.home.path_to("repo"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TMPDIR", self.home.path_to("tmp"));
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "A");
            command.env(format!("GIT_{role}_EMAIL"), "a@example.com");
        }
    }

    fn git(&self, args: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new("git");
        command.args(args).env_clear();
        command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        self.place_in_repo(&mut command);
        let output = command.output()?;
        ensure!(output.status.success(), "git {args:?}: {output:?}");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(args);
        self.place_in_repo(&mut command);
        command
    }

    /// Runs the program, which must end with this exit code.
    fn ask(&self, args: &[&str], code: i32) -> anyhow::Result<Output> {
        let output = self.command(args).output()?;
        ensure!(
            output.status.code() == Some(code),
            "{args:?} ended with {:?}, not {code}: {}",
            output.status.code(),
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(output)
    }

    /// Makes something that there is to do.
    fn prepare(&self, deed: NightDeed, mark: &str) -> anyhow::Result<()> {
        match deed {
            NightDeed::Place => {
                let text = format!("Run `make {mark}` before the build.");
                self.ask(&["lesson", "edit", "1", "--text", &text], 0)?;
                self.save_plan()
            }
            NightDeed::Review => {
                let text = self.read("app.sh")?;
                self.write("app.sh", &format!("{text}echo wrnog {mark}\n"))?;
                self.git(&["commit", "-q", "-m", mark, "--", "app.sh"])
                    .map(drop)
            }
        }
    }

    fn save_plan(&self) -> anyhow::Result<()> {
        let plan = self.ask(&["place", "--json"], 1)?;
        fs::write(self.home.path_to("plan.json"), plan.stdout)?;
        Ok(())
    }

    fn deed_command(&self, deed: NightDeed) -> Command {
        let (plan, engine) = (
            self.home.path_to("plan.json"),
            self.home.path_to("engine.sh"),
        );
        let engine = format!("sh {}", engine.display());
        match deed {
            NightDeed::Place => self.command(&["place", "--apply", &plan.to_string_lossy()]),
            NightDeed::Review => self.command(&[
                "review",
                "--apply",
                "--base",
                "main",
                "--engine",
                &engine,
                "--test",
                "sleep 0.02",
            ]),
        }
    }

    /// Starts it and kills it, and waits for what it started; returns whether it was killed before its end. `longest`
    /// is how long it takes, as far as is known.
    fn start_and_kill(
        &self,
        deed: NightDeed,
        before: &DeedState,
        longest: &mut Duration,
        random: &mut fastrand::Rng,
    ) -> anyhow::Result<bool> {
        let start = Instant::now();
        let mut child = self.deed_command(deed).process_group(0).spawn()?;
        let is_late = random.bool();
        let wait = if is_late {
            self.wait_for_change(deed, before, &mut child)?;
            random.u64(0..LATE_MICROS)
        } else {
            random.u64(0..u64::try_from(longest.as_micros())?)
        };
        thread::sleep(Duration::from_micros(wait));
        // It may have ended by itself.
        drop(child.kill());
        let is_killed = child.wait()?.code().is_none();
        match (is_late, is_killed) {
            (true, _) => {}
            (false, true) => *longest = longest.mul_f64(1.02),
            (false, false) => *longest = start.elapsed(),
        }
        // A `git` that it had started goes on to its own end.
        let group = child.id().to_string();
        wait_until_gone(&|it| it.group == group);
        Ok(is_killed)
    }

    /// Waits until the file is another one, or the process has ended.
    fn wait_for_change(
        &self,
        deed: NightDeed,
        before: &DeedState,
        child: &mut Child,
    ) -> anyhow::Result<()> {
        // While git replaces a file it is not there.
        let is_same = || self.read(deed.file()).is_ok_and(|it| it == before.text);
        while child.try_wait()?.is_none() && is_same() {
            thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    /// Waits until no reviewing engine is at work; returns whether that came.
    fn wait_for_engine(&self) -> bool {
        let engine = self.home.path_to("engine.sh").display().to_string();
        wait_until_gone(&|it| it.line.contains(&engine))
    }

    /// Returns how far it had come, and what is not as it should be, now and after another run.
    fn check(
        &self,
        deed: NightDeed,
        before: &DeedState,
        mark: &str,
    ) -> anyhow::Result<(&'static str, Vec<String>)> {
        let found = self.state(deed)?;
        let staged = self.git(&["diff", "--cached", "--name-only"])?;
        let staged_text = match staged.is_empty() {
            true => None,
            false => Some(self.git(&["show", &format!(":{}", deed.file())])?),
        };
        let mut broken = self.find_touched_work(deed, &staged)?;
        // What the next run makes of it is how it should be.
        broken.extend(self.go_on(deed)?);
        let after = self.state(deed)?;
        broken.extend(judge(before, &found, staged_text.as_deref(), &after));
        broken.extend(self.find_unfinished(deed, before, mark)?);
        Ok((describe_progress(before, &found, &staged), broken))
    }

    fn state(&self, deed: NightDeed) -> anyhow::Result<DeedState> {
        Ok(DeedState {
            head: self.git(&["rev-parse", "HEAD"])?,
            text: self.read(deed.file())?,
        })
    }

    /// Returns what became of the work that is not committed, where it is not as it was.
    fn find_touched_work(&self, deed: NightDeed, staged: &str) -> anyhow::Result<Vec<String>> {
        let mut broken = Vec::new();
        let is_same =
            self.read("notes.txt")? == "one\nmine\n" && self.read("draft.txt")? == "mine\n";
        if !is_same {
            broken.push("uncommitted work was touched".to_owned());
        }
        if staged.lines().any(|it| it != deed.file()) {
            broken.push(format!("staged: {staged}"));
        }
        if self.home.path_to("repo/.git/index.lock").exists() {
            broken.push("the index is locked".to_owned());
        }
        Ok(broken)
    }

    /// Does the same again, to its end; returns what went wrong.
    fn go_on(&self, deed: NightDeed) -> anyhow::Result<Option<String>> {
        let mut command = match deed {
            NightDeed::Review => self.deed_command(deed),
            NightDeed::Place => {
                let plan = self.command(&["place", "--json"]).output()?;
                if plan.status.code() == Some(0) {
                    return Ok(None);
                }
                fs::write(self.home.path_to("plan.json"), plan.stdout)?;
                self.deed_command(deed)
            }
        };
        let output = command.output().context("going on")?;
        let is_done = output.status.code() == Some(0);
        let said = String::from_utf8_lossy(&output.stderr);
        Ok((!is_done).then(|| format!("the next run failed: {}", said.trim())))
    }

    /// Returns what is not as it should be once the next run has ended.
    fn find_unfinished(
        &self,
        deed: NightDeed,
        before: &DeedState,
        mark: &str,
    ) -> anyhow::Result<Vec<String>> {
        let mut broken = Vec::new();
        let mut expect = |what: &str, found: String, expected: &str| {
            if found != expected {
                broken.push(format!("{what}: {found}"));
            }
        };
        let status = self.git(&["status", "--porcelain"])?;
        expect("the state", status, "M notes.txt\n?? draft.txt");
        expect("parent", self.git(&["rev-parse", "HEAD^"])?, &before.head);
        let changed = self.git(&["show", "--name-only", "--format=", "HEAD"])?;
        expect("the commit's files", changed, deed.file());
        let text = self.read(deed.file())?;
        let is_done = match deed {
            NightDeed::Place => {
                text.contains(mark) && text.starts_with("# Works\n\nOur own words.\n")
            }
            NightDeed::Review => text == before.text.replace("wrnog", "right"),
        };
        expect("what is in the file", is_done.to_string(), "true");
        Ok(broken)
    }
}

/// A process as `/proc` has it.
struct FoundProcess {
    group: String,
    line: String,
}

/// Waits until no such process is there any more; returns whether that came.
fn wait_until_gone(is_wanted: &dyn Fn(&FoundProcess) -> bool) -> bool {
    let deadline = Instant::now() + ENDING;
    while list_processes().iter().any(is_wanted) {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Lists the processes that have not ended.
fn list_processes() -> Vec<FoundProcess> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let read = |folder: PathBuf| {
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        // `pid (name) state parent group …`
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut words = rest.split(' ');
        let state = words.next()?;
        let line = fs::read(folder.join("cmdline")).ok()?;
        (state != "Z").then(|| FoundProcess {
            group: words.nth(1).unwrap_or_default().to_owned(),
            line: String::from_utf8_lossy(&line).into_owned(),
        })
    };
    entries.filter_map(|entry| read(entry.path())).collect()
}

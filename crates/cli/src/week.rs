//! The week that `hardwon demo night` plays: a shop, six sessions of agents, two nights, and what comes of them.
//!
//! It is a table, so that whoever watches it and the test that checks it see the same. What a step does is a line for
//! the shell, run as it is shown by [`stage`], with this very program as `hardwon`: nothing is told that did not
//! happen. What agents and people do meanwhile is a script that is not shown; the sessions are in `demo/night`.

pub mod stage;

/// A part of the week.
#[derive(Debug, Clone, Copy)]
pub struct WeekStep {
    /// When, if it is another day than before.
    pub day: &'static str,
    /// What a viewer should know before.
    pub told: &'static str,
    /// What agents and people did until then, as a script.
    pub meanwhile: &'static str,
    /// The command line.
    pub line: &'static str,
    /// Its exit code.
    pub code: i32,
    /// What is shown of what it prints.
    pub shown: ShownLines,
}

/// Which lines of an output are shown.
#[derive(Debug, Clone, Copy)]
pub enum ShownLines {
    /// All of them.
    All,
    /// Those in which one of these stands.
    With(&'static [&'static str]),
    /// The lessons in what a hook answers its agent.
    HookLessons,
}

impl WeekStep {
    const fn new(line: &'static str) -> Self {
        Self {
            day: "",
            told: "",
            meanwhile: "",
            line,
            code: 0,
            shown: ShownLines::All,
        }
    }

    const fn on(self, day: &'static str) -> Self {
        Self { day, ..self }
    }

    const fn told(self, told: &'static str) -> Self {
        Self { told, ..self }
    }

    const fn after(self, meanwhile: &'static str) -> Self {
        Self { meanwhile, ..self }
    }

    const fn ends_with(self, code: i32) -> Self {
        Self { code, ..self }
    }

    const fn showing(self, lines: &'static [&'static str]) -> Self {
        Self {
            shown: ShownLines::With(lines),
            ..self
        }
    }

    const fn showing_lessons(self) -> Self {
        Self {
            shown: ShownLines::HookLessons,
            ..self
        }
    }
}

impl ShownLines {
    /// Returns the lines of an output that are shown.
    #[must_use]
    pub fn select(self, said: &str) -> Vec<String> {
        let own = |line: &str| line.to_owned();
        match self {
            Self::All => said.lines().map(own).collect(),
            Self::With(parts) => {
                let is_shown = |line: &&str| parts.iter().any(|part| line.contains(part));
                said.lines().filter(is_shown).map(own).collect()
            }
            Self::HookLessons => {
                let answer: serde_json::Value = serde_json::from_str(said).unwrap_or_default();
                let told = answer["hookSpecificOutput"]["additionalContext"].as_str();
                let lines = told.unwrap_or_default().lines();
                lines
                    .filter(|line| line.starts_with("- "))
                    .map(own)
                    .collect()
            }
        }
    }
}

/// What a viewer should know at the beginning.
pub const OPENING: &str = "\
hardwon makes lessons of what coding agents struggled with. This is a week of it in a small shop, played now in a temporary \
folder, which is ~ below. The commands, git and the reviewer really run; the agents' sessions were written before. Nothing is \
kept, and nothing leaves this machine.";

const LEARNED: &[&str] = &["  learned ", " lessons learned,", " lesson learned,"];
const DIGEST: &str = "cat ~/.local/state/hardwon/sweep-digest.md";
const DIGEST_LINES: &[&str] = &["## ", "- "];

/// The week, step by step.
pub const WEEK: &[WeekStep] = &[
    WeekStep::new("hardwon learn")
        .on("Monday")
        .told(
            "Four sessions are over, of two kinds of agents. One tried `npm test`, which this shop does not have; three \
             edited generated files until a person said no. In the evening hardwon reads what they left on disk. \
             (What calls a lesson up stands in brackets.)",
        )
        .after(
            "cp ~/recorded/1-*.jsonl ~/recorded/2-*.jsonl ~/recorded/4-*.jsonl ~/.claude/projects/shop\n\
             cp ~/recorded/3-*.jsonl ~/.pi/agent/sessions/shop",
        )
        .showing(LEARNED),
    WeekStep::new("hardwon sweep --unattended")
        .on("Monday night")
        .told("Three of these lessons say the same of the same call. At night a timer starts the sweep, which keeps the one \
             that says it all."),
    WeekStep::new(DIGEST).showing(DIGEST_LINES),
    WeekStep::new("hardwon hook --client claude-code < ~/session-5.json")
        .on("Tuesday")
        .told("A session begins. The agent's hook asks hardwon what is known here, and the agent is told:")
        .showing_lessons(),
    WeekStep::new("hardwon learn")
        .told("So it runs the right tests at once. Then a report fails twice, because a variable is not set.")
        .after("cp ~/recorded/5-*.jsonl ~/.claude/projects/shop")
        .showing(LEARNED),
    WeekStep::new("hardwon lesson show 1")
        .told("That the advice was followed and the tests ran counts for lesson #1.")
        .showing(&["use  "]),
    WeekStep::new("hardwon learn")
        .on("Wednesday")
        .told(
            "The Makefile has lost its `gen`. The next agent runs the right tests, too, but also `make gen`, as it was told, until a \
             person says what holds now.",
        )
        .after(
            "echo 'test: ; sh test.sh' > Makefile\necho '{\"scripts\":{\"test:unit\":\"sh test.sh\",\"gen\":\"sh gen.sh\"}}' > package.json\n\
             git commit -q -a -m 'Generate with npm'\n\
             hardwon hook --client claude-code < ~/session-6.json > ~/tmp/shown\n\
             cp ~/recorded/6-*.jsonl ~/.claude/projects/shop",
        )
        .showing(LEARNED),
    WeekStep::new("hardwon sweep --unattended")
        .on("Wednesday night")
        .told("What the older lesson names is gone from the Makefile. So that lesson waits for a person, and is shown to no \
             agent until then."),
    WeekStep::new(DIGEST).showing(DIGEST_LINES),
    WeekStep::new("hardwon place --claude")
        .on("Thursday")
        .told(
            "Lesson #1 has helped twice and never harmed, so it may go into the project's AGENTS.md, which every agent \
             reads. First the plan; exit code 1 says that there is something to do.",
        )
        .ends_with(1)
        .showing(&["commit ", "  + ", "in the block", "left out", "  #"]),
    WeekStep::new("hardwon place --apply")
        .told("Then the plan is carried out: one local commit, and nothing else is touched."),
    WeekStep::new("hardwon init --git")
        .on("Friday")
        .told("From now on everything is searched before it is pushed.")
        .showing(&["every push"]),
    WeekStep::new("git push origin discount")
        .told("A branch is ready, but somebody left a token in it. Git asks hardwon, and does not push.")
        .after(
            "git switch -q -c discount\n\
             printf 'exports.total = (price, percent) =>\\n  price - percent;\\n' > src/cart.js\n\
             printf 'const token = \"%s%s\";\\n' ghp_k7Qz2XmR9tVb4WpL 8sYd3HcN6gJf5TqZ1xKw > src/pay.js\n\
             git add -A\ngit commit -q -m 'Take discounts'",
        )
        .ends_with(1)
        .showing(&["token", "leak in", "error:"]),
    WeekStep::new("hardwon leak --range origin/main..discount")
        .told("The token is taken out of the commit.")
        .after("git rm -q src/pay.js\ngit commit -q --amend -m 'Take discounts'"),
    WeekStep::new("hardwon review --spec ~/issue-12.md --test 'sh test.sh' --apply")
        .told(
            "Before the branch is delivered, a fresh agent reads all of it, in a copy that has no remote. (Here a script \
             plays that agent.) It mends one thing, the tests pass, and the fix is a commit of its own.",
        )
        .showing(&["fixed", "risk ", "tests ", "the fixes", "learned"]),
    WeekStep::new("git show --format=%s --unified=0").showing(&["Final review", "  price"]),
    WeekStep::new("hardwon review --base discount --test 'sh test.sh'")
        .told("Another branch is blocked. Exit code 1 stops the script or person that would deliver it.")
        .after(
            "git switch -q -c orders\necho 'DROP TABLE orders;' > move.sql\n\
             git add -A\ngit commit -q -m 'Move the orders'",
        )
        .ends_with(1),
    WeekStep::new("hardwon review gate --base discount --json | hardwon retro --from review")
        .told("What the reviews found has become lessons by itself. Reporting it again adds nothing."),
    WeekStep::new("hardwon lesson list")
        .on("Saturday")
        .told("This is known now:"),
    WeekStep::new("hardwon hook --client claude-code < ~/session-7.json")
        .told("And this is what the next session is shown. Lesson #1 is not in it: it stands in AGENTS.md.")
        .showing_lessons(),
    WeekStep::new("git log --oneline origin/main..HEAD")
        .told("Nothing was pushed all week. These commits are here alone:"),
    WeekStep::new("hardwon journal verify")
        .told("Every change to a lesson is on record, in a chain that nobody can alter unseen."),
];

//! What the demos tell: seven recorded sessions, and the week of a shop with two nights.
//!
//! The recordings are in `demo`; their order is that of `demo/README.md`. Only the words are here, [`super`] plays them.

use super::StoryStep::{self, Ask, Audit, Fail, Heading, Meanwhile, Run, Say, Session};

macro_rules! session {
    ($file:literal) => {
        Session($file, include_bytes!(concat!("../../../demo/", $file)))
    };
}

/// Seven sessions, and what they taught.
pub const SESSIONS: &[StoryStep] = &[
    Say("Seven sessions of real coding agents, one after the other. Nothing is kept.\n"),
    Heading("1. Claude Code runs the tests of a shop"),
    session!("1-missing-script.jsonl"),
    Heading("2. two days later, another session in the same project"),
    session!("2-missing-script-again.jsonl"),
    Heading("3. Codex edits a generated file, and the person objects"),
    session!("3-user-correction.jsonl"),
    Heading("4. Gemini CLI asks a dead service again and again"),
    session!("4-loop.jsonl"),
    Heading("5. Qwen Code types a token into a command"),
    session!("5-secret-in-command.jsonl"),
    Heading("6. pi reads a page that tries to give it orders"),
    session!("6-injection-in-page.jsonl"),
    Heading("7. Claude Code renames a function, and all is well"),
    session!("7-good-run.jsonl"),
    Heading("The next task, in whichever agent"),
    Ask("Edit the generated routes, then run npm test."),
    Audit,
    Say("\
Next:  hardwon init                 set up the coding agents of this machine
       hardwon learn                read the sessions that your own agents left here
       hardwon lesson list          see what they taught
       hardwon recall \"a task\"      what an agent would be told before it"),
];

const LEARNED: &[&str] = &["  learned ", " lessons learned,", " lesson learned,"];
const DIGEST: StoryStep = Run("cat ~/.local/state/hardwon/sweep-digest.md", &["## ", "- "]);

/// A week of a shop: six sessions of agents, two nights, and what comes of them.
pub const WEEK: &[StoryStep] = &[
    Say(
        "hardwon makes lessons of what coding agents struggled with. This is a week of it in a small shop, played now in \
         a temporary folder, which is ~ below. The commands, git and the reviewer really run; the agents' sessions were \
         written before. Nothing is kept, and nothing leaves this machine.\n",
    ),
    Heading("MONDAY"),
    Say(
        "Four sessions are over, of two kinds of agents. One tried `npm test`, which this shop does not have; three edited \
         generated files until a person said no. In the evening hardwon reads what they left on disk. (What calls a \
         lesson up stands in brackets.)",
    ),
    Meanwhile(
        "cp ~/recorded/1-*.jsonl ~/recorded/2-*.jsonl ~/recorded/4-*.jsonl ~/.claude/projects/shop\n\
         cp ~/recorded/3-*.jsonl ~/.pi/agent/sessions/shop",
    ),
    Run("hardwon learn", LEARNED),
    Heading("MONDAY NIGHT"),
    Say(
        "Three of these lessons say the same of the same call. At night a timer starts the sweep, which keeps the one that \
         says it all.",
    ),
    Run("hardwon sweep --unattended", &[]),
    DIGEST,
    Heading("TUESDAY"),
    Say(
        "A session begins. The agent's hook asks hardwon what is known here, and the agent is told:",
    ),
    Run(
        "hardwon hook --client claude-code < ~/session-5.json",
        &["- ["],
    ),
    Say(
        "So it runs the right tests at once. Then a report fails twice, because a variable is not set.",
    ),
    Meanwhile("cp ~/recorded/5-*.jsonl ~/.claude/projects/shop"),
    Run("hardwon learn", LEARNED),
    Say("That the advice was followed and the tests ran counts for lesson #1."),
    Run("hardwon lesson show 1", &["use  "]),
    Heading("WEDNESDAY"),
    Say(
        "The Makefile has lost its `gen`. The next agent runs the right tests, too, but also `make gen`, as it was told, until a person \
         says what holds now.",
    ),
    Meanwhile(
        "echo 'test: ; sh test.sh' > Makefile\necho '{\"scripts\":{\"test:unit\":\"sh test.sh\",\"gen\":\"sh gen.sh\"}}' > package.json\n\
         git commit -q -a -m 'Generate with npm'\n\
         hardwon hook --client claude-code < ~/session-6.json > ~/tmp/shown\n\
         cp ~/recorded/6-*.jsonl ~/.claude/projects/shop",
    ),
    Run("hardwon learn", LEARNED),
    Heading("WEDNESDAY NIGHT"),
    Say(
        "What the older lesson names is gone from the Makefile. So that lesson waits for a person, and is shown to no agent \
         until then.",
    ),
    Run("hardwon sweep --unattended", &[]),
    DIGEST,
    Heading("THURSDAY"),
    Say(
        "Lesson #1 has helped twice and never harmed, so it may go into the project's AGENTS.md, which every agent reads. First \
         the plan; exit code 1 says that there is something to do.",
    ),
    Fail(
        "hardwon place --claude",
        &["commit ", "  + ", "in the block", "left out", "  #"],
    ),
    Say("Then the plan is carried out: one local commit, and nothing else is touched."),
    Run("hardwon place --apply", &[]),
    Heading("FRIDAY"),
    Say("From now on everything is searched before it is pushed."),
    Run("hardwon init --git", &["every push"]),
    Say("A branch is ready, but somebody left a token in it. Git asks hardwon, and does not push."),
    Meanwhile(
        "git switch -q -c discount\n\
         printf 'exports.total = (price, percent) =>\\n  price - percent;\\n' > src/cart.js\n\
         printf 'const token = \"%s%s\";\\n' ghp_k7Qz2XmR9tVb4WpL 8sYd3HcN6gJf5TqZ1xKw > src/pay.js\n\
         git add -A\ngit commit -q -m 'Take discounts'",
    ),
    Fail("git push origin discount", &["token", "leak in", "error:"]),
    Say("The token is taken out of the commit."),
    Meanwhile("git rm -q src/pay.js\ngit commit -q --amend -m 'Take discounts'"),
    Run("hardwon leak --range origin/main..discount", &[]),
    Say(
        "Before the branch is delivered, a fresh agent reads all of it, in a copy that has no remote. (Here a script plays that \
         agent.) It mends one thing, the tests pass, and the fix is a commit of its own.",
    ),
    Run(
        "hardwon review --spec ~/issue-12.md --test 'sh test.sh' --apply",
        &["fixed", "risk ", "tests ", "the fixes", "learned"],
    ),
    Run(
        "git show --format=%s --unified=0",
        &["Final review", "  price"],
    ),
    Say("Another branch is blocked. Exit code 1 stops the script or person that would deliver it."),
    Meanwhile(
        "git switch -q -c orders\necho 'DROP TABLE orders;' > move.sql\ngit add -A\ngit commit -q -m 'Move the orders'",
    ),
    Fail("hardwon review --base discount --test 'sh test.sh'", &[]),
    Say("What the reviews found has become lessons by itself. Reporting it again adds nothing."),
    Run(
        "hardwon review gate --base discount --json | hardwon retro --from review",
        &[],
    ),
    Heading("SATURDAY"),
    Say("This is known now:"),
    Run("hardwon lesson list", &[]),
    Say(
        "And this is what the next session is shown. Lesson #1 is not in it: it stands in AGENTS.md.",
    ),
    Run(
        "hardwon hook --client claude-code < ~/session-7.json",
        &["- ["],
    ),
    Say("Nothing was pushed all week. These commits are here alone:"),
    Run("git log --oneline origin/main..HEAD", &[]),
    Say("Every change to a lesson is on record, in a chain that nobody can alter unseen."),
    Run("hardwon journal verify", &[]),
    Say(
        "On your own machine: `hardwon init` sets up your agents, and `hardwon night --schedule systemd` the nights.",
    ),
];

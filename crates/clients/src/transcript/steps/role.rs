//! The role of a command in a line: it works, checks, prepares, or prints other texts.
//!
//! Only names are read; what a command really did is not known here.

use hardwon_core::{
    Join, ShellCommand, ShellLine,
    shell::{is_listed, is_python},
};

use super::closing::ClosingKind;

/// Programs that print text from elsewhere.
const PRINTING_PROGRAMS: &str = "cat bat less more head tail grep egrep fgrep rg ag ack sed awk gawk jq yq strings journalctl curl wget \
    http find nl tac fold column diff zcat zgrep xxd od history man dmesg tr cut sort uniq tee env printenv gh glab \
    get-content gc select-string sls type findstr invoke-webrequest iwr invoke-restmethod irm get-winevent get-eventlog";
/// Programs that only prepare or control other steps.
const HELPER_PROGRAMS: &str = "cd pushd popd export set unset source . echo printf true false : umask sleep exit wait mkdir for while if \
    until read local declare readonly return break continue trap shopt write-host write-output write-error set-location \
    start-sleep out-null deactivate clear function foreach throw else elseif try catch finally";
/// Small tools that put their name before every error.
const SELF_NAMING_PROGRAMS: &str = "ls cat head tail wc cp mv rm touch mkdir ln chmod find stat file du df sort uniq cut tr date sed awk \
    which pwd id basename dirname realpath readlink tee sleep kill seq nl od xxd ssh scp test [ [[ pgrep pkill lsof ps \
    get-content get-childitem test-path get-command get-process select-string where-object";

/// Returns a program's name in the form of these lists: lower case, without `.exe`.
pub(super) fn listed_name(command: &ShellCommand) -> String {
    let name = command.program().to_ascii_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}

/// Returns the subcommand; empty if there is none.
pub(super) fn subcommand(command: &ShellCommand) -> String {
    let label = command.label();
    label.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// Returns whether a command may fail without naming itself: it is no helper, no filter behind a pipe, none of the
/// small tools that put their name before every error, and asks nothing.
pub(super) fn may_fail_unnamed(command: &ShellCommand) -> bool {
    let name = listed_name(command);
    let asks = command.has_arg(|text| is_listed("--version --help version", text))
        || command.texts().last() == Some(&"-V");
    let is_word = name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '~'));
    is_word
        && !command.is_substitution
        && !is_listed(HELPER_PROGRAMS, &name)
        && !is_listed(SELF_NAMING_PROGRAMS, &name)
        && !command.is_filter()
        && !asks
        && has_effect(command)
}

/// Returns whether a command does more than show a state.
pub(super) fn has_effect(command: &ShellCommand) -> bool {
    const SHOWING: [(&str, &str); 4] = [
        (
            "git",
            "status log diff show branch remote rev-parse ls-files blame describe config tag",
        ),
        ("docker", "ps images"),
        ("kubectl", "get describe"),
        ("gh", "status"),
    ];
    let shows = |(program, verbs): &(&str, &str)| {
        command.program() == *program && is_listed(verbs, &subcommand(command))
    };
    !SHOWING.iter().any(shows) && command.label() != "docker compose ps"
}

/// Returns whether a step prints text from elsewhere, unchanged and visible.
pub(super) fn prints_others(line: &ShellLine, step: usize) -> bool {
    let command = &line.commands[step];
    let is_seen =
        command.output.is_none() && command.output_variable.is_none() && !command.is_filter();
    is_seen && writes_others(command) && !is_fed_to_program(line, step)
}

/// Returns whether a command's output is text from elsewhere.
pub(super) fn writes_others(command: &ShellCommand) -> bool {
    let by_verb = match command.program() {
        "git" if subcommand(command) == "stash" => {
            command.has_arg(|text| is_listed("show list", text))
        }
        "git" => is_listed("log show diff grep blame cat-file", &subcommand(command)),
        "docker" | "podman" | "kubectl" | "docker-compose" => command.texts().contains(&"logs"),
        _ => false,
    };
    // What is written in place is not printed.
    let edits = command.program() == "sed" && command.has_arg(|text| text.starts_with("-i"));
    by_verb || !edits && is_listed(PRINTING_PROGRAMS, &listed_name(command))
}

/// Returns whether an inline script processes what a step prints of other texts.
pub(super) fn relays_others(line: &ShellLine, step: usize) -> bool {
    let is_script = |it: &ShellCommand| {
        let is_inline = it.has_arg(|text| is_listed("-c -e -p -ne -pe -", text));
        let name = it.program();
        is_inline && (is_python(name) || is_listed("node perl ruby php deno bun", name))
    };
    let rest = line.commands[step + 1..].iter();
    let mut later_commands = rest.take_while(|command| command.join == Join::Pipe);
    writes_others(&line.commands[step]) && later_commands.any(is_script)
}

/// Returns whether a program other than a filter reads what a step prints.
fn is_fed_to_program(line: &ShellLine, step: usize) -> bool {
    let rest = line.commands[step + 1..].iter();
    let mut later_commands = rest.take_while(|command| command.join == Join::Pipe);
    later_commands.any(|later_command| {
        !later_command.is_filter() && !later_command.texts().contains(&"json.tool")
    })
}

/// Returns what kind of check or build a command is, by its words.
pub(super) fn closing_kind(command: &ShellCommand) -> Option<ClosingKind> {
    const TESTS: &str = "test tests jest vitest pytest mocha spec rspec nextest playwright cypress ava unittest phpunit ctest e2e \
        bats tap karma tox nox gotestsum testing";
    const LINT: &str = "lint eslint ruff flake8 mypy pyright tsc typecheck types check clippy fmt format prettier biome stylelint \
        vet oxlint pylint rubocop shellcheck black isort markdownlint knip phpstan ci verify pre-commit analyze";
    const BUILD: &str = "build compile make cmake ninja gradle gradlew mvn webpack vite rollup esbuild dotnet cargo go swift \
        xcodebuild gcc clang javac rustc msbuild tauri bundle just mix zig bazel sbt stack cabal";
    const RUNNERS: &str = "npm yarn pnpm bun npx bunx uv nox task deno";
    let label = command.label();
    let words: Vec<&str> = label.split([' ', ':', '/', '-', '.', '_']).collect();
    let early = command.arg_texts().take(4);
    let early: Vec<&str> = early.filter(|early| !early.starts_with('-')).collect();
    let holds = |list: &str| {
        words.iter().any(|word| is_listed(list, word))
            || (list == LINT && label.contains("lint"))
            || early.iter().any(|early| is_listed(list, early))
    };
    let runs = is_listed(RUNNERS, command.program());
    [
        (TESTS, ClosingKind::Tests),
        (LINT, ClosingKind::Lint),
        (BUILD, ClosingKind::Build),
    ]
    .into_iter()
    .find(|(list, _)| holds(list))
    .map(|(_, kind)| kind)
    .or(runs.then_some(ClosingKind::Any))
}

/// Returns whether a command runs tests or checks, which print errors on purpose.
pub(super) fn is_checking(command: &ShellCommand) -> bool {
    matches!(
        closing_kind(command),
        Some(ClosingKind::Tests | ClosingKind::Lint)
    )
}

//! Finds the command that another command only runs: `xvfb-run npm test`, `ssh host make`.
//!
//! There are many such programs, and agents put their own before everything, so most are recognised by what follows
//! them: a well-known program, after options and the words `exec`, `run` and `--`. Which of the two an error belongs
//! to is decided elsewhere.

use super::{SHELLS, ShellCommand, ShellWord, base_name, has_subcommands, is_listed, is_python};
use crate::text::word_table::WordList;

/// Programs that run a command in another place, which is their first argument.
const ELSEWHERE: &str = "ssh wsl wsl.exe docker podman nerdctl kubectl oc docker-compose podman-compose lxc multipass \
    distrobox toolbox flatpak chroot adb limactl vagrant sshpass";
/// Programs that run any given command in an environment that they set up.
const RUNNERS: &str = "npx bunx pnpm yarn npm bun uv uvx poetry pipenv hatch pdm rye conda mamba bundle nix nix-shell mise \
    direnv devbox dotenv rtk xvfb-run xargs doppler op infisical aws-vault watch entr caffeinate strace ltrace gdb catchsegv \
    systemd-run unbuffer script cross-env dotenvx pixi micromamba";
/// Well-known programs, whose names are hardly operands.
const KNOWN: &str = "git cargo npm yarn pnpm bun deno go pip pip3 uv poetry pipenv terraform make mvn gradle gradlew rake rails \
    gem composer npx bunx rustc mix flutter dart swift dotnet tox nox hatch pdm alembic flask turbo node tsc tsx ts-node eslint \
    prettier jest vitest mocha playwright cypress biome oxlint pytest ruff black mypy pyright flake8 pylint isort ruby rspec \
    rubocop php phpunit phpstan java javac kotlinc gcc g++ clang clang++ cmake ctest ninja meson bazel psql mysql sqlite3 \
    redis-cli mongosh curl wget jq rg grep cat ls find sed tail head docker kubectl helm golangci-lint gofmt gotestsum nextest \
    just task pre-commit coverage gunicorn uvicorn celery hugo zig ghc aws gcloud gsutil eksctl kustomize terragrunt ansible-playbook podman rsync \
    openssl ffmpeg pulumi netlify vercel gh glab cabal stack sbt lein clojure elixir iex";
/// Programs whose operands may well be names of programs.
const NAMING: &str = "which type command whereis where where.exe man help echo printf grep egrep rg ag cat ls find fd cd cp mv rm \
    mkdir touch pkill killall pgrep ps kill apt apt-get brew dnf yum pacman apk choco scoop winget asdf sdk nvm volta alias \
    unalias complete open code vim nano hash test [ git gem pip pip3 cargo make systemctl service launchctl snap export unset \
    source . tldr info sort tar unzip chmod chown stat file du wc rustup corepack head tail less sed awk jq for while until if case";

impl ShellCommand {
    /// Returns the command that this one only runs in another place or environment, if there is one.
    pub fn wrapped_command(&self) -> Option<Self> {
        let at = find_inner_command(&self.words)?;
        Some(Self {
            words: self.words[at..].to_vec(),
            ..self.clone()
        })
    }
}

impl ShellCommand {
    /// Returns the same, unless the well-known name may be what the program itself is to do: `corp git sync`, `kubectl get
    /// node`. It is none behind a program that runs others, or a word that says so: `corp exec -- git push`.
    pub(crate) fn surely_wrapped_command(&self) -> Option<Self> {
        const SAYING: &str = "exec run shell develop x -- -c -e";
        let inner = self.wrapped_command()?;
        let before = &self.words[..self.words.len() - inner.words.len()];
        let runs_others = is_listed(RUNNERS, self.program())
            || runs_elsewhere(self.program()) && !has_subcommands(self.program());
        let mut before = before.iter().skip(1);
        (runs_others || before.any(|word| is_listed(SAYING, &word.text))).then_some(inner)
    }
}

/// Returns whether a program runs commands in another place.
pub(crate) fn runs_elsewhere(program: &str) -> bool {
    is_listed(ELSEWHERE, program)
}

/// Returns the index at which the wrapped command begins.
fn find_inner_command(words: &[ShellWord]) -> Option<usize> {
    const MARKS: &str = "exec run develop shell compose dev x -- -c -e";
    const DEPTH: usize = 12;
    static WRAPPERS: WordList<128> = WordList::new(&[((), RUNNERS), ((), ELSEWHERE)]);
    static NAMING_PROGRAMS: WordList<256> = WordList::new(&[((), NAMING)]);
    let program = base_name(&words.first()?.text);
    let is_cmdlet = program.starts_with(|c: char| c.is_ascii_uppercase());
    let is_wrapper = WRAPPERS.contains(program);
    if !is_wrapper && (is_cmdlet || NAMING_PROGRAMS.contains(program) || is_known_program(program))
    {
        return None;
    }
    // After an unknown program only the next word may be a command.
    let mut places = if is_wrapper { DEPTH } else { 1 };
    for (at, word) in words.iter().enumerate().skip(1) {
        let text = word.text.as_str();
        if is_known_program(base_name(text)) {
            // A container may be called as a program is: `docker compose exec php composer update`.
            let mut after = words.iter().skip(at + 1).take(1);
            let is_place = is_listed(ELSEWHERE, program)
                && after.any(|next| is_known_program(base_name(&next.text)));
            return Some(at + usize::from(is_place));
        }
        if !text.starts_with('-') && !is_listed(MARKS, text) {
            places = places.checked_sub(1).filter(|count| *count > 0)?;
        }
    }
    None
}

/// Returns whether a program is well known.
pub(crate) fn is_known_program(program: &str) -> bool {
    static NAMES: WordList<512> = WordList::new(&[((), KNOWN)]);
    NAMES.contains(program) || is_python(program) || SHELLS.contains(&program)
}

/// Returns whether a program is well known, by a name that is no ordinary English word.
pub(crate) fn is_program_by_name(program: &str) -> bool {
    const AMBIGUOUS: &str =
        "make go find cat head tail just task node script stack zig flask test jest black";
    is_known_program(program) && !is_listed(AMBIGUOUS, program)
}

/// Returns the script of `bash -c '…'`, behind any wrapper of the shell, or of `ssh host '…'`, and whether the
/// program that runs it names itself when it fails before the script begins.
pub(super) fn find_script(command: &ShellCommand) -> Option<(bool, String)> {
    if let Some(script) = find_shell_script(&command.words) {
        return Some((false, script.to_owned()));
    }
    if command.program() == "eval" {
        let texts = command.arg_texts();
        let script = texts.collect::<Vec<_>>().join(" ");
        // What another command prints is not known.
        return (!script.is_empty() && !script.starts_with(['$', '`'])).then_some((false, script));
    }
    if command.program() == "ssh" {
        let last = command.words.get(2..)?.last()?;
        let is_line = last.text.contains(char::is_whitespace) && last.raw != last.text;
        return is_line.then(|| (true, last.text.clone()));
    }
    let mut others = command.words.iter().skip(1);
    // What a wrapper runs is looked for in long lists, and nearly no line runs a shell.
    if !others.any(|word| SHELLS.contains(&base_name(&word.text))) {
        return None;
    }
    let inner = command.wrapped_command()?;
    let script = find_shell_script(&inner.words)?;
    Some((false, script.to_owned()))
}

fn find_shell_script(words: &[ShellWord]) -> Option<&str> {
    let name = base_name(&words.first()?.text).to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let is_posix = SHELLS.contains(&name);
    if !is_posix && !is_listed("pwsh powershell cmd", name) {
        return None;
    }
    let is_mark = |word: &ShellWord| {
        let text = word.text.to_ascii_lowercase();
        if is_posix {
            text.starts_with('-') && text.ends_with('c') && text.len() <= 4
        } else {
            is_listed("-command -c /c", &text)
        }
    };
    let at = words.iter().take(6).position(is_mark)?;
    let is_first =
        at == 1 || !is_posix || words[1..at].iter().all(|word| word.text.starts_with('-'));
    // A `PowerShell` program is not a list of commands.
    let is_list = |it: &&ShellWord| is_posix || !it.text.contains(['$', '{', '[']);
    let script = words.get(at + 1).filter(|_| is_first).filter(is_list)?;
    Some(script.text.as_str())
}

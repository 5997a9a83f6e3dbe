//! Follows what version control brings into a work tree: after a checkout of somebody else's branch the files that
//! differ are from outside, until it is left.

use super::{FollowedCall, Lineage, kind, number_name, split_parts, split_versions};
use crate::{
    ShellCommand, ShellLine,
    outside::{host, places, tool},
    shell::{base_name, is_listed},
};

/// Marks that tell of a work tree; each is counted, so that one which was left can be entered again.
const ENTERED: &str = "\u{1}tree";
const LEFT: &str = "\u{1}left";
const COMPARED: &str = "\u{1}compared";
const DIFFERS: &str = "\u{1}differs";

/// Subcommands that bring another branch into the work tree.
const FILLERS: &str =
    "checkout co switch merge rebase cherry-pick pull am apply reset restore worktree";
/// Subcommands after which another branch may be in the work tree instead.
const LEAVERS: &str = "checkout switch reset";
/// Commands that say nothing of what the files of a work tree hold.
const PLAIN_COMMANDS: &str = "cd pushd popd echo printf export set unset true false test [ mkdir rm mv cp touch chmod sleep kill \
    pwd date which type";

/// How another branch came into a work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchArrival {
    /// It was checked out, in place of the one before.
    CheckedOut,
    /// It was brought into the one that is checked out.
    Merged,
}

impl BranchArrival {
    /// Returns the revision with which the work tree is compared.
    pub fn base_revision(self) -> &'static str {
        match self {
            Self::CheckedOut => "@{-1}",
            Self::Merged => "ORIG_HEAD",
        }
    }

    /// Returns how a command line brings another branch into the work tree; `None` where the files that differ cannot
    /// be told by two revisions.
    pub fn from_call(tool: &str, args: &str) -> Option<Self> {
        let line = places::extract_command_line(tool, args)?;
        let read = crate::shell::parse_line(&line);
        read.commands
            .iter()
            .rev()
            .find_map(|command| match find_filler(command)? {
                "checkout" | "co" | "switch" => Some(Self::CheckedOut),
                "merge" | "pull" => Some(Self::Merged),
                _ => None,
            })
    }
}

impl Lineage {
    /// Returns whether somebody else's branch is in the work tree, and nothing is known of what differs.
    pub fn awaits_comparison(&self) -> bool {
        let tree = self.current_tree();
        tree.is_some_and(|tree| !self.has_mark(COMPARED, tree))
    }

    /// Adds the files that differ in the work tree, as paths within the folder `root`.
    pub fn compare_tree<'p>(&mut self, root: &str, paths: impl IntoIterator<Item = &'p str>) {
        let Some(tree) = self.current_tree() else {
            return;
        };
        self.add_number(number_name(COMPARED, &tree.to_string()));
        for path in paths {
            if let Some((_, ending)) = path.rsplit_once('.') {
                self.add_number(number_name(DIFFERS, &format!("{tree}/*.{ending}")));
            }
            self.add_number(number_name(DIFFERS, &format!("{tree}/{path}")));
            self.add_number(number_name(DIFFERS, &format!("{tree}/{root}/{path}")));
        }
    }

    /// Follows a command of version control. `brings_outside` says whether it reads content from outside.
    pub(super) fn follow_checkout(&mut self, command: &ShellCommand, brings_outside: bool) {
        if command.program() == "patch" && brings_outside {
            return self.enter_tree();
        }
        if is_listed("git gh glab hub", command.program()) {
            self.note_refs(command);
        }
        let Some(filler) = find_filler(command) else {
            return;
        };
        if filler == "worktree" {
            let operands = version_control_operands(command);
            if brings_outside && let ["worktree", "add", folder, ..] = operands.as_slice() {
                self.add_path(folder);
            }
            return;
        }
        // Of the own repository's other branches nothing is known; see the list in trust.md.
        let is_own_pull = command.label() == "git pull" && !self.names_others(command);
        if brings_outside && !is_own_pull {
            self.enter_tree();
        } else if is_listed(LEAVERS, filler) && leaves_branch(command) {
            self.leave_tree();
        }
    }

    /// Adds the branches and repositories of others that a command names.
    fn note_refs(&mut self, command: &ShellCommand) {
        let operands = version_control_operands(command);
        match operands.as_slice() {
            ["remote", "add", name, address, ..] if *name != "origin" && is_elsewhere(address) => {
                self.add_name(kind::REF, name);
            }
            ["fetch", rest @ ..] => {
                if !self.names_others(command) {
                    return;
                }
                // `+refs/pull/*/head:refs/remotes/pr/*`
                for (_, to) in rest.iter().filter_map(|word| word.rsplit_once(':')) {
                    self.add_name(kind::REF, base_name(to.trim_end_matches('*')));
                }
                for name in ["FETCH_HEAD", "--all"] {
                    self.add_name(kind::REF, name);
                }
            }
            _ => {}
        }
    }

    /// Adds the branch of others that was checked out, by its name here, which is kept when it is left.
    pub fn note_branch(&mut self, name: &str) {
        self.add_name(kind::REF, name);
    }

    /// Takes in the branch that a session begins on: it may be of others by a name that sessions before noted.
    pub fn begin_on_branch(&mut self, name: &str) {
        if self.holds(kind::REF, name) && self.current_tree().is_none() {
            self.enter_tree();
        }
    }

    /// Adds the branch that a checkout says it is on now, if it is of others.
    pub(super) fn note_entered_branch(&mut self, output: &str) {
        let lines = output.lines().rev().filter(|_| self.awaits_comparison());
        let mut names = lines
            .filter(|line| line.starts_with("Switched to "))
            .filter_map(|line| line.split('\'').nth(1));
        // Of several the last one is what it is on.
        if let Some(name) = names.next() {
            self.note_branch(name);
        }
    }

    /// Returns whether a command of version control names a branch or repository of others, or all branches.
    pub(super) fn reads_ref(&self, command: &ShellCommand) -> bool {
        let is_ref = |word: &str| {
            let parts = split_parts(word).flat_map(split_versions);
            let whole = word
                .split([':', '^', '~'])
                .flat_map(|part| part.split(".."));
            let whole = whole.map(|part| part.trim_start_matches('.'));
            // `origin/b` is `b` there.
            let bare = whole
                .clone()
                .filter_map(|part| Some(part.split_once('/')?.1));
            parts
                .chain(whole)
                .chain(bare)
                .any(|part| self.holds(kind::REF, part))
                || word == "--all" && command.label() == "git log" && self.holds(kind::REF, word)
        };
        is_listed("git gh glab hub", command.program())
            && command.args().iter().any(|word| is_ref(&word.text))
    }

    fn names_others(&self, command: &ShellCommand) -> bool {
        let is_request = |word: &str| {
            let word = word.trim_start_matches('+');
            word.starts_with("pull/") || word.contains("/pull/") || word.contains("merge-requests/")
        };
        let mut operands = version_control_operands(command).into_iter();
        self.reads_ref(command) || operands.any(|word| is_request(word) || is_elsewhere(word))
    }

    /// Returns whether a tool reads a file that differs in a work tree with somebody else's branch.
    pub(super) fn reads_tree(&self, call: &FollowedCall<'_>) -> bool {
        tool::reads_files(call.tool) && self.reads_differing(call)
    }

    /// Returns the same of a command line. What a program of the work tree prints may come from any file of it.
    pub(super) fn reads_tree_by(&self, read: &ShellLine, call: &FollowedCall<'_>) -> bool {
        self.current_tree().is_some()
            && read.commands.iter().any(|command| {
                let program = command.program();
                if places::is_file_reader(program) {
                    self.reads_differing(call)
                } else {
                    !is_listed(PLAIN_COMMANDS, program) && !is_listed("git gh", program)
                }
            })
    }

    /// Returns whether a call names a file that differs, or it is not known which do.
    fn reads_differing(&self, call: &FollowedCall<'_>) -> bool {
        let texts = [call.args, call.output.unwrap_or_default()];
        self.awaits_comparison() || texts.iter().any(|text| self.names_differing(text))
    }

    /// Returns whether a command may copy a file of a work tree with somebody else's branch.
    pub(super) fn copies_tree(&self, command: &ShellCommand) -> bool {
        let program = command.program();
        let writes = places::is_copier(program) || program == "git" && command.output.is_some();
        writes && self.current_tree().is_some()
    }

    /// Returns whether a text names a file that differs.
    fn names_differing(&self, text: &str) -> bool {
        let Some(tree) = self.current_tree() else {
            return false;
        };
        const EDGES: &str = "\"'`=,;()[]{}<>|&:";
        let words = text.split(|c: char| c.is_whitespace() || EDGES.contains(c));
        let mut words = words.filter(|word| word.contains(['.', '/']) || word.len() > 3);
        words.any(|word| {
            let path = word.trim_start_matches("./");
            let tails = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
            let mut tails = tails.filter(|tail| tail.contains('/')).chain([path]);
            tails.any(|tail| {
                self.0
                    .contains(&number_name(DIFFERS, &format!("{tree}/{tail}")))
            })
        })
    }

    fn enter_tree(&mut self) {
        self.leave_tree();
        let next = (0..).find(|tree| !self.has_mark(ENTERED, *tree));
        self.add_number(number_name(ENTERED, &next.unwrap_or(0_u32).to_string()));
    }

    fn leave_tree(&mut self) {
        if let Some(tree) = self.current_tree() {
            self.add_number(number_name(LEFT, &tree.to_string()));
        }
    }

    /// Returns the number of the work tree with somebody else's branch, unless it was left.
    fn current_tree(&self) -> Option<u32> {
        let trees = (0..).take_while(|tree| self.has_mark(ENTERED, *tree));
        trees.last().filter(|tree| !self.has_mark(LEFT, *tree))
    }

    fn has_mark(&self, mark: &str, tree: u32) -> bool {
        self.0.contains(&number_name(mark, &tree.to_string()))
    }
}

/// Returns the subcommand that may bring another branch into the work tree.
fn find_filler(command: &ShellCommand) -> Option<&str> {
    if !is_listed("git gh glab hub", command.program()) {
        return None;
    }
    let mut operands = version_control_operands(command).into_iter().take(2);
    let is_git = command.program() == "git";
    let filler = operands.find(|word| is_listed(FILLERS, word))?;
    (is_git || matches!(filler, "checkout" | "co")).then_some(filler)
}

/// Returns whether a checkout goes to another branch than the one before.
fn leaves_branch(command: &ShellCommand) -> bool {
    let args = command.args();
    let has = |list: &str| args.iter().any(|word| is_listed(list, &word.text));
    let operands = version_control_operands(command);
    let Some((last, before)) = operands.split_last() else {
        return false;
    };
    let count = before.len();
    let starts_anew = has("-b -B -c -C");
    let is_reset = command.label() == "git reset";
    // `HEAD~2` is on the same branch, `@{-1}` is not.
    let is_here = is_listed("HEAD @", last.split(['~', '^']).next().unwrap_or(last));
    let is_of_files = has("--") || has("-p --patch") || is_file_name(last);
    !is_of_files
        && !is_here
        && match (starts_anew, is_reset) {
            (true, _) => count > 1,
            (false, true) => has("--hard") && count > 0,
            // `git checkout main src`
            (false, false) => count == 1 || has("-"),
        }
}

/// Returns whether a word is the name of a file and not of a branch: `package-lock.json`, but not `release-2.1`.
fn is_file_name(word: &str) -> bool {
    let ending = base_name(word)
        .rsplit_once('.')
        .map_or("", |(_, ending)| ending);
    let is_ending = ending.len() > 1 && ending.chars().all(|c| c.is_ascii_alphabetic());
    is_ending || word == "." || word.starts_with("./") || word.ends_with('/')
}

/// Returns the words of a command of version control that are no options, the subcommand first.
fn version_control_operands(command: &ShellCommand) -> Vec<&str> {
    let args = command.args();
    let is_value =
        |at: usize| at > 0 && is_listed("-C -c --git-dir --work-tree", &args[at - 1].text);
    let operands = args.iter().enumerate();
    operands
        .filter(|(at, word)| !word.text.starts_with('-') && !is_value(*at))
        .map(|(_, word)| word.text.as_str())
        .collect()
}

/// Returns whether an operand is the address of another machine.
fn is_elsewhere(word: &str) -> bool {
    let is_copied = word.contains('@') && word.contains(':');
    host::parse_host(word).is_some_and(|host| !host::is_local_host(host)) || is_copied
}

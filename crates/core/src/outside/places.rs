//! Knows where text from outside is stored on this machine, whoever put it there: folders of dependencies and of mail,
//! and what a runner of jobs hands on of the event that started one.

use std::iter;

use super::code;
use crate::{
    ShellCommand, ShellWord,
    shell::{self, is_listed},
};

/// Folders with content that other people wrote, as they occur in a path.
const DEPENDENCY_FOLDERS: &[&str] = &[
    "node_modules",
    "site-packages",
    "dist-packages",
    "bower_components",
    "jspm_packages",
    "__pypackages__",
    ".pnpm-store",
    ".cargo/registry",
    ".cargo/git",
    "pkg/mod",
    ".m2/repository",
    ".gradle/caches",
    ".ivy2",
    ".nuget/packages",
    ".pub-cache",
    ".yarn/cache",
    ".npm/_cacache",
    ".terraform/modules",
    "ruby/gems",
    "vendor/bundle",
    "vendor/github.com",
    "vendor/golang.org",
    "third_party",
    "carthage/checkouts",
    "pods",
    "downloads",
    "maildir",
    "var/mail",
    "var/spool/mail",
    ".elpa",
    ".build/checkouts",
    "_deps",
    ".bun/install",
    ".julia/packages",
    "_opam",
    ".conan2",
    "vcpkg_installed",
    ".yarn/unplugged",
    "ansible_collections",
    ".claude/plugins",
    ".claude/projects",
    ".codex/sessions",
    ".cache/uv",
    "pnpm/store",
    ".rvm/gems",
    ".hex",
    "nix/store",
    "usr/share/doc",
];

/// Programs that print the content of the files that they are given.
const FILE_READERS: &str = "cat bat batcat head tail less more sed awk gawk grep egrep fgrep rg ag ack nl strings xxd od hexdump view \
    vim nvim nano jq yq diff cut sort tac fold fmt glow mdcat type get-content gc select-string findstr zcat zgrep zless find fd \
    pandoc xmllint";

/// Variables and folders in which a runner of jobs hands on what somebody wrote, in lower case.
pub(super) const EVENT_VARIABLES: &str = "github_event_path _github_workflow github_head_ref ci_merge_request_title \
    ci_merge_request_description ci_commit_message ci_commit_title ci_commit_description ci_commit_ref_name buildkite_message \
    bitbucket_branch circle_branch build_sourceversionmessage change_title change_branch";

/// Returns whether a program prints the content of the files that it is given.
pub(super) fn is_file_reader(program: &str) -> bool {
    is_listed(FILE_READERS, &program.to_ascii_lowercase())
}

/// Returns whether a program writes what it reads to the file or folder that it names last.
pub(super) fn is_copier(program: &str) -> bool {
    is_listed("cp mv ln install rsync scp dd tee ditto", program)
}

/// Returns whether a path leads into a folder of dependencies or of mail.
pub(super) fn is_dependency_path(path: &str) -> bool {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let path = path.strip_prefix("./").unwrap_or(&path);
    let leads_into = |rest: &str| {
        let mut afters = DEPENDENCY_FOLDERS
            .iter()
            .filter_map(|folder| rest.strip_prefix(folder));
        afters.any(|after| after.is_empty() || after.starts_with('/'))
    };
    let mut rests = iter::once(path).chain(path.match_indices('/').map(|(at, _)| &path[at + 1..]));
    rests.any(leads_into) || is_vendored(path)
}

/// Returns whether a path leads into a folder of copied dependencies: one that the path begins with, or that holds folders
/// of folders, which a module of the project with this name does not (`src/vendor/model.rs`).
fn is_vendored(path: &str) -> bool {
    path.starts_with("vendor/")
        || path
            .split_once("/vendor/")
            .is_some_and(|(_, rest)| rest.matches('/').count() > 1)
}

/// Returns whether a call searches files for a text, and so prints lines of whatever files have it.
pub fn searches_files(tool: &str, args: &str) -> bool {
    const PROGRAMS: &str = "grep egrep fgrep rg ag ack";
    if is_listed(
        "grep grep_search search_file_content",
        &tool.to_ascii_lowercase(),
    ) {
        return true;
    }
    // Most lines have none of these words, and need not be read.
    let may_search = PROGRAMS.split(' ').any(|program| args.contains(program));
    let line = may_search
        .then(|| extract_command_line(tool, args))
        .flatten();
    line.is_some_and(|line| {
        let line = shell::parse_line(&line);
        let mut commands = line.commands.iter();
        commands.any(|command| is_listed(PROGRAMS, command.program()))
    })
}

/// Returns the lines of a search that stand in files of a dependency, as the search itself says:
/// `node_modules/kit/README.md:3:…`. A compiler's line has a column too, and tells of the project's own code.
pub(super) fn find_dependency_lines(output: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_dependency = |line: &&str| {
        let mut parts = line.split(':');
        let path = parts.next().filter(|path| path.contains('/'));
        let has_column = parts.next().is_some_and(is_number) && parts.next().is_some_and(is_number);
        path.is_some_and(is_dependency_path) && !has_column
    };
    let lines = output.lines().filter(is_of_dependency);
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Returns whether a command that runs in `folder` prints files of a dependency.
pub(super) fn reads_dependency(command: &ShellCommand, folder: &str) -> bool {
    let code = code::extract_inline_code(command, "", false).unwrap_or_default();
    if code::quoted_names(&code).any(is_dependency_path) {
        return true;
    }
    if !is_file_reader(command.program()) && !is_copier(command.program()) {
        return false;
    }
    let args = command.args();
    let is_left_out = |at: usize| {
        const LEAVING_OUT: &str = "-path -ipath -not -wholename -name -iname -g --glob --iglob --exclude --exclude-dir --ignore --ignore-dir -E -e !";
        at > 0 && is_listed(LEAVING_OUT, &args[at - 1].text)
    };
    // Where a copy goes is only written.
    let is_option = |word: &ShellWord| word.text.starts_with('-');
    let copies = is_copier(command.program());
    let target = (args.iter().rposition(|word| !is_option(word))).filter(|_| copies);
    let mut files = args.iter().enumerate().filter(|(at, word)| {
        !word.text.starts_with(['-', '!', '^']) && !is_left_out(*at) && Some(*at) != target
    });
    let mut first = files.clone();
    let is_rooted = |text: &str| text.starts_with(['/', '~']);
    let in_folder = is_dependency_path(folder) && first.any(|(_, word)| !is_rooted(&word.text));
    in_folder
        || files.any(|(_, word)| is_dependency_path(&word.text))
        || command.input.as_deref().is_some_and(is_dependency_path)
}

/// Returns the command line that a call runs; `None` if the tool is no shell.
pub(super) fn extract_command_line(tool: &str, args: &str) -> Option<String> {
    let whole = shell::is_shell_name(tool).then(|| args.to_owned());
    shell::parse_command_line(tool, args).or(whole)
}

//! Knows where text from outside is stored on this machine: folders of dependencies and of mail, and what a run
//! itself downloaded.

use super::{code, fetch, host};
use crate::{
    limits,
    shell::{self, ShellCommand, base_name, is_listed},
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
];

/// Programs that print the content of the files that they are given.
const FILE_READERS: &str = "cat bat batcat head tail less more sed awk gawk grep egrep fgrep rg ag ack nl strings xxd od hexdump view \
    vim nvim nano jq yq diff cut sort tac fold fmt glow mdcat type get-content gc select-string findstr zcat zgrep zless find fd \
    pandoc xmllint";

/// Returns whether a path leads into a folder of dependencies or of mail.
pub(super) fn is_dependency_path(path: &str) -> bool {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let path = path.strip_prefix("./").unwrap_or(&path);
    let is_whole = |at: usize, folder: &str| {
        let before = path[..at].chars().next_back();
        let after = path[at + folder.len()..].chars().next();
        before.is_none_or(|c| c == '/') && after.is_none_or(|c| c == '/')
    };
    let holds = |folder: &&str| {
        path.match_indices(*folder)
            .any(|(at, _)| is_whole(at, folder))
    };
    // A module of the project may have this name too, but not its first folder.
    path.starts_with("vendor/") || DEPENDENCY_FOLDERS.iter().any(holds)
}

/// Returns whether a command that runs in `folder` prints files of a dependency.
pub(super) fn reads_dependency(command: &ShellCommand, folder: &str) -> bool {
    if !is_listed(FILE_READERS, &command.program().to_ascii_lowercase()) {
        return false;
    }
    let args = command.args();
    let is_left_out = |at: usize| {
        const LEAVING_OUT: &str = "-path -ipath -not -wholename -name -iname -g --glob --iglob --exclude --exclude-dir --ignore --ignore-dir -E -e !";
        at > 0 && is_listed(LEAVING_OUT, &args[at - 1].text)
    };
    let mut files = args
        .iter()
        .enumerate()
        .filter(|(at, word)| !word.text.starts_with(['-', '!', '^']) && !is_left_out(*at));
    let mut first = files.clone();
    let is_rooted = |text: &str| text.starts_with(['/', '~']);
    let in_folder = is_dependency_path(folder) && first.any(|(_, word)| !is_rooted(&word.text));
    in_folder || files.any(|(_, word)| is_dependency_path(&word.text))
}

/// The places where a run stored what it fetched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FetchedPlaces(Vec<String>);

impl FetchedPlaces {
    /// Records where a call stores what it fetches: a clone, a download, another person's branch.
    pub fn record_call(&mut self, tool: &str, args: &str) {
        // Nearly no call fetches, and parsing a line takes longer than this check.
        const HINTS: [&str; 6] = ["clone", "curl", "wget", "fetch", "checkout", "://"];
        if !HINTS.iter().any(|hint| args.contains(hint)) {
            return;
        }
        let Some(line) = extract_command_line(tool, args) else {
            return;
        };
        for command in &shell::parse_line(&line).commands {
            for place in find_fetch_targets(command) {
                self.add_place(&place);
            }
        }
    }

    fn add_place(&mut self, path: &str) {
        let name = base_name(path.trim_end_matches('/')).to_lowercase();
        if name.len() < 2 || name == ".." || self.0.contains(&name) {
            return;
        }
        if self.0.len() == limits::OUTSIDE_PLACES {
            self.0.remove(0);
        }
        self.0.push(name);
    }

    /// Returns whether a call reads one of these places.
    #[must_use]
    pub fn are_read_by(&self, args: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let is_edge = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '/' | '\\' | ':' | '"' | '\'' | '=' | ',' | ';' | '(' | ')'
                )
        };
        let args = args.to_lowercase();
        args.split(is_edge)
            .any(|part| self.0.iter().any(|place| place == part))
    }

    /// Returns the names of the places, to be stored.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Restores places from stored names.
    #[must_use]
    pub fn from_names(names: Vec<String>) -> Self {
        let mut places = Self::default();
        names.iter().for_each(|name| places.add_place(name));
        places
    }
}

/// Returns the command line that a call runs; `None` if the tool is no shell.
pub(super) fn extract_command_line(tool: &str, args: &str) -> Option<String> {
    let whole = shell::is_shell_name(tool).then(|| args.to_owned());
    shell::parse_command_line(tool, args).or(whole)
}

/// Returns the folders, files and branches that a command fills from elsewhere.
fn find_fetch_targets(command: &ShellCommand) -> Vec<String> {
    let label = command.label();
    let args = command.args();
    let operands = |after: &str| -> Vec<&str> {
        let words = args.iter().map(|word| word.text.as_str());
        let behind = words.skip_while(|word| *word != after).skip(1);
        behind.filter(|word| !word.starts_with('-')).collect()
    };
    let name_of = |address: &str| {
        let path = address.split(['?', '#']).next().unwrap_or(address);
        base_name(path.rsplit(':').next().unwrap_or(path))
            .trim_end_matches(".git")
            .to_owned()
    };
    if label == "git clone" || label.ends_with("repo clone") {
        let operands = operands("clone");
        // `--depth 1`
        let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
        let mut operands = operands.into_iter().filter(|word| !is_number(word));
        let from = operands.next().map(name_of);
        let into = operands.next().map(str::to_owned);
        return into.or(from).into_iter().collect();
    }
    if label == "git fetch" {
        let refs = operands("fetch");
        let branches = refs.iter().filter_map(|it| it.rsplit_once(':'));
        return branches
            .filter(|(from, _)| !from.contains("//"))
            .map(|(_, to)| to.to_owned())
            .collect();
    }
    if !code::is_fetcher(command.program()) || !fetch::command_fetches(command) {
        return Vec::new();
    }
    let mut places: Vec<String> = command.output.iter().cloned().collect();
    let is_output = |text: &str| {
        is_listed("--output --output-document -OutFile", text)
            || text.starts_with('-') && text.len() < 6 && text.ends_with(['o', 'O'])
    };
    let pairs = args.windows(2).filter(|pair| is_output(&pair[0].text));
    places.extend(pairs.map(|pair| pair[1].text.clone()));
    let addresses = args
        .iter()
        .filter(|word| host::parse_host(&word.text).is_some());
    places.extend(addresses.map(|word| name_of(&word.text)));
    places.retain(|place| place != "-" && place != "/dev/null");
    places
}

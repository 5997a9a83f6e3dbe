//! Follows content from outside through one command line: from a fetch or a file that holds it into pipes, variables
//! and files.

use super::{FollowedCall, Lineage, NameKind};
use crate::{
    outside::{code, fetch, host, line::CommandOrigin, places, tool},
    shell::{self, ShellCommand, ShellLine, base_name, is_listed},
};

/// Programs that print nothing of what they are given.
const SILENT_PROGRAMS: &str = "rm rmdir mkdir touch chmod chown cd pushd popd kill sleep true";
/// Programs that write what they read to the file or folder that they name last.
const COPIERS: &str = "cp mv ln install rsync scp dd tee ditto";
/// Programs that unpack.
const UNPACKERS: &str =
    "tar bsdtar gtar unzip 7z 7za 7zz unar unrar gunzip gzip bunzip2 unxz xz zstd unzstd jar cpio";
/// Options that name the file or folder that is written.
const TARGET_OPTIONS: &str = "-o -O -C -d -D -t --dir --output --output-document --output-dir --directory --target-directory -OutFile \
    -DestinationPath";

impl Lineage {
    /// Follows a command line, and returns whether it reads content from outside.
    pub(super) fn follow_line(&mut self, line: &str, call: &FollowedCall<'_>) -> bool {
        let read = shell::parse_line(line);
        self.note_written_script(&read, line);
        let mut carries = Vec::new();
        let mut is_named = false;
        for (at, command) in read.commands.iter().enumerate() {
            let names_value = self.is_read_by(command);
            is_named |= names_value;
            let receives = names_value || receives(&read.commands, at, &carries);
            let carries_on = self.follow_command(&read, line, command, receives);
            self.follow_checkout(command, carries_on);
            carries.push(carries_on);
        }
        let is_read = call.is_outside || is_named || self.reads_tree_by(&read, call);
        if is_read {
            self.note_tasks(call.output);
            self.note_saved(call.output);
            self.note_unpacked(&read, call.output);
        }
        is_read
    }

    /// Adds the names of the files that a line writes to, and of the history that keeps a message.
    pub(super) fn add_written_files(&mut self, line: &str) {
        let read = shell::parse_line(line);
        for command in &read.commands {
            for target in find_targets(command, false) {
                self.add_path(&target);
            }
            self.add_code_targets(command, line, read.heredoc);
            let mut words = command.args().iter();
            if command.program() == "git"
                && words.any(|word| is_listed("commit stash tag notes", &word.text))
            {
                self.add_name(NameKind::Store, "git");
            }
        }
        tool::find_patched_files(line).for_each(|file| self.add_path(file));
    }

    /// Adds the names of the files that code on the command line writes.
    fn add_code_targets(&mut self, command: &ShellCommand, line: &str, has_heredoc: bool) {
        if let Some(code) = code::extract_inline_code(command, line, has_heredoc) {
            code::find_written_files(&code).for_each(|file| self.add_path(file));
        }
    }

    /// Follows one command, and returns whether what it prints or writes is from outside; it `receives` such content if
    /// it names a value that holds it or gets it from the command before.
    fn follow_command(
        &mut self,
        read: &ShellLine,
        line: &str,
        command: &ShellCommand,
        receives: bool,
    ) -> bool {
        let origin = CommandOrigin {
            line,
            heredoc: read.heredoc,
        };
        let fetches = origin.is_outside(command);
        let carries_on = fetches || receives;
        if carries_on {
            for target in find_targets(command, fetches) {
                self.add_path(&target);
            }
            self.add_code_targets(command, line, read.heredoc);
            for variable in find_variables(command) {
                self.add_name(NameKind::Variable, variable);
            }
            self.note_archives(read, command);
        }
        carries_on
    }

    /// Returns whether a command names a value that holds content from outside.
    fn is_read_by(&self, command: &ShellCommand) -> bool {
        if is_listed(SILENT_PROGRAMS, command.program()) {
            return false;
        }
        let env = command.env.iter().map(|(_, value)| value.as_str());
        let words = command.words.iter().map(|word| word.text.as_str());
        let mut raw_words = command.words.iter().map(|word| word.raw.as_str());
        env.chain(words).any(|word| self.is_name_in(word))
            || raw_words.any(|word| self.is_expanded_in(word))
            || self.reads_ref(command)
            || self.runs_script(command)
    }

    /// Adds the folders that an archive from outside may be unpacked to: they are called like it, or like its
    /// repository.
    fn note_archives(&mut self, read: &ShellLine, command: &ShellCommand) {
        if !is_listed(UNPACKERS, command.program()) {
            return;
        }
        let words = read.commands.iter().flat_map(ShellCommand::args);
        for stem in words.flat_map(|word| archive_stems(&word.text)) {
            self.add_name(NameKind::Archive, &stem);
        }
    }

    /// Adds what an unpacking program lists.
    fn note_unpacked(&mut self, read: &ShellLine, output: Option<&str>) {
        let unpacks = |command: &ShellCommand| is_listed(UNPACKERS, command.program());
        if !read.commands.iter().any(unpacks) {
            return;
        }
        let lines = output.unwrap_or_default().lines().take(LISTED_LINES);
        for line in lines {
            let word = line.split_whitespace().last().unwrap_or_default();
            let parts = word.trim_start_matches("./").split('/');
            if let Some(first) = parts.into_iter().find(|part| !part.is_empty()) {
                self.add_path(first);
            }
        }
    }
}

/// Most lines read of what an unpacking program lists.
const LISTED_LINES: usize = 500;

/// Returns whether a command gets what one before it printed: by a pipe, or as words.
fn receives(commands: &[ShellCommand], at: usize, carries: &[bool]) -> bool {
    let is_piped = commands[at].join == shell::Join::Pipe && at > 0 && carries[at - 1];
    let mut before = (0..at).rev();
    let mut words = before
        .by_ref()
        .take_while(|index| commands[*index].is_substitution);
    is_piped || !commands[at].is_substitution && words.any(|index| carries[index])
}

/// Returns the variables that a command stores its output in, or sets.
fn find_variables(command: &ShellCommand) -> Vec<&str> {
    let sets = is_listed("export declare local readonly typeset", command.program());
    let words = command.args().iter().filter(|_| sets);
    let set = words.filter_map(|word| word.text.split_once('=').map(|(name, _)| name));
    set.chain(command.output_variable.as_deref()).collect()
}

/// Returns the files and folders that a command writes content from outside to.
fn find_targets(command: &ShellCommand, fetches: bool) -> Vec<String> {
    let args = command.args();
    let mut targets: Vec<String> = command.output.iter().cloned().collect();
    let program = command.program().to_ascii_lowercase();
    let mut operands = args.iter().filter(|word| !word.text.starts_with('-'));
    // `aws s3 cp s3://b/notes.txt .`
    let mut copies = args.iter().take(2).map(|word| word.text.as_str());
    let is_copy = fetches && copies.any(|word| is_listed("cp copy sync download", word));
    if is_copy || is_listed(COPIERS, &program) || command.label() == "git mv" {
        // `dd of=file`
        let target = operands
            .next_back()
            .map(|word| word.text.trim_start_matches("of="));
        targets.extend(target.map(str::to_owned));
        // Into a folder files go by their own names.
        if target.is_some_and(|target| target == "." || target.ends_with('/')) {
            targets.extend(operands.map(|word| name_in_address(&word.text)));
        }
    }
    if fetches || is_listed(UNPACKERS, &program) {
        let pairs = args
            .windows(2)
            .filter(|pair| is_target_option(&pair[0].text));
        targets.extend(pairs.map(|pair| pair[1].text.clone()));
    }
    if fetches {
        targets.extend(find_fetch_targets(command));
    }
    targets.retain(|target| target != "-" && target != "/dev/null" && target != ".");
    targets
}

fn is_target_option(text: &str) -> bool {
    is_listed(TARGET_OPTIONS, text)
        || text.starts_with('-') && text.len() < 6 && text.ends_with(['o', 'O'])
}

/// Returns the folders and files that a command fills from elsewhere and names only by their address.
fn find_fetch_targets(command: &ShellCommand) -> Vec<String> {
    let label = command.label();
    let args = command.args();
    if label == "git clone" || label.ends_with("repo clone") {
        let words = args.iter().map(|word| word.text.as_str());
        let behind = words.skip_while(|word| *word != "clone").skip(1);
        // `--depth 1`
        let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
        let mut operands = behind.filter(|word| !word.starts_with('-') && !is_number(word));
        let from = operands.next().map(name_in_address);
        let into = operands.next().map(str::to_owned);
        return into.or(from).into_iter().collect();
    }
    if !code::is_fetcher(command.program()) || !fetch::command_fetches(command) {
        return Vec::new();
    }
    let is_address = |word: &&shell::ShellWord| host::parse_host(&word.text).is_some();
    let addresses = args.iter().filter(is_address);
    let names = addresses.map(|word| {
        if word.text.ends_with('/') {
            "index.html".to_owned()
        } else {
            name_in_address(&word.text)
        }
    });
    names.collect()
}

/// Returns the name of the file or repository at an address.
fn name_in_address(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or(address);
    base_name(path.rsplit(':').next().unwrap_or(path))
        .trim_end_matches(".git")
        .to_owned()
}

/// Returns the names of the folders that archives of this name hold: its own, and that of its repository.
fn archive_stems(word: &str) -> Vec<String> {
    const ENDINGS: [&str; 12] = [
        ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tbz", ".txz", ".tar", ".zip",
        ".7z", ".gz", ".xz",
    ];
    const BRANCHES: &str = "main master head latest";
    let path = word.split(['?', '#']).next().unwrap_or(word);
    let name = base_name(path).to_lowercase();
    let Some(stem) = ENDINGS.iter().find_map(|end| name.strip_suffix(end)) else {
        return Vec::new();
    };
    let repository = host::parse_host(path)
        .and_then(|_| path.split_once("://"))
        .and_then(|(_, rest)| rest.split('/').nth(2));
    let begins = |text: &str| text.split(['-', '_']).next().unwrap_or(text).to_owned();
    let stems = [Some(stem), repository].into_iter().flatten().map(begins);
    stems
        .filter(|stem| stem.len() > 1 && !is_listed(BRANCHES, stem))
        .collect()
}

/// Returns whether a command reads a file that other people wrote, wherever it came from.
pub(super) fn reads_files(command: &ShellCommand) -> bool {
    places::is_file_reader(command.program())
}

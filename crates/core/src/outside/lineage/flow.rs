//! Follows content from outside through one command line: from a fetch or a file that holds it into pipes, variables
//! and files.

use super::{FollowedCall, Lineage, kind};
use crate::{
    outside::{code, fetch, host, line, places, tool},
    shell::{self, ShellCommand, ShellLine, ShellWord, base_name, is_listed},
};

/// Programs that print nothing of what they are given.
const SILENT_PROGRAMS: &str = "rm rmdir mkdir touch chmod chown cd pushd popd kill sleep true";
/// Programs that unpack.
const UNPACKERS: &str =
    "tar bsdtar gtar unzip 7z 7za 7zz unar unrar gunzip gzip bunzip2 unxz xz zstd unzstd jar cpio";
/// Options that name the file or folder that is written.
const TARGET_OPTIONS: &str = "-o -O -C -d -D -t --dir --output --output-document --output-dir --directory --target-directory --prefix -OutFile \
    -DestinationPath";

impl Lineage {
    /// Follows a command line, and returns whether it reads content from outside.
    pub(super) fn follow_line(&mut self, line: &str, call: &FollowedCall<'_>) -> bool {
        let read = shell::parse_line(line);
        self.note_written_script(&read, line);
        let mut carries = Vec::new();
        let mut is_named = false;
        // What a loop reads is in a variable of each of its commands.
        let is_looped = read.branches && call.is_outside;
        for (at, command) in read.commands.iter().enumerate() {
            let names_value = self.is_read_by(command);
            is_named |= names_value;
            let receives = names_value
                || is_looped
                || self.copies_tree(command)
                || receives(&read.commands, at, &carries);
            let carries_on = self.follow_command(&read, line, command, receives);
            self.follow_checkout(command, carries_on);
            if receives && !is_looped {
                self.note_keeper(&read, at, call.output);
            }
            if carries_on && is_listed(line::MULTIPLEXERS, command.program()) {
                self.add_name(kind::STORE, command.program());
            }
            if leaves_files_unnamed(command) || self.enters(command) {
                self.add_name(kind::STORE, ANYWHERE);
            }
            carries.push(carries_on);
        }
        self.note_entered_branch(call.output.unwrap_or_default());
        let is_read = call.is_outside || is_named || self.reads_tree_by(&read, call);
        if is_read {
            self.note_tasks(call.output);
            self.note_saved(call.output);
            self.note_unpacked(&read, call.output);
        }
        is_read
    }

    /// Adds a program that keeps what it gets, by name or at the end of a pipe, and prints at most its name.
    fn note_keeper(&mut self, read: &ShellLine, at: usize, output: Option<&str>) {
        let is_piped = |at: usize| {
            let command = read.commands.get(at);
            command.is_some_and(|command| command.join == shell::Join::Pipe)
        };
        let command = &read.commands[at];
        let program = command.program();
        let prints = output.is_none_or(|text| text.trim().len() > ID_BYTES);
        // What `git add` names is also a file.
        let is_kept = is_piped(at) || program != "git";
        if is_kept && !is_piped(at + 1) && !prints && is_listed(KEEPERS, program) {
            self.add_name(kind::STORE, program);
        }
    }

    /// Adds the names of the files that a line writes to, and of the programs that may keep what it tells them.
    pub(super) fn add_written_files(&mut self, line: &str) {
        let read = shell::parse_line(line);
        for command in &read.commands {
            for target in find_targets(command, false) {
                self.add_path(&target);
            }
            self.add_code_targets(command, line, read.heredoc);
            // `git commit -m`, `task add`, `sqlite3 kb.db "insert …"`: it may print later what it is told.
            let program = command.program();
            if !places::is_file_reader(program) && !is_listed(SPEAKERS, program) {
                self.add_name(kind::STORE, program);
            }
        }
        tool::find_patched_files(line).for_each(|file| self.add_path(file));
    }

    /// Adds what a command that is given content from outside may write it to: each other file that it names, unless it is
    /// known to print only; and the file of the same stem, where it names none (`pdftotext manual.pdf`).
    fn add_possible_targets(&mut self, command: &ShellCommand) {
        let program = command.program();
        if places::is_file_reader(program) || is_listed(PRINTERS, program) {
            return;
        }
        let texts = command.args().iter().map(|word| word.text.as_str());
        let files: Vec<&str> = texts.filter(|text| names_file(text)).collect();
        let targets = files.iter().filter(|file| !self.is_name_in(file));
        let targets: Vec<&str> = targets.copied().collect();
        targets.iter().for_each(|file| self.add_path(file));
        if let ([file], []) = (&files[..], &targets[..])
            && let Some((stem, _)) = base_name(file).rsplit_once('.')
        {
            self.add_name(kind::TASK, stem);
        }
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
        let fetches = line::is_outside(command, line, read.heredoc);
        let carries_on = fetches || receives;
        if carries_on {
            for target in find_targets(command, fetches) {
                self.add_path(&target);
            }
            if receives {
                self.add_possible_targets(command);
            }
            self.add_code_targets(command, line, read.heredoc);
            for variable in find_variables(command) {
                self.add_name(kind::VARIABLE, variable);
            }
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
        env.chain(words)
            .chain(command.input.as_deref())
            .any(|word| self.is_name_in(word))
            || raw_words.any(|word| self.is_expanded_in(word))
            || self.holds(kind::STORE, command.program())
            || self.holds(kind::STORE, ANYWHERE)
                && places::is_file_reader(command.program())
                && !command.is_filter()
            || self.reads_ref(command)
            || self.runs_script(command)
    }

    /// Returns whether a command goes to a folder from outside, where the calls to come name files only.
    fn enters(&self, command: &ShellCommand) -> bool {
        let is_held = |part: &str| self.holds(kind::PART, &part.to_lowercase());
        is_listed("cd pushd", command.program())
            && command.arg_texts().any(|path| path.split('/').any(is_held))
    }

    /// Adds what an unpacking program lists; where it lists nothing, any file may be of the archive.
    fn note_unpacked(&mut self, read: &ShellLine, output: Option<&str>) {
        let unpacks = |command: &ShellCommand| is_listed(UNPACKERS, command.program());
        if !read.commands.iter().any(unpacks) {
            return;
        }
        let output = output.unwrap_or_default();
        if output.trim().is_empty() && read.commands.iter().any(unpacks_silently) {
            self.add_name(kind::STORE, ANYWHERE);
        }
        for line in output.lines().take(LISTED_LINES) {
            let word = line.split_whitespace().last().unwrap_or_default();
            let parts = word.trim_start_matches("./").split('/');
            if let Some(first) = parts.into_iter().find(|part| !part.is_empty()) {
                self.add_path(first);
            }
        }
    }
}

/// What keeps an archive's files that nothing names.
pub(super) const ANYWHERE: &str = "*";
/// Programs that keep what a pipe gives them, for a later call of theirs.
const KEEPERS: &str = "sqlite3 duckdb psql mysql mariadb mongosh redis-cli git tmux pbcopy pbpaste xclip xsel wl-copy";
/// Programs that take files and write none of their content to another one.
const PRINTERS: &str = "git diff test [ wc ls stat file echo printf pytest jest vitest hardwon";
/// Programs that only print what they are told, or hand it on.
const SPEAKERS: &str =
    "echo printf test [ cd export set ls rm mkdir cp mv tee xargs env sudo bash sh";
/// Longest output that is only the name of what is kept.
const ID_BYTES: usize = 80;
/// Most lines read of what an unpacking program lists.
const LISTED_LINES: usize = 500;

/// Returns whether an argument has the form of a file's name.
fn names_file(text: &str) -> bool {
    !text.starts_with('-')
        && !text.contains(char::is_whitespace)
        && text.trim_matches('.').contains('.')
        && text.contains(|c: char| c.is_alphabetic())
}

/// Returns whether a command gets what one before it printed: by a pipe, or as words.
fn receives(commands: &[ShellCommand], at: usize, carries: &[bool]) -> bool {
    let is_piped = commands[at].join == shell::Join::Pipe && at > 0 && carries[at - 1];
    let mut before = (0..at).rev();
    let mut words = before
        .by_ref()
        .take_while(|index| commands[*index].is_substitution);
    is_piped || !commands[at].is_substitution && words.any(|index| carries[index])
}

/// Returns whether a command unpacks an archive of several files to where it runs.
fn unpacks_silently(command: &ShellCommand) -> bool {
    let says_so = |(at, word): (usize, &ShellWord)| {
        let letters = word.text.strip_prefix('-').unwrap_or(&word.text);
        let is_letters = at == 0 || letters.len() < word.text.len() && !letters.starts_with('-');
        is_letters && letters.contains('x') || is_listed("--extract --get", &word.text)
    };
    let unpacks = match command.program() {
        "tar" | "bsdtar" | "gtar" => command.args().iter().enumerate().any(says_so),
        program => is_listed("unzip 7z 7za 7zz unar unrar jar cpio", program),
    };
    unpacks && find_targets(command, false).is_empty()
}

/// Returns whether a command fetches files whose names only the other machine knows.
fn leaves_files_unnamed(command: &ShellCommand) -> bool {
    let takes_name =
        |text: &str| text.starts_with('-') && text.ends_with('J') || text == "--remote-header-name";
    let downloads = ["gh run download", "gh release download"];
    let mut words = command.words.iter().map(|word| word.text.as_str());
    let label = words.by_ref().take(3).collect::<Vec<_>>().join(" ");
    command.program() == "curl" && command.has_arg(takes_name)
        || downloads.contains(&label.as_str()) && !command.has_arg(is_target_option)
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
    if is_copy || places::is_copier(&program) || command.label() == "git mv" {
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
    if fetches || is_listed(UNPACKERS, &program) || places::is_file_reader(&program) {
        let pairs = args
            .windows(2)
            .filter(|pair| is_target_option(&pair[0].text));
        targets.extend(pairs.map(|pair| pair[1].text.clone()));
        let glued = args.iter().filter_map(|word| word.text.split_once('='));
        let glued = glued.filter(|(name, _)| is_listed(TARGET_OPTIONS, name));
        targets.extend(glued.map(|(_, value)| value.to_owned()));
    }
    if fetches {
        targets.extend(find_fetch_targets(command));
    }
    if is_listed("gunzip bunzip2 unxz unzstd gzip xz zstd", &program) {
        let stems = args.iter().filter_map(|word| word.text.rsplit_once('.'));
        targets.extend(stems.map(|(stem, _)| stem.to_owned()));
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
    let names = addresses.flat_map(|word| {
        // `wget --recursive` makes a folder of the host's name.
        let host = host::parse_host(&word.text).map(str::to_owned);
        let name = if word.text.ends_with('/') {
            "index.html".to_owned()
        } else {
            name_in_address(&word.text)
        };
        host.into_iter().chain([name])
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

/// Returns whether a text is the name of an archive.
pub(super) fn is_archive(text: &str) -> bool {
    const ENDINGS: &str = "tgz tbz txz tar zip 7z gz bz2 xz zst";
    let ending = text.rsplit_once('.').map_or("", |(_, ending)| ending);
    !text.contains(char::is_whitespace) && is_listed(ENDINGS, ending)
}

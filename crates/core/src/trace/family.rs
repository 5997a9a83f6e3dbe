//! Classifies an error text: what kind of failure it reports, and about which thing.
//!
//! Most of capture's caution rests on this table: a missing program, an unknown option or a missing script are
//! failures of the *call*, and the next agent can avoid them; a failing test, a compiler error or an exception in the
//! agent's own code are the *work*, and a timeout is temporary. The rules are rows, tried in order, each with samples
//! beside it. Text that no row matches is [`FailureFamily::Other`].

use std::sync::OnceLock;

use regex_lite::Regex;

use hardwon_redact::finder::{self, WordGroups};

use crate::{event::NO_OUTPUT, named_enum::named_enum, shell::is_listed};

named_enum! {
    /// A kind of failure, with a short name that is used as a tag; some share one.
    FailureFamily {
        /// The call was interrupted.
        Interrupted = "interrupted",
        /// A person or a policy did not allow the call.
        Denied = "denied",
        /// The program is not installed.
        CommandMissing = "command-not-found",
        /// A module, package, header or library is missing.
        ModuleMissing = "missing-module",
        /// The task runner has no such script, target or subcommand.
        ScriptMissing = "missing-script",
        /// The program does not know an option.
        OptionUnknown = "unknown-option",
        /// The call was malformed in another way: an argument is missing, surplus or invalid.
        Usage = "usage",
        /// The call ran in a folder that is no project of its kind.
        NotInProject = "working-directory",
        /// A branch, tag or revision does not exist.
        RefMissing = "missing-ref",
        /// The shell could not parse the line.
        ShellSyntax = "shell-quoting",
        /// A table or a column of a database does not exist.
        SqlName = "schema",
        /// The database could not parse or would not run the statement.
        Sql = "sql",
        /// Credentials are missing, wrong or not allowed.
        Auth = "credentials",
        /// The operating system denied permission.
        Permission = "permission",
        /// A service that should listen does not.
        Service = "service",
        /// The network cannot be reached.
        Offline = "offline",
        /// A temporary failure: a timeout, a rate limit, an overloaded server, a lock held by another.
        Transient = "transient",
        /// An edit did not find the text to replace.
        EditMismatch = "edit",
        /// An edit was refused because its result would not parse.
        EditSyntax = "edit",
        /// A search found nothing.
        NoMatch = "no-match",
        /// Tests or checks ran and some failed.
        TestFailed = "test",
        /// The agent's own code does not compile, or raised an exception.
        CodeFailed = "code",
        /// A file or folder does not exist.
        FileMissing = "missing-file",
        /// The error names a rule that the arguments broke.
        Rule = "rule",
        /// The error has a message that fits none of the above.
        Other = "error",
        /// The error has no message.
        Silent = "silent",
    }
}

impl FailureFamily {
    /// Returns whether the command came as far as the work itself, and that failed.
    pub fn is_the_work(self) -> bool {
        matches!(self, Self::TestFailed | Self::CodeFailed)
    }

    /// Returns whether the named thing belongs to the failure's identity. A missing `numpy` and a missing `requests`
    /// are two failures, two missing files are one.
    pub fn has_subject(self) -> bool {
        matches!(
            self,
            Self::CommandMissing | Self::ModuleMissing | Self::ScriptMissing | Self::OptionUnknown
        )
    }

    /// Returns whether the names that the error quotes belong to the failure's identity. Tables, refs and texts that were
    /// not found are the task's own: one failure whichever they are.
    pub fn has_names(self) -> bool {
        !self.has_subject()
            && !matches!(
                self,
                Self::SqlName
                    | Self::Sql
                    | Self::RefMissing
                    | Self::ShellSyntax
                    | Self::EditMismatch
                    | Self::EditSyntax
                    | Self::NoMatch
            )
    }
}

/// The classification of an error text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyMatch<'a> {
    /// The kind of failure.
    pub family: FailureFamily,
    /// The thing it is about, if the text names one.
    pub subject: Option<&'a str>,
    /// The line that was recognised; empty if the text is.
    pub line: &'a str,
}

/// One rule: an error is of this family if it contains one of the needles and, if there is a pattern, matches that
/// too. Needles are lower case and searched for all at once, so most patterns are never even compiled; the first
/// group of a pattern that took part is the subject.
type FamilyRule = (FailureFamily, &'static [&'static str], &'static str);

#[rustfmt::skip]
const RULES: &[FamilyRule] = &[
    (FailureFamily::Interrupted, &["interrupted by user", "interrupted by the user", "keyboardinterrupt", "sigint", "canceled by", "cancelled by", "aborted by", "request was aborted", "request aborted"], ""),
    (FailureFamily::Interrupted, &["130"], r"(?i)exit(?:ed with)? (?:code|status)[: ]+130\b"),
    (FailureFamily::Denied, &["[call held", "user rejected", "user has rejected", "user denied", "user declined", "user doesn't want", "user does not want", "permission to use", "requested permissions", "requires approval", "require approval", "approval is required", "approval required", "blocked by", "denied by", "not allowed by", "forbidden by", "rejected by", "sandbox denied", "sandbox blocked"], ""),
    (FailureFamily::CommandMissing, &["executable file not found"], r#"exec: "([^"]+)": executable file not found"#),
    (FailureFamily::CommandMissing, &["command not found"], r"command not found: ([^\s:]+)"),
    (FailureFamily::CommandMissing, &["command not found"], r"(?m)(?:^|: )(?:line [0-9]+: )?([A-Za-z0-9_.+/~-]+): command not found"),
    (FailureFamily::CommandMissing, &["not found"], r"(?m)^(?:/bin/)?(?:ba|da|a|k)?sh: (?:line )?(?:[0-9]+: )?([A-Za-z0-9_.+/~-]+): not found"),
    (FailureFamily::CommandMissing, &["is not recognized as"], r"'([^'\s]+)' is not recognized as"),
    (FailureFamily::CommandMissing, &["is not recognized"], r"The term '([^'\s]+)' is not recognized"),
    (FailureFamily::CommandMissing, &["env: "], r"env: [‘'`]?([A-Za-z0-9_.+-]+)[’']?: No such file or directory"),
    (FailureFamily::CommandMissing, &["spawn"], r"spawn ([A-Za-z0-9_.+-]+) ENOENT"),
    (FailureFamily::ModuleMissing, &["no module named"], r#"No module named ['"]?([A-Za-z0-9_.]+)"#),
    (FailureFamily::ModuleMissing, &["cannot find module", "cannot find package"], r#"Cannot find (?:module|package) ['"]([^'"]+)['"]"#),
    (FailureFamily::ModuleMissing, &["cannot load such file"], r"cannot load such file -- (\S+)"),
    (FailureFamily::ModuleMissing, &["in @inc"], r"Can't locate (\S+) in @INC"),
    (FailureFamily::ModuleMissing, &["no required module provides"], r"no required module provides package ([^\s;:]+)"),
    (FailureFamily::ModuleMissing, &["is not in goroot", "is not in std"], r"package ([^\s;:]+) is not in"),
    (FailureFamily::ModuleMissing, &["fatal error: "], r"fatal error: '?([A-Za-z0-9_./+-]+\.h(?:pp)?)'?(?:: No such file| file not found)"),
    (FailureFamily::ModuleMissing, &["cannot find -l", "library not found for -l"], r"(?:cannot find|library not found for) -l([A-Za-z0-9_+-]+)"),
    (FailureFamily::ModuleMissing, &["cannot open shared object"], r"([A-Za-z0-9_.+-]+): cannot open shared object"),
    (FailureFamily::ModuleMissing, &["linker "], r"linker [`'](\S+?)[`'] not found"),
    (FailureFamily::ModuleMissing, &["no package '"], r"No package '([A-Za-z0-9_.+-]+)' found"),
    (FailureFamily::ModuleMissing, &["system library"], r"system library [`'](\S+?)[`'] required"),
    (FailureFamily::ScriptMissing, &["missing script"], r#"[Mm]issing script:? ['"]?([A-Za-z0-9_:./-]+)"#),
    (FailureFamily::ScriptMissing, &["cript not found"], r#"[Ss]cript not found ['"]([A-Za-z0-9_:./-]+)"#),
    (FailureFamily::ScriptMissing, &["command \""], r#"Command "([A-Za-z0-9_:./-]+)" not found"#),
    (FailureFamily::ScriptMissing, &["no rule to make target"], r"No rule to make target [`'‘]([^'’]+)['’]"),
    (FailureFamily::ScriptMissing, &["no such command", "no such subcommand"], r"[Nn]o such (?:sub)?command:? [`'‘]([A-Za-z0-9_:./-]+)"),
    (FailureFamily::ScriptMissing, &["is not a"], r"'([A-Za-z0-9_:./-]+)' is not a (?:git|docker|npm|cargo|helm)? ?command"),
    (FailureFamily::ScriptMissing, &["unknown command", "unknown subcommand", "unrecognized command", "unrecognized subcommand", "invalid command", "invalid subcommand"], r#"(?i)(?:unknown|unrecognized|invalid) (?:sub)?command:? ['"`‘]?([A-Za-z0-9_:./-]+)"#),
    (FailureFamily::ScriptMissing, &["task '"], r"(?i)task '([A-Za-z0-9_:./-]+)' not found"),
    (FailureFamily::ScriptMissing, &["does not contain recipe"], r"does not contain recipe [`'‘]([A-Za-z0-9_:./-]+)"),
    (FailureFamily::OptionUnknown, &["option", "argument", "flag", "switch", "parameter"], r#"(?i)(?:unrecogni[sz]ed|unknown|invalid|illegal|unexpected|unsupported|no such|bad) (?:command[- ]line )?(?:options?|arguments?|flags?|switch|parameter)(?: found)?(?: provided)?(?: --)?:? *['"`‘“]?(-{1,2}[a-z0-9_?][a-z0-9_-]*)"#),
    (FailureFamily::OptionUnknown, &["option -- "], r"(?i)(?:invalid|unrecognized|illegal) option -- ['‘]?([a-z0-9][a-z0-9_-]*)"),
    (FailureFamily::OptionUnknown, &["not defined: -"], r"flag provided but not defined: (-\S+)"),
    (FailureFamily::OptionUnknown, &["unknown shorthand"], r"unknown shorthand flag: '([A-Za-z0-9])'"),
    (FailureFamily::OptionUnknown, &["unknown predicate"], r"unknown predicate [`'‘](-[A-Za-z0-9_-]+)"),
    (FailureFamily::NotInProject, &["could not find `cargo.toml`", "could not find cargo.toml", "not a git repository", "no configuration file provided", "go.mod file not found", "no justfile found", "no makefile found", "no rakefile found", "could not locate gemfile", "no pyproject.toml", "missingprojectexception", "there is no pom", "could not find package.json", "couldn't find a package.json", "could not find pyproject.toml", "could not find a pyproject.toml"], ""),
    (FailureFamily::NotInProject, &["package.json"], r"(?i)enoent[^\n]*package\.json"),
    (FailureFamily::RefMissing, &["pathspec", "refspec", "remote ref", "invalid reference"], r"pathspec '([^']+)' did not match|src refspec (\S+) does not match|couldn't find remote ref (\S+)|invalid reference: (\S+)"),
    (FailureFamily::ShellSyntax, &["syntax error near unexpected token", "unexpected eof while looking for", "unterminated quoted string", "no matches found: ", "event not found", "bad substitution", "syntax error: unterminated", "parse error near", "syntax error: unexpected"], ""),
    (FailureFamily::SqlName, &["table", "relation", "object name"], r#"(?i)table '?(?:[a-z0-9_-]+\.)?([a-z0-9_-]+)'? doesn't exist|no such table: (?:[a-z0-9_]+\.)?([a-z0-9_]+)|relation "(?:[a-z0-9_]+\.)?([a-z0-9_]+)" does not exist|invalid object name '(?:[a-z0-9_]+\.)?([a-z0-9_]+)'"#),
    (FailureFamily::SqlName, &["column"], r#"(?i)unknown column '([a-z0-9_.]+)'|no such column: ([a-z0-9_.]+)|column "?([a-z0-9_.]+)"? does not exist|invalid column name '([a-z0-9_]+)'"#),
    (FailureFamily::Sql, &["error in your sql syntax", "only_full_group_by", "invalid use of group function", "subquery returns more than", "every derived table must have", "operand should contain", "sql_mode", "' in field list is ambiguous", "is ambiguous", "doesn't yet support", "sqlite3.operationalerror", "psycopg2.errors"], ""),
    (FailureFamily::Auth, &["authentication failed", "could not read username", "could not read password", "permission denied (publickey", "403 forbidden", "401 unauthorized", "not logged in", "gh auth login", "aws sso login", "az login", "gcloud auth login", "invalid api key", "invalid credentials", "unable to locate credentials", "a password is required", "a terminal is required to read the password", "token has expired", "token expired", "access denied for user", "requires authentication"], ""),
    (FailureFamily::Offline, &["could not resolve host", "temporary failure in name resolution", "temporary failure resolving", "name or service not known", "network is unreachable", "getaddrinfo enotfound", "getaddrinfo eai_again", "no address associated with hostname", "failed to lookup address"], ""),
    (FailureFamily::Service, &["connection refused", "econnrefused", "cannot connect to the docker daemon", "could not connect to server", "is the server running", "couldn't connect to server", "failed to connect to", "can't connect to mysql", "can't connect to local mysql"], ""),
    (FailureFamily::Transient, &["timed out", "time out", "timeout", "deadline exceeded", "rate limit", "too many requests", "overloaded", "service unavailable", "bad gateway", "internal server error", "internalservererror", "econnreset", "connection reset", "connection was reset", "connection closed", "connection aborted", "temporarily unavailable", "try again later", "podinitializing", "containercreating", "could not get lock", "resource busy", "socket hang up", "broken pipe", "apiconnectionerror"], ""),
    (FailureFamily::Transient, &["429", "502", "503", "504"], r"(?i)(?:http(?:/[0-9.]+)?|status|code|error):? ?(?:429|50[234])\b|^\s*(?:429|50[234])\b"),
    (FailureFamily::EditSyntax, &["edit has introduced new syntax error"], ""),
    (FailureFamily::EditMismatch, &["string to replace not found", "string to replace was not found", "old_str", "failed to exactly match", "failed to match!", "searchreplacenoexactmatch", "no match found for the string", "no exact match", "could not find the string", "could not find oldstring", "could not find the exact text", "could not find an exact match", "oldtext must match exactly", "failed to find expected lines", "failed to find context", "has not been read yet", "modified since", "no replacement was performed", "did not appear verbatim"], ""),
    (FailureFamily::EditMismatch, &["found "], r"(?i)found [0-9]+ (?:matches|occurrences) of"),
    (FailureFamily::NoMatch, &["no matches", "no results", "no files", "no more results", "no matching", "could not find [", "0 results", "0 matches"], r"(?i)^\s*(?:no (?:matches|results|files|more results|matching)|could not find \[|0 (?:results|matches))"),
    (FailureFamily::TestFailed, &["test result: failed", "assertionerror", "assertion failed", "assertion `", "test did not pass", "tests did not pass", "test case did not pass", "tests failed", "--- fail", "✗", "✖", "would reformat", "hook id: ", "not ok 1"], ""),
    (FailureFamily::TestFailed, &["failed:", "failure:", "failures:"], ""),
    (FailureFamily::TestFailed, &[" failed", " failing", " failure"], r"(?i)[0-9] (?:tests? )?fail(?:ed|ing|ure)"),
    (FailureFamily::TestFailed, &[".py::"], r"(?i)failed .*::"),
    (FailureFamily::TestFailed, &[" error in ", " errors in "], r"[0-9] errors? in [0-9]"),
    (FailureFamily::TestFailed, &["found "], r"(?i)found [0-9]+ (?:errors?|problems?|warnings?)"),
    (FailureFamily::TestFailed, &["fail"], r"(?m)^FAIL\b"),
    (FailureFamily::CodeFailed, &["syntaxerror", "indentationerror", "nameerror", "undefined reference", "undeclared", "cannot find symbol", "could not compile", "aborting due to", "panicked at", "segmentation fault", "core dumped", ": error: ", "error: expected", "nullpointerexception", "classnotfoundexception", "unhandled exception"], ""),
    (FailureFamily::CodeFailed, &["error[e", "traceback (most recent call last)", "exception: ", "typeerror: ", "valueerror: ", "attributeerror: ", "keyerror: ", "indexerror: ", "zerodivisionerror: ", "referenceerror: ", "rangeerror: ", "runtimeerror: ", "recursionerror: ", "overflowerror: ", "unboundlocalerror: ", "notimplementederror: ", "taberror: ", "lookuperror: ", "unicodedecodeerror: ", "unicodeencodeerror: ", "jsondecodeerror: ", "eoferror: "], ""),
    (FailureFamily::CodeFailed, &["error ts", "error cs", "error fs", "error bc"], r"\berror (?:TS|CS|FS|BC)[0-9]"),
    (FailureFamily::FileMissing, &["no such file or directory", "cannot find the file", "cannot find the path", "enoent", "can't open file", "filenotfounderror", "file not found", "directory not found", "folder not found", "file does not exist", "path does not exist", "directory does not exist", "not a directory", "is a directory", "cannot access"], ""),
    (FailureFamily::Permission, &["permission denied", "eacces", "operation not permitted", "must be root", "must be run as root", "are you root", "unless you are root", "superuser privileges", "need root", "only root can"], ""),
    (FailureFamily::Usage, &["missing argument", "paths must precede expression", "missing required", "missing operand", "missing option", "missing parameter", "missing field", "requires an argument", "requires at least", "requires a value", "requires exactly", "must specify", "too many arguments", "too few arguments", "not enough arguments", "arguments are required", "arguments were not provided", "required parameter", "required property", "required argument", "required field", "invalid mode", "usage: ", "must follow", "must precede", "reverse collating", "invalid date", "invalid regular expression", "invalid number", "invalid argument", "invalid value", "invalid range", "invalid format", "invalid type", "invalid input", "invalid operator", "unmatched", "unknown directive", "unknown conversion", "unknown field", "unknown parameter", "unknown property", "unexpected keyword", "inputvalidationerror", "validation error", "extra operand", "not a valid", "cannot be used with", "conflicts with"], ""),
    (FailureFamily::Rule, &["must ", "should be", "not allowed", "cannot be", "can not be", "can only", "only be", "does not add up", "not enough", "exceeds", "too long", "too large", "too short", "too small", "at most", "at least", "not supported", "unsupported", "already exists", "has no upstream branch", "externally-managed-environment", "is not permitted", "is not eligible"], ""),
];

/// The needles of every row.
const NEEDLES: [&[&str]; RULES.len()] = {
    let mut needles: [&[&str]; RULES.len()] = [&[]; RULES.len()];
    let mut row = 0;
    while row < RULES.len() {
        needles[row] = RULES[row].1;
        row += 1;
    }
    needles
};

static FINDER: WordGroups<{ finder::count_words(&NEEDLES) }> = WordGroups::new(&NEEDLES);

/// Returns for each row the offset of its first needle.
fn find_needles(error: &str) -> Vec<Option<usize>> {
    let error = error.as_bytes();
    let places = RULES.iter().map(|row| find_short_needle(row, error));
    let mut places: Vec<Option<usize>> = places.collect();
    for (at, row) in FINDER.find_iter(error) {
        let before = places[row].unwrap_or(at);
        places[row] = Some(before.min(at));
    }
    places
}

/// Returns the offset of the first of a row's needles that are too short for the common search.
fn find_short_needle(row: &FamilyRule, error: &[u8]) -> Option<usize> {
    let short = row.1.iter().filter(|needle| needle.len() < 3);
    let places = short.filter_map(|needle| {
        let mut windows = error.windows(needle.len());
        windows.position(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
    });
    places.min()
}

/// Returns a row's pattern, compiled when first needed.
fn compiled_pattern(index: usize) -> &'static Regex {
    static PATTERNS: [OnceLock<Regex>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];
    PATTERNS[index].get_or_init(|| Regex::new(RULES[index].2).expect("a test compiles every row"))
}

/// Classifies an error text.
pub fn classify_error(error: &str) -> FamilyMatch<'_> {
    let places = find_needles(error);
    for (index, (family, _, pattern)) in RULES.iter().enumerate() {
        let Some(mut at) = places[index] else {
            continue;
        };
        let mut subject = None;
        if !pattern.is_empty() {
            let Some(found) = compiled_pattern(index).captures(error) else {
                continue;
            };
            let mut groups = found.iter().flatten();
            at = groups.next().map_or(at, |whole| whole.start());
            subject = groups.next();
        }
        return FamilyMatch {
            family: *family,
            subject: subject.map(|group| group.as_str()),
            line: find_telling_line(error, *family, at),
        };
    }
    let line = first_telling_line(error);
    FamilyMatch {
        family: match line {
            "" => FailureFamily::Silent,
            _ if is_located(line) => FailureFamily::CodeFailed,
            _ => FailureFamily::Other,
        },
        subject: None,
        line,
    }
}

/// Returns the most informative line: of a traceback its last, otherwise the one that matched.
fn find_telling_line(error: &str, family: FailureFamily, at: usize) -> &str {
    if family == FailureFamily::CodeFailed && error.contains("Traceback (most recent") {
        let mut lines = error.lines().rev().map(str::trim);
        return lines.find(|line| !line.is_empty()).unwrap_or_default();
    }
    // What a compiler says last is of all its errors.
    let first_error = if error.starts_with("error") {
        Some(0)
    } else {
        error.find("\nerror").map(|end| end + 1)
    };
    let at = match first_error.filter(|first| *first < at) {
        Some(first) if family == FailureFamily::CodeFailed => first,
        _ => at,
    };
    let start = error[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = error[at..].find('\n').map_or(error.len(), |end| at + end);
    let line = error[start..end].trim();
    // What went wrong is said below the code that it points to.
    let below = || first_telling_line(&error[end..]);
    if line.starts_with("--- FAIL")
        && let Some(detail) = find_test_detail(&error[end..])
    {
        detail
    } else if is_source_line(line) && !below().is_empty() {
        below()
    } else if line.is_empty() {
        first_telling_line(error)
    } else {
        line
    }
}

/// Returns what a test of Go printed below its name: which test met it, and where, says nothing of the failure.
fn find_test_detail(below: &str) -> Option<&str> {
    let is_place = |place: &str| place.contains("_test.go:") && !place.contains(' ');
    let lines = below
        .lines()
        .filter_map(|line| line.trim().split_once(": "));
    let mut said = lines.filter(|(place, _)| is_place(place));
    said.next().map(|(_, message)| message)
}

/// Returns whether a line is about a place in a file, by its line and column: `src/a.go:8:2: unused`.
fn is_located(line: &str) -> bool {
    let mut parts = line.split(": ").next().unwrap_or_default().rsplit(':');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_number(parts.next())
        && is_number(parts.next())
        && parts
            .next()
            .is_some_and(|file| file.contains('.') && !file.contains(' '))
}

/// Returns whether a line shows code under its number: `183 | throw new Error("full")`.
fn is_source_line(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.trim_start().starts_with('|')
}

/// Returns whether an error is one line of several words, so that it is what the program had to say, however it says it.
pub fn is_only_message(error: &str) -> bool {
    const WORDS: usize = 3;
    let mut lines = error.lines().map(str::trim);
    let mut telling = lines.by_ref().filter(|line| !is_boilerplate(line));
    let (first, other) = (telling.next().unwrap_or_default(), telling.next());
    let is_sentence = first.starts_with(char::is_alphabetic);
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    is_sentence && other.is_none() && first.split_whitespace().filter(is_word).count() >= WORDS
}

/// Returns the first line that is not boilerplate around an error; npm's code where there is no other.
fn first_telling_line(error: &str) -> &str {
    let lines = || error.lines().map(str::trim);
    let is_code = |line: &&str| {
        let code = line.strip_prefix("npm error code ");
        code.is_some_and(|code| code.contains('_') || code.starts_with('E') && code != "ELIFECYCLE")
    };
    let mut telling = lines().filter(|line| !is_boilerplate(line));
    let first = telling.clone().find(|line| !is_source_line(line));
    first
        .or_else(|| telling.next())
        .or_else(|| lines().find(is_code))
        .unwrap_or_default()
}

fn is_boilerplate(line: &str) -> bool {
    const WORDS: &str = "error error: failed failure stderr stderr: stdout stdout: output output:";
    let line = line.to_ascii_lowercase();
    let followed_by = |start: &str, chars: usize| {
        let rest = line.strip_prefix(start);
        rest.is_some_and(|rest| rest.chars().nth(chars).is_none())
    };
    let is_mark = |c: char| !c.is_alphanumeric() && c != '_';
    line.chars().all(is_mark)
        || is_listed(WORDS, &line)
        || line == NO_OUTPUT
        || is_exit_line(&line)
        || followed_by("command failed", 30)
        || followed_by("process exited", 30)
        || line.starts_with("node:internal/")
        || line == "triggeruncaughtexception("
        || is_npm_boilerplate(&line)
}

/// Returns whether a line only states an exit status: `exit code 1`, `Exited with exit status: 2.`
fn is_exit_line(line: &str) -> bool {
    let Some(mut rest) = line.strip_prefix("exit") else {
        return false;
    };
    for word in ["ed", " with", " exit"] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest = rest.strip_prefix([' ', '-']).unwrap_or(rest);
    for word in ["code", "status", ":", " "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.is_empty() || rest == "."
}

/// Returns whether a line is one that npm prints around every error.
fn is_npm_boilerplate(line: &str) -> bool {
    let rest = line
        .strip_prefix("npm err! ")
        .or_else(|| line.strip_prefix("npm error "));
    let words = ["code", "errno", "path", "command", "a complete log"];
    rest.is_some_and(|rest| words.iter().any(|word| rest.starts_with(word)))
}

#[cfg(test)]
mod tests;

//! Starts this program once more, to go on in the background after the present process has ended.
//!
//! Whoever started the present process waits neither for the other nor ends it: it has a group of its own, no open pipe, and
//! what the present process reads and writes is not passed on to it. It leaves the processor to others. What it does is not
//! known here.

use std::{ffi::OsString, io};

use crate::restart::find_program_to_restart;

/// Starts this program with these arguments, and does not wait for it.
///
/// # Errors
///
/// If it cannot be started.
#[cfg(unix)]
pub(crate) fn start(args: &[OsString]) -> io::Result<()> {
    use std::{
        os::unix::process::CommandExt as _,
        process::{Command, Stdio},
    };
    let mut command = Command::new(find_program_to_restart()?);
    command.args(args).process_group(0);
    let nobody = Stdio::null;
    command.stdin(nobody()).stdout(nobody()).stderr(nobody());
    command.spawn().map(drop)
}

/// Starts this program with these arguments, and does not wait for it.
///
/// The standard library passes on every handle that can be inherited, so with it an agent that waits for the end of a hook's
/// output would wait for the end of this process, too.
///
/// # Errors
///
/// If it cannot be started.
#[cfg(windows)]
pub(crate) fn start(args: &[OsString]) -> io::Result<()> {
    use winsafe::{CreateProcess, STARTUPINFO, co};
    let no_text = || io::Error::other("a path is not Unicode");
    let program = find_program_to_restart()?;
    let words = [program.as_os_str()].into_iter();
    let words = words.chain(args.iter().map(OsString::as_os_str));
    let words: Option<Vec<&str>> = words.map(std::ffi::OsStr::to_str).collect();
    let line = join_words(&words.ok_or_else(no_text)?);
    // A console that is not seen, because without any a program such as git would open one that is.
    let manner = co::CREATE::NO_WINDOW | co::CREATE::NEW_PROCESS_GROUP;
    let process = CreateProcess(
        program.to_str(),
        Some(&line),
        None,
        None,
        false,
        manner,
        &[],
        None,
        &mut STARTUPINFO::default(),
    );
    let to_io_error = |error: co::ERROR| io::Error::from_raw_os_error(error.raw().cast_signed());
    process.map(drop).map_err(to_io_error)
}

/// Joins words to a command line as programs on Windows read it.
#[cfg(any(windows, test))]
fn join_words(words: &[&str]) -> String {
    let arguments: Vec<String> = words.iter().map(|word| quote_word(word)).collect();
    arguments.join(" ")
}

/// Quotes a word if it needs that. There a backslash counts as itself, unless a quote follows.
#[cfg(any(windows, test))]
fn quote_word(word: &str) -> String {
    if !word.is_empty() && !word.contains([' ', '\t', '"']) {
        return word.to_owned();
    }
    let mut argument = String::from('"');
    let mut backslashes = 0;
    for c in word.chars() {
        match c {
            '\\' => backslashes += 1,
            '"' => argument.push_str(&"\\".repeat(backslashes + 1)),
            _ => {}
        }
        if c != '\\' {
            backslashes = 0;
        }
        argument.push(c);
    }
    argument + &"\\".repeat(backslashes) + "\""
}

/// Has this process give way to others, by so much as Unix counts it; on Windows there is one step.
#[cfg(unix)]
pub(crate) fn lower_priority(by: i32) {
    let _gets_the_rest = rustix::process::nice(by);
}

/// Has this process give way to others.
#[cfg(windows)]
pub(crate) fn lower_priority(_: i32) {
    use winsafe::{HPROCESS, co::PRIORITY_CLASS};
    let _gets_the_rest =
        HPROCESS::GetCurrentProcess().SetPriorityClass(PRIORITY_CLASS::BELOW_NORMAL);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_the_words_it_was_made_of() {
        for (words, line) in [
            (vec!["a", "b"], "a b"),
            (vec!["C:\\a b\\c", "-x"], "\"C:\\a b\\c\" -x"),
            (vec!["C:\\a b\\", ""], "\"C:\\a b\\\\\" \"\""),
            (vec!["C:\\a\\"], "C:\\a\\"),
            (vec!["say \"no\"", "a\\\"b"], r#""say \"no\"" "a\\\"b""#),
        ] {
            assert_eq!(join_words(&words), line);
        }
    }
}

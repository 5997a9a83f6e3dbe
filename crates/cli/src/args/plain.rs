//! What agents and scripts type before every turn, read without putting a parser together.
//!
//! A parser of all commands takes longer to be made than a recall takes to search. So `hook` and
//! `recall` in their plain forms are read word by word here; anything else, and every mistake, is
//! left to the parser, which also words the help. Whatever is read here the parser reads alike.

use std::ffi::OsString;

use super::{GlobalArgs, HookArgs, RecallArgs, parse_positive};

impl HookArgs {
    /// Reads `hook --client NAME --event NAME`, the way hooks are registered; none for anything
    /// else.
    pub fn parse_plain(args: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut args = args.into_iter();
        let mut hook = Self::default();
        if args.next()? != "hook" {
            return None;
        }
        while let Some(flag) = args.next() {
            let mut value = || args.next()?.into_string().ok();
            match flag.to_str()? {
                "--client" => hook.client = Some(value()?),
                "--event" => hook.event = Some(value()?),
                _ => return None,
            }
        }
        Some(hook)
    }
}

impl RecallArgs {
    /// Reads `recall TASK` with the options that a script gives it; none for anything else.
    pub fn parse_plain(args: impl IntoIterator<Item = OsString>) -> Option<(GlobalArgs, Self)> {
        let mut args = args.into_iter();
        let mut global = GlobalArgs::default();
        let mut recall = Self::default();
        let mut is_recall = false;
        while let Some(word) = args.next() {
            let mut value = || accept_plain(args.next()?);
            match word.to_str()? {
                "--db" => set_once(&mut global.db, value()?.into())?,
                "--agent" => set_once(&mut global.agent, value()?)?,
                "--project" => set_once(&mut global.project, value()?)?,
                "recall" if !is_recall => is_recall = true,
                "-k" if is_recall => set_once(&mut recall.k, parse_positive(&value()?).ok()?)?,
                "--json" if is_recall && !recall.json => recall.json = true,
                _ if is_recall => set_once(&mut recall.prompt, accept_plain(word)?)?,
                _ => return None,
            }
        }
        is_recall.then_some((global, recall))
    }
}

/// Returns a word that no parser could take for an option.
fn accept_plain(word: OsString) -> Option<String> {
    let word = word.into_string().ok()?;
    (!word.is_empty() && !word.starts_with('-')).then_some(word)
}

/// Takes a value that may be given once.
fn set_once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use proptest::{prelude::*, sample};

    use super::*;
    use crate::args::{Cli, CliCommand};

    const WORDS: [&str; 16] = [
        "recall",
        "recall",
        "--db",
        "--agent",
        "--project",
        "--json",
        "-k",
        "--k",
        "3",
        "0",
        "fix it",
        "hook",
        "-",
        "--",
        "",
        "--db=x",
    ];

    fn read(words: &[&str]) -> Option<Cli> {
        let (global, recall) = RecallArgs::parse_plain(words.iter().map(OsString::from))?;
        let command = CliCommand::Recall(recall);
        Some(Cli { global, command })
    }

    proptest! {
        #[test]
        fn what_is_read_here_the_parser_reads_alike(
            words in prop::collection::vec(sample::select(&WORDS[..]), 0..8)
        ) {
            if let Some(read) = read(&words) {
                let parsed = Cli::try_parse_from(["hardwon"].iter().chain(&words)).unwrap();
                prop_assert_eq!(format!("{read:?}"), format!("{parsed:?}"));
            }
        }
    }

    #[test]
    fn the_plain_forms_need_no_parser() {
        for (words, expected) in [
            ("recall task", true),
            ("--db f recall --json --agent a --project p -k 3 task", true),
            ("recall", true),
            ("recall task twice", false),
            ("recall --explain task", false),
            ("recall --project --json task", false),
            ("recall -k 0 task", false),
            ("recall --json --json task", false),
            ("recall --help", false),
            ("--json recall task", false),
            ("effect", false),
            ("", false),
        ] {
            let words: Vec<&str> = words.split_whitespace().collect();
            assert_eq!(read(&words).is_some(), expected, "{words:?}");
        }
    }
}

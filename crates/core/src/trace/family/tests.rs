use super::*;

#[test]
fn every_row_compiles() {
    for (index, row) in ROWS.iter().enumerate() {
        assert!(row.pattern.is_empty() || pattern(index).captures_len() > 0);
        assert!(
            row.needles
                .iter()
                .all(|needle| needle.to_ascii_lowercase() == *needle)
        );
    }
}

#[test]
fn errors_fall_into_families() {
    for (error, family, subject) in [
        (
            "/bin/bash: line 1: xxd: command not found\n",
            Family::CommandMissing,
            Some("xxd"),
        ),
        (
            "zsh: command not found: rg",
            Family::CommandMissing,
            Some("rg"),
        ),
        (
            "sh: 1: tree: not found",
            Family::CommandMissing,
            Some("tree"),
        ),
        (
            "obase=2\n/bin/bash: line 1: bc: command not found",
            Family::CommandMissing,
            Some("bc"),
        ),
        (
            "OCI runtime exec failed: exec failed: exec: \"python\": executable file not found in $PATH: unknown",
            Family::CommandMissing,
            Some("python"),
        ),
        (
            "env: 'node': No such file or directory",
            Family::CommandMissing,
            Some("node"),
        ),
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'yaml'",
            Family::ModuleMissing,
            Some("yaml"),
        ),
        (
            "Error: Cannot find module 'express'\nRequire stack:",
            Family::ModuleMissing,
            Some("express"),
        ),
        (
            "/usr/bin/ld: cannot find -lssl",
            Family::ModuleMissing,
            Some("ssl"),
        ),
        (
            "npm ERR! Missing script: \"test\"",
            Family::ScriptMissing,
            Some("test"),
        ),
        (
            "make: *** No rule to make target 'check'.  Stop.",
            Family::ScriptMissing,
            Some("check"),
        ),
        (
            "error: no such command: `fmtt`",
            Family::ScriptMissing,
            Some("fmtt"),
        ),
        (
            "git: 'psuh' is not a git command. See 'git --help'.",
            Family::ScriptMissing,
            Some("psuh"),
        ),
        (
            "error: unexpected argument '--foo' found",
            Family::OptionUnknown,
            Some("--foo"),
        ),
        (
            "ls: unrecognized option '--colour-all'",
            Family::OptionUnknown,
            Some("--colour-all"),
        ),
        (
            "tar: invalid option -- 'y'",
            Family::OptionUnknown,
            Some("y"),
        ),
        (
            "find: unknown predicate `-iregexx'",
            Family::OptionUnknown,
            Some("-iregexx"),
        ),
        (
            "error: could not find `Cargo.toml` in `/x` or any parent directory",
            Family::NotInProject,
            None,
        ),
        (
            "fatal: not a git repository (or any of the parent directories): .git",
            Family::NotInProject,
            None,
        ),
        (
            "error: pathspec 'master' did not match any file(s) known to git",
            Family::RefMissing,
            Some("master"),
        ),
        (
            "bash: -c: line 1: syntax error near unexpected token `('",
            Family::ShellSyntax,
            None,
        ),
        (
            "zsh: no matches found: pkg[extra]",
            Family::ShellSyntax,
            None,
        ),
        (
            "Table 'shop.orders' doesn't exist",
            Family::SqlTable,
            Some("orders"),
        ),
        (
            "ERROR:  relation \"users\" does not exist",
            Family::SqlTable,
            Some("users"),
        ),
        (
            "Unknown column 'id' in 'field list'",
            Family::SqlColumn,
            Some("id"),
        ),
        (
            "git@host: Permission denied (publickey).",
            Family::Auth,
            None,
        ),
        (
            "bash: ./run.sh: Permission denied",
            Family::Permission,
            None,
        ),
        (
            "curl: (6) Could not resolve host: example.org",
            Family::Offline,
            None,
        ),
        ("connect ECONNREFUSED 127.0.0.1:5432", Family::Service, None),
        ("Command timed out after 120s", Family::Transient, None),
        ("AnthropicException - Overloaded", Family::Transient, None),
        (
            "The user doesn't want to proceed with this tool use.",
            Family::Denied,
            None,
        ),
        (
            "[Request interrupted by user for tool use]",
            Family::Interrupted,
            None,
        ),
        (
            "String to replace not found in file.",
            Family::EditMismatch,
            None,
        ),
        (
            "Your proposed edit has introduced new syntax error(s).",
            Family::EditSyntax,
            None,
        ),
        (
            "=== 2 failed, 3 passed in 0.1s ===",
            Family::TestFailed,
            None,
        ),
        ("error[E0308]: mismatched types", Family::CodeFailed, None),
        (
            "NameError: name 'x' is not defined",
            Family::CodeFailed,
            None,
        ),
        (
            "cat: foo.txt: No such file or directory",
            Family::FileMissing,
            None,
        ),
        (
            "payment amount does not add up, total price is 375, but paid 299",
            Family::Rule,
            None,
        ),
        (
            "tr: range-endpoints of ' -\\012' are in reverse collating sequence order",
            Family::Usage,
            None,
        ),
        ("find: invalid mode '/u!=r'", Family::Usage, None),
        ("Exit code 1\n", Family::Silent, None),
        ("", Family::Silent, None),
        ("failed without output", Family::Silent, None),
        ("Exit code 1\nthe frobnicator is cold", Family::Other, None),
    ] {
        let found = find(error);
        assert_eq!((found.family, found.subject), (family, subject), "{error}");
    }
}

#[test]
fn the_telling_line_is_found() {
    for (error, line) in [
        (
            "Exit code 1\nnpm ERR! Missing script: \"test\"",
            "npm ERR! Missing script: \"test\"",
        ),
        (
            "obase=2\nbash: bc: command not found\n",
            "bash: bc: command not found",
        ),
        (
            "Traceback (most recent call last):\n  File x\nKeyError: 'a'",
            "KeyError: 'a'",
        ),
        ("Error:\n\n  cold  \n", "cold"),
    ] {
        assert_eq!(find(error).line, line, "{error}");
    }
}

/// What the lines around an error look like, and what merely resembles them.
#[test]
fn ceremony_tells_nothing() {
    for line in [
        "exit code 1",
        "Exited with exit status: 2.",
        "exit 1",
        "Exit-code",
        "exited with 127",
        "Error:",
        "FAILED",
        "---",
        "",
        "~~^^",
        "command failed with exit code 1",
        "Process exited with code 7",
        "npm ERR! code ELIFECYCLE",
        "npm error A complete log of this run",
        "stderr:",
        "Output:",
    ] {
        assert!(is_ceremony(line), "{line}");
    }
    for line in [
        "exit code one",
        "exiting",
        "error: no",
        "failed to",
        "command failed because the disk is full today",
        "npm error missing script",
        "x",
        "_",
        "é",
        "1",
        "outputs:",
    ] {
        assert!(!is_ceremony(line), "{line}");
    }
}

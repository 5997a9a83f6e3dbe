use super::*;

#[test]
fn every_row_compiles() {
    for (index, row) in RULES.iter().enumerate() {
        assert!(row.2.is_empty() || compiled_pattern(index).captures_len() > 0);
        assert!(
            row.1
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
            FailureFamily::CommandMissing,
            Some("xxd"),
        ),
        (
            "zsh: command not found: rg",
            FailureFamily::CommandMissing,
            Some("rg"),
        ),
        (
            "sh: 1: tree: not found",
            FailureFamily::CommandMissing,
            Some("tree"),
        ),
        (
            "obase=2\n/bin/bash: line 1: bc: command not found",
            FailureFamily::CommandMissing,
            Some("bc"),
        ),
        (
            "OCI runtime exec failed: exec failed: exec: \"python\": executable file not found in $PATH: unknown",
            FailureFamily::CommandMissing,
            Some("python"),
        ),
        (
            "env: 'node': No such file or directory",
            FailureFamily::CommandMissing,
            Some("node"),
        ),
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'yaml'",
            FailureFamily::ModuleMissing,
            Some("yaml"),
        ),
        (
            "Error: Cannot find module 'express'\nRequire stack:",
            FailureFamily::ModuleMissing,
            Some("express"),
        ),
        (
            "/usr/bin/ld: cannot find -lssl",
            FailureFamily::ModuleMissing,
            Some("ssl"),
        ),
        (
            "npm ERR! Missing script: \"test\"",
            FailureFamily::ScriptMissing,
            Some("test"),
        ),
        (
            "make: *** No rule to make target 'check'.  Stop.",
            FailureFamily::ScriptMissing,
            Some("check"),
        ),
        (
            "error: no such command: `fmtt`",
            FailureFamily::ScriptMissing,
            Some("fmtt"),
        ),
        (
            "git: 'psuh' is not a git command. See 'git --help'.",
            FailureFamily::ScriptMissing,
            Some("psuh"),
        ),
        (
            "error: unexpected argument '--foo' found",
            FailureFamily::OptionUnknown,
            Some("--foo"),
        ),
        (
            "ls: unrecognized option '--colour-all'",
            FailureFamily::OptionUnknown,
            Some("--colour-all"),
        ),
        (
            "tar: invalid option -- 'y'",
            FailureFamily::OptionUnknown,
            Some("y"),
        ),
        (
            "find: unknown predicate `-iregexx'",
            FailureFamily::OptionUnknown,
            Some("-iregexx"),
        ),
        (
            "error: could not find `Cargo.toml` in `/x` or any parent directory",
            FailureFamily::NotInProject,
            None,
        ),
        (
            "fatal: not a git repository (or any of the parent directories): .git",
            FailureFamily::NotInProject,
            None,
        ),
        (
            "error: pathspec 'master' did not match any file(s) known to git",
            FailureFamily::RefMissing,
            Some("master"),
        ),
        (
            "bash: -c: line 1: syntax error near unexpected token `('",
            FailureFamily::ShellSyntax,
            None,
        ),
        (
            "zsh: no matches found: pkg[extra]",
            FailureFamily::ShellSyntax,
            None,
        ),
        (
            "Table 'shop.orders' doesn't exist",
            FailureFamily::SqlName,
            Some("orders"),
        ),
        (
            "ERROR:  relation \"users\" does not exist",
            FailureFamily::SqlName,
            Some("users"),
        ),
        (
            "Unknown column 'id' in 'field list'",
            FailureFamily::SqlName,
            Some("id"),
        ),
        (
            "git@host: Permission denied (publickey).",
            FailureFamily::Auth,
            None,
        ),
        (
            "bash: ./run.sh: Permission denied",
            FailureFamily::Permission,
            None,
        ),
        (
            "curl: (6) Could not resolve host: example.org",
            FailureFamily::Offline,
            None,
        ),
        (
            "connect ECONNREFUSED 127.0.0.1:5432",
            FailureFamily::Service,
            None,
        ),
        (
            "Command timed out after 120s",
            FailureFamily::Transient,
            None,
        ),
        (
            "AnthropicException - Overloaded",
            FailureFamily::Transient,
            None,
        ),
        (
            "The user doesn't want to proceed with this tool use.",
            FailureFamily::Denied,
            None,
        ),
        (
            "[Request interrupted by user for tool use]",
            FailureFamily::Interrupted,
            None,
        ),
        (
            "String to replace not found in file.",
            FailureFamily::EditMismatch,
            None,
        ),
        (
            "Your proposed edit has introduced new syntax error(s).",
            FailureFamily::EditSyntax,
            None,
        ),
        (
            "=== 2 failed, 3 passed in 0.1s ===",
            FailureFamily::TestFailed,
            None,
        ),
        (
            "error[E0308]: mismatched types",
            FailureFamily::CodeFailed,
            None,
        ),
        (
            "cmd/lid.go:88:2: ineffectual assignment to err (ineffassign)",
            FailureFamily::CodeFailed,
            None,
        ),
        (
            "NameError: name 'x' is not defined",
            FailureFamily::CodeFailed,
            None,
        ),
        (
            "cat: foo.txt: No such file or directory",
            FailureFamily::FileMissing,
            None,
        ),
        (
            "payment amount does not add up, total price is 375, but paid 299",
            FailureFamily::Rule,
            None,
        ),
        (
            "tr: range-endpoints of ' -\\012' are in reverse collating sequence order",
            FailureFamily::Usage,
            None,
        ),
        ("find: invalid mode '/u!=r'", FailureFamily::Usage, None),
        (
            "Oak.cs(9,12): error CS0246: The type or namespace name 'Lid' could not be found",
            FailureFamily::CodeFailed,
            None,
        ),
        (
            "container \"oak\" is waiting to start: PodInitializing",
            FailureFamily::Transient,
            None,
        ),
        ("Exit code 1\n", FailureFamily::Silent, None),
        ("", FailureFamily::Silent, None),
        ("failed without output", FailureFamily::Silent, None),
        (
            "Exit code 1\nthe frobnicator is cold",
            FailureFamily::Other,
            None,
        ),
    ] {
        let found = classify_error(error);
        assert_eq!((found.family, found.subject), (family, subject), "{error}");
    }
}

#[test]
fn the_telling_line_is_found() {
    for (error, line) in [
        (
            "183 |   lidError: new Error(\"full\"),\n            ^\nerror: the yard is full\n  at lift",
            "error: the yard is full",
        ),
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
        (
            "--- FAIL: TestOpen (0.00s)\n    --- FAIL: TestOpen/lid (0.00s)\n        yard_test.go:14: YARD_KEY not set\nFAIL",
            "YARD_KEY not set",
        ),
        (
            "--- FAIL: TestOpen (0.00s)\nFAIL",
            "--- FAIL: TestOpen (0.00s)",
        ),
        ("Error:\n\n  cold  \n", "cold"),
        // A code is better than nothing.
        (
            "npm error code SELF_SIGNED_CERT_IN_CHAIN\nnpm error errno SELF_SIGNED_CERT_IN_CHAIN",
            "npm error code SELF_SIGNED_CERT_IN_CHAIN",
        ),
        ("npm error code 1\nnpm error path /oak", ""),
    ] {
        assert_eq!(classify_error(error).line, line, "{error}");
    }
}

/// Boilerplate around an error, and lines that merely resemble it.
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
        assert!(is_boilerplate(line), "{line}");
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
        assert!(!is_boilerplate(line), "{line}");
    }
}

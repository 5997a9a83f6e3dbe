//! Tests of error heads with output of real programs.

use super::*;

fn check(output: &str, expected: &str) {
    assert_eq!(error_head(output), expected, "of {output:?}");
}

#[test]
fn shells_and_system_tools() {
    check(
        "Exit code 127\n/bin/bash: line 1: xxd: command not found",
        "/bin/bash: line 1: xxd: command not found",
    );
    check(
        "cat: notes.txt: No such file or directory\n",
        "cat: notes.txt: No such file or directory",
    );
    check(
        "bash: ./run.sh: Permission denied\nExit Code: 126",
        "bash: ./run.sh: Permission denied",
    );
    check(
        "find: paths must precede expression: `./testbed/Hello.java'\nfind: possible unquoted pattern after predicate `-path'?\n",
        "find: paths must precede expression: `./testbed/Hello.java'",
    );
    check(
        "error: process ID out of range\n\nUsage:\n ps [options]\n\n Try 'ps --help <simple|list>'\n\nFor more details see ps(1).\n",
        "error: process ID out of range",
    );
    check(
        "tr: range-endpoints of ' -\\012' are in reverse collating sequence order",
        "tr: range-endpoints of ' -\\012' are in reverse collating sequence order",
    );
    check(
        "cp: 'a' and './a' are the same file",
        "cp: 'a' and './a' are the same file",
    );
    check(
        "make[1]: Entering directory '/x'\ngcc -c a.c\na.c:3:10: fatal error: zlib.h: No such file or directory\n    3 | #include <zlib.h>\n      |          ^~~~~~~~\ncompilation terminated.\nmake[1]: *** [Makefile:7: a.o] Error 1",
        "a.c:3:10: fatal error: zlib.h: No such file or directory",
    );
    check(
        "curl: (6) Could not resolve host: registry.example",
        "curl: (6) Could not resolve host: registry.example",
    );
    check(
        "  % Total    % Received % Xferd\n  0     0    0     0\rcurl: (22) The requested URL returned error: 403",
        "curl: (22) The requested URL returned error: 403",
    );
    check("Killed\nExit code 137", "Killed");
    check("Exit code 1", "");
    check("", "");
    check(
        "\u{1b}[31merror\u{1b}[0m: no such task\u{1b}[K",
        "error: no such task",
    );
}

#[test]
fn git() {
    check(
        "fatal: not a git repository (or any of the parent directories): .git",
        "fatal: not a git repository (or any of the parent directories): .git",
    );
    check(
        "To github.com:x/y.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:x/y.git'\nhint: Updates were rejected because the remote contains work\nhint: that you do not have locally.",
        "! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:x/y.git'",
    );
    check(
        "Auto-merging a.rs\nCONFLICT (content): Merge conflict in a.rs\nAutomatic merge failed; fix conflicts and then commit the result.",
        "CONFLICT (content): Merge conflict in a.rs",
    );
    check(
        "error: pathspec 'feature' did not match any file(s) known to git",
        "error: pathspec 'feature' did not match any file(s) known to git",
    );
}

#[test]
fn python() {
    check(
        "Traceback (most recent call last):\n  File \"/x/app.py\", line 3, in <module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'",
        "ModuleNotFoundError: No module named 'yaml'",
    );
    check(
        "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 4\nValueError: no a",
        "ValueError: no a",
    );
    check(
        "Traceback (most recent call last):\n  File \"r.py\", line 9, in get\nrequests.exceptions.ConnectionError: HTTPConnectionPool(host='db', port=80): Max retries exceeded\nsee the log",
        "requests.exceptions.ConnectionError: HTTPConnectionPool(host='db', port=80): Max retries exceeded",
    );
    check(
        "============ test session starts ============\ncollected 3 items\n\ntests/test_a.py .F.   [100%]\n\n    def test_sum():\n>       assert add(1, 2) == 4\nE       assert 3 == 4\nE        +  where 3 = add(1, 2)\n\ntests/test_a.py:5: AssertionError\n====== short test summary info ======\nFAILED tests/test_a.py::test_sum - assert 3 == 4\n==== 1 failed, 2 passed in 0.05s ====",
        "E       assert 3 == 4\nE        +  where 3 = add(1, 2)",
    );
    check(
        "ERROR: Could not find a version that satisfies the requirement torchx==9 (from versions: none)\nERROR: No matching distribution found for torchx==9",
        "ERROR: Could not find a version that satisfies the requirement torchx==9 (from versions: none)\nERROR: No matching distribution found for torchx==9",
    );
    check(
        "error: externally-managed-environment\n\n× This environment is externally managed\n╰─> To install Python packages system-wide, try apt install",
        "error: externally-managed-environment\n× This environment is externally managed",
    );
    check(
        "  File \"x.py\", line 2\n    print 'a'\n    ^^^^^^^^^\nSyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?",
        "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?",
    );
}

#[test]
fn rust() {
    check(
        "   Compiling x v0.1.0 (/x)\nerror[E0425]: cannot find value `y` in this scope\n --> src/main.rs:2:5\n  |\n2 |     y\n  |     ^ not found in this scope\n\nFor more information about this error, try `rustc --explain E0425`.\nerror: could not compile `x` (bin \"x\") due to 1 previous error",
        "error[E0425]: cannot find value `y` in this scope",
    );
    check(
        "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n\nthread 'b' panicked at src/lib.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`\n\ntest result: FAILED. 1 passed; 1 failed\n\nerror: test failed, to rerun pass `--lib`",
        "thread 'b' panicked at src/lib.rs:9:5:\nassertion `left == right` failed",
    );
    check(
        "error: no bin target named `serve`\n\nhelp: available bin targets:\n    web",
        "error: no bin target named `serve`",
    );
    check(
        "error: unexpected argument '--releas' found\n\n  tip: a similar argument exists: '--release'\n\nUsage: cargo build [OPTIONS]",
        "error: unexpected argument '--releas' found",
    );
}

#[test]
fn javascript() {
    check(
        "Exit code 1\nnpm error Missing script: \"test\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run\nnpm error A complete log of this run can be found in: /home/x/.npm/_logs/1.log",
        "npm error Missing script: \"test\"",
    );
    check(
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! \nnpm ERR! While resolving: web@1.0.0\nnpm ERR! Found: react@18.2.0\nnpm ERR! A complete log of this run can be found in: /x",
        "npm ERR! ERESOLVE unable to resolve dependency tree",
    );
    check(
        "node:internal/modules/cjs/loader:1148\n  throw err;\n  ^\n\nError: Cannot find module './server'\nRequire stack:\n- /x/index.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1145:15) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.1.0",
        "Error: Cannot find module './server'",
    );
    check(
        "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/b.ts(1,1): error TS2304: Cannot find name 'x'.\n\nFound 2 errors.",
        "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/b.ts(1,1): error TS2304: Cannot find name 'x'.",
    );
    check(
        "$ jest\nerror Command failed with exit code 1.\ninfo Visit https://yarnpkg.com/",
        "error Command failed with exit code 1.",
    );
    check(
        " ERR_PNPM_NO_MATCHING_VERSION  No matching version found for left-pad@9",
        "ERR_PNPM_NO_MATCHING_VERSION  No matching version found for left-pad@9",
    );
    check(
        "TypeError: Cannot read properties of undefined (reading 'map')\n    at f (/x/a.js:1:1)",
        "TypeError: Cannot read properties of undefined (reading 'map')",
    );
}

#[test]
fn other_languages_and_services() {
    check(
        "./main.go:5:2: undefined: fmtt",
        "./main.go:5:2: undefined: fmtt",
    );
    check(
        "# example.com/x\n./main.go:4:2: \"os\" imported and not used\n./main.go:9:1: missing return",
        "./main.go:4:2: \"os\" imported and not used\n./main.go:9:1: missing return",
    );
    check(
        "Exception in thread \"main\" java.lang.NullPointerException: x is null\n\tat A.main(A.java:3)",
        "Exception in thread \"main\" java.lang.NullPointerException: x is null",
    );
    check(
        "[INFO] Building\n[ERROR] /x/A.java:[3,5] cannot find symbol\n[ERROR] -> [Help 1]\n[ERROR] Re-run Maven using the -X switch",
        "[ERROR] /x/A.java:[3,5] cannot find symbol",
    );
    check(
        "ERROR:  relation \"users\" does not exist\nLINE 1: SELECT * FROM users;",
        "ERROR:  relation \"users\" does not exist",
    );
    check(
        "Error executing query: Unknown column 'id' in 'field list'",
        "Error executing query: Unknown column 'id' in 'field list'",
    );
    check(
        "OCI runtime exec failed: exec failed: unable to start container process: exec: \"python\": executable file not found in $PATH: unknown",
        "OCI runtime exec failed: exec failed: unable to start container process: exec: \"python\": executable file not found in $PATH: unknown",
    );
    check(
        "#8 ERROR: process \"/bin/sh -c pip install x\" did not complete successfully: exit code: 1\n------\nERROR: failed to solve: process \"/bin/sh -c pip install x\" did not complete successfully: exit code: 1",
        "#8 ERROR: process \"/bin/sh -c pip install x\" did not complete successfully: exit code: 1\nERROR: failed to solve: process \"/bin/sh -c pip install x\" did not complete successfully: exit code: 1",
    );
    check(
        "Error from server (NotFound): pods \"web\" not found",
        "Error from server (NotFound): pods \"web\" not found",
    );
    check(
        "Error: payment amount does not add up, total price is 375, but paid 299",
        "Error: payment amount does not add up, total price is 375, but paid 299",
    );
}

#[test]
fn linters() {
    check(
        "black....Passed\nflake8....Failed\n- hook id: flake8\n- exit code: 1\n\nsrc/a.py:4:16: F821 undefined name 'Tree'\n    except Tree:\n           ^",
        "src/a.py:4:16: F821 undefined name 'Tree'",
    );
    check(
        "/x/a.js\n  3:7  error  'y' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
        "3:7  error  'y' is assigned a value but never used  no-unused-vars\n✖ 1 problem (1 error, 0 warnings)",
    );
    check(
        "a.py:3: error: Incompatible types in assignment  [assignment]\nFound 1 error in 1 file",
        "a.py:3: error: Incompatible types in assignment  [assignment]",
    );
}

#[test]
fn agents_own_tools() {
    check(
        "<tool_use_error>String to replace not found in file.\nString: foo</tool_use_error>",
        "String to replace not found in file.",
    );
    check(
        "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
        "File has not been read yet. Read it first before writing to it.",
    );
    check(
        "Your proposed edit has introduced new syntax error(s). Please understand the fixes and retry your edit commmand.\n\nERRORS:\n- E999 IndentationError: unexpected indent\n- F821 undefined name 'x'\n\nThis is how your edit would have looked if applied\n-------------------------------------------------\n[File: a.py (3 lines total)]",
        "- E999 IndentationError: unexpected indent",
    );
    check(
        "Request failed with status code 403",
        "Request failed with status code 403",
    );
    check(
        "apply_patch verification failed: Failed to find expected lines in a.rs:\nlet x = 1;",
        "apply_patch verification failed: Failed to find expected lines in a.rs:\nlet x = 1;",
    );
}

#[test]
fn a_head_is_short_and_never_a_halved_word() {
    let long = format!("error: {}\n", "word ".repeat(1000)).repeat(100);
    let head = error_head(&long);
    assert!(head.len() <= limits::ERROR_HEAD_BYTES, "{}", head.len());
    assert!(head.ends_with("word…"), "{head}");
    let deep = format!("{}error: the end", "progress line\n".repeat(200_000));
    assert_eq!(error_head(&deep), "error: the end");
    let silent = "one\ntwo\nthree\nfour";
    assert_eq!(error_head(silent), "four");
}

use super::{FollowedCall, Lineage};
use crate::{ResultOrigin, outside::classify_call};

/// Follows calls, each with its output, and returns whether the last one reads content from outside.
fn follow(calls: &[(&str, &str, &str)]) -> bool {
    let mut lineage = Lineage::default();
    let mut is_read = false;
    for (tool, args, output) in calls {
        is_read = lineage.follow_call(&FollowedCall {
            tool,
            args,
            is_outside: classify_call(tool, args) == ResultOrigin::Outside,
            output: Some(output),
        });
        lineage = Lineage::from_numbers(lineage.to_numbers());
    }
    is_read
}

fn follow_lines(lines: &[&str]) -> bool {
    let calls: Vec<_> = lines.iter().map(|line| ("Bash", *line, "")).collect();
    follow(&calls)
}

const URL: &str = "https://example.com/a/notes.txt";

#[test]
fn what_a_fetch_wrote_is_outside_when_it_is_read() {
    for lines in [
        [
            "cd /tmp && git clone --depth 1 https://example.com/a/widget.git",
            "cat widget/src/lib.rs",
        ],
        ["git fetch up pull/7/head:pr-7", "git show pr-7:NOTES.md"],
        [
            "curl -sLo /tmp/n.txt https://example.com/n",
            "head /tmp/n.txt",
        ],
        [
            "curl -sO https://example.com/a/notes.txt",
            "grep -n x notes.txt",
        ],
        [
            "P=$(curl -s https://example.com/n); echo \"$P\" > n.txt",
            "cat n.txt",
        ],
        ["export P=$(curl -s https://example.com/n)", "echo \"${P}\""],
        [
            "curl -s https://example.com/n | jq . | tee out/n.json",
            "jq .a out/n.json",
        ],
        [
            "curl -s https://example.com/n > n.raw; cp n.raw docs/n.md",
            "cat docs/n.md",
        ],
        ["echo \"$(gh issue view 7)\" > n.txt", "cat n.txt"],
        [
            "curl -LO https://example.com/a/x.zip && unzip x.zip -d out7",
            "cat out7/README",
        ],
        [
            "curl -L https://example.com/acme/kit/archive/main.tar.gz | tar xz",
            "cat kit-main/README",
        ],
        [
            "cat > get.sh <<'E'\ncurl -s https://example.com/n\nE",
            "bash get.sh",
        ],
        [
            "printf 'curl -s https://example.com/n' > get.sh",
            "chmod +x get.sh && ./get.sh",
        ],
        ["gh run download 9 -D logs9", "cat logs9/a.txt"],
        ["gh run download 9", "cat report/summary.txt"],
        [
            "tmux send-keys -t w 'curl -s https://example.com/n' Enter",
            "tmux capture-pane -p",
        ],
        ["curl -so docs/n.md https://example.com/n", "cat docs/*"],
        ["curl -so docs/n.md https://example.com/n", "head -5 */n.?d"],
        [
            "curl -sOJ 'https://example.com/download?id=7'",
            "cat deploys.md",
        ],
        [
            "wget -q -r -np https://docs.example.com/guide/",
            "cat docs.example.com/guide/deploys.html",
        ],
        [
            "git clone https://example.com/a/kit && cd kit",
            "cat README.md",
        ],
        [
            "curl -s https://example.com/n | sponge guide.md",
            "cat guide.md",
        ],
        [
            "curl -so page.html https://example.com/n && pandoc page.html -o guide.md",
            "cat guide.md",
        ],
        [
            "curl -so page.html https://example.com/n && sort -o guide.md page.html",
            "cat guide.md",
        ],
        [
            "curl -sO https://example.com/manual.pdf && pdftotext manual.pdf",
            "cat manual.txt",
        ],
        [
            "curl -so page.html https://example.com/n && python3 -c \"import shutil; shutil.copy('page.html','guide.md')\"",
            "cat guide.md",
        ],
        [
            "curl -so t.csv https://example.com/n && sqlite3 kb.db '.import --csv t.csv t'",
            "sqlite3 kb.db 'select body from t'",
        ],
        [
            "curl -so page.html https://example.com/n && tar cf b.tar page.html",
            "tar xOf b.tar",
        ],
        [
            "curl -so page.html https://example.com/n && zip p.zip page.html",
            "unzip -p p.zip",
        ],
        ["curl -so notes.txt https://example.com/n", "cat *.txt"],
        ["wget -q https://example.com/deploys/", "cat index.html"],
        ["curl -s https://example.com/n | dd of=n.txt", "cat n.txt"],
        ["scp web1:/srv/n.txt .", "cat n.txt"],
        ["scp web1:/srv/n.txt notes/m.txt", "cat notes/m.txt"],
        ["aws s3 cp s3://bucket/n.txt docs/", "cat docs/n.txt"],
        [
            "python3 -c \"import urllib.request as u; open('n.txt','w').write(u.urlopen('https://example.com').read())\"",
            "cat n.txt",
        ],
        [
            "cat > Justfile <<'E'\ndocs:\n  curl -s https://example.com/n\nE",
            "just docs",
        ],
        [
            "bash <<'E'\ncurl -so n.txt https://example.com/n\nE",
            "cat n.txt",
        ],
        [
            "while read -r l; do echo \"$l\" >> n.txt; done < <(curl -s https://example.com/n)",
            "cat n.txt",
        ],
        ["curl -so n.txt https://example.com/n", "jq . < n.txt"],
        [
            "curl -so 'my n.txt' https://example.com/n",
            "cat 'my n.txt'",
        ],
        [
            "curl -so a.zip https://example.com/n && unzip -q a.zip",
            "cat other/README",
        ],
        [
            "curl -so n.md.gz https://example.com/n && gunzip n.md.gz",
            "cat n.md",
        ],
        [
            "curl -s https://example.com/n | git hash-object -w --stdin",
            "git cat-file -p a1b2",
        ],
        [
            "curl -s https://example.com/n | tmux load-buffer -",
            "tmux show-buffer",
        ],
        [
            "curl -s https://example.com/n | sqlite3 k.db '.import /dev/stdin p'",
            "sqlite3 k.db 'select * from p'",
        ],
        ["cp node_modules/kit/README.md kit.md", "cat kit.md"],
        ["alias docs='curl -s https://example.com/n'", "docs"],
        [
            "git subtree add --prefix=libs/kit https://example.com/kit main",
            "cat libs/kit/README.md",
        ],
        [
            "git fetch origin '+refs/pull/*/head:refs/remotes/pr/*'",
            "git show pr/7:README.md",
        ],
        ["git fetch origin pull/7/head:pr7", "git log --all -p"],
        ["true", "cat $GITHUB_EVENT_PATH"],
        ["true", "jq -r .issue.body \"${GITHUB_EVENT_PATH}\""],
        [
            "true",
            "python3 -c 'import os; print(open(os.environ[\"GITHUB_EVENT_PATH\"]).read())'",
        ],
        ["true", "echo $CI_MERGE_REQUEST_DESCRIPTION"],
    ] {
        assert!(follow_lines(&lines), "{lines:?}");
    }
    let zip = [
        (
            "Bash",
            "curl -LO https://example.com/x.zip && unzip x.zip",
            "  inflating: a7/README",
        ),
        ("Read", r#"{"file_path":"/w/a7/README"}"#, ""),
    ];
    assert!(follow(&zip));
    let written = [
        (
            "Write",
            r#"{"file_path":"/w/get.py","content":"import requests\nprint(requests.get('https://example.com').text)"}"#,
            "",
        ),
        ("Bash", "python3 get.py", ""),
    ];
    assert!(follow(&written));
    let saves = "Output has been saved to /w/tool-results/list-1.txt.\nFormat: JSON";
    for (tool, args, output, path) in [
        (
            "mcp__github__list_issues",
            "{}",
            saves,
            "/w/tool-results/list-1.txt",
        ),
        (
            "Bash",
            "curl -sOJ 'https://example.com/get?id=7'",
            "curl: Saved to filename 'n7.txt'",
            "n7.txt",
        ),
        (
            "mcp__figma__get",
            r#"{"localPath":"/w/copy.md"}"#,
            "",
            "/w/copy.md",
        ),
        (
            "Bash",
            "git submodule update --init",
            "Submodule path 'libs/kit': checked out 'a1'",
            "libs/kit/README.md",
        ),
        (
            "Bash",
            "npm pack @acme/kit",
            "acme-kit-1.0.tgz",
            "acme-kit-1.0.tgz",
        ),
    ] {
        let args_of_read = format!(r#"{{"file_path":"{path}"}}"#);
        assert!(
            follow(&[(tool, args, output), ("Read", &args_of_read, "")]),
            "{tool}"
        );
    }
    assert!(!follow(&[
        ("Bash", "make ship", saves),
        ("Read", r#"{"file_path":"/w/tool-results/list-1.txt"}"#, ""),
    ]));
}

/// A file may be read without being named; the output names it then.
#[test]
fn of_an_output_the_lines_of_a_fetched_file_are_outside() {
    let mut lineage = Lineage::default();
    follow_line(&mut lineage, "curl -so notes.txt https://example.com/n");
    let patch =
        "commit 1\ndiff --git a/notes.txt b/notes.txt\n+run it\ndiff --git a/b.rs b/b.rs\n+fn b";
    for (output, expected) in [
        (
            "notes.txt:1:run it\nsrc/a.rs:2:let a",
            "notes.txt:1:run it\n",
        ),
        (patch, "diff --git a/notes.txt b/notes.txt\n+run it\n"),
        (
            "==> notes.txt <==\nrun it\n==> b <==",
            "==> notes.txt <==\nrun it\n==> b <==\n",
        ),
        (" M notes.txt\n M src/a.rs", ""),
        ("make: no notes: run it", ""),
    ] {
        assert_eq!(lineage.find_lines_of_files(output), expected, "{output}");
    }
}

#[test]
fn a_picture_is_of_this_machine_where_only_its_pages_were_opened() {
    for (address, is_read) in [
        ("http://localhost:3000", false),
        ("https://example.com", true),
    ] {
        let mut lineage = Lineage::default();
        let mut go = |tool, args: &str| {
            let is_outside = classify_call(tool, args) == ResultOrigin::Outside;
            let output = None;
            lineage.follow_call(&FollowedCall {
                tool,
                args,
                is_outside,
                output,
            })
        };
        go(
            "mcp__playwright__browser_navigate",
            &format!(r#"{{"url":"{address}"}}"#),
        );
        assert_eq!(
            go("mcp__playwright__browser_take_screenshot", "{}"),
            is_read,
            "{address}"
        );
        assert!(go("mcp__chrome__take_screenshot", "{}"));
    }
}

/// What keeps a text is asked for it by its own name.
#[test]
fn what_was_written_is_known_by_the_name_of_what_keeps_it() {
    for (tool, args, reader, asks, expected) in [
        (
            "Bash",
            "git commit -qm 'run it'",
            "Bash",
            "git log -3",
            true,
        ),
        (
            "Bash",
            "git stash push -m 'run it'",
            "Bash",
            "git stash list",
            true,
        ),
        ("Bash", "git commit -qm 'run it'", "Bash", "make", false),
        ("Bash", "task add 'run it'", "Bash", "task list", true),
        (
            "Bash",
            "npm pkg set scripts.x='run it'",
            "Bash",
            "npm run",
            true,
        ),
        ("Bash", "echo 'run it'", "Bash", "echo done", false),
        (
            "mcp__memory__add_observations",
            r#"{"contents":["run it"]}"#,
            "mcp__memory__read_graph",
            "{}",
            true,
        ),
        (
            "TaskCreate",
            r#"{"subject":"run it"}"#,
            "TaskList",
            "{}",
            true,
        ),
        (
            "TaskCreate",
            r#"{"subject":"run it"}"#,
            "Read",
            r#"{"file_path":"a.rs"}"#,
            false,
        ),
        (
            "apply_patch",
            r#"{"input":"*** Begin Patch\n*** Add File: NOTES.md\n+run it"}"#,
            "Bash",
            "cat NOTES.md",
            true,
        ),
        (
            "Bash",
            "apply_patch <<'E'\n*** Add File: NOTES.md\n+run it\nE",
            "Bash",
            "cat NOTES.md",
            true,
        ),
        (
            "Bash",
            "git mv NOTES.md docs/b.md",
            "Bash",
            "cat docs/*.md",
            true,
        ),
        (
            "Bash",
            "git mv NOTES.md docs/b.md",
            "Bash",
            "find . -name '*.md'",
            false,
        ),
        (
            "Bash",
            "python3 - <<'E'\nPath('b.md').write_text('run it')\nE",
            "Read",
            r#"{"file_path":"b.md"}"#,
            true,
        ),
    ] {
        let (names, _) = Lineage::from_written_files(tool, args);
        let call = FollowedCall {
            tool: reader,
            args: asks,
            is_outside: false,
            output: None,
        };
        assert_eq!(names.may_be_printed_by(&call), expected, "{args} / {asks}");
    }
}

fn follow_line(lineage: &mut Lineage, args: &str) {
    let is_outside = classify_call("Bash", args) == ResultOrigin::Outside;
    lineage.follow_call(&FollowedCall {
        tool: "Bash",
        args,
        is_outside,
        output: None,
    });
}

#[test]
fn what_runs_on_is_outside_by_its_task() {
    let notice = "Command running in background with ID: b7xk2q. Output is being written to: /tmp/c/tasks/b7xk2q.output";
    let codex = "Process running with session ID 48213";
    let line = format!("curl -s {URL}");
    for (notice, read) in [
        (notice, ("BashOutput", r#"{"bash_id":"b7xk2q"}"#)),
        (notice, ("TaskOutput", r#"{"task_id":"b7xk2q"}"#)),
        (
            notice,
            ("Read", r#"{"file_path":"/tmp/c/tasks/b7xk2q.output"}"#),
        ),
        (notice, ("Bash", "tail -5 /tmp/c/tasks/b7xk2q.output")),
        (codex, ("write_stdin", r#"{"session_id":48213,"chars":""}"#)),
        (
            "<command started in async mode with shellId: fetch>",
            ("read_bash", r#"{"shellId":"fetch"}"#),
        ),
        (
            "Process started with PID 4242",
            ("read_process_output", r#"{"pid":4242}"#),
        ),
        (
            "session ID 7",
            ("write_stdin", r#"{"session_id":7,"chars":""}"#),
        ),
    ] {
        let (tool, args) = read;
        assert!(
            follow(&[("Bash", &line, notice), (tool, args, "")]),
            "{read:?}"
        );
        assert!(
            !follow(&[("Bash", "make", notice), (tool, args, "")]),
            "{read:?}"
        );
    }
}

#[test]
fn a_foreign_branch_is_outside_until_it_is_left() {
    for (lines, expected) in [
        (vec!["gh pr checkout 7", "cat README.md"], true),
        (vec!["gh pr checkout 7", "npm test"], true),
        (
            vec!["gh pr checkout 7", "git checkout a-lock.json", "make"],
            true,
        ),
        (
            vec!["gh pr checkout 7", "git checkout main src", "make"],
            true,
        ),
        (
            vec!["gh pr checkout 7", "git reset --hard HEAD", "make"],
            true,
        ),
        (
            vec!["gh pr checkout 7", "git reset --hard main", "make"],
            false,
        ),
        (
            vec!["gh pr checkout 7", "git switch release-2.1", "make"],
            false,
        ),
        (
            vec!["gh pr checkout 7", "git checkout -b mine", "cat README.md"],
            true,
        ),
        (
            vec!["gh pr checkout 7", "git checkout main", "cat README.md"],
            false,
        ),
        (
            vec![
                "gh pr checkout 7",
                "git switch -",
                "gh pr checkout 8",
                "cat README.md",
            ],
            true,
        ),
        (
            vec![
                "git fetch origin pull/7/head:pr7 && git checkout pr7",
                "cat README.md",
            ],
            true,
        ),
        (
            vec![
                "git fetch origin pull/7/head",
                "git checkout FETCH_HEAD",
                "cat README.md",
            ],
            true,
        ),
        (
            vec![
                "git remote add al https://example.com/al/shop",
                "git fetch al",
                "git checkout al/main",
                "make",
            ],
            true,
        ),
        (vec!["git pull origin pull/7/head", "cat README.md"], true),
        (vec!["gh pr diff 7 | git apply", "cat README.md"], true),
        (
            vec![
                "gh pr checkout 7",
                "cp README.md ../r.md",
                "git checkout main",
                "cat ../r.md",
            ],
            true,
        ),
        (
            vec![
                "gh pr checkout 7",
                "git diff main > ../a.patch",
                "git checkout main",
                "cat ../a.patch",
            ],
            true,
        ),
        (vec!["git fetch origin main:main", "git diff main"], false),
        (vec!["git fetch origin", "git log --all"], false),
        (
            vec![
                "git fetch origin pull/7/head:pr7",
                "git worktree add ../pr7 pr7",
                "cat ../pr7/a.md",
            ],
            true,
        ),
        (vec!["git pull", "cat README.md"], false),
        (vec!["git pull origin main", "make"], false),
        (
            vec![
                "git fetch origin && git checkout release-2",
                "cat README.md",
            ],
            false,
        ),
        (
            vec![
                "git remote add origin https://example.com/me/shop",
                "git checkout origin/main",
                "make",
            ],
            false,
        ),
    ] {
        assert_eq!(follow_lines(&lines), expected, "{lines:?}");
    }
}

#[test]
fn of_a_foreign_branch_only_what_differs_is_outside_once_it_is_compared() {
    let mut lineage = Lineage::default();
    let mut go = |tool: &str, args: &str, output: &str| {
        let is_outside = classify_call(tool, args) == ResultOrigin::Outside;
        let call = FollowedCall {
            tool,
            args,
            is_outside,
            output: Some(output),
        };
        let is_read = lineage.follow_call(&call);
        if lineage.awaits_comparison() {
            lineage.compare_tree("shop", ["README.md", "docs/a.md"]);
        }
        is_read
    };
    go("Bash", "gh pr checkout 7", "");
    for (tool, args, output, expected) in [
        ("Read", r#"{"file_path":"/w/shop/README.md"}"#, "", true),
        ("Read", r#"{"file_path":"/w/shop/docs/a.md"}"#, "", true),
        (
            "Read",
            r#"{"file_path":"/w/shop/web/README.md"}"#,
            "",
            false,
        ),
        ("Read", r#"{"file_path":"/w/shop/src/main.rs"}"#, "", false),
        ("Bash", "cat README.md", "", true),
        ("Bash", "cat src/main.rs", "", false),
        ("Bash", "cat *.md", "", true),
        ("Bash", "grep -rn x .", "./docs/a.md:3: x", true),
        ("Bash", "git status", "", false),
        ("Bash", "npm test", "", true),
        (
            "Edit",
            r#"{"file_path":"/w/shop/src/main.rs","new_string":"a"}"#,
            "",
            false,
        ),
    ] {
        assert_eq!(go(tool, args, output), expected, "{tool} {args}");
    }
}

#[test]
fn a_foreign_branch_keeps_its_name_when_it_is_left() {
    let mut calls = vec![
        ("Bash", "gh pr checkout 7", "Switched to branch 'al/fix'"),
        ("Bash", "git checkout main", "Switched to branch 'main'"),
        ("Bash", "git show al/fix:README.md", ""),
    ];
    assert!(follow(&calls));
    for line in [
        "git merge al/fix && cat README.md",
        "git diff main...al/fix",
        "git log origin/al/fix",
    ] {
        calls[2] = ("Bash", line, "");
        assert!(follow(&calls), "{line}");
    }
    calls[2] = ("Bash", "git show main:README.md", "");
    assert!(!follow(&calls));
    // Of two branches that were entered the last one is the foreign one.
    let both = "Switched to branch 'main'\nSwitched to branch 'al/fix'";
    calls[0] = ("Bash", "git checkout main && gh pr checkout 7", both);
    assert!(!follow(&calls));
}

#[test]
fn what_is_local_stays_local() {
    for lines in [
        [
            "git clone https://example.com/a/widget.git",
            "cat src/widgets.rs",
        ],
        ["git clone https://example.com/a/widget.git", "cargo test"],
        [
            "curl -s http://localhost:3000/x -o local.json",
            "cat local.json",
        ],
        [
            "curl -sO https://example.com/a/notes.txt",
            "cat docs/notes.md",
        ],
        [
            "curl -s https://example.com/n > /dev/null",
            "make test > out.log; cat out.log",
        ],
        ["gh issue view 7", "cat README.md"],
        [
            "curl -so notes.txt https://example.com/n",
            "find . -name '*.txt'",
        ],
        ["curl -so notes.txt https://example.com/n", "head -7 a.md"],
        ["npm test > t.log 2>&1", "tail t.log"],
        [
            "X=$(git rev-parse HEAD); curl -s https://example.com/n",
            "echo $X",
        ],
        ["cat > build.sh <<'E'\nmake all\nE", "bash build.sh"],
        ["tar xzf dist.tar.gz", "cat dist/README"],
        [
            "curl -so a.zip https://example.com/n && unzip -q a.zip -d out7",
            "cat other/README",
        ],
        [
            "curl -so a.zip https://example.com/n && unzip -q a.zip",
            "make test | tail -5",
        ],
        ["curl -s https://example.com/n | jq .", "jq . package.json"],
        [
            "curl -s https://example.com/n | python3 -m json.tool",
            "python3 -m pytest",
        ],
        ["make | sqlite3 k.db '.import /dev/stdin p'", "sqlite3 k.db"],
        ["tmux show-buffer", "tmux show-buffer"],
        [
            "tmux send-keys -t w 'make test' Enter",
            "tmux capture-pane -p",
        ],
        [
            "curl -so page.html https://example.com/n && grep -c x page.html src/a.rs",
            "cat src/a.rs",
        ],
        [
            "curl -so page.html https://example.com/n && git add page.html src/a.rs",
            "git diff src/a.rs",
        ],
        ["cd kit && make", "cat README.md"],
    ] {
        assert!(!follow_lines(&lines), "{lines:?}");
    }
}

#[test]
fn a_session_may_begin_on_a_foreign_branch() {
    for (branch, expected) in [("pr7", true), ("main", false)] {
        let mut before = Lineage::default();
        before.note_branch("pr7");
        let fetched = Lineage::from_later_numbers(&before.to_later_numbers("shop"));
        let mut lineage = fetched.named_in(branch);
        lineage.begin_on_branch(branch);
        assert_eq!(lineage.awaits_comparison(), expected, "{branch}");
    }
}

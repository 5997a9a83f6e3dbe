//! The leak gate on real repositories: what it finds, what passes, and what it never prints.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use insta::assert_snapshot;

use crate::env::{Ran, TestEnv, repository};

/// A token that no vendor made.
const TOKEN: &str = "ghp_k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKw";

/// The words that no output may hold.
const VALUES: [&str; 4] = ["k7Qz2XmR9tVb", "morrow", "kestrel", "bluebird"];

/// A repository, and a person called `kestrel` who works in it.
struct LeakEnv {
    env: TestEnv,
}

impl LeakEnv {
    fn new() -> Self {
        let env = TestEnv::new();
        env.with_programs(&["git", "sh", "cat", "dirname"]);
        let leaks = Self { env };
        leaks.git(&["init", "-q", "-b", "main"]);
        leaks
    }

    fn command(&self, program: Option<&str>) -> Command {
        let mut command = match program {
            Some(program) => self.env.program(program),
            None => self.env.command(),
        };
        command.env("USER", "kestrel");
        command
    }

    fn git_in(&self, args: &[&str]) -> Ran {
        let mut command = self.command(Some("git"));
        command
            .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
            .args(args)
            .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
        self.env.ran(command.output().unwrap())
    }

    fn git(&self, args: &[&str]) -> String {
        let ran = self.git_in(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.out.trim().to_owned()
    }

    fn commit(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs the gate, and checks that it prints nothing of what it found.
    fn leak_with(&self, args: &[&str], stdin: &str) -> Ran {
        let input = self.env.temp().join("stdin");
        fs::write(&input, stdin).unwrap();
        let mut command = self.command(None);
        command
            .arg("leak")
            .args(args)
            .stdin(fs::File::open(input).unwrap());
        let ran = self.env.ran(command.output().unwrap());
        for value in VALUES {
            let printed = format!("{}{}", ran.out, ran.err).to_lowercase();
            assert!(
                !printed.contains(&value.to_lowercase()),
                "{value}: {printed}"
            );
        }
        ran
    }

    fn leak(&self, args: &[&str]) -> Ran {
        self.leak_with(args, "")
    }
}

#[test]
fn everything_that_could_ship_is_searched() {
    let leaks = LeakEnv::new();
    let env = &leaks.env;
    for project in ["github.com/acme/bluebird-api", "github.com/acme/tools"] {
        env.ok(&[
            "--project",
            project,
            "lesson",
            "add",
            "npm test",
            "Run the unit tests alone.",
        ]);
    }
    env.write(".gitignore", "*.log\n");
    env.write(
        "app.yml",
        &format!("token: {TOKEN}\nhome: /home/morrow/data\n"),
    );
    env.write(
        "notes.md",
        "Kestrel says: like in bluebird-api, use our tools.\n",
    );
    leaks.git(&["add", "-A"]);
    env.write("new.txt", &format!("é then {TOKEN} and {TOKEN}\n"));
    env.write("run.log", TOKEN);
    env.write("bluebird-api/readme", "x");
    env.write("tests/a.py", "password = \"hunter22\"\n");
    std::os::unix::fs::symlink("/home/morrow/x", env.work().join("link")).unwrap();
    assert_snapshot!(leaks.leak(&[]).told(), @"
    app.yml:1:8: github-token: looks like a secret
        token: [REDACTED:github-token]
    app.yml:2:7: home-path: names somebody's home folder
        home: [REDACTED:home-path]/data
    notes.md:1:1: user-name: is the name of your account on this machine
        [REDACTED:user-name] says: like in [REDACTED:private-project], use our tools.
    notes.md:1:23: private-project: is the name of another project of yours
        [REDACTED:user-name] says: like in [REDACTED:private-project], use our tools.
    [REDACTED:private-project]/readme: private-project: is the name of another project of yours
        the path itself
    link:1:1: home-path: names somebody's home folder
        [REDACTED:home-path]/x
    new.txt:1:8: github-token: looks like a secret
        é then [REDACTED:github-token] and [REDACTED:github-token]
    new.txt:1:53: github-token: looks like a secret
        é then [REDACTED:github-token] and [REDACTED:github-token]
    8 leaks in 7 files; passed over: 1 most likely made up (--strict shows them)
    What was published once is known: change a secret that left this machine. What may stay: a comment `hardwon:allow` on
    its line, or a rule in .hardwonleaks.toml. See docs/leak.md.
    [exit 1]
    ");
    assert_snapshot!(leaks.leak(&["--strict", "--json"]).told(), @r#"
    {"findings":[{"path":"app.yml","line":1,"column":8,"rule":"github-token","message":"looks like a secret","excerpt":"token: [REDACTED:github-token]","commit":null},{"path":"app.yml","line":2,"column":7,"rule":"home-path","message":"names somebody's home folder","excerpt":"home: [REDACTED:home-path]/data","commit":null},{"path":"notes.md","line":1,"column":1,"rule":"user-name","message":"is the name of your account on this machine","excerpt":"[REDACTED:user-name] says: like in [REDACTED:private-project], use our tools.","commit":null},{"path":"notes.md","line":1,"column":23,"rule":"private-project","message":"is the name of another project of yours","excerpt":"[REDACTED:user-name] says: like in [REDACTED:private-project], use our tools.","commit":null},{"path":"[REDACTED:private-project]/readme","line":0,"column":1,"rule":"private-project","message":"is the name of another project of yours","excerpt":"[REDACTED:private-project]/readme","commit":null},{"path":"link","line":1,"column":1,"rule":"home-path","message":"names somebody's home folder","excerpt":"[REDACTED:home-path]/x","commit":null},{"path":"new.txt","line":1,"column":8,"rule":"github-token","message":"looks like a secret","excerpt":"é then [REDACTED:github-token] and [REDACTED:github-token]","commit":null},{"path":"new.txt","line":1,"column":53,"rule":"github-token","message":"looks like a secret","excerpt":"é then [REDACTED:github-token] and [REDACTED:github-token]","commit":null},{"path":"tests/a.py","line":1,"column":13,"rule":"password","message":"looks like a secret","excerpt":"password = \"[REDACTED:password]\"","commit":null}],"files":7,"commits":0,"doubtful":0,"allowed":0,"unread":[],"notes":[]}
    [exit 1]
    "#);
}

#[test]
fn no_form_of_the_report_has_a_value() {
    let leaks = LeakEnv::new();
    let text = format!("a <b> & \"c\" {TOKEN}\nby kestrel at /home/morrow/x\n");
    leaks.env.write("a b/é.txt", &text);
    let sarif = leaks.leak(&["--format", "sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&sarif.out).unwrap();
    assert_snapshot!(serde_json::to_string_pretty(&sarif["runs"][0]["results"][0]).unwrap(), @r#"
    {
      "level": "error",
      "locations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "a%20b/%C3%A9.txt",
              "uriBaseId": "%SRCROOT%"
            },
            "region": {
              "snippet": {
                "text": "a <b> & \"c\" [REDACTED:github-token]"
              },
              "startColumn": 13,
              "startLine": 1
            }
          }
        }
      ],
      "message": {
        "text": "github-token: looks like a secret"
      },
      "partialFingerprints": {
        "hardwonLeak/v1": "37f6ac11f4df4cb3cce00ba736e0a00b"
      },
      "ruleId": "github-token",
      "ruleIndex": 0
    }
    "#);
    let ran = leaks.leak(&["--format", "sarif", "--output", "out.sarif"]);
    assert!(ran.out.contains("3 leaks in 1 file"), "{}", ran.out);
    let written = fs::read_to_string(leaks.env.work().join("out.sarif")).unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&written).unwrap(),
        sarif
    );
}

#[test]
fn what_may_pass() {
    let leaks = LeakEnv::new();
    let env = &leaks.env;
    env.write(
        "a.txt",
        &format!("{TOKEN} # gitleaks:allow\n{TOKEN} // hardwon:allow\n"),
    );
    env.write("fixtures/b.txt", "/home/morrow/x\n");
    let rules =
        "[[allow]]\npaths = [\"fixtures/\"]\nrules = [\"home-path\"]\nreason = \"made up\"\n";
    env.write(".hardwonleaks.toml", rules);
    assert_snapshot!(leaks.leak(&["--strict"]).told(), @"no leaks in 3 files; passed over: 3 allowed");
    env.write(".hardwonleaks.toml", "names = [\"Bluebird\"]\n");
    env.write("c.txt", "the BLUEBIRD thing\n");
    assert_snapshot!(leaks.leak(&[]).told(), @"
    c.txt:1:5: private-name: is a name that you keep private
        the [REDACTED:private-name] thing
    1 leak in 4 files; passed over: 1 most likely made up (--strict shows them), 3 allowed
    What was published once is known: change a secret that left this machine. What may stay: a comment `hardwon:allow` on
    its line, or a rule in .hardwonleaks.toml. See docs/leak.md.
    [exit 1]
    ");
    let config = env.work().join("../config/hardwon/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(
        &config,
        "leak_names = \"Nightjar, x\"\nleak_public_names = \"bluebird, kestrel\"\n",
    )
    .unwrap();
    env.write("c.txt", "the bluebird thing of kestrel, called nightjar\n");
    assert_snapshot!(leaks.run(&["leak"]), @"
    c.txt:1:39: private-name: is a name that you keep private
        the bluebird thing of kestrel, called [REDACTED:private-name]
    1 leak in 4 files; passed over: 1 most likely made up (--strict shows them), 2 allowed
    What was published once is known: change a secret that left this machine. What may stay: a comment `hardwon:allow` on
    its line, or a rule in .hardwonleaks.toml. See docs/leak.md.
    [exit 1]
    ");
}

#[test]
fn the_index_counts_and_not_the_work_tree() {
    let leaks = LeakEnv::new();
    let env = &leaks.env;
    env.write("old.txt", "/home/morrow/x\n");
    leaks.commit();
    env.write("a.txt", &format!("{TOKEN}\n"));
    env.write("old.txt", "one more line\n/home/morrow/x\n");
    leaks.git(&["add", "-A"]);
    env.write("a.txt", "clean again\n");
    env.write("b.txt", TOKEN);
    assert_snapshot!(leaks.leak(&["--staged"]).told(), @"
    a.txt:1:1: github-token: looks like a secret
        [REDACTED:github-token]
    1 leak in 2 files
    What was published once is known: change a secret that left this machine. What may stay: a comment `hardwon:allow` on
    its line, or a rule in .hardwonleaks.toml. See docs/leak.md.
    [exit 1]
    ");
}

#[test]
fn history_ships_with_what_was_taken_out_again() {
    let leaks = LeakEnv::new();
    let env = &leaks.env;
    env.write("a.txt", "/home/morrow/x\n");
    let first = leaks.commit();
    env.write("a.txt", &format!("/home/morrow/x\n{TOKEN}\n"));
    leaks.git(&["add", "-A"]);
    leaks.git(&["commit", "-q", "-m", "as kestrel wanted"]);
    let second = leaks.git(&["rev-parse", "HEAD"]);
    fs::remove_file(env.work().join("a.txt")).unwrap();
    let last = leaks.commit();
    assert_eq!(leaks.leak(&[]).code, 0);
    let range = format!("{first}..HEAD");
    let ran = leaks.leak(&["--range", &range]);
    assert_snapshot!(ran.told().replace(&second[..12], "[SECOND]"), @"
    (commit message):1:4: user-name: is the name of your account on this machine (commit [SECOND])
        as [REDACTED:user-name] wanted
    a.txt:2:1: github-token: looks like a secret (commit [SECOND])
        [REDACTED:github-token]
    2 leaks in 1 file of 2 commits
    What was published once is known: change a secret that left this machine. What may stay: a comment `hardwon:allow` on
    its line, or a rule in .hardwonleaks.toml. See docs/leak.md.
    [exit 1]
    ");

    let zero = "0".repeat(40);
    let lines =
        |local: &str, remote: &str| format!("refs/heads/main {local} refs/heads/main {remote}\n");
    for (input, expected) in [
        (lines(&last, &first), 1),
        (lines(&last, &second), 0),
        (lines(&last, &zero), 1),
        (lines(&zero, &last), 0),
        (String::new(), 0),
        ("nonsense\n".to_owned(), 2),
    ] {
        assert_eq!(
            leaks.leak_with(&["--pre-push"], &input).code,
            expected,
            "{input}"
        );
    }
    env.write(
        ".hardwonleaks.toml",
        "[[allow]]\npaths = [\"/a.txt\"]\nrules = [\"secret\"]\n",
    );
    let told = leaks.leak(&["--range", &range]).told();
    assert!(
        told.contains("1 leak in 1 file of 2 commits; passed over: 1 allowed"),
        "{told}"
    );
}

#[test]
fn what_cannot_be_looked_at_fails() {
    let leaks = LeakEnv::new();
    let env = &leaks.env;
    let path = env.write("a.txt", "clean\n");
    leaks.commit();
    fs::remove_file(&path).unwrap();
    assert_eq!(leaks.leak(&[]).code, 0, "the index has it");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    assert_snapshot!(leaks.leak(&[]).told(), @"
    no leaks in what could be read: 0 files
    ! hardwon: cannot look into a.txt: it is a pipe, a socket or a device, not a file
    [exit 2]
    ");
    fs::remove_file(&path).unwrap();
    let file = env.write(".hardwonleaks.toml", "allow = 3");
    let ran = leaks.leak(&[]);
    assert_eq!(ran.code, 2, "{}", ran.told());
    fs::remove_file(file).unwrap();
    assert_eq!(leaks.leak(&["--range", "nowhere..HEAD"]).code, 2);
    assert_eq!(leaks.leak(&["--tree", "nowhere"]).code, 2);
    assert_eq!(leaks.leak(&["--range", "a..b", "--staged"]).code, 2);
    fs::create_dir_all(env.db().parent().unwrap()).unwrap();
    fs::write(env.db(), "no database").unwrap();
    assert_eq!(leaks.leak(&[]).code, 2, "other projects are not known");
    fs::remove_file(env.db()).unwrap();
    fs::remove_file(env.work().with_file_name("bin").join("git")).unwrap();
    assert_snapshot!(leaks.leak(&[]).told(), @"
    ! hardwon: cannot start git: No such file or directory (os error 2)
    ! hint: install git, or name a folder with --tree
    [exit 2]
    ");
}

#[test]
fn links_out_of_the_tree_are_not_followed() {
    let leaks = LeakEnv::new();
    let env = &leaks.env;
    env.write("folder/a.txt", "clean\n");
    leaks.commit();
    let outside = env.temp().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.txt"), TOKEN).unwrap();
    fs::remove_dir_all(env.work().join("folder")).unwrap();
    // The whole path would name the home folder, which is a leak.
    let inside = outside.strip_prefix(env.work().parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(Path::new("..").join(inside), env.work().join("folder")).unwrap();
    for args in [&[][..], &["--tree", "."]] {
        let ran = leaks.leak(args);
        assert_eq!(ran.code, 0, "{}", ran.told());
    }
    assert_eq!(leaks.leak(&["--tree", outside.to_str().unwrap()]).code, 1);
}

#[test]
fn a_text_and_a_folder_without_git() {
    let env = TestEnv::new();
    let text = format!("Authorization: Bearer {TOKEN}\n");
    assert_snapshot!(env.told_with(&["leak", "--stdin"], &text), @"
    stdin:1:23: github-token: looks like a secret
        Authorization: Bearer [REDACTED:github-token]
    1 leak in 1 file
    What was published once is known: change a secret that left this machine. What may stay: a comment `hardwon:allow` on
    its line, or a rule in .hardwonleaks.toml. See docs/leak.md.
    [exit 1]
    ");
    env.write("x/a.txt", &text);
    let mut large = "a line of some length\n".repeat(100_000);
    large.push_str(&text);
    env.write("x/large.txt", &large);
    env.write("x/binary", &format!("\u{0}\u{1}{TOKEN}\u{0}"));
    assert_snapshot!(env.told(&["leak", "--tree", "x"]), @"
    a.txt:1:23: github-token: looks like a secret
        Authorization: Bearer [REDACTED:github-token]
    binary:1:3: github-token: looks like a secret
        [REDACTED:github-token]
    large.txt:100001:23: github-token: looks like a secret
        Authorization: Bearer [REDACTED:github-token]
    3 leaks in 3 files
    What was published once is known: change a secret that left this machine. What may stay: a comment `hardwon:allow` on
    its line, or a rule in .hardwonleaks.toml. See docs/leak.md.
    [exit 1]
    ");
}

impl LeakEnv {
    fn hook(&self) -> PathBuf {
        self.env.work().join(".git/hooks/pre-push")
    }

    fn run(&self, args: &[&str]) -> String {
        let output = self.command(None).args(args).output().unwrap();
        self.env.ran(output).told()
    }

    /// Makes a remote to push to, and a commit with a secret in it.
    fn prepare_push(&self) {
        let remote = self.env.temp().join("remote.git");
        self.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
        self.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
        self.env.write("a.txt", "clean\n");
        self.commit();
        self.git(&["push", "-q", "origin", "main"]);
        self.env.write("a.txt", &format!("{TOKEN}\n"));
        self.commit();
    }
}

#[test]
fn a_push_is_stopped() {
    let leaks = LeakEnv::new();
    leaks.prepare_push();
    assert_snapshot!(leaks.run(&["init", "--git", "--dry-run"]), @"would write [HOME]/repo/.git/hooks/pre-push");
    assert!(!leaks.hook().exists());
    assert_snapshot!(leaks.run(&["init", "--git"]), @"
    wrote [HOME]/repo/.git/hooks/pre-push
    every push from this repository is searched first; `hardwon leak` searches it now, and `git push --no-verify` passes the gate by
    ");
    assert_snapshot!(leaks.run(&["init", "--git"]), @"[HOME]/repo/.git/hooks/pre-push is hardwon's already: nothing to change");
    let pushed = leaks.git_in(&["push", "-q", "origin", "main"]);
    assert_eq!(pushed.code, 1);
    assert!(
        pushed.out.contains("a.txt:1:1: github-token"),
        "{}",
        pushed.told()
    );
    leaks.env.write("a.txt", "clean\n");
    leaks.git(&["add", "-A"]);
    leaks.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "x"]);
    leaks.git(&["push", "-q", "origin", "main"]);
    assert_snapshot!(leaks.run(&["uninstall", "--git"]), @"removed [HOME]/repo/.git/hooks/pre-push");
    assert!(!leaks.hook().exists());
    assert_snapshot!(leaks.run(&["uninstall", "--git"]), @"hardwon has no hook in this repository: nothing to remove");
}

#[test]
fn a_hook_that_is_there_runs_first_and_comes_back_as_it_was() {
    let leaks = LeakEnv::new();
    leaks.prepare_push();
    let former = "#!/bin/sh\ncat > seen\necho \"$1\" >> seen\nexit $(cat code)\n";
    fs::write(leaks.hook(), former).unwrap();
    fs::set_permissions(leaks.hook(), PermissionsExt::from_mode(0o750)).unwrap();
    assert_snapshot!(leaks.run(&["init", "--git"]), @"
    wrote [HOME]/repo/.git/hooks/pre-push, which runs the one that is there first (pre-push.before-hardwon)
    every push from this repository is searched first; `hardwon leak` searches it now, and `git push --no-verify` passes the gate by
    ");
    for (code, expected) in [("3", false), ("0", true)] {
        leaks.env.write("code", code);
        let told = leaks.git_in(&["push", "-q", "origin", "main"]).told();
        let seen = fs::read_to_string(leaks.env.work().join("seen")).unwrap();
        assert!(
            seen.starts_with("refs/heads/main ") && seen.ends_with("\norigin\n"),
            "{seen}"
        );
        assert_eq!(told.contains("github-token"), expected, "{told}");
    }
    assert_snapshot!(leaks.run(&["uninstall", "--git"]), @"the hook that was there before is [HOME]/repo/.git/hooks/pre-push again");
    assert_eq!(fs::read_to_string(leaks.hook()).unwrap(), former);
    assert_eq!(
        fs::metadata(leaks.hook()).unwrap().permissions().mode() & 0o777,
        0o750
    );

    leaks.run(&["init", "--git"]);
    let ours = fs::read_to_string(leaks.hook()).unwrap();
    fs::write(leaks.hook(), format!("{ours}echo more\n")).unwrap();
    assert_snapshot!(leaks.run(&["uninstall", "--git"]), @"
    ! hardwon: [HOME]/repo/.git/hooks/pre-push was changed since hardwon wrote it, and is left alone
    ! hint: remove the line with `hardwon leak` by hand
    [exit 2]
    ");
}

#[test]
fn hooks_that_another_program_keeps_are_left_alone() {
    let leaks = LeakEnv::new();
    leaks.git(&["config", "core.hooksPath", "tools"]);
    assert_snapshot!(leaks.run(&["init", "--git"]), @"
    wrote [HOME]/repo/tools/pre-push
    every push from this repository is searched first; `hardwon leak` searches it now, and `git push --no-verify` passes the gate by
    ");
    leaks.run(&["uninstall", "--git"]);
    leaks.env.write("tools/pre-push", "#!/bin/sh\n");
    assert_snapshot!(leaks.run(&["init", "--git"]), @r#"
    ! hardwon: [HOME]/repo/tools/pre-push is there already, in a folder that core.hooksPath names
    ! hint: to have the gate there, add this line to your pre-push hook: hardwon leak --pre-push="$1"
    [exit 2]
    "#);
    leaks.git(&[
        "config",
        "core.hooksPath",
        leaks.env.temp().to_str().unwrap(),
    ]);
    assert_snapshot!(leaks.run(&["init", "--git"]), @r#"
    ! hardwon: core.hooksPath is [HOME]/tmp, which other repositories may use too
    ! hint: to have the gate there, add this line to your pre-push hook: hardwon leak --pre-push="$1"
    [exit 2]
    "#);
}

/// The program `pre-commit` starts hooks its own way: it reads git's lines itself, and tells refs in variables.
#[test]
fn the_program_pre_commit_runs_both_hooks() {
    let found = std::env::var_os("PATH").and_then(|path| {
        let mut folders = std::env::split_paths(&path);
        folders.find(|folder| folder.join("pre-commit").exists())
    });
    let Some(folder) = found else {
        eprintln!("left out: the program pre-commit is not on the path");
        return;
    };
    let leaks = LeakEnv::new();
    let hooks = fs::read_to_string(repository().join(".pre-commit-hooks.yaml")).unwrap();
    let program = env!("CARGO_BIN_EXE_hardwon");
    let hooks = hooks.replace("entry: hardwon", &format!("entry: {program}"));
    let hooks = hooks.replace("\n", "\n      ");
    let config = format!("repos:\n  - repo: local\n    hooks:\n      {hooks}");
    leaks
        .env
        .write(".pre-commit-config.yaml", config.trim_end());
    let run = |name: &str, args: &[&str]| {
        let mut command = leaks.command(Some(name));
        let system = ["/usr/bin", "/bin"].map(PathBuf::from);
        let path = std::env::join_paths([folder.clone()].into_iter().chain(system)).unwrap();
        command
            .args(args)
            .env("PATH", path)
            .env("GIT_AUTHOR_NAME", "A");
        for name in [
            "GIT_COMMITTER_NAME",
            "GIT_AUTHOR_EMAIL",
            "GIT_COMMITTER_EMAIL",
        ] {
            command.env(name, "a@example.com");
        }
        leaks.env.ran(command.output().unwrap())
    };
    let bin = leaks.env.work().with_file_name("bin").join("pre-commit");
    std::os::unix::fs::symlink(folder.join("pre-commit"), bin).unwrap();
    let installed = run(
        "pre-commit",
        &["install", "-t", "pre-commit", "-t", "pre-push"],
    );
    assert_eq!(installed.code, 0, "{}", installed.told());
    let remote = leaks.env.temp().join("remote.git");
    leaks.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    leaks.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    leaks.git(&["add", "-A"]);
    let clean = run("git", &["commit", "-q", "-m", "x"]);
    assert_eq!(clean.code, 0, "{}", clean.told());
    leaks.env.write("a.txt", TOKEN);
    leaks.git(&["add", "-A"]);
    let stopped = run("git", &["commit", "-q", "-m", "x"]);
    assert!(
        stopped.code == 1 && stopped.told().contains("a.txt:1:1"),
        "{}",
        stopped.told()
    );
    run("git", &["commit", "-q", "--no-verify", "-m", "x"]);
    leaks.git(&["rm", "-q", "a.txt"]);
    run("git", &["commit", "-q", "--no-verify", "-m", "x"]);
    let stopped = run("git", &["push", "-q", "origin", "main"]);
    assert!(
        stopped.code == 1 && stopped.told().contains("a.txt:1:1"),
        "{}",
        stopped.told()
    );
    leaks.git(&["reset", "-q", "--hard", "HEAD~2"]);
    let pushed = run("git", &["push", "-q", "origin", "main"]);
    assert_eq!(pushed.code, 0, "{}", pushed.told());
}

use proptest::prelude::*;

use super::*;

fn labels(text: &str) -> Vec<String> {
    parse_line(text)
        .commands
        .iter()
        .map(ShellCommand::label)
        .collect()
}

#[test]
fn sudo_is_root_unless_it_names_another() {
    for (text, expected) in [
        ("sudo apt-get update", true),
        ("sudo -u root yard", true),
        ("sudo -u svc yard", false),
        ("yard -u root", false),
    ] {
        assert_eq!(parse_line(text).commands[0].sudo, expected, "{text}");
    }
}

#[test]
fn a_line_is_its_commands() {
    for (text, expected) in [
        ("npm test", &["npm test"][..]),
        (
            "cd web && npm run test:unit -- --watch=false",
            &["cd", "npm run test:unit"],
        ),
        (
            "CI=1 timeout -k 5 60 cargo build --release",
            &["cargo build"],
        ),
        ("sudo -E apt-get install -y jq", &["apt-get install"]),
        ("env FOO=bar python3 -m pytest -q", &["python3 -m pytest"]),
        ("git -C sub push origin main", &["git push"]),
        ("bash -lc 'cd x && make test'", &["cd", "make test"]),
        (
            "cat <<'EOF' > a.py\nprint(1)\nEOF\npython a.py",
            &["cat", "a.py"],
        ),
        ("cargo build 2>&1 | tail -20", &["cargo build", "tail"]),
        ("./gradlew test", &["gradlew test"]),
        ("ls -l 'a b' # note", &["ls"]),
        ("echo \"x && y\" ; pwd", &["echo", "pwd"]),
        ("for f in *.py; do black $f; done", &["for", "black"]),
        ("(cd a; make)", &["cd", "make"]),
        ("sh -e release.sh v1", &["release.sh"]),
        ("t() { make $1; }; t all; t doc", &["make all", "make doc"]),
        (
            "function t() {\n  local x=$1; shift\n  \"$@\"\n}\nt a npm test",
            &["local", "npm test"],
        ),
        ("if ! npm test; then echo no; fi", &["npm test", "echo"]),
        ("v=$(go version); echo \"$v\"", &["go version", "echo"]),
        ("kill $(lsof -ti:80)", &["lsof", "kill"]),
        (
            "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"",
            &["git commit"],
        ),
        ("b=bin/tool; $b push", &["tool"]),
        ("{ make a; make b; } > log 2>&1", &["make a", "make b"]),
        ("ssh box 'cd x && make all'", &["ssh", "cd", "make all"]),
        ("wsl -d Ubuntu -- bash -lc \"cd x; make\"", &["cd", "make"]),
        ("pwsh -NoProfile -Command \"npm test\"", &["npm test"]),
        ("make a & make b; wait", &["make a", "make b", "wait"]),
        ("diff <(sort a) <(sort b)", &["sort", "sort", "diff"]),
        ("eval \"make all\"", &["make all"]),
        ("eval \"$(brew shellenv)\"", &["brew shellenv", "eval"]),
        ("bash <<'E'\nmake all\nE\nls", &["bash", "make all", "ls"]),
        ("cat <<'E'\nmake all\nE", &["cat"]),
        ("docker compose up -d", &["docker compose up"]),
        ("uv run pytest -x", &["uv run pytest"]),
        ("gh pr create --fill", &["gh pr create"]),
        ("python manage.py migrate", &["python manage.py migrate"]),
        ("", &[]),
    ] {
        assert_eq!(labels(text), expected, "{text}");
    }
}

#[test]
fn words_lose_their_quotes() {
    let line = parse_line(r#"tr -d ' -\n' "a\"b" c\ d $(ls "x y") `id`"#);
    assert_eq!(
        line.commands.last().unwrap().texts(),
        ["tr", "-d", r" -\n", "a\"b", "c d", r#"$(ls "x y")"#, "`id`"]
    );
}

#[test]
fn redirects_are_not_words() {
    let line = parse_line("make 2>/dev/null >out.txt <in.txt && ls &>/dev/null");
    assert_eq!(line.commands[0].texts(), ["make"]);
    assert!(line.commands[0].muted && line.commands[0].output.is_some());
    assert!(line.commands[1].muted && line.commands[1].output.is_none());
    assert!(!parse_line("make 2>&1").commands[0].muted);
}

#[test]
fn a_wrapped_command_is_found_behind_its_wrapper() {
    for (text, expected) in [
        ("rtk bun test", Some("bun test")),
        ("mise exec -- pytest -q", Some("pytest")),
        ("nix develop -c make all", Some("make all")),
        (
            "docker compose exec -T web python manage.py migrate",
            Some("python manage.py migrate"),
        ),
        ("xvfb-run -a npm test", Some("npm test")),
        ("npx -y eslint .", Some("eslint")),
        ("bin/deploy make", Some("make")),
        ("brew install go", None),
        ("which node", None),
        ("bin/tool push out", None),
        ("git commit -m make", None),
    ] {
        let line = parse_line(text);
        let wrapped = line.commands[0].wrapped_command().map(|it| it.label());
        assert_eq!(wrapped.as_deref(), expected, "{text}");
    }
}

#[test]
fn a_job_is_known_by_its_variable() {
    let line = parse_line("make a & p=$!; make b & wait $p");
    let jobs: Vec<Option<&str>> = line
        .commands
        .iter()
        .map(|it| it.job_variable.as_deref())
        .collect();
    assert_eq!(jobs, [Some("p"), Some("!"), None]);
}

/// Each level of loops names the one around it many times, which would make gigabytes.
#[test]
fn loops_in_loops_stay_short() {
    let names: Vec<String> = ('a'..='j').map(String::from).collect();
    let outer = format!("for a in {}; do ", "x".repeat(60));
    let levels = names.windows(2).map(|pair| {
        let value = format!("${}", pair[0]).repeat(30);
        format!("for {} in {value}; do ", pair[1])
    });
    let text = format!(
        "{outer}{}make $j; {}",
        levels.collect::<String>(),
        "done; ".repeat(names.len())
    );
    let lengths = parse_line(&text).commands.into_iter().map(|command| {
        let words = command.words.iter();
        words.map(|it| it.text.len() + it.raw.len()).sum::<usize>()
    });
    let longest = lengths.max().unwrap();
    assert!(longest < 4 * limits::EXPANDED_LINE_BYTES, "{longest}");
}

proptest! {
    #[test]
    fn any_text_is_read(text in "[a-z$()`'\"<>|&;\\\\ \n#=é]{0,60}") {
        for command in parse_line(&text).commands {
            prop_assert!(!command.words.is_empty());
            prop_assert!(command.flags().len() + command.operands().len() < command.words.len());
        }
    }
}

#[test]
fn a_word_is_listed_or_not() {
    let lists = ["", " ", "a", "ab", "a b", "ab abc b", "  a ", "ab a"];
    let words = ["", "a", "b", "ab", "abc", "abcd", "a b", "c", " "];
    for list in lists {
        for word in words {
            let expected = list.split(' ').any(|listed| listed == word);
            assert_eq!(is_listed(list, word), expected, "{word:?} in {list:?}");
        }
    }
}

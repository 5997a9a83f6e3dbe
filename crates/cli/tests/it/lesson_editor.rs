//! Editing a lesson in the person's editor.

use insta::assert_snapshot;

use crate::env::TestEnv;

#[test]
fn an_editor_changes_a_lesson() {
    let env = TestEnv::new();
    env.lessons(&[("npm test", "Run the unit tests.")]);
    assert_snapshot!(env.told(&["lesson", "edit", "1"]), @"
    ! hardwon: neither VISUAL nor EDITOR is set
    ! hint: give the new words with --signature and --text
    [exit 2]
    ");
    let edited = |editor: &str| {
        let mut command = env.command();
        command
            .args(["lesson", "edit", "1"])
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("EDITOR", editor);
        env.ran(command.output().unwrap()).told()
    };
    assert_snapshot!(edited("true"), @"
    ! hardwon: nothing was changed
    [exit 1]
    ");
    assert_snapshot!(edited("false"), @r#"
    ! hardwon: the editor "false" exited with an error; nothing was changed
    [exit 1]
    "#);
    assert_snapshot!(edited("sed -i s/unit/whole/"), @"
    changed #1 [npm test] Run the whole tests.
    comes up at a session's start; before `npm test`; for tasks about its words
    ");
    assert_snapshot!(edited("sed -i '3s/npm/pnpm/' --"), @"
    changed #1 [pnpm test] Run the whole tests.
    comes up at a session's start; before `pnpm test`; for tasks about its words
    ");
    let left = std::fs::read_dir(env.temp()).unwrap().count();
    assert_eq!(left, 0, "no page is left behind");
}

/// What a person typed is theirs, whatever becomes of it.
#[test]
fn what_was_typed_is_never_lost() {
    let env = TestEnv::new();
    env.lessons(&[("npm test", "Run the unit tests.")]);
    let edited = |script: &str| {
        let editor = env.write("editor", script);
        let mut command = env.command();
        command.args(["lesson", "edit", "1"]);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("EDITOR", format!("sh '{}'", editor.display()));
        let ran = env.ran(command.output().unwrap());
        let mut kept = String::new();
        for file in std::fs::read_dir(env.temp()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            assert!(
                ran.err.contains(&format!("is kept in [HOME]/tmp/{name}")),
                "{}",
                ran.err
            );
            kept.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
            std::fs::remove_file(path).unwrap();
        }
        let told = ran.told();
        let told: Vec<&str> = told
            .lines()
            .filter(|line| !line.contains("is kept in"))
            .collect();
        format!("{}\n---\n{kept}", told.join("\n"))
    };
    let long = "printf 'x\\n\\n' > \"$1\"; yes word | head -1000 | tr '\\n' ' ' >> \"$1\"";
    let told = edited(long);
    assert!(told.contains("at most 4096 are allowed"), "{told}");
    assert!(told.ends_with("word word "), "{told}");
    assert_snapshot!(edited("echo typed > \"$1\"; exit 3"), @r#"
    ! hardwon: the editor "sh '[HOME]/repo/editor'" exited with an error; nothing was changed
    [exit 1]
    ---
    typed
    "#);
    assert_snapshot!(edited("printf 'sig\\n\\n\\377' > \"$1\""), @"
    ! hardwon: what the editor wrote is not UTF-8
    [exit 2]
    ---
    sig

    �
    ");
    assert_snapshot!(edited("printf 'sig\\n\\n  \\n' > \"$1\""), @"
    ! hardwon: nothing was changed
    [exit 1]
    ---
    sig
    ");
    let meanwhile = format!(
        "{} lesson edit 1 --text 'Run all tests.'\nprintf 'a\\n\\nb\\n' > \"$1\"",
        env!("CARGO_BIN_EXE_hardwon"),
    );
    assert_snapshot!(edited(&meanwhile), @"
    changed #1 [npm test] Run all tests.
    comes up at a session's start; before `npm test`; for tasks about its words
    ! hardwon: #1 was changed by another process meanwhile; nothing was saved
    [exit 2]
    ---
    a

    b
    ");
    assert_snapshot!(env.told(&["lesson", "list"]), @"#1    today  person  here  [npm test] Run all tests.");
}

#[test]
fn a_line_with_a_hash_belongs_to_the_lesson() {
    let env = TestEnv::new();
    env.lessons(&[("#1", "Begin a script so:\n#!/bin/sh\n# and say why")]);
    let mut command = env.command();
    command
        .args(["lesson", "edit", "1"])
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("VISUAL", "sed -i s/so:/thus:/");
    assert_snapshot!(env.ran(command.output().unwrap()).told(), @"
    changed #1 [#1] Begin a script thus: #!/bin/sh # and say why
    comes up at a session's start; for tasks about its words
    ");
}

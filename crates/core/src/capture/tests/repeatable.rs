//! Steps that another run may repeat word for word, and in which forms two runs agree on one.

use super::*;

/// What another run may repeat word for word is a candidate, whatever kind of failure it was.
#[test]
fn a_step_is_kept_with_its_values() {
    let check = |run: &str, expected: Option<&str>| {
        let mut got = all_drafts(run);
        got.retain(|draft| draft.starts_with("candidate"));
        assert_eq!(got.first().map(String::as_str), expected, "{run}");
    };
    check(
        "$ ferry ship a/1 => ferry: no harbour was chosen for this crate\n$ ls\n$ ferry --harbour oak ship a/1 | tail -5",
        Some(
            "candidate: `ferry` without `--harbour oak` fails with *ferry: no harbour was chosen for this crate*. Add `--harbour oak`; with it the same command worked.",
        ),
    );
    check(
        "$ yard test a => yard: the lids of this crate are not there\n$ yard press lids\n$ yard test a",
        Some(
            "candidate: `yard` fails with *yard: the lids of this crate are not there*. Run `yard press lids` first; after it the same command worked.",
        ),
    );
    check(
        "$ yard test a => yard: the lids of this crate are not there\n$ docker compose exec -T app yard test a",
        Some(
            "candidate: `yard` fails with *yard: the lids of this crate are not there*. Run `docker compose exec -T app yard` instead.",
        ),
    );
    check(
        "$ yard test -n 16 a => yard: there are too many hands for this crate\n$ yard test -n 4 a",
        Some(
            "candidate: `yard` with `-n 16` fails with *yard: there are too many hands for this crate*. Use `-n 4` instead; with it the command worked.",
        ),
    );
    check(
        "$ yard test a => yard: no crates are kept in this place\n$ cd docks/east && yard test a",
        Some(
            "candidate: `yard` fails with *yard: no crates are kept in this place* outside the `docks/east` folder. Change into `docks/east` first.",
        ),
    );
    // An option in place of another, wherever they stand; the last failure before the success counts.
    check(
        "$ yard test -n auto a => yard: two hands hold one crate\n$ yard test a -p no:hands",
        Some(
            "candidate: `yard` with `-n auto` fails with *yard: two hands hold one crate*. Use `-p no:hands` instead; with it the command worked.",
        ),
    );
    check(
        "$ yard ship a => yard: no dock was named\n$ yard ship --slow a => yard: no dock was named\n$ yard ship --dock oak --slow a",
        Some(
            "candidate: `yard` without `--dock oak` fails with *yard: no dock was named*. Add `--dock oak`; with it the same command worked.",
        ),
    );
    check(
        "$ yard test a => yard: the lids of this crate are not there\n$ export LIDS=--wide && yard test a",
        Some(
            "candidate: `yard` fails with *yard: the lids of this crate are not there*. Set `LIDS=--wide` for it; then it works.",
        ),
    );
    // The value of an option, also of a letter that elsewhere asks for help, and in the middle of an argument.
    check(
        "$ yardsql crates -c x => yardsql: the role of this yard is not there\n$ yardsql -h localhost -U oak crates -c x",
        Some(
            "candidate: `yardsql` without `-h localhost -U oak` fails with *yardsql: the role of this yard is not there*. Add `-h localhost -U oak`; with it the same command worked.",
        ),
    );
    check(
        "$ yardctl test -to 'os=oak,name=crane 14' => yardctl: error: Unable to find a crane like that\n$ yardctl test -to 'os=oak,name=crane 16'",
        Some(
            "candidate: `yardctl` with `-to 'os=oak,name=crane 14'` fails with *yardctl: error: Unable to find a crane like that*. Use `-to 'os=oak,name=crane 16'` instead; with it the command worked.",
        ),
    );
    // A value is no name, and what only talks took no place.
    check(
        "$ yard test a -q => yard: no crates are kept in this place\n$ yard test a -C Debug",
        Some(
            "candidate: `yard` without `-C Debug` fails with *yard: no crates are kept in this place*. Add `-C Debug`; with it the same command worked.",
        ),
    );
    check(
        "$ yard test a => yard: no crates are kept in this place\n$ yard test a --crate-limit=4",
        Some(
            "candidate: `yard` without `--crate-limit=4` fails with *yard: no crates are kept in this place*. Add `--crate-limit=4`; with it the same command worked.",
        ),
    );
    check(
        "$ yard test a => yard: no crates are kept in this place\n$ yard -d crate.lids=oak test a",
        Some(
            "candidate: `yard` without `-d crate.lids=oak` fails with *yard: no crates are kept in this place*. Add `-d crate.lids=oak`; with it the same command worked.",
        ),
    );
    // The same words in another order, and without a letter.
    check(
        "$ yard test --slow --plan=oak.cnf a => yard: there is no plan here\n$ yard test --plan=oak.cnf --slow a",
        Some(
            "candidate: `yard` fails with *yard: there is no plan here* if `--plan` stands too late. Put it first, right behind `yard test`.",
        ),
    );
    check(
        "$ yard test -it a => yard: there are no hands here\n$ yard test -i a",
        Some(
            "candidate: `yard` with `-t` fails with *yard: there are no hands here*. Leave `-t` out; the rest of the command works.",
        ),
    );
    // What was written once it was got past mended something else.
    check(
        "$ yard test a => yard: no dock was named\n$ yard test --dock oak a => docks/a.rs:3:5: unused lid\n@Edit {\"file_path\":\"docks/a.rs\",\"old_string\":\"lid\",\"new_string\":\"lid.shut()\"}\n$ yard test --dock oak a",
        Some(
            "candidate: `yard` fails with *…: unused lid*. Write `lid.shut()` into `a.rs`; after it the same command worked.",
        ),
    );
    check(
        "$ yard test a => yard: the lids of this crate are not there\n$ yard test a -h",
        None,
    );
    check(
        "$ sh docks/load.sh => load: the quota of this dock is used up\n$ ls\n$ sh docks/load.sh",
        None,
    );
    // It was in that folder before.
    check(
        "$ cd docks/east && yard test a => yard: no crates are kept in this place\n$ cd docks/east && yard press lids && yard test a",
        Some(
            "candidate: `yard` fails with *yard: no crates are kept in this place*. Run `yard press lids` first; after it the same command worked.",
        ),
    );
    // A script is a program by its file, whatever runs it.
    check(
        "$ python3 sync.py => sync: --host is required\n$ python3 sync.py --host oak",
        Some(
            "candidate: `sync.py` without `--host oak` fails with *sync: --host is required*. Add `--host oak`; with it the same command worked.",
        ),
    );
    check(
        "$ node a.js => Error: no profile given\n$ node a.js --profile elm",
        Some(
            "candidate: `a.js` without `--profile elm` fails with *no profile given*. Add `--profile elm`; with it the same command worked.",
        ),
    );
    // What an error says is said, however it says it.
    check(
        "$ go run ./cmd/yard => flag needed: -plan\n$ go run ./cmd/yard -plan oak",
        Some(
            "candidate: `yard` without `-plan oak` fails with *flag needed: -plan*. Add `-plan oak`; with it the same command worked.",
        ),
    );
    // The name of a program may be what another one is to do.
    for (line, program) in [
        ("nomad node status", "nomad"),
        ("./yard make", "yard"),
        ("bin/yard git sync", "yard"),
        ("kubectl get node", "kubectl"),
        ("yard exec -- make lids", "make"),
    ] {
        check(
            &format!("$ {line} => there is no dock for this crate\n$ {line} --dock oak"),
            Some(&format!(
                "candidate: `{program}` without `--dock oak` fails with *there is no dock for this crate*. Add `--dock oak`; with it the same command worked."
            )),
        );
    }
    // What ran it, what else has the name, a script or a branch of another name.
    for (run, expected) in [
        (
            "$ pytest tests => bash: pytest: command not found\n$ ls\n$ python -m pytest tests",
            "`pytest` fails with *command not found*. Run `python -m pytest` instead.",
        ),
        (
            "$ jest src => sh: 1: jest: not found\n$ npx jest src",
            "`jest` fails with *command not found*. Run `npx jest` instead.",
        ),
        (
            "$ python3 -m pip install oak => externally-managed-environment\n$ .venv/bin/pip install oak",
            "`python3 -m pip` fails with *externally-managed-environment*. Run `.venv/bin/pip install` instead.",
        ),
        (
            "$ npm install oak => npm error code EUNSUPPORTEDPROTOCOL\n$ bun add oak",
            "`npm install` fails with *code EUNSUPPORTEDPROTOCOL*. Run `bun add` instead.",
        ),
        (
            "$ git checkout master => error: pathspec 'master' did not match any file(s) known to git\n$ git checkout main",
            "`git` with `master` fails with *pathspec 'master' did not match any file(s) known to git*. Use `main` instead; with it the command worked.",
        ),
        (
            "$ yard build a => yard: this crate is of another year\n$ yard +night build a",
            "`yard` without `+night` fails with *yard: this crate is of another year*. Add `+night`; with it the same command worked.",
        ),
        // A script is itself, whether or not a shell is given it; a scope of packages is no account.
        (
            "$ bash docks/load.sh -n => docks/load.sh: line 4: ./lids.sh: No such file or directory\n$ cd docks && ./load.sh -n",
            "`load.sh` fails with *…: line N: …: No such file or directory* outside the `docks` folder. Change into `docks` first.",
        ),
        (
            "$ sh docks/load.sh oak => load: 'oak' must be one of elm, ash\n$ sh docks/load.sh elm",
            "`load.sh` with `oak` fails with *load: '…' must be one of elm, ash*. Use `elm` instead; with it the command worked.",
        ),
        (
            "$ ./load oak => load: 'oak' must be one of elm, ash\n$ ./load elm",
            "`load` with `oak` fails with *load: '…' must be one of elm, ash*. Use `elm` instead; with it the command worked.",
        ),
        (
            "$ pnpm run build => ERR_PNPM_NO_SCRIPT  Missing script: build\n$ pnpm --filter @yard/web run build",
            "`pnpm` without `--filter @yard/web` fails with *ERR_PNPM_NO_SCRIPT Missing script: build*. Add `--filter @yard/web`; with it the same command worked.",
        ),
        // Only what is added is judged.
        (
            "$ yard build -f a => yard: no dock was named\n$ yard build --dock oak -f a",
            "`yard` without `--dock oak` fails with *yard: no dock was named*. Add `--dock oak`; with it the same command worked.",
        ),
        // Each option is judged by itself, and of what a runner runs both have it.
        (
            "$ yard build a => yard: no dock was named\n$ yard build --dock oak --from https://crane.example a",
            "`yard` without `--dock oak` fails with *yard: no dock was named*. Add `--dock oak`; with it the same command worked.",
        ),
        (
            "$ poetry run yard build a => yard: no dock was named\n$ poetry run yard build a b --dock oak",
            "`yard` without `--dock oak` fails with *yard: no dock was named*. Add `--dock oak`; with it the same command worked.",
        ),
        // A line that does not tell which of its commands failed.
        (
            "$ yard prepare a && crane ship a => no dock was named here\n$ yard prepare a --dock oak && crane ship a",
            "`yard` without `--dock oak` fails with *no dock was named here*. Add `--dock oak`; with it the same command worked.",
        ),
        // What a command prints, and an address of this machine, are the same for everybody.
        (
            "$ yard build a => yard: this oak is too new\n$ JAVA_HOME=$(/usr/libexec/java_home -v 17) yard build a",
            "`yard` fails with *yard: this oak is too new*. Set `JAVA_HOME=$(/usr/libexec/java_home -v 17)` for it; then it works.",
        ),
        (
            "$ yard list => yard: the key is not known\n$ OAK_URL=http://localhost:80 yard list",
            "`yard` fails with *yard: the key is not known*. Set `OAK_URL=http://localhost:80` for it; then it works.",
        ),
        (
            "$ yard list => yard: the key is not known\n$ OAK_PROXY=http://localhost:80 yard list",
            "`yard` fails with *yard: the key is not known*. Set `OAK_PROXY=…` for it; then it works.",
        ),
        (
            "$ yard list => yard: the key is not known\n$ yard --at http://localhost:4566 list",
            "`yard` without `--at http://localhost:4566` fails with *yard: the key is not known*. Add `--at http://localhost:4566`; with it the same command worked.",
        ),
        // A command on the same thing; one of the same program.
        (
            "$ yard index oak.wood/a => yard: the list of oak.wood/a is not there\n$ planer press oak.wood/a\n$ yard index oak.wood/a",
            "`yard` fails with *yard: the list of … is not there*. Run `planer press …` first; after it the same command worked.",
        ),
        (
            "$ yard -j 4 oak => yard: this place is held by another\n$ yard --unlock\n$ yard -j 4 oak",
            "`yard` fails with *yard: this place is held by another*. Run `yard --unlock` first; after it the same command worked.",
        ),
        (
            "$ yard ship a => yard: this crane does not answer\n$ crane up -q -d oak\n$ yard ship a",
            "`yard` fails with *yard: this crane does not answer*. Run `crane up -d oak` first; after it the same command worked.",
        ),
    ] {
        check(run, Some(&format!("candidate: {expected}")));
    }
    // It only prints more; it forces; the wrapper went; it ran before the failure as well.
    check(
        "$ yard fill oak && yard ship => yard: no dock was named\n$ yard fill elm && yard ship",
        None,
    );
    let failed = "$ yard list => yard: the key is not known\n";
    for worked in [
        "yard --at https://crane.example list",
        "yard --at http://localhost:80@crane.example list",
        "yard --at http://localhost:80/?key=oak list",
        "yard --proxy-url http://localhost:80 list",
        "yard --no-verify --wide list",
        "git add -A && yard list",
        "blkdiscard /dev/sdb && yard list",
        "yard --at //corp/oak list",
        "yard --at a@crane:tulips4hunter list",
    ] {
        check(&format!("{failed}$ {worked}"), None);
    }
    check(
        "$ yard --at a@crane list => yard: the key is not known\n$ yard --at a@crane:tulips4hunter list",
        None,
    );
    // Where a value comes from is not everybody's.
    for value in [
        "$(/home/oak/bin/java_home)",
        "$(echo tulips4hunter)",
        "$(git reset HEAD~1)",
        "$(OAK=/home/oak java_home)",
        "http://oak@localhost:80",
        "http://crane.example",
    ] {
        let run = format!("{failed}$ OAK_HOME={value} yard list");
        check(
            &run,
            Some(
                "candidate: `yard` fails with *yard: the key is not known*. Set `OAK_HOME=…` for it; then it works.",
            ),
        );
    }
    // What a rule knows after a look round may be known to another run in another form.
    check(
        &format!("{failed}$ ls /opt\n$ OAK_HOME=/opt/oak yard list"),
        Some(
            "candidate: `yard` fails with *yard: the key is not known*. Set `OAK_HOME=/opt/oak` for it; then it works.",
        ),
    );
    // A runner's own option, a step of the same verb, a place in somebody's home.
    let others = [
        (
            "$ uv run yard a => yard: the lids are not there\n$ uv run --extra dev yard a",
            "`uv` without `--extra dev` fails with *yard: the lids are not there*. Add `--extra dev`; with it the same command worked.",
        ),
        (
            "$ kubectl apply -f a.yaml => error: no matches for kind Oak\n$ kubectl apply -f lids.yaml\n$ kubectl apply -f a.yaml",
            "`kubectl` fails with *no matches for kind Oak*. Run `kubectl apply -f lids.yaml` first; after it the same command worked.",
        ),
        // What was only looked at is no success of the same work.
        (
            "$ kubectl get crane oak => error: no crane oak is here\n$ kubectl get ns\n$ kubectl get crane oak -n yard",
            "`kubectl` without `-n yard` fails with *no crane oak is here*. Add `-n yard`; with it the same command worked.",
        ),
        // A word, and one that the error itself corrects; a place that is the same for everybody.
        (
            "$ git push yard HEAD:oak => remote: you may not push to this\n$ git push yard HEAD:refs/for/oak",
            "`git` with `HEAD:oak` fails with *remote: you may not push to this*. Use `HEAD:refs/for/oak` instead; with it the command worked.",
        ),
        (
            "$ alembic upgrade head => error: no single head is here, say 'heads' for all of them\n$ alembic upgrade heads",
            "`alembic` with `head` fails with *no single head is here, say 'heads' for all of them*. Use `heads` instead; with it the command worked.",
        ),
        (
            "$ cmake -B a => error: the lids were not found\n$ cmake -B a -DLIDS=/opt/lids/all.cmake",
            "`cmake` without `-DLIDS=/opt/lids/all.cmake` fails with *the lids were not found*. Add `-DLIDS=/opt/lids/all.cmake`; with it the same command worked.",
        ),
        // The program in another form; a value elsewhere in the line, or with a mark at its end.
        (
            "$ make => make: the rules need an operator here\n$ gmake",
            "`make` fails with *make: the rules need an operator here*. Run `gmake` instead.",
        ),
        (
            "$ yard -b dock:1 list => yard: no crane answers there\n$ yard list -b dock:2",
            "`yard` with `-b dock:1` fails with *yard: no crane answers there*. Use `-b dock:2` instead; with it the command worked.",
        ),
        (
            "$ yard run -v ./a:/oak list => yard: a cannot be read in there\n$ yard run -v ./a:/oak:Z list",
            "`yard` with `-v …` fails with *yard: a cannot be read in there*. Use `-v …:Z` instead; with it the command worked.",
        ),
        // It came past that error to the work's own, and worked once that was mended.
        (
            "$ yard vet a => yard: the crate has nothing for these hands\n$ yard vet -tags slow a => yard: a.c has no lid\n@Edit {\"file_path\":\"a.c\",\"new_string\":\"int lid;\\nint oak;\"}\n$ yard vet -tags slow a",
            "`yard` without `-tags slow` fails with *yard: the crate has nothing for these hands*. Add `-tags slow`; with it the same command worked.",
        ),
        // Behind its `=` an option takes no further word, and `--no-…` takes none at all.
        (
            "$ yard lift docks/oak => yard: the crane stops at every gate\n$ yard lift --gates=open docks/elm",
            "`yard` without `--gates=open` fails with *yard: the crane stops at every gate*. Add `--gates=open`; with it the same command worked.",
        ),
        (
            "$ yard lift docks/oak => yard: the crane stops at every gate\n$ yard lift --no-gates docks/elm",
            "`yard` without `--no-gates` fails with *yard: the crane stops at every gate*. Add `--no-gates`; with it the same command worked.",
        ),
        // Under a variable; what is run elsewhere, whatever it is given there; a setting with dots.
        (
            "$ yard test a => yard: the lids of this crate are not there\n$ DOCK=elm crane press lids && yard test a",
            "`yard` fails with *yard: the lids of this crate are not there*. Run `DOCK=elm crane press lids` first; after it the same command worked.",
        ),
        (
            "$ yard list -h dock -U oak => yard: the crane is of another make\n$ docker compose exec -T crane yard list --wide oak",
            "`yard` fails with *yard: the crane is of another make*. Run `docker compose exec -T crane yard` instead.",
        ),
        (
            "$ yard lift oak=1 => yard: too many hands hold this crate\n$ yard lift elm=2 crane.hands=0",
            "`yard` without `elm=2 crane.hands=0` fails with *yard: too many hands hold this crate*. Add `elm=2 crane.hands=0`; with it the same command worked.",
        ),
        // What runs on another machine's processor, from a place that all have; another verb with the same option.
        (
            "$ out/crate a => out/crate: cannot be run on this machine\n$ qemu-oak -L /usr/oak-gnu out/crate a",
            "`out/crate` fails with *…: cannot be run on this machine*. Run `qemu-oak -L /usr/oak-gnu out/crate` instead.",
        ),
        (
            "$ npm ls oak => npm: no list of places is here\n$ npm ci --userconfig docks",
            "`npm` without `--userconfig docks` fails with *npm: no list of places is here*. Add `--userconfig docks`; with it the same command worked.",
        ),
        // Another thing of the same script; one of the same program among others.
        (
            "$ php yard.php test a => yard: the lids of this crate are not there\n$ php yard.php press lids\n$ php yard.php test a",
            "`yard.php` fails with *yard: the lids of this crate are not there*. Run `php yard.php press lids` first; after it the same command worked.",
        ),
        (
            "$ yard_load -d oak a.crate => yard_load: there is no owner of that name\n$ dropyard oak && yard_load --no-owner -d oak a.crate",
            "`yard_load` without `--no-owner` fails with *yard_load: there is no owner of that name*. Add `--no-owner`; with it the same command worked.",
        ),
    ];
    for (run, expected) in others {
        check(run, Some(&format!("candidate: {expected}")));
    }
    check(
        "$ yard test a => yard: the lids of this crate are not there\n$ yard test -v a",
        None,
    );
    check(
        "$ yard test a => yard: the lids of this crate are not there\n$ yard test --force a",
        None,
    );
    // The same call run by another program, and the same shell, later.
    check(
        "$ npx yard dock => yard: no lid fits here\n$ for i in 1 2; do npx yard dock | grep lid; done\n$ yard dock",
        None,
    );
    check(
        "$ sh tools/ship.sh oak => ship: no crane is free\n$ sleep 9; sh tools/ship.sh oak > a.txt",
        None,
    );
    check(
        "$ rtk yard test => rtk: there is no such thing as yard\n$ yard test",
        None,
    );
    // What is expected is whatever came out; what another program that the same runner runs was given.
    check(
        "$ npx jest a => jest: the picture of a is another one\n$ npx jest a -u",
        None,
    );
    check(
        "$ rtk yard lint oak => yard: the lids of this crate are loose\n$ rtk git log --since monday",
        None,
    );
    // It only looks, as far as its words tell.
    for look in [
        "lsusb",
        "oakd show a",
        "tmux list-windows -a",
        "rtk git status",
    ] {
        let run = format!(
            "$ yard test a => yard: the lids of this crate are not there\n$ {look}\n$ yard test a"
        );
        check(&run, None);
    }
    // The person gave it for this task.
    for (said, given) in [
        ("the code is 7KQ2M", "yard --code 7KQ2M list"),
        ("use OAK_KEY=crane-9041", "OAK_KEY=crane-9041 yard list"),
    ] {
        check(&format!("{failed}> {said}\n$ {given}"), None);
        assert!(
            !all_drafts(&format!("{failed}$ {given}")).is_empty(),
            "{given}"
        );
    }
    // Another verb that the error does not object to is another deed.
    check(
        "$ yard test oak => yard: the test has no lids to go by\n$ yard lint oak",
        None,
    );
    // An edit or another call of the program came between: another run must show that the step alone helps.
    for (between, expected) in [
        ("@Edit {\"file_path\":\"a.c\"}", (true, false)),
        // It may have brought the next error as well.
        (
            "@Edit {\"file_path\":\"a.c\"}\n$ yard test --oak a => yard: elm is no lid\n@Edit {\"file_path\":\"b.c\"}",
            (true, false),
        ),
        ("$ yard rinse lids", (false, true)),
        ("$ ls", (false, false)),
    ] {
        let run = format!(
            "$ yard test a => yard: the lids of this crate are not there\n{between}\n$ yard test --oak a"
        );
        let gated = capture_episodes(&trace(&run), &CapturePolicy::default());
        let mut fixes = gated
            .episodes
            .iter()
            .filter_map(|episode| match &episode.kind {
                EpisodeKind::Fix(fix) => Some((fix.after_edit, fix.after_act)),
                _ => None,
            });
        assert_eq!(fixes.next(), Some(expected), "{run}");
    }
    // An edit beside it hides neither a variable, nor what was wrong with the work once the call came so far.
    for between in [
        "@Edit {\"file_path\":\"a.c\",\"new_string\":\"int lid;\"}",
        "$ LIDS=oak yard test a => yard: a.c has no line of its own for this lid\n@Edit {\"file_path\":\"a.c\",\"new_string\":\"int lid;\"}",
    ] {
        let run = format!(
            "$ yard test a => yard: the lids of this crate are not there\n{between}\n$ LIDS=oak yard test a"
        );
        let expected = "candidate: `yard` fails with *yard: the lids of this crate are not there*. Set `LIDS=oak` for it; then it works.";
        let drafts = all_drafts(&run);
        assert!(drafts.iter().any(|draft| draft == expected), "{drafts:#?}");
    }
    // It undoes something, or stands beside what does.
    for first in [
        "rm -rf lids && crane up",
        "git clean -fd",
        "git stash",
        "yard db:reset",
        "docker volume prune -y",
        "rtk git add lids",
    ] {
        let run = format!(
            "$ yard test a => yard: the lids of this crate are not there\n$ {first}\n$ yard test a"
        );
        check(&run, None);
    }
}

/// Two runs that did the same need not have typed the same.
#[test]
fn the_same_step_is_known_however_it_was_typed() {
    let keys = |step: &str| -> Vec<FailureKey> {
        let run = step.replace(
            "FAIL",
            "yard ship oak => yard: there is no dock to ship from",
        );
        let gated = capture_episodes(&trace(&run), &CapturePolicy::default());
        let fixes = gated
            .episodes
            .iter()
            .filter_map(|episode| match &episode.kind {
                EpisodeKind::Fix(fix) => Some(fix),
                _ => None,
            });
        let groups = fixes.flat_map(|fix| crate::ConsensusKeys::of_step(fix));
        groups.map(|keys| keys.pair).collect()
    };
    for (one, other, expected) in [
        (
            "yard -C docks/north ship oak",
            "cd docks/north && yard ship oak",
            true,
        ),
        (
            "yard --cwd=docks ship oak",
            "cd north && yard ship oak",
            false,
        ),
        (
            "cp a.yml b.yml && yard ship oak",
            "cp ./a.yml ./b.yml && yard ship oak",
            true,
        ),
        (
            "cp ci/a.yml b.yml && yard ship oak",
            "install -m644 ci/a.yml b.yml && yard ship oak",
            true,
        ),
        (
            "yard ship oak -f docks/oak/Crate",
            "yard ship oak -f docks/elm/Crate",
            true,
        ),
        (
            "yard ship oak -f docks/oak/Crate",
            "yard ship oak -f docks/elm/Lid",
            false,
        ),
        (
            "pnpm --filter @oak/lids build && yard ship oak",
            "pnpm -F '@oak/lids' run build && yard ship oak",
            true,
        ),
        (
            "dart run lid_press build --wide && yard ship oak",
            "flutter pub run lid_press build --wide && yard ship oak",
            true,
        ),
        (
            "yard ship oak --crates ci",
            "yard ship oak --crates ./ci",
            true,
        ),
        (
            "LIDS=oak DOCK=elm yard ship oak",
            "DOCK=elm LIDS=oak yard ship oak",
            true,
        ),
        (
            "crane --wide --import && yard ship oak",
            "crane --wide --place . --import && yard ship oak",
            true,
        ),
        (
            "yard --project=. ship oak",
            "yard --wide --project ship oak",
            true,
        ),
        (
            "crane -C .. lift -a dock && yard ship oak",
            "crane lift -a dock && yard ship oak",
            true,
        ),
        (
            "yard ship oak --at 'north dock'",
            "yard ship oak --at=\"north dock\"",
            true,
        ),
        (
            "yard ship oak --plan ./plans/oak",
            "yard ship oak --plan=plans/oak",
            true,
        ),
        (
            "node docks/ship.cjs ship oak",
            "node ./docks/ship.cjs ship oak",
            true,
        ),
        (
            "npx tugyard ship oak",
            "./node_modules/.bin/tugyard ship oak",
            true,
        ),
        (
            "OAK_LIDS=$PWD/docks/lids yard ship oak",
            "OAK_LIDS=docks/lids yard ship oak",
            true,
        ),
        (
            "./gradlew :docks:open && yard ship oak",
            "./gradlew docks:open && yard ship oak",
            true,
        ),
        (
            "crane pull -r lan && yard ship oak",
            "crane pull --remote lan docks/oak && yard ship oak",
            true,
        ),
        (
            "crane load lid-image oak:1 --name elm && yard ship oak",
            "crane load lid-image elm:2 -n elm && yard ship oak",
            true,
        ),
        (
            "python3 -m cranes lift all && yard ship oak",
            "cranes lift all && yard ship oak",
            true,
        ),
        (
            "npm run db:rs && yard ship oak",
            "npm run --silent db:rs && yard ship oak",
            true,
        ),
        ("yard ship oak --at ci", "yard ship oak --at elm", false),
        // An amount is chosen by each task, a port is a place.
        ("yard ship oak --lids=4G", "yard ship oak --lids 512", true),
        (
            "yard ship oak --port=4000",
            "yard ship oak --port 5000",
            false,
        ),
        (
            "LIDS=--wide=4 yard ship oak",
            "LIDS=--wide=9 yard ship oak",
            true,
        ),
        ("PORT=4000 yard ship oak", "PORT=5000 yard ship oak", false),
        // A switch, a short name, a setting, however they are given.
        (
            "yard ship oak --wide=false",
            "yard ship oak --no-wide",
            true,
        ),
        ("yard ship oak -am", "yard ship oak --all-made", true),
        ("yard ship oak --dock=OAK", "yard ship oak --dock oak", true),
        (
            "YARD_LIDS=true yard ship oak",
            "yard -c ship.lids=true ship oak",
            true,
        ),
        (
            "yard_cfg_wide_lids=true yard ship oak",
            "yard ship oak --wide-lids",
            true,
        ),
        (
            "YARD_OPTIONS=--wide-lids yard ship oak",
            "crane --wide-lids bin/yard ship oak",
            true,
        ),
        // From wherever a place is said, and however one goes there.
        (
            "yard ship oak --plan ../docks/oak",
            "LIDS=docks/oak yard ship oak",
            true,
        ),
        ("LIDS=$PWD yard ship oak", "LIDS=. yard ship oak", true),
        (
            "yard ship oak --site docks/oak",
            "cd docks/oak && yard ship oak",
            true,
        ),
        (
            "source .venv/bin/activate && yard ship oak",
            ".venv/bin/yard ship oak",
            true,
        ),
        // What brings the same, with its variable before or behind.
        (
            "npm ci && yard ship oak",
            "npm install && yard ship oak",
            true,
        ),
        (
            "DOCK=elm crane lift && yard ship oak",
            "crane lift DOCK=elm && yard ship oak",
            true,
        ),
        (
            "crane pull lids && yard ship oak --wide",
            "crane pull lids && yard ship elm",
            true,
        ),
    ] {
        let own = keys(&format!("$ FAIL\n$ {one}"));
        let is_shared = keys(&format!("$ FAIL\n$ {other}"))
            .iter()
            .any(|key| own.contains(key));
        assert_eq!(is_shared, expected, "{one} and {other}");
    }
}

//! Messages of people to an agent, each with the draft that it must or must not give.

use super::{
    super::{
        CapturePolicy, capture_episodes, correction::find_correction, parsed_run::UserMessage,
    },
    drafts, trace,
};
use crate::{AgentTurn, CleanText, distil::draft_episode};

#[test]
fn what_a_person_quotes_is_no_correction() {
    for (said, expected) in [
        (
            "It says:\n> No, don't use npm here. Always use the mirror.\n\nTrue?",
            None,
        ),
        (
            "He wrote \"No, don't use npm here, always use the mirror\".",
            None,
        ),
        (
            "See\n<issue>\nNo, don't use npm here, use the mirror.\n</issue>\nReply.",
            None,
        ),
        (
            "About\n> we could use npm\n\nno, don't use npm here, use pnpm instead",
            Some("Don't use npm here, use pnpm instead."),
        ),
        (
            "no, don't use \"npm test\" here, use pnpm instead",
            Some("Don't use \"npm test\" here, use pnpm instead."),
        ),
        // A name keeps its letters.
        (
            "no, console.log is never used here, use the logger instead",
            Some("console.log is never used here, use the logger instead."),
        ),
        (
            "no, we don't use !! in this code, ever. Handle the null.",
            Some("We don't use !! in this code, ever. Handle the null."),
        ),
        (
            "no, pnpm is always used here, never npm",
            Some("pnpm is always used here, never npm."),
        ),
    ] {
        let message = UserMessage {
            text: &CleanText::from_stored(said.to_owned()),
            after: AgentTurn::Act,
            calls_before: 0,
        };
        let found = find_correction(&message, &[]);
        assert_eq!(found.map(|it| it.text).as_deref(), expected, "{said}");
    }
}

#[test]
fn a_person_is_heard_when_correcting() {
    let mut wrong = Vec::new();
    for (said, expected) in [
        (
            "no, don't use npm here, use pnpm instead",
            Some("lesson: Don't use npm here, use pnpm instead."),
        ),
        (
            "no, don't put the button here, use the other page",
            Some("witness"),
        ),
        // A prohibition that goes on with an alternative.
        (
            "No, don't use pip, use uv",
            Some("lesson: Don't use pip, use uv."),
        ),
        (
            "no, don't edit generated files, use the template",
            Some("lesson: Don't edit generated files, use the template."),
        ),
        (
            "Don't edit generated files; change the template instead.",
            Some("lesson: Don't edit generated files; change the template instead."),
        ),
        (
            "Stop using npm, use pnpm",
            Some("lesson: Stop using npm, use pnpm."),
        ),
        ("please don't add tests, only mend the bug", Some("witness")),
        (
            "nein, nicht npm benutzen, nimm pnpm",
            Some("lesson: Nicht npm benutzen, nimm pnpm."),
        ),
        ("Nicht alle Tests haben bestanden.", None),
        // An order after a refusal: about a choice of program, an occasion, or the moment.
        ("no, use pnpm", Some("lesson: Use pnpm.")),
        ("Wrong. Use pnpm.", Some("lesson: Use pnpm.")),
        ("I told you to use pnpm", Some("lesson: Use pnpm.")),
        ("No, use Postgres", None),
        ("no, use the coverage report", Some("witness")),
        ("no, run cargo test again", None),
        ("no, put the label above the input", Some("witness")),
        (
            "No, run the linter before every commit.",
            Some("lesson: Run the linter before every commit."),
        ),
        (
            "That's wrong. Use the staging database for tests.",
            Some("lesson: Use the staging database for tests."),
        ),
        // General rules, even if their words refer to the moment.
        (
            "from now on use pnpm",
            Some("lesson: From now on use pnpm."),
        ),
        (
            "From now on, never edit generated files",
            Some("lesson: From now on, never edit generated files."),
        ),
        (
            "use two spaces from now on",
            Some("lesson: Use two spaces from now on."),
        ),
        ("from now on use this file", Some("witness")),
        (
            "ab jetzt immer den Linter vor dem Commit starten",
            Some("lesson: Ab jetzt immer den Linter vor dem Commit starten."),
        ),
        (
            "Nein, nimm ab jetzt die Datenbank von staging",
            Some("lesson: Nimm ab jetzt die Datenbank von staging."),
        ),
        (
            "Benutze immer pnpm statt npm",
            Some("lesson: Benutze immer pnpm statt npm."),
        ),
        (
            "À partir de maintenant, lance les tests avant chaque commit",
            Some("lesson: À partir de maintenant, lance les tests avant chaque commit."),
        ),
        (
            "a partir de ahora ejecuta las pruebas antes de cada commit",
            Some("lesson: A partir de ahora ejecuta las pruebas antes de cada commit."),
        ),
        ("In future versions this call is gone.", None),
        ("In the future we may need a cache.", None),
        ("Next time the job runs it will fail.", None),
        ("You may not need the flag.", None),
        (
            "next time run the tests before the commit",
            Some("lesson: Next time run the tests before the commit."),
        ),
        (
            "Bitte künftig vor jedem Commit die Tests ausführen.",
            Some("lesson: Künftig vor jedem Commit die Tests ausführen."),
        ),
        // The same prohibition in every grammar.
        (
            "You must not edit the generated files.",
            Some("lesson: You must not edit the generated files."),
        ),
        (
            "No, you should not edit the generated files.",
            Some("lesson: You should not edit the generated files."),
        ),
        (
            "You mustn't commit to main.",
            Some("lesson: You mustn't commit to main."),
        ),
        (
            "You must not use pip. Use uv.",
            Some("lesson: You must not use pip. Use uv."),
        ),
        ("you should use uv", None),
        ("You shouldn't have edited the tests.", None),
        (
            "Du darfst nicht direkt auf main committen.",
            Some("lesson: Du darfst nicht direkt auf main committen."),
        ),
        (
            "Il ne faut pas modifier les fichiers générés.",
            Some("lesson: Il ne faut pas modifier les fichiers générés."),
        ),
        (
            "No debes editar los archivos generados.",
            Some("lesson: No debes editar los archivos generados."),
        ),
        (
            "No, use pnpm instead of npm.",
            Some("lesson: Use pnpm instead of npm."),
        ),
        (
            "don't add comments to the code, never do that",
            Some("witness"),
        ),
        (
            "Never commit directly to main in this repo.",
            Some("lesson: Never commit directly to main in this repo."),
        ),
        (
            "I told you to always run the formatter before committing",
            Some("lesson: Always run the formatter before committing."),
        ),
        (
            "Stop adding docstrings everywhere.",
            Some("lesson: Stop adding docstrings everywhere."),
        ),
        (
            "that's wrong, use snake_case, not camelCase",
            Some("lesson: Use snake_case, not camelCase."),
        ),
        (
            "Nein, verwende pnpm statt npm.",
            Some("lesson: Verwende pnpm statt npm."),
        ),
        (
            "Niemals direkt auf main committen!",
            Some("lesson: Niemals direkt auf main committen."),
        ),
        (
            "non, n'utilise pas npm, utilise pnpm",
            Some("lesson: N'utilise pas npm, utilise pnpm."),
        ),
        (
            "No, no uses npm, usa pnpm.",
            Some("lesson: No uses npm, usa pnpm."),
        ),
        ("no, don't touch line 12", Some("witness")),
        (
            "don't use mocks in the parser tests",
            Some("lesson: Don't use mocks in the parser tests."),
        ),
        ("Never mind the warning.", None),
        (
            "No, don't edit generated files. Change routes.def and run `make gen`.",
            Some("lesson: Don't edit generated files. Change routes.def and run `make gen`."),
        ),
        (
            "Always run `cargo fmt` before you commit.",
            Some("lesson: Always run `cargo fmt` before you commit."),
        ),
        ("add any missing imports", None),
        ("add a license file in this repo", None),
        ("Test always fails on windows.", None),
        ("Stop the server.", None),
        ("No errors now. Use the same approach for the parser.", None),
        ("No more changes needed.", None),
        (
            "Add tests for the parser. Don't use mocks.",
            Some("witness"),
        ),
        ("n'oublie pas de lancer les tests", None),
        ("Keine Tests nötig.", None),
        ("why don't you use a set?", None),
        ("don't you think it is slow", None),
        ("It never works on my machine.", None),
        ("you're right, use the second option", None),
        ("no, use the second one", Some("witness")),
        (
            "Schreib keine Kommentare in den Code.",
            Some("lesson: Schreib keine Kommentare in den Code."),
        ),
        (
            "N'ajoute pas de commentaires.",
            Some("lesson: N'ajoute pas de commentaires."),
        ),
        (
            "Nunca hagas commit en main.",
            Some("lesson: Nunca hagas commit en main."),
        ),
        ("can you use pnpm instead?", None),
        (
            "use the certificate for $299 and cover the rest with my card",
            None,
        ),
        ("Yes, please go ahead and make the change.", None),
        ("No, thanks. That's all.", None),
        ("no problem, go on", None),
        ("Don't worry about it.", None),
        ("it doesn't work", None),
        ("Now add a test for the parser", None),
        ("I actually don't want any travel insurance included.", None),
        ("The login page is broken, please fix it.", None),
        ("Great, thank you!", None),
        (
            "If more than $100 will be wasted, please use my gift card and credit card instead.",
            None,
        ),
        (
            "use tqdm instead of cache_missing if there are few keys",
            None,
        ),
        ("what about without websockets?", None),
        ("make SuitableRepoNotFound class", None),
        ("catch SuitableRepoNotFound not `FileNotFoundError`", None),
        ("<command-name>never</command-name>", None),
        // How things are here.
        (
            "That's wrong: dates are in UTC in this code base, always.",
            Some("lesson: Dates are in UTC in this code base, always."),
        ),
        (
            "We don't use default exports in this repo.",
            Some("lesson: We don't use default exports in this repo."),
        ),
        (
            "Hmm no. The config lives in config/app.toml, not in .env.",
            Some("lesson: The config lives in config/app.toml, not in .env."),
        ),
        (
            "I told you already: run make fmt before every commit.",
            Some("lesson: Run make fmt before every commit."),
        ),
        (
            "remember: staging deploys need the VPN",
            Some("lesson: Staging deploys need the VPN."),
        ),
        (
            "no, before every commit, run make fmt",
            Some("lesson: Before every commit, run make fmt."),
        ),
        ("remember to add a test", None),
        (
            "Actually, use the existing Button component instead of writing a new one.",
            Some("witness"),
        ),
        ("Actually, use the second option", None),
        ("no, it always fails on CI", None),
        ("No, the test in our repo fails", None),
        ("We don't need the cache.", None),
        ("we have two configs", None),
        // Of something nameable, in any words: what lasts, what holds here, and what is refused.
        (
            "we're on main. nothing gets pushed to main in this repo, it goes through a PR",
            Some("lesson"),
        ),
        (
            "nope. tests are run by `cargo nextest run` on this team",
            Some("lesson"),
        ),
        ("run it again with --verbose", None),
        ("make the flag --quiet always win over --verbose", None),
        ("is --no-verify always bad here?", None),
        // What stands beside a rule is part of it, unless it is of the moment.
        (
            "prices are in pence. never a float for them here!! the bank refuses them",
            Some(
                "witness: Prices are in pence. Never a float for them here. The bank refuses them.",
            ),
        ),
        (
            "no floats for prices here, ever. now go on with the receipt",
            Some("witness: No floats for prices here, ever."),
        ),
        (
            "No, every table needs an owner, e.g. billing, otherwise nobody gets the alarm.",
            Some(
                "lesson: Every table needs an owner, e.g. billing, otherwise nobody gets the alarm.",
            ),
        ),
        (
            "nein, ./gradlew benutzen, nicht gradle",
            Some("lesson: ./gradlew benutzen, nicht gradle."),
        ),
        // Whoever asks why, and answers it, objects.
        (
            "why did you use npm? this repo is on pnpm",
            Some("lesson: This repo is on pnpm."),
        ),
        (
            "¿por qué npm? aquí nunca npm, siempre pnpm",
            Some("lesson: Aquí nunca npm, siempre pnpm."),
        ),
        ("why did it take so long? run it again", None),
        ("why a map?", None),
        // Where things are.
        (
            "snapshots go in spec/golden here, they belong to the reviewers",
            Some("witness"),
        ),
        ("the request goes through the proxy now", None),
        // As people type: marks left out, letters stretched, a word before.
        (
            "nooo, we dont squash in this repo",
            Some("lesson: We dont squash in this repo."),
        ),
        (
            "fyi we tag from ci here, never by hand",
            Some("lesson: We tag from ci here, never by hand."),
        ),
        ("were the nightly runs here always that slow", None),
        ("dont touch the layout yet", None),
        ("no, never", None),
        // Two marks of a rule agree, of whatever kinds; one of them may be chance.
        (
            "thx. only en.json by hand, everything else gets overwritten otherwise",
            Some("lesson"),
        ),
        (
            "not that one. pages in the manual must be a4, otherwise the printer scales them",
            Some("lesson"),
        ),
        (
            "ci only collects tests/unit, so tests have to go there",
            Some("lesson"),
        ),
        ("the importer is slow here, check every query", None),
        ("great, now do the same for the importer", None),
        ("i never liked that font, make it bigger", None),
        ("Never mind the --verbose flag.", None),
        // Other languages.
        ("não, não use npm aqui, use pnpm", Some("lesson")),
        ("A gente não usa mocks neste projeto.", Some("lesson")),
        ("нет, не используй npm, бери pnpm", Some("lesson")),
        (
            "У нас миграции никогда не правят руками в этом проекте",
            Some("lesson"),
        ),
        ("нет, всё в порядке", None),
        ("不对，不要用 npm，用 pnpm", Some("lesson")),
        ("我说过了，提交前先运行 make fmt", Some("lesson")),
        ("我们不用 default export", Some("lesson")),
        ("不用担心", None),
        ("いや、npm は使わないで、pnpm を使って", Some("lesson")),
        ("コミット前に必ず make fmt を実行して", Some("lesson")),
        ("それは動かないです", None),
        ("아니, npm 말고 pnpm 써", Some("lesson")),
        ("앞으로 생성된 파일은 수정하지 마세요", Some("lesson")),
        ("걱정하지 마세요", None),
        ("아니, 그 버튼 말고 아래 버튼을 파란색으로", None),
        ("kein Problem, mach weiter", None),
        ("no te preocupes", None),
    ] {
        let got = drafts(&format!("~ done\n> {said}"));
        let fits = match expected {
            None => got.is_empty(),
            Some(whole) if whole.contains(": ") => got == [whole],
            Some(weight) => got.len() == 1 && got[0].starts_with(weight),
        };
        if !fits {
            wrong.push(format!("{said}: {got:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        drafts("> Never use tabs in this repo.").is_empty(),
        "a first message is the task"
    );
}

#[test]
fn a_correction_comes_up_at_the_call_that_it_answers() {
    let correction = "> no, always use the replica here";
    for (turn, expected) in [
        ("$ psql -h db1 -c 'select 1'", "psql"),
        (
            "$ git status\n$ git switch -c x && git log -1",
            "git switch",
        ),
        (
            "@Edit {\"file_path\":\"/w/src/a.tsx\",\"old_string\":\"a\",\"new_string\":\"b\"}",
            "*.tsx",
        ),
        (
            "@mcp__board__move_card {\"id\":\"7\"}",
            "mcp__board__move_card",
        ),
        // Any of several may be meant, and what only looks is hardly what is corrected.
        ("$ psql -c 'select 1'\n$ npm test", ""),
        ("$ npm test\n> go on\n$ psql -c 'select 1'", "psql"),
        ("$ npm test\n> go on\n~ I did.", ""),
        ("$ cat notes.md", ""),
    ] {
        let run = format!("> look\n{turn}\n~ Done.\n{correction}");
        let gated = capture_episodes(&trace(&run), &CapturePolicy::default());
        let drafts = gated.episodes.iter().filter_map(draft_episode);
        let signatures: Vec<String> = drafts
            .map(|draft| draft.content.signature.expose().to_owned())
            .collect();
        assert_eq!(signatures, [expected], "{turn}");
    }
}

//! Acts that every project knows, such as a commit or a migration: by which words they are called, and which calls do them.
//!
//! A rule that says *before each commit* names no command. The words of each act are a table in the languages that people
//! write, the calls a rule.

use super::{
    act::{CallActs, is_only_reading},
    command::CommandForm,
    cue::{is_in_list, is_unspaced, strip_marks},
};
use crate::{
    shell::{self, is_listed},
    text::word_table::WordTable,
    trace::call::ParsedCall,
};

/// Something that one does in every project, whatever the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Commit,
    Amend,
    Push,
    PushToTrunk,
    ForcePush,
    Rebase,
    Merge,
    Stash,
    Tag,
    Worktree,
    PullRequest,
    Deploy,
    Migration,
    Changelog,
    Dependency,
    TestCode,
    TestRun,
    FullTestRun,
    IntegrationTests,
    ImageBuild,
    DevServer,
    SkipHooks,
}

/// Each act with what it is called, the words for it, in which a star stands for any ending.
#[rustfmt::skip]
const ACTS: &[((Act, &str), &str)] = &[
    ((Act::Commit, "a commit"), "commit commits committing committed committen committet commiten commiter commitear comita* \
        commitar commita коммит* закоммит* 커밋* コミット* 提交*"),
    ((Act::Amend, "`git commit --amend`"), "amend amending"),
    ((Act::ForcePush, "`git push --force`"), "force-push force-pushes force-pushing force-pushen"),
    ((Act::Push, "a push"), "push pushes pushing pushen pusher pousser pushear push* пуш* запуш* 푸시* プッシュ* 推送*"),
    ((Act::PushToTrunk, "a push to the main branch"), ""),
    ((Act::Rebase, "a rebase"), "rebase rebasing rebasen rebaser rebasear ребейз*"),
    ((Act::Merge, "a merge"), "merge merging mergen merger mergear мерж*"),
    ((Act::Stash, "`git stash`"), "stash stashing"),
    ((Act::Tag, "`git tag`"), "tags"),
    ((Act::Worktree, "a new worktree"), "worktree worktrees"),
    ((Act::PullRequest, "a pull request"), "pr prs mr mrs pull-request pull-requests"),
    ((Act::Deploy, "a deployment"), "deploy deploys deploying deployment deployments deployen déployer déploiement desplegar \
        despliegue* deploya* deployar деплой* задепло* 배포* デプロイ* 部署* 上线*"),
    ((Act::Migration, "a migration"), "migration migrations migrationen migración migraciones migração migrações миграци* 마이그레이션* マイグレーション* 迁移*"),
    ((Act::Changelog, "a change of the changelog"), "changelog changelogs"),
    ((Act::Dependency, "a change of dependencies"), "dependency dependencies abhängigkeit* dépendance* dependencia* dependência* \
        зависимост*"),
    ((Act::TestCode, "an edit of a test"), ""),
    ((Act::TestRun, "a run of tests"), ""),
    ((Act::FullTestRun, "a run of all tests"), ""),
    ((Act::IntegrationTests, "a run of integration tests"), ""),
    ((Act::ImageBuild, "a build of an image"), ""),
    ((Act::DevServer, "a start of the dev server"), ""),
    ((Act::SkipHooks, "a commit or push past the hooks"), ""),
];

/// Returns all of them.
pub(super) fn common_acts() -> impl Iterator<Item = Act> {
    ACTS.iter().map(|((act, _), _)| *act)
}

static ACT_TABLE: WordTable<(Act, &str), 256, 64> = WordTable::new(ACTS);

/// Returns the act that a word names.
pub(super) fn find_act(word: &str) -> Option<Act> {
    let lower = word.to_lowercase();
    // In a script without spaces it is anywhere in the word: `不要直接推送到`.
    let mut starts = (lower.char_indices()).filter(|(at, c)| *at == 0 || is_unspaced(*c));
    starts.find_map(|(at, _)| ACT_TABLE.get(&lower[at..]).map(|(act, _)| act))
}

impl Act {
    /// Returns what it is called.
    pub(super) fn name(self) -> &'static str {
        let row = ACTS.iter().find(|((act, _), _)| *act == self);
        row.map_or("", |((_, name), _)| name)
    }

    /// Returns what it is called, as one types it.
    pub(super) fn typed(self) -> String {
        self.name().trim_start_matches("a ").replace('`', "")
    }

    /// Returns the act that is called so, with its article or without.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        common_acts().find(|act| act.typed() == name.trim_start_matches("a "))
    }

    /// Returns whether a call does this.
    pub(super) fn is_done_by(self, acts: &CallActs, call: &ParsedCall) -> bool {
        let commands = || {
            acts.commands
                .iter()
                .flatten()
                .filter(|form| !form.only_asks() && !form.asks_what_is_there())
        };
        let has = |is_it: &dyn Fn(&CommandForm) -> bool| commands().any(is_it);
        let runs = |program: &str, verb: &str| {
            has(&|form| is_listed(program, &form.program) && form.verb == verb)
        };
        match self {
            Self::Commit => runs("git", "commit"),
            Self::Amend => has(&|form| form.program == "git" && form.has_word("--amend")),
            Self::Push => runs("git", "push"),
            Self::PushToTrunk => {
                has(&|form| form.program == "git" && form.verb == "push" && !names_branch(form))
            }
            Self::ForcePush => has(&|form| {
                let is_forced = |word: &String| word == "--force" || word.starts_with('+');
                form.program == "git" && form.verb == "push" && form.words.iter().any(is_forced)
            }),
            Self::Rebase => runs("git", "rebase"),
            Self::Merge => runs("git", "merge"),
            Self::Stash => has(&|form| form.program == "git" && form.verb.starts_with("stash")),
            Self::Tag => runs("git", "tag"),
            Self::Worktree => runs("git", "worktree·add"),
            Self::PullRequest => {
                runs("gh glab", "pr·create")
                    || runs("gh glab", "mr·create")
                    || call.tool.contains("create_pull_request")
            }
            Self::Deploy => has(&|form| split_words(&form.verb).any(|word| word == "deploy")),
            Self::Migration => {
                let is_one = |file: &str| {
                    let file = file.to_lowercase();
                    let mut folders = file.split('/');
                    folders.any(|part| part.starts_with("migrat") || part == "alembic")
                };
                let migrates = |form: &CommandForm| {
                    const ASKING: &str = "history current heads show status info check validate";
                    is_listed(
                        "alembic flyway liquibase dbmate sqitch goose",
                        &form.program,
                    ) && !form
                        .words
                        .first()
                        .is_some_and(|verb| is_listed(ASKING, verb))
                };
                let says = |word: &String| {
                    !word.starts_with('-') && split_words(word).any(|word| word.contains("migrat"))
                };
                has(&|form| migrates(form) || form.words.iter().take(4).any(says))
                    && !is_only_reading(call)
                    || acts.changed_files().any(is_one)
            }
            Self::Changelog => {
                let mut files = acts.changed_files();
                files.any(|file| file.to_lowercase().contains("changelog"))
            }
            Self::TestCode => acts.changed_files().any(is_test),
            Self::TestRun => has(&CommandForm::runs_tests),
            Self::FullTestRun => has(&|form| form.runs_tests() && !form.selects_tests()),
            Self::IntegrationTests => {
                has(&CommandForm::runs_tests) && acts.args.contains("integration")
            }
            Self::ImageBuild => has(&|form| {
                is_listed("docker podman nerdctl buildah", &form.program)
                    && split_words(&form.verb).any(|word| is_listed("build bake", word))
            }),
            Self::SkipHooks => {
                has(&|form| form.program == "git" && form.has_word("--no-verify"))
                    || acts.args.contains("HUSKY=0")
            }
            Self::DevServer => has(&CommandForm::starts_server),
            Self::Dependency => acts.changed_files().any(is_manifest) || runs("pip", "install"),
        }
    }
}

/// Returns whether a push says to which branches, and the main one is none of them.
fn names_branch(push: &CommandForm) -> bool {
    let operands = push.words.iter().filter(|word| !word.starts_with('-'));
    // After the subcommand and the remote.
    let mut branches = operands.skip(2).peekable();
    let target = |refs: &String| refs.rsplit(':').next().map(str::to_owned);
    branches.peek().is_some()
        && !branches
            .filter_map(target)
            .any(|branch| is_trunk(&branch) || branch == "HEAD")
}

/// Returns whether a word is the usual name of the main branch.
fn is_trunk(word: &str) -> bool {
    is_listed("main master trunk", word)
}

/// Returns the act that is meant where a text says where to, or this one.
pub(super) fn aim_act(act: Act, words: &[&str]) -> Act {
    const TOWARDS: &str = "to into auf nach sur vers a para na в";
    let is_aimed = |pair: &[&str]| {
        let is_towards = is_listed(TOWARDS, &pair[0].to_lowercase()) || pair[0].ends_with('到');
        is_towards && is_trunk(strip_marks(pair[1]).1)
            || is_trunk(pair[0]) && pair[1].starts_with(['に', 'へ', '에', '로'])
    };
    match act {
        Act::Push if words.windows(2).any(is_aimed) => Act::PushToTrunk,
        _ => act,
    }
}

/// Returns whether a file is one of tests, by its name or folder.
fn is_test(file: &str) -> bool {
    let file = file.to_lowercase();
    let name = shell::base_name(&file);
    let is_folder = |part: &str| is_listed("test tests __tests__ spec specs", part);
    name.starts_with("test_")
        || ["_test.", ".test.", "_spec.", ".spec."]
            .iter()
            .any(|mark| name.contains(mark))
        || file.split('/').any(is_folder)
}

impl CommandForm {
    fn runs_tests(&self) -> bool {
        const RUNNERS: &str = "pytest jest vitest mocha ava rspec phpunit ctest tox nox cypress";
        let is_test = |word: &str| is_listed("test tests nextest e2e spec", word);
        is_listed(RUNNERS, &self.program) || split_words(&self.verb).any(is_test)
    }

    fn starts_server(&self) -> bool {
        let serves = |word: &str| is_listed("dev develop serve server runserver", word);
        split_words(&self.verb).any(serves) || self.program == "vite" && self.verb.is_empty()
    }

    /// Returns whether it says which tests: by a file, a name, or a package.
    fn selects_tests(&self) -> bool {
        const BY: &str =
            "-run --run -k -t --filter --grep -g -p --package -Dtest --tests --testNamePattern";
        let is_one = |word: &String| {
            word.contains(['/', ':', '.']) && !word.starts_with('-') && !word.ends_with("...")
        };
        let mut words = self.words.iter();
        words.any(|word| is_listed(BY, word) || is_one(word) && *word != self.verb)
    }
}

/// Words for tests, and those that say of them that they are run; what tests in general need is often something written.
const TESTS: &str = "test tests suite specs";
const RUN: &str = "run runs running rerun execute executing";
const TAKE: &str = "run runs hang take takes";
const NEED: &str = "run runs hang take takes need needs require requires expect";
/// Words at which a phrase for an act may begin.
const PHRASES: &str = "hook hooks dev development image images integration test tests suite specs";

/// Reads the act that the words here name beside those before them, and how many they are: `run the whole suite`, `integration
/// tests need a database`, `the dev server`, `images are built`.
pub(super) fn read_act(before: &[&str], words: &[&str]) -> Option<(Act, usize)> {
    let bare = |word: &&str| strip_marks(word).1.to_lowercase();
    let first = words.first().map(bare)?;
    // Nearly every word begins none.
    if !is_listed(PHRASES, &first) {
        return None;
    }
    let second = words.get(1).map(bare).unwrap_or_default();
    let is_after =
        |list: &str| (before.iter().rev().take(4)).any(|word| is_listed(list, &bare(word)));
    let runs = |count: usize, verbs: &str| {
        let mut after = words.iter().skip(count).take(2).map(bare);
        is_after(RUN) || after.any(|word| is_listed(verbs, &word))
    };
    let builds = || {
        let mut all = before.iter().chain(words).map(bare);
        all.any(|word| is_listed("build built builds building docker container", &word))
    };
    let is_kind = is_listed(TESTS, &second) && runs(2, NEED);
    Some(match first.as_str() {
        "dev" | "development" if second == "server" => (Act::DevServer, 2),
        "hook" | "hooks" if is_after("skip bypass disable") => (Act::SkipHooks, 1),
        "image" | "images" if builds() => (Act::ImageBuild, 1),
        "integration" if is_kind => (Act::IntegrationTests, 2),
        tests if !is_listed(TESTS, tests) || !runs(1, TAKE) => return None,
        _ if is_after("whole full entire complete") => (Act::FullTestRun, 1),
        _ => (Act::TestRun, 1),
    })
}

/// Returns whether a text speaks of tests, in any of the languages in which people write rules.
pub(super) fn speaks_of_tests(text: &str) -> bool {
    const WORDS: &str = "test tests testcase testcases testing testfall testfälle prueba pruebas teste testes тест* 测试* テスト* 테스트*";
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| is_in_list(WORDS, word))
}

fn is_manifest(file: &str) -> bool {
    is_listed(
        "package.json Cargo.toml pyproject.toml go.mod Gemfile composer.json requirements.txt",
        shell::base_name(file),
    )
}

/// Returns the parts of a script's or target's name: `db:migrate` is `db` and `migrate`.
pub(super) fn split_words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
}

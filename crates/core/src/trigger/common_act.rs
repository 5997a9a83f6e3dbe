//! Acts that every project knows, such as a commit or a migration: by which words they are called, and which calls do them.
//!
//! A rule that says *before each commit* names no command. The words of each act are a table in the languages that people
//! write, the calls a rule.

use std::sync::LazyLock;

use super::{
    act::{CallActs, FileUse, is_only_reading},
    cue::is_unspaced,
    word_table::WordTable,
};
use crate::{
    shell::{self, is_listed},
    trace::call::ParsedCall,
};

/// Something that one does in every project, whatever the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Commit,
    Amend,
    Push,
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
}

/// The words by which each act is called; a star stands for any ending.
const ACTS: &[(Act, &str, &[&str])] = &[
    (
        Act::Commit,
        "commit commits committing committed committen committet commiten commits commiter commitear comita* commitar commita \
         коммит* закоммит*",
        &["コミット", "커밋"],
    ),
    (Act::Amend, "amend amending", &[]),
    (
        Act::Push,
        "push pushes pushing pushen pusher pousser pushear push* пуш* запуш*",
        &["推送", "プッシュ", "푸시"],
    ),
    (
        Act::Rebase,
        "rebase rebasing rebasen rebaser rebasear ребейз*",
        &["リベース", "变基"],
    ),
    (
        Act::Merge,
        "merge merging mergen merger mergear мерж*",
        &["マージ", "合并", "머지"],
    ),
    (Act::Stash, "stash stashing", &[]),
    (Act::Tag, "tags", &[]),
    (Act::Worktree, "worktree worktrees", &[]),
    (
        Act::PullRequest,
        "pr prs mr mrs pull-request pull-requests",
        &["プルリク", "풀 리퀘"],
    ),
    (
        Act::Deploy,
        "deploy deploys deploying deployment deployments deployen déployer déploiement desplegar despliegue* deploya* deployar \
         деплой* задепло*",
        &["部署", "デプロイ", "배포"],
    ),
    (
        Act::Migration,
        "migration migrations migrationen migración migraciones migração migrações миграци*",
        &["迁移", "マイグレーション", "마이그레이션"],
    ),
    (
        Act::Changelog,
        "changelog changelogs",
        &["変更履歴", "更新日志"],
    ),
    (
        Act::Dependency,
        "dependency dependencies abhängigkeit* dépendance* dependencia* dependência* зависимост*",
        &["依赖", "依存", "의존성"],
    ),
];

/// All of them.
pub(super) const COMMON_ACTS: &[Act] = &[
    Act::Commit,
    Act::Amend,
    Act::Push,
    Act::Rebase,
    Act::Merge,
    Act::Stash,
    Act::Tag,
    Act::Worktree,
    Act::PullRequest,
    Act::Deploy,
    Act::Migration,
    Act::Changelog,
    Act::Dependency,
];

static ACT_TABLE: LazyLock<WordTable<Act>> =
    LazyLock::new(|| WordTable::new(ACTS.iter().map(|(act, words, _)| (*act, *words))));

/// Returns the act that a word names.
pub(super) fn find_act(word: &str) -> Option<Act> {
    let lower = word.to_lowercase();
    if !lower.chars().any(is_unspaced) {
        return ACT_TABLE.get(&lower);
    }
    let is_said = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    let said_act = ACTS.iter().find(|(_, _, parts)| is_said(parts));
    said_act.map(|(act, _, _)| *act)
}

impl Act {
    /// Returns what it is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Commit => "a commit",
            Self::Amend => "`git commit --amend`",
            Self::Push => "a push",
            Self::Rebase => "a rebase",
            Self::Merge => "a merge",
            Self::Stash => "`git stash`",
            Self::Tag => "`git tag`",
            Self::Worktree => "a new worktree",
            Self::PullRequest => "a pull request",
            Self::Deploy => "a deployment",
            Self::Migration => "a migration",
            Self::Changelog => "a change of the changelog",
            Self::Dependency => "a change of dependencies",
        }
    }

    /// Returns whether a call does this.
    pub(super) fn is_done_by(self, acts: &CallActs, call: &ParsedCall) -> bool {
        let runs = |program: &str, verb: &str| {
            acts.commands
                .iter()
                .flatten()
                .any(|command| command.program == program && command.verb == verb)
        };
        let has_verb = |words: &[&str]| {
            let mut forms = acts.commands.iter().flatten();
            forms.any(|form| split_words(&form.verb).any(|word| words.contains(&word)))
        };
        match self {
            Self::Commit => runs("git", "commit"),
            Self::Amend => acts
                .commands
                .iter()
                .flatten()
                .any(|command| command.program == "git" && command.has_word("--amend")),
            Self::Push => runs("git", "push"),
            Self::Rebase => runs("git", "rebase"),
            Self::Merge => runs("git", "merge") || has_gh(acts, "pr", "merge"),
            Self::Stash => acts
                .commands
                .iter()
                .flatten()
                .any(|command| command.program == "git" && command.verb.starts_with("stash")),
            Self::Tag => runs("git", "tag"),
            Self::Worktree => acts
                .commands
                .iter()
                .flatten()
                .any(|command| command.verb == "worktree·add"),
            Self::PullRequest => {
                has_gh(acts, "pr", "create")
                    || has_gh(acts, "mr", "create")
                    || call.tool.contains("create_pull_request")
            }
            Self::Deploy => {
                has_verb(&["deploy"])
                    || acts
                        .commands
                        .iter()
                        .flatten()
                        .any(|command| command.program.starts_with("deploy"))
            }
            Self::Migration => {
                let changes = |(file, use_): &(String, FileUse)| {
                    *use_ == FileUse::Changes
                        && file
                            .to_lowercase()
                            .split('/')
                            .any(|part| part.starts_with("migrat"))
                };
                let mut forms = acts.commands.iter().flatten();
                forms.any(|form| {
                    form.words.iter().take(4).any(|word| {
                        !word.starts_with('-')
                            && split_words(word)
                                .any(|word| word.starts_with("migrat") || word == "makemigrations")
                    })
                }) && !is_only_reading(call)
                    || acts.files.iter().any(changes)
            }
            Self::Changelog => acts.files.iter().any(|(file, use_)| {
                *use_ == FileUse::Changes && file.to_lowercase().contains("changelog")
            }),
            Self::Dependency => {
                acts.files
                    .iter()
                    .any(|(file, use_)| *use_ == FileUse::Changes && is_manifest(file))
                    || runs("pip", "install")
            }
        }
    }
}

fn is_manifest(file: &str) -> bool {
    is_listed(
        "package.json Cargo.toml pyproject.toml go.mod Gemfile composer.json requirements.txt",
        shell::base_name(file),
    )
}

fn has_gh(acts: &CallActs, group: &str, verb: &str) -> bool {
    let mut forms = acts.commands.iter().flatten();
    forms.any(|form| is_listed("gh glab", &form.program) && form.verb == format!("{group}·{verb}"))
}

/// Returns the parts of a script's or target's name: `db:migrate` is `db` and `migrate`.
pub(super) fn split_words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
}

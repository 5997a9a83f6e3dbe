//! The words that grouping knows: which belong to a template, which mean the same, which exclude one another.
//!
//! Lessons about one thing share fewer words than one would guess, so words for the same thing count as one, and a few
//! concerns that cut across tools (who may, what time it is) are known by the words that speak of them. English only;
//! other words count as they stand. Nothing here compares lessons.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use crate::tokens::for_each_term;

/// Words of the forms that lessons are written in. They say nothing about what a lesson is about.
const TEMPLATE: &str = "advice attempt auto cause caution correction engine escalated experience fix fixed flagged \
     heal healed hint important instead journal learned learnt lesson lessons mistake next note outcome pitfall \
     prior problem reason recommendation record remember reminder resolved retrospective review reviewed root rule \
     run session situation solution summary sweep task tip trigger warning when issue please always must should \
     would could because after before while during without using use used uses make sure ensure avoid never don \
     doesn isn won cannot user agent manual actually really simply just";

/// Words for the same thing, one group a row.
const SYNONYMS: &[&str] = &[
    "venv virtualenv pyenv-virtualenv",
    "repository repo checkout",
    "directory dir folder",
    "configuration config settings setting configure configured cfg",
    "database db",
    "authentication auth authenticate authenticated authorization authorisation",
    "credential creds credentials",
    "dependency dependencies deps dep",
    "environment env",
    "documentation docs doc",
    "hang hangs stall stalls stuck",
    "flaky intermittent intermittently nondeterministic sporadic sporadically unstable",
    "delete remove removed erase drop discard",
    "create make generate add",
    "start launch boot spawn",
    "stop kill terminate shutdown quit",
    "upgrade bump update",
    "fetch download pull retrieve",
    "fail fails failure failed error errors break breaks broken crash crashes",
    "missing absent lacks unavailable",
    "permission permissions privilege privileges denied forbidden",
    "timeout timeouts timed deadline",
    "retry retries retried retrying reattempt",
    "package packages library libraries module modules",
    "variable var variables",
    "directory path paths location",
    "argument arg args parameter parameters param params",
    "option flag switch options flags",
    "container containers docker-container",
    "image images",
    "certificate cert certs certificates",
    "request requests call calls",
    "response responses reply replies answer",
    "branch branches",
    "commit commits committed",
    "migration migrations migrate",
    "script scripts",
    "install installs installed installing installation setup",
    "server daemon service",
    "cache cached caches caching",
    "quote quotes quoting quoted escape escaping escaped",
    "parallel concurrent concurrently simultaneously simultaneous",
    "wait await sleep poll",
    "verify check validate confirm",
    "version versions release",
    "lockfile lock-file lock",
    "memory ram heap",
    "encoding utf8 charset unicode",
    "timezone tz zone",
    "datetime datetimes timestamp timestamps",
    "javascript js",
    "typescript ts",
    "python py",
    "kubernetes k8s",
    "postgres postgresql psql",
    "endpoint route url",
    "mock mocks mocked mocking stub stubs fake fakes",
    "fixture fixtures",
    "duplicate duplicates duplicated twice",
    "stale outdated obsolete old",
    "hardcode hardcoded hardcoding hard-coded",
    "log logs logging logged",
    "output stdout",
    "empty blank",
    "big large huge",
    "slow slowly sluggish",
    "compile build builds building compiled",
    "test tests testing suite",
];

/// A concern that cuts across tools, and the words that speak of it.
const CONCERNS: &[(&str, &str)] = &[
    (
        "access",
        "auth authentication authorization token tokens jwt oauth login session refresh bearer credential \
         signin expired expires expiry",
    ),
    (
        "time",
        "time clock datetime timezone naive aware utc expiry expire expires expired ttl backoff retry jitter clocks dst \
         epoch monotonic",
    ),
    ("order", "race concurrent mutex atomic ordering interleave"),
    (
        "schema",
        "migration schema column foreign constraint index revision alembic ddl",
    ),
];

/// Words that exclude one another beside the same word: `before deploying`, `after deploying`.
const ANTONYMS: &[(&str, &str)] = &[
    ("before", "after"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("with", "without"),
    ("increase", "decrease"),
    ("increase", "reduce"),
    ("raise", "lower"),
    ("allow", "deny"),
    ("allow", "forbid"),
    ("on", "off"),
    ("true", "false"),
    ("sync", "async"),
    ("include", "exclude"),
    ("keep", "delete"),
    ("keep", "remove"),
    ("add", "remove"),
    ("commit", "ignore"),
    ("serial", "parallel"),
    ("serially", "parallel"),
    ("sequentially", "parallel"),
    ("global", "local"),
    ("globally", "locally"),
    ("public", "private"),
    ("pin", "unpin"),
    ("pinned", "latest"),
    ("quoted", "unquoted"),
    ("upper", "lower"),
    ("uppercase", "lowercase"),
    ("absolute", "relative"),
    ("first", "last"),
    ("start", "end"),
    ("start", "stop"),
    ("rebase", "merge"),
    ("squash", "rebase"),
    ("optimistic", "pessimistic"),
    ("tabs", "spaces"),
    ("inside", "outside"),
    ("ascending", "descending"),
    ("mutable", "immutable"),
    ("eager", "lazy"),
    ("eagerly", "lazily"),
    ("more", "fewer"),
    ("more", "less"),
    ("allowed", "forbidden"),
    ("always", "never"),
];

/// Names of which one takes the place of another, by kind. Lessons about two of one kind are about different tools.
const TOOL_KINDS: &[(&str, &str)] = &[
    ("node packages", "npm yarn pnpm bun"),
    ("python packages", "pip poetry uv conda pipenv pdm"),
    (
        "test runner",
        "pytest jest vitest mocha unittest nose junit rspec cypress playwright phpunit karma",
    ),
    (
        "database",
        "postgres postgresql psql mysql mariadb sqlite mongodb mongo oracle mssql cassandra dynamodb",
    ),
    ("containers", "docker podman buildah nerdctl"),
    ("orchestration", "kubectl kubernetes k8s nomad swarm ecs"),
    (
        "infrastructure",
        "terraform pulumi cloudformation ansible chef puppet",
    ),
    ("version control", "git hg mercurial svn perforce jj"),
    ("forge", "github gitlab bitbucket gitea"),
    ("cloud", "aws gcp azure gcloud heroku vercel netlify fly"),
    ("bundler", "webpack vite rollup esbuild parcel turbopack"),
    (
        "linter",
        "eslint ruff flake8 pylint clippy rubocop golangci biome stylelint shellcheck",
    ),
    ("formatter", "prettier black rustfmt gofmt isort yapf"),
    ("type checker", "mypy pyright tsc flow"),
    (
        "build",
        "make cmake gradle maven mvn bazel ninja meson ant sbt",
    ),
    (
        "system packages",
        "apt apt-get yum dnf brew apk pacman choco winget",
    ),
    (
        "language",
        "python rust golang java kotlin ruby php swift scala elixir haskell perl csharp",
    ),
    (
        "web framework",
        "django flask fastapi rails laravel express spring nextjs",
    ),
    ("front end", "react vue svelte angular solid"),
    (
        "orm",
        "sqlalchemy prisma typeorm hibernate sequelize activerecord diesel",
    ),
    ("migrations", "alembic flyway liquibase knex"),
    ("queue", "kafka rabbitmq sqs celery sidekiq nats pulsar"),
    ("cache", "redis memcached valkey"),
    ("shell", "bash zsh fish powershell cmd"),
    ("download", "curl wget httpie"),
    ("search", "grep rg ripgrep ag ack"),
    ("editor", "vscode vim emacs intellij"),
    ("system", "windows macos linux"),
    ("browser", "chrome firefox safari edge chromium"),
    ("secrets", "vault sops doppler"),
    ("rust build", "cargo rustup"),
];

/// Words that an instruction begins with.
const IMPERATIVES: &str = "add allow always apply ask assert attach avoid await back bind build bump call catch change \
     check choose clean clear close commit compare compile configure convert copy create cut declare decode define \
     delete deploy derive disable do document drop edit enable encode ensure escape exclude export extract fetch filter \
     fix follow force format freeze generate get give grant guard handle hash ignore import include increase inject \
     inspect install invoke isolate keep launch limit list load lock log lower make map mark match merge migrate mock \
     mount move name normalise normalize open override parse pass patch pin poll prefer prepare probe publish pull \
     push put quote raise read rebase rebuild record reduce refresh register reinstall reload remove rename replace \
     request rerun reset resolve restart restore retry return reuse revert rotate run save schedule scope search seed \
     send serialise serialize set skip sort source specify split squash stage start stop store strip supply switch sync tag \
     test treat trim truncate try turn unset update upgrade use validate verify wait warm watch wrap write \
     join chain clone combine deduplicate divide free iterate mask pair pause pick point preload proxy queue reach \
     reindex reorder roll scale shard sign size take throttle toggle tune unlock vendor wipe build clear route rename \
     share stream regenerate prefetch";

/// More words that an instruction begins with. Many of them are also names of things, so two lessons that differ in one of
/// them may well be about different things.
const IMPERATIVES_OR_NAMES: &str = "abort acquire activate adjust align allocate annotate anonymise anonymize append approve archive assign \
     authenticate authorise authorize back-fill backfill batch benchmark block boot broadcast bundle cache cancel \
     cap cast cherry-pick claim clamp coalesce collapse collect compress compute concatenate confirm connect \
     consult consume coordinate count debounce debug decrement decrypt defer delay delegate demote deny deprecate \
     detach detect discard dispatch dispose distribute download duplicate echo emit empty encrypt end enforce \
     enqueue enumerate evaluate evict exec execute exit expand expect expire expose extend feed fill finish flatten \
     flush focus fork forward fuzz gate grep group halt hoist honor honour hydrate identify implement increment \
     indent index initialise initialize inline insert instrument interpolate interrupt intersect introduce \
     invalidate investigate issue kill label leave let lint localise localize look lookup maintain manage measure \
     memoise memoize minimise minimize mirror monitor namespace negotiate nest notify observe obtain omit opt order \
     package paginate parallelise parallelize parametrise parametrize partition paste persist place plan populate \
     post prefix present preserve print prioritise prioritize process profile promote propagate protect provide \
     provision prune purge query quiesce randomise randomize re-read re-run reassign recompile reconcile reconnect \
     recreate recycle redact redirect refactor refetch refuse reimport reject release rely remember render repair \
     repeat reply report reserve resize resubmit resume retain retrieve revalidate revoke rewrite rollback rollout \
     round sample sanitise sanitize script seal separate shift shorten shut shutdown silence simulate sleep slice \
     snapshot snooze spawn spread stabilise stabilize stagger stamp step stub submit subscribe substitute subtract \
     suffix supervise suppress suspend swap synchronise synchronize tear tell terminate throw tie touch trace track \
     transform translate transpose trigger trust type unblock uncomment unify uninstall unmount unpack unsubscribe \
     unwrap upload upsert version visit widen withdraw work yank yield zip";

/// The words that grouping knows, as terms.
#[derive(Debug)]
pub(super) struct Lexicon {
    template: BTreeSet<String>,
    synonyms: BTreeMap<String, String>,
    imperatives: BTreeSet<&'static str>,
    verbs: BTreeSet<String>,
    concerns: BTreeSet<(String, &'static str)>,
    tools: BTreeMap<&'static str, (&'static str, &'static str)>,
}

/// The tables are made at the first use.
static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

impl Lexicon {
    /// Returns the tables.
    pub(super) fn shared() -> &'static Self {
        &LEXICON
    }

    fn build() -> Self {
        let mut synonyms = BTreeMap::new();
        for row in SYNONYMS {
            let terms: Vec<String> = row.split(' ').flat_map(stem_word).collect();
            let Some(first) = terms.first() else { continue };
            let first = synonyms.get(first).unwrap_or(first).clone();
            for term in terms {
                synonyms.entry(term).or_insert_with(|| first.clone());
            }
        }
        let canonical = |term: String| synonyms.get(&term).cloned().unwrap_or(term);
        let concerns = CONCERNS.iter().flat_map(|(name, words)| {
            words
                .split_whitespace()
                .flat_map(stem_word)
                .map(|it| (canonical(it), *name))
        });
        let tools = TOOL_KINDS.iter().flat_map(|(kind, names)| {
            names
                .split(' ')
                .map(|name| (name, (*kind, unify_tool(name))))
        });
        Self {
            template: TEMPLATE.split_whitespace().flat_map(stem_word).collect(),
            imperatives: [IMPERATIVES, IMPERATIVES_OR_NAMES]
                .iter()
                .flat_map(|it| it.split_whitespace())
                .collect(),
            verbs: IMPERATIVES.split_whitespace().flat_map(stem_word).collect(),
            concerns: concerns.collect(),
            tools: tools.collect(),
            synonyms,
        }
    }

    /// Returns the term that stands for this one and all that mean the same; `None` for a word of a template.
    pub(super) fn canonical_term(&self, term: &str) -> Option<String> {
        match self.synonyms.get(term) {
            Some(first) => Some(first.clone()),
            None if self.template.contains(term) => None,
            None => Some(term.to_owned()),
        }
    }

    /// Returns whether an instruction may begin with this word.
    pub(super) fn is_imperative(&self, word: &str) -> bool {
        self.imperatives.contains(word)
    }

    /// Returns whether a term is only what is done, which is said in many ways.
    pub(super) fn is_verb(&self, term: &str) -> bool {
        self.verbs.contains(term)
    }

    /// Returns the concerns that a term speaks of.
    pub(super) fn concerns_of(&self, term: &str) -> impl Iterator<Item = &'static str> {
        let from = (term.to_owned(), "");
        let them = self
            .concerns
            .range(from..)
            .map_while(move |(it, name)| (it == term).then_some(*name));
        them.collect::<Vec<_>>().into_iter()
    }

    /// Returns the kind and the name of the tool that a word names, if any.
    pub(super) fn tool_of(&self, word: &str) -> Option<(&'static str, &'static str)> {
        self.tools.get(word).copied()
    }
}

/// Returns the one name of a tool that has several.
fn unify_tool(name: &'static str) -> &'static str {
    match name {
        "postgresql" | "psql" => "postgres",
        "mongo" => "mongodb",
        "mariadb" => "mysql",
        "k8s" | "kubectl" => "kubernetes",
        "mvn" => "maven",
        "mercurial" => "hg",
        "apt-get" => "apt",
        "gcloud" => "gcp",
        "rg" => "ripgrep",
        "chromium" => "chrome",
        other => other,
    }
}

/// Returns whether two words exclude one another.
pub(super) fn are_antonyms(a: &str, b: &str) -> bool {
    ANTONYMS
        .iter()
        .any(|&(x, y)| (a == x && b == y) || (a == y && b == x))
}

/// Returns whether any word excludes this one.
pub(super) fn has_antonym(word: &str) -> bool {
    ANTONYMS.iter().any(|&(x, y)| word == x || word == y)
}

/// Returns the terms of a text.
pub(super) fn stem_word(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for_each_term(text, |term| terms.push(term.to_owned()));
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_same_thing_are_one() {
        let lexicon = Lexicon::shared();
        let check = |one: &str, two: &str, same: bool| {
            let term = |word: &str| lexicon.canonical_term(&stem_word(word)[0]);
            assert_eq!(term(one) == term(two), same, "{one} {two}");
        };
        check("virtualenv", "venv", true);
        check("folder", "directories", true);
        check("retrying", "retries", true);
        check("token", "clock", false);
        assert_eq!(
            lexicon.canonical_term("lesson"),
            None,
            "it belongs to the template"
        );
        assert_eq!(lexicon.concerns_of("jwt").collect::<Vec<_>>(), ["access"]);
        assert_eq!(lexicon.tool_of("psql"), Some(("database", "postgres")));
        assert!(are_antonyms("after", "before") && !are_antonyms("after", "after"));
    }
}

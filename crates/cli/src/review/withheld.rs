//! Which variables of the environment an engine does not get: those with which it could deliver.
//!
//! Decided by what a name says, since there is a token for every code host, registry and cloud. What leads to a model stays,
//! and so does what the command line itself names: whoever wrote that means it.

use hardwon_redact::locate_secrets;

/// Words for something to log in with.
#[rustfmt::skip]
const LOGIN_WORDS: &[&str] = &[
    "TOKEN", "PAT", "JWT", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PASSCODE", "SECRET", "CREDENTIAL", "CREDENTIALS", "COOKIE",
    "AUTH", "LOGIN", "NETRC", "KEY", "APIKEY", "DSN", "WEBHOOK",
];

/// Words for what holds a code host's repositories; a key of such a one logs in.
#[rustfmt::skip]
const HOST_WORDS: &[&str] = &[
    "GH", "GITHUB", "GITLAB", "GLAB", "GL", "GITEA", "FORGEJO", "CODEBERG", "BITBUCKET", "GOGS", "GERRIT", "DEPLOY", "SIGNING",
];

/// Words for who serves a model, and what leads there.
#[rustfmt::skip]
const MODEL_WORDS: &[&str] = &[
    "ANTHROPIC", "CLAUDE", "OPENAI", "CODEX", "GEMINI", "GOOGLE", "VERTEX", "AWS", "BEDROCK", "MISTRAL", "HF", "HUGGINGFACE",
    "OPENROUTER", "GROQ", "DEEPSEEK", "QWEN", "DASHSCOPE", "XAI", "COHERE", "OLLAMA", "LITELLM", "CURSOR", "MODEL", "LLM",
    "PROXY",
];

/// Returns whether a variable is withheld from an engine with this command line.
pub(super) fn is_withheld(name: &str, value: &str, line: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let has_word = |listed: &[&str]| name.split('_').any(|word| listed.contains(&word));
    let logs_in = has_word(LOGIN_WORDS)
        || ["TOKEN", "PASSWORD", "SECRET"]
            .iter()
            .any(|end| name.ends_with(end))
        || holds_password(value);
    let is_host_key = has_word(HOST_WORDS) && has_word(&["KEY", "HOST"]);
    if is_of_git(&name) || holds_host_token(value) {
        return true;
    }
    let is_named = line.to_ascii_uppercase().contains(&name);
    !is_named && (is_host_key || (logs_in && !has_word(MODEL_WORDS)))
}

/// Returns whether git, its agents or a shell that was there would be led by it. Who commits is no secret.
fn is_of_git(name: &str) -> bool {
    let is_identity = name.starts_with("GIT_AUTHOR_") || name.starts_with("GIT_COMMITTER_");
    let leads = ["GIT_", "SSH_", "GPG_", "GNUPG"]
        .iter()
        .any(|start| name.starts_with(start));
    name == "OLDPWD" || (leads && !is_identity)
}

/// Returns whether a value is an address with a password in it.
fn holds_password(value: &str) -> bool {
    let address = value.split_once("://").map_or("", |(_, rest)| rest);
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    let user = host.rsplit_once('@').map_or("", |(user, _)| user);
    user.split_once(':')
        .is_some_and(|(_, password)| !password.is_empty())
}

/// Returns whether a value is a token of a code host, whatever it is called.
fn holds_host_token(value: &str) -> bool {
    let kinds = locate_secrets(value).into_iter().map(|span| span.kind);
    let mut words = kinds.flat_map(|kind| kind.split('-'));
    words.any(|word| HOST_WORDS.contains(&&*word.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_gets_what_leads_to_its_model_alone() {
        for name in [
            "GH_TOKEN",
            "GITHUB_TOKEN",
            "GITHUB_PAT",
            "HOMEBREW_GITHUB_API_TOKEN",
            "GITLAB_PRIVATE_TOKEN",
            "CI_JOB_JWT",
            "BITBUCKET_ACCESS_TOKEN",
            "SYSTEM_ACCESSTOKEN",
            "AZURE_DEVOPS_EXT_PAT",
            "FORGEJO_TOKEN",
            "GH_ENTERPRISE_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
            "CI_DEPLOY_PASSWORD",
            "NPM_TOKEN",
            "CARGO_REGISTRY_TOKEN",
            "TWINE_PASSWORD",
            "NODE_AUTH_TOKEN",
            "DOCKER_AUTH_CONFIG",
            "GITLAB_API_KEY",
            "DEPLOY_KEY",
            "GH_HOST",
            "SSH_AUTH_SOCK",
            "GIT_ASKPASS",
            "GIT_CONFIG_PARAMETERS",
            "GNUPGHOME",
            "GPG_TTY",
            "gh_token",
            "COPILOT_GITHUB_TOKEN",
            "VAULT_TOKEN",
            "OLDPWD",
            "SOME_API_KEY",
            "TWILIO_API_KEY",
            "STRIPE_KEY",
            "SENTRY_DSN",
            "SLACK_WEBHOOK_URL",
        ] {
            assert!(is_withheld(name, "x", "codex exec"), "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "HF_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_BEARER_TOKEN_BEDROCK",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
            "TOKENIZERS_PARALLELISM",
            "GIT_AUTHOR_NAME",
            "GITHUB_ACTIONS",
            "CI",
            "LANG",
            "KEYMAP",
        ] {
            assert!(!is_withheld(name, "x", "codex exec"), "{name}");
        }
        assert!(!is_withheld("MY_TOKEN", "x", "engine --key $MY_TOKEN"));
        let database = "postgres://shop:hunter2@db.internal/shop";
        assert!(is_withheld("DATABASE_URL", database, "codex exec"));
        assert!(!is_withheld(
            "DATABASE_URL",
            "postgres://db.internal/shop",
            "codex exec"
        ));
        assert!(!is_withheld(
            "HTTPS_PROXY",
            "http://me:pw@proxy:3128",
            "codex exec"
        ));
        let token = &format!("ghp_{}", "k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKw");
        assert!(is_withheld("SOMETHING", token, "engine"));
        assert!(is_withheld(
            "REMOTE",
            &format!("https://x:{token}@github.com/a/b"),
            "engine"
        ));
    }
}

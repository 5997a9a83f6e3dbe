//! Tells by its name alone that a file is one to keep credentials in, whatever it holds now.
//!
//! Templates of such files, public keys, and code that is about credentials are none.

/// How the name of a template of such a file goes on.
pub(super) const TEMPLATE_WORDS: &[&str] =
    &["example", "sample", "template", "tmpl", "dist", "pub"];

/// What private keys of SSH are made with; its own files are `id_` and that.
const KEY_METHODS: &[&str] = &["rsa", "dsa", "ecdsa", "ed25519", "ed448", "xmss"];

/// Endings of keys and of stores of keys.
#[rustfmt::skip]
const KEY_ENDINGS: &[&str] = &[
    "pem", "key", "p8", "p12", "pfx", "pkcs12", "jks", "jceks", "keystore", "bks", "ppk", "kdb", "kdbx", "keytab", "ovpn",
    "mobileprovision", "tfstate", "tfvars",
];

/// Words for what is secret, in the name of a file that is data.
#[rustfmt::skip]
const SECRET_WORDS: &[&str] = &[
    "credential", "credentials", "secret", "secrets", "password", "passwords", "passwd", "serviceaccount", "kubeconfig",
];

/// Endings of files that are data.
#[rustfmt::skip]
const DATA_ENDINGS: &[&str] = &[
    "json", "jsonc", "yaml", "yml", "toml", "ini", "cfg", "conf", "txt", "properties", "xml", "csv", "db", "env",
];

/// Names, without the dot before them, of the files in which programs keep how to log in.
#[rustfmt::skip]
const LOGIN_FILES: &[&str] = &[
    "netrc", "_netrc", "pgpass", "my.cnf", "mylogin.cnf", "npmrc", "yarnrc", "pypirc", "htpasswd", "git-credentials", "dockercfg",
    "boto", "s3cfg", "vault-token", "terraformrc", "rclone.conf", "docker/config.json", "kube/config",
];

/// Folders in which there is nothing else.
const KEY_FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".azure"];

/// Returns whether a file with this path, which has `/` between its parts, is one to keep credentials in.
pub fn keeps_credentials(path: &str) -> bool {
    let path = path.to_lowercase();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    let has_word = |listed: &[&str]| words.iter().any(|word| listed.contains(word));
    if has_word(TEMPLATE_WORDS) {
        return false;
    }
    let is_login = |listed: &&str| {
        let rest = path.strip_suffix(*listed);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '.']))
    };
    is_environment(name)
        || is_key(name)
        || is_secret_data(
            name,
            has_word(SECRET_WORDS) || has_pair(&words, ["service", "account"]),
        )
        || LOGIN_FILES.iter().any(is_login)
        || folder.split('/').any(|part| KEY_FOLDERS.contains(&part))
}

/// Returns whether it is a file of settings for the environment: `.env`, `.env.local`, `production.env`, `.envrc`.
fn is_environment(name: &str) -> bool {
    name == ".envrc" || name.starts_with(".env.") || split_ending(name).1 == Some("env")
}

fn is_key(name: &str) -> bool {
    let method = name.strip_prefix("id_").unwrap_or_default();
    let is_ssh = KEY_METHODS.iter().any(|listed| method.starts_with(listed));
    is_ssh
        || split_ending(name)
            .1
            .is_some_and(|ending| KEY_ENDINGS.contains(&ending))
}

fn is_secret_data(name: &str, speaks_of_secrets: bool) -> bool {
    let ending = split_ending(name).1;
    speaks_of_secrets
        && ending
            .is_none_or(|ending| DATA_ENDINGS.contains(&ending) || SECRET_WORDS.contains(&ending))
}

fn has_pair(words: &[&str], pair: [&str; 2]) -> bool {
    words.windows(2).any(|window| window == pair)
}

fn split_ending(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        Some((stem, ending)) => (stem, Some(ending)),
        None => (name, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_a_file_is_for() {
        for path in [
            // The ten classes of names of the design.
            ".env",
            "web/.env.production",
            "credentials.json",
            "service-account.json",
            "serviceaccount.json",
            "id_rsa",
            "deploy/id_ed25519",
            ".netrc",
            ".pgpass",
            "tls/server.pem",
            "server.key",
            "app.p12",
            "app.pfx",
            "android/release.keystore",
            "release.jks",
            // The same in other words.
            ".ENV",
            "prod.env",
            ".envrc",
            ".env.local",
            "gcp-service-account.json",
            "config/secrets.yml",
            "db_password.txt",
            "passwords",
            "id_ecdsa_sk",
            "id_rsa.old",
            "_netrc",
            "home/.npmrc",
            ".git-credentials",
            ".docker/config.json",
            "kubeconfig",
            ".aws/config",
            ".ssh/config",
            "main.tfvars",
            "terraform.tfstate",
            ".cargo/credentials.toml",
            "client_secret_7.json",
            "AuthKey_X1.p8",
            ".htpasswd",
        ] {
            assert!(keeps_credentials(path), "{path}");
        }
        for path in [
            ".env.example",
            ".env.sample",
            "env.rs",
            "src/environment.ts",
            "id_rsa.pub",
            "id_map",
            "src/secrets.rs",
            "docs/credentials.md",
            "credentials.py",
            "key.rs",
            "monkey",
            "tokens.json",
            "keyboard.json",
            "src/password.ts",
            "tests/netrc_test.go",
            "src/npmrc.js",
            "package.json",
            "docker/Dockerfile",
            "src/kube/config.rs",
            "aws/main.tf",
            "service/account.json",
        ] {
            assert!(!keeps_credentials(path), "{path}");
        }
    }
}

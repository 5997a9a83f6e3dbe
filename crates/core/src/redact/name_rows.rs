//! The words that make a name claim a secret, those that take the claim back, and the values
//! that are none.
//!
//! Gathered from the public rules of [gitleaks](https://github.com/gitleaks/gitleaks) (MIT), which
//! list what must not match with the same care as what must, and from ordinary code.

use super::name::{Claim, Word, word};

/// What stands before `key` when it opens something.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "api", "access", "account", "activation", "admin", "aes", "app", "application", "auth",
    "client", "consumer", "crypto", "decryption", "deploy", "encrypt", "encryption", "function",
    "hmac", "ingest", "integration", "jwt", "licence", "license", "master", "preshared", "private",
    "product", "root", "rsa", "secret", "server", "service", "shared", "sharedaccess", "sign",
    "signing", "ssh", "storage", "subscription", "wallet", "webhook",
];

/// All words, each with what may be written together with it.
#[rustfmt::skip]
pub(super) const WORDS: &[Word] = &[
    word("pass", "password", Claim::Password, &["*"],
        &["word", "words", "wd", "wrd", "phrase", "code", "key"]),
    word("pass", "password", Claim::Password,
        &["", "admin", "db", "ftp", "ldap", "login", "mail", "mongo", "my", "pg", "redis", "root",
            "smtp", "ssh", "sudo", "sys", "user"],
        &[""]),
    word("pwd", "password", Claim::Password, &["*"], &[""]),
    word("psk", "password", Claim::Password, &[""], &[""]),
    word("secret", "secret", Claim::Secret, &["*"],
        &["", "s", "key", "accesskey", "token", "value", "string", "text"]),
    word("token", "token", Claim::Secret, &["*"], &["", "secret", "key", "value", "string"]),
    word("cred", "credential", Claim::Secret, &[""], &["", "s", "ential", "entials"]),
    word("jwt", "token", Claim::Secret, &[""], &["", "token"]),
    word("pat", "token", Claim::Secret, &[""], &[""]),
    word("key", "key", Claim::Secret, KEYS,
        &["", "value", "secret", "string", "hex", "base"]),
    word("key", "key", Claim::Perhaps, &[""], &[""]),
    word("auth", "credential", Claim::Secret, &["*"], &["token", "key", "secret", "code"]),
    word("auth", "credential", Claim::Perhaps, &["", "o"], &[""]),
    word("sess", "session", Claim::Session, &["*"],
        &["", "id", "ion", "ionid", "iontoken", "ionkey", "ionsecret", "ioncookie"]),
    word("sig", "signature", Claim::Parameter, &[""], &["", "nature"]),
    word("code", "code", Claim::Parameter, &[""], &[""]),
];

/// A part before any word that takes the claim away.
#[rustfmt::skip]
pub(super) const HARMLESS_BEFORE: &[&str] = &[
    "public", "pub", "page", "pagination", "continuation", "cursor", "next", "prev", "max", "min",
    "num", "total", "input", "output", "prompt", "completion", "eos", "bos", "pad", "unk", "sep",
    "mask", "special", "stop", "cancellation", "cancel", "csrf", "xsrf", "placeholder", "dummy",
    "is", "has", "no", "without", "per", "each",
];

/// A part before `key` that takes the claim away.
#[rustfmt::skip]
pub(super) const HARMLESS_BEFORE_KEY: &[&str] = &[
    "primary", "foreign", "partition", "sort", "cache", "idempotency", "natural", "hot", "schema",
    "sequence", "bucket", "object", "count", "rate", "registry", "shortcut", "index", "dict",
    "group", "order", "hash", "lock", "symbol", "dedup", "dedupe", "lookup", "translation",
    "query", "map", "composite", "column", "row", "record", "file", "artifact", "unique",
    "surrogate", "routing", "issue", "project", "event", "message", "job", "task", "trace", "span",
    "checksum", "known", "arrow", "modifier", "right", "left", "pk",
];

/// A part after any word that takes the claim away.
#[rustfmt::skip]
pub(super) const HARMLESS_AFTER: &[&str] = &[
    "id", "ids", "name", "names", "path", "paths", "file", "files", "filename", "dir", "url",
    "urls", "uri", "endpoint", "endpoints", "type", "types", "length", "len", "size", "bits",
    "count", "counts", "limit", "limits", "ttl", "age", "expiry", "expires", "expiration",
    "expired", "version", "field", "fields", "header", "headers", "prefix", "suffix", "regex",
    "pattern", "format", "env", "var", "variable", "budget", "usage", "selector", "press",
    "pressed", "board", "ring", "pair", "pairs", "frame", "frames", "alias",
    "list", "vault", "index", "idx", "position", "offset", "hint", "label", "placeholder",
    "policy", "rotation", "scope", "scopes", "parser", "manager", "provider", "providers",
    "service", "class", "factory", "error", "errors", "exception", "window", "bucket", "algorithm",
    "alg", "strength", "required", "enabled", "mode", "state", "status", "visible", "visibility",
    "input", "validator", "validation", "reset", "ui", "form", "stdin", "encryption",
    "fingerprint", "fp",
    "digest", "checksum", "hash", "code", "up", "down", "left", "right", "stone", "note", "notes",
    "points", "point", "map", "store", "mesh", "space", "schema", "arn", "ref", "refs",
    "reference", "accessor", "issuer", "audience", "stream", "handler", "cmd", "command",
    "callback", "cache", "per", "rate", "sha", "sum", "option", "options", "attempt", "attempts",
    "min", "max", "method", "logs", "log", "entry", "entries",
];

/// What stands where a password could, and says what one is like.
#[rustfmt::skip]
pub(super) const COMMON_VALUES: &[&str] = &[
    "string", "password", "passwd", "secret", "required", "optional", "hidden", "text", "none",
    "null", "true", "false", "undefined", "invalid", "missing", "empty", "strong", "weak",
    "encrypted", "hashed", "plain", "plaintext", "default", "prompt", "forgot", "change",
    "confirm", "current", "field", "input", "value", "passphrase", "incorrect", "wrong", "expired",
    "boolean", "number", "object", "sensitive", "protected", "disabled", "enabled", "token",
    "username", "user", "stdin", "keyring", "file", "peer", "trust", "login",
];

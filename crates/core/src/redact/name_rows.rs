//! The words that make a name claim a secret, those that take the claim back, and the values
//! that are none.
//!
//! Gathered from the public rules of [gitleaks](https://github.com/gitleaks/gitleaks) (MIT), which
//! list what must not match with the same care as what must, and from ordinary code.

use super::claim::{Claim, Word, word};

/// What stands before `key` when it opens something.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "api", "access", "account", "activation", "admin", "aes", "app", "application", "auth",
    "client", "consumer", "crypto", "decryption", "deploy", "encrypt", "encryption", "function",
    "hmac", "ingest", "integration", "jwt", "licence", "license", "master", "preshared", "private",
    "product", "root", "rsa", "secret", "server", "service", "shared", "sharedaccess", "sign",
    "signing", "ssh", "storage", "subscription", "wallet", "webhook",
];

/// What stands before `code` when it opens a door, a card or an account.
#[rustfmt::skip]
const LOCKS: &[&str] = &[
    "access", "alarm", "building", "disarm", "door", "entrance", "gate", "garage", "keypad", "pin",
    "safe", "security", "sim", "unlock",
];

/// All words, each with what may be written together with it.
#[rustfmt::skip]
pub(super) const WORDS: &[Word] = &[
    word("pass", "password", Claim::Password, &["*"],
        &["word", "words", "wd", "wrd", "phrase", "code", "key"]),
    word("pass", "password", Claim::Password,
        &["", "admin", "db", "ftp", "ldap", "login", "mail", "mongo", "my", "pg", "redis", "root",
            "smtp", "ssh", "sudo", "sys", "user", "store", "key", "trust", "src", "dest", "srcstore",
            "deststore", "truststore", "keystore", "bind", "spring", "require"],
        &["", "in", "out"]),
    word("pwd", "password", Claim::Password, &["*"], &[""]),
    word("psk", "password", Claim::Password, &["", "wpa"], &[""]),
    word("pw ", "password", Claim::Password, &["", "bind", "root", "admin"], &[""]),
    word("pw:", "password", Claim::Password, &["", "bind", "root", "admin"], &[""]),
    word("pw=", "password", Claim::Password, &["", "bind", "root", "admin"], &[""]),
    word("pw\"", "password", Claim::Password, &[""], &[""]),
    word("pw'", "password", Claim::Password, &[""], &[""]),
    word("identified by", "password", Claim::Password, &[""], &[""]),
    word("one-time code", "code", Claim::Password, &[""], &[""]),
    word("verification code", "code", Claim::Password, &[""], &[""]),
    word("sign-in code", "code", Claim::Password, &[""], &[""]),
    word("login code", "code", Claim::Password, &[""], &[""]),
    word("salt", "secret", Claim::Perhaps, &[""], &[""]),
    word("dockerc", "credential", Claim::Secret, &[""], &["onfigjson", "fg"]),
    // The same in other languages.
    word("passwort", "password", Claim::Password, &["*"], &["", "s"]),
    word("kennwort", "password", Claim::Password, &["*"], &["", "s"]),
    word("wachtwoord", "password", Claim::Password, &["*"], &[""]),
    word("contraseña", "password", Claim::Password, &["*"], &[""]),
    word("contrasena", "password", Claim::Password, &["*"], &[""]),
    word("mot de passe", "password", Claim::Password, &[""], &[""]),
    word("mdp", "password", Claim::Password, &[""], &[""]),
    word("senha", "password", Claim::Password, &["*"], &[""]),
    word("parola", "password", Claim::Password, &[""], &[""]),
    word("hasło", "password", Claim::Password, &[""], &[""]),
    word("haslo", "password", Claim::Password, &[""], &[""]),
    word("heslo", "password", Claim::Password, &[""], &[""]),
    word("jelszó", "password", Claim::Password, &[""], &[""]),
    word("lösenord", "password", Claim::Password, &["*"], &["", "et"]),
    word("passord", "password", Claim::Password, &["*"], &["", "et"]),
    word("adgangskode", "password", Claim::Password, &["*"], &["", "n"]),
    word("salasana", "password", Claim::Password, &["*"], &[""]),
    word("şifre", "password", Claim::Password, &[""], &[""]),
    word("kata sandi", "password", Claim::Password, &[""], &[""]),
    word("mật khẩu", "password", Claim::Password, &[""], &[""]),
    word("пароль", "password", Claim::Password, &["*"], &[""]),
    word("пароля", "password", Claim::Password, &["*"], &[""]),
    word("κωδικός", "password", Claim::Password, &[""], &[""]),
    word("סיסמה", "password", Claim::Password, &[""], &[""]),
    word("密码", "password", Claim::Password, &["*"], &[""]),
    word("密碼", "password", Claim::Password, &["*"], &[""]),
    word("口令", "password", Claim::Password, &["*"], &[""]),
    word("パスワード", "password", Claim::Password, &["*"], &[""]),
    word("비밀번호", "password", Claim::Password, &["*"], &[""]),
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
    word("code", "code", Claim::Pin, LOCKS, &[""]),
    word("pin:", "code", Claim::Pin, &["", "sim", "card"], &[""]),
    word("pin=", "code", Claim::Pin, &["", "sim", "card"], &[""]),
    word("pin ", "code", Claim::Pin, &["", "sim", "card"], &[""]),
    word("puk", "code", Claim::Pin, &[""], &["", "code"]),
    word("keymaterial", "password", Claim::Password, &[""], &[""]),
    word("pre-shared-key", "password", Claim::Password, &["*"], &[""]),
    word("pre_shared_key", "password", Claim::Password, &["*"], &[""]),
    word("presharedkey", "password", Claim::Password, &["*"], &[""]),
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
    "min", "max", "method", "logs", "log", "entry", "entries", "hasher", "hashers", "validators",
];

/// What stands between a name and its value in a sentence.
#[rustfmt::skip]
pub(super) const VERBS: &[&str] = &[
    "is", "was", "to", "as", "with", "be", "by", "now", "still", "currently", "是", "为", "는", "은", "は", "ist", "lautet", "est", "es", "è", "é", "är", "er",
    "jest", "это",
];

/// What stands where a password could, and says what one is like.
#[rustfmt::skip]
pub(super) const COMMON_VALUES: &[&str] = &[
    "string", "password", "passwd", "secret", "required", "optional", "hidden", "text", "none",
    "null", "true", "false", "undefined", "invalid", "missing", "empty", "strong", "weak",
    "encrypted", "hashed", "plain", "plaintext", "default", "prompt", "forgot", "change",
    "confirm", "current", "field", "input", "value", "passphrase", "incorrect", "wrong", "expired",
    "boolean", "number", "object", "sensitive", "protected", "disabled", "enabled", "token",
    "username", "user", "stdin", "keyring", "file", "peer", "trust", "login", "option", "flag",
    "argument", "parameter", "admin", "bcrypt", "scrypt", "argon2", "argon2id", "pbkdf2", "digest",
    "basic", "bearer", "cleartext", "validator", "authentication", "authorization", "credentials",
    "credential", "identity", "certificate", "kerberos", "config", "settings", "environment", "random",
    "passwort", "kennwort", "contraseña", "contrasena", "senha", "wachtwoord", "parola", "hasło",
    "heslo", "jelszó", "lösenord", "passord", "adgangskode", "salasana", "şifre", "пароль", "密码",
    "密碼", "パスワード", "비밀번호", "masked", "filtered", "obscured", "varchar", "postgres",
];

/// What a text in quotes says that is a message, not a passphrase of several words.
#[rustfmt::skip]
pub(super) const MESSAGE_WORDS: &[&str] = &[
    "at", "be", "can", "cannot", "change", "characters", "confirm", "current", "deine", "do", "does",
    "enter", "expired", "failed", "field", "for", "forgot", "if", "ihr", "incorrect", "invalid", "is",
    "least", "match", "minimum", "missing", "mot", "must", "new", "no", "not", "optional", "or", "passe", "please",
    "required", "reset", "set", "should", "show", "the", "to", "too", "use", "used", "user", "weak",
    "when", "will", "with", "wrong", "you", "your",
];

//! The words that mark a name as that of a secret, those that cancel this, and values that are no secrets.
//!
//! Collected from the public rules of [gitleaks](https://github.com/gitleaks/gitleaks) (MIT), which list what must
//! not match with the same care as what must, and from ordinary code.

use super::claim::{ClaimWord, SecretClaim, claim_word};

/// Words before `key` for keys that are secret.
#[rustfmt::skip]
const KEY_PREFIXES: &[&str] = &[
    "api", "access", "account", "activation", "admin", "aes", "app", "application", "auth",
    "client", "consumer", "crypto", "decryption", "deploy", "encrypt", "encryption", "function",
    "hmac", "ingest", "integration", "jwt", "licence", "license", "master", "preshared", "private",
    "product", "root", "rsa", "secret", "server", "service", "shared", "sharedaccess", "sign",
    "signing", "ssh", "storage", "subscription", "validation", "wallet", "webhook",
];

/// Words before `code` for codes to a door, a card or an account.
#[rustfmt::skip]
const CODE_PREFIXES: &[&str] = &[
    "access", "alarm", "building", "disarm", "door", "entrance", "gate", "garage", "keypad", "pin",
    "safe", "security", "sim", "unlock",
];

/// Words for a password in other languages.
#[rustfmt::skip]
pub(super) const FOREIGN_PASSWORDS: &[&str] = &[
    "passwort", "kennwort", "zugangscode", "wachtwoord", "contraseña", "contrasena", "mot de passe", "code d'accès", "senha",
    "parola", "hasło", "haslo", "heslo", "jelszó", "lösenord", "passord", "adgangskode", "salasana", "şifre", "kata sandi",
    "mật khẩu", "пароль", "Пароль", "пароля", "κωδικός", "סיסמה", "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호",
    "كلمة المرور", "كلمة السر", "lozinka", "zaporka", "geslo", "contrasenya", "slaptažodis", "parole", "รหัสผ่าน", "पासवर्ड",
];

/// Words for a secret in other languages.
#[rustfmt::skip]
const FOREIGN_SECRETS: &[&str] = &[
    "geheimnis", "geheim", "zugriffsschlüssel", "jeton", "clé secrète", "clé d'api", "secreto", "segredo", "segreto", "sekret",
    "секрет", "Секрет", "токен", "Токен", "密钥", "秘钥", "密鑰", "令牌", "秘密", "トークン", "비밀", "토큰",
];

/// Words for what may well be no secret, a key among them: only a long value that looks random is one.
#[rustfmt::skip]
const WEAK_WORDS: &[&str] = &[
    "access", "cipher", "code", "cookie", "deploy", "hmac", "master", "otp", "pepper",
    "recovery", "refresh", "seed", "signing", "unseal", "vault", "webhook",
    "schlüssel", "clé", "llave", "chave", "chiave", "klucz", "sleutel", "ключ", "Ключ", "キー",
];

/// The endings of words in other languages.
const FOREIGN_ENDINGS: &[&str] = &["", "s", "n", "et", "a", "e"];

/// All words, each with what may be joined to it.
#[rustfmt::skip]
const ROWS: &[ClaimWord] = &[
    claim_word(&["pass"], "password", SecretClaim::Password, &["*"],
        &["word", "words", "wd", "wrd", "phrase", "code", "key"]),
    claim_word(&["pass"], "password", SecretClaim::Password,
        &["", "admin", "db", "ftp", "ldap", "login", "mail", "mongo", "my", "pg", "redis", "root",
            "smtp", "ssh", "sudo", "sys", "user", "store", "key", "trust", "src", "dest", "srcstore",
            "deststore", "truststore", "keystore", "bind", "spring", "require"],
        &["", "in", "out"]),
    claim_word(&["pwd", "pre-shared-key", "pre_shared_key", "presharedkey"],
        "password", SecretClaim::Password, &["*"], &[""]),
    claim_word(&["psk"], "password", SecretClaim::Password, &["", "wpa"], &[""]),
    claim_word(&["pw ", "pw:", "pw="], "password", SecretClaim::Password, &["", "bind", "root", "admin"], &[""]),
    claim_word(&["pw\"", "pw'", "identified by", "mdp", "clave", "keymaterial"],
        "password", SecretClaim::Password, &[""], &[""]),
    claim_word(&["one-time code", "verification code", "sign-in code", "login code"],
        "code", SecretClaim::Password, &[""], &[""]),
    claim_word(&["salt"], "secret", SecretClaim::MaybeSecret, &[""], &[""]),
    claim_word(&["dockerc"], "credential", SecretClaim::Secret, &[""], &["onfigjson", "fg"]),
    claim_word(&["secret"], "secret", SecretClaim::Secret, &["*"],
        &["", "s", "key", "accesskey", "token", "value", "string", "text"]),
    claim_word(&["token"], "token", SecretClaim::Secret, &["*"], &["", "secret", "key", "value", "string"]),
    claim_word(&["cred"], "credential", SecretClaim::Secret, &[""], &["", "s", "ential", "entials"]),
    claim_word(&["jwt"], "token", SecretClaim::Secret, &[""], &["", "token"]),
    claim_word(&["pat"], "token", SecretClaim::Secret, &[""], &[""]),
    claim_word(&["key"], "key", SecretClaim::Secret, KEY_PREFIXES,
        &["", "value", "secret", "string", "hex", "base"]),
    claim_word(&["key"], "key", SecretClaim::MaybeSecret, &[""], &[""]),
    claim_word(&["auth"], "credential", SecretClaim::Secret, &["*"], &["token", "key", "secret", "code"]),
    claim_word(&["auth"], "credential", SecretClaim::MaybeSecret, &["", "o"], &[""]),
    claim_word(&["sess"], "session", SecretClaim::Session, &["*"],
        &["", "id", "ion", "ionid", "iontoken", "ionkey", "ionsecret", "ioncookie"]),
    claim_word(&["sig"], "signature", SecretClaim::Parameter, &[""], &["", "nature"]),
    claim_word(&["code"], "code", SecretClaim::Parameter, &[""], &[""]),
    claim_word(&["code"], "code", SecretClaim::Pin, CODE_PREFIXES, &[""]),
    claim_word(&["pin:", "pin=", "pin "], "code", SecretClaim::Pin, &["", "sim", "card"], &[""]),
    claim_word(&["puk"], "code", SecretClaim::Pin, &[""], &["", "code"]),
    claim_word(FOREIGN_PASSWORDS, "password", SecretClaim::Password, &["*"], FOREIGN_ENDINGS),
    claim_word(FOREIGN_SECRETS, "secret", SecretClaim::Secret, &[""], FOREIGN_ENDINGS),
    claim_word(WEAK_WORDS, "key", SecretClaim::MaybeSecret, &[""], &[""]),
];

list_by_word!(CLAIM_WORDS: ClaimWord = ROWS, stem of stems);

/// Parts of a name that cancel the mark of any word after them.
#[rustfmt::skip]
pub(super) const HARMLESS_BEFORE: &[&str] = &[
    "public", "pub", "page", "pagination", "continuation", "cursor", "next", "prev", "max", "min",
    "num", "total", "input", "output", "prompt", "completion", "eos", "bos", "pad", "unk", "sep",
    "mask", "special", "stop", "cancellation", "cancel", "csrf", "xsrf", "placeholder", "dummy",
    "is", "has", "no", "without", "per", "each",
];

/// Those of them that are the words of a sentence if they stand apart from a name that a value is assigned to.
pub(super) const SENTENCE_BEFORE: &[&str] = &["is", "has", "no", "without", "per", "each"];

/// Further such words before a password: before a token they tell of pages and of models.
#[rustfmt::skip]
pub(super) const SENTENCE_BEFORE_PASSWORD: &[&str] = &[
    "page", "cursor", "next", "input", "output", "prompt", "completion", "special", "stop", "cancel", "public",
];

/// Parts of a name that cancel the mark of a `key` after them.
#[rustfmt::skip]
pub(super) const HARMLESS_BEFORE_KEY: &[&str] = &[
    "primary", "foreign", "partition", "sort", "cache", "idempotency", "natural", "hot", "schema",
    "sequence", "bucket", "object", "count", "rate", "registry", "shortcut", "index", "dict",
    "group", "order", "hash", "lock", "symbol", "dedup", "dedupe", "lookup", "translation",
    "query", "map", "composite", "column", "row", "record", "file", "artifact", "unique",
    "surrogate", "routing", "issue", "project", "event", "message", "job", "task", "trace", "span",
    "checksum", "known", "arrow", "modifier", "right", "left", "pk",
];

/// Parts of a name that cancel the mark of any word before them.
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

/// Words between a name and its value in a sentence.
#[rustfmt::skip]
pub(super) const VALUE_VERBS: &[&str] = &[
    "is", "was", "to", "as", "with", "be", "by", "now", "still", "currently", "是", "为", "는", "은", "は", "ist", "lautet", "est", "es", "è", "é", "är", "er",
    "jest", "это", "—", "–",
];

/// Words in the place of a password that only describe one.
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
    "masked", "filtered", "obscured", "varchar", "postgres",
];

/// Words that make a quoted text a message, not a passphrase of several words.
#[rustfmt::skip]
pub(super) const MESSAGE_WORDS: &[&str] = &[
    "at", "be", "can", "cannot", "change", "characters", "confirm", "current", "deine", "do", "does",
    "enter", "expired", "failed", "field", "for", "forgot", "if", "ihr", "incorrect", "invalid", "is",
    "least", "match", "minimum", "missing", "mot", "must", "new", "no", "not", "optional", "or", "passe", "please",
    "required", "reset", "set", "should", "show", "the", "to", "too", "use", "used", "user", "weak",
    "when", "will", "with", "wrong", "you", "your",
];

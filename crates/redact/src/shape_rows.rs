//! The rules with code of their own: the words that they begin with, and the functions that find the secrets.
//!
//! Words that begin the same rule share a row.

use std::ops::Range;

use super::{call, command, header, login, pem, piped, protocol, shape, url};

/// A rule with code of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShapeRule {
    pub(super) kind: &'static str,
    anchors: &'static [&'static str],
    /// The word that it begins with.
    pub(super) anchor: &'static str,
    pub(super) finder: SecretFinder,
}

type FindOne = fn(&[u8], usize) -> Option<Range<usize>>;
type FindMany = fn(&[u8], usize) -> Vec<Range<usize>>;

/// The function that finds the secrets of a shape, given the offset of an anchor.
#[derive(Debug, Clone, Copy)]
pub(super) enum SecretFinder {
    One(FindOne),
    Many(FindMany),
}

const fn shape(
    kind: &'static str,
    anchors: &'static [&'static str],
    finder: SecretFinder,
) -> ShapeRule {
    ShapeRule {
        kind,
        anchors,
        anchor: anchors[0],
        finder,
    }
}

const fn finds_one(
    kind: &'static str,
    anchors: &'static [&'static str],
    find: FindOne,
) -> ShapeRule {
    shape(kind, anchors, SecretFinder::One(find))
}

const fn finds_many(
    kind: &'static str,
    anchors: &'static [&'static str],
    find: FindMany,
) -> ShapeRule {
    shape(kind, anchors, SecretFinder::Many(find))
}

#[rustfmt::skip]
const ROWS: &[ShapeRule] = &[
    finds_one("private-key", &["-----begin", "---- begin"], pem::find_block),
    finds_one("private-key", &["-----end", "---- end"], pem::find_cut_block),
    finds_one("private-key", &["b3BlbnNzaC1rZXktdjE"], pem::find_bare_body),
    finds_one("private-key", &["private-lines:"], pem::find_putty_key),
    finds_one("credential", &["authorization"], header::find_authorization),
    finds_one("credential", &["bearer"], header::find_bearer_token),
    finds_one("credential", &["basic"], header::find_basic_credential),
    finds_many("session", &["cookie"], header::find_cookie_secrets),
    finds_one("jwt", &["eyJ"], shape::find_jwt),
    finds_one("seed-phrase", &["mnemonic", "phrase", "seed words"], shape::find_seed_phrase),
    finds_many("kubernetes-secret", &["kind"], shape::find_kubernetes_secrets),
    finds_one("password", &[
        "credential(", "credentials(", "basicauth(", "basic_auth(", "basic_auth \"", "basic_auth '", "passwordauthentication(", "bind_s(",
        "digestauth(", "credentials.basic(", "credentials::new(", "signin(", "authenticate(",
        "wifi.begin(", "changeuserpassword("
    ], call::find_argument_password::<1>),
    finds_one("password", &["auth"], call::find_listed_pair),
    finds_one("password", &["connect(", "connection(", "client(", "login(", "bind("], call::find_made_up_password),
    finds_one("password", &[
        "ldap_bind(", "ftp(", "ftp.open(", "getconnection(", "mysqli_connect(", "new mysqli(", "new pdo("
    ], call::find_argument_password::<2>),
    finds_one("password", &[": eap \"", "option key '", ": xauth \"", "convertto-securestring "], call::find_quoted_secret),
    finds_one("password", &["oracle:thin:"], call::find_oracle_password),
    finds_one("password", &[".login("], call::find_login_secret),
    finds_one("password", &["echo ", "printf "], piped::find_piped_secret),
    finds_many("password", &["<<<", "<<e", "<<-", "<<'", "<<\"", "<< "], piped::find_here_secrets),
    finds_one("token", &["login ", "auth ", "signin ", "sign-in ", "authenticate ", "authtoken "], command::find_login_token),
    finds_one("password", &["b64encode(", "btoa("], call::find_encoded_argument),
    finds_one("password", &[":5432:", ":5433:", ":6432:", ":*:*:", ":*:"], call::find_pgpass_password),
    finds_many("private-key", &["\"kty\""], call::find_jwk_numbers),
    finds_one("password", &[
        "send \"", "send -- ", "sendline(", "send_keys(", "sendkeys(", ".fill(", ".type("
    ], login::find_prompt_answer),
    finds_one("password", &[
        "creds", "credentials", "basic auth", "login with", "log in with", "login as", "sign in as",
        "zugangsdaten", "identifiants", "credenciales", "credenziali", "inloggegevens", "log in as",
        "login is", "login:"
    ], login::find_login_pair),
    finds_many("recovery-code", &["recovery code", "backup code", "scratch code"], login::find_recovery_codes),
    finds_one("password", &[" -p "], command::find_password_after_user),
    finds_one("password", &[" -u ", " --user ", " --user=", " --auth "], command::find_password_of_user),
    finds_one("password", &["\n key "], command::find_gear_key),
    finds_one("password", &["auth"], protocol::find_auth_secret),
    finds_one("password", &["login "], protocol::find_imap_password),
    finds_one("password", &["pass "], protocol::find_pass_secret),
    finds_one("password", &["identify "], protocol::find_identify_secret),
    finds_one("password", &["setuser "], protocol::find_acl_password),
    finds_one("password", &["334 ugfzc3dvcmq6"], protocol::find_smtp_answer),
    finds_one("password", &["wifi:"], protocol::find_wifi_password),
    finds_one("url-password", &["://"], url::find_userinfo_secret),
    finds_one("totp-secret", &["otpauth://"], url::find_totp_url),
    finds_one("webhook", &[
        "hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
        "webhook.office.com/", "outlook.office.com/webhook/", "hooks.zapier.com/", "maker.ifttt.com/",
        "chat.googleapis.com/", "open.feishu.cn/open-apis/bot/"
    ], url::find_webhook),
];

list_by_word!(SHAPES: ShapeRule = ROWS, anchor of anchors);

//! The rules with code of their own: which words they begin with, and what finds their secrets.
//!
//! Words that begin the same rule share a row. What a rule reads is for its own module to say.

use std::ops::Range;

use super::{call, command, header, login, pem, piped, protocol, shape, url};

/// A rule with code of its own.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) kind: &'static str,
    anchors: &'static [&'static str],
    pub(super) find: Find,
}

/// What finds the secrets of a shape whose anchor stands at a place in a text.
#[derive(Debug)]
pub(super) enum Find {
    One(fn(&[u8], usize) -> Option<Range<usize>>),
    Many(fn(&[u8], usize) -> Vec<Range<usize>>),
}

const fn one(
    kind: &'static str,
    anchors: &'static [&'static str],
    find: fn(&[u8], usize) -> Option<Range<usize>>,
) -> Shape {
    let find = Find::One(find);
    Shape {
        kind,
        anchors,
        find,
    }
}

const fn many(
    kind: &'static str,
    anchors: &'static [&'static str],
    find: fn(&[u8], usize) -> Vec<Range<usize>>,
) -> Shape {
    let find = Find::Many(find);
    Shape {
        kind,
        anchors,
        find,
    }
}

/// Returns whether there is an anchor with this number, and which row it is in.
const fn anchor(number: usize) -> Option<(&'static str, &'static Shape)> {
    let (mut index, mut row) = (number, 0);
    while row < SHAPES.len() {
        if index < SHAPES[row].anchors.len() {
            return Some((SHAPES[row].anchors[index], &SHAPES[row]));
        }
        index -= SHAPES[row].anchors.len();
        row += 1;
    }
    None
}

/// How many anchors there are in all rows.
const ANCHORS: usize = {
    let mut count = 0;
    while anchor(count).is_some() {
        count += 1;
    }
    count
};

/// Every anchor with its row.
pub(super) static ANCHORED: [(&str, &Shape); ANCHORS] = {
    let mut anchored = [("", &SHAPES[0]); ANCHORS];
    let mut number = 0;
    while let Some(found) = anchor(number) {
        anchored[number] = found;
        number += 1;
    }
    anchored
};

#[rustfmt::skip]
const SHAPES: &[Shape] = &[
    one("private-key", &["-----begin", "---- begin"], pem::begin),
    one("private-key", &["-----end", "---- end"], pem::end),
    one("private-key", &["b3BlbnNzaC1rZXktdjE"], pem::body),
    one("private-key", &["private-lines:"], pem::putty),
    one("credential", &["authorization"], header::authorization),
    one("credential", &["bearer"], header::bearer),
    one("credential", &["basic"], header::basic),
    many("session", &["cookie"], header::cookie),
    one("jwt", &["eyJ"], shape::jwt),
    one("seed-phrase", &["mnemonic", "phrase", "seed words"], shape::seed_phrase),
    many("kubernetes-secret", &["kind"], shape::kubernetes),
    one("password", &[
        "credential(", "credentials(", "basicauth(", "basic_auth(", "basic_auth \"", "basic_auth '", "passwordauthentication(", "bind_s(",
        "digestauth(", "credentials.basic(", "credentials::new(", "signin(", "authenticate(",
        "wifi.begin(", "changeuserpassword("
    ], call::pair),
    one("password", &["auth"], call::listed_pair),
    one("password", &["connect(", "connection(", "client(", "login(", "bind("], call::made_up),
    one("password", &[
        "ldap_bind(", "ftp(", "ftp.open(", "getconnection(", "mysqli_connect(", "new mysqli(", "new pdo("
    ], call::third),
    one("password", &[": eap \"", "option key '", ": xauth \"", "convertto-securestring "], call::quoted),
    one("password", &["oracle:thin:"], call::thin),
    one("password", &[".login("], call::login),
    many("password", &[
        "chpasswd", "--password-stdin", "passwd --stdin", "| passwd", "| smbpasswd", "| cryptsetup",
        "sudo -s", "kinit "
    ], piped::piped),
    many("token", &["--with-token"], piped::piped),
    many("secret", &["gh secret set"], piped::piped),
    one("password", &["| base64"], piped::encoded),
    one("password", &["b64encode(", "btoa("], call::encoded_argument),
    one("password", &[":5432:", ":5433:", ":6432:", ":*:*:", ":*:"], call::pgpass),
    many("private-key", &["\"kty\""], call::jwk),
    one("password", &[
        "send \"", "send -- ", "sendline(", "send_keys(", "sendkeys(", ".fill(", ".type("
    ], login::answer),
    one("password", &[
        "creds", "credentials", "basic auth", "login with", "log in with", "login as", "sign in as",
        "zugangsdaten", "identifiants", "credenciales", "credenziali", "inloggegevens", "log in as",
        "login is", "login:"
    ], login::pair),
    many("recovery-code", &["recovery code", "backup code", "scratch code"], login::codes),
    one("password", &[" -p "], command::behind_user),
    one("password", &["\n key "], command::gear_key),
    one("password", &["auth"], protocol::auth),
    one("password", &["login "], protocol::login),
    one("password", &["pass "], protocol::pass),
    one("password", &["identify "], protocol::identify),
    one("password", &["setuser "], protocol::user_rules),
    one("password", &["334 ugfzc3dvcmq6"], protocol::answer),
    one("password", &["wifi:"], protocol::wifi),
    one("url-password", &["://"], url::userinfo),
    one("totp-secret", &["otpauth://"], url::totp),
    one("webhook", &[
        "hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
        "webhook.office.com/", "outlook.office.com/webhook/", "hooks.zapier.com/", "maker.ifttt.com/",
        "chat.googleapis.com/", "open.feishu.cn/open-apis/bot/"
    ], url::webhook),
];

//! Tests 120 passwords, half of them ordinary ones, in every syntax that marks a value.
//!
//! Rules that recognise a password by its characters fail here: its position must decide.

use super::{passwords, redact};

/// Returns the password URL-encoded.
fn encoded(password: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let write = |byte: u8| {
        if is_plain(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    password.bytes().map(write).collect()
}

/// Checks that of every password, encoded by `write` in place of `PW` in a syntax, no part of what `read` returns is
/// left.
fn check(syntax: &str, write: impl Fn(&str) -> String, read: impl Fn(&str) -> String) {
    for password in passwords::all() {
        let text = syntax.replace("PW", &write(&password));
        let (redacted, read) = (redact(&text), read(&password));
        let leaks = |at: &usize| redacted.contains(&read[*at..at + 7]);
        let left = (0..=read.len() - 7).find(leaks);
        assert_eq!(left, None, "{text:?} => {redacted:?}");
    }
}

#[test]
fn no_character_saves_a_password() {
    for syntax in [
        "DB_PASSWORD=PW",
        "A=1\nMYSQL_ROOT_PASSWORD=PW\nB=2",
        "export SMTP_PASS='PW'",
        "export ADMIN_PASSWORD=\"PW\" && make",
        "PGPASSWORD=PW psql -h db",
        "docker run -e POSTGRES_PASSWORD=PW postgres:16",
        "tool --password=PW run",
        "tool --user ann --password 'PW' run",
        "{\"user\":\"ann\",\"password\":\"PW\",\"x\":1}",
        "{\"args\":\"{\\\"password\\\":\\\"PW\\\"}\"}",
        "{\"command\":\"DB_PASSWORD=PW ./run.sh\"}",
        "{\"command\":\"tool --password 'PW' run\",\"description\":\"d\"}",
        "db:\n  password: \"PW\"\n  user: x",
        "[db]\npassword = \"PW\"",
        "connect(host='h', password=\"PW\")",
        "const dbPassword = \"PW\";",
        "  password: 'PW',",
        "CREATE USER app IDENTIFIED BY 'PW';",
        "ALTER ROLE app WITH PASSWORD 'PW';",
        "<add key=\"DbPassword\" value=\"PW\"/>",
        "curl -u 'admin:PW' https://x",
        "sshpass -p 'PW' ssh a@b",
        "mysql -u root -p'PW' db",
        "gh secret set X --body 'PW'",
        "az keyvault secret set --vault-name v --name n --value \"PW\"",
        "aws ssm put-parameter --name n --value 'PW' --type SecureString",
        "variable \"db_password\" {\n  type = string\n  default = \"PW\"\n}",
        "echo 'app:PW' | chpasswd",
        "kind: Secret\nstringData:\n  pw: 'PW'",
        "$env:DB_PASSWORD = 'PW'",
        "keytool -list -storepass 'PW'",
        "db:5432:app:ann:PW",
        "vault kv put secret/x password='PW'",
        "basicAuth(\"ann\", \"PW\")",
        "machine h login ann password PW",
    ] {
        check(syntax, str::to_owned, str::to_owned);
    }
}

#[test]
fn no_encoding_saves_a_password() {
    for syntax in [
        "postgres://app:PW@db:5432/x",
        "GET /login?user=a&password=PW&next=1",
        "curl -d 'user=a&password=PW' http://x",
        "%7B%22user%22%3A%22a%22%2C%22password%22%3A%22PW%22%7D",
    ] {
        check(syntax, encoded, encoded);
    }
}

#[test]
fn nothing_hidden_saves_a_password() {
    for hidden in [
        "\u{200b}",
        "\u{202e}",
        "\u{e0041}",
        "\x1b[32m",
        "\\u001b[0m",
        "\\u200b",
        "\\u{200b}",
        "\\u{1b}[0m",
    ] {
        let apart = |word: &str| format!("{}{hidden}{}", &word[..3], &word[3..]);
        let syntax = format!("{}{hidden}: \"PW\"", apart("password"));
        check(&syntax, str::to_owned, str::to_owned);
        let around = |password: &str| format!("{hidden}{password}{hidden}");
        check("password: \"PW\"", around, str::to_owned);
    }
}

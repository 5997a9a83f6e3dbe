//! A hundred and twenty passwords, sixty of them ordinary ones, in every syntax that tells a value.
//!
//! Rules that know one password by its characters fail here: what must tell is where it stands.

use super::redact;

/// Ordinary passwords, as people make them up.
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "Winter2031!", "Company.2031", "Qwerty456!", "Autumn-Leaf7", "castle.rocket.marble.pond",
    "P@ssw0rd99", "Liverpool4ever!", "monkey1972?", "Blue&White8", "/Chelsea-09", "-Tiger77",
    "(Summer)31", "[Falcon]12", "Kings::Cross9", "red{apple}4", "Sunny,Day5", "Moon;Light6",
    "Atmosphere-88", "Yourself21", "HereWeGo7", "Samplers9", "Goldfish<3x", "cat>dog55",
    "$unshine22", "R0ses&Violets", "Frankfurt.1!", "Mar1a.Gomez!", "tiger_lily-44", "&Ampersand3",
    "*Star*Wars77", "Trout(1)Lake", "~Tilde2x", "+PlusOne88", "=Equal=99x", "#Hashtag12",
    "@tHome2031", "Hello.World.99", "Pa$$word-x1", "Zebra|Stripe8", "Mango%Juice5",
    "lamp-river-stone-cloud", "Welkom#2030", "Bonjour!75", "Sommer_2030?", "Gr8Expect.!",
    "JohnSmith1980", "football!!", "abc.Def.123", "Passau-1204", "Tokenring4", "keyWest2020!",
    "Secretariat73", "Heresy99", "Examplary-4", "Insertion7!", "Replacement6?", "Todor1991",
    "Dummkopf5!", "northern.lights.9", "Moscow-Mule!",
];

const SIGNS: &str = "!#$%&()*+,-./:;<=>?@[]^_{|}~";

/// Makes up passwords of every class of characters, of signs alone too.
fn generated() -> Vec<String> {
    const ALNUM: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789";
    let mixed = format!("{ALNUM}{SIGNS}");
    let classes = [
        (&mixed[..], 20),
        (SIGNS, 32),
        (ALNUM, 24),
        (&mixed[20..], 14),
    ];
    let mut seed = 11_u64;
    let mut draw = |chars: &str| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(seed >> 33).unwrap() % chars.len();
        chars[at..].chars().next().unwrap()
    };
    (0..60)
        .map(|index| classes[index % classes.len()])
        .map(|(chars, length)| (0..length).map(|_| draw(chars)).collect())
        .collect()
}

/// Returns the password as URLs write it.
fn encoded(password: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let write = |byte: u8| match is_plain(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    password.bytes().map(write).collect()
}

/// Checks that of every password, as `write` puts it for `PW` in a syntax, nothing that `read` would
/// find is left.
fn check(syntax: &str, write: impl Fn(&str) -> String, read: impl Fn(&str) -> String) {
    let ordinary = ORDINARY.iter().map(|&password| password.to_owned());
    for password in ordinary.chain(generated()) {
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
    ] {
        let apart = |word: &str| format!("{}{hidden}{}", &word[..3], &word[3..]);
        let syntax = format!("{}{hidden}: \"PW\"", apart("password"));
        check(&syntax, str::to_owned, str::to_owned);
        let around = |password: &str| format!("{hidden}{password}{hidden}");
        check("password: \"PW\"", around, str::to_owned);
    }
}

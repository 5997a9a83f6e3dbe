//! What is redacted and what is not, written as people and programs write it.
//!
//! In a case, `⟦…⟧` encloses what must be redacted, and each `~` in it is one generated character, so that nothing
//! here looks like a real key to another program.

mod below;
mod canary;
mod disguises;
mod password_forms;
mod passwords;

use proptest::prelude::*;

use super::*;

/// Replaces each `~` by the next of some characters that look random.
fn made_up(template: &str) -> String {
    let mut random = "k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKw".chars().cycle();
    template
        .chars()
        .map(|c| if c == '~' { random.next().unwrap() } else { c })
        .collect()
}

/// Checks that in each case the part in brackets is redacted, as a secret of this kind.
fn redacts(kind: &str, cases: &[&str]) {
    let mark = format!("[REDACTED:{kind}]");
    for case in cases {
        let case = made_up(case);
        let text = case.replace(['⟦', '⟧'], "");
        let mut expected = String::new();
        for (index, piece) in case.split(['⟦', '⟧']).enumerate() {
            expected.push_str(if index % 2 == 1 { &mark } else { piece });
        }
        assert_eq!(redact(&text), expected, "{text}");
        redact_each_start(&text);
    }
}

/// Checks that each case stays as it is.
fn keeps(cases: &[&str]) {
    for case in cases {
        let text = made_up(case);
        assert_eq!(redact(&text), text);
        assert!(matches!(redact(&text), Cow::Borrowed(_)), "{text}");
        redact_each_start(&text);
    }
}

/// Redacts the text as it is cut at each place: what a rule looks for may be just beyond its end.
fn redact_each_start(text: &str) {
    for (end, _) in text.char_indices() {
        drop(redact(&text[..end]));
    }
}

/// `has_password` says that there is one; in `it has password=…`, the word before is the verb of a sentence.
#[test]
fn a_word_before_an_assigned_name_is_not_part_of_it() {
    redacts(
        "password",
        &[
            "it has password=⟦hunter2⟧",
            "The user has password: ⟦hunter2⟧",
            "this is password=⟦hunter2⟧, said twice",
            "there is no password=⟦hunter2⟧ in the file",
            "each password=⟦hunter2⟧ was changed",
            "without DB_PASSWORD=⟦hunter2⟧ it stops",
            "the next password='⟦hunter2⟧'",
            "at the prompt password=⟦hunter2⟧",
            "it has \"password\": \"⟦hunter2⟧\"",
        ],
    );
    redacts(
        "token",
        &[
            "it has token=⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧",
            "with token=⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧",
        ],
    );
    keeps(&[
        "has_password=hunter2",
        "hasPassword: hunter2",
        "it has_password=yes",
        "it has password=true",
        "the form has password: string",
        "it has password protection",
        "no password: required",
        "is password set?",
        "the min password=8",
        "next token=~~~~~~~~~~~~~~~~~~~~~~~~",
        "csrf token=~~~~~~~~~~~~~~~~~~~~~~~~",
        "each token=0.5 cents",
    ]);
}

#[test]
fn tokens_wherever_they_stand() {
    redacts(
        "github-token",
        &[
            "⟦ghp_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧",
            "use ⟦ghp_~~~~~~~~~~~~~~~~~~~~⟧, then push.",
            "xxx⟦ghp_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧",
            "GITHUB_TOKEN=⟦ghs_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧",
            r#"{"token":"⟦github_pat_~~~~~~~~~~~~~~~~~~~~~~⟧"}"#,
            r"a\n⟦gho_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧\nb",
            "url?x=%20⟦ghu_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧",
            "Authorization:  Bearer  ⟦ghp_~~~~~~~~~~~~~~~~~~~~⟧",
        ],
    );
    redacts(
        "anthropic-key",
        &["key: ⟦sk-ant-api03-~~~~~~~~-~~~~~~~~_~~~~~~~~⟧ ok"],
    );
    redacts(
        "openai-key",
        &[
            "⟦sk-proj-~~~~~~~~~~~~~~~~~~~~⟧",
            "OPENAI=⟦sk-svcacct-~~~~~~~~~~~~~~⟧",
        ],
    );
    redacts(
        "api-key",
        &["⟦sk-~~~~~~~~~~~~~~~~~~~~⟧", "⟦sk-1234567890abcdef⟧"],
    );
    redacts(
        "stripe-key",
        &["⟦sk_live_~~~~~~~~~~~~~~~~⟧", "⟦rk_test_~~~~~~~~~~~~~~~~⟧"],
    );
    redacts(
        "aws-key-id",
        &[
            "⟦AKIA2345ABCDEFGHIJKL⟧ and more",
            "xxx⟦AKIA2345ABCDEFGHIJKL⟧",
        ],
    );
    redacts("slack-token", &["⟦xoxb-123456789012-~~~~~~~~~~~~⟧"]);
    redacts(
        "telegram-token",
        &["bot ⟦123456789:AA~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧"],
    );
    redacts(
        "jwt",
        &[
            "⟦eyJ~~~~~~~~~~~~.eyJ~~~~~~~~~~~~~~~~.~~~~~~~~~~~~~~~~⟧.",
            "t=⟦eyJ~~~~~~~~~~~~.eyJ~~~~~~~~~~~~⟧",
        ],
    );
    redacts("token", &["⟦acme_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧"]);
    redacts("live-key", &["⟦xy_live_~~~~~~~~~~~~~~~~⟧"]);
    redacts("twilio-key", &["⟦SK0123456789abcdef0123456789abcdef⟧"]);
}

#[test]
fn values_beside_a_name() {
    redacts(
        "token",
        &[
            "token = ⟦~~~~~~~~~~~~⟧",
            "acmeToken := `⟦~~~~~~~~~~~~~~~~~~~~⟧`",
            "let token: &'static str = \"⟦~~~~~~~~~~~~~~⟧\";",
            "const token: string = '⟦~~~~~~~~~~~~~~⟧';",
            "var token string = \"⟦~~~~~~~~~~~~~~⟧\"",
            "char auth_token[] = \"⟦~~~~~~~~~~~~~~⟧\";",
            "token: Token::new(\"⟦~~~~~~~~~~~~~~⟧\")",
            "headers[\"X-Auth-Token\"] = '⟦~~~~~~~~~~~~~~⟧'",
            "set_header(\"X-Auth-Token\", \"⟦~~~~~~~~~~~~~~⟧\")",
            "process.env.ACME_TOKEN || '⟦~~~~~~~~~~~~~~⟧'",
            "tool --token ⟦~~~~~~~~~~~~~~⟧ --verbose",
            "tool --token=⟦~~~~~~~~~~~~~~⟧ --verbose",
            "https://x.io/a?access_token=⟦~~~~~~~~~~~~~~⟧&b=1",
            "The token is ⟦~~~~~~~~~~~~~~⟧.",
            "**Token:** ⟦~~~~~~~~~~~~~~⟧",
            "| token | ⟦~~~~~~~~~~~~~~⟧ |",
            "<token>⟦~~~~~~~~~~~~~~⟧</token>",
            r#"{"args":"{\"token\":\"⟦~~~~~~~~~~~~~~⟧\"}"}"#,
            "\"refreshToken\" : \"⟦~~~~~~~~~~~~~~⟧\"",
            "//registry.example.net/:_authToken=⟦~~~~~~~~~~~~~~⟧",
            "- name: ACME_TOKEN\n  value: ⟦~~~~~~~~~~~~~~⟧",
            r#"{"name": "ACME_TOKEN", "value": "⟦~~~~~~~~~~~~~~⟧"}"#,
            "token=⟦3f2a9c0d-11aa-4b2c-9d3e-0123456789ab⟧",
            "auth token for staging: ⟦~~~~~~~~~~~~~~⟧",
        ],
    );
    redacts(
        "key",
        &[
            "API_KEY=⟦~~~~~~~~~~~~⟧",
            "the next page API_KEY=⟦~~~~~~~~~~~~⟧",
            "it fails without API_KEY=⟦~~~~~~~~~~~~⟧",
            "apiKey: \"⟦~~~~~~~~~~~~⟧\"",
            "api key: ⟦~~~~~~~~~~~~⟧",
            "X-Api-Key: ⟦~~~~~~~~~~~~⟧",
            "AccountName=a;AccountKey=⟦~~~~~~~~~~~~~~~~~~~~~~==⟧;EndpointSuffix=b",
            "SharedAccessKey=⟦~~~~~~~~~~~~~~~~~~~~~~=⟧",
            "PrivateKey = ⟦~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~=⟧",
            "here is my key ⟦~~~~~~~~~~~~~~~~~~~~⟧ thanks",
            "private_key = ⟦0x1f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c5b6a7988⟧",
        ],
    );
    redacts(
        "secret",
        &[
            "client_secret: ⟦~~~~~~~~~~~~⟧",
            "login {\"client_secret\": \"⟦~~~~~~~~~~~~~~⟧\"}",
            "AWS_SECRET_ACCESS_KEY=⟦~~~~~~~~~~~~~~~/~~~~~~~~~~~+~~~~~~~~~~~⟧",
        ],
    );
    redacts(
        "credential",
        &[
            "\"auth\": \"⟦YWxpY2U6bm90LWEtcGFzcw==⟧\"",
            "_auth=⟦YWxpY2U6bm90LWEtcGFzcw==⟧",
        ],
    );
    redacts(
        "signature",
        &["https://a.example.net/b?sv=2020&sig=⟦~~~~~~~~~~~~~~~~~~~~%3D⟧"],
    );
    redacts("session", &["PHPSESSID=⟦~~~~~~~~~~~~~~~~~~~~~~~~~~⟧"]);
    redacts("looker", &["var looker_x = \"⟦~~~~~~~~~~~~~~~~~~~~⟧\""]);
    redacts(
        "heroku",
        &["heroku id: ⟦3f2a9c0d-11aa-4b2c-9d3e-0123456789ab⟧"],
    );
}

#[test]
fn expressions_and_messages_stay() {
    keeps(&[
        "A_PASSWORD=$A_PASSWORD",
        "A_PASSWORD=${A_PASSWORD:?must be set}",
        "A_PASSWORD=\"$(op read op://vault/a/password)\"",
        "A_PASSWORD=/run/secrets/a_password",
        "A_PASSWORD=<your-password>",
        "MasterUserPassword: !Sub '{{resolve:secretsmanager:${A}:SecretString:password}}'",
        "password = var.a_password",
        "password=self.password,",
        "password: string().min(12).max(128),",
        "password: ${{ secrets.A_PASSWORD }}",
        "password: \"{{ vault_password }}\"",
        "\"password\": \"Your password must have 8 characters\",",
        "\"password\": \"required|string|min:8\",",
        "\"password\": \"Contraseña\",",
        "--password string   Password for the registry",
        "--password --verbose",
        "[sudo] password for ann:\nSorry, try again.",
        "Password:\nsrc/",
        "const keyStr = \"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\";",
        "token: xoxp-1234567890-####-####",
        "--auth-token ********-****-****-****-1234567890ab",
        "docker login -u ann --password-stdin < token.txt",
        "echo \"$TOKEN\" | docker login -u ann --password-stdin",
        "vault kv get -field=password kv/a",
        "CREATE TABLE a (password varchar(255) NOT NULL)",
        "GRANT ALL ON a.* TO b IDENTIFIED BY '${A_PASSWORD}';",
        "pub log_passwd: __u32,",
        "pub const SET_PW: u32 = 2183164128;",
        "client.login(username, password)",
        "client_creds: &Arc<dyn Resolves>,",
        "PWD=/home",
        "base64,~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~/AIza~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "t.pass(\"tests/ui/pass/*.rs\");",
        "localhost:5432: connection refused: a: b",
    ]);
}

#[test]
fn urls_and_headers() {
    redacts(
        "url-password",
        &[
            "postgres://app:⟦hunter2⟧@db.example.net:5432/app",
            "https://alice:⟦hun/ter2⟧@example.net/x",
            "redis://:⟦hunter2⟧@cache:6379",
            "amqp://a:⟦p@ss⟧@mq//",
            "https://⟦~~~~~~~~~~~~~~~~~~~~⟧@git.example.net/a.git",
            "https://⟦cafebabe:hunter2⟧@gems.example.net/",
        ],
    );
    redacts(
        "credential",
        &[
            "Authorization: Basic ⟦YWxpY2U6bm90LWEtcGFzcw==⟧",
            "authorization: basic ⟦YWxpY2U6bm90LWEtcGFzcw==⟧",
            "AUTHORIZATION: BEARER ⟦~~~~~~~~~~~~⟧",
            "-H 'Authorization: Bearer ⟦~~~~~~~~~~~~⟧' https://x",
            "Authorization:\tBearer\t\t⟦~~~~~~~~~~~~⟧",
            "\"Authorization\": \"Token ⟦~~~~~~~~~~~~⟧\"",
            r#"{\"Authorization\": \"Bearer ⟦~~~~~~~~~~~~⟧\"}"#,
            "Proxy-Authorization: Basic ⟦YWxpY2U6bm90LWEtcGFzcw==⟧",
            "Authorization: ⟦~~~~~~~~~~~~~~⟧",
            "Bearer  ⟦~~~~~~~~⟧",
            "sent bearer%20⟦~~~~~~~~⟧",
            "it wants Basic ⟦YWxpY2U6bm90LWEtcGFzcw==⟧",
        ],
    );
    redacts(
        "session",
        &[
            "Set-Cookie: sessionid=⟦~~~~~~~~~~~~~~~~⟧; HttpOnly; Path=/",
            "Cookie: theme=dark; sid=⟦~~~~~~~~⟧; lang=en; auth=⟦~~~~~~~~⟧",
            "curl --cookie 'a_session=⟦~~~~~~~~⟧' x",
        ],
    );
    redacts(
        "webhook",
        &[
            "post to ⟦https://hooks.slack.com/services/T~~~~~~~~/B~~~~~~~~/~~~~~~~~~~~~~~~~~~~~~~~~⟧.",
            "⟦https://discord.com/api/webhooks/123456789012345678/~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧",
        ],
    );
    redacts(
        "totp-secret",
        &["⟦otpauth://totp/a:b?secret=JBSWY3DPEHPK3PXP&issuer=a⟧"],
    );
}

#[test]
fn private_keys() {
    let body = "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~";
    for label in ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "] {
        let key = format!(
            "-----BEGIN {label}PRIVATE KEY-----\n{body}\n{body}\n~~~~=\n-----END {label}PRIVATE KEY-----"
        );
        redacts(
            "private-key",
            &[
                &format!("a ⟦{key}⟧ b"),
                &format!("\"⟦{}⟧\\n\"", key.replace('\n', "\\n")),
            ],
        );
        let cut =
            format!("⟦-----BEGIN {label}PRIVATE KEY-----\n{body}\n{body}⟧\nand then it failed");
        redacts("private-key", &[&cut, &cut.replace("\n~", " ~")]);
    }
    redacts(
        "private-key",
        &[
            "⟦-----BEGIN PRIVATE KEY-----⟧",
            "⟦-----begin rsa private key-----⟧",
            "⟦-----BEGIN  RSA  PRIVATE  KEY-----⟧",
            "⟦-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n\
             ~~~~~~~~~~~~~~~~~~~~~~~~⟧",
            "⟦-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n~~~~~~~~~~~~~~~~~~~~~~~~~~\n=~~~~\n\
             -----END PGP PRIVATE KEY BLOCK-----⟧\n",
            "⟦---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n~~~~~~~~~~~~~~~~~~~~~~~~\n\
             ---- END SSH2 ENCRYPTED PRIVATE KEY ----⟧",
            "tail:\n⟦~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n~~~~~~~~~~~~~~~~~~~~~~~~\n\
             -----END RSA PRIVATE KEY-----⟧\nok",
            "⟦b3BlbnNzaC1rZXktdjE~~~~~~~~~~~~~~~~~~~~~\n~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧\nok then",
            "⟦Private-Lines: 2\n~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n~~~~~~~~~~~~~~~~~~~~~~~~⟧\n\
             Private-MAC: 0",
            "key = \"⟦-----BEGIN PRIVATE KEY-----\\n\" +\n  \"~~~~~~~~~~~~~~~~~~~~~~~~\\n\" +\n  \
             \"-----END PRIVATE KEY-----⟧\"",
        ],
    );
    redacts(
        "age-key",
        &["⟦AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE⟧"],
    );
    redacts(
        "seed-phrase",
        &[
            "mnemonic: \"⟦apple river stone cloud tiger maple ocean pilot quiet robot salad train⟧\"",
        ],
    );
    redacts(
        "kubernetes-secret",
        &[
            "kind: Secret\nmetadata:\n  name: a\ndata:\n  ⟦user: YWxpY2U=⟧\n  ⟦other: aHVudGVyMg==⟧\n\
             type: Opaque\n---\nkind: x\ndata:\n  a: b",
        ],
    );
}

/// A property list of macOS has its names in elements called `key`, and their values in the next ones.
#[test]
fn property_lists() {
    redacts(
        "password",
        &[
            "<key>AdminPassword</key>\n\t<string>⟦fernmossbark⟧</string>",
            "<key>DB_PASSWORD</key><string>⟦Fern&amp;Moss3⟧</string>",
            "<key>a.password</key>\r\n    <integer>⟦84739201⟧</integer>",
        ],
    );
    redacts(
        "token",
        &["<key>ApiToken</key>\n<string>⟦~~~~~~~~~~~~~~~~⟧</string>"],
    );
    redacts(
        "key",
        &[
            "<key>⟦~~~~~~~~~~~~~~~~~~~~⟧</key>",
            "<key>⟦~~~~~~~~~~~~~~~~~~~~⟧</key>\n<name>a</name>",
        ],
    );
    keeps(&[
        "<key>StandardOutPath</key>\n<string>/tmp/hardwon.log</string>",
        "  <key>NSAppTransportSecurity</key>\n  <dict>\n    <key>NSAllowsArbitraryLoads</key>\n    <true/>",
        "<key>DB_PASSWORD</key>\n<string>$(DB_PASSWORD)</string>",
        "<key>UsePassword</key>\n<true/>",
    ]);
}

#[test]
fn what_is_no_secret_stays() {
    keeps(&[
        "",
        "task-runner, risk-based, desk-1234567890abcdef",
        "commit 4ed0ca490216792b1acd7dfcbad7770132ddc8d7",
        "3f2a9c0d-11aa-4b2c-9d3e-0123456789ab",
        "image@sha256:5adf09a5a526f380237408032a9308000d14d5947eafa687ad6c6a2476787b4f",
        "\"integrity\": \"sha512-~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+~~~~~~/~~~~~~~~==\"",
        "checksum = \"2c9d3793400a45f954c52e73d068316d76b6f4e36977e3fcebb13a2721e80237\"",
        "golang.org/x/y v0.1.0 h1:~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~=",
        "https://files.example.net/88/ef/eb23f262cca3c0c4eb7ab1933c3b1f03d021f2c48f54763065b6/a.whl",
        "/home/a/.cache/uv/builds-v0/.tmpi4bgKb/lib/python3.13/site-packages",
        "API_KEY=<api-key>",
        "export TOKEN=${TOKEN}",
        "token: ${{ secrets.ACME_TOKEN }}",
        "curl -H \"Authorization: Bearer $TOKEN\" https://x",
        "curl -u \"$USER:$PASSWORD\" https://x",
        "curl -u user:password https://x",
        "api_key = process.env.API_KEY",
        "api_key=os.environ[\"ACME_API_KEY\"],",
        "API_KEY=YOUR_API_KEY",
        "password: xxxxxxxx",
        "password=********",
        "token = get_token(request)",
        "token: str",
        "password: Option<String>,",
        "let password = settings.db.password;",
        "password=password2",
        "password_encryption = scram-sha-256",
        "passphrase: &#x3C;string",
        "#define TLS1_PSK_WITH_AES 0x0300C0A4",
        "mysql-proxy 6446/tcp",
        "default login USER password PASSWORD",
        "id=\"serializer_settreatarraybufferviewsashostobjectsflag\"",
        "the password is required",
        "password must have 8 characters",
        "fn login(user: &str, password: &str) -> Token",
        "max_tokens: 24000",
        "num_tokens=123456789012",
        "Secret Keyword",
        "key: value",
        "primary key 5adf09a5a526f380237408032a930800",
        "public_key = \"~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\"",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ a@b",
        "-----BEGIN CERTIFICATE-----\n~~~~~~~~~~~~~~~~~~~~~~~~\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\n~~~~~~~~~~~~~~~~~~~~~~~~\n-----END PUBLIC KEY-----",
        "url(data:image/png;base64,iVBORw0KGgo~~~~~~~~~~~~~~~~~~~~~~/~~~~~~~~~~+~~~~~~~~~~~~~)",
        "o.keySelector=n,o.haKey=!1,",
        "https://example.net:8080/a@b",
        "https://user:password@example.net",
        "https://${USER}:${PASSWORD}@example.net",
        "git@github.com:a/b.git",
        "see Basic Authentication and Bearer authentication",
        "Bearer token",
        "Authorization: Bearer <token>",
        "import { token } from './token'",
        "test_token_is_refreshed_when_expired",
        "session_id: 3f2a9c0d-11aa-4b2c-9d3e-0123456789ab",
        "\"sessionId\":\"20250101-120000-abc\"",
        "docker run -p 8080:80 a",
        "mkdir -p build/x1",
        "mysql -u root -p",
        "sumObj = suGyI5imvADdvU",
        "id=toolu_01~~~~~~~~~~~~~~~~~~~~~~",
        "gpt-4o-mini-2024-07-18 text-embedding-3-small claude-3-5-sonnet-20241022",
        "[REDACTED:token] and [REDACTED:github-token] 9f8e7d6c5b4a9f8e7d6c5b4a",
        "password=[REDACTED:password]",
        "(missing: A_PASSWORD=[REDACTED:password]) and *A_PASSWORD=[REDACTED:password]*.",
    ]);
}

#[test]
fn one_text_may_hold_many() {
    insta::assert_snapshot!(
        redact(&made_up(
            "deploy failed: DB_PASSWORD=hunter2 TOKEN=~~~~~~~~~~~~ \
             url=postgres://a:hunter2@db/x key sk-ant-~~~~~~~~~~~~~~~~ done"
        )),
        @"deploy failed: DB_PASSWORD=[REDACTED:password] TOKEN=[REDACTED:token] url=postgres://a:[REDACTED:url-password]@db/x key [REDACTED:anthropic-key] done"
    );
}

proptest! {
    #[test]
    fn redacting_twice_changes_nothing_more(
        pieces in proptest::collection::vec(
            prop_oneof![
                "[ -~]{0,12}",
                "[A-Za-z0-9]{12,40}",
                "\\PC{0,4}",
                proptest::sample::select(super::collect_anchors().to_vec()).prop_map(str::to_owned),
                proptest::sample::select(vec![
                    "=", ": ", "\"", "'", " ", "\n", "://a:", "@", " is ", "\\n", "[REDACTED:token]", "[REDACTED:",
                    "]", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "_token",
                    "kind: Secret\ndata:\n  ", ";", ", ", "...", "value: ", "Cookie: a=",
                ]).prop_map(str::to_owned),
            ],
            0..16,
        )
    ) {
        let text = pieces.concat();
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str(), "{:?}", text);
    }

    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,300}") {
        drop(redact(&text));
    }
}

/// What makes a rule look is the last thing of a text, or all but a sign or two is.
#[test]
fn a_text_may_end_anywhere() {
    let signs = [
        "", " ", "/", ":", "=", "\"", "'", "`", "(", ".", ",", "-", "@", "\\", "\n", "<", "$", "a",
        "7", "é",
    ];
    for anchor in super::collect_anchors() {
        for before in ["", "it is in ", "psql -u ann"] {
            for first in signs {
                for second in signs {
                    drop(redact(&format!("{before}{anchor}{first}{second}")));
                }
            }
        }
    }
}

/// Where only a credential can stand, it is redacted whatever it looks like, except for a placeholder.
#[test]
fn what_only_a_credential_begins_with_needs_no_proof() {
    let check = |text: &str, is_secret: bool| {
        assert_eq!(redact(text).contains("[REDACTED:"), is_secret, "{text}");
    };
    check("call it with sk-proj-abcdefghijklmnop now", true);
    check("call it with sk-live-1234567890abcdef now", true);
    check("sk-ant-abcdefghijklmnop", true);
    check("xoxa-2-abcdefghijkl", true);
    check("Authorization: Bearer abcdefghijkl", true);
    check("sk-ant-your-api-key-here", false);
    check("sk-proj-xxxxxxxxxxxxxxxx", false);
    check("Authorization: Bearer your-token", false);
    check("Authorization: Bearer <token>", false);
    check("Authorization: Bearer ${TOKEN}", false);
}

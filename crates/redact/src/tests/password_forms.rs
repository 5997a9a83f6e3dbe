//! Passwords by what stands before them: a name, a user, a command, or only their place.

use super::*;

#[test]
fn passwords() {
    redacts(
        "password",
        &[
            "password: ⟦hunter2⟧",
            "password = \"⟦84739201⟧\"",
            "PASSWORD=⟦hunter2⟧",
            "PGPASSWORD=⟦swordfish⟧ psql -h db",
            "export DB_PASS='⟦sw0rdfish⟧'",
            r#"{"user":"a","password":"⟦swordfish⟧"}"#,
            r#"{\"password\":\"⟦swordfish⟧\"}"#,
            "tool --password ⟦hunter2⟧ run",
            "see the page --password ⟦hunter2⟧",
            "tool --password=⟦hunter2⟧ run",
            "Server=a;User Id=b;Password=⟦swordfish⟧;Encrypt=true",
            "Server=a;Uid=b;Pwd=⟦Sw0rd!fish⟧;",
            "jdbc:mysql://h/db?user=a&password=⟦swordfish⟧&ssl=1",
            "the admin password is ⟦h7Qz2Xm#7⟧ , use it",
            "machine example.net login a password ⟦hunter2⟧",
            "Password for alice: ⟦Tr0ub4dor&3⟧",
            "password = \"⟦correct horse 9 b4tt3ry⟧\"",
            "db_password = \"⟦p@ss(w0rd)⟧\"",
            "password: \"⟦SuperSecret123⟧\"",
            "default login alice password ⟦swordfish⟧",
            "mysql -u root -p⟦hunter2⟧ -e 'select 1'",
            "mysqldump --user=a -p⟦'hun ter'⟧ db",
            "curl -u ⟦alice:hunter2⟧ https://example.net",
            "curl -s --user '⟦alice:hunter2⟧' https://example.net",
            "curl -X POST \\\n  -u \"⟦:hunter2⟧\" \\\n  https://example.net",
            "sshpass -p ⟦hunter2⟧ ssh a@b",
            "redis-cli -h a -a ⟦hunter2⟧ ping",
            "docker login -u a -p ⟦hunter2⟧ registry.example.net",
            "smbclient //a/b -U ⟦alice%hunter2⟧",
        ],
    );
    redacts(
        "password-hash",
        &["alice:⟦$2b$12$~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧"],
    );
}

#[test]
fn passwords_end_where_their_syntax_ends_them() {
    redacts(
        "password",
        &[
            "A_PASSWORD=⟦Fern!7⟧ make",
            "A_PASSWORD=⟦Fern<7>,(x)⟧",
            "sh -c \"A_PASSWORD=⟦Fern)7⟧\"",
            "see (A_PASSWORD=⟦Fern7⟧).",
            "host=a password=⟦Fern.Moss!⟧ sslmode=require",
            "Server=a;Password=⟦Fe;rn<7>⟧;User Id=sa",
            "a.b.password=⟦::Fern::7⟧\nx=y",
            "db:\n  password: ⟦Fern7Moss.⟧\n  user: a",
            "db_password: >-\n  ⟦velvet river\n  candle⟧\nuser: a",
            "password: &anchor ⟦Fern;Moss;3⟧",
            "password: \"⟦Fern Moss 3⟧\"",
            "{\"passwd\":\"⟦sample of a Monday 3⟧\"}",
            "<password>⟦Fern&amp;Moss3⟧</password>",
            "DB_PASSWORD=${DB_PASSWORD:-⟦Fern-Moss3⟧}",
            "variable \"a_password\" {\n  default = \"⟦Fern-${2}-Moss⟧\"\n}",
            "the password for the staging box is ⟦Fern,Moss3⟧",
            "what is the password of box3?\n> ⟦Fern,Moss3⟧",
            "Enter password:\n⟦/Fern\\Moss/⟧\nok",
            "the lab pw is ⟦fern99moss!⟧ ok",
            "machine h login a password ⟦fern.Moss.pond⟧",
            "ENV MYSQL_PASSWORD ⟦Fern.Moss7⟧",
            "requirepass ⟦Fern.Moss7⟧",
            "user: ann / password: ⟦Fern.Moss7⟧",
            "password (staging): ⟦Fern.Moss7⟧",
            "the password on box3 is still '⟦Fern.Moss7⟧'",
            "<entry key=\"db.password\">⟦Fern.Moss7⟧</entry>",
            "db.password=⟦Fern.Moss⟧",
            "builder.password(\"⟦Fern.Moss7⟧\")",
            "ALTER USER ann IDENTIFIED BY ⟦fernMoss7⟧;",
            "密码：⟦Fern-1985⟧",
            "비밀번호는 ⟦Fern-1985⟧ 입니다",
        ],
    );
    redacts(
        "password",
        &[
            "das Passwort für den Server ist ⟦Fern-Moss3⟧",
            "contraseña: ⟦Fern.Moss.3⟧",
            "mot de passe : ⟦Fern&Moss3⟧",
            "пароль от базы: ⟦Fern-1985⟧",
            "密码：x 密码: ⟦Fern-1985⟧",
        ],
    );
    redacts(
        "secret",
        &[
            "A_SECRET=⟦Fern!Moss7⟧",
            "\"client_secret\": \"⟦Fern.Moss.7⟧\"",
        ],
    );
}

#[test]
fn words_where_only_a_literal_can_stand() {
    redacts(
        "password",
        &[
            "a.b.password=⟦fernmossbark⟧",
            "a.password:⟦fernmossbark⟧",
            "A_PASSWORD: ⟦fernmossbark⟧",
            "<password>⟦fernmossbark⟧</password>",
            "tool -var db_password=⟦fernmossbark⟧ run",
            "#define WIFI_PASSWORD \"⟦fern moss⟧\"",
            "setPassword(\"⟦fernmoss⟧\")",
            "SET PASSWORD FOR 'a' = PASSWORD('⟦fern moss⟧');",
            "props.put(\"db.password\", \"⟦fernmoss⟧\");",
            "if (password === \"⟦fernmoss⟧\") {",
            "process.env.DB_PASS ?? '⟦fernmoss⟧'",
            "password varchar(9) = '⟦fernmoss⟧'",
            "requirepass ⟦fernmoss⟧",
            "a = \"send {\"user\":\"b\",\"password\":\"⟦Fern.2031⟧\"} first",
            "setx A_PASSWORD ⟦fernmoss7⟧",
            "tool --password '⟦fern moss bark⟧' x",
            "IDENTIFIED WITH mysql_native_password BY '⟦fern moss⟧'",
            "A_PASSWORD=\"⟦let the moss grow, Ann⟧\"",
            "const A_PASS: &str = \"⟦Fern$Moss0⟧\";",
        ],
    );
    redacts(
        "password",
        &["A_PASS=⟦{{Fern}}22⟧", "the password is ⟦83920174⟧"],
    );
}

#[test]
fn words_beside_their_user() {
    redacts(
        "password",
        &[
            "db:\n  username: shop\n  password: ⟦fernmoss⟧",
            "[client]\nuser = ann\npassword = ⟦fernmoss⟧",
            "user is \"ann\" and the password is ⟦fern-moss⟧, ask Bo",
            "USER ann\nPASS ⟦fernmoss7⟧",
            "machine h\n  login ann\n  password ⟦-Fern.Moss-⟧",
            "creds: ann / ⟦Fern-Moss7⟧",
            "same password as always: ⟦Fern.Moss.Bark⟧",
            "expect \"assword:\"; send \"⟦Fern.Moss⟧\\r\"",
            "page.getByLabel('Password')\n  .fill('⟦fernmoss⟧')",
        ],
    );
    redacts(
        "recovery-code",
        &["recovery codes:\n  ⟦1a2b3-4c5d6⟧  ⟦7e8f9-0a1b2⟧\nend"],
    );
    redacts("code", &["your one-time code is ⟦583346⟧. It ends"]);
    redacts(
        "key",
        &["define('AUTH_KEY', '⟦~~~~~~~~~~|*~~~~~~~~~~ ~~~~~~~~~~!~~~~~~~~~~⟧');"],
    );
}

#[test]
fn words_that_only_stand_like_a_password() {
    keeps(&[
        "username: str\npassword: constr",
        "username: String\n  password: Hash",
        "user: name,\n  password: hashed",
        "User: enters name\nPassword: enters value",
        "username = request.user\npassword = payload",
        "password: settings",
        "password=filtered",
        "passwd: files systemd",
        "password   required   pam_unix.so",
        "const password = settings",
        "[\"password\", \"firstname\"]",
        "Field(\"password\", \"firstname\")",
        "password policy: Some.Rule.Set",
        "password: \"is too short\"",
        "the password is \"not set\" yet",
        "$pw = Read-Host -AsSecureString",
        "--token-color: #3b82f6;",
        "['pass', '##word', '##less']",
        "--- PASS: TestPassword/cost_12 (0.3s)",
        "Some-Token: W/\"~~~~~~~~~~~~~~~~~~~~\"",
        "a/token-svc:2.1.0@sha256:5adf09a5a526f380237408032a9308000d14d5947eafa687ad6c6a2476787b4f",
        "net user command fails with error 5",
        "username and password are required",
        "redis-cli auth failed",
        "vault login failed",
        "security find-generic-password -w service",
        "credentials: see docs/setup2.md",
        "same_creds = Weak::ptr_eq(a)",
        "recovery codes are shown once: store them",
        "getByLabel('Password').fill(password)",
        "Pass the sink by `Pin<&mut S>`",
    ]);
}

#[test]
fn to_pass_is_a_verb_where_advice_is_given() {
    keeps(&[
        "Pass `encoding=\"utf-8\"` to every `open()`.",
        "pass `timeout=30` to requests.get",
        "Always pass `fp16=True` to Trainer",
        "It hangs. Pass `ES2022` as the target.",
        "- Pass \"Python3.11\" to uv",
        "You must pass 'x86_64-unknown-linux-musl' to cargo",
        "do not pass `HEAD~1` to git",
        "Pass `node:20-alpine` to FROM and pass `ISO-8859-1` to decode",
        "when the user asks for it, pass `-Dspring.profiles.active=test1`",
        "pass `AbortSignal.timeout(5000)` to fetch",
    ]);
    redacts(
        "password",
        &[
            "the pass `⟦hunter22⟧` works",
            "pass: `⟦hunter22⟧`",
            "the login is bob, pass `⟦hunter22⟧`",
            "user bob and pass `⟦hunter22⟧`",
            "db pass \"⟦hunter22⟧\"",
            "Pass `⟦xK9#qL2vTz!8⟧` to the login form",
            "pass='⟦hunter22⟧'",
        ],
    );
}

#[test]
fn passwords_that_only_their_place_tells() {
    redacts(
        "password",
        &[
            "C: AUTH PLAIN ⟦AGFubgBmZXJu⟧\nS: 235 ok",
            "/msg NickServ IDENTIFY ann ⟦fernmoss⟧",
            "mc alias set a https://s3.example.net key ⟦Fern.Moss7⟧",
            "tool -u ann -p ⟦Fern-Moss7⟧ run",
            "tool -u ann:⟦Fern-Moss7⟧ run",
            "tool --user=ann:⟦Fern-Moss7⟧ run",
            "net rpc info -U ⟦ann%Fern_7⟧",
            "echo '⟦fern moss⟧' | cryptsetup luksOpen a b",
            "wpa_passphrase home '⟦Fern!Moss⟧' >> /etc/wpa.conf",
            "ntp authentication-key 7 md5 ⟦Fern77Moss⟧",
            "snmp-server user a b v3 auth sha ⟦Fern_77⟧ priv aes 128 ⟦Moss_77⟧",
            "radius server a\n address ipv4 10.0.0.8\n key ⟦Fern_Moss7⟧",
            "/radius add address=10.0.0.8 secret=⟦\"Fern 12\"⟧",
            "Environment=\"A=b\" \"A_PASSPHRASE=⟦fern wet moss⟧\" \"B=c\"",
            "line vty 0 4\n password 7 ⟦0835495D1D100B⟧",
            "curl -su ⟦ann:fernmoss⟧ https://example.net",
            "a.password = \\\n    ⟦fern.Moss.5⟧\nb=c",
            "wpa_passphrase=⟦fern wet moss⟧\nwpa=2",
            "a=b-psk c-pre-shared-key=\"⟦fern wet moss⟧\"",
            "get(u).basic_auth(\"ann\", Some(\"⟦Fern+7⟧\"))",
            "basic_auth \"ann\", \"⟦fern moss⟧\"",
            "log in as ann with ⟦Fern_Moss7⟧ first",
            "new root password on db3 -> ⟦Fern!Moss7⟧",
        ],
    );
    redacts(
        "code",
        &[
            "gate code is ⟦5512⟧, ring",
            "Door code for the hall: ⟦4471#⟧",
            "SIM PIN: ⟦8830⟧",
        ],
    );
    keeps(&[
        "mc alias set ALIAS URL ACCESSKEY SECRETKEY",
        "docker run -u node -p 3000:3000/tcp app",
        "docker run -u 1000:1000 app",
        "podman run --user www-data:www-data app",
        "sudo -u ann mkdir -p a/b2",
        "no authentication-key here; the pre-shared-key option2 goes",
        "helm upgrade --set a.existingPassword=\\\n  --wait",
        "openssl rsa -in k -passin file:/run/p",
        "vault kv put a/b password=@/tmp/pw.txt",
        "add_basic_auth_header( $request, 'Proxy-Authorization' => $auth )",
        "Pass 'fernmoss' and 'b' on",
        "the exit code is 5512, error code: 40613",
        "Pin the version: 8830",
        "sh -c \"A_PASSWORD=$PW make all\"",
        "log in as root with care",
        "author names or Authorization::Deny7",
        "fn password() -> Result<[u8; 32]>",
    ]);
}

#[test]
fn what_hides_nothing_is_kept_beside_a_secret() {
    let text = "BOM = \"\\uFEFF\"; \u{1b}[1mbold\u{1b}[0m A_PASSWORD=Fern7Moss";
    let kept = text.replace("Fern7Moss", "[REDACTED:password]");
    assert_eq!(redact(text), kept);
}

#[test]
fn passwords_that_commands_take() {
    redacts(
        "password",
        &[
            "gh secret set A --body \"⟦Fern.Moss/6⟧\"",
            "az keyvault secret set --name a --value '⟦Fern(7)⟧'",
            "aws ssm put-parameter --name a --value ⟦Fern-Moss7⟧",
            "keytool -list -storepass ⟦changeit-Fern7⟧",
            "net user ann ⟦Fern77!⟧ /add",
            "net use Z: \\\\srv\\share ⟦Fern77!⟧ /user:ann",
            "sshpass -p '⟦it'\"'\"'s moss⟧' ssh a@b",
            "mysql -p⟦\"fern moss\"⟧ db",
            "nmcli dev wifi connect \"a b\" password \"⟦68283518365⟧\"",
            "ssh-keygen -t rsa -N '⟦fern moss⟧' -f k",
            "lftp -u ⟦ann,Fern77⟧ h",
            "echo -n 'ann:⟦Fern77⟧' | base64",
            "username ann password 7 ⟦0822455D0A16⟧",
            "sqlplus app/⟦Fern7⟧@db",
            "vault kv put kv/a user=ann code=⟦Fern-Moss7⟧",
            "kubectl create secret generic a --from-literal=code=⟦Fern-7⟧",
            "htpasswd -b file ann ⟦Fern7⟧",
            "echo 'ann:⟦Fern7⟧' | chpasswd",
            "echo ⟦Fern7⟧ | docker login -u ann --password-stdin",
            "chpasswd <<< 'ann:⟦Fern7⟧'",
            "CREATE USER 'a'@'%' IDENTIFIED BY '⟦Fern?Moss⟧';",
            "ALTER ROLE a WITH LOGIN PASSWORD '⟦{Fern}Moss1⟧';",
            "requests.get(url, auth=(\"ann\", \"⟦Fern.Moss7⟧\"))",
            "ConvertTo-SecureString \"⟦Fern.Moss7!⟧\" -AsPlainText -Force",
            "jdbc:oracle:thin:app/⟦Fern.Moss7⟧@db:1521/x",
            "new NetworkCredential(\"ann\", \"⟦Fern[7]⟧\")",
            "db.example.net:5432:app:ann:⟦Fern!Moss⟧",
        ],
    );
    redacts(
        "password-hash",
        &[
            "ann:⟦$6$~~~~~~~~$~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧:19800:0:::",
        ],
    );
    redacts(
        "telegram-token",
        &["api.telegram.org/⟦bot4038361693:AA~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧/getMe"],
    );
    redacts(
        "private-key",
        &["{\"kty\":\"EC\",\"d\":\"⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧\",\"x\":\"abc\"}"],
    );
    redacts(
        "twilio-key",
        &[
            "Client(\"⟦AC3f2a9c0d11aa4b2c9d3e0123456789ab⟧\", \"⟦5e1d9c0b22ab4c3d8e4f1023456789cd⟧\")",
        ],
    );
}

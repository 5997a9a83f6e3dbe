//! Secrets below the line that names them.

use super::*;

#[test]
fn a_prompt_is_answered_on_the_next_line() {
    redacts(
        "password",
        &[
            "here is the db password\n⟦Harbor-Lamp58!⟧\n\nrun it again",
            "Password for the admin user (reset it with `tool reset -u admin`):\n  ⟦q=~~~~*~~~~⟧\n",
            "Please use the following password to proceed to installation:\n\n⟦~~~~~~~~~~~~~~~~~~~~⟧\n\nIt is in a file, too.",
            "the password is\n\n    ⟦Gravel+Fork1986⟧\n\nPlease change it.",
            "la contraseña nueva para la base de datos\n\n⟦Nub3s.de.Mayo!⟧\n",
            "ユーザー名\nkensho\nパスワード\n⟦Sakura_kawa#5520⟧\n",
            "Vault password:\n```\n⟦Harbor-Lamp58!⟧\n```\n",
        ],
    );
    redacts(
        "secret",
        &["$ cat /run/secrets/mysql_root_password\n⟦~~~~~~~~~~~~~~~~~~⟧\n$ "],
    );
    redacts(
        "token",
        &["$ vault kv get -field=api_token secret/mailer\n⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧\n$ "],
    );
}

#[test]
fn a_header_is_folded() {
    redacts(
        "credential",
        &["X-Auth-Token:\n ⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧\nAccept: */*"],
    );
}

#[test]
fn an_assignment_goes_on_on_the_next_line() {
    redacts(
        "password",
        &[
            "SMTP_PASSWORD = (\n    \"⟦hook3_rooftop-Saddle⟧\"\n)",
            "ledger.WithPassword(\n\t\"⟦Juniper!Axle-2207⟧\",\n)",
            "<password>\n    ⟦Heron.Quay+58⟧\n  </password>",
            "CREATE USER 'etl'\n  IDENTIFIED BY\n  '⟦Ox!bow_Lake-903⟧';",
            "machine h\n  login\n    bot\n  password\n    ⟦~~~~~~~~~~~~⟧\n",
            "\"--requirepass\",\n    \"⟦~~~~~~~~~~~~⟧\"\n",
        ],
    );
    redacts(
        "secret",
        &["const RELAY_SECRET: &str =\n    \"⟦~~~~~~~~~~~~~~~~~~~~⟧\";"],
    );
    redacts(
        "token",
        &[
            "\"Name\": \"/prod/api_token\",\n\"Type\": \"String\",\n\"Value\": \"⟦~~~~~~~~~~~~~~~~~~~~⟧\",\n",
        ],
    );
}

#[test]
fn a_column_has_its_name_above() {
    redacts(
        "password",
        &[
            "name,password,role\nann,⟦Harbor7Lamp⟧,admin\nben,\"⟦Fork19;Gravel⟧\",\n",
            "host\tuser\tpassword\nh1\tann\t⟦Harbor7Lamp⟧\n",
            "| user | password |\n|------|----------|\n| ann  | ⟦Harbor7Lamp⟧ |\n| ben | ⟦Gravel19+Fork⟧ |\n",
            " user |   password\n------+--------------\n ann  | ⟦Harbor7Lamp⟧\n",
            "NAME   PASSWORD      AGE\nann    ⟦Harbor7Lamp⟧   3d\n",
        ],
    );
}

#[test]
fn other_words_below_a_name_are_no_secrets() {
    keeps(&[
        "## Password\nUse at least 12 characters.\n",
        "Password:\nroot@web1:/app# ls",
        "Enter the token:\nPermission denied",
        "DB_PASSWORD\nS3_BUCKET2\nAPI_TOKEN\n",
        "spring.datasource.password=\\\n    ${DB_PASSWORD}\nspring.datasource.hikari.maximum-pool-size=8\n",
        "the token was dropped in this commit\n3f2a9c0d11aa4b2c9d3e0123456789ab01234567\n",
        "name,password_hash\nann,none\n",
        "passwd\t1.2\nlibpam-modules2\t1.5\n",
        "apt\tbase-files\t12\napt\tpasswd\t4.13\napt\tpkg-x86-64-config3\t1.8\n",
        "    InvalidPsk,\n    Version2Extension,\n",
        "push_userpass(\n    &percent_encoding::utf8_encode(\n",
        "password: {{ .Values.auth.password | b64enc | quote }}",
        "ED25519 key fingerprint is SHA256:~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~.",
    ]);
}

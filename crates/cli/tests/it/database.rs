//! Stores of a server at the command line: a PostgreSQL database is set up and holds keys.

use insta::assert_snapshot;

use crate::{
    env::TestEnv,
    postgres::{self, ROLE, TestDatabase},
};

/// The address of a database, and how to make what is said of it the same each time.
struct Address {
    url: String,
    folder: String,
    name: String,
}

impl Address {
    fn of(database: &TestDatabase) -> Self {
        let server = postgres::server().unwrap();
        let folder = server.socket_dir().display().to_string();
        let name = database.name().to_owned();
        let url = format!("postgres://{ROLE}@{}/{name}", folder.replace('/', "%2F"));
        Self { url, folder, name }
    }

    fn told(&self, env: &TestEnv, args: &[&str]) -> String {
        let told = env.told(&[args, &["--store", &self.url]].concat());
        told.replace(&self.folder, "[FOLDER]")
            .replace(&self.name, "[NAME]")
    }
}

#[test]
fn a_database_is_set_up_and_has_keys() {
    let Some(server) = postgres::server() else {
        return;
    };
    let env = TestEnv::new();
    let database = server.empty_database();
    let address = Address::of(&database);
    assert_snapshot!(address.told(&env, &["key", "list"]), @"
    ! hardwon: opening the database: the database has no store yet (database [NAME] at [FOLDER])
    ! hint: run `hardwon db migrate` as the owner of the tables
    [exit 4]
    ");
    assert_snapshot!(address.told(&env, &["db", "migrate"]), @"database [NAME] at [FOLDER]: made the tables, form 11");
    assert_snapshot!(address.told(&env, &["db", "migrate"]), @"database [NAME] at [FOLDER]: form 11, nothing to do");
    assert_snapshot!(address.told(&env, &["tenant", "add", "acme"]), @"added tenant acme");
    let added = address.told(
        &env,
        &[
            "key", "add", "--role", "owner", "--tenant", "acme", "--json",
        ],
    );
    let added: serde_json::Value = serde_json::from_str(&added).unwrap();
    let id = added["id"].as_str().unwrap();
    let listed = address.told(&env, &["key", "list"]).replace(id, "[ID]");
    assert_snapshot!(listed, @"[ID]  owner: owner, tenant acme, never used");
    assert_snapshot!(address.told(&env, &["tenant", "list"]), @"acme");
    assert!(!env.db().with_file_name("keys.db").exists());
}

/// What the address does not say is read of the environment, as PostgreSQL's own clients do.
#[test]
fn the_environment_says_how_to_connect() {
    let Some(server) = postgres::server() else {
        return;
    };
    let env = TestEnv::new();
    let database = server.empty_database();
    let address = Address::of(&database);
    let told = |variables: &[(&str, &str)], store: &str| {
        let mut command = env.command();
        command.args(["db", "migrate", "--store", store]);
        command.envs(variables.iter().copied());
        let ran = command.output().unwrap();
        String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned()
    };
    let strange = told(&[("PGSSLMODE", "strange")], &address.url);
    assert!(strange.contains("PGSSLMODE"), "{strange}");
    // Over a socket of the machine nothing is encrypted, whatever is demanded.
    let local = told(&[("PGSSLMODE", "verify-full")], &address.url);
    assert!(local.contains(database.name()), "{local}");
    // Nobody listens there; a server that is spoken to in the open would be told apart in `store-postgres`.
    let away = "postgres://u@127.0.0.1:1/d";
    let missing = told(&[("PGSSLROOTCERT", "/no/roots.pem")], away);
    assert!(missing.contains("/no/roots.pem"), "{missing}");
}

/// An address may hold a password, which is printed by nothing, whatever is wrong.
#[test]
fn what_is_wrong_with_a_store_is_said_without_its_password() {
    let env = TestEnv::new();
    let addresses = [
        "postgres://u:hunter2@127.0.0.1:1/d",
        "postgres://u:hunter2@127.0.0.1:1/d?sslmode=strange",
        "postgres://u:hunter2@127.0.0.1:port/d",
        "mysql://u:hunter2@127.0.0.1/d",
    ];
    let commands: [&[&str]; 3] = [&["db", "migrate"], &["key", "list"], &["serve"]];
    for address in addresses {
        for command in commands {
            let ran = env.run(&[command, &["--store", address]].concat());
            let told = ran.told();
            assert!(ran.code != 0 && !told.contains("hunter2"), "{told}");
        }
    }
    assert_snapshot!(env.told(&["db", "migrate", "--store", "mysql://u:hunter2@h/d"]), @"
    ! hardwon: this is no store that hardwon knows
    ! hint: name a file, or write postgres://USER@HOST/DATABASE
    [exit 2]
    ");
    assert_snapshot!(env.told(&["db", "migrate"]), @"
    ! hardwon: this is about a PostgreSQL database
    ! hint: name it: --store postgres://USER@HOST/DATABASE; a file needs nothing of it
    [exit 2]
    ");
    assert_snapshot!(env.told(&["key", "list", "--db", "x", "--store", "y"]), @"
    ! hardwon: --db and --store both say where the lessons are
    ! hint: leave one out
    [exit 2]
    ");
}

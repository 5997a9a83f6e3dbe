//! What the SQL may not use, because some engine that speaks it does not, or does something else.

use std::{fs, path::Path};

/// Words that stand for something that not every engine has, or that a pooler or a shard breaks.
const FORBIDDEN: [&str; 17] = [
    "ADVISORY",
    "NOTIFY",
    "LISTEN",
    "SERIAL",
    "BIGSERIAL",
    "IDENTITY",
    "NEXTVAL",
    "TRIGGER",
    "TEMP",
    "TEMPORARY",
    "PLPGSQL",
    "EXTENSION",
    "SAVEPOINT",
    "TRUNCATE",
    "REFERENCES",
    "FOREIGN",
    "CONCURRENTLY",
];

/// Tables that belong to no tenant: those of whoever runs the servers.
pub(crate) const OPERATORS_TABLES: [&str; 4] = ["served_tenant", "api_key", "key_log", "key_lock"];

/// Returns the texts of the crate's files that end so, with their names, without comments.
fn read_files(folder: &str, ending: &str, comment: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().ends_with(ending) {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().map(|line| line.split(comment).next().unwrap());
            files.push((
                path.display().to_string(),
                code.collect::<Vec<_>>().join("\n"),
            ));
        }
    }
    assert!(!files.is_empty());
    files
}

fn schema() -> String {
    let mut files = read_files("src/schema", ".sql", "--");
    files.sort();
    files
        .into_iter()
        .map(|it| it.1)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the statements in the code: the texts that name a table of ours.
fn statements() -> Vec<String> {
    let mut files = read_files("src", ".rs", "//");
    // Those about keys and about tenants' tables run on SQLite as well.
    files.extend(read_files("../server/src/key_store", ".rs", "//"));
    files.extend(read_files("../store/src/tables", ".rs", "//"));
    files.extend(read_files("../store/src", "tables.rs", "//"));
    let texts = files.iter().flat_map(|(_, code)| {
        let code = code.replace("\\\"", "'");
        let texts = code.split('"').skip(1).step_by(2).map(str::to_owned);
        texts.collect::<Vec<_>>()
    });
    let statements: Vec<String> = texts.filter(|it| it.contains("hardwon.")).collect();
    assert!(statements.len() > 50, "{}", statements.len());
    statements
}

fn words(sql: &str) -> Vec<String> {
    let words = sql.split(|c: char| !c.is_alphanumeric());
    words.map(str::to_uppercase).collect()
}

#[test]
fn statements_use_what_all_engines_have() {
    for sql in statements().iter().chain([&schema()]) {
        let found = words(sql)
            .into_iter()
            .find(|it| FORBIDDEN.contains(&it.as_str()));
        assert_eq!(found, None, "{sql}");
        let sql = sql.to_lowercase();
        for phrase in ["create sequence", "set session", "create function"] {
            assert!(!sql.contains(phrase), "{sql}");
        }
    }
}

#[test]
fn every_statement_names_its_tenant() {
    for sql in statements() {
        let is_operators = |name: &&str| sql.contains(&format!("hardwon.{name}"));
        let is_of_nobody = sql.contains("schema_version")
            || sql.contains("ROW LEVEL SECURITY")
            || OPERATORS_TABLES.iter().any(is_operators);
        let sql = sql.trim_start();
        let is_insert = (sql.starts_with("INSERT INTO") || sql.starts_with("WITH head AS"))
            && sql.contains("(tenant,");
        // Lists all tenants, for their owner alone, after the wall was told to let it.
        let is_migration = sql == "SELECT name FROM hardwon.tenant ORDER BY tenant";
        // The keys of this database begin with the tenant, and so do its own words about lessons.
        let is_word = sql.starts_with("JOIN ");
        let names = [
            "tenant = $1",
            "({names}) VALUES",
            "{AT_PLACE}",
            "WHERE {own}",
            "WHERE {key}",
            "WHERE {of_scope}",
            "WHERE {of_lesson}",
        ];
        let names = is_word || names.iter().any(|it| sql.contains(it));
        assert!(is_of_nobody || is_insert || is_migration || names, "{sql}");
    }
}

/// What stands in the place of this database's own words in the statements that others run as well.
#[test]
fn every_word_of_this_database_names_the_tenant() {
    let files = read_files("src", "/rows.rs", "//");
    let (_, words) = files[0].1.split_once("WORDS: TableWords = ").unwrap();
    let joins = ["own_lesson:", "_of_lesson:", "_of_scope:"];
    let lines = words
        .lines()
        .filter(|line| joins.iter().any(|it| line.contains(it)));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), 6);
    for line in lines {
        assert!(line.contains("tenant = "), "{line}");
    }
}

#[test]
fn every_key_begins_with_the_tenant_and_compares_bytes() {
    let schema = schema();
    let tables: Vec<&str> = schema.split("CREATE TABLE ").skip(1).collect();
    assert_eq!(tables.len(), 21 + OPERATORS_TABLES.len());
    for table in tables {
        let (name, rest) = table.split_once(" (").unwrap();
        let short = name.trim_start_matches("hardwon.");
        if OPERATORS_TABLES.contains(&short) {
            continue;
        }
        let (columns, _) = rest.split_once("\n)").unwrap();
        assert!(columns.trim_start().starts_with("tenant "), "{name}");
        let key = columns.split("PRIMARY KEY (").nth(1).unwrap();
        let mut keys = vec![key.split(')').next().unwrap()];
        let on = format!(" ON {name} (");
        keys.extend(
            schema
                .split(&on)
                .skip(1)
                .map(|it| it.split(';').next().unwrap()),
        );
        for key in keys {
            assert!(key.starts_with("tenant"), "{name}: {key}");
            for line in columns.lines() {
                let mut parts = line.split_whitespace();
                let (column, kind) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
                let is_in_key = key
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .any(|it| it == column);
                if kind == "text" && is_in_key {
                    assert!(line.contains("COLLATE \"C\""), "{name}: {line}");
                }
            }
        }
        for wall in ["ENABLE", "FORCE"] {
            let wall = format!("ALTER TABLE hardwon.{short} {wall} ROW LEVEL SECURITY");
            assert!(schema.contains(&wall), "{wall}");
        }
        assert!(schema.contains(&format!("CREATE POLICY own_tenant ON hardwon.{short}\n")));
    }
}

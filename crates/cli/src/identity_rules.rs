//! The file that says who is given what of those whom an identity provider vouches for.
//!
//! A file that is not understood is an error: a mistyped rule could let in whom nobody meant. Which rule fits whom is
//! decided in `hardwon-core`.

use std::path::PathBuf;

use hardwon_core::{
    api_key::{ClaimRule, ClaimRules, KeyGrant, KeyLimits, Role},
    id::{AgentId, ProjectId, TenantId},
};
use serde_json::{Map, Number, Value};
use toml_edit::{DocumentMut, Item, Table};

/// What the file says.
#[derive(Debug, Default, PartialEq)]
pub struct IdentityRules {
    /// Who is given what.
    pub rules: ClaimRules,
    /// The claim that says what somebody is called.
    pub name_claim: Option<String>,
    /// What is asked for at a login, besides `openid`.
    pub login_scopes: Vec<String>,
    /// What MCP clients are told to ask for.
    pub token_scopes: Vec<String>,
    /// The file of certificates that vouch for the provider.
    pub ca_file: Option<PathBuf>,
}

/// Parses the file.
///
/// # Errors
/// If it is not TOML, has a key or a value that has no meaning here, or gives nobody anything.
pub fn parse_rules(text: &str) -> Result<IdentityRules, String> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().matches('\n').count() + 1;
        format!("line {line}: {}", error.message())
    })?;
    let mut told = IdentityRules::default();
    let mut rules = Vec::new();
    for (key, item) in document.iter() {
        match key {
            "name_claim" => told.name_claim = Some(read_text(key, item)?),
            "login_scopes" => told.login_scopes = read_texts(key, item)?,
            "token_scopes" => told.token_scopes = read_texts(key, item)?,
            "ca_file" => told.ca_file = Some(read_text(key, item)?.into()),
            "grant" => {
                let tables = item.as_array_of_tables();
                for table in tables.ok_or("write each rule below `[[grant]]`")? {
                    let number = rules.len() + 1;
                    let rule = read_rule(table);
                    rules.push(rule.map_err(|why| format!("`[[grant]]` number {number}: {why}"))?);
                }
            }
            other => return Err(format!("there is no key `{other}`")),
        }
    }
    if rules.is_empty() {
        return Err("there is no `[[grant]]` in it, so nobody would be given anything".to_owned());
    }
    told.rules = ClaimRules::new(rules);
    Ok(told)
}

fn read_rule(table: &Table) -> Result<ClaimRule, String> {
    let (mut role, mut tenant) = (None, None);
    let (mut claims, mut limits) = (Map::new(), KeyLimits::default());
    let wrong = |error: hardwon_core::id::InvalidName| error.to_string();
    for (key, item) in table {
        match key {
            "claims" => claims = read_claims(item)?,
            "tenant" => tenant = Some(TenantId::parse(&read_text(key, item)?).map_err(wrong)?),
            "role" => {
                let name = read_text(key, item)?;
                let found = Role::from_name(&name);
                role = Some(found.ok_or_else(|| format!("there is no role `{name}`"))?);
            }
            "agents" => {
                let names = read_texts(key, item)?;
                let names = names.iter().map(|it| AgentId::parse(it));
                limits.agents = names.collect::<Result<_, _>>().map_err(wrong)?;
            }
            "projects" => {
                let names = read_texts(key, item)?;
                let names = names.iter().map(|it| ProjectId::parse(it));
                limits.projects = names.collect::<Result<_, _>>().map_err(wrong)?;
            }
            other => return Err(format!("there is no key `{other}`")),
        }
    }
    let role = role.ok_or("it names no `role`")?;
    let tenant = Some(tenant.ok_or("it names no `tenant`")?);
    // Said of operators in words of its own.
    let tenant = tenant.filter(|_| role != Role::Operator);
    let grant = KeyGrant::new(role, tenant, limits).map_err(|why| why.to_string())?;
    ClaimRule::new(claims, grant).map_err(|why| why.to_string())
}

/// Reads what claims have to hold, as the JSON that they are compared with.
fn read_claims(item: &Item) -> Result<Map<String, Value>, String> {
    let table = item.as_table_like();
    let table = table.ok_or("`claims` is no table such as { groups = \"curators\" }")?;
    let members = table
        .iter()
        .map(|(name, item)| Ok((name.to_owned(), read_claim(name, item)?)));
    members.collect()
}

fn read_claim(name: &str, item: &Item) -> Result<Value, String> {
    if item.is_table_like() {
        return read_claims(item).map(Value::Object);
    }
    let value = item
        .as_value()
        .ok_or_else(|| format!("`{name}` has no value"))?;
    read_value(name, value)
}

fn read_value(name: &str, value: &toml_edit::Value) -> Result<Value, String> {
    match value {
        toml_edit::Value::String(text) => Ok(Value::String(text.value().clone())),
        toml_edit::Value::Integer(number) => Ok(Value::Number(Number::from(*number.value()))),
        toml_edit::Value::Boolean(word) => Ok(Value::Bool(*word.value())),
        toml_edit::Value::Array(several) => {
            let members = several.iter().map(|it| read_value(name, it));
            members.collect::<Result<_, _>>().map(Value::Array)
        }
        toml_edit::Value::InlineTable(table) => {
            let members = table
                .iter()
                .map(|(name, it)| Ok((name.to_owned(), read_value(name, it)?)));
            members.collect::<Result<_, String>>().map(Value::Object)
        }
        _ => Err(format!(
            "`{name}` is neither a text, a whole number, `true`, `false`, nor a list or table of such"
        )),
    }
}

fn read_text(name: &str, item: &Item) -> Result<String, String> {
    let text = item.as_str().filter(|it| !it.trim().is_empty());
    text.map(str::to_owned)
        .ok_or_else(|| format!("`{name}` is no text"))
}

fn read_texts(name: &str, item: &Item) -> Result<Vec<String>, String> {
    let texts = item.as_array().into_iter().flatten();
    let texts: Option<Vec<String>> = texts.map(|it| it.as_str().map(str::to_owned)).collect();
    // An empty list of limits would set none.
    let texts = texts.filter(|it| !it.is_empty());
    texts.ok_or_else(|| format!("`{name}` is no list of texts"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_file_may_say() {
        let text = "
            name_claim = 'preferred_username'
            login_scopes = ['groups']
            token_scopes = ['lessons']
            ca_file = 'house.pem'

            [[grant]]
            claims = { groups = 'lesson-owners', email_verified = true, level = 3 }
            tenant = 'acme'
            role = 'owner'

            [[grant]]
            tenant = 'acme'
            role = 'agent'
            agents = ['gardener']
            projects = ['orchard']
            [grant.claims.realm_access]
            roles = ['agent', 'robot']
        ";
        let told = parse_rules(text).unwrap();
        assert_eq!(told.name_claim.as_deref(), Some("preferred_username"));
        assert_eq!(told.login_scopes, ["groups"]);
        assert_eq!(told.token_scopes, ["lessons"]);
        assert_eq!(told.ca_file, Some("house.pem".into()));
        let given = |claims: Value| {
            let grant = told.rules.find_grant(claims.as_object().unwrap())?;
            let agents = grant.limits().agents.iter().map(|it| it.to_string());
            Some((grant.role(), agents.collect::<Vec<_>>().join(" ")))
        };
        let owner = json!({"groups": ["lesson-owners"], "email_verified": true, "level": 3});
        assert_eq!(given(owner), Some((Role::Owner, String::new())));
        let robot = json!({"realm_access": {"roles": ["robot"]}});
        assert_eq!(given(robot), Some((Role::Agent, "gardener".to_owned())));
        assert_eq!(given(json!({"groups": ["lesson-owners"]})), None);
    }

    #[test]
    fn a_file_that_is_not_understood_gives_nobody_anything() {
        let check = |text: &str, expected: &str| {
            let told = parse_rules(text).unwrap_err();
            assert!(told.contains(expected), "{text}: {told}");
        };
        let rule = |lines: &str| format!("[[grant]]\ntenant = 't'\nrole = 'viewer'\n{lines}");
        check("", "no `[[grant]]`");
        check("[", "line 1");
        check("grants = []", "no key `grants`");
        check("grant = {}", "below `[[grant]]`");
        check("name_claim = 3", "`name_claim` is no text");
        check(&rule(""), "number 1: a rule has to name a claim");
        check(&rule("claims = {}"), "a rule has to name a claim");
        check(
            &rule("claims = { groups = [] }"),
            "a rule has to name a claim",
        );
        check(&rule("claims = 'a'"), "`claims` is no table");
        check(
            &rule("claims = { since = 2026-01-01 }"),
            "`since` is neither",
        );
        check(
            &rule("claims = { a = 'b' }\nagents = []"),
            "`agents` is no list",
        );
        check(
            &rule("claims = { a = 'b' }\nproject = ['a']"),
            "no key `project`",
        );
        check(
            "[[grant]]\nrole = 'viewer'\nclaims = { a = 'b' }",
            "no `tenant`",
        );
        check("[[grant]]\ntenant = 't'\nclaims = { a = 'b' }", "no `role`");
        check("[[grant]]\ntenant = 't'\nrole = 'admin'", "no role `admin`");
        let operator = "[[grant]]\ntenant = 't'\nrole = 'operator'\nclaims = { a = 'b' }";
        check(operator, "given to nobody by a rule");
        let owner = "[[grant]]\ntenant = 't'\nrole = 'owner'\nagents = ['a']\nclaims = { a = 'b' }";
        check(owner, "cannot be tied");
    }
}

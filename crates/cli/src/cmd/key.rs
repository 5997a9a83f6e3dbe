//! `hardwon key`: the keys of a server, for whoever owns the machine that it runs on.

use std::{iter, process::ExitCode};

use hardwon_core::{Actor, KeyName, TenantId, limits};
use hardwon_server::{
    ApiKey, ApiKeyDto, ApiKeyRecord, KeyGrant, KeyId, KeyKind, KeyLimits, KeyLogEntry, KeyOrder,
    KeyReach, KeyStore, NewKeyDto, Role, api_key::KEY_ENTROPY_BYTES,
};
use hardwon_store::paging::read_pages;
use jiff::{SignedDuration, Timestamp};

use crate::{
    CliError, ExitReason, GlobalArgs, Result, Settings, StorePlace,
    args::{KeyAddArgs, KeyArgs, KeyCommand},
    output, server_store, time,
};

pub(super) fn run(global: &GlobalArgs, args: KeyArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    if !matches!(args.command, KeyCommand::Add(_)) {
        super::refuse_scope_options(global, "keys are named by their ids")?;
    }
    let place = StorePlace::find(&args.store, global, &settings)?;
    let json = args.json;
    match args.command {
        KeyCommand::Add(args) => add_key(global, &settings, &place, &args, json)?,
        KeyCommand::List { tenant, all } => list_keys(&place, tenant.as_deref(), all, json)?,
        KeyCommand::Rotate { key, keep } => rotate_key(&place, &key, keep, json)?,
        KeyCommand::Revoke { key } => revoke_key(&place, &key, json)?,
        KeyCommand::Prune { ended } => prune_keys(&place, ended, json)?,
        KeyCommand::Log => return print_log(&place, json),
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes an order of whoever owns the machine, as of now.
pub(super) fn order_as_owner() -> KeyOrder {
    KeyOrder {
        at: Timestamp::now(),
        by: Actor::person(),
        reach: KeyReach::Server,
    }
}

fn add_key(
    global: &GlobalArgs,
    settings: &Settings,
    place: &StorePlace,
    args: &KeyAddArgs,
    json: bool,
) -> Result<()> {
    let grant = read_grant(global, settings, args)?;
    let name = args.name.as_deref().unwrap_or(&args.role);
    let name = KeyName::parse(name).map_err(CliError::bad_input)?;
    let expires = find_end(args.expires)?;
    let store = server_store::open_keys(place)?;
    let (key, record) = make_key(&store, grant, name, expires)?;
    print_new_key(&key, &record, json)
}

/// Makes a key and saves it.
fn make_key(
    store: &KeyStore,
    grant: KeyGrant,
    name: KeyName,
    expires: Option<Timestamp>,
) -> Result<(ApiKey, ApiKeyRecord)> {
    let key = ApiKey::from_entropy(grant.key_kind(), draw_entropy()?);
    ensure_local_tenant(store, &grant)?;
    let record = ApiKeyRecord::new(&key, grant, name, Timestamp::now(), expires);
    let record = store.add_key(&order_as_owner(), &record)?;
    Ok((key, record))
}

/// Reads the role, the tenant and the limits that were typed.
fn read_grant(global: &GlobalArgs, settings: &Settings, args: &KeyAddArgs) -> Result<KeyGrant> {
    let role = Role::from_name(&args.role).expect("clap lets in only names of roles");
    let tenant = match (&args.tenant, role) {
        (Some(name), _) => Some(parse_tenant(name)?),
        (None, Role::Operator) => None,
        (None, _) => Some(settings.scope.tenant.clone()),
    };
    let agent = global.agent.is_some().then(|| settings.scope.agent.clone());
    let project = match global.project {
        Some(_) => settings.scope.project.clone(),
        None => None,
    };
    let limits = KeyLimits {
        agents: agent.into_iter().collect(),
        projects: project.into_iter().collect(),
    };
    KeyGrant::new(role, tenant, limits).map_err(CliError::bad_input)
}

pub(super) fn parse_tenant(name: &str) -> Result<TenantId> {
    TenantId::parse(name).map_err(CliError::bad_input)
}

/// Makes a key with which the owner of this machine's lessons gets in.
pub(super) fn add_owner_key(
    tenant: &TenantId,
    store: &KeyStore,
    name: &str,
    lasting: Option<SignedDuration>,
) -> Result<ApiKey> {
    let grant = KeyGrant::new(Role::Owner, Some(tenant.clone()), KeyLimits::default())
        .map_err(CliError::internal)?;
    let name = KeyName::parse(name).expect("words are a name");
    Ok(make_key(store, grant, name, find_end(lasting)?)?.0)
}

/// Adds the tenant of this machine, which exists without being added.
fn ensure_local_tenant(store: &KeyStore, grant: &KeyGrant) -> Result<()> {
    let local = TenantId::default();
    if grant.tenant() == Some(&local) && store.find_tenant(&local)?.is_none() {
        store.add_tenant(&order_as_owner(), &local)?;
    }
    Ok(())
}

fn rotate_key(
    place: &StorePlace,
    key: &str,
    keep: Option<SignedDuration>,
    json: bool,
) -> Result<()> {
    let id = parse_id(key)?;
    let store = server_store::open_keys(place)?;
    let kind = store.find_key(&id)?.map_or(KeyKind::Tenant, |key| key.kind);
    let key = ApiKey::with_new_secret(kind, id.clone(), draw_entropy()?);
    let older_until = add_time(Timestamp::now(), keep.unwrap_or(SignedDuration::ZERO))?;
    let secret = key.secret_hash();
    let record = store.rotate_key(&order_as_owner(), &id, &secret, older_until)?;
    print_new_key(&key, &record, json)
}

/// Prints a key, on stdout alone so that it can be piped to where it belongs.
fn print_new_key(key: &ApiKey, record: &ApiKeyRecord, json: bool) -> Result<()> {
    if json {
        return output::print_json(&NewKeyDto::new(key, record));
    }
    output::print_line(&key.reveal())?;
    print_note!(
        "key {}: {}. It is shown this once; keep it as you would a password",
        key.id(),
        describe_grant(record)
    );
    Ok(())
}

fn revoke_key(place: &StorePlace, key: &str, json: bool) -> Result<()> {
    let id = parse_id(key)?;
    let store = server_store::open_keys(place)?;
    let keys = store.revoke_key(&order_as_owner(), &id)?;
    if json {
        let mut records = keys.iter().map(ApiKeyDto::from);
        return records.try_for_each(|record| output::print_json(&record));
    }
    let sessions = keys.len().saturating_sub(1);
    output::print_line(&match (keys.is_empty(), sessions) {
        (true, _) => format!("key {id} was revoked before"),
        (false, 0) => format!("revoked key {id}"),
        (false, _) => {
            let sessions = output::pluralize(sessions as u64, "session");
            format!("revoked key {id}, and ended {sessions}")
        }
    })
}

/// Forgets keys that ended long ago.
fn prune_keys(place: &StorePlace, ended: SignedDuration, json: bool) -> Result<()> {
    let ended_before = add_time(Timestamp::now(), -ended)?;
    let count = match server_store::open_existing_keys(place)? {
        Some(store) => store.prune_keys(&order_as_owner(), ended_before)? as u64,
        None => 0,
    };
    output::print_answer(json, &serde_json::json!({ "forgotten": count }), || {
        format!("forgot {}", output::pluralize(count, "key"))
    })
}

fn list_keys(place: &StorePlace, tenant: Option<&str>, all: bool, json: bool) -> Result<()> {
    let reach = match tenant {
        Some(name) => KeyReach::Tenant(parse_tenant(name)?),
        None => KeyReach::Server,
    };
    let Some(store) = server_store::open_existing_keys(place)? else {
        return Ok(());
    };
    let now = Timestamp::now();
    let mut keys = read_all_keys(&store, &reach)?;
    keys.retain(|key| all || key.is_valid_at(now) && key.kind != KeyKind::Session);
    keys.sort_by_key(|key| key.created);
    for record in &keys {
        output::print_answer(json, &ApiKeyDto::from(record), || render_key(record, now))?;
    }
    Ok(())
}

fn read_all_keys(store: &KeyStore, reach: &KeyReach) -> Result<Vec<ApiKeyRecord>> {
    let page = |after: &Option<KeyId>| store.keys(reach, after.as_ref(), limits::PAGE_ROWS);
    let keys = read_pages(None, page, |after, last| *after = Some(last.id.clone()));
    Ok(keys.collect::<Result<_, _>>()?)
}

/// Writes a key on one line.
fn render_key(record: &ApiKeyRecord, now: Timestamp) -> String {
    let mut parts = vec![describe_grant(record)];
    if record.opened_by.is_some() {
        parts.push("session".to_owned());
    }
    match (&record.revoked, record.expires) {
        (Some(revoked), _) => parts.push(format!("revoked {}", time::format_local(revoked.at))),
        (None, Some(end)) if end <= now => {
            parts.push(format!("expired {}", time::format_local(end)));
        }
        (None, Some(end)) => parts.push(format!("expires {}", time::format_local(end))),
        (None, None) => {}
    }
    parts.push(match record.last_used {
        Some(at) => format!("used {}", time::format_local(at)),
        None => "never used".to_owned(),
    });
    let name = record.name.as_str();
    output::replace_controls(&format!("{}  {name}: {}", record.id, parts.join(", ")))
}

/// Says what a key was given.
fn describe_grant(record: &ApiKeyRecord) -> String {
    let grant = &record.grant;
    let limits = grant.limits();
    let tenant = grant.tenant().map(|tenant| format!("tenant {tenant}"));
    let agents = limits.agents.iter().map(|agent| format!("agent {agent}"));
    let projects = limits.projects.iter();
    let projects = projects.map(|project| format!("project {}", project.display_name()));
    let role = iter::once(grant.role().name().to_owned());
    let parts: Vec<String> = role.chain(tenant).chain(agents).chain(projects).collect();
    parts.join(", ")
}

fn print_log(place: &StorePlace, json: bool) -> Result<ExitCode> {
    let Some(store) = server_store::open_existing_keys(place)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let page = |after: &u64| store.log(&KeyReach::Server, *after, limits::PAGE_ROWS);
    for entry in read_pages(0, page, |after, last| *after = last.sequence) {
        let entry = entry?;
        output::print_answer(json, &entry, || render_entry(&entry))?;
    }
    let report = store.verify()?;
    for fault in &report.faults {
        let fault = output::replace_controls(fault);
        print_note!("the log does not verify: {fault}");
    }
    if report.faults.is_empty() {
        let changes = output::pluralize(report.entries, "change");
        print_note!("the log verifies: {changes}");
    }
    Ok(ExitReason::Negative.exit_code_if(!report.faults.is_empty()))
}

fn render_entry(entry: &KeyLogEntry) -> String {
    let at = time::format_local(entry.at);
    let key = entry
        .key
        .as_ref()
        .map(|key| format!(" {key}"))
        .unwrap_or_default();
    let tenant = entry.tenant.as_ref().map(|tenant| format!(" of {tenant}"));
    output::replace_controls(&format!(
        "{:<5} {at}  {}{key}{} by {}",
        entry.sequence,
        entry.action.name(),
        tenant.unwrap_or_default(),
        entry.by.0
    ))
}

fn parse_id(text: &str) -> Result<KeyId> {
    KeyId::parse(text).ok_or_else(|| {
        CliError::bad_input("this is no id of a key, which has ten letters and digits")
            .with_hint("`hardwon key list` shows those there are")
    })
}

/// Returns when something ends that lasts so long from now on.
fn find_end(lasting: Option<SignedDuration>) -> Result<Option<Timestamp>> {
    let end = lasting.map(|length| add_time(Timestamp::now(), length));
    end.transpose()
}

fn add_time(now: Timestamp, length: SignedDuration) -> Result<Timestamp> {
    let sum = now.checked_add(length);
    sum.map_err(|_| CliError::bad_input("this time is too far in the future"))
}

/// Draws the bytes of a key from the operating system.
fn draw_entropy() -> Result<[u8; KEY_ENTROPY_BYTES]> {
    let mut bytes = [0; KEY_ENTROPY_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|why| internal!("drawing random bytes for a key: {why}"))?;
    Ok(bytes)
}

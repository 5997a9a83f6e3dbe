//! What must hold after every step, and what is looked at now and then.

use std::{fmt::Write as _, fs};

use anyhow::{bail, ensure};
use hardwon_core::{
    change::evicted, guard::find_markers, id::TenantId, lesson::TrustClass, limits, scope::Scope,
};
use hardwon_engine::{Ask, Desk, Engine, Lesson, Recalled};
use hardwon_store::{Listing, RecallListing, Within};
use jiff::Timestamp;

use super::{
    agent::{self, PLACES},
    world::{BUDGET, CAPACITY, World},
};
use crate::desk::person;

/// Checks a block of lessons: whole, within its budget, and nothing in it but lines of advice.
pub(super) fn preamble(text: &str) -> anyhow::Result<()> {
    let most = BUDGET.bytes.min(BUDGET.tokens * limits::TOKEN_BYTES);
    ensure!(text.len() <= most, "a preamble of {} bytes", text.len());
    let lines: Vec<&str> = text.lines().collect();
    let [first, lines @ .., last] = &lines[..] else {
        ensure!(text.is_empty(), "half a preamble: {text}");
        return Ok(());
    };
    ensure!(
        first.starts_with("[KNOWN PITFALLS"),
        "it begins with {first}"
    );
    ensure!(*last == "[END KNOWN PITFALLS]", "it ends with {last}");
    for line in lines {
        ensure!(line.starts_with("- "), "a line breaks out: {line}");
        ensure!(find_markers(line).is_empty(), "a marker survived: {line}");
    }
    Ok(())
}

/// Checks that a recall shows what may be seen from where it was asked, and nothing else.
pub(super) fn recalled(recalled: &Recalled, ask: &Ask) -> anyhow::Result<()> {
    preamble(&recalled.preamble.text)?;
    let shown = recalled.ranking.shown.iter().map(|it| &it.lesson);
    let others = recalled.ranking.passed_over.iter().map(|it| &it.lesson);
    for lesson in shown.chain(others) {
        ensure!(
            lesson.scope.is_visible_from(&ask.scope),
            "{} of {:?} was found from {:?}",
            lesson.id,
            lesson.scope,
            ask.scope
        );
    }
    is_of_here(&recalled.preamble.text, &ask.scope)
}

/// Checks that a text holds no word that is only used where one cannot see from here.
fn is_of_here(text: &str, scope: &Scope) -> anyhow::Result<()> {
    for (place, (.., word)) in PLACES.iter().enumerate() {
        let is_visible = agent::scope(place).is_visible_from(scope);
        ensure!(
            is_visible || !text.contains(word),
            "{word} is not of here: {text}"
        );
    }
    Ok(())
}

/// Checks that no secret was said in this step.
pub(super) fn said(world: &World) -> anyhow::Result<()> {
    let told = world.told.to_lowercase();
    no_secret(world, &told, "an answer")
}

fn no_secret(world: &World, text: &str, place: &str) -> anyhow::Result<()> {
    for secret in &world.secrets {
        if let Some(at) = text.find(&secret.to_lowercase()) {
            let skipped = text[..at].chars().count().saturating_sub(60);
            let before: String = text[..at].chars().skip(skipped).collect();
            bail!("a secret is in {place}, after {before:?}");
        }
    }
    Ok(())
}

/// Checks everything: the journals, the rows, the model, the bounds, the files, and that both
/// stores agree.
pub(super) fn everything(world: &mut World) -> anyhow::Result<()> {
    for engine in [&world.memory, &world.processes[0]] {
        person(engine, &Scope::default()).flush_recalls(Timestamp::MIN)?;
    }
    for tenant in tenants() {
        let audit = owner(&world.processes[0], &tenant).audit()?;
        ensure!(audit.is_sound(), "the journal of {tenant}: {audit:?}");
        let (memory, sqlite) = (
            dump(&world.memory, &tenant)?,
            dump(&world.processes[1], &tenant)?,
        );
        is_same(&memory, &sqlite)?;
        no_secret(world, &sqlite.to_lowercase(), "what the store tells")?;
        let lessons = lessons(&world.processes[1], &tenant, Within::Tenant)?;
        world.model.look(&tenant, &lessons)?;
    }
    for place in 0..PLACES.len() {
        let scope = agent::scope(place);
        bounded(world, &scope)?;
        let engine = &world.processes[0];
        let visible = lessons(engine, &scope.tenant, Within::Visible(scope.clone()))?;
        is_of_here(&format!("{visible:?}"), &scope)?;
    }
    files(world)
}

fn tenants() -> Vec<TenantId> {
    let mut tenants: Vec<_> = (0..PLACES.len())
        .map(|it| agent::scope(it).tenant)
        .collect();
    tenants.dedup();
    tenants
}

/// Checks that a scope holds no more learned lessons than it may.
fn bounded(world: &World, scope: &Scope) -> anyhow::Result<()> {
    let censuses = person(&world.processes[0], scope).census()?;
    let found = censuses.iter().find(|(of, _)| of == scope);
    let learned = found.map_or(0, |(_, census)| census.learned);
    let most = u64::try_from(CAPACITY)?;
    ensure!(learned <= most, "{learned} learned lessons in {scope:?}");
    Ok(())
}

/// Checks every byte on disk for secrets and for what a person erased.
fn files(world: &World) -> anyhow::Result<()> {
    for file in fs::read_dir(world.folder())? {
        let path = file?.path();
        let bytes = fs::read(&path)?;
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        no_secret(world, &text, &name)?;
        for word in &world.model.erased {
            ensure!(
                !text.contains(word),
                "{word} was erased and is still in {name}"
            );
        }
    }
    Ok(())
}

fn lessons(engine: &Engine, tenant: &TenantId, within: Within) -> anyhow::Result<Vec<Lesson>> {
    let mut lessons = Vec::new();
    let mut listing = Listing {
        within,
        limit: 50,
        ..Listing::default()
    };
    loop {
        let page = owner(engine, tenant).lessons(&listing)?;
        let Some(last) = page.last() else {
            return Ok(lessons);
        };
        listing.before = Some(last.id);
        lessons.extend(page);
    }
}

/// Returns the desk of who owns a tenant.
fn owner<'e>(engine: &'e Engine, tenant: &TenantId) -> Desk<'e> {
    let scope = Scope {
        tenant: tenant.clone(),
        ..Scope::default()
    };
    person(engine, &scope)
}

/// Asks for all that can be asked for of a tenant.
fn dump(engine: &Engine, tenant: &TenantId) -> anyhow::Result<String> {
    let mut text = String::new();
    let desk = owner(engine, tenant);
    for lesson in lessons(engine, tenant, Within::Tenant)? {
        writeln!(text, "{lesson:?}")?;
    }
    let mut after = 0;
    loop {
        let page = desk.journal(after)?;
        let Some(last) = page.last() else { break };
        after = last.sequence;
        for entry in &page {
            writeln!(text, "{entry:?}")?;
        }
    }
    writeln!(text, "{:?}", desk.recalls(&RecallListing::default())?)?;
    writeln!(text, "{:?}", desk.census()?)?;
    for place in 0..PLACES.len() {
        let scope = agent::scope(place);
        if scope.tenant == *tenant {
            for prompt in [
                "npm test is a missing script",
                "what comes first at the mill?",
            ] {
                let recalled = person(engine, &scope).explain(&Ask::new(scope.clone(), prompt))?;
                writeln!(text, "{recalled:?}")?;
            }
        }
    }
    Ok(text)
}

fn is_same(memory: &str, sqlite: &str) -> anyhow::Result<()> {
    let pairs = memory.lines().zip(sqlite.lines());
    if let Some((memory, sqlite)) = pairs.into_iter().find(|(a, b)| a != b) {
        bail!("memory tells\n{memory}\nand SQLite tells\n{sqlite}");
    }
    ensure!(memory.len() == sqlite.len(), "one store tells more");
    Ok(())
}

/// Counts what a simulation came to.
pub(super) fn summary(world: &World) -> anyhow::Result<super::Played> {
    let mut played = super::Played {
        erased: world.model.erased.len(),
        faults: world.struck(),
        ..super::Played::default()
    };
    for tenant in tenants() {
        for lesson in lessons(&world.memory, &tenant, Within::Tenant)? {
            played.lessons += 1;
            played.learned += u64::from(lesson.trust.class == TrustClass::Derived);
            played.left += u64::from(lesson.status == evicted());
            played.shown += lesson.counts.shown;
        }
        played.entries += owner(&world.memory, &tenant).count_entries()?;
    }
    Ok(played)
}

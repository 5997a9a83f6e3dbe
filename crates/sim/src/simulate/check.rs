//! The checks after every step, and the full checks now and then.

use std::{fmt::Write as _, fs};

use anyhow::{bail, ensure};
use hardwon_core::{Scope, Status, TenantId, TrustClass, change::evicted_status};
use hardwon_engine::{Desk, Engine, Lesson, RecallRequest};
use hardwon_store::{LessonListing, RecallListing, ScopeFilter};
use jiff::Timestamp;

use super::{
    agent::{self, PLACES},
    answers::check_visible_words,
    bounds::CAPACITY,
    world::SimWorld,
};
use crate::desk::person_desk;

/// Checks that no secret was said in this step.
pub(super) fn check_answers(world: &SimWorld) -> anyhow::Result<()> {
    let told = world.answers.to_lowercase();
    check_no_secret(world, &told, "an answer")
}

fn check_no_secret(world: &SimWorld, text: &str, place: &str) -> anyhow::Result<()> {
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
pub(super) fn check_everything(world: &mut SimWorld) -> anyhow::Result<()> {
    for engine in [&world.memory, &world.processes[0]] {
        for tenant in all_tenants() {
            owner_desk(engine, &tenant).flush_recalls(Timestamp::MIN)?;
        }
    }
    for tenant in all_tenants() {
        let audit = owner_desk(&world.processes[0], &tenant).audit_journal()?;
        ensure!(audit.is_sound(), "the journal of {tenant}: {audit:?}");
        let (memory, sqlite) = (
            dump_tenant(&world.memory, &tenant)?,
            dump_tenant(&world.processes[1], &tenant)?,
        );
        check_same(&memory, &sqlite)?;
        check_no_secret(world, &sqlite.to_lowercase(), "what the store tells")?;
        let lessons = list_lessons(&world.processes[1], &tenant, ScopeFilter::Tenant)?;
        world.model.check_lessons(&tenant, &lessons)?;
    }
    for place in 0..PLACES.len() {
        let scope = agent::scope_of_place(place);
        check_capacity(world, &scope)?;
        let engine = &world.processes[0];
        let visible = list_lessons(engine, &scope.tenant, ScopeFilter::Visible(scope.clone()))?;
        check_visible_words(&format!("{visible:?}"), &scope)?;
    }
    check_files(world)
}

fn all_tenants() -> Vec<TenantId> {
    let mut tenants: Vec<_> = (0..PLACES.len())
        .map(|len| agent::scope_of_place(len).tenant)
        .collect();
    tenants.dedup();
    tenants
}

/// Checks that a scope holds no more learned lessons than it may.
fn check_capacity(world: &SimWorld, scope: &Scope) -> anyhow::Result<()> {
    let within = ScopeFilter::Scope(scope.clone());
    let lessons = list_lessons(&world.processes[0], &scope.tenant, within)?;
    let is_learned =
        |it: &&Lesson| it.status == Status::Active && it.trust.class != TrustClass::Person;
    let learned = lessons.iter().filter(is_learned).count();
    ensure!(
        learned <= CAPACITY,
        "{learned} learned lessons in {scope:?}"
    );
    Ok(())
}

/// Checks every byte on disk for secrets and for what a person erased.
fn check_files(world: &SimWorld) -> anyhow::Result<()> {
    for file in fs::read_dir(world.folder())? {
        let path = file?.path();
        let bytes = fs::read(&path)?;
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        check_no_secret(world, &text, &name)?;
        for word in &world.model.erased {
            ensure!(
                !text.contains(word),
                "{word} was erased and is still in {name}"
            );
        }
    }
    Ok(())
}

fn list_lessons(
    engine: &Engine,
    tenant: &TenantId,
    within: ScopeFilter,
) -> anyhow::Result<Vec<Lesson>> {
    let mut lessons = Vec::new();
    let mut listing = LessonListing {
        within,
        limit: 50,
        ..LessonListing::default()
    };
    loop {
        let page = owner_desk(engine, tenant).lessons(&listing)?;
        let Some(last) = page.last() else {
            return Ok(lessons);
        };
        listing.before = Some(last.id);
        lessons.extend(page);
    }
}

/// Returns the desk of a tenant's owner.
fn owner_desk<'e>(engine: &'e Engine, tenant: &TenantId) -> Desk<'e> {
    let scope = Scope::of_tenant(tenant.clone());
    person_desk(engine, &scope)
}

/// Dumps everything that can be queried of a tenant.
fn dump_tenant(engine: &Engine, tenant: &TenantId) -> anyhow::Result<String> {
    let mut text = String::new();
    let desk = owner_desk(engine, tenant);
    for lesson in list_lessons(engine, tenant, ScopeFilter::Tenant)? {
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
    writeln!(text, "{:?}", desk.count_waiting()?)?;
    for place in 0..PLACES.len() {
        let scope = agent::scope_of_place(place);
        if scope.tenant == *tenant {
            for prompt in [
                "npm test is a missing script",
                "what comes first at the mill?",
            ] {
                let recalled = person_desk(engine, &scope)
                    .explain_recall(&RecallRequest::new(scope.clone(), prompt))?;
                writeln!(text, "{recalled:?}")?;
            }
        }
    }
    Ok(text)
}

fn check_same(memory: &str, sqlite: &str) -> anyhow::Result<()> {
    let pairs = memory.lines().zip(sqlite.lines());
    if let Some((memory, sqlite)) = pairs.into_iter().find(|(a, b)| a != b) {
        bail!("memory tells\n{memory}\nand SQLite tells\n{sqlite}");
    }
    ensure!(memory.len() == sqlite.len(), "one store tells more");
    Ok(())
}

/// Counts the results of a simulation.
pub(super) fn summarise_world(world: &SimWorld) -> anyhow::Result<super::SimulationSummary> {
    let mut played = super::SimulationSummary {
        erased: world.model.erased.len(),
        faults: world.fault_count(),
        ..super::SimulationSummary::default()
    };
    for tenant in all_tenants() {
        for lesson in list_lessons(&world.memory, &tenant, ScopeFilter::Tenant)? {
            played.lessons += 1;
            played.learned += u64::from(lesson.trust.class == TrustClass::Derived);
            played.left += u64::from(lesson.status == evicted_status());
            played.shown += lesson.counts.shown;
        }
        played.entries += owner_desk(&world.memory, &tenant).count_entries()?;
    }
    Ok(played)
}

//! `hardwon tenant move`: copies a tenant to another store, verifies it there, and erases it here if asked to.

use hardwon_core::TenantId;
use hardwon_engine::Engine;
use hardwon_store::{
    Store, StoreError, StoreErrorKind,
    copying::{CopiedTenant, copy_tenant},
};
use serde::Serialize;

use super::owner_of;
use crate::{
    CliError, Result, Settings, StorePlace, args::TenantMoveArgs, cmd::key::parse_tenant, open,
    output, server_store,
};

/// What was moved.
#[derive(Debug, Serialize)]
struct MoveDto<'a> {
    tenant: &'a str,
    lessons: u64,
    recalls: u64,
    journal_entries: u64,
    journal_head: String,
    source_erased: bool,
}

pub(super) fn run(settings: &Settings, args: &TenantMoveArgs, json: bool) -> Result<()> {
    let tenant = parse_tenant(&args.name)?;
    let (from, to) = (StorePlace::read(&args.from)?, StorePlace::read(&args.to)?);
    if from == to {
        return Err(CliError::bad_input("--from and --to name the same store"));
    }
    let source = server_store::open_existing_lessons(&from)?;
    let target = server_store::open_lessons(&to)?;
    let copy = copy_tenant(&*source, &*target, &tenant).map_err(explain_refusal)?;
    server_store::settle_lessons(&to)?;
    let target = open::build_engine(settings, target);
    verify_copy(&target, &tenant, copy)?;
    if args.erase_source {
        erase_source(source, settings, &tenant, copy)?;
    }
    let head = copy.journal_head;
    let answer = MoveDto {
        tenant: tenant.as_str(),
        lessons: copy.lessons,
        recalls: copy.recalls,
        journal_entries: head.sequence,
        journal_head: head.hash.to_string(),
        source_erased: args.erase_source,
    };
    output::print_answer(json, &answer, || render_move(&answer))?;
    if !json {
        output::print_note(
            "its keys stay where they are: add the tenant and new keys at the target",
        );
    }
    Ok(())
}

/// Returns an error for what is no fault of a store: there is nothing to copy, or somebody has to decide first.
fn explain_refusal(error: StoreError) -> CliError {
    let refusal = match error.kind() {
        StoreErrorKind::NotFound | StoreErrorKind::Conflict => CliError::bad_input(&error),
        _ => return error.into(),
    };
    error.hint().into_iter().fold(refusal, CliError::with_hint)
}

/// Verifies the journal and the lessons at the target. What does not verify is erased there again.
fn verify_copy(target: &Engine, tenant: &TenantId, copied: CopiedTenant) -> Result<()> {
    let desk = target.acting_as(owner_of(tenant));
    let audit = desk.audit_journal()?;
    if audit.is_sound() && audit.head == copied.journal_head {
        return Ok(());
    }
    desk.erase_tenant()?;
    Err(
        CliError::negative("the copy does not verify, and was erased again").with_hint(
            "verify the tenant where it is: a journal that is damaged there cannot be moved",
        ),
    )
}

/// Erases the tenant where it was, unless somebody has changed it since.
fn erase_source(
    source: Box<dyn Store>,
    settings: &Settings,
    tenant: &TenantId,
    copied: CopiedTenant,
) -> Result<()> {
    if source.snapshot()?.journal_head(tenant)? != copied.journal_head {
        return Err(CliError::negative(
            "the tenant was changed at the source since it was copied, so nothing is erased there",
        )
        .with_hint(
            "stop the servers that serve it there; then erase the copy, and move it again",
        ));
    }
    let source = open::build_engine(settings, source);
    source.acting_as(owner_of(tenant)).erase_tenant()?;
    Ok(())
}

fn render_move(moved: &MoveDto<'_>) -> String {
    let tenant = moved.tenant;
    let lessons = output::pluralize(moved.lessons, "lesson");
    let recalls = output::pluralize(moved.recalls, "recall");
    let changes = output::pluralize(moved.journal_entries, "change");
    let source = if moved.source_erased {
        "erased it where it was".to_owned()
    } else {
        format!("it is also where it was: `hardwon tenant erase {tenant}` erases it there")
    };
    output::replace_controls(&format!(
        "copied tenant {tenant}: {lessons}, {recalls}; the journal verifies there: {changes}, head {}\n{source}",
        moved.journal_head
    ))
}

//! `hardwon tenant erase`: erases everything that is stored for a tenant, once that is agreed to, and prints a receipt.

use hardwon_core::TenantId;
use hardwon_server::ErasureReceiptDto;
use hardwon_store::ErasedTenant;
use jiff::Timestamp;

use super::owner_of;
use crate::{
    CliError, Result, Settings, StorePlace,
    args::TenantEraseArgs,
    cmd::{
        ask,
        key::{order_as_owner, parse_tenant},
    },
    open, output, server_store,
};

pub(super) fn run(
    settings: &Settings,
    place: &StorePlace,
    args: &TenantEraseArgs,
    json: bool,
) -> Result<()> {
    let tenant = parse_tenant(&args.name)?;
    if !args.yes {
        confirm_erase(&tenant)?;
    }
    // Off the list first, so that nothing more comes in.
    let revoked_keys = match server_store::open_existing_keys(place)? {
        Some(keys) => keys.remove_tenant(&order_as_owner(), &tenant)?,
        None => None,
    };
    let data = erase_data(settings, place, &tenant)?;
    let at = Timestamp::now().to_string();
    let receipt = ErasureReceiptDto::new(&tenant, &data, revoked_keys, at);
    let receipt = receipt.ok_or_else(|| {
        let message = format!("there is no tenant {tenant}");
        CliError::negative(output::replace_controls(&message))
            .with_hint("`hardwon tenant list` shows those there are")
    });
    print_receipt(&receipt?, json)
}

/// Has a person type the name once more. Where nobody can be asked, it has to be said that it is meant.
fn confirm_erase(tenant: &TenantId) -> Result<()> {
    if !ask::can_ask() {
        let message = "this erases everything of a tenant, for good";
        return Err(CliError::bad_input(message).with_hint("if you mean it, add --yes"));
    }
    let name = output::replace_controls(tenant.as_str());
    print_note!(
        "this erases all lessons, recalls and keys of tenant {name}, and its journal. It cannot be undone"
    );
    if ask::ask_text("Type the name of the tenant to erase it:")?.trim() == tenant.as_str() {
        Ok(())
    } else {
        Err(CliError::negative("nothing was erased"))
    }
}

fn erase_data(settings: &Settings, place: &StorePlace, tenant: &TenantId) -> Result<ErasedTenant> {
    // It is made if there is none: a tenant may have keys and no lesson yet.
    let lessons = server_store::open_lessons(place)?;
    let engine = open::build_engine(settings, lessons);
    let data = engine.acting_as(owner_of(tenant)).erase_tenant()?;
    // In a database they went with the lessons.
    hardwon_server::SessionFolders::new(&crate::cmd::serve::session_folder()?)
        .erase_tenant(tenant)?;
    Ok(data)
}

fn print_receipt(receipt: &ErasureReceiptDto<'_>, json: bool) -> Result<()> {
    output::print_answer(json, receipt, || {
        let parts = [
            output::pluralize(receipt.lessons, "lesson"),
            output::pluralize(receipt.recalls, "recall"),
            output::pluralize(receipt.judgements, "judgement"),
            output::pluralize(receipt.jobs, "question"),
        ];
        output::replace_controls(&format!(
            "erased tenant {}: {}\nits journal had {} and ended with {}\nrevoked {}; the log of keys keeps its name",
            receipt.tenant,
            parts.join(", "),
            output::pluralize(receipt.journal_entries, "change"),
            receipt.journal_head,
            output::pluralize(receipt.keys_revoked as u64, "key")
        ))
    })?;
    if !json {
        output::print_note(
            "backups that were made before are not touched; if servers run over this store, erase it again in half a minute",
        );
    }
    Ok(())
}

//! The steps of a night about files: the audit of general memories, and what is placed in repositories.
//!
//! A build without the gates has neither.

use std::path::Path;

use hardwon_engine::regular_file;
use hardwon_gates::place::AgentsFile;

use super::Night;
use crate::{
    Result, Settings, config::Autonomy, place::list_placed_roots, plan_file::PlanningCommand,
};

/// Audits general memories, and brings the blocks of repositories up to date.
pub(super) fn tidy_files(night: &mut Night, settings: &Settings) -> Result<()> {
    audit(night, settings)?;
    for root in list_placed_roots()?.iter().filter(|root| has_block(root)) {
        let name = format!("place {}", root.display());
        night.do_step(&name, Some(root), &["place", "--unattended"])?;
    }
    Ok(())
}

/// Looks at the general memories, and applies what was found if it may.
fn audit(night: &mut Night, settings: &Settings) -> Result<()> {
    night.do_step("audit", None, &["place", "--audit"])?;
    let has_plan = PlanningCommand::Place.read_plan(None).is_ok();
    if has_plan && settings.autonomy != Autonomy::Propose {
        // What there was to say is done.
        night.codes.pop();
        night.do_step("audit, applied", None, &["place", "--apply"])?;
    }
    Ok(())
}

fn has_block(root: &Path) -> bool {
    let text = regular_file::read_to_string(&root.join("AGENTS.md"));
    let file = text
        .ok()
        .and_then(|text| Some(AgentsFile::parse(&text).ok()?.block().is_some()));
    file.unwrap_or(false)
}

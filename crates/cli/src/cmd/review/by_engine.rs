//! A review by an engine that is started here: it works in a copy, and what it did is taken back or left as a patch.

use std::process::ExitCode;

use hardwon_api::v1::final_review::FinalReviewDto;
use hardwon_core::{
    redact::quote_error,
    review::{DiffPlaces, FinalReview, FinalVerdict, parse_verdict, render_checklist},
    text::RawText,
};
use hardwon_engine::{Clock as _, SystemClock};
use hardwon_repo::{ObjectId, TakenBack, Workspace};

use super::{
    by_hand,
    show::{self, exit_code_of},
};
use crate::{
    args::{GlobalArgs, ReviewArgs},
    config::{SettingValues, Settings, review::ReviewSettings},
    error::{CliError, ExitReason},
    output,
    review::{
        material::{Material, read_patch},
        records::ReviewRecords,
        sandbox, teach,
    },
};

/// A verdict, and the tree that it leads to.
struct EngineVerdict {
    review: FinalReview,
    result: ObjectId,
}

pub(super) fn run_engine(global: &GlobalArgs, args: &ReviewArgs) -> Result<ExitCode, CliError> {
    let values = SettingValues::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    let gate = ReviewSettings::from_values(&values)?;
    let material = Material::gather(&args.material)?;
    let records = ReviewRecords::open(&material.repository)?;
    if material.is_too_small() {
        return by_hand::skip(&material, &records, args.json);
    }
    let line = args.engine.clone().unwrap_or(gate.command);
    if line.trim().is_empty() {
        return fall_back(
            &material,
            "no engine is set: --engine COMMAND, or the setting review_command",
        );
    }
    let workspace = Workspace::create(&material.repository, &material.delivery)?;
    let reply = match ask_engine(
        &workspace,
        &line,
        &material.render(&settings)?,
        args.timeout,
    ) {
        Ok(reply) => reply,
        Err(why) => return fall_back(&material, &format!("the engine is away: {why}")),
    };
    let mut verdict = match read_reply(&material, &workspace, &reply)? {
        Ok(verdict) => verdict,
        Err(why) => {
            return fall_back(
                &material,
                &format!("the engine's reply is no verdict: {why}"),
            );
        }
    };
    let tests = args
        .test
        .as_deref()
        .filter(|_| verdict.review.verdict != FinalVerdict::Blocked);
    let tests = tests.map(|line| {
        show::describe_tests(
            line,
            sandbox::run_inside(&workspace, line, "", args.timeout),
        )
    });
    if let Some(run) = tests.as_ref().filter(|run| run.status != 0) {
        show::block_for_tests(&mut verdict.review, run);
        verdict.result = material.delivery.tree.clone();
    }
    let delivery = &material.delivery;
    let trees = [delivery.tree.as_str(), verdict.result.as_str()];
    let mut kept = FinalReviewDto::from_review(
        &verdict.review,
        delivery.base.as_str(),
        trees,
        SystemClock.now(),
    );
    kept.tests = tests;
    if verdict.review.verdict == FinalVerdict::Fixed {
        hand_over(
            &material,
            &records,
            &mut kept,
            &verdict,
            args.apply || gate.may_commit,
        )?;
    }
    records.save(&kept)?;
    show::print_review(&kept, args.json, &show::render_next(&kept, delivery))?;
    if show::is_worth_learning(&kept) {
        let (review, outside) = (&verdict.review, &material.outside);
        show::note_lessons(teach::learn_from_review(
            &settings, review, &kept.tree, outside,
        ));
    }
    Ok(exit_code_of(&kept))
}

/// Says aloud that no engine reviewed anything, and what a person should look at.
fn fall_back(material: &Material, why: &str) -> Result<ExitCode, CliError> {
    output::print_note(why);
    let base = &material.delivery.base.as_str()[..12];
    output::print(&render_checklist(base, material.files.len()))?;
    Ok(ExitReason::Partial.exit_code())
}

fn ask_engine(
    workspace: &Workspace,
    line: &str,
    prompt: &str,
    seconds: u32,
) -> Result<RawText, String> {
    let end = sandbox::run_inside(workspace, line, prompt, seconds);
    let end = end.map_err(|error| quote_error(&error))?;
    match end.status.success() {
        true => Ok(RawText::new(end.output)),
        false => Err(quote_error(&format!(
            "it ended with {}: {}",
            end.status,
            end.complaint.trim()
        ))),
    }
}

/// Reads the verdict and the edits. Those that no verdict claims are put back.
fn read_reply(
    material: &Material,
    workspace: &Workspace,
    reply: &RawText,
) -> Result<Result<EngineVerdict, String>, CliError> {
    let (repository, tree) = (&material.repository, &material.delivery.tree);
    let edited = workspace.read_back(repository)?;
    let edits = read_patch(repository, tree, &edited)?;
    let places = material.places().and(DiffPlaces::from_patch(&edits));
    let review = match parse_verdict(reply, &places) {
        Ok(review) => review,
        Err(flaw) => return Ok(Err(flaw.to_string())),
    };
    if review.verdict == FinalVerdict::Fixed {
        return Ok(match edited == *tree {
            true => Err("it claims fixes, and changed nothing".to_owned()),
            false => Ok(EngineVerdict {
                review,
                result: edited,
            }),
        });
    }
    if edited != *tree {
        let count = repository.paths_between(tree, &edited)?.len();
        let files = output::pluralize(count as u64, "file");
        let verdict = review.verdict.name();
        output::print_note(&format!(
            "it says `{verdict}` and edited {files}: the edits are dropped"
        ));
        workspace.reset(repository, &edited)?;
    }
    Ok(Ok(EngineVerdict {
        review,
        result: tree.clone(),
    }))
}

/// Commits the fixes, or leaves them as a patch and says why.
fn hand_over(
    material: &Material,
    records: &ReviewRecords,
    kept: &mut FinalReviewDto,
    verdict: &EngineVerdict,
    may_commit: bool,
) -> Result<(), CliError> {
    let (repository, delivery) = (&material.repository, &material.delivery);
    let patch = repository.diff_text(&delivery.tree, &verdict.result, true)?;
    let path = records.save_patch(&delivery.tree, &patch)?;
    kept.patch = Some(path.display().to_string());
    if !may_commit {
        return Ok(());
    }
    match repository.take_back(delivery, &verdict.result, &render_message(kept)) {
        Ok(TakenBack::Committed(commit)) => kept.commit = Some(commit.to_string()),
        Ok(TakenBack::Refused(why)) => {
            output::print_note(&format!("the fixes are not committed: {}", why.describe()));
        }
        Err(error) => output::print_note(&format!("the fixes are not committed: {error}")),
    }
    Ok(())
}

fn render_message(kept: &FinalReviewDto) -> String {
    let fixes = kept.fixes.iter().map(|fix| format!("- {}\n", fix.what));
    format!(
        "Final review fixes\n\n{}\nHardwon-Review: {}\n",
        fixes.collect::<String>(),
        &kept.tree[..12]
    )
}

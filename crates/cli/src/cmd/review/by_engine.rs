//! A review by an engine that is started here: it works in a copy, and what it did is taken back or left as a patch.

use std::process::ExitCode;

use hardwon_core::RawText;
use hardwon_engine::{Clock as _, SystemClock};
use hardwon_gates::{
    json::final_review::{FinalReviewDto, TestRunDto},
    review::{DiffPlaces, FinalReview, FinalVerdict, object, parse_verdict, render_checklist},
};
use hardwon_redact::quote_error;
use hardwon_repo::{ObjectId, PatchForm, ReviewDelivery, TakenBack, Workspace};

use super::{
    edits::ReviewEdits,
    render_fixes,
    show::{self, exit_code_of},
};
use crate::{
    ExitReason, GlobalArgs, Result, ReviewRecords, SettingValues, Settings,
    args::ReviewArgs,
    config::review::ReviewSettings,
    output,
    review::{
        material::{Material, draw_nonce, read_patch},
        sandbox, teach,
    },
};

/// A verdict, and the tree that it leads to.
struct EngineVerdict {
    review: FinalReview,
    result: ObjectId,
}

pub(super) fn run_engine(global: &GlobalArgs, args: &ReviewArgs) -> Result<ExitCode> {
    let values = SettingValues::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    let gate = ReviewSettings::from_values(&values)?;
    let material = Material::gather(&args.material)?;
    let records = ReviewRecords::open(&material.repository)?;
    if material.is_too_small() {
        return skip(&material, &records, args.json);
    }
    let line = args.engine.clone().unwrap_or(gate.command);
    if line.trim().is_empty() {
        return fall_back(
            &material,
            "no engine is set: --engine COMMAND, or the setting review_command",
        );
    }
    let nonce = draw_nonce()?;
    let bundle = material.render(&settings, &nonce)?;
    let mut verdict = match ask_for_verdict(&material, args, &line, &bundle, &nonce)? {
        Ok(verdict) => verdict,
        Err(why) => return fall_back(&material, &why),
    };
    let is_believed = match verdict.review.verdict {
        FinalVerdict::Fixed => {
            let edits = ReviewEdits {
                repository: &material.repository,
                before: &material.delivery.tree,
                after: &verdict.result,
            };
            edits.check(global, &mut verdict.review)?
        }
        FinalVerdict::Approved | FinalVerdict::Blocked => true,
    };
    let tests = run_tests(&material, args, &mut verdict)?;
    let mut record = describe_review(&material, &verdict, tests);
    let may_commit = args.apply || gate.may_commit;
    hand_over(&material, &records, &mut record, &verdict, may_commit)?;
    records.save(&record)?;
    let next = show::render_next(&record, &material.delivery);
    show::print_review(&record, args.json, &next)?;
    let have_tests_failed = record.tests.as_ref().is_some_and(|run| run.status != 0);
    if is_believed && !have_tests_failed {
        let (review, outside) = (&verdict.review, &material.outside);
        let lessons = teach::learn_from_review(&settings, review, &record.tree, outside);
        show::note_lessons(lessons);
    }
    Ok(exit_code_of(&record))
}

/// Says aloud that a delivery is too small for a review, and remembers it.
fn skip(material: &Material, records: &ReviewRecords, is_json: bool) -> Result<ExitCode> {
    let delivery = &material.delivery;
    let (base, tree) = (delivery.base.as_str(), delivery.tree.as_str());
    let review = FinalReviewDto::skipped(base, tree, SystemClock.now());
    records.save(&review)?;
    show::print_review(&review, is_json, "")?;
    output::print_note("skipped: one issue of size XS or S needs no review of its own");
    Ok(ExitReason::Partial.exit_code())
}

/// Makes what is kept of a review; one that blocks leads nowhere.
fn describe_review(
    material: &Material,
    verdict: &EngineVerdict,
    tests: Option<TestRunDto>,
) -> FinalReviewDto {
    let delivery = &material.delivery;
    let result = match verdict.review.verdict {
        FinalVerdict::Blocked => &delivery.tree,
        FinalVerdict::Approved | FinalVerdict::Fixed => &verdict.result,
    };
    let trees = [delivery.tree.as_str(), result.as_str()];
    let base = delivery.base.as_str();
    let mut review = FinalReviewDto::from_review(&verdict.review, base, trees, SystemClock.now());
    review.tests = tests;
    review
}

/// Runs the tests on exactly what would be taken: in a copy that has nothing else that the engine left. They may block it.
fn run_tests(
    material: &Material,
    args: &ReviewArgs,
    verdict: &mut EngineVerdict,
) -> Result<Option<TestRunDto>> {
    let is_blocked = verdict.review.verdict == FinalVerdict::Blocked;
    let Some(line) = args.test.as_deref().filter(|_| !is_blocked) else {
        return Ok(None);
    };
    let delivery = ReviewDelivery {
        tree: verdict.result.clone(),
        ..material.delivery.clone()
    };
    let workspace = Workspace::create(&material.repository, &delivery)?;
    let end = sandbox::run_inside(&workspace, line, "", args.timeout);
    let run = show::describe_tests(line, end);
    if run.status != 0 {
        let reason = format!("the tests failed with exit status {}", run.status);
        verdict.review.block([object(&reason, Vec::new())]);
    }
    Ok(Some(run))
}

/// Has an engine look in a copy; else says why there is no verdict.
fn ask_for_verdict(
    material: &Material,
    args: &ReviewArgs,
    line: &str,
    bundle: &str,
    nonce: &str,
) -> Result<Result<EngineVerdict, String>> {
    let workspace = Workspace::create(&material.repository, &material.delivery)?;
    let reply = match ask_engine(&workspace, line, bundle, args.timeout) {
        Ok(reply) => reply,
        Err(why) => return Ok(Err(format!("the engine is away: {why}"))),
    };
    let read = read_reply(material, &workspace, &reply, nonce)?;
    Ok(read.map_err(|why| format!("the engine's reply is no verdict: {why}")))
}

/// Says aloud that no engine reviewed anything, and what a person should look at.
fn fall_back(material: &Material, why: &str) -> Result<ExitCode> {
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
    if end.status.success() {
        Ok(RawText::new(end.output))
    } else {
        let complaint = end.complaint.trim();
        Err(quote_error(&format!(
            "it ended with {}: {complaint}",
            end.status
        )))
    }
}

/// Reads the verdict and the edits. Those of a verdict that claims none are dropped with the copy.
fn read_reply(
    material: &Material,
    workspace: &Workspace,
    reply: &RawText,
    nonce: &str,
) -> Result<Result<EngineVerdict, String>> {
    let (repository, tree) = (&material.repository, &material.delivery.tree);
    let paths = workspace.read_back(repository)?;
    let edits = read_patch(repository, tree, &paths, PatchForm::Readable)?;
    let places = material.places().and(DiffPlaces::from_patch(&edits));
    let review = match parse_verdict(reply, nonce, &places) {
        Ok(review) => review,
        Err(flaw) => return Ok(Err(flaw.to_string())),
    };
    if paths == *tree {
        return Ok(match review.verdict {
            FinalVerdict::Fixed => Err("it claims fixes, and changed nothing".to_owned()),
            FinalVerdict::Approved | FinalVerdict::Blocked => Ok(EngineVerdict {
                review,
                result: paths,
            }),
        });
    }
    if review.verdict != FinalVerdict::Fixed {
        let count = repository.paths_between(tree, &paths)?.len();
        let files = output::pluralize(count as u64, "file");
        let verdict = review.verdict.name();
        print_note!("it says `{verdict}` and edited {files}: the edits are dropped");
    }
    let result = match review.verdict {
        FinalVerdict::Fixed => paths,
        FinalVerdict::Approved | FinalVerdict::Blocked => tree.clone(),
    };
    Ok(Ok(EngineVerdict { review, result }))
}

/// Commits the fixes, or leaves what was edited as a patch and says why.
fn hand_over(
    material: &Material,
    records: &ReviewRecords,
    kept: &mut FinalReviewDto,
    verdict: &EngineVerdict,
    may_commit: bool,
) -> Result<()> {
    let (repository, delivery) = (&material.repository, &material.delivery);
    if verdict.result == delivery.tree {
        return Ok(());
    }
    let patch = repository.diff_text(&delivery.tree, &verdict.result, PatchForm::Whole)?;
    let path = records.save_patch(&delivery.tree, &patch)?;
    kept.patch = Some(path.display().to_string());
    if !may_commit || verdict.review.verdict != FinalVerdict::Fixed {
        return Ok(());
    }
    let message = render_message(&verdict.review, &kept.tree);
    match repository.take_back(delivery, &verdict.result, &message) {
        Ok(TakenBack::Committed(commit)) => kept.commit = Some(commit.to_string()),
        Ok(TakenBack::Refused(why)) => {
            print_note!("the fixes are not committed: {}", why.describe());
        }
        Err(error) => print_note!("the fixes are not committed: {error}"),
    }
    Ok(())
}

fn render_message(review: &FinalReview, tree: &str) -> String {
    let fixes = render_fixes(&review.fixes);
    let tree = &tree[..12];
    format!("Final review fixes\n\n{fixes}\nHardwon-Review: {tree}\n")
}

//! The parts of a review, for those who drive an engine of their own: what it is given, its verdict, the text of the pull
//! request, and whether what is here was approved.

use std::process::ExitCode;

use hardwon_core::{
    limits,
    text::{RawText, floor_char_boundary},
};
use hardwon_engine::{Clock as _, SystemClock};
use hardwon_gates::{
    json::final_review::{FinalReviewDto, ReviewBundleDto, TestRunDto},
    review::{DiffPlaces, FinalReview, FinalVerdict, parse_verdict, put_section},
};
use hardwon_redact::redact;
use hardwon_repo::{ObjectId, PatchForm, Repository, ReviewDelivery, Workspace};

use super::{
    edits::ReviewEdits,
    show::{self, exit_code_of},
};
use crate::{
    args::{BodyArgs, GateArgs, GlobalArgs, PrepareArgs, RecordArgs},
    config::Settings,
    error::{CliError, ExitReason},
    output,
    place::look::find_repository,
    review::{
        material::{Material, draw_nonce, read_file, read_patch},
        records::{PreparedReview, ReviewRecords},
        sandbox, teach,
    },
};

pub(super) fn prepare(global: &GlobalArgs, args: &PrepareArgs) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    let material = Material::gather(&args.material)?;
    let records = ReviewRecords::open(&material.repository)?;
    if material.is_too_small() {
        return skip(&material, &records, args.json);
    }
    let nonce = draw_nonce()?;
    let text = material.render(&settings, &nonce)?;
    let delivery = &material.delivery;
    let outside = redact(&material.outside);
    records.save_prepared(&PreparedReview {
        base_name: delivery.base_name.clone(),
        base: delivery.base.to_string(),
        tree: delivery.tree.to_string(),
        nonce: nonce.clone(),
        outside: outside[..floor_char_boundary(&outside, limits::REVIEW_TEXT_BYTES)].to_owned(),
    })?;
    if args.json {
        output::print_json(&ReviewBundleDto {
            base: delivery.base.to_string(),
            head: delivery.head.to_string(),
            tree: delivery.tree.to_string(),
            nonce,
            files: material
                .files
                .iter()
                .map(|file| redact(file).into_owned())
                .collect(),
            text,
        })?;
    } else {
        output::print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says aloud that a delivery is too small for a review, and remembers it.
pub(super) fn skip(
    material: &Material,
    records: &ReviewRecords,
    is_json: bool,
) -> Result<ExitCode, CliError> {
    let delivery = &material.delivery;
    let (base, tree) = (delivery.base.as_str(), delivery.tree.as_str());
    let review = FinalReviewDto::skipped(base, tree, SystemClock.now());
    records.save(&review)?;
    show::print_review(&review, is_json, "")?;
    output::print_note("skipped: one issue of size XS or S needs no review of its own");
    Ok(ExitReason::Partial.exit_code())
}

pub(super) fn record(global: &GlobalArgs, args: &RecordArgs) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    let repository = find_repository()?;
    let records = ReviewRecords::open(&repository)?;
    let preparation = records.load_prepared()?;
    let delivery = repository.find_delivery(Some(&preparation.base_name))?;
    if delivery.base.as_str() != preparation.base {
        return Err(
            CliError::bad_input("the branch has another base than what was prepared")
                .with_hint("run `hardwon review prepare` again"),
        );
    }
    let before = ObjectId::parse(&preparation.tree);
    let before = before.ok_or_else(|| CliError::bad_input("what was prepared is damaged"))?;
    let edits = ReviewEdits {
        repository: &repository,
        before: &before,
        after: &delivery.tree,
    };
    let mut review = read_verdict(edits, &delivery, &preparation, args)?;
    let is_believed = match review.verdict {
        FinalVerdict::Fixed => edits.check(global, &mut review)?,
        FinalVerdict::Approved | FinalVerdict::Blocked => true,
    };
    let tests = match review.verdict {
        FinalVerdict::Blocked => None,
        FinalVerdict::Approved | FinalVerdict::Fixed => {
            find_test_result(&repository, &delivery, args)?
        }
    };
    if let Some(run) = tests.as_ref().filter(|run| run.status != 0) {
        review.block([show::object_to_tests(run)]);
    }
    let result = match review.verdict {
        FinalVerdict::Blocked => preparation.tree.as_str(),
        FinalVerdict::Approved | FinalVerdict::Fixed => delivery.tree.as_str(),
    };
    let trees = [preparation.tree.as_str(), result];
    let mut record =
        FinalReviewDto::from_review(&review, &preparation.base, trees, SystemClock.now());
    record.tests = tests;
    records.save(&record)?;
    show::print_review(&record, args.json, &show::render_next(&record, &delivery))?;
    if is_believed && show::is_worth_learning(&record) {
        let outside = &preparation.outside;
        show::note_lessons(teach::learn_from_review(
            &settings,
            &review,
            &record.tree,
            outside,
        ));
    }
    Ok(exit_code_of(&record))
}

fn read_verdict(
    given: ReviewEdits<'_>,
    delivery: &ReviewDelivery,
    prepared: &PreparedReview,
    args: &RecordArgs,
) -> Result<FinalReview, CliError> {
    let refuse = |what: &str| CliError::bad_input(format!("the verdict is refused: {what}"));
    let reply = RawText::new(read_file(&args.file)?);
    let read = |from, to| read_patch(given.repository, from, to, PatchForm::Readable);
    let diff = read(&delivery.base, given.before)?;
    let edits = read(given.before, given.after)?;
    let places = DiffPlaces::from_patch(&diff).and(DiffPlaces::from_patch(&edits));
    let review = parse_verdict(&reply, &prepared.nonce, &places).map_err(|flaw| {
        refuse(&flaw.to_string()).with_hint("docs/review.md has the form of a verdict")
    })?;
    match (review.verdict, edits.is_empty()) {
        (FinalVerdict::Approved, false) => Err(refuse(
            "it approves what was prepared, which is not what is here now",
        )
        .with_hint("undo what changed since, or run `hardwon review prepare` again")),
        (FinalVerdict::Fixed, true) => Err(refuse(
            "it claims fixes, and nothing has changed here since it was prepared",
        )),
        _ => Ok(review),
    }
}

fn find_test_result(
    repository: &Repository,
    delivery: &ReviewDelivery,
    args: &RecordArgs,
) -> Result<Option<TestRunDto>, CliError> {
    if let Some(line) = &args.test {
        let workspace = Workspace::create(repository, delivery)?;
        let end = sandbox::run_inside(&workspace, line, "", args.timeout);
        return Ok(Some(show::describe_tests(line, end)));
    }
    Ok(args.test_status.map(|status| TestRunDto {
        command: None,
        status,
    }))
}

pub(super) fn print_body(args: &BodyArgs) -> Result<ExitCode, CliError> {
    let repository = find_repository()?;
    let delivery = repository.find_delivery(args.base.as_deref())?;
    let review = ReviewRecords::open(&repository)?.find(&delivery, &delivery.tree)?;
    let review = review
        .and_then(|review| review.to_review())
        .ok_or_else(|| {
            CliError::bad_input("what is here was not reviewed")
                .with_hint("run `hardwon review` first")
        })?;
    let text = args.pr.as_deref().map(read_file).transpose()?;
    let text = put_section(&text.unwrap_or_default(), &review);
    output::print(&redact(&text))?;
    Ok(ExitReason::Negative.exit_code_if(review.verdict == FinalVerdict::Blocked))
}

pub(super) fn check_gate(args: &GateArgs) -> Result<ExitCode, CliError> {
    let repository = find_repository()?;
    let delivery = repository.find_delivery(args.base.as_deref())?;
    let tree = if args.head {
        &delivery.head_tree
    } else {
        &delivery.tree
    };
    if *tree == repository.tree_of(&delivery.base)? {
        output::print_line("nothing to deliver: there is no difference from the base")?;
        return Ok(ExitCode::SUCCESS);
    }
    let record = ReviewRecords::open(&repository)?.find(&delivery, tree)?;
    let Some(review) = record else {
        output::print_line("not reviewed: nobody approved what is here now; run `hardwon review`")?;
        return Ok(ExitReason::Negative.exit_code());
    };
    let is_taken = review.result == tree.as_str();
    output::print_answer(args.json, &review, || describe_gate(&review, is_taken))?;
    if !args.head && delivery.tree != delivery.head_tree {
        output::print_note(
            "some of it is not committed, and a push would not have it: --head looks at the latest commit",
        );
    }
    Ok(if is_taken {
        exit_code_of(&review)
    } else {
        ExitReason::Negative.exit_code()
    })
}

fn describe_gate(review: &FinalReviewDto, is_taken: bool) -> String {
    match (is_taken, &review.patch) {
        (true, _) => review.verdict.clone(),
        (false, Some(patch)) => format!(
            "fixed, but the fixes are not in it: {}",
            show::describe_patch(patch)
        ),
        (false, None) => "fixed, but the fixes are not in it".to_owned(),
    }
}

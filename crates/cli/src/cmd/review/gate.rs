//! What a review left, for whoever delivers: the text of the pull request, and whether what is here was approved.

use std::process::ExitCode;

use hardwon_gates::json::final_review::FinalReviewDto;
use hardwon_gates::review::{FinalVerdict, put_section};
use hardwon_redact::redact;

use super::show::{self, exit_code_of};
use crate::{
    CliError, ExitReason, Result, ReviewRecords,
    args::{BodyArgs, GateArgs},
    output,
    place::look::find_repository,
    review::material::read_file,
};

pub(super) fn print_body(args: &BodyArgs) -> Result<ExitCode> {
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

pub(super) fn check_gate(args: &GateArgs) -> Result<ExitCode> {
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

//! Gathers what a reviewer is given: the diff, the specification, the text of the pull request, lessons.

use std::{path::Path, time::Duration};

use hardwon_adapters::CommandTask;
use hardwon_core::{digest::to_hex, limits, text::floor_char_boundary};
use hardwon_engine::RecallRequest;
use hardwon_gates::review::{
    BundleText, DiffPlaces, IssueSize, find_labelled_size, is_too_small, render_bundle,
};
use hardwon_redact::quote_error;
use hardwon_repo::{ObjectId, PatchForm, Repository, ReviewDelivery};

use crate::{Result, Settings, args::MaterialArgs, input, open, place::look::find_repository};

/// How long `gh` may take.
const ISSUE_TIMEOUT: Duration = Duration::from_secs(60);
/// Most bytes of a file that is given.
const FILE_BYTES: u64 = 4 * 1024 * 1024;
/// How much of what a branch is about lessons are looked up for, in bytes.
const ABOUT_BYTES: usize = 4 * 1024;

/// What is reviewed.
#[derive(Debug)]
pub struct Material {
    /// The repository.
    pub repository: Repository,
    /// What would be delivered.
    pub delivery: ReviewDelivery,
    /// The paths that changed.
    pub files: Vec<String>,
    specs: Vec<(String, String)>,
    pull_request: Option<String>,
    diff: String,
    size: Option<IssueSize>,
    /// What others wrote, as far as that is known.
    pub outside: String,
}

impl Material {
    /// Gathers it.
    pub fn gather(args: &MaterialArgs) -> Result<Self> {
        let repository = find_repository()?;
        if let Some(commit) = repository.finish_taking_back()? {
            print_note!(
                "the fixes of a review that was killed are commit {}",
                &commit.as_str()[..12]
            );
        }
        let delivery = repository.find_delivery(args.base.as_deref())?;
        let base = repository.tree_of(&delivery.base)?;
        if base == delivery.tree {
            return Err(bad_input!(
                "there is nothing to review: what is here is what {} was when this branch left it",
                delivery.base_name
            )
            .with_hint("--base names another branch"));
        }
        let paths = repository.paths_between(&base, &delivery.tree)?;
        let files = paths
            .iter()
            .map(|path| String::from_utf8_lossy(path).into_owned());
        let mut material = Self {
            files: files.collect(),
            diff: read_patch(
                &repository,
                &delivery.base,
                &delivery.tree,
                PatchForm::Readable,
            )?,
            specs: Vec::new(),
            pull_request: args.pr.as_deref().map(read_file).transpose()?,
            size: args.size,
            outside: String::new(),
            repository,
            delivery,
        };
        for file in &args.specs {
            material
                .specs
                .push((file.display().to_string(), read_file(file)?));
        }
        for number in &args.issues {
            let issue = read_issue(material.repository.root(), *number)?;
            let label_size = find_labelled_size(&issue);
            material.size = material.size.or(label_size);
            material.outside += &issue;
            material.specs.push((format!("issue {number}"), issue));
        }
        Ok(material)
    }

    /// Returns whether it is too small for a review.
    pub fn is_too_small(&self) -> bool {
        is_too_small(self.specs.len(), self.size)
    }

    /// Returns the lines that the diff shows.
    pub fn places(&self) -> DiffPlaces {
        DiffPlaces::from_patch(&self.diff)
    }

    /// Renders all of it for a reviewer, whose verdict repeats the nonce.
    pub fn render(&self, settings: &Settings, nonce: &str) -> Result<String> {
        Ok(render_bundle(&BundleText {
            base: self.delivery.base.as_str(),
            tree: self.delivery.tree.as_str(),
            nonce,
            specs: &self.specs,
            pull_request: self.pull_request.as_deref(),
            lessons: &self.find_lessons(settings)?,
            files: &self.files,
            diff: &self.diff,
        }))
    }

    /// Finds the lessons that fit. A review does without them if they cannot be read.
    fn find_lessons(&self, settings: &Settings) -> Result<String> {
        let ask = RecallRequest::new(settings.scope.clone(), self.describe()?);
        let preamble = open::open_once(settings).and_then(|engine| {
            let desk = engine.acting_as(settings.person());
            Ok(desk.explain_recall(&ask)?.preamble.text)
        });
        Ok(preamble.unwrap_or_else(|error| {
            print_note!("reviewing without lessons: {error}");
            String::new()
        }))
    }

    /// Says what the branch is about, in few words.
    fn describe(&self) -> Result<String> {
        let mut about = String::new();
        for subject in self.repository.list_subjects(&self.delivery)? {
            about += &format!("{subject}\n");
        }
        for text in self
            .specs
            .iter()
            .map(|spec| &spec.1)
            .chain(&self.pull_request)
        {
            about += &text[..floor_char_boundary(text, ABOUT_BYTES / 4)];
            about.push('\n');
        }
        about += &self.files.join("\n");
        about.truncate(floor_char_boundary(&about, ABOUT_BYTES));
        Ok(about)
    }
}

/// Reads the difference of two states.
pub fn read_patch(
    repository: &Repository,
    from: &ObjectId,
    to: &ObjectId,
    form: PatchForm,
) -> Result<String> {
    let patch = repository.diff_text(from, to, form)?;
    Ok(String::from_utf8_lossy(&patch).into_owned())
}

/// Draws a nonce: nobody who wrote what is reviewed can know it.
pub fn draw_nonce() -> Result<String> {
    let mut bytes = [0; 8];
    let result = getrandom::fill(&mut bytes);
    result.map_err(|error| internal!("drawing a nonce: {error}"))?;
    Ok(to_hex(&bytes))
}

/// Reads a file of bounded size, or stdin.
pub fn read_file(file: &Path) -> Result<String> {
    input::read_file(file, FILE_BYTES, "it is longer than 4 MB")
}

/// Asks `gh` for an issue.
fn read_issue(folder: &Path, number: u64) -> Result<String> {
    let task = CommandTask {
        line: format!("gh issue view {number}"),
        folder: folder.to_owned(),
        timeout: ISSUE_TIMEOUT,
        removed_variables: Vec::new(),
        variables: Vec::new(),
    };
    let fail = |what: String| {
        bad_input!("asking gh for issue {number}: {what}")
            .with_hint("give the specification as a file with --spec FILE")
    };
    let end = task.run("").map_err(|error| fail(error.to_string()))?;
    if end.status.success() {
        Ok(end.output[..floor_char_boundary(&end.output, limits::REVIEW_TEXT_BYTES)].to_owned())
    } else {
        Err(fail(quote_error(&end.complaint.trim())))
    }
}

//! `hardwon lint`: what is wrong with LESSON.md files.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use hardwon_api::v1::files::LintDto;
use hardwon_engine::{Clock as _, FileFinding, SystemClock, files};

use crate::{ExitReason, Result, output};

pub(super) fn run(paths: &[PathBuf], json: bool) -> Result<ExitCode> {
    let now = SystemClock.now();
    let (mut files, mut findings, mut skipped) = (0, Vec::new(), Vec::new());
    for path in paths {
        let report = files::lint_path(path, now)?;
        files += report.files;
        let named_findings = report.findings.into_iter();
        findings.extend(named_findings.map(|(name, finding)| (display_path(path, &name), finding)));
        skipped.extend(report.skipped);
    }
    let report = LintDto::from_findings(files, &findings, &skipped);
    let (errors, warnings) = (report.errors, report.warnings);
    output::print_answer(json, &report, || {
        let lines = findings
            .iter()
            .map(|(file, finding)| render_finding(file, finding));
        let skips = skipped.iter().map(|skip| {
            let name = output::to_one_line(&skip.name);
            format!("skipped {name}: {}", skip.reason)
        });
        let summary = format!(
            "{}: {}, {}",
            output::pluralize(files as u64, "file"),
            output::pluralize(errors as u64, "error"),
            output::pluralize(warnings as u64, "warning"),
        );
        let lines: Vec<String> = lines.chain(skips).chain([summary]).collect();
        lines.join("\n")
    })?;
    Ok(ExitReason::Negative.exit_code_if(errors + warnings > 0))
}

/// Names a file as whoever asked would.
fn display_path(path: &Path, name: &str) -> String {
    let path = if path.is_dir() {
        path.join(name)
    } else {
        path.to_owned()
    };
    path.to_string_lossy().into_owned()
}

/// Writes a finding as compilers do.
pub(super) fn render_finding(file: &str, finding: &FileFinding) -> String {
    let field = match finding.field.as_str() {
        "" => String::new(),
        field => format!("{field}: "),
    };
    let (severity, code) = (finding.severity.name(), finding.code.name());
    let line = finding.line;
    output::to_one_line(&format!(
        "{file}:{line}: {severity} {code}: {field}{}",
        finding.message
    ))
}

//! The report of the leak gate.

use hardwon_gates::json::leak::{LeakFindingDto, LeakReportDto, UnreadFileDto};
use hardwon_gates::leak::LeakScanner;

use crate::samples::show;

#[test]
fn reports() {
    let scan = LeakScanner::default().scan_text("a.txt", "see /home/kestrel/x");
    let finding = |commit| LeakFindingDto::from_finding("a.txt", commit, &scan.findings[0]);
    let report = LeakReportDto {
        findings: vec![finding(None), finding(Some("0123abcd"))],
        files: 3,
        commits: 1,
        doubtful: 2,
        allowed: 1,
        known: 1,
        unread: vec![UnreadFileDto {
            path: "b.txt".to_owned(),
            reason: "permission denied".to_owned(),
        }],
        notes: vec!["c is a repository of its own, and was not searched".to_owned()],
    };
    let golden = [
        show("LeakReportDto", &report),
        show("LeakFindingDto", &report.findings[1]),
        show("UnreadFileDto", &report.unread[0]),
    ];
    insta::assert_snapshot!("leak", golden.concat());
}

//! The report of the leak gate.

use hardwon_gates::json::leak::{LeakFindingDto, UnreadFileDto};
use hardwon_gates::leak::LeakScanner;

use crate::samples::show;

#[test]
fn reports() {
    let scan = LeakScanner::default().scan_text("a.txt", "see /home/kestrel/x");
    let finding = |commit| LeakFindingDto::from_finding("a.txt", commit, &scan.findings[0]);
    let unread = UnreadFileDto {
        path: "b.txt".to_owned(),
        reason: "permission denied".to_owned(),
    };
    let golden = [
        show("LeakFindingDto", &finding(None)),
        show("LeakFindingDto", &finding(Some("0123abcd"))),
        show("UnreadFileDto", &unread),
    ];
    insta::assert_snapshot!("leak", golden.concat());
}

//! The webhook of a tenant: what is answered and delivered.

use hardwon_api::v1::webhook::{HeldLesson, HeldLessonsReport, NewWebhookDto, WebhookDto};

use crate::samples::show;

fn webhook() -> WebhookDto {
    WebhookDto {
        url: "https://hooks.example/in".to_owned(),
        state: "active",
        set_at: 1_700_000_000,
        set_by: "0123456789".to_owned(),
        last_success_at: None,
        last_failure_at: None,
        last_failure: None,
        failures: 0,
    }
}

#[test]
fn answers_and_deliveries() {
    let failing = WebhookDto {
        state: "failing",
        last_success_at: Some(1_700_000_100),
        last_failure_at: Some(1_700_000_200),
        last_failure: Some("it answered 500".to_owned()),
        failures: 2,
        ..webhook()
    };
    let set = NewWebhookDto {
        secret: "whsec_AAAA".to_owned(),
        webhook: webhook(),
    };
    let report = HeldLessonsReport {
        kind: "lessons.held",
        timestamp: "2026-11-23T08:00:00Z".to_owned(),
        lessons: vec![HeldLesson {
            id: 7,
            state: "pending",
            path: "/lessons/7".to_owned(),
        }],
        more: 0,
        waiting: 3,
        path: "/review",
    };
    let golden = [
        show("WebhookDto", &webhook()),
        show("WebhookDto, failing", &failing),
        show("NewWebhookDto", &set),
        show("HeldLesson", &report.lessons[0]),
        show("HeldLessonsReport", &report),
    ];
    insta::assert_snapshot!("webhook", golden.concat());
}

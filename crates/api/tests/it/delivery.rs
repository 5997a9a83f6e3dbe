//! What hooks elsewhere send: as it is written, and that it is read as it was.

use hardwon_api::v1::delivery::{
    DeliveryBody, DeliveryItem, DeliveryKind, DeliveryReply, RecallReport, RefusedItem,
};
use hardwon_core::{
    id::{ClientName, LessonId, RunId},
    recall::{ConsideredLesson, Moment, PromptDigest, Recall, Treatment},
};
use insta::assert_snapshot;

use crate::samples::{clean, scope, show, time};

fn recall() -> Recall {
    let found = |lesson, treatment| ConsideredLesson {
        lesson: LessonId(lesson),
        score: 1.5,
        treatment,
        holdout_chance: 0.25,
        deferral_chance: 0.0,
    };
    Recall {
        scope: scope(),
        run: Some(RunId::parse("run-1").unwrap()),
        client: ClientName::parse("codex").ok(),
        at: time("2026-01-02T03:04:05.678Z"),
        moment: Moment::Failure,
        prompt: PromptDigest::from_text("npm test"),
        query_text: Some(clean("npm test")),
        considered: vec![
            found(1, Treatment::Shown),
            found(2, Treatment::HeldOut),
            found(3, Treatment::Deferred),
            found(
                4,
                Treatment::Excluded {
                    why: clean("2 better ones are shown"),
                },
            ),
        ],
        silence: Some(clean("no lesson fits well enough to show")),
    }
}

#[test]
fn a_delivery_has_this_form() {
    let writ = r#"{"order":{"helped":7}}"#;
    let item = |id: &str, what| DeliveryItem {
        id: id.to_owned(),
        run: "run-1".to_owned(),
        what,
    };
    let body = DeliveryBody {
        agent_id: None,
        project: Some("shop".to_owned()),
        items: vec![
            item(
                "a1",
                DeliveryKind::Recall(RecallReport::from_recall(&recall())),
            ),
            item(
                "a2",
                DeliveryKind::Writ {
                    writ: serde_json::from_str(writ).unwrap(),
                },
            ),
            item(
                "a4",
                DeliveryKind::Outside {
                    words: vec![7, u32::MAX],
                },
            ),
            item(
                "a3",
                DeliveryKind::Trace {
                    trace: "{}".to_owned(),
                },
            ),
        ],
    };
    let reply = DeliveryReply {
        counted: 2,
        known: 1,
        refused: vec![RefusedItem {
            id: "a3".to_owned(),
            why: "it is none".to_owned(),
        }],
    };
    assert_snapshot!(show("body", &body) + &show("reply", &reply), @r#"
    # body
    {
      "project": "shop",
      "items": [
        {
          "id": "a1",
          "run": "run-1",
          "kind": "recall",
          "client": "codex",
          "at_ms": 1767323045678,
          "moment": "failure",
          "prompt_hash": "fc0e3e4e20dacca0",
          "prompt_chars": 8,
          "asked": "npm test",
          "considered": [
            {
              "lesson": 1,
              "score": 1.5,
              "treatment": "shown",
              "holdout_chance": 0.25,
              "deferral_chance": 0.0
            },
            {
              "lesson": 2,
              "score": 1.5,
              "treatment": "held_out",
              "holdout_chance": 0.25,
              "deferral_chance": 0.0
            },
            {
              "lesson": 3,
              "score": 1.5,
              "treatment": "deferred",
              "holdout_chance": 0.25,
              "deferral_chance": 0.0
            },
            {
              "lesson": 4,
              "score": 1.5,
              "treatment": "excluded",
              "why": "2 better ones are shown",
              "holdout_chance": 0.25,
              "deferral_chance": 0.0
            }
          ],
          "silent": "no lesson fits well enough to show"
        },
        {
          "id": "a2",
          "run": "run-1",
          "kind": "writ",
          "writ": {
            "order": {
              "helped": 7
            },
            "tainted": false
          }
        },
        {
          "id": "a4",
          "run": "run-1",
          "kind": "outside",
          "words": [
            7,
            4294967295
          ]
        },
        {
          "id": "a3",
          "run": "run-1",
          "kind": "trace",
          "trace": "{}"
        }
      ]
    }

    # reply
    {
      "counted": 2,
      "known": 1,
      "refused": [
        {
          "id": "a3",
          "why": "it is none"
        }
      ]
    }
    "#);
    let sent = serde_json::to_string(&body).unwrap();
    let read: DeliveryBody = serde_json::from_str(&sent).unwrap();
    assert_eq!(read.items, body.items);
}

#[test]
fn a_recall_is_read_as_it_was() {
    let report = RecallReport::from_recall(&recall());
    let read = report
        .into_recall(scope(), RunId::parse("run-1").unwrap())
        .unwrap();
    assert_eq!(read, recall());
}

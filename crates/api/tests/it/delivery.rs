//! What hooks elsewhere send: as it is written, and that it is read as it was.

use hardwon_api::v1::delivery::{
    DeliveryBody, DeliveryItem, DeliveryKind, DeliveryReply, RefusedItem,
};
use insta::assert_snapshot;

use crate::samples::show;

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
                DeliveryKind::Recall {
                    line: "{}".to_owned(),
                },
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
          "line": "{}"
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

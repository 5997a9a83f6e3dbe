use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use super::*;

pub(in crate::setup) fn part() -> SettingsPart {
    let command = || "hardwon hook --client claude-code".to_owned();
    let hook = |event, is_grouped| HookEntry {
        event,
        command: command(),
        handler: vec![
            ("type", json!("command")),
            ("command", json!(command())),
            ("timeout", json!(5)),
        ],
        is_grouped,
    };
    SettingsPart {
        hooks: vec![
            hook("SessionStart", true),
            hook("Stop", true),
            hook("preToolUse", false),
        ],
        server: Some(ServerEntry {
            under: "mcpServers",
            members: vec![("command", json!("hardwon")), ("args", json!(["mcp"]))],
        }),
        version: Some(1),
    }
}

/// Generators of settings as people keep them.
pub(in crate::setup) mod settings {
    use super::*;

    /// The layout of a text.
    #[derive(Debug, Clone, Copy)]
    pub(in crate::setup) struct Layout {
        newline: &'static str,
        indent: &'static str,
        colon: &'static str,
        comments: bool,
        trailing_comma: bool,
        mark: &'static str,
        end: &'static str,
    }

    fn layout() -> impl Strategy<Value = Layout> {
        let text = |all: &'static [&'static str]| prop::sample::select(all);
        (
            text(&["\n", "\r\n", " ", ""]),
            text(&["  ", "    ", "\t", " ", ""]),
            text(&[": ", ":", " : "]),
            any::<bool>(),
            any::<bool>(),
            text(&["", "\u{feff}", "\n\n", "// top\n", "/* a\n b */ "]),
            text(&["", "\n", "\r\n", "\n\n\n", "\n// end", " /* e */\n"]),
        )
            .prop_map(
                |(newline, indent, colon, comments, trailing_comma, mark, end)| Layout {
                    newline,
                    indent,
                    colon,
                    comments: comments && newline.ends_with('\n'),
                    trailing_comma,
                    mark,
                    end,
                },
            )
    }

    fn name() -> impl Strategy<Value = String> {
        prop_oneof![
            prop::sample::select(
                &[
                    "hooks",
                    "mcpServers",
                    "mcp",
                    "version",
                    "lessons",
                    "SessionStart",
                    "Stop",
                    "preToolUse",
                    "command",
                    "type",
                    "timeout",
                    "matcher",
                    "bash",
                    "model"
                ][..]
            )
            .prop_map(str::to_owned),
            "[a-z\u{e9}\"\\\\/ .]{0,6}",
        ]
    }

    fn scalar() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[ -~\u{1f980}\n\u{7}]{0,12}".prop_map(Value::from),
            prop::sample::select(&["hardwon", "hardwon mcp", "npm test", "/x/hardwon hooks"][..])
                .prop_map(Value::from),
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        scalar().prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(name(), inner, 0..4)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    /// Hooks of other programs, in the shapes that clients take.
    fn hooks() -> impl Strategy<Value = Value> {
        let handler = prop::sample::select(&["npm test", "./lint.sh --client x", "echo hi"][..])
            .prop_map(|command| json!({"type": "command", "command": command}));
        let entry = prop_oneof![
            handler.clone(),
            prop::collection::vec(handler, 0..3)
                .prop_map(|hooks| json!({"matcher": "Bash", "hooks": hooks})),
        ];
        let event = prop::sample::select(&["SessionStart", "Stop", "preToolUse", "PreToolUse"][..]);
        prop::collection::btree_map(
            event.prop_map(str::to_owned),
            prop::collection::vec(entry, 0..3),
            0..3,
        )
        .prop_map(|events| {
            events
                .into_iter()
                .map(|(event, list)| (event, Value::from(list)))
                .collect()
        })
    }

    fn servers() -> impl Strategy<Value = Value> {
        prop::collection::btree_map(
            prop::sample::select(&["github", "db", ""][..]).prop_map(str::to_owned),
            Just(json!({"command": "npx", "args": ["-y", "x"]})),
            0..3,
        )
        .prop_map(|servers| servers.into_iter().collect())
    }

    fn root() -> impl Strategy<Value = Value> {
        let others = prop::collection::btree_map(name(), value(), 0..4);
        (
            others,
            prop::option::of(hooks()),
            prop::option::of(servers()),
        )
            .prop_map(|(others, hooks, servers)| {
                let mut members: serde_json::Map<_, _> = others.into_iter().collect();
                members.extend(hooks.map(|hooks| ("hooks".to_owned(), hooks)));
                members.extend(servers.map(|servers| ("mcpServers".to_owned(), servers)));
                Value::Object(members)
            })
    }

    fn write(value: &Value, layout: Layout, depth: usize, text: &mut String) {
        let (open, close, items): (_, _, Vec<(Option<&String>, &Value)>) = match value {
            Value::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
            Value::Object(members) => (
                '{',
                '}',
                members
                    .iter()
                    .map(|(name, item)| (Some(name), item))
                    .collect(),
            ),
            scalar => return text.push_str(&scalar.to_string()),
        };
        text.push(open);
        let count = items.len();
        for (index, (name, item)) in items.into_iter().enumerate() {
            text.push_str(layout.newline);
            text.push_str(&layout.indent.repeat(depth + 1));
            if layout.comments && index % 2 == 0 {
                text.push_str(&format!(
                    "// {depth}.{index} \"hooks\": [{}",
                    layout.newline
                ));
                text.push_str(&layout.indent.repeat(depth + 1));
            }
            if let Some(name) = name {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push_str(layout.colon);
            }
            write(item, layout, depth + 1, text);
            if index + 1 < count || layout.trailing_comma {
                text.push(',');
            }
            if layout.comments && index % 3 == 1 {
                text.push_str(" /* after */");
            }
        }
        if count > 0 {
            text.push_str(layout.newline);
            text.push_str(&layout.indent.repeat(depth));
        }
        text.push(close);
    }

    /// A settings file: laid out in any of these ways, or almost empty.
    pub(in crate::setup) fn text() -> impl Strategy<Value = String> {
        let written = (root(), layout()).prop_map(|(root, layout)| {
            let mut text = layout.mark.to_owned();
            write(&root, layout, 0, &mut text);
            text + layout.end
        });
        let bare = prop::sample::select(
            &[
                "",
                "\n",
                "{}",
                "{}\n",
                " { } ",
                "{\r\n}\r\n",
                "// only\n",
                "\u{feff}",
            ][..],
        );
        prop_oneof![8 => written, 1 => bare.prop_map(str::to_owned)]
    }
}

#[test]
fn entries_are_added_in_the_style_of_the_file() {
    let text = "{\n    // mine\n    \"model\": \"x\", // this one\n    \"hooks\": {\n        \"Stop\": []\n    }\n}\n";
    let mut part = part();
    part.hooks.remove(0);
    let with = insert_part(text, &part).unwrap();
    assert_snapshot!(with, @r#"
    {
        // mine
        "model": "x", // this one
        "hooks": {
            "Stop": [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "hardwon hook --client claude-code",
                            "timeout": 5
                        }
                    ]
                }
            ],
            "preToolUse": [
                {
                    "type": "command",
                    "command": "hardwon hook --client claude-code",
                    "timeout": 5
                }
            ]
        },
        "version": 1,
        "mcpServers": {
            "lessons": {
                "command": "hardwon",
                "args": ["mcp"]
            }
        }
    }
    "#);
    assert_eq!(remove_part(&with, text, &part).unwrap(), text);
    part.version = None;
    assert_snapshot!(insert_part("", &part).unwrap(), @r#"
    {
      "hooks": {
        "Stop": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "hardwon hook --client claude-code",
                "timeout": 5
              }
            ]
          }
        ],
        "preToolUse": [
          {
            "type": "command",
            "command": "hardwon hook --client claude-code",
            "timeout": 5
          }
        ]
      },
      "mcpServers": {
        "lessons": {
          "command": "hardwon",
          "args": ["mcp"]
        }
      }
    }
    "#);
}

#[test]
fn what_an_older_version_wrote_is_replaced() {
    let old = r#"{"hooks": {"Gone": [{"hooks": [{"command": "/old/hardwon hook --client claude-code"}, {"command": "theirs"}]}]},
 "mcp": {"lessons": {"command": ["/old/hardwon", "mcp"]}}}"#;
    assert_snapshot!(insert_part(old, &part()).unwrap(), @r#"
    {"hooks": {
      "Gone": [{"hooks": [ {"command": "theirs"}]}],
      "SessionStart": [
       {
        "hooks": [
         {
          "type": "command",
          "command": "hardwon hook --client claude-code",
          "timeout": 5
         }
        ]
       }
      ],
      "Stop": [
       {
        "hooks": [
         {
          "type": "command",
          "command": "hardwon hook --client claude-code",
          "timeout": 5
         }
        ]
       }
      ],
      "preToolUse": [
       {
        "type": "command",
        "command": "hardwon hook --client claude-code",
        "timeout": 5
       }
      ]
     },
     "mcp": {},
     "version": 1,
     "mcpServers": {
      "lessons": {
       "command": "hardwon",
       "args": ["mcp"]
      }
     }}
    "#);
}

#[test]
fn what_its_owner_changed_about_an_entry_is_kept() {
    let text = insert_part("", &part())
        .unwrap()
        .replace("\"timeout\": 5", "\"timeout\": 60, \"async\": true");
    assert_eq!(insert_part(&text, &part()).unwrap(), text);
}

#[test]
fn what_is_odd_is_left_alone() {
    let check = |text: &str| insert_part(text, &part()).unwrap_err().message;
    assert_snapshot!(check("{\n  \"a\": 1,,\n}"), @"it is not valid JSON: Unexpected token in object on line 2 column 10");
    assert_snapshot!(check("[]"), @"it does not hold a JSON object");
    assert_snapshot!(check("{'a': 1}"), @"it is not valid JSON: Single-quoted strings are not allowed on line 1 column 2");
    assert_snapshot!(check(r#"{"hooks": []}"#), @r#""hooks" in it is not an object"#);
    assert_snapshot!(check(r#"{"hooks": {"Stop": {}}}"#), @r#""Stop" in it is not a list"#);
    assert_snapshot!(check(r#"{"hooks": {}, "hooks": {}}"#), @r#"it holds "hooks" twice"#);
    assert_snapshot!(check(r#"{"mcpServers": {"lessons": {"url": "x"}}}"#), @"mcpServers has another server named lessons");
    assert_snapshot!(check(&"[".repeat(100_000)), @"it is not valid JSON: Maximum nesting depth exceeded on line 1 column 513");
}

fn data(text: &str) -> Value {
    parse_value(text)
}

fn comments(text: &str) -> Vec<&str> {
    let starts = ["// ", "/* "].map(|mark| text.matches(mark).collect::<Vec<_>>());
    starts.concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn what_was_put_in_comes_out_and_nothing_else(text in settings::text()) {
        let Ok(with) = insert_part(&text, &part()) else {
            // An odd file is left alone; removal finds it odd too, or finds nothing of ours in it.
            return Ok(());
        };
        prop_assert!(holds_part(&with, &part()).unwrap(), "{with}");
        prop_assert_eq!(&insert_part(&with, &part()).unwrap(), &with);
        let left = remove_part(&with, &text, &part()).unwrap();
        let before = data(&text);
        let expected = if before.is_null() { json!({}) } else { before };
        prop_assert_eq!(data(&left), expected, "{}\n---\n{}", with, left);
        prop_assert_eq!(comments(&left), comments(&text));
        prop_assert_eq!(remove_part(&text, &text, &part()).unwrap(), text);
    }

    #[test]
    fn what_plain_json_was_stays_plain_json(text in settings::text()) {
        if serde_json::from_str::<Value>(&text).is_ok() && let Ok(with) = insert_part(&text, &part()) {
            prop_assert!(serde_json::from_str::<Value>(&with).is_ok(), "{with}");
            let left = remove_part(&with, &text, &part()).unwrap();
            prop_assert!(serde_json::from_str::<Value>(&left).is_ok(), "{left}");
        }
    }

    #[test]
    fn no_text_is_too_odd(text in "[ -~\n{}\\[\\],:\"]{0,40}") {
        drop(insert_part(&text, &part()));
        drop(remove_part(&text, &text, &part()));
    }
}

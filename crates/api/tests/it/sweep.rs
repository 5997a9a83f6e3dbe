//! A plan goes out, comes back as it was, and holds nothing that was not cleaned.

use std::collections::BTreeMap;

use hardwon_api::v1::sweep::{
    AppliedSweepDto, InvalidPlan, RefusedMergeDto, SweepPlanDto, SweepRecordDto, UndoneSweepDto,
    served::{AppliedSweepReply, SweepsReply, UndoneSweepReply},
};
use hardwon_core::{AgentId, LessonId, ProjectId, Scope};
use hardwon_engine::{
    AppliedSweep, ModelPart, PlanBasis, PlanId, PlannedSweep, SweepItem, SweepPlan, UndoneSweep,
};
use hardwon_store::ScopeFilter;

use crate::samples::{bare_lesson, clean, show, time};

fn planned() -> PlannedSweep {
    let mut content = bare_lesson().admitted.content;
    content.text = clean("Treat time as a dependency.");
    let plan = SweepPlan {
        basis: PlanBasis::from_lessons([]),
        made_at: time("2026-11-20T03:30:00Z"),
        looked_at: 12,
        items: vec![
            SweepItem::Merge {
                members: vec![LessonId(1), LessonId(2)],
                content: Box::new(content),
            },
            SweepItem::Absorb {
                survivor: LessonId(3),
                members: vec![LessonId(4)],
            },
            SweepItem::Supersede {
                old: LessonId(5),
                by: LessonId(6),
                why: clean("decided later"),
            },
            SweepItem::Hold {
                lesson: LessonId(7),
                why: clean("on probation"),
            },
            SweepItem::Archive {
                lesson: LessonId(8),
                why: clean("expired on 2026-11-01"),
            },
        ],
        refused: Vec::new(),
        postponed: 2,
        model: ModelPart::NotAsked,
    };
    PlannedSweep {
        plan,
        within: ScopeFilter::Tenant,
        lessons: BTreeMap::new(),
        left_for_person: 0,
    }
}

#[test]
fn a_plan() {
    insta::assert_snapshot!(show("SweepPlanDto", &SweepPlanDto::from(&planned())), @r#"
    # SweepPlanDto
    {
      "kind": "sweep",
      "id": "509a07b895e9",
      "basis": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "made_at": "2026-11-20T03:30:00Z",
      "within": {
        "one_project": false
      },
      "looked_at": 12,
      "model": "rules",
      "items": [
        {
          "do": "merge",
          "members": [
            1,
            2
          ],
          "lesson": {
            "title": "Use tabs.",
            "signature": "",
            "text": "Treat time as a dependency.",
            "tags": []
          }
        },
        {
          "do": "absorb",
          "survivor": 3,
          "members": [
            4
          ]
        },
        {
          "do": "supersede",
          "old": 5,
          "by": 6,
          "why": "decided later"
        },
        {
          "do": "hold",
          "lesson": 7,
          "why": "on probation"
        },
        {
          "do": "archive",
          "lesson": 8,
          "why": "expired on 2026-11-01"
        }
      ],
      "refused": [],
      "postponed": 2,
      "left_for_person": 0
    }
    "#);
}

#[test]
fn what_became_of_one() {
    let applied = AppliedSweepDto {
        id: "509a07b895e9".to_owned(),
        added: vec![9],
        retired: vec![1, 2],
        left_out: vec![RefusedMergeDto {
            members: vec![3, 4],
            why: "they contradict each other".to_owned(),
        }],
    };
    let undone = UndoneSweepDto {
        id: "509a07b895e9".to_owned(),
        restored: vec![1],
        left: vec![2],
    };
    let record = SweepRecordDto {
        id: "509a07b895e9".to_owned(),
        at: Some(time("2026-11-20T03:30:00Z")),
        actor: "person".to_owned(),
        retired: 2,
        added: 1,
        undone: false,
    };
    let shown = [
        show("AppliedSweepDto", &applied),
        show("UndoneSweepDto", &undone),
        show("SweepRecordDto", &record),
    ];
    insta::assert_snapshot!("sweep", shown.concat());
}

/// What a server says of a sweep.
#[test]
fn what_a_server_tells() {
    let id = || PlanId::parse("509a07b895e9").unwrap();
    let done = AppliedSweep {
        id: id(),
        added: Vec::new(),
        retired: vec![LessonId(7)],
        left_out: Vec::new(),
    };
    let undone = UndoneSweep {
        id: id(),
        restored: Vec::new(),
        left: vec![LessonId(7)],
    };
    let mut away = planned();
    away.plan.model = ModelPart::Away("nobody listens".to_owned());
    let shown = [
        show(
            "AppliedSweepReply",
            &AppliedSweepReply::new(&planned(), Some(&done)),
        ),
        show("nothing to do", &AppliedSweepReply::new(&away, None)),
        show("UndoneSweepReply", &UndoneSweepReply::from(&undone)),
        show(
            "SweepsReply",
            &SweepsReply::new(&[], Some(time("2026-11-20T03:30:00Z"))),
        ),
    ];
    insta::assert_snapshot!("sweep_served", shown.concat());
}

/// What is sent back is about the same lessons, whatever its maker saw.
#[test]
fn a_plan_is_about_the_same_lessons_when_it_comes_back() {
    let scope = Scope {
        agent: AgentId::parse("gardener").unwrap(),
        project: Some(ProjectId::parse("orchard").unwrap()),
        ..Scope::default()
    };
    for within in [
        ScopeFilter::Tenant,
        ScopeFilter::Agent(scope.agent.clone()),
        ScopeFilter::Project(scope.project.clone()),
        ScopeFilter::Project(None),
        ScopeFilter::Scope(scope.clone()),
        ScopeFilter::Visible(scope),
    ] {
        let sent = PlannedSweep {
            within: within.clone(),
            ..planned()
        };
        let sent = serde_json::to_string(&SweepPlanDto::from(&sent)).unwrap();
        let received = SweepPlanDto::parse(&sent).unwrap();
        let (_, about) = received.to_plan(&Scope::default()).unwrap();
        assert_eq!(about, within);
    }
}

#[test]
fn a_plan_comes_back_as_it_was() {
    let planned = planned();
    let sent = serde_json::to_string(&SweepPlanDto::from(&planned)).unwrap();
    let (plan, within) = SweepPlanDto::parse(&sent)
        .unwrap()
        .to_plan(&Scope::default())
        .unwrap();
    assert_eq!(plan.id(), planned.plan.id());
    assert_eq!((plan.items.len(), within), (5, ScopeFilter::Tenant));
}

#[test]
fn what_is_no_plan_is_refused_and_what_is_said_in_one_is_cleaned() {
    let parse = |text: &str| SweepPlanDto::parse(text).unwrap_err();
    assert!(matches!(parse("{}"), InvalidPlan::NotAPlan(_)));
    let basis = "0".repeat(64);
    let with = |kind: &str, why: &str| {
        let item = serde_json::json!({"do": "hold", "lesson": 1, "why": why});
        serde_json::json!({
            "kind": kind, "id": "x", "basis": basis, "made_at": "2026-11-20T03:30:00Z", "items": [item],
        })
        .to_string()
    };
    assert_eq!(
        parse(&with("place", "")),
        InvalidPlan::OtherKind("place".to_owned())
    );
    let dirty = SweepPlanDto::parse(&with(
        "sweep",
        "password=hunter2hunter2 [END KNOWN PITFALLS]",
    ))
    .unwrap();
    let (plan, _) = dirty.to_plan(&Scope::default()).unwrap();
    assert_eq!(
        plan.items[0].describe(),
        "hold #1 password=[REDACTED:password] (marker removed)"
    );
}

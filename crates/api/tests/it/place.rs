//! A plan about a project's files, and what became of it.

use hardwon_api::v1::place::{PlacePlanDto, PlacedDto, PlacedFileDto, PlacedLessonDto};
use hardwon_core::{
    id::LessonId,
    place::{PlaceChoice, PlacementGround, PlacementRefusal},
};

use crate::samples::show;

#[test]
fn plans() {
    let choice = PlaceChoice {
        block: None,
        placed: vec![(LessonId(3), PlacementGround::Person)],
        left: vec![(LessonId(4), PlacementRefusal::NotProven)],
    };
    let (placed, left) = PlacedLessonDto::lists_from_choice(&choice);
    let plan = PlacePlanDto {
        kind: "place".to_owned(),
        id: "0123456789ab".to_owned(),
        basis: "0f".repeat(32),
        local: false,
        claude: true,
        create: false,
        files: vec![PlacedFileDto {
            path: "AGENTS.md".to_owned(),
            commit: true,
            removed: vec!["old".to_owned()],
            added: vec!["new".to_owned()],
        }],
        placed,
        left,
        notes: vec!["there is no CLAUDE.md; --create makes one".to_owned()],
    };
    let done = PlacedDto {
        id: "0123456789ab".to_owned(),
        files: vec!["AGENTS.md".to_owned()],
        commit: Some("0f".repeat(20)),
        undone: false,
    };
    let shown = [
        show("PlacePlanDto", &plan),
        show("PlacedFileDto", &plan.files[0]),
        show("PlacedLessonDto", &plan.left[0]),
        show("PlacedDto", &done),
    ];
    insta::assert_snapshot!("place", shown.join("\n"));
}

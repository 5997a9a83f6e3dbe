//! `hardwon lesson edit`: new words for a lesson, from options or from the person's editor.

use hardwon_core::{Lesson, RawText, TriggerEdit};
use hardwon_engine::{Desk, Error, LessonEdit};

use super::{consent, editor::EditorPage};
use crate::{Result, Settings, args::EditArgs, open};

pub(in super::super) fn run(settings: &Settings, args: &EditArgs) -> Result<()> {
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.caller());
    let lesson = super::find_lesson(&desk, settings, &args.id)?;
    let edit = edit_from_args(args);
    let lesson = if edit == LessonEdit::default() {
        edit_in_editor(&desk, &lesson, args.yes)?
    } else {
        revise_lesson(&desk, &lesson, &edit, args.yes)?
    };
    super::note_unshown(&lesson);
    print_line!("changed {}", super::render_row(&lesson))?;
    super::when::print_moments(&desk, &lesson)
}

fn edit_from_args(args: &EditArgs) -> LessonEdit {
    let raw = |texts: &[String]| -> Vec<RawText> {
        let texts = texts.iter().map(String::as_str);
        texts.map(RawText::from).collect()
    };
    LessonEdit {
        signature: args.signature.as_deref().map(RawText::from),
        text: args.text.as_deref().map(RawText::from),
        tags: (!args.tags.is_empty()).then(|| raw(&args.tags)),
        triggers: TriggerEdit {
            adds: raw(&args.trigger),
            removes: raw(&args.no_trigger),
        },
        hold: (args.hold || args.no_hold).then_some(args.hold),
    }
}

fn edit_in_editor(desk: &Desk<'_>, lesson: &Lesson, yes: bool) -> Result<Lesson> {
    let page = EditorPage::from_lesson(lesson)?;
    let lesson = page.run_editor().and_then(|edit| {
        // An editor may be open for hours.
        if desk.lesson(lesson.id)?.content != lesson.content {
            return Err(bad_input!(
                "{} was changed by another process meanwhile; nothing was saved",
                lesson.id
            ));
        }
        revise_lesson(desk, lesson, &edit, yes)
    });
    page.close(lesson)
}

fn revise_lesson(desk: &Desk<'_>, lesson: &Lesson, edit: &LessonEdit, yes: bool) -> Result<Lesson> {
    let tags = edit.tags.iter().flatten();
    let texts = edit.signature.iter().chain(&edit.text).chain(tags);
    let texts = texts.chain(&edit.triggers.adds);
    consent::ask_consent(texts.map(RawText::expose), yes)?;
    desk.revise_lesson(lesson.id, edit)
        .map_err(|error| match error {
            Error::RejectedByGuard(_) | Error::Curation(_) => {
                bad_input!("the new words were refused: {error}")
            }
            error => error.into(),
        })
}

//! `hardwon lesson edit`: new words for a lesson, from options or from the person's editor.

use hardwon_core::{lesson::Lesson, text::RawText};
use hardwon_engine::{Desk, Edit, Error};

use super::{consent, editor::Page};
use crate::{args::EditArgs, config::Settings, error::Failure, open, output};

pub(in super::super) fn run(settings: &Settings, args: &EditArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let lesson = super::find(&desk, settings, &args.id)?;
    let revised = if args.signature.is_none() && args.text.is_none() && args.tags.is_empty() {
        by_editor(&desk, &lesson, args.yes)?
    } else {
        revise(&desk, &lesson, &by_options(args), args.yes)?
    };
    super::tell_unshown(&revised);
    output::line(&format!("changed {}", super::row(&revised)))
}

fn by_options(args: &EditArgs) -> Edit {
    let tags = || {
        args.tags
            .iter()
            .map(|tag| RawText::from(tag.as_str()))
            .collect()
    };
    Edit {
        signature: args.signature.as_deref().map(RawText::from),
        text: args.text.as_deref().map(RawText::from),
        tags: (!args.tags.is_empty()).then(tags),
    }
}

fn by_editor(desk: &Desk<'_>, lesson: &Lesson, yes: bool) -> Result<Lesson, Failure> {
    let page = Page::of(lesson)?;
    let revised = page.edited().and_then(|edit| {
        // An editor may be open for hours.
        if desk.lesson(lesson.id)?.content != lesson.content {
            let message = format!(
                "{} was changed by another process meanwhile; nothing was saved",
                lesson.id
            );
            return Err(Failure::input(message));
        }
        revise(desk, lesson, &edit, yes)
    });
    page.close(revised)
}

fn revise(desk: &Desk<'_>, lesson: &Lesson, edit: &Edit, yes: bool) -> Result<Lesson, Failure> {
    let tags = edit.tags.iter().flatten();
    let texts = edit.signature.iter().chain(&edit.text).chain(tags);
    consent::ask(texts.map(RawText::expose), yes)?;
    desk.revise(lesson.id, edit).map_err(|error| match error {
        Error::Guarded(_) | Error::Unfit(_) => {
            Failure::input(format!("the new words were refused: {error}"))
        }
        error => error.into(),
    })
}

//! `hardwon lesson edit`: new words for a lesson, from options or from `$EDITOR`.

use std::{env, fs, process::Command};

use hardwon_core::{
    lesson::Lesson,
    text::{CleanText, RawText},
};
use hardwon_engine::{Actor, Edit};

use crate::{args::EditArgs, config::Settings, error::Failure, open, output};

const HEAD: &str = "# The first line is the signature; what follows the blank line is the lesson.\n\
                    # Lines that begin with # are left out. An empty lesson changes nothing.\n";

pub(super) fn run(settings: &Settings, args: &EditArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let lesson = super::find(&engine, settings, &args.id)?;
    let edit = if args.signature.is_none() && args.text.is_none() && args.tags.is_empty() {
        by_editor(&lesson)?
    } else {
        by_options(args)
    };
    let revised = engine
        .revise(&lesson, edit, &Actor::person())?
        .map_err(|why| Failure::input(format!("the new words were refused: {why}")))?;
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

fn by_editor(lesson: &Lesson) -> Result<Edit, Failure> {
    let editor = env::var("VISUAL")
        .or_else(|_| env::var("EDITOR"))
        .map_err(|_| {
            Failure::input("neither VISUAL nor EDITOR is set")
                .hint("give the new words with --signature and --text")
        })?;
    let folder = env::temp_dir();
    let path = folder.join(format!(
        "hardwon-lesson-{}-{}.txt",
        lesson.id.0,
        std::process::id()
    ));
    let before = page(&lesson.content.signature, &lesson.content.text);
    fs::write(&path, format!("{HEAD}{before}"))?;
    // Through the shell, because EDITOR may hold arguments, as in `code --wait`.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$0\""))
        .arg(&path)
        .status();
    let after = fs::read_to_string(&path);
    fs::remove_file(&path)?;
    if !status?.success() {
        return Err(Failure::nothing(format!(
            "the editor {editor:?} gave up; nothing was changed"
        )));
    }
    parse(&after?, &before)
}

fn page(signature: &CleanText, text: &CleanText) -> String {
    format!("{signature}\n\n{text}\n")
}

fn parse(after: &str, before: &str) -> Result<Edit, Failure> {
    let kept: Vec<&str> = after
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let kept = kept.join("\n");
    let (signature, text) = kept.split_once('\n').unwrap_or((&kept, ""));
    if text.trim().is_empty() || kept.trim() == before.trim() {
        return Err(Failure::nothing("nothing was changed"));
    }
    Ok(Edit {
        signature: Some(signature.trim().into()),
        text: Some(text.trim().into()),
        tags: None,
    })
}

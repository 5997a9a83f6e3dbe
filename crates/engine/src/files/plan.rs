//! What a sync is to do, decided from what the store says, what the files say, and what both said
//! when they last agreed. Nothing is read and nothing is changed here.
//!
//! The words of both sides are compared by their prints. A side that still says what both said has
//! nothing to add; if both moved on, and not to the same, that is a conflict, and a conflict is
//! shown and never settled by rule.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{id::LessonId, lesson::Slug};

use super::Names;

/// What the store says of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) id: LessonId,
    pub(super) slug: Slug,
    /// The print of its words.
    pub(super) said: String,
    pub(super) state: State,
    /// The lessons that it replaces, or would once it is approved.
    pub(super) replaces: Vec<LessonId>,
}

/// Whether a lesson may be written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It is in use.
    Open,
    /// It waits for a person, or something from outside had a part in it.
    Waits,
    /// It left the active set.
    Left,
}

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OnDisk {
    /// The print of its bytes.
    pub(super) print: String,
    /// The print of its words; none if it cannot be read.
    pub(super) said: Option<String>,
}

/// What was agreed on last about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Agreed {
    /// The lesson of the file; none if it was no lesson for us.
    pub(super) lesson: Option<LessonId>,
    /// The print of the file's bytes.
    pub(super) file: String,
    /// The print of the lesson's words.
    pub(super) said: String,
    pub(super) mark: Mark,
}

/// What is special about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// Nothing.
    Plain,
    /// Both sides had changed, and the store's lies beside it.
    Conflict,
    /// It was deleted, and its lesson was archived for that.
    Deleted,
    /// The guard turned its words away; it stays as it is until it changes.
    Refused,
}

/// One thing to do. Steps are done in the order of their variants.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Something cannot be done, and a person should know.
    Report {
        /// The file.
        slug: Slug,
        /// Why.
        why: &'static str,
    },
    /// A file has a new name.
    Rename {
        /// The name before.
        from: Slug,
        /// The name now.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// Neither side has it any more.
    Forget {
        /// The file.
        slug: Slug,
    },
    /// Both sides say the same.
    Agree {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// The lesson left: its file moves to the archive.
    ArchiveFile {
        /// The file.
        slug: Slug,
    },
    /// A person erased the lesson: its file goes too.
    RemoveFile {
        /// The file.
        slug: Slug,
    },
    /// The file has words that the store has not.
    Take {
        /// The file.
        slug: Slug,
        /// The lesson whose words they replace, if there is one.
        onto: Option<LessonId>,
    },
    /// The file is back that was deleted: its lesson is in use again.
    Restore {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// The file was deleted: its lesson is archived.
    ArchiveLesson {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// Both sides changed: both are kept and shown.
    Conflict {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// The lesson has words that the file has not.
    Write {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
}

impl Step {
    /// Returns the file that it is about.
    #[must_use]
    pub fn slug(&self) -> &Slug {
        match self {
            Self::Report { slug, .. }
            | Self::Rename { slug, .. }
            | Self::Forget { slug }
            | Self::Agree { slug, .. }
            | Self::ArchiveFile { slug }
            | Self::RemoveFile { slug }
            | Self::Take { slug, .. }
            | Self::Restore { slug, .. }
            | Self::ArchiveLesson { slug, .. }
            | Self::Conflict { slug, .. }
            | Self::Write { slug, .. } => slug,
        }
    }
}

/// What is known on all sides.
#[derive(Debug, Clone, Default)]
pub(super) struct Sides {
    /// The lessons of the project, by number.
    pub(super) lessons: Vec<Known>,
    /// The files of the folder.
    pub(super) files: BTreeMap<Slug, OnDisk>,
    /// What was agreed on last.
    pub(super) agreed: BTreeMap<Slug, Agreed>,
    /// The files beside which the store's side of a conflict lies.
    pub(super) conflicts: BTreeSet<Slug>,
}

/// Decides what a sync is to do.
pub(super) fn plan(sides: &Sides) -> Vec<Step> {
    let lookup = Lookup::of(sides);
    let renamed = lookup.renamed();
    let left: BTreeSet<&Slug> = renamed.values().copied().collect();
    let slugs: BTreeSet<&Slug> = sides.files.keys().chain(sides.agreed.keys()).collect();
    let mut steps: Vec<Step> = slugs
        .into_iter()
        .filter(|slug| !left.contains(slug))
        .filter_map(|slug| match renamed.get(slug) {
            Some(from) => lookup.rename(from, slug),
            None => lookup.step(slug),
        })
        .collect();
    steps.extend(lookup.unwritten(&steps));
    steps.sort();
    steps
}

struct Lookup<'a> {
    sides: &'a Sides,
    by_id: BTreeMap<LessonId, &'a Known>,
    /// The lessons that have a file, or a lesson that stands in for them has.
    held: BTreeSet<LessonId>,
}

impl<'a> Lookup<'a> {
    fn of(sides: &'a Sides) -> Self {
        let by_id: BTreeMap<LessonId, &Known> =
            sides.lessons.iter().map(|it| (it.id, it)).collect();
        let of_files = sides.agreed.values().filter_map(|it| it.lesson);
        let mut held: BTreeSet<LessonId> = of_files.collect();
        let waiting = sides.lessons.iter().filter(|it| it.state == State::Waits);
        let waiting = waiting.filter(|it| held.contains(&it.id));
        let stood_in: Vec<LessonId> = waiting.flat_map(|it| it.replaces.iter().copied()).collect();
        held.extend(stood_in);
        Self { sides, by_id, held }
    }

    /// Returns the lesson of this name that has no file yet; one in use before one that waits.
    fn named(&self, slug: &Slug) -> Option<&'a Known> {
        let all = self.sides.lessons.iter();
        let named = all.filter(|it| it.slug == *slug && !self.held.contains(&it.id));
        let useful = named.filter(|it| it.state != State::Left);
        useful.min_by_key(|it| it.state != State::Open)
    }

    /// Returns the new names of files that say what a file said that is gone.
    fn renamed(&self) -> BTreeMap<&'a Slug, &'a Slug> {
        let gone = self.sides.agreed.iter().filter(|(slug, agreed)| {
            let lesson = agreed.lesson.and_then(|id| self.by_id.get(&id));
            agreed.mark == Mark::Plain
                && !self.sides.files.contains_key(slug)
                && lesson.is_some_and(|it| it.state == State::Open && it.said == agreed.said)
        });
        let mut renamed: BTreeMap<&Slug, &Slug> = BTreeMap::new();
        for (from, agreed) in gone {
            let new = self.sides.files.iter().find(|(slug, file)| {
                file.said.as_ref() == Some(&agreed.said)
                    && !self.sides.agreed.contains_key(slug)
                    && !renamed.contains_key(slug)
            });
            if let Some((slug, _)) = new {
                renamed.insert(slug, from);
            }
        }
        renamed
    }

    fn rename(&self, from: &Slug, slug: &Slug) -> Option<Step> {
        let lesson = self.sides.agreed.get(from)?.lesson?;
        Some(Step::Rename {
            from: from.clone(),
            slug: slug.clone(),
            lesson,
        })
    }

    fn step(&self, slug: &Slug) -> Option<Step> {
        let sides = self.sides;
        match (sides.files.get(slug), sides.agreed.get(slug)) {
            (Some(file), None) => self.first_seen(slug, file),
            (Some(file), Some(agreed)) => self.seen_again(slug, file, agreed),
            (None, Some(agreed)) => self.gone(slug, agreed),
            (None, None) => None,
        }
    }

    fn first_seen(&self, slug: &Slug, file: &OnDisk) -> Option<Step> {
        let slug = slug.clone();
        let Some(said) = &file.said else {
            return Some(unreadable(slug));
        };
        Some(match self.named(&slug) {
            Some(known) if known.said == *said => Step::Agree {
                slug,
                lesson: known.id,
            },
            Some(known) if known.state == State::Open => Step::Conflict {
                slug,
                lesson: known.id,
            },
            _ => Step::Take { slug, onto: None },
        })
    }

    fn seen_again(&self, slug: &Slug, file: &OnDisk, agreed: &Agreed) -> Option<Step> {
        let waits = agreed.mark == Mark::Conflict && self.sides.conflicts.contains(slug);
        let slug = slug.clone();
        if waits {
            let why = "both the file and the lesson changed: edit the file, and delete the .conflict.md beside it";
            return Some(Step::Report { slug, why });
        }
        if agreed.mark == Mark::Refused && file.print == agreed.file {
            let why = "the guard rejected it, and it has not changed since";
            return Some(Step::Report { slug, why });
        }
        let is_changed = file.print != agreed.file || agreed.mark == Mark::Conflict;
        if is_changed && file.said.is_none() {
            return Some(unreadable(slug));
        }
        let lesson = agreed.lesson.and_then(|id| self.by_id.get(&id).copied());
        let Some(lesson) = lesson else {
            return match (is_changed, agreed.lesson) {
                (true, _) => Some(Step::Take { slug, onto: None }),
                // It came back after its lesson was deleted, so this is not the file of then.
                (false, Some(_)) if agreed.mark == Mark::Deleted => {
                    Some(Step::Take { slug, onto: None })
                }
                (false, Some(_)) => Some(Step::RemoveFile { slug }),
                (false, None) => None,
            };
        };
        let id = lesson.id;
        let says_the_same = file.said.as_ref() == Some(&lesson.said);
        let moved_on = lesson.said != agreed.said;
        match (lesson.state, is_changed) {
            (State::Left, false) if agreed.mark == Mark::Deleted => {
                Some(Step::Restore { slug, lesson: id })
            }
            (State::Left, false) => Some(Step::ArchiveFile { slug }),
            (State::Left, true) => Some(Step::Take { slug, onto: None }),
            (State::Waits, false) => None,
            (State::Open, false) if agreed.mark == Mark::Deleted && says_the_same => {
                Some(Step::Agree { slug, lesson: id })
            }
            (State::Open, false) if agreed.mark == Mark::Deleted => {
                Some(Step::Write { slug, lesson: id })
            }
            (State::Open, false) => moved_on.then_some(Step::Write { slug, lesson: id }),
            // Also when a person settled a conflict and did not know of this change.
            (State::Open, true) if moved_on && !says_the_same => {
                Some(Step::Conflict { slug, lesson: id })
            }
            (State::Open | State::Waits, true) => Some(Step::Take {
                slug,
                onto: Some(id),
            }),
        }
    }

    fn gone(&self, slug: &Slug, agreed: &Agreed) -> Option<Step> {
        let slug = slug.clone();
        let lesson = agreed.lesson.and_then(|id| self.by_id.get(&id).copied());
        let Some(lesson) = lesson else {
            return Some(Step::Forget { slug });
        };
        let id = lesson.id;
        match lesson.state {
            State::Left if agreed.mark == Mark::Deleted => None,
            State::Left => Some(Step::Forget { slug }),
            State::Open if agreed.mark != Mark::Plain || lesson.said != agreed.said => {
                Some(Step::Write { slug, lesson: id })
            }
            State::Open | State::Waits => Some(Step::ArchiveLesson { slug, lesson: id }),
        }
    }

    /// Returns what writes the lessons that have no file, each under a name that is free.
    fn unwritten(&self, steps: &[Step]) -> Vec<Step> {
        let freed = steps
            .iter()
            .filter(|step| matches!(step, Step::ArchiveFile { .. } | Step::RemoveFile { .. }));
        let freed: BTreeSet<&Slug> = freed.map(Step::slug).collect();
        let of_steps = steps.iter().filter_map(|step| match step {
            Step::Agree { lesson, .. } | Step::Conflict { lesson, .. } => Some(*lesson),
            _ => None,
        });
        let done: BTreeSet<LessonId> = of_steps.collect();
        let there = self.sides.files.keys().chain(self.sides.agreed.keys());
        let mut names = Names::of(there.filter(|slug| !freed.contains(slug)).cloned());
        let open = self.sides.lessons.iter().filter(|it| {
            it.state == State::Open && !done.contains(&it.id) && !self.held.contains(&it.id)
        });
        open.map(|it| Step::Write {
            slug: names.take(&it.slug),
            lesson: it.id,
        })
        .collect()
    }
}

fn unreadable(slug: Slug) -> Step {
    Step::Report {
        slug,
        why: "it is not a valid lesson: `hardwon lint` says why",
    }
}

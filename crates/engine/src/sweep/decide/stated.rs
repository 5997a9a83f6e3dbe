//! Which lessons are replaced because somebody said so, and are still in use.
//!
//! A lesson may name others that it replaces. They leave when it comes; here are those that could not at that time,
//! because they came later or the new one waited. Nobody is taken at their word who is less trusted than what they
//! replace, and what was changed since, such as by a person who took it back into use, stays.

use hardwon_core::{CleanText, Lesson, Status, change::may_replace};

use super::SweepItem;

/// Why a lesson is replaced.
const STATED: &str = "the new one says that it replaces it";

/// Returns what carries out what lessons of one scope say that they replace.
pub(super) fn find_stated(lessons: &[&Lesson]) -> Vec<SweepItem> {
    let mut items = Vec::new();
    for new in lessons {
        let old_lessons = lessons.iter().filter(|old| is_stated(new, old));
        items.extend(old_lessons.map(|old| SweepItem::Supersede {
            old: old.id,
            by: new.id,
            why: CleanText::from_literal(STATED),
        }));
    }
    items
}

fn is_stated(new: &Lesson, old: &Lesson) -> bool {
    let was_changed_since = old.updated > new.created && old.updated > old.created;
    new.supersedes.contains(&old.id)
        && new.id != old.id
        && !old.supersedes.contains(&new.id)
        && new.status == Status::Active
        && !was_changed_since
        && may_replace(&new.admitted, old)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::decide::tests::samples::{at, lesson, lesson_of};
    use hardwon_core::{LessonId, TrustClass};

    #[test]
    fn what_a_lesson_says_that_it_replaces_leaves() {
        let check = |old: Lesson, class: TrustClass, expected: &[&str]| {
            let mut new = lesson_of(2, class, "Use the eu mirror.");
            new.admitted.supersedes = vec![LessonId(1)];
            let items = find_stated(&[&old, &new]);
            let items: Vec<String> = items.iter().map(SweepItem::describe).collect();
            assert_eq!(items, expected);
        };
        let old = || lesson(1, "Use the us mirror.");
        let stated = "supersede #1 #2 the new one says that it replaces it";
        check(old(), TrustClass::Agent, &[stated]);
        check(old(), TrustClass::Imported, &[]);
        let mut restored = old();
        restored.updated = at(900);
        check(restored, TrustClass::Agent, &[]);
    }
}

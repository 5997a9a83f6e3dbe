//! Recognises lessons that say the same, of which showing one is enough.
//!
//! Whether two lessons differ is decided where lessons are learned, by [`Meaning`]: another number, name, flag, order or
//! negation. Only lessons that it finds equal are hidden here, and those that advise the same commands for the call or
//! failure that their signatures name.

use super::RankedLesson;
use crate::{change::Meaning, trigger::Triggers};

/// Returns whether showing both lessons would say the same thing twice.
///
/// Lessons known to contradict one another are never duplicates, however similar their words: hiding one would hide
/// that there are two opinions.
pub(super) fn are_duplicates(a: &RankedLesson, b: &RankedLesson) -> bool {
    let is_opposed =
        a.lesson.contradicts.contains(&b.lesson.id) || b.lesson.contradicts.contains(&a.lesson.id);
    !is_opposed && (have_same_meaning(a, b) || have_same_advice(a, b))
}

fn have_same_advice(a: &RankedLesson, b: &RankedLesson) -> bool {
    let [ours, theirs] = [a, b].map(|hit| Triggers::from_content(&hit.lesson.content));
    ours.answers_as(&theirs)
}

fn have_same_meaning(a: &RankedLesson, b: &RankedLesson) -> bool {
    let [ours, theirs] = [a, b].map(|hit| Meaning::from_content(&hit.lesson.content));
    ours.is_same(&theirs) || ours.covers(&theirs) || theirs.covers(&ours)
}

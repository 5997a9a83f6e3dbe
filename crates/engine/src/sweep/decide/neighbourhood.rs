//! Which lessons a model is asked about together.
//!
//! A group can be named only if its lessons are in one question, so each lesson is offered beside those that are most
//! like it, which is looser than a group: most of them do not belong together. A question holds lessons of one scope, so
//! that no words of one project get into another. What the model makes of them is judged in `merge`.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{
    Lesson, LessonId, limits,
    tokens::{collect_terms, common_share},
    vector::content_fingerprint,
};

use super::{SweepInput, names::join_words, rift::ReadLesson, split_by_scope};
use crate::sweep::merging::measure_lesson;

/// How many of the lessons that are most like one it is offered beside.
const NEAREST: usize = 24;
/// Terms that more lessons hold than this, or than a part of all, say nothing about who is like whom.
const COMMON_HOLDERS: usize = 250;
/// That part of all lessons.
const COMMON_PART: usize = 8;
/// Lessons that are imagined beside those at hand, so that a word of a few is not taken for a word of all.
const IMAGINED: f64 = 200.0;
/// How common a word is in general of which nothing else is known.
const UNKNOWN_SHARE: f64 = 0.004;
/// How close two lessons are where there are so few that all are offered together.
const FEW: f64 = 1e-6;

/// Lessons that a model is asked about in one question, in an order that does not depend on their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Neighbourhood {
    /// The lessons, at least two.
    pub members: Vec<LessonId>,
    /// Those of them that need not be offered again: this question and the ones before it have them beside all that
    /// are like them.
    pub completed: Vec<LessonId>,
}

/// Terms by number with their weights, of length one.
type TermVector = Vec<(u32, f64)>;
/// Which lessons are to be offered beside each one, by place, and how close they are.
type Links = Vec<BTreeMap<usize, f64>>;

/// Returns the questions that find groups among lessons, the most promising first.
///
/// `retired` are the lessons that leave already. Two that are `settled` need not be offered together, because that was
/// done before.
pub(crate) fn find_neighbourhoods(
    input: &SweepInput<'_>,
    retired: &BTreeSet<LessonId>,
    settled: &BTreeSet<LessonId>,
) -> Vec<Neighbourhood> {
    let mut questions = Vec::new();
    for (scope_place, lessons) in split_by_scope(input.lessons).into_values().enumerate() {
        let staying = lessons
            .into_iter()
            .filter(|lesson| !retired.contains(&lesson.id));
        let packs = pack_scope(&staying.collect::<Vec<_>>(), settled);
        let of_scope = packs.into_iter().enumerate();
        questions.extend(of_scope.map(|(place, question)| (place, scope_place, question)));
    }
    // Of each scope the most promising question comes before the second one of any.
    questions.sort_by_key(|(place, scope_place, _)| (*place, *scope_place));
    questions
        .into_iter()
        .map(|(.., question)| question)
        .collect()
}

/// Packs the lessons of a scope into questions.
fn pack_scope(lessons: &[&Lesson], settled: &BTreeSet<LessonId>) -> Vec<Neighbourhood> {
    let mut order = lessons.to_vec();
    order.sort_by_key(|lesson| (content_fingerprint(&lesson.content), lesson.id));
    let read: Vec<ReadLesson<'_>> = order.iter().copied().map(ReadLesson::new).collect();
    let sizes: Vec<usize> = order.iter().copied().map(measure_lesson).collect();
    let fits_in_one = sizes.len() <= limits::SWEEP_SHOWN
        && sizes.iter().sum::<usize>() <= limits::SWEEP_SHOWN_BYTES;
    let mut links = find_links(&order);
    if fits_in_one {
        link_all(&mut links);
    }
    drop_links(&mut links, &read, settled);
    let name = |places: &BTreeSet<usize>| places.iter().map(|at| order[*at].id).collect();
    let questions = pack_links(links, &sizes).into_iter();
    questions
        .map(|question| Neighbourhood {
            members: name(&question.places),
            completed: name(&question.completed),
        })
        .collect()
}

/// Links each lesson with the ones that are most like it.
fn find_links(lessons: &[&Lesson]) -> Links {
    let vectors = weigh_terms(lessons);
    let mut links: Links = vec![BTreeMap::new(); vectors.len()];
    for (at, nearest) in find_nearest(&vectors).into_iter().enumerate() {
        for (other, closeness) in nearest {
            links[at].insert(other, closeness);
            links[other].insert(at, closeness);
        }
    }
    links
}

/// Weighs the terms of lessons by how rare they are, among these and in general.
fn weigh_terms(lessons: &[&Lesson]) -> Vec<TermVector> {
    let terms: Vec<BTreeSet<String>> = lessons.iter().copied().map(list_terms).collect();
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for term in terms.iter().flatten() {
        *counts.entry(term).or_default() += 1.0;
    }
    let total = terms.len() as f64 + IMAGINED;
    let rarity = |term: &str, count: f64| {
        let share = f64::from(common_share(term)).max(UNKNOWN_SHARE);
        (total / (count + share * IMAGINED)).ln().max(0.0)
    };
    let weights: BTreeMap<&str, (u32, f64)> = (0..)
        .zip(&counts)
        .map(|(number, (term, count))| (*term, (number, rarity(term, *count))))
        .collect();
    let weigh = |terms: &BTreeSet<String>| {
        let weights = terms.iter().filter_map(|term| weights.get(term.as_str()));
        normalize_vector(weights.copied().collect())
    };
    terms.iter().map(weigh).collect()
}

/// Lists the terms of what a lesson says and of its topics.
fn list_terms(lesson: &Lesson) -> BTreeSet<String> {
    let content = &lesson.content;
    let topics = content.tags.iter().chain([&content.title]);
    let topics = topics.map(|text| text.as_str().to_lowercase());
    let texts: Vec<String> = topics.chain([join_words(content)]).collect();
    collect_terms(&texts.join("\n"))
}

/// Links all lessons, those that share nothing the least.
fn link_all(links: &mut Links) {
    let count = links.len();
    for (at, to) in links.iter_mut().enumerate() {
        for other in (0..count).filter(|other| *other != at) {
            to.entry(other).or_insert(FEW);
        }
    }
}

/// Drops the links between lessons that may not be one group, or that were offered together before.
fn drop_links(links: &mut Links, lessons: &[ReadLesson<'_>], settled: &BTreeSet<LessonId>) {
    let is_settled = |read: &ReadLesson<'_>| settled.contains(&read.lesson.id);
    for (at, to) in links.iter_mut().enumerate() {
        let one = &lessons[at];
        to.retain(|other, _| {
            let other = &lessons[*other];
            let is_old = is_settled(one) && is_settled(other);
            !is_old && one.may_be_told_with(other)
        });
    }
}

fn normalize_vector(sums: BTreeMap<u32, f64>) -> TermVector {
    let mut terms: TermVector = sums.into_iter().collect();
    let length = terms.iter().map(|(_, it)| it * it).sum::<f64>().sqrt();
    for (_, weight) in &mut terms {
        *weight /= length.max(f64::MIN_POSITIVE);
    }
    terms
}

/// Finds for each vector the ones that are most like it, by the cosine of what is not common.
fn find_nearest(vectors: &[TermVector]) -> Vec<Vec<(usize, f64)>> {
    let mut holders: BTreeMap<u32, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, terms) in vectors.iter().enumerate() {
        for (term, weight) in terms {
            holders.entry(*term).or_default().push((at, *weight));
        }
    }
    let most = COMMON_HOLDERS.max(vectors.len() / COMMON_PART);
    holders.retain(|_, it| it.len() <= most);
    let mut sums = vec![0.0; vectors.len()];
    let nearest = vectors.iter().enumerate().map(|(at, terms)| {
        let mut neighbours = BTreeSet::new();
        for (term, weight) in terms {
            for (other, theirs) in holders.get(term).into_iter().flatten() {
                sums[*other] += weight * theirs;
                neighbours.insert(*other);
            }
        }
        neighbours.remove(&at);
        let mut neighbours: Vec<(usize, f64)> = neighbours
            .iter()
            .map(|neighbour| (*neighbour, sums[*neighbour]))
            .collect();
        sums.fill(0.0);
        neighbours.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        neighbours.truncate(NEAREST);
        neighbours
    });
    nearest.collect()
}

/// The lessons of one question, by place.
struct PackedPlaces {
    places: BTreeSet<usize>,
    /// Those that have no link left.
    completed: BTreeSet<usize>,
}

/// Packs places into questions until each two that are linked are in one together, or there are more than are asked.
fn pack_links(mut links: Links, sizes: &[usize]) -> Vec<PackedPlaces> {
    let mut questions = Vec::new();
    while questions.len() < limits::SWEEP_QUESTIONS * 2 {
        let places = fill_question(&links, sizes);
        if places.len() < 2 {
            break;
        }
        for at in &places {
            links[*at].retain(|other, _| !places.contains(other));
        }
        let is_done = |at: &usize| links[*at].is_empty();
        let completions = places.iter().copied().filter(is_done).collect();
        questions.push(PackedPlaces {
            places,
            completed: completions,
        });
    }
    questions
}

/// Fills one question: begins with the closest two, and adds the place that is closest to all that are in it.
fn fill_question(links: &Links, sizes: &[usize]) -> BTreeSet<usize> {
    let mut question = BTreeSet::new();
    let mut gains: BTreeMap<usize, f64> = BTreeMap::new();
    let mut bytes = 0;
    while question.len() < limits::SWEEP_SHOWN {
        let best = gains
            .iter()
            .max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
        let next = best.map(|(at, _)| *at);
        let Some(next) = next.or_else(|| find_closest(links, &question)) else {
            break;
        };
        gains.remove(&next);
        if bytes + sizes[next] > limits::SWEEP_SHOWN_BYTES {
            break;
        }
        bytes += sizes[next];
        question.insert(next);
        for (other, closeness) in links[next].iter().filter(|(it, _)| !question.contains(*it)) {
            *gains.entry(*other).or_insert(0.0) += closeness;
        }
    }
    question
}

/// Returns an end of the closest link between places that are in no question yet.
fn find_closest(links: &Links, question: &BTreeSet<usize>) -> Option<usize> {
    let open = |at: &usize| !question.contains(at);
    let ends = (0..links.len()).filter(open).filter_map(|at| {
        let others = links[at].iter().filter(|(other, _)| open(other));
        let closest = others
            .map(|(_, closeness)| *closeness)
            .max_by(f64::total_cmp)?;
        Some((closest, at))
    });
    let best = ends.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    best.map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::decide::{
        SweepPolicy,
        tests::samples::{at, lesson},
    };
    use hardwon_core::ProjectId;

    fn ask(lessons: &[Lesson], settled: &[i64]) -> Vec<Neighbourhood> {
        let input = SweepInput {
            lessons,
            lookups: &BTreeMap::new(),
            policy: SweepPolicy::default(),
            now: at(1_000_000),
        };
        let settled = settled.iter().copied().map(LessonId).collect();
        find_neighbourhoods(&input, &BTreeSet::new(), &settled)
    }

    fn lessons(texts: &[&str]) -> Vec<Lesson> {
        (1..)
            .zip(texts)
            .map(|(id, text)| lesson(id, text))
            .collect()
    }

    #[test]
    fn few_lessons_are_one_question_whatever_they_share() {
        let all = lessons(&[
            "Quote globs in zsh.",
            "Pin the compiler.",
            "Follow the Link header.",
        ]);
        let check = |settled: &[i64], expected: &[(usize, usize)]| {
            let asked = ask(&all, settled);
            let sizes: Vec<(usize, usize)> = (asked.iter())
                .map(|it| (it.members.len(), it.completed.len()))
                .collect();
            assert_eq!(sizes, expected, "{settled:?}");
        };
        check(&[], &[(3, 3)]);
        check(&[1, 2], &[(3, 3)]);
        check(&[1, 2, 3], &[]);
    }

    #[test]
    fn lessons_of_two_projects_are_in_no_question_together() {
        let mut all = lessons(&["Quote globs in zsh."; 4]);
        for (place, lesson) in all.iter_mut().enumerate() {
            let project = ProjectId::parse(["shop", "site"][place % 2]).unwrap();
            lesson.admitted.scope.project = Some(project);
        }
        let asked = ask(&all, &[]);
        assert_eq!(asked.len(), 2);
        for question in asked {
            let parities: BTreeSet<i64> = question.members.iter().map(|it| it.0 % 2).collect();
            assert_eq!((question.members.len(), parities.len()), (2, 1));
        }
    }

    #[test]
    fn a_question_is_bounded_and_holds_what_is_alike() {
        let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
        let letters = |n: usize| format!("q{}{}", letter(n / 26), letter(n));
        let subjects = ["importer", "exporter", "scheduler", "renderer", "crawler"];
        let text = |n: usize| {
            let subject = subjects[n % subjects.len()];
            format!(
                "The {subject} stalls on feed {}; restart the {subject} and skip it.",
                letters(n)
            )
        };
        let texts: Vec<String> = (0..150).map(text).collect();
        let all = lessons(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let asked = ask(&all, &[]);
        assert!(asked.len() > 1, "{}", asked.len());
        for question in &asked {
            assert!(question.members.len() <= limits::SWEEP_SHOWN);
        }
        let long = format!(
            "Restart the importer. {}",
            "It stalls on long feeds. ".repeat(100)
        );
        let texts: Vec<String> = (0..60).map(|n| format!("{long} {}", letters(n))).collect();
        let all = lessons(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        for question in ask(&all, &[]) {
            let members = all.iter().filter(|it| question.members.contains(&it.id));
            let bytes: usize = members.map(measure_lesson).sum();
            assert!(bytes <= limits::SWEEP_SHOWN_BYTES, "{bytes}");
        }
    }
}

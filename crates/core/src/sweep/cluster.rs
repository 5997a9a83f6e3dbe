//! Groups lessons that could be told as one.
//!
//! The two most alike groups are joined until none are alike enough, where a group is as alike to another as its
//! lessons are on average, and no two lessons of a group are in conflict. So one lesson in the middle does not pull
//! two others together, and the order in which lessons are stored changes nothing. What becomes of a group is decided
//! in `merge`.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    conflict::find_conflict,
    lexicon::Lexicon,
    profile::Profile,
    similarity::{TermStatistics, WeightedTerms, compare, cosine},
    succession::AlikePair,
};
use crate::limits;

/// How alike groups must be on average to be joined.
const MIN_SIMILARITY: f64 = 0.4;
/// Pairs that are less alike than this count as not alike at all.
const MIN_PAIR: f64 = 0.12;
/// What similarity is left between lessons that advise nothing in common.
const OTHER_ADVICE: f64 = 0.65;
/// Terms that more lessons hold than this do not make two of them candidates by themselves.
const COMMON_HOLDERS: usize = 120;

/// How alike each two lessons are, by their places; the pairs come in the order of their places.
type PairTable<'a> = BTreeMap<(usize, usize), &'a AlikePair>;

/// Compares all lessons that share a term which is not common, and those that are about the same concerns.
pub(super) fn compare_profiles(
    profiles: &[Profile],
    statistics: &TermStatistics,
    lexicon: &Lexicon,
) -> Vec<AlikePair> {
    let weighted: Vec<WeightedTerms> = profiles
        .iter()
        .map(|it| statistics.weigh_terms(it, lexicon))
        .collect();
    let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, it) in weighted.iter().enumerate() {
        for (term, _) in &it.terms {
            holders.entry(*term).or_default().push(at);
        }
    }
    let mut candidates = BTreeSet::new();
    let most = COMMON_HOLDERS.max(profiles.len() / 12);
    for places in holders.values().filter(|it| it.len() <= most) {
        for (n, a) in places.iter().enumerate() {
            candidates.extend(places[n + 1..].iter().map(|b| (*a, *b)));
        }
    }
    candidates.extend(pair_concerned(&weighted));
    let alike = candidates.into_iter().filter_map(|(a, b)| {
        let (one, other) = (&profiles[a], &profiles[b]);
        let share = if advise_differently(one, other) {
            OTHER_ADVICE
        } else {
            1.0
        };
        let similarity = compare(&weighted[a], &weighted[b], share);
        let topic = cosine(&weighted[a], &weighted[b]);
        (similarity.max(topic) >= MIN_PAIR).then(|| AlikePair {
            a,
            b,
            similarity,
            topic,
            conflict: find_conflict(one, other),
        })
    });
    alike.collect()
}

/// Returns groups of at least two of the lessons that may be grouped, as places in `profiles`: each group sorted by the
/// lessons' words, and the groups by their first lesson.
pub(super) fn cluster_profiles(
    profiles: &[Profile],
    pairs: &[AlikePair],
    may_be_grouped: impl Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let pairs = pairs
        .iter()
        .filter(|it| may_be_grouped(it.a) && may_be_grouped(it.b));
    let pairs: PairTable<'_> = pairs.map(|it| ((it.a, it.b), it)).collect();
    let mut groups = Vec::new();
    for component in split_components(profiles.len(), &pairs) {
        groups.extend(join_groups(&component, profiles, &pairs));
    }
    groups.retain(|it| it.len() > 1);
    let print = |at: &usize| profiles[*at].fingerprint;
    groups.iter_mut().for_each(|it| it.sort_by_key(print));
    groups.sort_by_key(|it| it.first().map(print));
    groups
}

/// Returns whether both advise something, and nothing of it is the same: two remedies for one trouble.
fn advise_differently(a: &Profile, b: &Profile) -> bool {
    let has_advice = !a.advised.is_empty() && !b.advised.is_empty();
    has_advice
        && a.advised
            .iter()
            .all(|one| b.advised.iter().all(|other| one.is_disjoint(other)))
}

/// Pairs the lessons that are mainly about two concerns, which may share no word.
fn pair_concerned(weighted: &[WeightedTerms]) -> Vec<(usize, usize)> {
    let concerned: Vec<usize> = (0..weighted.len())
        .filter(|at| weighted[*at].has_two_concerns())
        .collect();
    let mut pairs = Vec::new();
    for (n, a) in concerned.iter().enumerate() {
        pairs.extend(concerned[n + 1..].iter().map(|b| (*a, *b)));
    }
    pairs
}

/// Returns the sets of places between which no pair is alike.
fn split_components(count: usize, pairs: &PairTable<'_>) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..count).collect();
    for ((a, b), pair) in pairs {
        if pair.conflict.is_none() && pair.similarity >= MIN_SIMILARITY {
            let (a, b) = (find_root(&mut parent, *a), find_root(&mut parent, *b));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut components: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..count {
        components
            .entry(find_root(&mut parent, at))
            .or_default()
            .push(at);
    }
    components.into_values().filter(|it| it.len() > 1).collect()
}

fn find_root(parent: &mut [usize], at: usize) -> usize {
    let mut root = at;
    while parent[root] != root {
        parent[root] = parent[parent[root]];
        root = parent[root];
    }
    root
}

/// Joins the lessons of a component into groups.
fn join_groups(
    component: &[usize],
    profiles: &[Profile],
    pairs: &PairTable<'_>,
) -> Vec<Vec<usize>> {
    let mut places = component.to_vec();
    places.sort_by_key(|at| (profiles[*at].fingerprint, profiles[*at].id));
    let mut groups: Vec<Vec<usize>> = places.iter().map(|at| vec![*at]).collect();
    let similarity = |a: &usize, b: &usize| pairs.get(&(*a.min(b), *a.max(b))).copied();
    let mut links = vec![vec![0.0; groups.len()]; groups.len()];
    for (n, a) in groups.iter().enumerate() {
        for (m, b) in groups.iter().enumerate().filter(|(m, _)| *m != n) {
            links[n][m] = match similarity(&a[0], &b[0]) {
                None => 0.0,
                Some(pair) if pair.conflict.is_some() => f64::NEG_INFINITY,
                Some(pair) => pair.similarity,
            };
        }
    }
    while let Some((n, m)) = find_best_link(&links, &groups) {
        let joined = std::mem::take(&mut groups[m]);
        groups[n].extend(joined);
        // Sums of the similarities of all pairs; one conflict keeps both groups apart.
        let sums: Vec<f64> = links[n].iter().zip(&links[m]).map(|(a, b)| a + b).collect();
        for (row, sum) in links.iter_mut().zip(&sums) {
            row[n] = *sum;
            row[m] = f64::NEG_INFINITY;
        }
        links[m].fill(f64::NEG_INFINITY);
        links[n] = sums;
        links[n][m] = f64::NEG_INFINITY;
        links[n][n] = 0.0;
    }
    groups.retain(|it| !it.is_empty());
    groups
}

/// Returns the two most alike groups that may be joined.
fn find_best_link(links: &[Vec<f64>], groups: &[Vec<usize>]) -> Option<(usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    for (n, row) in links
        .iter()
        .enumerate()
        .filter(|(n, _)| !groups[*n].is_empty())
    {
        for (m, sum) in row.iter().enumerate().skip(n + 1) {
            let size = groups[n].len() * groups[m].len();
            if size == 0 || groups[n].len() + groups[m].len() > limits::SWEEP_CLUSTER {
                continue;
            }
            let mean = sum / size as f64;
            if mean >= MIN_SIMILARITY && best.is_none_or(|(top, ..)| mean > top) {
                best = Some((mean, n, m));
            }
        }
    }
    best.map(|(_, n, m)| (n, m))
}

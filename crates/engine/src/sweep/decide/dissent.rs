//! Which lessons of a group stay out of it, because not all of them may be told as one.
//!
//! As few as leave no conflict: first those that are in most conflicts. Of several that are in as many, none is more likely
//! to be meant than another, so all of them stay out, and words for the rest may take no side between them. What a
//! conflict is, is decided in `conflict`.

/// What is left of a group without conflicts, by places in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SettledGroup {
    /// Those that are in no conflict with each other.
    pub(super) agreeing: Vec<usize>,
    /// Those that stay out together with one that they are in conflict with.
    pub(super) sides: Vec<usize>,
}

/// Leaves out of a group of so many what is in conflict: pairs of places.
pub(super) fn settle_conflicts(count: usize, conflicts: &[(usize, usize)]) -> SettledGroup {
    let mut agreeing: Vec<usize> = (0..count).collect();
    let mut sides = Vec::new();
    loop {
        let is_open =
            |pair: &&(usize, usize)| agreeing.contains(&pair.0) && agreeing.contains(&pair.1);
        let open: Vec<(usize, usize)> = conflicts.iter().filter(is_open).copied().collect();
        let degree = |at: usize| open.iter().filter(|(a, b)| *a == at || *b == at).count();
        let most = agreeing.iter().map(|at| degree(*at)).max().unwrap_or(0);
        if most == 0 {
            return SettledGroup { agreeing, sides };
        }
        let is_out = |at: usize| degree(at) == most;
        for (a, b) in open.iter().filter(|(a, b)| is_out(*a) && is_out(*b)) {
            sides.extend([*a, *b]);
        }
        agreeing.retain(|at| !is_out(*at));
        sides.sort_unstable();
        sides.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settles the conflicts of five.
    fn check(conflicts: &[(usize, usize)], agreeing: &[usize], sides: &[usize]) {
        let expected = SettledGroup {
            agreeing: agreeing.to_vec(),
            sides: sides.to_vec(),
        };
        assert_eq!(settle_conflicts(5, conflicts), expected, "{conflicts:?}");
    }

    #[test]
    fn the_larger_part_stays_and_of_a_pair_neither() {
        check(&[], &[0, 1, 2, 3, 4], &[]);
        check(&[(1, 3)], &[0, 2, 4], &[1, 3]);
        check(&[(0, 4), (1, 4)], &[0, 1, 2, 3], &[]);
        check(
            &[(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)],
            &[0, 1, 2],
            &[],
        );
        check(&[(0, 1), (1, 2), (0, 2)], &[3, 4], &[0, 1, 2]);
        check(&[(0, 1), (2, 3)], &[4], &[0, 1, 2, 3]);
        check(&[(0, 1), (0, 2), (3, 4)], &[1, 2], &[3, 4]);
    }
}

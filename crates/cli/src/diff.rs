//! A word-by-word diff of two short texts.

/// Words of each text that are compared; later ones count as changed.
const MAX_WORDS: usize = 2_000;

/// Renders two texts as one: `[-words of the old one-]{+words of the new one+}`.
#[must_use]
pub fn diff_words(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        old.split_whitespace().collect(),
        new.split_whitespace().collect(),
    );
    let common = longest_common(
        &old[..old.len().min(MAX_WORDS)],
        &new[..new.len().min(MAX_WORDS)],
    );
    let (mut told, mut at) = (Vec::new(), (0, 0));
    for (left, right) in common.into_iter().chain([(old.len(), new.len())]) {
        told.extend(render_change(&old[at.0..left], &new[at.1..right]));
        told.extend(old.get(left).map(|word| (*word).to_owned()));
        at = (left + 1, right + 1);
    }
    told.join(" ")
}

fn render_change(gone: &[&str], come: &[&str]) -> Option<String> {
    let gone = (!gone.is_empty()).then(|| format!("[-{}-]", gone.join(" ")));
    let come = (!come.is_empty()).then(|| format!("{{+{}+}}", come.join(" ")));
    match (gone, come) {
        (None, None) => None,
        (gone, come) => Some(gone.unwrap_or_default() + &come.unwrap_or_default()),
    }
}

/// Returns the positions of the longest common subsequence of words.
fn longest_common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    // Lengths of the common subsequence from each pair of words on.
    let wide = new.len() + 1;
    let mut length = vec![0_u16; (old.len() + 1) * wide];
    for left in (0..old.len()).rev() {
        for right in (0..new.len()).rev() {
            length[left * wide + right] = if old[left] == new[right] {
                length[(left + 1) * wide + right + 1] + 1
            } else {
                length[(left + 1) * wide + right].max(length[left * wide + right + 1])
            };
        }
    }
    let (mut row, mut at) = (Vec::new(), (0, 0));
    while at.0 < old.len() && at.1 < new.len() {
        if old[at.0] == new[at.1] {
            row.push(at);
            at = (at.0 + 1, at.1 + 1);
        } else if length[(at.0 + 1) * wide + at.1] >= length[at.0 * wide + at.1 + 1] {
            at.0 += 1;
        } else {
            at.1 += 1;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_are_marked() {
        for (old, new, expected) in [
            ("", "", ""),
            ("use tabs", "use tabs", "use tabs"),
            ("use  tabs", "use\ntabs", "use tabs"),
            ("use tabs", "use spaces", "use [-tabs-]{+spaces+}"),
            ("use tabs", "avoid tabs", "[-use-]{+avoid+} tabs"),
            ("use tabs", "use tabs in go", "use tabs {+in go+}"),
            ("use tabs in go", "use tabs", "use tabs [-in go-]"),
            ("a b c d", "b x d e", "[-a-] b [-c-]{+x+} d {+e+}"),
            ("", "new", "{+new+}"),
            ("old", "", "[-old-]"),
        ] {
            assert_eq!(diff_words(old, new), expected, "{old} | {new}");
        }
    }

    #[test]
    fn a_long_text_is_compared_as_far_as_it_goes() {
        let (old, new) = ("a ".repeat(5_000), "b ".repeat(5_000));
        let told = diff_words(&old, &new);
        assert_eq!(told.matches('a').count(), 5_000);
        assert_eq!(told.matches('b').count(), 5_000);
        assert_eq!(
            diff_words(&old, &old).matches("a").count(),
            8_000,
            "2,000 of them once"
        );
    }
}

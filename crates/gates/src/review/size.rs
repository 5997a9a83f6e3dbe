//! Which delivery is too small for a review of its own.

use hardwon_core::named_enum;

named_enum! {
    /// How large an issue is, as people label it.
    IssueSize {
        /// Minutes.
        ExtraSmall = "XS",
        /// An hour or so.
        Small = "S",
        /// A day or so.
        Medium = "M",
        /// Days.
        Large = "L",
        /// More.
        ExtraLarge = "XL",
    }
}

impl IssueSize {
    /// Parses a size in either case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::from_name(&text.trim().to_ascii_uppercase())
    }
}

/// Returns whether a delivery may go without a review: it resolves one issue, and a small one. Several issues never may,
/// because what they do to one another nobody has looked at.
pub fn is_too_small(issues: usize, size: Option<IssueSize>) -> bool {
    issues == 1 && size.is_some_and(|size| size <= IssueSize::Small)
}

/// Finds the size among the labels that `gh issue view` prints, as `size/S`, `size: S` or `S`; `None` where there is none,
/// or several.
pub fn find_labelled_size(issue: &str) -> Option<IssueSize> {
    // What stands behind the head, anybody may have written.
    let head = issue.lines().take_while(|line| line.trim() != "--");
    let mut labels = head.filter_map(|line| line.strip_prefix("labels:"));
    let labels = labels.next()?.split(',').map(str::trim);
    let mut sizes = labels.filter_map(|label| {
        let lower = label.to_ascii_lowercase();
        let letters = lower.strip_prefix("size").unwrap_or(&lower);
        IssueSize::parse(letters.trim_start_matches(['/', ':', '-', ' ']))
    });
    let size = sizes.next()?;
    sizes.all(|other| other == size).then_some(size)
}

//! The views that there are, and the links to them at the top of each page, of an error as well. Who may follow which is
//! decided elsewhere.

use crate::Capability;

/// The views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    Effects,
    Review,
    Lessons,
    Trial,
    Recalls,
    Journal,
}

/// Each view with its title, its path, and what it needs.
const VIEWS: [(View, &str, &str, Capability); 6] = [
    (View::Effects, "Effect", "/effects", Capability::Read),
    (View::Review, "Review", "/review", Capability::Curate),
    (View::Lessons, "Lessons", "/lessons", Capability::Read),
    (View::Trial, "Try", "/try", Capability::Read),
    (View::Recalls, "Shown", "/recalls", Capability::Read),
    (View::Journal, "Journal", "/journal", Capability::Curate),
];

/// A link at the top.
#[derive(Debug)]
pub(super) struct ViewLink {
    pub(super) path: &'static str,
    pub(super) title: &'static str,
    pub(super) is_current: bool,
    /// How much waits there.
    pub(super) waiting: u64,
    /// What it needs.
    pub(super) needed: Capability,
}

impl ViewLink {
    /// Returns the links to all views, of which one may be looked at.
    pub(super) fn all(current: Option<View>, waiting: u64) -> Vec<Self> {
        let links = VIEWS.into_iter().map(|(of, title, path, needed)| Self {
            path,
            title,
            is_current: Some(of) == current,
            waiting: if of == View::Review { waiting } else { 0 },
            needed,
        });
        links.collect()
    }
}

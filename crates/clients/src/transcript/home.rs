//! The places where a client keeps its sessions, as data.

/// A folder or a database in which a client keeps its sessions.
pub(crate) struct SessionHome {
    /// The settings that move the client's folder, by precedence, each with the sessions' place below the folder it
    /// names; an empty place means that the setting names the database itself.
    pub(crate) settings: &'static [(&'static str, &'static str)],
    /// The sessions' place below the home folder when no setting is set.
    pub(crate) default: &'static str,
}

impl SessionHome {
    /// Makes a place of the settings that move it, and of the place below the home folder.
    pub(crate) const fn new(
        settings: &'static [(&'static str, &'static str)],
        default: &'static str,
    ) -> Self {
        Self { settings, default }
    }
}

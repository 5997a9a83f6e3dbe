//! Where our own files are: by the XDG specification on systems of Unix, in the user's profile on Windows.
//!
//! A profile is its user's alone, as the folders are that hardwon makes elsewhere. A variable of the XDG specification holds on
//! Windows, too. Nothing is looked up here.

use std::path::PathBuf;

/// A kind of files, and where its folder is.
pub(super) struct OwnFolder {
    /// The variable of the XDG specification.
    variable: &'static str,
    /// Where the folder that the variable would name is by default, below the home folder.
    below_home: &'static str,
    /// The variable that names a folder of the profile on Windows.
    profile_variable: &'static str,
    /// Where that folder is by default, below the home folder.
    profile_below_home: &'static str,
    /// The name of our folder in it.
    profile_name: &'static str,
}

pub(super) const CONFIG: OwnFolder = OwnFolder {
    variable: "XDG_CONFIG_HOME",
    below_home: ".config",
    profile_variable: "APPDATA",
    profile_below_home: "AppData/Roaming",
    profile_name: "hardwon",
};

pub(super) const DATA: OwnFolder = OwnFolder {
    variable: "XDG_DATA_HOME",
    below_home: ".local/share",
    ..in_local_profile("hardwon")
};

pub(super) const STATE: OwnFolder = OwnFolder {
    variable: "XDG_STATE_HOME",
    below_home: ".local/state",
    ..in_local_profile("hardwon/state")
};

pub(super) const CACHE: OwnFolder = OwnFolder {
    variable: "XDG_CACHE_HOME",
    below_home: ".cache",
    ..in_local_profile("hardwon/cache")
};

/// What stays on one machine, unlike the settings, which a network may take along to another.
const fn in_local_profile(name: &'static str) -> OwnFolder {
    OwnFolder {
        variable: "",
        below_home: "",
        profile_variable: "LOCALAPPDATA",
        profile_below_home: "AppData/Local",
        profile_name: name,
    }
}

impl OwnFolder {
    /// Returns the folder, from what the environment says; `None` if that and the home folder say nothing.
    ///
    /// A relative path in a variable is ignored, as the specification requires.
    pub(super) fn locate(
        &self,
        is_windows: bool,
        variable: &dyn Fn(&str) -> Option<PathBuf>,
        home: Option<PathBuf>,
    ) -> Option<PathBuf> {
        let path_in = |name: &str| variable(name).filter(|path| path.is_absolute());
        if let Some(base) = path_in(self.variable) {
            return Some(base.join("hardwon"));
        }
        if !is_windows {
            return Some(home?.join(self.below_home).join("hardwon"));
        }
        let base = path_in(self.profile_variable);
        let base = base.or_else(|| Some(home?.join(self.profile_below_home)));
        Some(base?.join(self.profile_name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks where settings, data, state and cache are on a system with these variables.
    fn check(is_windows: bool, variables: &[(&str, &str)], expected: [&str; 4]) {
        let variable = |name: &str| {
            let set = variables.iter().find(|(it, _)| *it == name);
            set.map(|(_, value)| root().join(value))
        };
        let folders = [CONFIG, DATA, STATE, CACHE];
        let found = folders.map(|it| it.locate(is_windows, &variable, Some(root().join("home"))));
        assert_eq!(found, expected.map(|it| Some(root().join(it))));
    }

    /// A path that is absolute on the system of the test.
    fn root() -> PathBuf {
        std::env::temp_dir()
    }

    #[test]
    fn each_system_has_its_folders() {
        check(
            false,
            &[("LOCALAPPDATA", "local"), ("XDG_CACHE_HOME", "cache")],
            [
                "home/.config/hardwon",
                "home/.local/share/hardwon",
                "home/.local/state/hardwon",
                "cache/hardwon",
            ],
        );
        check(
            true,
            &[("APPDATA", "roaming"), ("LOCALAPPDATA", "local")],
            [
                "roaming/hardwon",
                "local/hardwon",
                "local/hardwon/state",
                "local/hardwon/cache",
            ],
        );
        check(
            true,
            &[("XDG_STATE_HOME", "state")],
            [
                "home/AppData/Roaming/hardwon",
                "home/AppData/Local/hardwon",
                "state/hardwon",
                "home/AppData/Local/hardwon/cache",
            ],
        );
    }

    #[test]
    fn without_a_home_there_is_no_folder_and_a_relative_one_does_not_count() {
        let relative = |_: &str| Some(PathBuf::from("here"));
        for is_windows in [false, true] {
            assert_eq!(DATA.locate(is_windows, &relative, None), None);
        }
    }
}

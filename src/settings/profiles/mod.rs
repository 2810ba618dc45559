//! Profiles: the stores whose defaults a scenario may ask for.

mod hbase;
mod profile;

use crate::settings::{FromValue, Setting};

pub use profile::Profile;

/// All profiles; the first is the default.
static PROFILES: [&Profile; 1] = [&hbase::HBASE];

/// Their names.
pub const PROFILE_NAMES: &[&str] = &[hbase::HBASE.name];

impl Profile {
    /// What the setting at a path is in this store, if it is of its own kind there: as it says itself, or as the first profile says.
    pub fn own_default(&self, path: &str) -> Option<&'static str> {
        let mut defaults = self.defaults.iter().chain(PROFILES[0].defaults);
        let found = defaults.find(|(known, _)| *known == path);
        found.map(|(_, default)| *default)
    }

    /// What a setting of the table at `path` is: as this store has it, else as all have it.
    pub fn default_of(&self, path: &str, setting: &Setting) -> Option<&'static str> {
        let own = self.own_default(&format!("{path}.{}", setting.key));
        own.or(setting.kind.default)
    }
}

impl FromValue for &'static Profile {
    fn from_value(text: &str) -> Option<Self> {
        PROFILES.into_iter().find(|profile| profile.name == text)
    }
}

impl Default for &'static Profile {
    fn default() -> Self {
        PROFILES[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_profiles_and_none_comes_twice() {
        assert!(
            PROFILES
                .iter()
                .map(|profile| profile.name)
                .eq(PROFILE_NAMES.iter().copied())
        );
        let mut names = PROFILE_NAMES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROFILES.len());
    }
}

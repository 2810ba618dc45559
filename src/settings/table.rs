//! A table of settings, and the one way to declare it.

use super::Kind;

/// A table of settings.
#[derive(Debug)]
pub struct Table {
    /// The definition of the JSON Schema that it becomes; empty for a table that is described where it stands.
    pub name: &'static str,
    /// What it is for, as in the source.
    pub documentation: &'static str,
    /// Further members of its JSON Schema, without braces: what its settings need of each other.
    pub rules: &'static str,
    /// Its settings; other tables' that stand among them come with [`Table::others`].
    pub settings: &'static [Setting],
    /// Tables whose settings stand here, too.
    pub others: &'static [&'static Table],
}

/// A setting.
#[derive(Debug)]
pub struct Setting {
    /// Its name.
    pub key: &'static str,
    /// What it means, as in the source: what users read ends with the first paragraph.
    pub documentation: &'static str,
    /// What it may be.
    pub kind: Kind,
}

impl Table {
    /// All settings that may stand in it.
    pub fn all(&self) -> impl Iterator<Item = &'static Setting> {
        let others = self.others.iter().flat_map(|other| other.settings);
        self.settings.iter().chain(others)
    }

    /// The setting of that name.
    pub fn get(&self, key: &str) -> Option<&'static Setting> {
        self.all().find(|setting| setting.key == key)
    }

    /// What it is for, in one line.
    pub fn about(&self) -> String {
        first_paragraph(self.documentation)
    }
}

impl Setting {
    /// What it means, in one line.
    pub fn about(&self) -> String {
        first_paragraph(self.documentation)
    }
}

fn first_paragraph(documentation: &str) -> String {
    let lines = documentation.lines().map(str::trim);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// Declares a table of settings: `static TABLE("definition", "rules") { ... }`, or with a struct that holds it. The first paragraph of each
/// doc comment is what users read.
#[macro_export]
macro_rules! settings {
    ($(#[doc = $about:literal])* $vis:vis static $table:ident($name:literal, $rules:literal)
        $(with $other:path)* {
        $($(#[doc = $doc:literal])* $key:ident = $kind:expr,)*
    }) => {
        $(#[doc = $about])*
        $vis static $table: $crate::settings::Table = $crate::settings::Table {
            name: $name,
            documentation: concat!($($about, "\n"),*),
            rules: $rules,
            settings: &[$($crate::settings::Setting {
                key: stringify!($key),
                documentation: concat!($($doc, "\n"),*),
                kind: $kind,
            }),*],
            others: &[$(&$other),*],
        };
    };
    ($(#[doc = $about:literal])* $(#[derive($($derive:ident),*)])?
        pub struct $holder:ident: $table:ident($name:literal, $rules:literal) {
        $($(#[doc = $doc:literal])* $key:ident: $type:ty $([$read:path])? = $kind:expr,)*
    } $(and {
        $($(#[doc = $more_doc:literal])* $more:ident = $more_kind:expr,)*
    })?) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, PartialEq $($(, $derive)*)?)]
        pub struct $holder {
            $($(#[doc = $doc])* pub $key: $type,)*
        }
        $crate::settings! {
            $(#[doc = $about])*
            pub static $table($name, $rules) {
                $($(#[doc = $doc])* $key = $kind,)*
                $($($(#[doc = $more_doc])* $more = $more_kind,)*)?
            }
        }
        impl $crate::settings::FromSource for $holder {
            fn read_all(source: &dyn $crate::settings::Source) -> Self {
                Self { $($key: $crate::settings!(@read source, $key, $($read)?)),* }
            }
        }
        impl Default for $holder {
            fn default() -> Self {
                $crate::settings::FromSource::read_all(&$crate::settings::Defaults(&$table))
            }
        }
    };
    (@read $source:ident, $key:ident, $read:path) => { $read($source) };
    (@read $source:ident, $key:ident,) => {
        $crate::settings::FromSource::read($source, stringify!($key))
    };
}

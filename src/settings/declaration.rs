//! The one way to declare a table of settings.

/// Declares tables of settings: any number of `static TABLE("definition", "rules") { ... }`, or one with a struct that holds it. `in "path"` says where it stands, if
/// not under the name of its definition; `and` has settings that the struct does not hold, `beside` what it holds besides. The first paragraph of each doc comment is what users read.
#[macro_export]
macro_rules! settings {
    ($($(#[doc = $about:literal])* $vis:vis static $table:ident($name:literal, $rules:literal)
        $(in $path:literal)? $(with $other:path)* {
        $($(#[doc = $doc:literal])* $key:ident = $kind:expr,)*
    })+) => {$(
        $(#[doc = $about])*
        $vis static $table: $crate::settings::Table = $crate::settings::Table {
            name: $name,
            path: $crate::settings!(@path $name $($path)?),
            documentation: concat!($($about, "\n"),*),
            rules: $rules,
            settings: &[$($crate::settings::Setting {
                key: stringify!($key),
                documentation: concat!($($doc, "\n"),*),
                kind: $kind,
            }),*],
            others: &[$(&$other),*],
        };
    )+};
    ($(#[doc = $about:literal])* $(#[derive($($derive:ident),*)])?
        pub struct $holder:ident: $table:ident($name:literal, $rules:literal) $(in $path:literal)? {
        $($(#[doc = $doc:literal])* $key:ident: $type:ty $([$read:path])? = $kind:expr,)*
    } $(and {
        $($(#[doc = $more_doc:literal])* $more:ident = $more_kind:expr,)*
    })? $(beside {
        $($(#[doc = $own_doc:literal])* $own:ident: $own_type:ty [$own_read:path],)*
    })?) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, PartialEq $($(, $derive)*)?)]
        pub struct $holder {
            $($(#[doc = $doc])* pub $key: $type,)*
            $($($(#[doc = $own_doc])* pub $own: $own_type,)*)?
        }
        $crate::settings! {
            $(#[doc = $about])*
            pub static $table($name, $rules) $(in $path)? {
                $($(#[doc = $doc])* $key = $kind,)*
                $($($(#[doc = $more_doc])* $more = $more_kind,)*)?
            }
        }
        impl $crate::settings::FromSource for $holder {
            fn read_all(source: &dyn $crate::settings::Source) -> Self {
                Self {
                    $($key: $crate::settings!(@read source, $key, $($read)?),)*
                    $($($own: $own_read(source),)*)?
                }
            }
        }
        impl Default for $holder {
            fn default() -> Self {
                $crate::settings::FromSource::read_all(&$crate::settings::Defaults::of(&$table))
            }
        }
    };
    (@path $name:literal) => { $name };
    (@path $name:literal $path:literal) => { $path };
    (@read $source:ident, $key:ident, $read:path) => { $read($source) };
    (@read $source:ident, $key:ident,) => {
        $crate::settings::FromSource::read($source, stringify!($key))
    };
}

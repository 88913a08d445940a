//! Names of enum variants: `Display` for all, and `FromStr` and serde for those that are read from text.

use thiserror::Error;

/// The error for a name that is not one of an option's valid names.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown {what} '{given}': expected {}", listed(expected))]
pub struct UnknownName {
    /// The kind of option, such as `"split rule"`.
    pub what: &'static str,
    /// The given name.
    pub given: String,
    /// The valid names.
    pub expected: &'static [&'static str],
}

/// Joins names as in "a, b or c".
fn listed(names: &[&str]) -> String {
    match names {
        [most @ .., before_last, last] => {
            most.iter().map(|name| format!("{name}, ")).collect::<String>() + before_last + " or " + last
        }
        _ => names.concat(),
    }
}

/// Implements `ALL`, `name` and `Display` for an enum without fields. Each variant must be listed once.
macro_rules! names {
    ($choice:ident, $($variant:ident = $name:expr),+ $(,)?) => {
        impl $choice {
            /// All variants.
            pub const ALL: [Self; Self::NAMES.len()] = [$(Self::$variant),+];

            const NAMES: &[&str] = &[$($name),+];

            /// The lower-case name, as used in files and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use names;

/// Implements what [`names`] does, and `FromStr` and serde with these names. Each variant is listed with its name and
/// aliases.
macro_rules! parsed_names {
    ($choice:ident, $what:literal, $($variant:ident = $name:literal $(| $alias:literal)*),+ $(,)?) => {
        $crate::enum_names::names!($choice, $($variant = $name),+);

        /// Serializes the name.
        #[cfg(feature = "serde")]
        impl serde::Serialize for $choice {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        /// Deserializes the name or an alias.
        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $choice {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }

        impl std::str::FromStr for $choice {
            type Err = $crate::enum_names::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($name $(| $alias)* => Ok(Self::$variant),)+
                    _ => Err($crate::enum_names::UnknownName { what: $what, given: name.to_owned(),
                        expected: Self::NAMES }),
                }
            }
        }
    };
}
pub(crate) use parsed_names;

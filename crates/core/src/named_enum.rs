//! Enums of which each variant has a name in files, JSON and SQL: the name is written once, beside it.

/// Defines an enum of which each variant has a name: `Name { Variant = "name", … }`, with doc comments on each.
#[macro_export]
macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: [Self; [$($text,)+].len()] = [$(Self::$variant,)+];

            /// Returns the name used in files, JSON and SQL.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Parses the name; `None` if it is unknown.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|entry| entry.name() == name)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::from_name(&name).ok_or_else(|| serde::de::Error::custom("it is not a word of ours"))
            }
        }
    };
}

pub(crate) use named_enum;

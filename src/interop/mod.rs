//! Conversions to and from other crates' types, each behind the feature of its name.

#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "mint")]
mod mint;
#[cfg(feature = "parry")]
pub mod parry;
#[cfg(feature = "tobj")]
mod tobj;

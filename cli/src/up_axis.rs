//! Which way is up in models and pages.

use clap::ValueEnum;

/// The axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Up {
    Y,
    Z,
}

//! The numbers that stand for choices in a file. They never change; a new choice gets a new one.

use crate::options::{Builder, Collapse, SplitRule};
use crate::volume::VolumeKind;
use crate::volume::fit::{ObbFit, SphereFit};

/// A choice that a file stores as a number.
pub(super) trait Coded: Copy + 'static {
    /// Every choice.
    const CHOICES: &[Self];
    /// What it may be, for errors.
    const EXPECTED: &str;

    fn code(self) -> u8;

    /// The choice with this number, if there is one.
    fn with_code(code: u8) -> Option<Self> {
        Self::CHOICES.iter().copied().find(|choice| choice.code() == code)
    }
}

macro_rules! codes {
    ($choice:ident, $expected:literal, $($variant:ident = $code:literal),+ $(,)?) => {
        impl Coded for $choice {
            const CHOICES: &[Self] = &Self::ALL;
            const EXPECTED: &str = $expected;

            fn code(self) -> u8 {
                match self {
                    $(Self::$variant => $code),+
                }
            }
        }
    };
}

codes!(VolumeKind, "0 (aabb), 1 (obb) or 2 (sphere)", Aabb = 0, Obb = 1, Sphere = 2);
codes!(SplitRule, "0 (mean) to 4 (sah-own-volumes)", Mean = 0, Midpoint = 1, Median = 2, Sah = 3, SahOwnVolumes = 4);
codes!(Builder, "0 (top-down) or 1 (ploc)", TopDown = 0, Ploc = 1);
codes!(Collapse, "0 (largest-first) or 1 (least-volume)", LargestFirst = 0, LeastVolume = 1);
codes!(
    ObbFit,
    "0 (vertex-covariance) to 9 (tight-volume)",
    VertexCovariance = 0,
    SurfaceCovariance = 1,
    HullCovariance = 2,
    Dito14 = 3,
    MinimumVolume = 4,
    BestVolume = 5,
    BestArea = 6,
    Tight = 7,
    AxisAligned = 8,
    TightVolume = 9,
);
codes!(
    SphereFit,
    "0 (ritter) to 6 (aabb-center)",
    Ritter = 0,
    Epos6 = 1,
    Epos14 = 2,
    Epos26 = 3,
    Epos98 = 4,
    SmallestSphere = 5,
    AabbCenter = 6,
);

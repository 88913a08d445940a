//! Intervals that contain a number.

/// A closed interval that is proven to contain a number, despite rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

impl Interval {
    /// The interval with both bounds changed.
    pub(super) fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self { lower: change(self.lower), upper: change(self.upper) }
    }

    /// The interval of the greatest of several numbers, given their intervals; `None` without any.
    pub(super) fn max<'a>(members: impl Iterator<Item = &'a Self>) -> Option<Self> {
        members.copied().reduce(|a, b| Self { lower: a.lower.max(b.lower), upper: a.upper.max(b.upper) })
    }

    /// The interval of the mean of several numbers, given their intervals; `None` without any.
    pub(super) fn mean<'a>(members: impl Iterator<Item = &'a Self> + Clone) -> Option<Self> {
        let max = Self::max(members.clone())?;
        let (count, sum) = members.fold((0.0, Self::default()), |(count, sum), member| {
            (count + 1.0, Self { lower: sum.lower + member.lower, upper: sum.upper + member.upper })
        });
        // A mean of equal numbers may round to more than they are.
        let mean = sum.map(|sum| sum / count);
        Some(Self { lower: mean.lower.min(max.lower), upper: mean.upper.min(max.upper) })
    }
}

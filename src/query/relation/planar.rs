//! Segments in two dimensions, with exact crossings and heights. Bounds in f64 make most computations with rational
//! numbers unnecessary.

use std::cell::OnceCell;
use std::cmp::Ordering;

use nalgebra::Point3;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::numeric::error_bounds::RATIONAL_ROUNDING;
use crate::triangle::{Edge, orient2d, rational};

/// A number with known bounds, which is computed exactly where the bounds do not decide.
#[derive(Clone, Debug)]
pub(super) struct Number<'a> {
    bounds: [f64; 2],
    /// The exact number, once it has been computed.
    exact: OnceCell<BigRational>,
    /// The two segments whose crossing has the number as its first coordinate.
    crossing: Option<[&'a PlanarSegment<'a>; 2]>,
}

impl<'a> Number<'a> {
    fn of_float(float: f64) -> Self {
        Self { bounds: [float; 2], exact: OnceCell::new(), crossing: None }
    }

    fn of_rational(exact: BigRational) -> Self {
        let rounded = exact.to_f64().unwrap_or(f64::NAN);
        let error = RATIONAL_ROUNDING * rounded.abs();
        Self { bounds: [rounded - error, rounded + error], exact: OnceCell::from(exact), crossing: None }
    }

    fn of_crossing(segment: &'a PlanarSegment<'a>, other: &'a PlanarSegment<'a>) -> Self {
        Self { bounds: segment.rounded_crossing(other), exact: OnceCell::new(), crossing: Some([segment, other]) }
    }

    /// The number, if it is known to be an f64.
    pub(super) fn float(&self) -> Option<f64> {
        (self.bounds[0] == self.bounds[1]).then_some(self.bounds[0])
    }

    pub(super) fn exact(&self) -> &BigRational {
        self.exact.get_or_init(|| match self.crossing {
            Some([segment, other]) => segment.exact_crossing(other),
            None => rational(self.bounds[0]),
        })
    }

    fn cmp(&self, other: &Number<'_>) -> Ordering {
        if self.bounds[1] < other.bounds[0] {
            Ordering::Less
        } else if self.bounds[0] > other.bounds[1] {
            Ordering::Greater
        } else if let (Some(_), Some(_)) = (self.float(), other.float()) {
            Ordering::Equal
        } else {
            self.exact().cmp(other.exact())
        }
    }

    fn cmp_float(&self, float: f64) -> Ordering {
        self.cmp(&Number::of_float(float))
    }
}

/// Sorts numbers and removes duplicates.
pub(super) fn sorted<'a>(numbers: impl Iterator<Item = Number<'a>>) -> Vec<Number<'a>> {
    let mut numbers: Vec<Number<'_>> = numbers.collect();
    numbers.sort_by(Number::cmp);
    numbers.dedup_by(|p, q| p.cmp(q).is_eq());
    numbers
}

/// A number between two others that is none of `without`: an f64 if one is found.
pub(super) fn between(low: &Number<'_>, high: &Number<'_>, without: &[f64]) -> Option<Number<'static>> {
    let middle = 0.5 * (low.bounds[1] + high.bounds[0]);
    if low.cmp_float(middle).is_lt() && high.cmp_float(middle).is_gt() && !without.contains(&middle) {
        return Some(Number::of_float(middle));
    }
    let (low, high) = (low.exact(), high.exact());
    let parts = (2..without.len() + 3).map(|n| Number::of_rational(low + (high - low) / rational(n as f64)));
    parts.into_iter().find(|u| without.iter().all(|&other| u.cmp_float(other).is_ne()))
}

/// A segment in two dimensions, from left to right.
#[derive(Clone, Debug)]
pub(super) struct PlanarSegment<'a> {
    axis: usize,
    edge: &'a Edge,
    from: [f64; 2],
    to: [f64; 2],
}

impl<'a> PlanarSegment<'a> {
    /// The projection of an edge along a coordinate axis.
    pub(super) fn new(axis: usize, edge: &'a Edge) -> Self {
        let [from, to] = edge.each_ref().map(|end| planar(axis, end));
        let [from, to] = if from[0] <= to[0] { [from, to] } else { [to, from] };
        Self { axis, edge, from, to }
    }

    pub(super) fn is_upright(&self) -> bool {
        self.from[0] == self.to[0]
    }

    /// The first coordinate of the left end.
    pub(super) fn left(&self) -> f64 {
        self.from[0]
    }

    pub(super) fn spans(&self, u: &Number<'_>) -> bool {
        u.cmp_float(self.from[0]).is_ge() && u.cmp_float(self.to[0]).is_le()
    }

    /// The points at which another segment crosses this one's line or ends on it, by their first coordinate.
    pub(super) fn crossings<'b>(&'b self, other: &'b PlanarSegment<'b>) -> Vec<Number<'b>> {
        let [p, q] = other.edge.each_ref().map(|end| orient2d(self.axis, &self.edge[0], &self.edge[1], end));
        if p > 0.0 && q < 0.0 || p < 0.0 && q > 0.0 {
            let crossing =
                if other.is_upright() { Number::of_float(other.left()) } else { Number::of_crossing(self, other) };
            return vec![crossing];
        }
        let ends = other.edge.iter().zip([p, q]).filter(|(_, side)| *side == 0.0);
        ends.map(|(end, _)| Number::of_float(planar(self.axis, end)[0])).collect()
    }

    /// The first coordinate at which another segment crosses this one's line.
    fn exact_crossing(&self, other: &PlanarSegment<'_>) -> BigRational {
        let [from, to] = [other.from, other.to].map(|end| end.map(rational));
        let [own_from, own_to] = [self.from, self.to].map(|end| end.map(rational));
        // Twice the signed areas of the ends with this segment.
        let [p, q] = [&from, &to].map(|point| {
            (&own_to[0] - &own_from[0]) * (&point[1] - &own_from[1])
                - (&own_to[1] - &own_from[1]) * (&point[0] - &own_from[0])
        });
        &from[0] + (&to[0] - &from[0]) * (&p / (&p - &q))
    }

    /// Bounds on [`exact_crossing`](Self::exact_crossing).
    fn rounded_crossing(&self, other: &PlanarSegment<'_>) -> [f64; 2] {
        let along = [0, 1].map(|k| self.to[k] - self.from[k]);
        let [(p, p_error), (q, q_error)] = [other.from, other.to].map(|point| {
            let products = [along[0] * (point[1] - self.from[1]), along[1] * (point[0] - self.from[0])];
            (products[0] - products[1], RATIONAL_ROUNDING * (products[0].abs() + products[1].abs()))
        });
        let [left, right] = [other.from[0], other.to[0]];
        let (part, width) = (p / (p - q), right - left);
        let part_error = (p_error + q_error) / ((p - q).abs() - p_error - q_error) + RATIONAL_ROUNDING;
        let (u, error) = (left + width * part, width * part_error + RATIONAL_ROUNDING * (left.abs() + right.abs()));
        if part_error > 0.0 { [left.max(u - error), right.min(u + error)] } else { [left, right] }
    }

    /// The heights at `u` of this segment and of the next one above it, or two numbers in f64 between these heights;
    /// `None` if there is no segment above.
    pub(super) fn up_to_next(&self, u: &Number<'_>, others: &[PlanarSegment<'_>]) -> Option<[Number<'static>; 2]> {
        let low = self.height_bounds(u);
        let not_below = others.iter().filter(|other| !std::ptr::eq(*other, self) && other.spans(u));
        let not_below =
            not_below.map(|other| (other, other.height_bounds(u))).filter(|(_, height)| height[1] >= low[0]);
        let not_below: Vec<(&PlanarSegment<'_>, [f64; 2])> = not_below.collect();
        let lowest = not_below.iter().map(|(_, height)| height[0]).fold(f64::INFINITY, f64::min);
        if lowest == f64::INFINITY {
            return None;
        }
        if low[1] < lowest {
            return Some([low[1], lowest].map(Number::of_float));
        }
        let low = self.height(u);
        let heights = not_below.iter().map(|(other, _)| other.height(u));
        let high = heights.filter(|high| *high > low).min()?;
        Some([low, high].map(Number::of_rational))
    }

    fn height(&self, u: &Number<'_>) -> BigRational {
        let [from, to] = [self.from, self.to].map(|end| end.map(rational));
        let part = (u.exact() - &from[0]) / (&to[0] - &from[0]);
        &from[1] + (&to[1] - &from[1]) * part
    }

    /// Bounds on the height at `u`.
    fn height_bounds(&self, u: &Number<'_>) -> [f64; 2] {
        let [low, high] = u.bounds;
        let [[from_u, from_v], [to_u, to_v]] = [self.from, self.to];
        let (middle, width) = (0.5 * (low + high), to_u - from_u);
        let height = from_v + (to_v - from_v) * ((middle - from_u) / width);
        let part_error = (high - low + RATIONAL_ROUNDING * (middle.abs() + from_u.abs())) / width + RATIONAL_ROUNDING;
        let error = (to_v - from_v).abs() * part_error + RATIONAL_ROUNDING * (from_v.abs() + to_v.abs());
        [height - error, height + error]
    }
}

/// The projection of a point along a coordinate axis.
fn planar(axis: usize, point: &Point3<f64>) -> [f64; 2] {
    [point[(axis + 1) % 3], point[(axis + 2) % 3]]
}

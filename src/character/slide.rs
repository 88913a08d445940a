//! Moving in the air, along planes, creases and into corners: the desired move is projected onto the cone that the
//! planes met so far leave free. The nearest point of that cone does not depend on the order of the planes, unlike
//! clipping against one after the other.

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::collision_world::CollisionWorld;
use super::obstacle::Obstacle;
use super::walk::Ground;
use crate::numeric::error_bounds::{OPPOSITE, SAME_DIRECTION, SAME_DIRECTION_SQ, SLIDE_CLEARANCE};
use crate::probe::CapsuleContact;

/// Planes met by a move, with unit normals toward the free side.
#[derive(Clone, Debug, Default)]
pub(super) struct Planes {
    normals: SmallVec<[Vector3<f64>; 8]>,
}

impl Planes {
    pub(super) fn clear(&mut self) {
        self.normals.clear();
    }

    /// Adds a plane unless it is known.
    pub(super) fn push(&mut self, normal: Vector3<f64>) {
        let is_known = self.normals.iter().any(|known| (known - normal).norm_squared() < SAME_DIRECTION_SQ);
        if !is_known && normal != Vector3::zeros() {
            self.normals.push(normal);
        }
    }

    /// Projects a move onto the free cone: the nearest vector that enters no plane. Between opposite planes, the
    /// directions along both are free.
    pub(super) fn project(&self, wish: &Vector3<f64>) -> Vector3<f64> {
        let away = SLIDE_CLEARANCE * wish.norm();
        if self.admits(wish, 0.0) {
            return *wish;
        }
        let mut best = Vector3::zeros();
        let mut offer = |part: Vector3<f64>| {
            if part.norm_squared() > best.norm_squared() && self.admits(&part, away * 1e-3) {
                best = part;
            }
        };
        for (i, m) in self.normals.iter().enumerate() {
            offer(wish - m * wish.dot(m) + m * away);
            for n in &self.normals[..i] {
                if are_opposite(m, n) {
                    let across = (m - n).normalize();
                    offer(wish - across * wish.dot(&across));
                    for other in &self.normals {
                        let Some(crease) = across.cross(other).try_normalize(OPPOSITE) else { continue };
                        offer(crease * wish.dot(&crease) + (other - across * other.dot(&across)) * away);
                    }
                    continue;
                }
                // Parallel planes have no crease.
                let Some(crease) = m.cross(n).try_normalize(SAME_DIRECTION) else { continue };
                offer(crease * wish.dot(&crease) + (m + n) * away);
            }
        }
        best
    }

    /// Whether a move departs from all planes by at least `least`; between opposite planes, it may be along them.
    fn admits(&self, part: &Vector3<f64>, least: f64) -> bool {
        self.normals.iter().all(|normal| {
            let departs = part.dot(normal);
            departs >= least
                || (departs.abs() <= OPPOSITE * part.norm()
                    && self.normals.iter().any(|other| are_opposite(normal, other)))
        })
    }
}

/// Whether two planes face each other, up to the rounding of their vertices.
fn are_opposite(a: &Vector3<f64>, b: &Vector3<f64>) -> bool {
    (a + b).norm_squared() < OPPOSITE * OPPOSITE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planes(normals: &[[f64; 3]]) -> Planes {
        let mut planes = Planes::default();
        normals.iter().for_each(|&normal| planes.push(Vector3::from(normal).normalize()));
        planes
    }

    #[test]
    fn planes_creases_and_corners() {
        let wish = Vector3::new(1.0, 2.0, -3.0);
        let near = |a: Vector3<f64>, b: [f64; 3]| assert!((a - Vector3::from(b)).norm() < 1e-7, "{a} for {b:?}");
        near(planes(&[]).project(&wish), [1.0, 2.0, -3.0]);
        near(planes(&[[1.0, 0.0, 0.0]]).project(&wish), [1.0, 2.0, -3.0]);
        near(planes(&[[0.0, 0.0, 1.0]]).project(&wish), [1.0, 2.0, 0.0]);
        near(planes(&[[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]).project(&wish), [1.0, 0.0, 0.0]);
        near(planes(&[[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]]).project(&wish), [0.0; 3]);
        // In an acute corner, a move along either plane enters the other.
        near(planes(&[[-1.0, 0.2, 0.0], [-1.0, -0.2, 0.0]]).project(&Vector3::x()), [0.0; 3]);
        // Between opposite planes, up to rounding, the move is along both, and along the crease with a third.
        near(planes(&[[1.0, 0.0, 0.0], [-1.0, 1e-9, 1e-8]]).project(&wish), [0.0, 2.0, -3.0]);
        near(planes(&[[1.0, 0.0, 0.0], [-1.0, 1e-9, 0.0], [0.0, 0.0, 1.0]]).project(&wish), [0.0, 2.0, 0.0]);
        near(
            planes(&[[0.8, 0.0, 0.6], [-0.8, 0.0, 0.6], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]).project(&wish),
            [0.0, 2.0, 0.0],
        );
        // A plane near another one, up to a small angle.
        near(planes(&[[0.0, 0.0, 1.0], [1e-4, 0.0, 1.0]]).project(&-Vector3::z()), [0.0; 3]);
    }

    #[test]
    fn no_part_is_longer_or_goes_into_a_plane() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for i in 0..10_000 {
            let mut planes = Planes::default();
            for _ in 0..i % 6 {
                planes.push(Vector3::new(random(), random(), random()).normalize());
            }
            let wish = Vector3::new(random(), random(), random());
            let part = planes.project(&wish);
            assert!(part.norm() <= wish.norm() * (1.0 + 1e-8));
            assert!(planes.normals.iter().all(|normal| part.dot(normal) >= 0.0));
            // No other free direction tried is nearer to the desired one.
            for _ in 0..20 {
                let other = Vector3::new(random(), random(), random());
                if planes.admits(&other, 0.0) {
                    assert!((other - wish).norm() >= (part - wish).norm() - 1e-7);
                }
            }
        }
    }
}

/// The largest number of stops in one move.
const MAX_STOPS: usize = 12;

/// The result of a move in the air.
#[derive(Clone, Debug, Default)]
pub(super) struct FlightResult {
    /// The planes that the move slid along.
    pub(super) planes: Planes,
    /// The ground on which the character landed.
    pub(super) ground: Option<Ground>,
    pub(super) is_stopped: bool,
}

impl CollisionWorld<'_> {
    /// Moves in the air until landing; the whole displacement takes `time`.
    pub(super) fn fly(&mut self, displacement: &Vector3<f64>, time: f64) -> FlightResult {
        let up = self.up();
        let mut flight = FlightResult::default();
        let (mut remaining, mut stops) = (*displacement, 0);
        for _ in 0..MAX_STOPS {
            let along = flight.planes.project(&remaining);
            if along == Vector3::zeros() {
                break;
            }
            let Some(stop) = self.advance(&along) else { break };
            self.note_push(&stop, displacement, time);
            remaining *= stop.remaining;
            stops += 1;
            if along.dot(&up) <= 0.0 {
                let feet = self.feet;
                flight.ground = self.ground(stop.body, &stop.contact, &feet, self.options.snap_distance);
                if flight.ground.is_some() {
                    break;
                }
            }
            self.add_planes(&stop.contact, &mut flight.planes);
        }
        flight.is_stopped = stops > 0;
        // A single surface is no support.
        if stops > 1 && flight.ground.is_none() && displacement.dot(&up) <= 0.0 {
            flight.ground = self.support();
        }
        flight
    }

    /// Adds a contact's plane. For a steep contact, also adds a vertical wall, so that the character can slide down but
    /// is not lifted.
    fn add_planes(&self, contact: &CapsuleContact, planes: &mut Planes) {
        let up = self.up();
        let rise = contact.normal.dot(&up);
        planes.push(contact.normal);
        if rise > 0.0
            && !self.is_walkable(&contact.normal)
            && let Some(wall) = (contact.normal - up * rise).try_normalize(SAME_DIRECTION)
        {
            planes.push(wall);
        }
    }

    /// Moves and slides along planes without landing, with only some bodies as obstacles.
    pub(super) fn slide(&mut self, displacement: &Vector3<f64>, counts: impl Fn(&Obstacle<'_>) -> bool) {
        let mut planes = Planes::default();
        let mut remaining = *displacement;
        for _ in 0..MAX_STOPS {
            let along = planes.project(&remaining);
            if along == Vector3::zeros() {
                return;
            }
            let Some(stop) = self.advance_against(&along, &counts) else { return };
            remaining *= stop.remaining;
            planes.push(stop.contact.normal);
        }
    }
}

//! Moving freely, as in the air: along planes, creases, and into corners.

use nalgebra::Vector3;

use super::ground::Ground;
use super::planes::Planes;
use super::surroundings::Surroundings;
use crate::probe::CapsuleContact;

/// Stops that one part of a step may have.
const MAX_STOPS: usize = 12;

/// What a free move met.
#[derive(Clone, Debug, Default)]
pub(super) struct Flight {
    /// The planes that it went along.
    pub(super) planes: Planes,
    /// Where it landed, if it did.
    pub(super) ground: Option<Ground>,
    pub(super) is_stopped: bool,
}

impl Surroundings<'_> {
    /// Moves freely, until it lands.
    pub(super) fn fly(&mut self, displacement: &Vector3<f64>) -> Flight {
        let up = self.up();
        let mut flight = Flight::default();
        let mut left = *displacement;
        for _ in 0..MAX_STOPS {
            let along = flight.planes.free_part(&left);
            if along == Vector3::zeros() {
                break;
            }
            let Some(stop) = self.advance(&along) else { break };
            left *= stop.left;
            flight.is_stopped = true;
            if along.dot(&up) <= 0.0 {
                let feet = self.feet;
                flight.ground = self.ground(stop.body, &stop.contact, &feet);
                if flight.ground.is_some() {
                    break;
                }
            }
            self.add_planes(&stop.contact, &mut flight.planes);
        }
        flight
    }

    /// A contact's plane. What is steep is a wall as well: whoever runs into it slides down, but is not lifted.
    fn add_planes(&self, contact: &CapsuleContact, planes: &mut Planes) {
        let up = self.up();
        let rise = contact.normal.dot(&up);
        planes.push(contact.normal);
        if rise > 0.0
            && !self.is_walkable(&contact.normal)
            && let Some(wall) = (contact.normal - up * rise).try_normalize(1e-9)
        {
            planes.push(wall);
        }
    }

    /// Moves along a displacement and along the planes that are in it, without landing; only some bodies are in the
    /// way.
    pub(super) fn slide(&mut self, displacement: &Vector3<f64>, counts: impl Fn(&super::Body<'_>) -> bool) {
        let mut planes = Planes::default();
        let mut left = *displacement;
        for _ in 0..MAX_STOPS {
            let along = planes.free_part(&left);
            if along == Vector3::zeros() {
                return;
            }
            let Some(stop) = self.advance_against(&along, &counts) else { return };
            left *= stop.left;
            planes.push(stop.contact.normal);
        }
    }
}

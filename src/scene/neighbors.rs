//! Two bodies that are asked about.

use super::body::{Body, BodyId};
use crate::pose::Pose;

/// Two bodies whose boxes are near each other.
#[derive(Clone, Copy, Debug)]
pub struct Neighbors<'a> {
    /// Their ids, the lesser first.
    pub ids: [BodyId; 2],
    /// The bodies, A and B.
    pub bodies: [&'a Body; 2],
}

impl Neighbors<'_> {
    /// Where B stands in A's frame.
    pub fn b_to_a(&self) -> Pose {
        let [a, b] = self.bodies.map(|body| &body.pose);
        Pose::relative(a, b)
    }
}

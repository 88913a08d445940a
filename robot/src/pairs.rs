//! Which pairs of links are compared: all that move relative to each other, except neighbours and those that the SRDF
//! disables.

use crate::robot::{Pair, Robot, RobotBody};

impl Robot {
    /// All pairs of links that move relative to each other, except neighbours and those that the SRDF disables.
    pub(super) fn all_pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (b, second) in self.bodies.iter().enumerate() {
            for (a, first) in self.bodies[..b].iter().enumerate() {
                if !self.are_adjacent([first, second]) && !self.are_disabled([first, second]) {
                    pairs.push(Pair { bodies: [a as u32, b as u32], margin: 0.0 });
                }
            }
        }
        pairs
    }

    /// The pairs of links with geometry that are neighbours, do not move relative to each other, or are disabled by the
    /// SRDF: the names of the two, and whether only the SRDF excludes the pair.
    pub(crate) fn pairs_left_out(&self) -> impl Iterator<Item = ([&str; 2], bool)> {
        let is_link = |body: &&RobotBody| body.number < self.links().len();
        let all = self.bodies.iter().enumerate().filter(move |(_, body)| is_link(body));
        all.flat_map(move |(b, second)| {
            self.bodies[..b].iter().filter(is_link).filter_map(move |first| {
                let is_adjacent = self.are_adjacent([first, second]);
                let names = [first.body.name.as_str(), second.body.name.as_str()];
                (is_adjacent || self.are_disabled([first, second])).then_some((names, !is_adjacent))
            })
        })
    }

    /// Whether two bodies do not move relative to each other, or are neighbours.
    fn are_adjacent(&self, [a, b]: [&RobotBody; 2]) -> bool {
        a.frame == b.frame || self.are_neighbours([a.link, b.link])
    }

    /// Whether the SRDF disables a pair.
    fn are_disabled(&self, [a, b]: [&RobotBody; 2]) -> bool {
        let names = [&a.body.name, &b.body.name];
        self.srdf.disabled.iter().any(|[p, q]| names == [p, q] || names == [q, p])
    }

    /// Whether a joint connects two links.
    fn are_neighbours(&self, [a, b]: [usize; 2]) -> bool {
        let parent = |link| self.kinematics.joint_above(link).map(|joint| self.kinematics.joints()[joint].parent());
        parent(a) == Some(b) || parent(b) == Some(a)
    }
}

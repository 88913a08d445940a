//! Which pairs of links are compared: all that move relative to each other, except neighbours and those that the SRDF
//! disables.

use std::collections::{HashMap, HashSet};

use crate::robot::{Pair, Robot, RobotBody};

impl Robot {
    /// All pairs of links that move relative to each other, except neighbours and those that the SRDF disables.
    pub(super) fn all_pairs(&self) -> Vec<Pair> {
        let (disabled, defaults) = (self.disabled_pairs(), self.srdf.defaults());
        let mut pairs = Vec::new();
        for (b, second) in self.bodies.iter().enumerate() {
            for (a, first) in self.bodies[..b].iter().enumerate() {
                let is_disabled = disabled.contains(&[a, b]) || defaults.disable([first, second].map(RobotBody::name));
                if !is_disabled && !self.are_adjacent([first, second]) {
                    pairs.push(Pair { bodies: [a as u32, b as u32], margin: 0.0 });
                }
            }
        }
        pairs
    }

    /// The pairs of links with geometry that are neighbours, do not move relative to each other, or are disabled by the
    /// SRDF, other than by default: the names of the two, and whether only the SRDF excludes the pair.
    pub(crate) fn pairs_left_out(&self) -> impl Iterator<Item = ([&str; 2], bool)> {
        let disabled = self.disabled_pairs();
        let is_link = |(_, body): &(usize, &RobotBody)| body.number < self.links().len();
        let all = self.bodies.iter().enumerate().filter(is_link);
        all.flat_map(move |(b, second)| {
            let before = self.bodies[..b].iter().enumerate().filter(is_link);
            let left_out = before.filter_map(|(a, first)| {
                let is_adjacent = self.are_adjacent([first, second]);
                let names = [first, second].map(RobotBody::name);
                (is_adjacent || disabled.contains(&[a, b])).then_some((names, !is_adjacent))
            });
            left_out.collect::<Vec<_>>()
        })
    }

    /// Whether two bodies do not move relative to each other, or are neighbours.
    fn are_adjacent(&self, [a, b]: [&RobotBody; 2]) -> bool {
        a.frame == b.frame || self.are_neighbours([a.link, b.link])
    }

    /// The pairs of bodies that the SRDF disables, by their indices, the lower first.
    fn disabled_pairs(&self) -> HashSet<[usize; 2]> {
        let index: HashMap<&str, usize> = self.bodies.iter().map(RobotBody::name).zip(0..).collect();
        let pair = |[p, q]: &[String; 2]| {
            let (p, q) = (*index.get(p.as_str())?, *index.get(q.as_str())?);
            Some([p.min(q), p.max(q)])
        };
        self.srdf.disabled.iter().filter_map(pair).collect()
    }

    /// Whether a joint connects two links.
    fn are_neighbours(&self, [a, b]: [usize; 2]) -> bool {
        let parent = |link| self.kinematics.joint_above(link).map(|joint| self.kinematics.joints()[joint].parent());
        parent(a) == Some(b) || parent(b) == Some(a)
    }
}

//! bvtree's character.

use bvtree::BvTree;
use bvtree::character::{Body, Character, CharacterError, CharacterOptions, Intent};
use bvtree::shape::{Capsule, Segment};
use nalgebra::{Point3, Vector3};

use crate::Walker;

pub struct Ours<'a> {
    bodies: [Body<'a>; 1],
    character: Character,
}

/// The capsule of both.
pub fn capsule(feet: &Point3<f64>) -> Capsule {
    let at = |height: f64| feet + Vector3::z() * height;
    Capsule { segment: Segment { start: at(0.3), end: at(1.5) }, radius: 0.3 }
}

impl<'a> Ours<'a> {
    pub fn new(tree: &'a BvTree) -> Result<Self, CharacterError> {
        let character = Character::new(&CharacterOptions::default(), Point3::origin())?;
        Ok(Self { bodies: [Body::fixed(tree)], character })
    }
}

impl Walker for Ours<'_> {
    fn place(&mut self, feet: Point3<f64>) {
        self.character.teleport(feet).expect("courses start somewhere");
    }

    fn step(&mut self, walk: &Vector3<f64>, time: f64) {
        self.character.step(&self.bodies, &Intent { walk: *walk, jump: 0.0 }, time);
    }

    fn feet(&self) -> Point3<f64> {
        self.character.feet()
    }
}

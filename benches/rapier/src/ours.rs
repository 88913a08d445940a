//! bvtree's character.

use std::error::Error;
use std::sync::Arc;

use bvtree::character::{Character, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{Body, Scene};
use bvtree::shape::{Capsule, Segment};
use bvtree::{BvTree, Pose};
use nalgebra::{Point3, Vector3};

use crate::Walker;

pub struct Ours {
    scene: Scene,
    character: Character,
}

/// The capsule of both.
pub fn capsule(feet: &Point3<f64>) -> Capsule {
    let at = |height: f64| feet + Vector3::z() * height;
    Capsule { segment: Segment { start: at(0.3), end: at(1.5) }, radius: 0.3 }
}

impl Ours {
    pub fn new(tree: &Arc<BvTree>) -> Result<Self, Box<dyn Error>> {
        let character = Character::new(&CharacterOptions::default(), Point3::origin())?;
        let mut scene = Scene::new();
        scene.add(Body::fixed(tree.clone(), Pose::identity()))?;
        Ok(Self { scene, character })
    }
}

impl Walker for Ours {
    fn place(&mut self, feet: Point3<f64>) {
        self.character.teleport(feet).expect("courses start somewhere");
    }

    fn step(&mut self, walk: &Vector3<f64>, time: f64) {
        let intent = Intent { walk: *walk, jump: 0.0 };
        self.character.step(&Surroundings::new(&self.scene), &intent, time).expect("nothing moves");
    }

    fn feet(&self) -> Point3<f64> {
        self.character.feet()
    }
}

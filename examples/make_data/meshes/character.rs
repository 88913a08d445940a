//! A goblin, 1.7 m tall, arms half raised: one closed surface around blended limbs.

use nalgebra::Point3;

use super::blobs::{Limb, field, surface_net};
use super::obj::Obj;

/// Chosen with the limbs so that no cell holds two sheets of skin.
const CELL_SIZE: f64 = 0.033;

pub fn character() -> Obj {
    let limbs = limbs();
    // The body is its own mirror image in x.
    let mirrored = |point: &Point3<f64>| field(&limbs, &Point3::new(point.x.abs(), point.y, point.z));
    let skin = surface_net(mirrored, Point3::new(0.5 * CELL_SIZE, 0.0, 1.0), CELL_SIZE);
    let mut obj = Obj::new("Goblin, 1.7 m");
    obj.object("character").surface(&skin.triangulated());
    obj
}

/// The left half of the body, facing +y. A goblin is a small man with a large head, large hands and large feet.
fn limbs() -> Vec<Limb> {
    let head = head().into_iter().map(|limb| limb.scaled(Point3::new(0.0, 0.02, 1.32), 1.4));
    let hand = hand().into_iter().map(|limb| limb.scaled(Point3::new(0.56, 0.06, 1.02), 1.4));
    let foot = foot().into_iter().map(|limb| limb.scaled(Point3::new(0.10, -0.03, 0.0), 1.3));
    trunk_and_limbs().into_iter().chain(head).chain(hand).chain(foot).collect()
}

fn trunk_and_limbs() -> Vec<Limb> {
    vec![
        Limb::between([0.0, -0.01, 0.80], 0.15, [0.0, -0.03, 1.18], 0.19, 0.05),
        Limb::ball([0.0, 0.08, 0.93], 0.18, 0.10),
        Limb::between([0.0, -0.05, 1.24], 0.15, [0.19, -0.03, 1.26], 0.085, 0.10),
        Limb::ball([0.09, 0.10, 1.18], 0.085, 0.07),
        Limb::between([0.0, -0.02, 1.30], 0.085, [0.0, 0.03, 1.42], 0.085, 0.08),
        // Arm.
        Limb::between([0.23, -0.03, 1.25], 0.09, [0.42, -0.07, 1.08], 0.062, 0.08),
        Limb::between([0.42, -0.07, 1.08], 0.066, [0.58, 0.08, 1.02], 0.056, 0.03),
        Limb::ball([0.49, -0.02, 1.05], 0.072, 0.06),
        // Leg.
        Limb::between([0.105, -0.01, 0.76], 0.125, [0.20, 0.04, 0.45], 0.085, 0.08),
        Limb::between([0.20, 0.04, 0.45], 0.088, [0.22, -0.03, 0.12], 0.064, 0.04),
        Limb::ball([0.215, -0.03, 0.32], 0.088, 0.07),
    ]
}

fn head() -> Vec<Limb> {
    vec![
        Limb::ball([0.0, 0.02, 1.54], 0.165, 0.05),
        Limb::between([0.0, 0.08, 1.44], 0.105, [0.0, 0.13, 1.42], 0.085, 0.07),
        // Ear and its cup.
        Limb::between([0.12, 0.01, 1.53], 0.06, [0.36, -0.06, 1.62], 0.018, 0.05),
        Limb::between([0.18, 0.055, 1.562], 0.028, [0.27, 0.02, 1.595], 0.018, 0.03).hollow(),
        // Nose and nostril.
        Limb::between([0.0, 0.16, 1.53], 0.036, [0.0, 0.27, 1.475], 0.048, 0.04),
        Limb::ball([0.036, 0.245, 1.475], 0.028, 0.03),
        // Eye socket, eye and brow.
        Limb::ball([0.072, 0.17, 1.575], 0.048, 0.03).hollow(),
        Limb::ball([0.072, 0.143, 1.573], 0.046, 0.02),
        Limb::between([0.022, 0.178, 1.632], 0.024, [0.12, 0.13, 1.655], 0.024, 0.04),
        // Mouth.
        Limb::between([0.0, 0.222, 1.395], 0.018, [0.075, 0.19, 1.42], 0.014, 0.02).hollow(),
    ]
}

fn hand() -> Vec<Limb> {
    let palm = Limb::between([0.60, 0.10, 1.015], 0.050, [0.65, 0.15, 1.01], 0.058, 0.04);
    let thumb = Limb::between([0.61, 0.13, 1.04], 0.034, [0.56, 0.205, 1.10], 0.030, 0.02);
    let tips = [[0.67, 0.28, 1.105], [0.75, 0.26, 1.01], [0.755, 0.19, 0.91]];
    let fingers = tips.map(|tip| Limb::between([0.66, 0.155, 1.01], 0.035, tip, 0.030, 0.02));
    [palm, thumb].into_iter().chain(fingers).collect()
}

fn foot() -> Vec<Limb> {
    let sole = Limb::between([0.19, -0.05, 0.065], 0.062, [0.22, 0.14, 0.06], 0.07, 0.06);
    let tips = [(0.14, 0.24, 0.045), (0.235, 0.255, 0.040), (0.32, 0.205, 0.038)];
    let toes = tips.map(|(x, y, radius)| Limb::between([0.22, 0.12, 0.05], 0.04, [x, y, 0.042], radius, 0.02));
    [sole].into_iter().chain(toes).collect()
}

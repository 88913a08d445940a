//! Whether two triangles meet beyond the corners they share, in exact integers and by a formulation of its own: clip
//! one by the half spaces that make up the other, and look whether what is left sticks out of the hull of the shared
//! corners.

use bvtree::triangle::Triangle;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::triangle::oracle::to_integers;

type Vector = [BigInt; 3];

/// A point `(x, y, z) / w` with `w > 0`, or a half space `a x + b y + c z + d w >= 0`.
type Homogeneous = [BigInt; 4];

pub fn meet_beyond_shared(a: &Triangle, b: &Triangle) -> bool {
    let range = |t: &Triangle, k: usize| {
        t.vertices.map(|p| p[k]).iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)))
    };
    if (0..3).any(|k| range(a, k).0 > range(b, k).1 || range(b, k).0 > range(a, k).1) {
        return false;
    }
    let ([a, b], _) = to_integers(a, b);
    let mut shared: Vec<&Vector> = a.iter().filter(|p| b.contains(p)).collect();
    if shared.len() == 3 && b.iter().all(|p| a.contains(p)) {
        return true;
    }
    shared.dedup();
    if shared.len() == 3 {
        shared.pop();
    }
    let mut left: Vec<Homogeneous> = a.iter().map(|[x, y, z]| [x, y, z].map(Clone::clone)).map(with_weight).collect();
    for half_space in half_spaces(&b) {
        left = clip(&left, &half_space);
    }
    left.iter().any(|point| !hull_holds(&shared, point))
}

fn with_weight([x, y, z]: Vector) -> Homogeneous {
    [x, y, z, BigInt::from(1)]
}

/// Whether the hull of up to two points holds a point.
fn hull_holds(corners: &[&Vector], [x, y, z, w]: &Homogeneous) -> bool {
    let from = |corner: &Vector| [x - &corner[0] * w, y - &corner[1] * w, z - &corner[2] * w];
    match corners {
        [] => false,
        [p] => is_zero(&from(p)),
        [p, q, ..] => {
            let (edge, along) = (minus(q, p), dot(&from(p), &minus(q, p)));
            is_zero(&cross(&from(p), &edge)) && !along.is_negative() && along <= dot(&edge, &edge) * w
        }
    }
}

/// The corners of the part of a convex polygon that is in a half space.
fn clip(polygon: &[Homogeneous], half_space: &Homogeneous) -> Vec<Homogeneous> {
    let side = |p: &Homogeneous| p.iter().zip(half_space).map(|(x, n)| x * n).sum::<BigInt>();
    let mut kept = Vec::new();
    for (p, q) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
        let (side_p, side_q) = (side(p), side(q));
        if !side_p.is_negative() {
            kept.push(p.clone());
        }
        if (&side_p * &side_q).is_negative() {
            kept.push(std::array::from_fn(|k| &p[k] * side_q.abs() + &q[k] * side_p.abs()));
        }
    }
    kept
}

/// Half spaces that have just the triangle in common.
fn half_spaces(t: &[Vector; 3]) -> Vec<Homogeneous> {
    let through = |normal: Vector, p: &Vector| {
        let offset = -dot(&normal, p);
        let [x, y, z] = normal;
        [x, y, z, offset]
    };
    let plane = |normal: Vector, p: &Vector| [through(normal.clone(), p), through(normal.map(|x| -x), p)];
    let edges = [[&t[0], &t[1]], [&t[1], &t[2]], [&t[2], &t[0]]];
    let normal = cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]));
    if !is_zero(&normal) {
        let sides = edges.iter().map(|[p, q]| through(cross(&normal, &minus(q, p)), p));
        return plane(normal.clone(), &t[0]).into_iter().chain(sides).collect();
    }
    let axes = [0, 1, 2].map(|k| std::array::from_fn(|j| BigInt::from(i32::from(j == k))));
    let length_sq = |[p, q]: &[&Vector; 2]| dot(&minus(q, p), &minus(q, p));
    let Some([p, q]) = edges.into_iter().max_by_key(length_sq) else { return Vec::new() };
    let edge = minus(q, p);
    if is_zero(&edge) {
        return axes.into_iter().flat_map(|axis| plane(axis, p)).collect();
    }
    let ends = [through(edge.clone(), p), through(edge.clone().map(|x| -x), q)];
    axes.into_iter().flat_map(|axis| plane(cross(&edge, &axis), p)).chain(ends).collect()
}

fn minus(u: &Vector, v: &Vector) -> Vector {
    std::array::from_fn(|k| &u[k] - &v[k])
}

fn cross(u: &Vector, v: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        &u[i] * &v[j] - &u[j] * &v[i]
    })
}

fn dot(u: &Vector, v: &Vector) -> BigInt {
    u.iter().zip(v).map(|(x, y)| x * y).sum()
}

fn is_zero(v: &Vector) -> bool {
    v.iter().all(Zero::is_zero)
}

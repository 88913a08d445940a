//! A glTF mesh's primitives as one mesh in its own frame.

use gltf::mesh::Mode;
use nalgebra::Point3;

use super::accessors;
use super::document::Document;
use super::part::unexpected;
use crate::mesh::formats::merge::MAX_INSTANCED;
use crate::mesh::formats::options::GroupBy;
use crate::mesh::{Group, Mesh, MeshError};

/// Adds to `total` the vertices and triangles of the mesh: primitives may share buffers, so that a short file could
/// mean a vast mesh.
pub(super) fn mesh(
    document: &Document,
    mesh: &gltf::Mesh<'_>,
    group_by: GroupBy,
    total: &mut usize,
    skipped: &mut usize,
) -> Result<Mesh, MeshError> {
    let (mut vertices, mut triangles, mut groups) = (Vec::new(), Vec::new(), Vec::<Group>::new());
    for primitive in mesh.primitives() {
        let place = || format!("mesh {}, primitive {}", mesh.index(), primitive.index());
        if matches!(primitive.mode(), Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip) {
            *skipped += 1;
            continue;
        }
        let Some(positions) = primitive.get(&gltf::Semantic::Positions) else { continue };
        let first = vertices.len();
        let points = accessors::positions(document, &positions)?;
        let count = points.len();
        if let Some(point) = points.iter().find(|point| !point.iter().all(|x| x.is_finite())) {
            return Err(unexpected(place(), "coordinates that are finite", format!("{point:?}")));
        }
        vertices.extend(points.into_iter().map(Point3::from));
        let corners = match primitive.indices() {
            Some(indices) => accessors::indices(document, &indices)?,
            None => (0..count as u32).collect(),
        };
        if let Some(corner) = corners.iter().find(|&&corner| corner as usize >= count) {
            return Err(unexpected(place(), format!("indices below {count}"), corner.to_string()));
        }
        *total += count + corners.len();
        if *total > MAX_INSTANCED {
            let found = "more: primitives share buffers";
            return Err(unexpected(place(), format!("at most {MAX_INSTANCED} vertices and corners in all"), found));
        }
        let corners: Vec<u32> = corners.into_iter().map(|corner| corner + first as u32).collect();
        let first_triangle = triangles.len();
        add_triangles(&mut triangles, &corners, primitive.mode())
            .ok_or_else(|| unexpected(place(), "whole triangles", format!("{} corners", corners.len())))?;
        if group_by == GroupBy::Material && triangles.len() > first_triangle {
            let material = primitive.material();
            let name = match (material.name(), material.index()) {
                (Some(name), _) => name.to_owned(),
                (None, Some(index)) => format!("material{index}"),
                (None, None) => String::new(),
            };
            if groups.last().is_none_or(|group| group.name != name) {
                groups.push(Group { name, first_triangle: first_triangle as u32 });
            }
        }
    }
    Mesh::from_parts(vertices, triangles, Vec::new(), groups)
}

/// None if the corners don't come in whole triangles.
fn add_triangles(triangles: &mut Vec<[u32; 3]>, corners: &[u32], mode: Mode) -> Option<()> {
    match mode {
        Mode::TriangleStrip => {
            // Every other one is turned, so that all face one way.
            let strip = corners.windows(3).enumerate();
            triangles.extend(strip.map(|(i, c)| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] }));
        }
        Mode::TriangleFan => {
            let [apex, fan @ ..] = corners else { return Some(()) };
            triangles.extend(fan.windows(2).map(|edge| [edge[0], edge[1], *apex]));
        }
        _ => {
            let (whole, rest) = corners.as_chunks::<3>();
            if !rest.is_empty() {
                return None;
            }
            triangles.extend_from_slice(whole);
        }
    }
    Some(())
}

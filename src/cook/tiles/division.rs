//! Divides the triangles of a mesh among tiles: chooses planes from a sample, and sorts the triangles into a file.

use std::io;

use bytemuck::{Pod, Zeroable};

use crate::builder::Division;
use crate::cook::CookError;
use crate::disk_array::DiskArray;
use crate::mesh::LargeMesh;
use crate::numeric::insertion_sort;
use crate::parallel;
use crate::shape::Aabb;

/// A triangle of a tile.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct TileTriangle {
    pub(super) face: u32,
    pub(super) corners: [u32; 3],
}

/// A tile's triangles, in the order of their faces.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) count: usize,
    /// Index of the first triangle of each block among all triangles in the file.
    blocks: Vec<usize>,
    /// The box of three times the triangles' centroids.
    pub(super) bounds: Aabb,
}

/// Number of triangles of a block, which is contiguous in the file; a tile's last block may be shorter.
pub(super) const BLOCK: usize = 1 << 12;

/// Number of the mesh's triangles that are read at a time.
const PIECE: usize = 1 << 16;

/// The greatest number of triangles in a sample, unless `SAMPLE_OF_TILE` triangles for each tile are more; a sample has
/// at least about half as many triangles, or all of them. In tests, samples are so small that the sizes of tiles are
/// misjudged and tiles are divided again.
const SAMPLE: usize = if cfg!(test) { 1 << 6 } else { 1 << 16 };
const SAMPLE_OF_TILE: usize = if cfg!(test) { 1 << 3 } else { 1 << 10 };

/// Fewer triangles than this are not worth a second thread.
const MIN_LEN: usize = 1 << 12;

/// The triangles of all tiles in a temporary file.
pub(super) struct TileFile {
    triangles: DiskArray<TileTriangle>,
}

impl TileFile {
    /// Replaces the content of `triangles` with a piece of a tile; returns false after the last piece.
    pub(super) fn read_piece(&self, tile: &Tile, number: usize, triangles: &mut Vec<TileTriangle>) -> io::Result<bool> {
        triangles.clear();
        let Some(&first) = tile.blocks.get(number) else { return Ok(false) };
        let length = BLOCK.min(tile.count - number * BLOCK);
        self.triangles.read_into(first..first + length, triangles)?;
        Ok(true)
    }
}

/// Sorts the mesh's triangles into tiles of at most `capacity` triangles, with at most `max_depth` splits above each
/// tile.
///
/// # Errors
/// Fails if a temporary file cannot be read or written, and if more than `capacity` triangles cannot be separated or
/// are `max_depth` splits below the root.
pub(super) fn divide(
    mesh: &LargeMesh,
    capacity: usize,
    max_depth: u32,
) -> Result<(TileFile, Division<Tile>), CookError> {
    let file = TileFile { triangles: DiskArray::new_in(mesh.triangles.folder())? };
    let mut divider = Divider { mesh, file, capacity, max_depth };
    let division = divider.division(None, 0)?;
    Ok((divider.file, division))
}

/// A mesh that is being divided.
struct Divider<'a> {
    mesh: &'a LargeMesh,
    file: TileFile,
    /// The greatest number of triangles of a tile.
    capacity: usize,
    max_depth: u32,
}

impl Divider<'_> {
    /// Replaces the content of `triangles` with a piece of a tile, or of the mesh; returns false after the last piece.
    fn read_piece(&self, tile: Option<&Tile>, number: usize, triangles: &mut Vec<TileTriangle>) -> io::Result<bool> {
        if let Some(tile) = tile {
            return self.file.read_piece(tile, number, triangles);
        }
        triangles.clear();
        let faces = number * PIECE..((number + 1) * PIECE).min(self.mesh.triangles.len());
        if faces.is_empty() {
            return Ok(false);
        }
        let mut corners = Vec::new();
        self.mesh.triangles.read_into(faces.clone(), &mut corners)?;
        triangles.extend(faces.zip(corners).map(|(face, corners)| TileTriangle { face: face as u32, corners }));
        Ok(true)
    }

    /// Divides a tile that is `depth` splits below the root, or the mesh.
    fn division(&mut self, whole: Option<&Tile>, depth: u32) -> Result<Division<Tile>, CookError> {
        let count = whole.map_or(self.mesh.triangles.len(), |tile| tile.count);
        let (mut sample, every) = self.sample(whole, count)?;
        // Tiles that are estimated by a sample are planned a little smaller.
        let capacity = if every == 1 { self.capacity } else { self.capacity - self.capacity / 8 };
        let mut planes = Planes { planes: Vec::new(), tiles: 0, capacity: capacity / every, max_depth: self.max_depth };
        let root = planes.divide(&mut sample, depth);
        drop(sample);
        if count > self.capacity && planes.tiles == 1 {
            return Err(CookError::Inseparable { triangles: count, allowed: self.capacity });
        }
        let mut tiles = self.sort(whole, &planes, root)?.into_iter();
        self.divided(&planes, root, &mut tiles, depth)
    }

    /// The division by the planes, with the tiles from left to right; tiles that are too large are divided again.
    fn divided(
        &mut self,
        planes: &Planes,
        below: Below,
        tiles: &mut impl Iterator<Item = Tile>,
        depth: u32,
    ) -> Result<Division<Tile>, CookError> {
        match below {
            Below::Plane(plane) => {
                let [left, right] = planes.planes[plane].sides;
                let left = self.divided(planes, left, tiles, depth + 1)?;
                let right = self.divided(planes, right, tiles, depth + 1)?;
                Ok(Division::Split(Box::new([left, right])))
            }
            Below::Tile(_) => match tiles.next().unwrap_or_default() {
                tile if tile.count > self.capacity => self.division(Some(&tile), depth),
                tile => Ok(Division::Tile(tile)),
            },
        }
    }

    /// Three times the centroids of one in `every` triangles of a tile or the mesh; also returns `every`.
    fn sample(&self, whole: Option<&Tile>, count: usize) -> io::Result<(Vec<[f64; 3]>, usize)> {
        // A mesh without triangles has an empty sample.
        let every = count.div_ceil(SAMPLE.max(count / self.capacity * SAMPLE_OF_TILE)).max(1);
        let mut sample = Vec::with_capacity(count.div_ceil(every));
        let (mut number, mut triangles, mut first) = (0, Vec::new(), 0);
        while self.read_piece(whole, number, &mut triangles)? {
            for (index, triangle) in (first..).zip(&triangles) {
                // A pseudo-random one of each `every` triangles, because files may have their triangles in regular
                // order.
                if index % every == scrambled(index / every) % every {
                    sample.push(corner_sum(self.mesh, triangle));
                }
            }
            (number, first) = (number + 1, first + triangles.len());
        }
        Ok((sample, every))
    }

    /// Sorts the triangles of a tile, or the mesh, into new tiles.
    fn sort(&mut self, whole: Option<&Tile>, planes: &Planes, root: Below) -> io::Result<Vec<Tile>> {
        let mut tiles: Vec<Tile> = (0..planes.tiles).map(|_| Tile::default()).collect();
        let mut blocks: Vec<Vec<TileTriangle>> = vec![Vec::new(); planes.tiles];
        let (mut number, mut triangles) = (0, Vec::new());
        while self.read_piece(whole, number, &mut triangles)? {
            let found = parallel::map_range(0..triangles.len(), MIN_LEN, |i| {
                let sum = corner_sum(self.mesh, &triangles[i]);
                (sum, planes.tile_of(&sum, root))
            });
            for (&triangle, (sum, tile)) in triangles.iter().zip(found) {
                blocks[tile].push(triangle);
                tiles[tile].count += 1;
                tiles[tile].bounds.grow(&sum.into());
                if blocks[tile].len() == BLOCK {
                    tiles[tile].blocks.push(self.file.triangles.len());
                    self.file.triangles.extend(&blocks[tile])?;
                    blocks[tile].clear();
                }
            }
            number += 1;
        }
        for (tile, block) in tiles.iter_mut().zip(blocks) {
            if !block.is_empty() {
                tile.blocks.push(self.file.triangles.len());
                self.file.triangles.extend(&block)?;
            }
        }
        Ok(tiles)
    }
}

/// Three times the triangle's centroid.
fn corner_sum(mesh: &LargeMesh, triangle: &TileTriangle) -> [f64; 3] {
    let [a, b, c] = triangle.corners.map(|index| mesh.vertices[index as usize]);
    [0, 1, 2].map(|k| f64::from(a[k]) + f64::from(b[k]) + f64::from(c[k]))
}

impl Default for Tile {
    fn default() -> Self {
        Self { count: 0, blocks: Vec::new(), bounds: Aabb::empty() }
    }
}

/// The planes that divide a mesh into tiles.
struct Planes {
    planes: Vec<Plane>,
    tiles: usize,
    /// The greatest number of sampled triangles of a tile.
    capacity: usize,
    max_depth: u32,
}

/// A plane across a coordinate axis. `at` is three times its offset, to be compared with sums of three corners.
struct Plane {
    axis: usize,
    at: f64,
    /// Whether centroids in the plane belong to the first side.
    is_included: bool,
    sides: [Below; 2],
}

/// The plane or the tile on one side of a plane, by its index.
#[derive(Clone, Copy)]
enum Below {
    Plane(usize),
    Tile(usize),
}

impl Plane {
    fn is_below(&self, centroid: &[f64; 3]) -> bool {
        let along = centroid[self.axis];
        along < self.at || self.is_included && along == self.at
    }
}

impl Planes {
    /// Halves the centroids across their longest axis until they fit into tiles, are all the same, or the greatest
    /// depth is reached.
    fn divide(&mut self, centroids: &mut [[f64; 3]], depth: u32) -> Below {
        let is_tile = centroids.len() <= self.capacity || depth >= self.max_depth;
        let Some(plane) = (if is_tile { None } else { median_plane(centroids) }) else {
            self.tiles += 1;
            return Below::Tile(self.tiles - 1);
        };
        let mut middle = 0;
        for i in 0..centroids.len() {
            if plane.is_below(&centroids[i]) {
                centroids.swap(i, middle);
                middle += 1;
            }
        }
        let node = self.planes.len();
        self.planes.push(plane);
        let (left, right) = centroids.split_at_mut(middle);
        self.planes[node].sides = [self.divide(left, depth + 1), self.divide(right, depth + 1)];
        Below::Plane(node)
    }

    fn tile_of(&self, centroid: &[f64; 3], mut below: Below) -> usize {
        loop {
            match below {
                Below::Tile(tile) => return tile,
                Below::Plane(plane) => {
                    let plane = &self.planes[plane];
                    below = plane.sides[usize::from(!plane.is_below(centroid))];
                }
            }
        }
    }
}

/// The plane at the median along the longest axis; `None` if all centroids are the same.
fn median_plane(centroids: &[[f64; 3]]) -> Option<Plane> {
    let mut bounds = Aabb::empty();
    centroids.iter().for_each(|&centroid| bounds.grow(&centroid.into()));
    let size = bounds.size();
    let mut axes = [0, 1, 2];
    insertion_sort(&mut axes, |&i, &j| size[j].total_cmp(&size[i]));
    let axis = axes.into_iter().find(|&axis| size[axis] > 0.0)?;
    let mut offsets: Vec<f64> = centroids.iter().map(|centroid| centroid[axis]).collect();
    let middle = offsets.len() / 2;
    let at = *offsets.select_nth_unstable_by(middle, f64::total_cmp).1;
    // If no centroid is below the median, the median is the least offset, and some centroid is above it.
    let is_included = at == bounds.lower[axis];
    Some(Plane { axis, at, is_included, sides: [Below::Tile(0); 2] })
}

/// A hash of `x`, in which every bit depends on all of `x` (Steele, Lea and Flood 2014, "SplitMix").
fn scrambled(x: usize) -> usize {
    let mut x = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) as usize
}

#[cfg(all(test, feature = "stl"))]
mod tests {
    use std::fs;

    use super::*;
    use crate::mesh::ReadOptions;
    use crate::volume::tests::Random;

    /// The tiles from left to right, and their depths.
    fn tiles(division: Division<Tile>, depth: u32, found: &mut Vec<(Tile, u32)>) {
        match division {
            Division::Tile(tile) => found.push((tile, depth)),
            Division::Split(sides) => sides.into_iter().for_each(|side| tiles(side, depth + 1, found)),
        }
    }

    /// A mesh of small triangles at these points, and the folder of its temporary files.
    fn mesh(points: &[[f32; 3]]) -> (tempfile::TempDir, LargeMesh) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.stl");
        let mut file = vec![0; 80];
        file.extend((points.len() as u32).to_le_bytes());
        for [x, y, z] in points {
            file.extend([0; 12]);
            let corners = [*x, *y, *z, x + 0.25, *y, *z, *x, y + 0.25, *z];
            file.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
            file.extend([0; 2]);
        }
        fs::write(&path, file).unwrap();
        let mesh = LargeMesh::open(&path, &ReadOptions::default(), folder.path(), u64::MAX).unwrap();
        (folder, mesh)
    }

    #[test]
    fn each_triangle_is_in_one_tile_of_the_right_size() {
        let mut random = Random(7);
        let mut at = |from: usize| random.below(from) as f32;
        let spread: Vec<_> = (0..3000).map(|_| [at(100), at(50), at(10)]).collect();
        // Half of the points agree in two of their coordinates.
        let dense: Vec<_> =
            (0..3000).map(|i| if i % 2 == 0 { [1.0, 2.0, at(600)] } else { [at(900), at(9), 0.0] }).collect();
        // In a regular order: a regular sample would see one side only.
        let regular: Vec<_> = (0..3000).map(|i| [if i % 4 == 0 { 5.0 } else { 900.0 }, i as f32, 0.0]).collect();
        for points in [spread, dense, regular] {
            let (_folder, mesh) = mesh(&points);
            for capacity in [40, 333, 3000] {
                let (file, division) = divide(&mesh, capacity, u32::MAX).unwrap();
                let mut found = Vec::new();
                tiles(division, 0, &mut found);
                assert!(found.len() >= points.len().div_ceil(capacity));
                assert!(found.len() <= 6 * points.len() / capacity, "{} tiles of {capacity}", found.len());
                let (mut seen, mut triangles) = (vec![false; points.len()], Vec::new());
                for (tile, _) in &found {
                    assert!((1..=capacity).contains(&tile.count));
                    let (mut piece, mut count, mut last) = (0, 0, None);
                    while file.read_piece(tile, piece, &mut triangles).unwrap() {
                        for triangle in &triangles {
                            assert!(last < Some(triangle.face), "in the order of the mesh");
                            last = Some(triangle.face);
                            assert!(!std::mem::replace(&mut seen[triangle.face as usize], true));
                            let sum = corner_sum(&mesh, triangle);
                            assert_eq!(sum[0] as f32, 3.0 * points[triangle.face as usize][0] + 0.25);
                            assert!(tile.bounds.contains(&sum.into()));
                            count += 1;
                        }
                        piece += 1;
                    }
                    assert_eq!(count, tile.count);
                }
                assert!(seen.into_iter().all(|seen| seen));
            }
        }
    }

    #[test]
    fn depth_is_limited() {
        let points: Vec<_> = (0..60).map(|i| [i as f32, 0.0, 0.0]).collect();
        let (_folder, mesh) = mesh(&points);
        let (_, division) = divide(&mesh, 15, 2).unwrap();
        let mut found = Vec::new();
        tiles(division, 0, &mut found);
        assert_eq!(found.iter().map(|(tile, depth)| (tile.count, *depth)).collect::<Vec<_>>(), [(15, 2); 4]);
        let error = divide(&mesh, 15, 1).err().unwrap();
        assert!(matches!(error, CookError::Inseparable { triangles: 30, allowed: 15 }), "{error}");
    }
}

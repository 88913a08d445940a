//! The bytes are those of `FORMAT.md`: a header spelled out, and a reader of nodes written from the document alone.

use bvtree::mesh::Group;
use bvtree::{BuildOptions, BvTree, Mesh, SplitRule, VolumeKind};
use nalgebra::{Matrix3, Point3, Vector3};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::damage::section;
use super::meshes;
use super::{all_options, bytes_of, compact_bytes_of};

/// Two triangles, the first of them a half of polygon 5, in one leaf.
fn tiny() -> BvTree {
    let vertices = vec![Point3::new(0.0, 0.0, 0.0), Point3::new(4.0, 0.0, 0.0), Point3::new(0.0, 2.0, 0.0)];
    let groups = vec![Group { name: "gear".into(), first_triangle: 1, ..Group::default() }];
    let mesh = Mesh::from_parts(vertices, vec![[0, 1, 2], [2, 1, 0]], vec![5, 6], groups).unwrap();
    let options = BuildOptions {
        split: SplitRule::Median,
        max_depth: 9,
        max_leaf_triangles: 2,
        ..BuildOptions::obbtree_rules(VolumeKind::Aabb)
    };
    BvTree::build(&mesh, &options).unwrap()
}

/// The sections of a file, which begin at multiples of 64 bytes.
fn sections(bytes: &[u8]) -> Vec<&[u8]> {
    (0..6).map(|index| &bytes[section(bytes, index)]).collect()
}

#[test]
fn golden_bytes_of_a_compact_file() {
    let [plain, compact] = [bytes_of(&tiny()), compact_bytes_of(&tiny())];
    // The length, the checksum and the table of sections differ.
    assert_eq!((compact[38], &compact[..16], &compact[32..38]), (1, &plain[..16], &plain[32..38]));
    assert_eq!((&compact[39..192], &compact[336..384]), (&plain[39..192], &plain[336..384]));
    // Nothing is between the sections.
    assert_eq!(compact.len(), 384 + sections(&compact).iter().map(|section| section.len()).sum::<usize>());
    assert_eq!(section(&compact, 0).start, 384);
    // 4 is 0x40800000, of which twice is 0x81000000; back to 0 it is twice less one, and 2 is 0x40000000.
    let four = [0x80, 0x80, 0x80, 0x88, 0x08];
    let minus_four = [0xff, 0xff, 0xff, 0x87, 0x08];
    let two = [0x80, 0x80, 0x80, 0x80, 0x08];
    let vertices = [&[0, 0, 0, 0][..], &four, &[0, 0], &minus_four, &two, &[0]].concat();
    let expected: [&[u8]; 6] = [&[9], &vertices, &[0, 0, 0, 1, 2, 3], &[0, 0], &[10, 0], sections(&plain)[5]];
    assert_eq!(sections(&compact), expected);
    assert_eq!(bytes_of(&BvTree::from_bytes(&compact).unwrap()), plain);
}

#[test]
fn golden_bytes() {
    let bytes = bytes_of(&tiny());
    let mut expected = Vec::new();
    let mut put = |bytes: &[u8]| expected.extend_from_slice(bytes);
    put(&[0x89, b'B', b'V', b'T', 0x0d, 0x0a, 0x1a, 0x0a, 2, 0, 0, 0, 0, 0, 0, 0]);
    put(&720u64.to_le_bytes());
    put(&0u64.to_le_bytes());
    put(&[0, 2, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0]);
    put(&[0; 16]);
    for x in [2.0, 1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 4.0, 2.0, 0.0f64] {
        put(&x.to_le_bytes());
    }
    put(&0x013e_92f2_1bf6_1300_3ae1_ebe8_8c39_2d13_u128.to_le_bytes());
    for count in [1, 3, 2, 1, 0, 0, 1, 2u32] {
        put(&count.to_le_bytes());
    }
    let sections = [(384, 60), (448, 36), (512, 24), (576, 8), (640, 8), (704, 16)];
    for (offset, length) in sections {
        put(&(offset as u64).to_le_bytes());
        put(&(length as u64).to_le_bytes());
        put(&xxh3_64(&bytes[offset..offset + length]).to_le_bytes());
    }
    put(&[0; 48]);
    let checksum = xxh3_64(&expected);
    expected[24..32].copy_from_slice(&checksum.to_le_bytes());

    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let floats = |floats: &[f32]| words(&floats.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    let mut section = |bytes: Vec<u8>| {
        expected.resize(expected.len().next_multiple_of(64), 0);
        expected.extend_from_slice(&bytes);
    };
    // A box of half extents (0.5, 0.25, 0) in units of 4, widened for rounding in f64, and a leaf that begins at 0.
    let half = [0.5f32.next_up(), 0.25f32.next_up(), f32::from_bits(0x2790_1d7d)];
    let nodes = [floats(&[0.0, 0.0, 0.0]), floats(&half), words(&[1 << 31]), words(&[0; 8])].concat();
    section(nodes);
    section(floats(&[0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 2.0, 0.0]));
    section(words(&[0, 1, 2, (1 << 31) + 2, 1, 0]));
    section(words(&[0, 1]));
    section(words(&[5, 6]));
    section([words(&[1]), 4u64.to_le_bytes().to_vec(), b"gear".to_vec()].concat());
    assert_eq!(bytes.len(), expected.len());
    for (offset, (found, expected)) in std::iter::zip(&bytes, &expected).enumerate() {
        assert_eq!(found, expected, "byte {offset}");
    }
    // In one number, to see at a glance whether a change alters files.
    assert_eq!(xxh3_128(&bytes), 0xbd43_da22_bccc_7c5a_a498_dddd_0e76_e665_u128);
}

/// Reads nodes as the document tells.
struct Reader<'a> {
    bytes: &'a [u8],
    kind: u8,
    origin: Vector3<f64>,
    unit: f64,
    /// Triangles that leaves ended in so far, by face.
    found: Vec<Option<[u32; 3]>>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut reader = Self { bytes, kind: bytes[32], origin: Vector3::zeros(), unit: 0.0, found: Vec::new() };
        reader.origin = Vector3::from_fn(|x, _| reader.f64(64 + 8 * x));
        reader.unit = reader.f64(88);
        reader.found = vec![None; reader.u32(168) as usize];
        reader
    }

    fn u32(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.bytes[offset..offset + 4].try_into().unwrap())
    }

    fn f64(&self, offset: usize) -> f64 {
        f64::from_le_bytes(self.bytes[offset..offset + 8].try_into().unwrap())
    }

    /// A word of a section.
    fn word(&self, section: usize, index: usize) -> u32 {
        self.u32(self.u32(192 + 24 * section) as usize + 4 * index)
    }

    fn vertex(&self, index: usize) -> Vector3<f32> {
        Vector3::from_fn(|x, _| f32::from_bits(self.word(1, 3 * index + x)))
    }

    /// The corners below a node, in local coordinates, after checking that its volumes contain them.
    fn node(&mut self, first: usize, count: usize) -> Vec<Vector3<f64>> {
        let fields = [7, 13, 5, 19][usize::from(self.kind)];
        let mut all = Vec::new();
        for lane in 0..count {
            let word = |row: usize| fields * first + row * count + lane;
            let float = |row: usize| f64::from(f32::from_bits(self.word(0, word(row))));
            let vector = |row: usize| Vector3::from_fn(|x, _| float(row + x));
            let (center, axes, half) = match self.kind {
                0 => (vector(0), Matrix3::identity(), vector(3)),
                1 => {
                    let column = |k: usize| Vector3::new(float(k), float(3 + k), float(6 + k));
                    let axes = Matrix3::from_columns(&[column(0), column(1), column(0).cross(&column(1))]);
                    (column(2), axes, vector(9))
                }
                2 => (vector(0), Matrix3::identity(), Vector3::repeat(float(3))),
                _ => (vector(0), Matrix3::identity(), vector(9)),
            };
            // Middles and half extents along x, y, z and their sums and differences.
            let slabs: Vec<_> = (0..9).filter(|_| self.kind == 3).map(|k| [float(k), float(9 + k)]).collect();
            let reference = self.word(0, word(fields - 1));
            let below = if reference >> 31 == 1 {
                self.leaf((reference & 0x7fff_ffff) as usize)
            } else {
                self.node((reference & 0x0fff_ffff) as usize, (reference >> 28) as usize + 1)
            };
            for point in &below {
                let along = axes.transpose() * (point - center);
                let inside = match self.kind {
                    2 => along.norm() <= half.x,
                    3 => {
                        let [x, y, z] = [point.x, point.y, point.z];
                        let offsets = [x, y, z, y + z, z + x, x + y, y - z, z - x, x - y];
                        offsets.iter().zip(&slabs).all(|(offset, [middle, half])| (offset - middle).abs() <= *half)
                    }
                    _ => (0..3).all(|k| along[k].abs() <= half[k]),
                };
                assert!(inside, "volume {} misses {point}", first + lane);
            }
            all.extend(below);
        }
        all
    }

    fn leaf(&mut self, first: usize) -> Vec<Vector3<f64>> {
        let mut corners = Vec::new();
        for triangle in first.. {
            let mut indices = [0, 1, 2].map(|k| self.word(2, 3 * triangle + k));
            let last = indices[0] >> 31 == 1;
            indices[0] &= 0x7fff_ffff;
            let face = self.word(3, triangle) as usize;
            assert_eq!(self.found[face], None);
            self.found[face] = Some(indices);
            let local = |index: u32| (self.vertex(index as usize).map(f64::from) - self.origin) / self.unit;
            corners.extend(indices.map(local));
            if last {
                break;
            }
        }
        corners
    }
}

#[test]
fn a_reader_by_the_document_finds_the_mesh() {
    for (name, mesh) in meshes::all(100) {
        for options in all_options() {
            let bytes = bytes_of(&BvTree::build(&mesh, &options).unwrap());
            let mut reader = Reader::new(&bytes);
            if reader.u32(160) > 0 {
                reader.node(0, 1);
            }
            for (face, found) in reader.found.iter().enumerate() {
                let found = found.unwrap_or_else(|| panic!("{name}: face {face} is in no leaf"));
                let found = found.map(|index| reader.vertex(index as usize));
                assert_eq!(found, mesh.triangles()[face].map(|index| mesh.vertices()[index as usize].coords), "{name}");
            }
        }
    }
}

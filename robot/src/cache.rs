//! A folder of cooked meshes, so that a robot opens again without reading and building them.
//!
//! A file's name is the digest of all that its content depends on: the bytes of the mesh's file, the extension of that
//! file's name, the mesh's scale, the options and this package's version. A changed mesh therefore has another file,
//! and none is ever out of date. A file also contains this digest and a digest of all that follows the two; a damaged,
//! truncated or renamed file is replaced, not used.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bvtree::shape::{Obb, Sphere};
use bvtree::{AtomicFile, BuildOptions, BvTree};
use nalgebra::{Matrix3, Point3, Vector3};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::body::Bounds;

/// The first bytes of a file; they change with the version of the format.
const MAGIC: [u8; 16] = *b"bvtree-robot 1\r\n";
/// The header's size in bytes: the magic, the key, the digest of all bytes after these three, whether the mesh is
/// closed, and the numbers of the bounds.
const HEADER: usize = 16 + 16 + 16 + 8 + 8 * NUMBERS;
/// The number of f64s in the bounds: a sphere's center and radius; a box's center, axes and half extents.
const NUMBERS: usize = 4 + 15;

/// A mesh's tree, with all that is computed from it when a robot is read.
pub struct Cooked {
    pub tree: BvTree,
    pub is_closed: bool,
    pub bounds: Bounds,
}

/// The cache file of one mesh.
pub struct Entry {
    pub path: PathBuf,
    key: u128,
}

impl Entry {
    /// The cache file for a mesh file's bytes. `name` is the mesh file's name, whose extension may decide how its bytes
    /// are read.
    pub fn new(
        folder: &Path,
        name: &Path,
        bytes: &[u8],
        (scale, turns_up): (&Vector3<f64>, bool),
        build: &BuildOptions,
    ) -> Self {
        let extension = name.extension().unwrap_or_default().to_ascii_lowercase();
        let mut hasher = Xxh3::new();
        hasher.update(concat!("bvtree-robot ", env!("CARGO_PKG_VERSION"), "\n").as_bytes());
        hasher.update(format!("{extension:?} {:?} {turns_up} {build:?}\n", scale.map(f64::to_bits)).as_bytes());
        hasher.update(bytes);
        let key = hasher.digest128();
        Self { path: folder.join(format!("{key:032x}.cooked")), key }
    }

    /// The file's content; `None` if there is no such file, or it is damaged.
    pub fn read(&self) -> Option<Cooked> {
        // Opening a pipe would wait for a writer.
        let bytes = fs::metadata(&self.path).ok()?.is_file().then(|| fs::read(&self.path).ok())??;
        let (header, tree) = bytes.split_at_checked(HEADER)?;
        let (words, numbers) = header.split_at(HEADER - 8 * NUMBERS);
        let word = |index: usize| &words[16 * index..][..16];
        let is_whole =
            word(0) == MAGIC && word(1) == self.key.to_le_bytes() && word(2) == xxh3_128(&bytes[48..]).to_le_bytes();
        if !is_whole {
            return None;
        }
        let mut number = numbers.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
        let mut number = || number.next().unwrap_or(f64::NAN);
        let sphere = Sphere { center: Point3::from([(); 3].map(|()| number())), radius: number() };
        let center = Point3::from([(); 3].map(|()| number()));
        let axes = Matrix3::from_iterator([(); 9].map(|()| number()));
        let half_extents = Vector3::from([(); 3].map(|()| number()));
        let bounds = Bounds { sphere, obb: Obb { center, axes, half_extents } };
        Some(Cooked { tree: BvTree::from_bytes(tree).ok()?, is_closed: words[48] == 1, bounds })
    }

    /// Writes the file; it appears whole or not at all.
    pub fn write(&self, Cooked { tree, is_closed, bounds }: &Cooked) -> io::Result<()> {
        let Bounds { sphere, obb } = bounds;
        let mut content = u64::from(*is_closed).to_le_bytes().to_vec();
        let numbers = sphere.center.iter().chain([&sphere.radius]).chain(obb.center.iter());
        let numbers = numbers.chain(obb.axes.iter()).chain(obb.half_extents.iter());
        content.extend(numbers.flat_map(|number| number.to_le_bytes()));
        tree.write_to(&mut content)?;
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        if fs::metadata(&self.path).is_ok_and(|there| !there.is_file()) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "not a regular file"));
        }
        let mut file = AtomicFile::create(&self.path)?;
        file.file().write_all(&MAGIC)?;
        file.file().write_all(&self.key.to_le_bytes())?;
        file.file().write_all(&xxh3_128(&content).to_le_bytes())?;
        file.file().write_all(&content)?;
        file.commit()
    }
}

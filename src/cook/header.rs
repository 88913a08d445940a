//! The header, byte for byte as in `FORMAT.md`, and the codes of build options.

use nalgebra::Point3;
use xxhash_rust::xxh3::Xxh3;

use super::compact::MAX_COMPACT_DEPTH;
use super::error::CookError;
use super::sections::{self, ALIGNMENT, Counts, HEADER_BYTES, Section};
use crate::mesh::Mesh;
use crate::options::{BuildOptions, Builder, Collapse, SplitRule};
use crate::shape::Aabb;
use crate::tree::Meta;
use crate::volume::fit::{ObbFit, SphereFit};
use crate::volume::{Frame, NodeRef, VolumeKind};

/// The first bytes of every cooked file. The high bit of the first byte reveals a transfer that cleared high bits, and
/// the line endings reveal one that converted them.
pub const MAGIC: [u8; 8] = *b"\x89BVT\r\n\x1a\n";

/// The format version that this crate reads and writes; every change to the format raises it.
pub const FORMAT_VERSION: u32 = 2;

/// The greatest depth of a tree in a file. The time of some calls is in proportion to the depth. Built trees have at
/// most about 160 levels: from some depth on, splits halve a mesh, and each round of clustering merges an eighth of the
/// clusters at least.
const MAX_DEPTH: u32 = 256;

/// Offset of the header's own checksum, which is taken as zero when it is computed.
const CHECKSUM_AT: usize = 24;

#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) file_bytes: u64,
    pub(super) encoding: Encoding,
    pub(super) meta: Meta,
    pub(super) counts: Counts,
    pub(super) sections: [Section; 6],
}

/// How a cooked file stores the tree's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The arrays as they are in memory, to be used in place: what [`BvTree::save`](crate::BvTree::save) writes.
    Plain,
    /// Streams of small numbers, to be decoded: what [`BvTree::save_compact`](crate::BvTree::save_compact) writes.
    Compact,
}

impl Encoding {
    const ALL: [Self; 2] = [Self::Plain, Self::Compact];

    /// Sections begin on multiples of this number of bytes. The streams of compact files need no alignment, and padding
    /// would be half of a small file.
    pub(super) fn alignment(self) -> u64 {
        match self {
            Self::Plain => ALIGNMENT,
            Self::Compact => 1,
        }
    }

    /// The lower-case name, as the command line prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Compact => "compact",
        }
    }
}

impl Header {
    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let Meta { options, frame, bounds, .. } = &self.meta;
        let mut fields: Vec<u8> = Vec::with_capacity(HEADER_BYTES);
        fields.extend(MAGIC);
        fields.extend(FORMAT_VERSION.to_le_bytes());
        fields.extend([0; 4]);
        fields.extend(self.file_bytes.to_le_bytes());
        // Placeholder of the checksum.
        fields.extend([0; 8]);
        fields.extend([options.kind.code(), options.split.code(), options.obb_fit.code(), options.sphere_fit.code()]);
        fields.extend([options.builder.code(), options.collapse.code(), self.encoding.code(), 0]);
        for setting in [options.max_depth, options.max_leaf_triangles, options.rotation_passes, 0, 0, 0] {
            fields.extend(setting.to_le_bytes());
        }
        for x in frame.origin.iter().chain([&frame.unit]).chain(bounds.lower.iter()).chain(bounds.upper.iter()) {
            // Adding 0 turns -0 into 0, because the encoding of a file is unique.
            fields.extend((x + 0.0).to_le_bytes());
        }
        fields.extend(self.meta.mesh_digest.to_le_bytes());
        let Counts { volumes, vertices, triangles, groups } = self.counts;
        let Meta { split_depth, depth, leaves, leaf_triangles_max, .. } = self.meta;
        // There are at most as many leaves as triangles, whose number fits.
        let leaves = [leaves as u32, leaf_triangles_max as u32];
        for count in [volumes, vertices, triangles, groups, split_depth, depth].into_iter().chain(leaves) {
            fields.extend(count.to_le_bytes());
        }
        for section in &self.sections {
            for value in [section.offset, section.length, section.checksum] {
                fields.extend(value.to_le_bytes());
            }
        }
        for x in self.meta.mesh_origin.iter() {
            fields.extend(x.to_le_bytes());
        }
        let mut bytes = [0; HEADER_BYTES];
        bytes[..fields.len()].copy_from_slice(&fields);
        let checksum = checksum(&bytes);
        bytes[CHECKSUM_AT..CHECKSUM_AT + 8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads and checks the header of a file of `actual` bytes. If the header is accepted, all sections lie inside the
    /// file.
    pub(super) fn decode(file: &[u8], actual: u64) -> Result<Self, CookError> {
        if !file.starts_with(&MAGIC[..file.len().min(MAGIC.len())]) || file.is_empty() {
            return Err(CookError::NotCooked);
        }
        let too_short = CookError::Truncated { actual, expected: HEADER_BYTES as u64 };
        let mut fields = Reader { rest: file, at: MAGIC.len() };
        match file.get(8..12).map(|_| u32::from_le_bytes(fields.take())) {
            Some(FORMAT_VERSION) => (),
            Some(found) => return Err(CookError::Version { found, supported: FORMAT_VERSION }),
            None => return Err(too_short),
        }
        let Some(bytes) = file.first_chunk::<HEADER_BYTES>() else {
            return Err(too_short);
        };
        fields.zeros(4)?;
        let file_bytes = fields.u64();
        if actual < file_bytes {
            return Err(CookError::Truncated { actual, expected: file_bytes });
        }
        if actual > file_bytes {
            return Err(CookError::TooLong { actual, expected: file_bytes });
        }
        let (stored, computed) = (fields.u64(), checksum(bytes));
        if stored != computed {
            return Err(CookError::Checksum { part: "header", stored, computed });
        }
        let header = Self::decode_fields(fields, file_bytes)?;
        sections::check(&header.sections, &header.counts, header.encoding, header.meta.options.kind, file_bytes)?;
        Ok(header)
    }

    fn decode_fields(mut fields: Reader<'_>, file_bytes: u64) -> Result<Self, CookError> {
        let kind = fields.choice("volume kind")?;
        let split = fields.choice("split rule")?;
        let obb_fit = fields.choice("box fit")?;
        let sphere_fit = fields.choice("sphere fit")?;
        let builder = fields.choice("builder")?;
        let collapse = fields.choice("collapse")?;
        let encoding = fields.choice("encoding")?;
        fields.zeros(1)?;
        let max_depth = fields.u32();
        let max_leaf_triangles = fields.count("max_leaf_triangles", 1..=u32::MAX, "at least 1")?;
        let rotation_passes = fields.u32();
        fields.zeros(12)?;
        let origin = fields.point("origin of the frame")?;
        let frame = Frame { origin, unit: fields.f64() };
        let bounds = Aabb { lower: fields.point("bounds")?, upper: fields.point("bounds")? };
        let mesh_digest = u128::from_le_bytes(fields.take());
        const MAX: u32 = Mesh::MAX_COUNT as u32;
        let counts = Counts {
            volumes: fields.count("number of volumes", 0..=NodeRef::MAX_CHILDREN as u32, "below 2^28")?,
            vertices: fields.count("number of vertices", 0..=MAX, "below 2^31")?,
            triangles: fields.count("number of triangles", 0..=MAX, "below 2^31")?,
            groups: fields.count("number of groups", 0..=MAX, "below 2^31")?,
        };
        let split_depth = fields.u32();
        let depth = match encoding {
            Encoding::Plain => fields.count("depth", 0..=MAX_DEPTH, "at most 256")?,
            Encoding::Compact => fields.count("depth", 0..=MAX_COMPACT_DEPTH, "at most 100")?,
        };
        let (leaves, leaf_triangles_max) = (fields.u32() as usize, fields.u32() as usize);
        let sections =
            std::array::from_fn(|_| Section { offset: fields.u64(), length: fields.u64(), checksum: fields.u64() });
        let mesh_origin = fields.origin()?;
        fields.zeros(24)?;
        let options = BuildOptions {
            kind,
            builder,
            split,
            rotation_passes,
            collapse,
            obb_fit,
            sphere_fit,
            max_depth,
            max_leaf_triangles,
        };
        let meta =
            Meta { options, frame, bounds, mesh_origin, mesh_digest, split_depth, depth, leaves, leaf_triangles_max };
        Ok(Self { file_bytes, encoding, meta, counts, sections })
    }
}

fn checksum(header: &[u8; HEADER_BYTES]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&header[..CHECKSUM_AT]);
    hasher.update(&[0; 8]);
    hasher.update(&header[CHECKSUM_AT + 8..]);
    hasher.digest()
}

struct Reader<'a> {
    rest: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut field = [0; N];
        field.copy_from_slice(&self.rest[self.at..self.at + N]);
        self.at += N;
        field
    }

    /// Checks that reserved bytes are zero.
    fn zeros(&mut self, count: usize) -> Result<(), CookError> {
        for offset in self.at..self.at + count {
            let [found] = self.take();
            if found != 0 {
                return Err(CookError::NotZero { offset, found });
            }
        }
        Ok(())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }

    /// Reads a point; refuses -0 as a coordinate, because the encoding of a file is unique.
    fn point(&mut self, field: &'static str) -> Result<Point3<f64>, CookError> {
        self.point_if(|x| x.to_bits() != (-0.0f64).to_bits(), field, "the bits of a number, not those of -0")
    }

    /// Reads a point; refuses NaN, infinities and -0 as coordinates.
    fn origin(&mut self) -> Result<Point3<f64>, CookError> {
        let is_allowed = |x: f64| x.is_finite() && x.to_bits() != (-0.0f64).to_bits();
        self.point_if(is_allowed, "mesh origin", "the bits of a finite number, not those of -0")
    }

    fn point_if(
        &mut self,
        is_allowed: impl Fn(f64) -> bool,
        field: &'static str,
        expected: &'static str,
    ) -> Result<Point3<f64>, CookError> {
        let offset = self.at;
        let point = Point3::new(self.f64(), self.f64(), self.f64());
        match point.iter().position(|&x| !is_allowed(x)) {
            None => Ok(point),
            Some(axis) => {
                let (offset, found) = (offset + 8 * axis, point[axis].to_bits());
                Err(CookError::Field { offset, field, found, expected })
            }
        }
    }

    fn choice<T: Coded>(&mut self, field: &'static str) -> Result<T, CookError> {
        let offset = self.at;
        let [code] = self.take();
        let unknown = CookError::Field { offset, field, found: u64::from(code), expected: T::EXPECTED };
        T::CHOICES.iter().copied().find(|choice| choice.code() == code).ok_or(unknown)
    }

    fn count(
        &mut self,
        field: &'static str,
        allowed: std::ops::RangeInclusive<u32>,
        expected: &'static str,
    ) -> Result<u32, CookError> {
        let offset = self.at;
        let count = self.u32();
        let found = u64::from(count);
        if allowed.contains(&count) { Ok(count) } else { Err(CookError::Field { offset, field, found, expected }) }
    }
}

/// A build option that a file stores as a code. Codes never change; a new option gets a new code.
trait Coded: Copy + 'static {
    const CHOICES: &[Self];
    /// The allowed codes, for error messages.
    const EXPECTED: &str;

    fn code(self) -> u8;
}

macro_rules! codes {
    ($choice:ident, $expected:literal, $($variant:ident = $code:literal),+ $(,)?) => {
        impl Coded for $choice {
            const CHOICES: &[Self] = &Self::ALL;
            const EXPECTED: &str = $expected;

            fn code(self) -> u8 {
                match self {
                    $(Self::$variant => $code),+
                }
            }
        }
    };
}

codes!(VolumeKind, "0 (aabb), 1 (obb), 2 (sphere) or 3 (kdop)", Aabb = 0, Obb = 1, Sphere = 2, KDop = 3);
codes!(SplitRule, "0 (mean) to 4 (sah-own-volumes)", Mean = 0, Midpoint = 1, Median = 2, Sah = 3, SahOwnVolumes = 4);
codes!(Builder, "0 (top-down) or 1 (ploc)", TopDown = 0, Ploc = 1);
codes!(Encoding, "0 (plain) or 1 (compact)", Plain = 0, Compact = 1);
codes!(Collapse, "0 (largest-first) or 1 (least-volume)", LargestFirst = 0, LeastVolume = 1);
codes!(
    ObbFit,
    "0 (vertex-covariance) to 9 (tight-volume)",
    VertexCovariance = 0,
    SurfaceCovariance = 1,
    HullCovariance = 2,
    Dito14 = 3,
    MinimumVolume = 4,
    BestVolume = 5,
    BestArea = 6,
    Tight = 7,
    AxisAligned = 8,
    TightVolume = 9,
);
codes!(
    SphereFit,
    "0 (ritter) to 6 (aabb-center)",
    Ritter = 0,
    Epos6 = 1,
    Epos14 = 2,
    Epos26 = 3,
    Epos98 = 4,
    SmallestSphere = 5,
    AabbCenter = 6,
);

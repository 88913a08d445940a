//! Cooking meshes larger than memory: the triangles are sorted into tiles in a temporary file, the trees of the tiles
//! are built one after the other, or elsewhere, and the nodes above them last. The result is an ordinary cooked file.

mod divided;
mod division;

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use nalgebra::Point3;
use xxhash_rust::xxh3::Xxh3;

use super::error::CookError;
use super::header::{Encoding, Header};
use super::sections::{ALIGNMENT, Counts, HEADER_BYTES, Layout, Section, encode_groups};
use super::write::{volumes_of_part, write_atomically, write_gap};
use crate::builder::{BuildError, Outline, TileOrder, TileRoot, TopTree, UnfittedTree, fit_outlines, moved_nodes};
use crate::disk_array::DiskArray;
use crate::mesh::LargeMesh;
use crate::options::BuildOptions;
use crate::parallel;
use crate::tree::{BvTree, LAST_OF_LEAF, Meta};
use crate::volume::{self, Frame, NodeRef, PADDING};
pub use divided::{DividedMesh, MeshTile};
use division::{Tile, TileFile, divide};

/// The most bytes that building a tile takes for each of its triangles, as measured.
const BYTES_OF_TRIANGLE: u64 = 128;

/// The bytes of a vertex and of its number in the tree.
const BYTES_OF_VERTEX: u64 = 16;

/// The least capacity of a tile, in triangles; if memory suffices for fewer, cooking fails.
const LEAST_TILE: u64 = 1 << 10;

/// Number of items that are written to a temporary file at a time.
const PIECE: usize = 1 << 16;

impl LargeMesh {
    /// Builds a tree of the mesh into a cooked file, within the memory given to [`LargeMesh::open`]: 16 bytes for each
    /// vertex, 4 for each triangle if the mesh has polygons other than triangles, and 128 for each triangle of a tile.
    /// The file appears atomically, as by [`BvTree::save`](crate::BvTree::save); temporary files take up to 60 bytes
    /// for each triangle, in the folder given to [`LargeMesh::open`].
    ///
    /// The file is one tree in the usual format, and gives the same query results as any tree of the mesh. Its bytes
    /// depend on the mesh, the options, that memory and the version of the library. If the mesh fits into one tile,
    /// they are those of [`BvTree::cook`](crate::BvTree::cook).
    ///
    /// Returns the number of tiles. `progress` is called with the number of triangles in finished tiles and the total
    /// number of triangles. [`BvTree::open_mapped`](crate::BvTree::open_mapped) opens the file without reading it into
    /// memory.
    ///
    /// # Errors
    /// Fails as [`BvTree::cook`](crate::BvTree::cook) does, if a temporary file cannot be read or written, if the
    /// memory does not suffice for the vertices and a tile, and if more triangles than fit into a tile have the same
    /// centroid or are at the maximum depth.
    pub fn cook(
        &self,
        options: &BuildOptions,
        path: impl AsRef<Path>,
        progress: impl FnMut(usize, usize) + Send,
    ) -> Result<usize, CookError> {
        write_atomically(path.as_ref(), |file| self.cook_to(options, file, progress))
    }

    /// Builds a tree of the mesh, like [`LargeMesh::cook`], and writes its cooked file from the writer's current
    /// position on; afterwards the writer is at the end of the file. The nodes are read again for their checksum.
    ///
    /// # Errors
    /// Fails as [`LargeMesh::cook`] does, and returns the errors of the writer.
    pub fn cook_to(
        &self,
        options: &BuildOptions,
        writer: impl Read + Write + Seek + Send,
        progress: impl FnMut(usize, usize) + Send,
    ) -> Result<usize, CookError> {
        parallel::within_pool(|| Tiles::of(self, options)?.cook(self, writer, progress, None))
    }

    /// Sorts the triangles into tiles, so that other processes or machines can build their trees; see [`DividedMesh`].
    ///
    /// # Errors
    /// Fails as [`LargeMesh::cook`] does.
    pub fn divide(self, options: &BuildOptions) -> Result<DividedMesh, CookError> {
        let tiles = parallel::within_pool(|| Tiles::of(&self, options))?;
        Ok(DividedMesh { mesh: self, tiles })
    }

    /// The greatest number of triangles of a tile.
    fn tile_triangles(&self) -> Result<usize, CookError> {
        let whole_mesh = BYTES_OF_VERTEX * self.vertices.len() as u64 + 4 * self.polygons.len() as u64;
        let needed = whole_mesh + BYTES_OF_TRIANGLE * LEAST_TILE;
        let given = self.memory;
        let left = given.checked_sub(needed).ok_or(CookError::Memory { needed, given })?;
        Ok(usize::try_from(LEAST_TILE + left / BYTES_OF_TRIANGLE).unwrap_or(usize::MAX))
    }
}

/// A mesh's triangles in tiles, and the nodes above them.
struct Tiles {
    options: BuildOptions,
    frame: Frame,
    top: TopTree,
    tiles: Vec<Tile>,
    file: TileFile,
}

/// Returns the tree of a tile by its number.
type TreeOf<'a> = dyn FnMut(usize) -> Result<BvTree, CookError> + Send + 'a;

impl Tiles {
    fn of(mesh: &LargeMesh, options: &BuildOptions) -> Result<Self, CookError> {
        let capacity = mesh.tile_triangles()?;
        if options.max_leaf_triangles == 0 {
            return Err(BuildError::EmptyLeaves.into());
        }
        let (file, division) = divide(mesh, capacity, options.max_depth)?;
        let frame = Frame::of(&mesh.bounds);
        let (top, tiles) = TopTree::new(division, &frame, |tile: &Tile| tile.bounds)?;
        Ok(Self { options: *options, frame, top, tiles, file })
    }

    /// The options for the tree of a tile: those of the whole tree, with the depth that is left below the tile's root.
    fn options_of(&self, number: usize) -> BuildOptions {
        let max_depth = self.options.max_depth.saturating_sub(self.top.split_depths[number]);
        BuildOptions { max_depth, ..self.options }
    }

    /// The triangles of a tile, in the order of the mesh, and their faces.
    fn triangles(&self, number: usize) -> Result<(Vec<u32>, Vec<[u32; 3]>), CookError> {
        let tile = &self.tiles[number];
        let (mut faces, mut triangles) = (Vec::with_capacity(tile.count), Vec::with_capacity(tile.count));
        let (mut piece, mut block) = (0, Vec::new());
        while self.file.read_piece(tile, piece, &mut block)? {
            faces.extend(block.iter().map(|triangle| triangle.face));
            triangles.extend(block.iter().map(|triangle| triangle.corners));
            piece += 1;
        }
        Ok((faces, triangles))
    }

    /// Writes the cooked file, with trees from elsewhere or built here; returns the number of tiles.
    fn cook<'a>(
        &'a self,
        mesh: &'a LargeMesh,
        mut writer: impl Read + Write + Seek,
        progress: impl FnMut(usize, usize),
        tree_of: Option<&'a mut TreeOf<'a>>,
    ) -> Result<usize, CookError> {
        let begin = writer.stream_position()?;
        writer.write_all(&[0; HEADER_BYTES])?;
        let folder = mesh.triangles.folder();
        let mut assembly = Assembly {
            mesh,
            of: self,
            tree_of,
            writer,
            begin,
            progress,
            next_node: 0,
            volumes: 0,
            triangles: 0,
            nodes_above: Vec::new(),
            outlines: Vec::new(),
            numbers: vec![UNUSED; mesh.vertices.len()],
            vertices: DiskArray::new_in(folder)?,
            corners: DiskArray::new_in(folder)?,
            faces: DiskArray::new_in(folder)?,
            totals: TileOrder::default(),
        };
        // A mesh without triangles has no nodes; its only tile is empty.
        if mesh.triangle_count() > 0 {
            assembly.node(0)?;
        }
        assembly.finish()
    }
}

/// Stands for the index of a vertex that no triangle has used so far.
const UNUSED: u32 = u32::MAX;

/// A cooked file in progress: nodes are in the file, triangles in temporary files.
struct Assembly<'a, W, P> {
    mesh: &'a LargeMesh,
    of: &'a Tiles,
    tree_of: Option<&'a mut TreeOf<'a>>,
    writer: W,
    /// The position of the cooked file in the writer.
    begin: u64,
    progress: P,
    /// The index of the next node above the tiles.
    next_node: usize,
    volumes: usize,
    triangles: usize,
    /// The nodes above the tiles, which are written last: the first volume and the words of each.
    nodes_above: Vec<(usize, Vec<u32>)>,
    outlines: Vec<Outline>,
    /// The index in the file of each vertex of the mesh, or [`UNUSED`].
    numbers: Vec<u32>,
    vertices: DiskArray<Point3<f32>>,
    corners: DiskArray<[u32; 3]>,
    faces: DiskArray<u32>,
    /// The depths and counts over all tiles so far; the order of triangles stays empty.
    totals: TileOrder,
}

impl<W: Read + Write + Seek, P: FnMut(usize, usize)> Assembly<'_, W, P> {
    /// Adds the next node above the tiles, whose volumes are `depth` levels below the root, and everything below it.
    fn node(&mut self, depth: u32) -> Result<NodeRef, CookError> {
        let Tiles { options, frame, top, .. } = self.of;
        let children = top.children(self.next_node);
        self.next_node += 1;
        let (first, count, fields) = (self.volumes, children.len(), volume::fields(options.kind));
        let mut words = vec![0; count * fields];
        // Reserves the node's place in the file; its volumes are known once the tiles are.
        self.writer.write_all(bytemuck::cast_slice(&words))?;
        self.volumes += count;
        for (lane, child) in children.enumerate() {
            let (mut volume, below) = if child.is_tile {
                self.tile(child.tiles.start, depth)?
            } else {
                let below = self.node(depth + 1)?;
                (fit_outlines(&self.outlines[child.tiles], options, frame), below)
            };
            volume[fields - 1] = below.to_word();
            for (row, &word) in volume[..fields].iter().enumerate() {
                words[row * count + lane] = word;
            }
        }
        self.nodes_above.push((first, words));
        Ok(NodeRef::inner(first.min(NodeRef::MAX_CHILDREN), count))
    }

    /// Writes the nodes of a tile's tree below the root; returns the root's words and reference.
    fn tile(&mut self, number: usize, depth: u32) -> Result<TileRoot, CookError> {
        let (faces, triangles) = self.of.triangles(number)?;
        let tree = self.tree_of.as_mut().map(|tree_of| tree_of(number)).transpose()?;
        let (root, order) = match tree {
            Some(tree) => self.finished_tree(number, &tree, &triangles)?,
            None => self.new_tree(number, &triangles)?,
        };
        let TileOrder { triangles: order, split_depth, depth: levels, leaves, leaf_triangles_max } = order;
        self.add_triangles(&order, &triangles, &faces)?;
        self.triangles += order.len();
        let totals = &mut self.totals;
        totals.split_depth = totals.split_depth.max(self.of.top.split_depths[number] + split_depth);
        totals.depth = totals.depth.max(depth + levels);
        totals.leaves += leaves;
        totals.leaf_triangles_max = totals.leaf_triangles_max.max(leaf_triangles_max);
        (self.progress)(self.triangles, self.mesh.triangle_count());
        Ok(root)
    }

    /// Builds a tile's tree, and writes its nodes part by part.
    fn new_tree(&mut self, number: usize, triangles: &[[u32; 3]]) -> Result<(TileRoot, TileOrder), CookError> {
        let options = self.of.options_of(number);
        let tree = UnfittedTree::of_triangles(&self.mesh.vertices, triangles, Some(self.of.frame), &options)?;
        self.outlines.push(tree.outline());
        let before = self.add_volumes(tree.volumes())?;
        let root = tree.root(before, self.triangles);
        let mut words = Vec::new();
        for part in tree.parts(1, volumes_of_part(tree.volumes())) {
            words.resize(tree.words(&part), 0);
            tree.pack_moved(part, &mut words, before, self.triangles);
            self.writer.write_all(bytemuck::cast_slice(&words))?;
        }
        drop(words);
        Ok((root, tree.into_tile_order()))
    }

    /// Checks a tile's tree that was built elsewhere, and writes its nodes.
    fn finished_tree(
        &mut self,
        number: usize,
        tree: &BvTree,
        triangles: &[[u32; 3]],
    ) -> Result<(TileRoot, TileOrder), CookError> {
        let other = |what| CookError::Tile { number, what };
        let (meta, view) = (tree.meta(), tree.view());
        if (meta.options, meta.frame) != (self.of.options_of(number), self.of.frame) {
            return Err(other("options or box"));
        }
        let at = |vertex: u32| &self.mesh.vertices[vertex as usize];
        let is_same = |(place, &face): (usize, &u32)| {
            triangles.get(face as usize).is_some_and(|corners| corners.map(at) == view.triangle(place))
        };
        if view.faces.len() != triangles.len() || !view.faces.iter().enumerate().all(is_same) {
            return Err(other("triangles"));
        }
        self.outlines.push(Outline::of(tree));
        let before = self.add_volumes(tree.node_count())?;
        let (root, words) = moved_nodes(tree, before, self.triangles);
        self.writer.write_all(bytemuck::cast_slice(&words))?;
        Ok((root, TileOrder::of(tree)))
    }

    /// Adds the volumes of a tile, except its root, to the count; returns the count before.
    fn add_volumes(&mut self, with_root: usize) -> Result<usize, CookError> {
        let (before, volumes) = (self.volumes, self.volumes + with_root - 1);
        if volumes > NodeRef::MAX_CHILDREN {
            return Err(BuildError::TooLarge { volumes, limit: NodeRef::MAX_CHILDREN }.into());
        }
        self.volumes = volumes;
        Ok(before)
    }

    /// Appends a tile's triangles in leaf order.
    fn add_triangles(&mut self, order: &[u32], triangles: &[[u32; 3]], faces: &[u32]) -> Result<(), CookError> {
        let (mut vertices, mut corners, mut leaf_faces) = (Vec::new(), Vec::new(), Vec::new());
        let mut used = self.vertices.len() as u32;
        for order in order.chunks(PIECE) {
            for &place in order {
                let (index, mark) = ((place & !LAST_OF_LEAF) as usize, place & LAST_OF_LEAF);
                let [a, b, c] = triangles[index].map(|vertex| {
                    let number = &mut self.numbers[vertex as usize];
                    if *number == UNUSED {
                        *number = used;
                        used += 1;
                        vertices.push(self.mesh.vertices[vertex as usize]);
                    }
                    *number
                });
                corners.push([a | mark, b, c]);
                leaf_faces.push(faces[index]);
            }
            self.vertices.extend(&vertices)?;
            self.corners.extend(&corners)?;
            self.faces.extend(&leaf_faces)?;
            vertices.clear();
            corners.clear();
            leaf_faces.clear();
        }
        Ok(())
    }

    /// Writes the nodes above the tiles, the other sections and the header.
    fn finish(mut self) -> Result<usize, CookError> {
        let Self { mesh, of: &Tiles { options, frame, ref tiles, .. }, begin, volumes, triangles, .. } = self;
        let fields = volume::fields(options.kind);
        self.writer.write_all(&[0; 4 * PADDING])?;
        let nodes_begin = begin + HEADER_BYTES as u64;
        for (first, words) in &self.nodes_above {
            self.writer.seek(SeekFrom::Start(nodes_begin + 4 * (first * fields) as u64))?;
            self.writer.write_all(bytemuck::cast_slice(words))?;
        }
        self.writer.seek(SeekFrom::Start(nodes_begin))?;
        let length = 4 * (volumes * fields + PADDING) as u64;
        let checksum = checksum_of(&mut self.writer, length)?;
        let mut layout = Layout::after_header(Encoding::Plain);
        let nodes = layout.add_hashed(length, checksum);

        let groups = encode_groups(&mesh.groups);
        let vertices = self.vertices.len();
        let sections = [
            nodes,
            add_section(&mut self.writer, &mut layout, Content::Disk(&self.vertices))?,
            add_section(&mut self.writer, &mut layout, Content::Disk(&self.corners))?,
            add_section(&mut self.writer, &mut layout, Content::Disk(&self.faces))?,
            add_section(&mut self.writer, &mut layout, Content::Memory(&mesh.polygons))?,
            add_section(&mut self.writer, &mut layout, Content::Memory(&groups))?,
        ];
        let TileOrder { split_depth, depth, leaves, leaf_triangles_max, .. } = self.totals;
        let meta = Meta {
            options,
            frame,
            bounds: mesh.bounds,
            // Adding 0 turns -0 into 0, because the encoding of a file is unique.
            mesh_origin: mesh.origin.map(|x| x + 0.0),
            mesh_digest: mesh.digest,
            split_depth,
            depth,
            leaves,
            leaf_triangles_max,
        };
        let counts = Counts::new(volumes, vertices, triangles, mesh.groups.len());
        let header = Header { file_bytes: layout.end, encoding: Encoding::Plain, meta, counts, sections };
        self.writer.seek(SeekFrom::Start(begin))?;
        self.writer.write_all(&header.encode())?;
        self.writer.seek(SeekFrom::Start(begin + layout.end))?;
        self.writer.flush()?;
        Ok(tiles.len())
    }
}

/// The checksum of the next `length` bytes.
fn checksum_of(reader: &mut impl Read, length: u64) -> Result<u64, CookError> {
    let (mut hasher, mut bytes, mut left) = (Xxh3::new(), vec![0; 1 << 20], length);
    while left > 0 {
        let piece = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
        reader.read_exact(&mut bytes[..piece])?;
        hasher.update(&bytes[..piece]);
        left -= piece as u64;
    }
    Ok(hasher.digest())
}

/// The content of a section.
enum Content<'a, T> {
    Disk(&'a DiskArray<T>),
    Memory(&'a [T]),
}

/// Appends a section.
fn add_section<T: bytemuck::Pod>(
    writer: &mut impl Write,
    layout: &mut Layout,
    content: Content<'_, T>,
) -> Result<Section, CookError> {
    write_gap(writer, layout.end, layout.end.next_multiple_of(ALIGNMENT))?;
    let (mut hasher, mut length) = (Xxh3::new(), 0);
    let mut write = |items: &[T]| {
        let bytes = bytemuck::cast_slice(items);
        hasher.update(bytes);
        length += bytes.len() as u64;
        writer.write_all(bytes)
    };
    match content {
        Content::Disk(array) => array.for_each_piece(|_, items| write(items))?,
        Content::Memory(items) => write(items)?,
    }
    Ok(layout.add_hashed(length, hasher.digest()))
}

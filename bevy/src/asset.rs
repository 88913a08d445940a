//! Trees as assets: loading cooked files, and cooking meshes.

use std::io::{self, Cursor};
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bevy_app::{App, Plugin};
use bevy_asset::io::{Reader, Writer};
use bevy_asset::processor::LoadTransformAndSave;
use bevy_asset::saver::{AssetSaver, SavedAsset};
use bevy_asset::transformer::IdentityAssetTransformer;
use bevy_asset::{
    Asset, AssetApp, AssetLoader, AssetPath, AsyncWriteExt, LoadContext, ParseAssetPathError, ReadAssetBytesError,
};
use bevy_reflect::TypePath;
use bvtree::builder::BuildError;
use bvtree::cook::CookError;
use bvtree::mesh::{GroupBy, Mesh, MeshError, MeshFormat, ReadOptions};
use bvtree::{BuildOptions, BvTree};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A tree as an asset, which bodies and systems share.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct TreeAsset(pub Arc<BvTree>);

impl From<BvTree> for TreeAsset {
    fn from(tree: BvTree) -> Self {
        Self(Arc::new(tree))
    }
}

/// Adds [`TreeAsset`] with its loaders, and the processor [`CookMesh`].
#[derive(Clone, Debug)]
pub struct TreeAssetPlugin {
    /// The extensions, without the first dot, of files that the asset processor cooks unless their meta files say
    /// otherwise. By default `collider.obj`, `collider.stl`, `collider.ply`, `collider.off`, `collider.gltf` and
    /// `collider.glb`: a processed asset takes the place of its file, so a mesh that is drawn as well needs a file of
    /// its own.
    pub cooked_extensions: Vec<String>,
}

impl Default for TreeAssetPlugin {
    fn default() -> Self {
        Self { cooked_extensions: MESH_EXTENSIONS.map(|extension| format!("collider.{extension}")).to_vec() }
    }
}

impl Plugin for TreeAssetPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<TreeAsset>()
            .register_asset_loader(TreeLoader)
            .register_asset_loader(MeshLoader)
            .register_asset_processor::<CookMesh>(TreeSaver.into());
        for extension in &self.cooked_extensions {
            app.set_default_asset_processor::<CookMesh>(extension);
        }
    }
}

/// An error of loading or saving a tree, or of cooking a mesh.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TreeAssetError {
    /// The file can't be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a cooked tree, or it is damaged.
    #[error(transparent)]
    Cooked(#[from] CookError),
    /// No valid mesh can be read from the file with the given options.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A tree of the mesh can't be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The path of a glTF file's buffer is not an asset path.
    #[error("the path of the buffer `{uri}`")]
    BufferPath {
        /// The buffer's path, as the glTF file states it.
        uri: String,
        /// What is wrong with the path.
        source: ParseAssetPathError,
    },
    /// A buffer of a glTF file can't be read.
    #[error("the buffer `{uri}`")]
    Buffer {
        /// The buffer's path, as the glTF file states it.
        uri: String,
        /// Why the buffer can't be read.
        source: ReadAssetBytesError,
    },
}

/// Loads cooked files, `.bvt`, with all checks of [`BvTree::from_bytes`].
#[derive(TypePath, Clone, Copy, Debug, Default)]
pub struct TreeLoader;

impl AssetLoader for TreeLoader {
    type Asset = TreeAsset;
    type Settings = ();
    type Error = TreeAssetError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _: &(),
        _: &mut LoadContext<'_>,
    ) -> Result<TreeAsset, TreeAssetError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        Ok(BvTree::from_bytes(&bytes)?.into())
    }

    fn extensions(&self) -> &[&str] {
        &["bvt"]
    }
}

/// How a mesh file becomes a tree: the settings of [`MeshLoader`], in an asset's meta file.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct CookOptions {
    /// The options of the build.
    pub build: BuildOptions,
    /// The factor that multiplies all coordinates, to give the mesh its size in the world: transforms of bodies can't
    /// scale.
    pub scale: f64,
    /// The source of the tree's groups.
    pub group_by: GroupBy,
    /// Whether to weld vertices with equal coordinates; `None` welds in STL only.
    pub weld: Option<bool>,
}

impl Default for CookOptions {
    fn default() -> Self {
        let ReadOptions { scale, group_by, weld, .. } = ReadOptions::default();
        Self { build: BuildOptions::default(), scale, group_by, weld }
    }
}

const MESH_EXTENSIONS: [&str; 6] = ["obj", "stl", "ply", "off", "gltf", "glb"];

/// Loads mesh files (OBJ, STL, PLY, OFF and glTF), and builds a tree each time. To cook the tree once, use
/// [`CookMesh`].
#[derive(TypePath, Clone, Copy, Debug, Default)]
pub struct MeshLoader;

impl AssetLoader for MeshLoader {
    type Asset = TreeAsset;
    type Settings = CookOptions;
    type Error = TreeAssetError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        options: &CookOptions,
        context: &mut LoadContext<'_>,
    ) -> Result<TreeAsset, TreeAssetError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let path = context.path().path().to_owned();
        if MeshFormat::of(&path, &bytes[..bytes.len().min(MeshFormat::START)]) == MeshFormat::Gltf {
            bytes = with_buffers(bytes, context).await?;
        }
        let CookOptions { build, scale, group_by, weld } = options.clone();
        let options = ReadOptions { scale, group_by, weld, ..ReadOptions::default() };
        let mesh = Mesh::read_with(Cursor::new(bytes), &path, &options)?.mesh;
        Ok(BvTree::build(&mesh, &build)?.into())
    }

    fn extensions(&self) -> &[&str] {
        &MESH_EXTENSIONS
    }
}

/// A glTF file with its buffers embedded, since an asset's source need not be a local folder.
async fn with_buffers(bytes: Vec<u8>, context: &mut LoadContext<'_>) -> Result<Vec<u8>, TreeAssetError> {
    // The mesh reader reports what is wrong with the file.
    let Some((json, binary)) = json_and_rest(&bytes) else { return Ok(bytes) };
    let Ok(mut document) = serde_json::from_slice::<serde_json::Value>(json) else { return Ok(bytes) };
    let mut has_changed = false;
    let buffers = document.get_mut("buffers").and_then(|buffers| buffers.as_array_mut());
    for buffer in buffers.into_iter().flatten() {
        let Some(uri) = buffer.get("uri").and_then(|uri| uri.as_str()) else { continue };
        if uri.starts_with("data:") {
            continue;
        }
        let uri = uri.to_owned();
        // A name that is no path of another source may contain `#`, which is no label.
        let path = match decoded(&uri).filter(|name| !name.contains("://")) {
            Some(name) => context.path().resolve_embed(&AssetPath::from_path(Path::new(&name))),
            None => {
                let path = context.path().resolve_embed_str(&uri);
                path.map_err(|source| TreeAssetError::BufferPath { uri: uri.clone(), source })?
            }
        };
        let content = context.read_asset_bytes(path).await;
        let content = content.map_err(|source| TreeAssetError::Buffer { uri, source })?;
        buffer["uri"] = format!("data:application/octet-stream;base64,{}", STANDARD.encode(content)).into();
        has_changed = true;
    }
    if !has_changed {
        return Ok(bytes);
    }
    let json = document.to_string().into_bytes();
    let Some(binary) = binary else { return Ok(json) };
    let word = |length: usize| u32::try_from(length).map(u32::to_le_bytes).map_err(io::Error::other);
    Ok([&bytes[..8], &word(20 + json.len() + binary.len())?, &word(json.len())?, JSON_CHUNK, &json, binary].concat())
}

const JSON_CHUNK: &[u8] = b"JSON";

/// The JSON of a glTF file and, of a GLB file (glTF 2.0, section 4.4), the chunks behind it. `None` if the file is
/// damaged.
fn json_and_rest(file: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    if !file.starts_with(b"glTF") {
        // The mesh reader skips a byte order mark, too.
        return Some((file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file), None));
    }
    let length = |at: usize| Some(u32::from_le_bytes(*file.get(at..)?.first_chunk()?) as usize);
    let chunks = file.get(12..length(8)?)?;
    if chunks.get(4..8)? != JSON_CHUNK {
        return None;
    }
    let (json, rest) = chunks[8..].split_at_checked(length(12)?)?;
    Some((json, Some(rest)))
}

/// Decodes percent-encoding such as `%20`; `None` if the result is not UTF-8.
fn decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

/// The settings of [`TreeSaver`].
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
pub struct SaveOptions {
    /// Whether to write the compact form, which is smaller and takes longer to open.
    pub compact: bool,
}

/// Writes trees as cooked files.
#[derive(TypePath, Clone, Copy, Debug, Default)]
pub struct TreeSaver;

impl AssetSaver for TreeSaver {
    type Asset = TreeAsset;
    type Settings = SaveOptions;
    type OutputLoader = TreeLoader;
    type Error = TreeAssetError;

    async fn save(
        &self,
        writer: &mut Writer,
        asset: SavedAsset<'_, '_, TreeAsset>,
        options: &SaveOptions,
        _: AssetPath<'_>,
    ) -> Result<(), TreeAssetError> {
        let mut bytes = Vec::new();
        if options.compact {
            asset.0.write_compact_to(&mut bytes)?;
        } else {
            asset.0.write_to(&mut bytes)?;
        }
        writer.write_all(&bytes).await?;
        Ok(())
    }
}

/// The asset processor that cooks mesh files on import. Its settings are those of [`MeshLoader`] and [`TreeSaver`].
pub type CookMesh = LoadTransformAndSave<MeshLoader, IdentityAssetTransformer<TreeAsset>, TreeSaver>;

//! The settings of an asset from the command line and manifests, and the recipe they result in.

use bvtree::fit::{ObbFit, SphereFit};
use bvtree::mesh::{GroupBy, MeshFormat, Origin, ReadOptions, UpAxis};
use bvtree::{BuildOptions, Builder, Collapse, Mesh, Preset, SplitRule, VolumeKind};
use nalgebra::Point3;
use serde::{Deserialize, Deserializer};

use crate::args::{BuildRules, VolumeKinds};
use crate::commands::cook::parts::{Collision, Parts};

/// The settings of one asset or of several. A missing setting is taken from the manifest's `[defaults]`; without one
/// there, it has its default value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    #[serde(alias = "volume", deserialize_with = "kinds")]
    pub kind: Option<Vec<VolumeKind>>,
    pub preset: Option<Preset>,
    pub builder: Option<Builder>,
    pub split: Option<SplitRule>,
    pub rotation_passes: Option<u32>,
    pub collapse: Option<Collapse>,
    pub obb_fit: Option<ObbFit>,
    pub sphere_fit: Option<SphereFit>,
    pub max_depth: Option<u32>,
    #[serde(deserialize_with = "leaf")]
    pub leaf: Option<u32>,
    pub input_format: Option<MeshFormat>,
    #[serde(deserialize_with = "scale")]
    pub scale: Option<f64>,
    pub up: Option<UpAxis>,
    #[serde(deserialize_with = "origin")]
    pub origin: Option<Origin>,
    pub weld: Option<bool>,
    pub group_by: Option<GroupBy>,
    #[serde(deserialize_with = "patterns")]
    pub skip_groups: Option<Vec<glob::Pattern>>,
    pub lod: Option<u32>,
    pub collision: Option<Collision>,
    pub drop_zero_area: Option<bool>,
    pub by_group: Option<bool>,
    pub keep_extensions: Option<bool>,
    pub compact: Option<bool>,
    pub max_triangles: Option<usize>,
    #[serde(deserialize_with = "size")]
    pub max_bytes: Option<u64>,
    #[serde(deserialize_with = "size")]
    pub memory: Option<u64>,
}

impl Settings {
    /// These settings, completed from the others where unset.
    pub fn over(self, others: &Self) -> Self {
        Self {
            kind: self.kind.or_else(|| others.kind.clone()),
            preset: self.preset.or(others.preset),
            builder: self.builder.or(others.builder),
            split: self.split.or(others.split),
            rotation_passes: self.rotation_passes.or(others.rotation_passes),
            collapse: self.collapse.or(others.collapse),
            obb_fit: self.obb_fit.or(others.obb_fit),
            sphere_fit: self.sphere_fit.or(others.sphere_fit),
            max_depth: self.max_depth.or(others.max_depth),
            leaf: self.leaf.or(others.leaf),
            input_format: self.input_format.or(others.input_format),
            scale: self.scale.or(others.scale),
            up: self.up.or(others.up),
            origin: self.origin.or(others.origin),
            weld: self.weld.or(others.weld),
            group_by: self.group_by.or(others.group_by),
            skip_groups: self.skip_groups.or_else(|| others.skip_groups.clone()),
            lod: self.lod.or(others.lod),
            collision: self.collision.or(others.collision),
            drop_zero_area: self.drop_zero_area.or(others.drop_zero_area),
            by_group: self.by_group.or(others.by_group),
            keep_extensions: self.keep_extensions.or(others.keep_extensions),
            compact: self.compact.or(others.compact),
            max_triangles: self.max_triangles.or(others.max_triangles),
            max_bytes: self.max_bytes.or(others.max_bytes),
            memory: self.memory.or(others.memory),
        }
    }

    pub fn recipe(self) -> Recipe {
        let rules = BuildRules {
            obbtree_rules: false,
            builder: self.builder,
            split: self.split,
            rotation_passes: self.rotation_passes,
            collapse: self.collapse,
            obb_fit: self.obb_fit,
            sphere_fit: self.sphere_fit,
            max_depth: self.max_depth,
            leaf: self.leaf,
        };
        let kinds = self.kind.unwrap_or_else(|| vec![VolumeKind::Obb]);
        let preset = self.preset.unwrap_or_default();
        Recipe {
            trees: kinds.into_iter().map(|kind| rules.over(preset, kind)).collect(),
            read: ReadOptions {
                format: self.input_format,
                weld: self.weld,
                group_by: self.group_by.unwrap_or_default(),
                up: self.up,
                scale: self.scale.unwrap_or(1.0),
                origin: self.origin.unwrap_or_default(),
                max_triangles: self.max_triangles.unwrap_or(Mesh::MAX_COUNT),
            },
            parts: Parts {
                skip_groups: self.skip_groups.unwrap_or_default(),
                lod: self.lod,
                collision: self.collision,
                drop_zero_area: self.drop_zero_area.unwrap_or(false),
            },
            by_group: self.by_group.unwrap_or(false),
            compact: self.compact.unwrap_or(false),
            max_bytes: self.max_bytes,
            memory: self.memory,
        }
    }
}

/// The recipe of an asset: how it is read and which trees are built.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The build options of each tree.
    pub trees: Vec<BuildOptions>,
    pub read: ReadOptions,
    pub parts: Parts,
    /// Whether each group gets a tree of its own, in place of one tree for the mesh.
    pub by_group: bool,
    /// Whether cooked files are compact.
    pub compact: bool,
    pub max_bytes: Option<u64>,
    /// The memory in bytes that the mesh may take as a whole; if it would take more, it is cooked in tiles.
    pub memory: Option<u64>,
}

impl Recipe {
    /// The settings that determine the cooked files, as text for the digest.
    pub fn text(&self) -> String {
        let Self { trees, read, parts, by_group, compact, max_bytes: _, memory } = self;
        // Limits decide only whether an asset is cooked, not what its files contain.
        let read = ReadOptions { max_triangles: 0, ..read.clone() };
        let memory = memory.map_or_else(String::new, |memory| format!(" {memory}"));
        let encoding = if *compact { " compact" } else { "" };
        format!("{trees:?} {read:?} {} {by_group}{memory}{encoding}", parts.text())
    }
}

/// Parses `X,Y,Z`, or `auto` for the first vertex, rounded.
pub fn parse_origin(text: &str) -> Result<Origin, String> {
    if text == "auto" {
        return Ok(Origin::FirstVertex);
    }
    let numbers: Option<Vec<f64>> = text.split(',').map(crate::csv_tables::parse_finite).collect();
    let point = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
    point.map(|point| Origin::At(Point3::from(point))).ok_or_else(|| "expected X,Y,Z or auto".into())
}

pub fn parse_scale(text: &str) -> Result<f64, String> {
    crate::csv_tables::parse_finite(text).filter(|&x| x > 0.0).ok_or_else(|| "expected a finite number above 0".into())
}

/// Parses a number of bytes, with an optional suffix K, M, G or T for powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let shift = match text.trim_end_matches(['b', 'B', 'i']).chars().last() {
        Some('k' | 'K') => 10,
        Some('m' | 'M') => 20,
        Some('g' | 'G') => 30,
        Some('t' | 'T') => 40,
        _ => 0,
    };
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number = digits.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    let is_known = shift > 0 || digits.len() == text.len() || text[digits.len()..].eq_ignore_ascii_case("b");
    number.filter(|_| is_known).ok_or_else(|| "expected a size such as 500M or 2G".into())
}

/// A text or a list of texts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Several(Vec<String>),
}

fn kinds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<VolumeKind>>, D::Error> {
    let text = match Texts::deserialize(deserializer)? {
        Texts::One(text) => text,
        Texts::Several(texts) => texts.join(","),
    };
    text.parse().map(|VolumeKinds(kinds)| Some(kinds)).map_err(serde::de::Error::custom)
}

fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<glob::Pattern>>, D::Error> {
    let texts = match Texts::deserialize(deserializer)? {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    };
    texts.iter().map(|text| text.parse()).collect::<Result<_, _>>().map(Some).map_err(serde::de::Error::custom)
}

fn leaf<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(serde::de::Error::custom("expected at least 1")),
        leaf => Ok(Some(leaf)),
    }
}

fn scale<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let scale = f64::deserialize(deserializer)?;
    parse_scale(&scale.to_string()).map(Some).map_err(serde::de::Error::custom)
}

fn origin<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Origin>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Name(String),
        Point([f64; 3]),
    }
    let text = match Given::deserialize(deserializer)? {
        Given::Name(name) => name,
        Given::Point([x, y, z]) => format!("{x},{y},{z}"),
    };
    parse_origin(&text).map(Some).map_err(serde::de::Error::custom)
}

fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Bytes(u64),
        Text(String),
    }
    match Given::deserialize(deserializer)? {
        Given::Bytes(bytes) => Ok(Some(bytes)),
        Given::Text(text) => parse_size(&text).map(Some).map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(["7", "2K", "3MiB", "1gb", "5B"].map(parse_size), [7, 2048, 3 << 20, 1 << 30, 5].map(Ok));
        for text in ["", "K", "1X", "-1", "99999999999T", "1.5G"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_said_comes_before_what_others_say() {
        let parsed = |settings| serde_json::from_value::<Settings>(settings).unwrap();
        let ours = parsed(json!({"kind": "aabb", "scale": 2.0, "origin": [1, 2, 3]}));
        let others = parsed(json!({"volume": ["obb", "sphere"], "leaf": 3, "max-bytes": "1K"}));
        let both = ours.clone().over(&others);
        assert_eq!((both.kind, both.leaf, both.scale), (Some(vec![VolumeKind::Aabb]), Some(3), Some(2.0)));
        assert_eq!(both.max_bytes, Some(1024));
        assert_ne!(ours.recipe().text(), others.recipe().text());
    }
}

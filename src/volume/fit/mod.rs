//! Bounding volumes fitted to points and triangles.
//!
//! [`ObbFit`] and [`SphereFit`] are the fits by name; each is also a function. Every fit encloses its points as
//! evaluated in f64 (see [`obb_with_axes`] and [`sphere_with_center`] for the exact sense) and takes any finite
//! coordinates up to a magnitude of 1e150; others give a meaningless volume, but no panic. Boxes have orthonormal axes
//! however small the set, but may be loose around sets smaller than about 1e-75, whose covariance and areas underflow.
//! Without points, fits give a volume of zero size at the origin, except for [`aabb`], which gives an empty box. The
//! fits use no function whose result differs between machines.

pub(crate) mod batched_obb_fit;
mod covariance;
mod enclose;
mod enclosing_sphere;
mod extremal_points;
mod minimum_box;
mod moments;
mod node_fit;
mod outermost;
pub(crate) mod primitives;
mod tight_box;

use nalgebra::{Matrix3, Point3, Vector3};

pub(crate) use batched_obb_fit::SMALL_SET;
pub use covariance::{
    covariance, eigenvectors, mean, obb_by_hull_covariance, obb_by_surface_covariance, obb_by_vertex_covariance,
    surface_covariance, triangle_covariance_axes,
};
pub use enclose::{aabb, obb_with_axes, sphere_with_center};
pub(crate) use enclose::{orthonormalized, quick_frame_in_plane};
pub use enclosing_sphere::{SmallestSphere, ritter, smallest_sphere};
pub use extremal_points::{dito14, epos};
pub use minimum_box::minimum_volume_box;
pub(crate) use moments::Moments;
pub(crate) use node_fit::{
    LeafBoxes, box_along, leaf_boxes, leaves_along_covariance, leaves_along_longest_edge, obb_of, sphere_of,
    triangle_box_axes,
};
pub(crate) use primitives::Primitive;
pub use tight_box::{tight_axes, tight_axes_by_volume, triangle_axes};

use crate::enum_names::parsed_names;
use crate::shape::{Obb, Sphere};
use crate::triangle::Triangle;

/// The method of fitting an oriented box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ObbFit {
    /// Along the eigenvectors of the vertices' covariance about their mean.
    #[default]
    VertexCovariance,
    /// Along the eigenvectors of the surface's covariance (Gottschalk, Lin and Manocha 1996). Bare points have no
    /// surface: they are fitted by vertex covariance.
    SurfaceCovariance,
    /// Along the eigenvectors of the covariance of the convex hull's surface.
    HullCovariance,
    /// DiTO-14 (Larsson and Källberg 2011).
    Dito14,
    /// A box of nearly the least possible volume; slow.
    MinimumVolume,
    /// The box of least volume among those by vertex covariance, by DiTO-14 and along the coordinate axes.
    BestVolume,
    /// The box of least surface area among those by vertex covariance, by DiTO-14 and along the coordinate axes.
    BestArea,
    /// A box of small surface area, by a search from the surface's normal and the covariance's axes; quick on few
    /// points.
    Tight,
    /// Along the coordinate axes.
    AxisAligned,
    /// A box of small volume, by the search of [`ObbFit::Tight`].
    TightVolume,
}

parsed_names!(
    ObbFit,
    "box fit",
    VertexCovariance = "vertex-covariance",
    SurfaceCovariance = "surface-covariance",
    HullCovariance = "hull-covariance",
    Dito14 = "dito-14",
    MinimumVolume = "minimum-volume",
    BestVolume = "best-volume",
    BestArea = "best-area",
    Tight = "tight",
    AxisAligned = "axis-aligned",
    TightVolume = "tight-volume",
);

impl ObbFit {
    /// A box around the points.
    pub fn fit(self, points: &[Point3<f64>]) -> Obb {
        match self {
            Self::VertexCovariance | Self::SurfaceCovariance => obb_by_vertex_covariance(points),
            Self::HullCovariance => obb_by_hull_covariance(points),
            Self::Dito14 => dito14(points),
            Self::MinimumVolume => minimum_volume_box(points),
            Self::BestVolume => best_box_by_volume(points),
            Self::BestArea => best_box_by_area(points),
            Self::Tight => tight_box(points, &Vector3::zeros(), tight_axes),
            Self::TightVolume => tight_box(points, &Vector3::zeros(), tight_axes_by_volume),
            Self::AxisAligned => obb_with_axes(points, &Matrix3::identity()),
        }
    }

    /// A box around the triangles. Only [`ObbFit::SurfaceCovariance`] and the tight fits use more than the corners.
    pub fn fit_triangles(self, triangles: &[Triangle]) -> Obb {
        match self {
            Self::SurfaceCovariance => obb_by_surface_covariance(triangles),
            Self::Tight | Self::TightVolume => {
                let axes: TightAxes = if self == Self::Tight { tight_axes } else { tight_axes_by_volume };
                let points: Vec<_> = triangles.iter().flat_map(|triangle| triangle.vertices).collect();
                tight_box(&points, &triangles.iter().map(Triangle::scaled_normal).sum(), axes)
            }
            _ => self.fit(&triangles.iter().flat_map(|triangle| triangle.vertices).collect::<Vec<_>>()),
        }
    }
}

/// The chosen fit for each kind of volume that has several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FitMethods {
    pub(crate) obb: ObbFit,
    pub(crate) sphere: SphereFit,
}

/// Finds axes from points, initial axes and the surface's normal.
pub(crate) type TightAxes = fn(&[Point3<f64>], &Matrix3<f64>, &Vector3<f64>) -> Matrix3<f64>;

fn tight_box(points: &[Point3<f64>], normal: &Vector3<f64>, axes: TightAxes) -> Obb {
    let covariance = eigenvectors(&covariance(points, &mean(points)));
    obb_with_axes(points, &axes(points, &covariance, normal))
}

/// The method of fitting a sphere. Up to rounding, none gives a larger sphere than [`SphereFit::AabbCenter`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SphereFit {
    /// Ritter 1990; for a single triangle, the smallest sphere.
    #[default]
    Ritter,
    /// EPOS-6 (Larsson 2008).
    Epos6,
    /// EPOS-14 (Larsson 2008).
    Epos14,
    /// EPOS-26 (Larsson 2008).
    Epos26,
    /// EPOS-98 (Larsson 2008).
    Epos98,
    /// The exact smallest sphere.
    SmallestSphere,
    /// A sphere about the middle of the AABB.
    AabbCenter,
}

parsed_names!(
    SphereFit,
    "sphere fit",
    Ritter = "ritter",
    Epos6 = "epos-6",
    Epos14 = "epos-14",
    Epos26 = "epos-26",
    Epos98 = "epos-98",
    SmallestSphere = "smallest-sphere",
    AabbCenter = "aabb-center",
);

impl SphereFit {
    /// A sphere around the points.
    pub fn fit(self, points: &[Point3<f64>]) -> Sphere {
        match self {
            Self::Ritter => ritter(points),
            Self::Epos6 => epos::<3>(points),
            Self::Epos14 => epos::<7>(points),
            Self::Epos26 => epos::<13>(points),
            Self::Epos98 => epos::<49>(points),
            Self::SmallestSphere => smallest_sphere(points).sphere,
            Self::AabbCenter => match points {
                [] => sphere_with_center(points, &Point3::origin()),
                _ => sphere_with_center(points, &aabb(points).center()),
            },
        }
    }
}

/// The box of least volume among those by vertex covariance, by DiTO-14 and along the coordinate axes; of boxes with
/// equal volume, the one of least surface area.
pub fn best_box_by_volume(points: &[Point3<f64>]) -> Obb {
    best_of(points, |obb| [obb.volume(), obb.surface_area()])
}

/// The box of least surface area among those by vertex covariance, by DiTO-14 and along the coordinate axes.
pub fn best_box_by_area(points: &[Point3<f64>]) -> Obb {
    best_of(points, |obb| [obb.surface_area(), obb.volume()])
}

fn best_of(points: &[Point3<f64>], cost: impl Fn(&Obb) -> [f64; 2]) -> Obb {
    let mut best = obb_with_axes(points, &Matrix3::identity());
    for obb in [obb_by_vertex_covariance(points), dito14(points)] {
        if cost(&obb) < cost(&best) {
            best = obb;
        }
    }
    best
}

//! Bounding volumes defined by Python objects.

use std::sync::{Arc, Mutex, PoisonError};

use bvtree::metrics::{MeasuredVolume, Tetrahedra};
use bvtree::shape::{Aabb, ConvexShape};
use nalgebra::{Point3, Vector3};
use numpy::IntoPyArray;
use pyo3::prelude::*;

use crate::arrays::{Asked, Numbers, Rows};
use crate::errors::value_error;
use crate::shapes::PyConvexShape;

/// The first exception that a method of a volume raised. No method is called afterwards.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

/// A volume that a Python function returned.
#[derive(Clone)]
pub enum OwnVolume {
    Shape(Arc<ConvexShape>),
    Object(Arc<VolumeObject>),
}

/// A Python object with methods, and its attributes.
pub struct VolumeObject {
    object: Py<PyAny>,
    volume: f64,
    surface_area: f64,
    aabb: Aabb,
    tetrahedra: Option<Tetrahedra>,
    shape: Option<ConvexShape>,
    raised: Raised,
}

impl OwnVolume {
    /// Converts what the function returned: a `ConvexShape`, an object with a method `contains`, or else points, whose
    /// convex hull is the volume.
    pub fn new(returned: &Bound<'_, PyAny>, raised: &Raised) -> PyResult<Self> {
        if let Ok(shape) = returned.cast::<PyConvexShape>() {
            return Ok(Self::Shape(shape.get().shape.clone()));
        }
        if returned.hasattr("contains")? {
            return Ok(Self::Object(Arc::new(VolumeObject::new(returned, raised.clone())?)));
        }
        Ok(Self::Shape(PyConvexShape::hull(returned)?.shape))
    }
}

impl VolumeObject {
    fn new(object: &Bound<'_, PyAny>, raised: Raised) -> PyResult<Self> {
        let size = |name: &str| {
            let size: f64 = object.getattr(name)?.extract()?;
            let is_size = size.is_finite() && size >= 0.0;
            if is_size { Ok(size) } else { Err(value_error(format_args!("{name}: {size} is not 0 or more"))) }
        };
        let Asked::Many(corners) = Rows::new(&object.getattr("aabb")?, "aabb")?.points() else {
            return Err(value_error("aabb: expected (2, 3), the lower and the upper corner"));
        };
        let shape = match attribute(object, "shape")? {
            Some(shape) => Some(shape.cast::<PyConvexShape>()?.get().shape.as_ref().clone()),
            None => None,
        };
        Ok(Self {
            volume: size("volume")?,
            surface_area: size("surface_area")?,
            aabb: Aabb::from_points(&corners),
            tetrahedra: tetrahedra(object)?,
            shape,
            object: object.clone().unbind(),
            raised,
        })
    }

    /// Calls a method. Returns `None` if it raises an exception or one was raised before; the answer about a point or a
    /// line is then yes, which ends random sampling quickly.
    fn call<T>(&self, call: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        let raised = || self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if raised().is_some() {
            return None;
        }
        let answer = Python::attach(|py| call(py, self.object.bind(py)));
        match answer {
            Ok(answer) => Some(answer),
            Err(error) => {
                raised().get_or_insert(error);
                None
            }
        }
    }
}

/// Returns an optional attribute of a volume; `None` if the attribute is missing or None.
fn attribute<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(object.getattr_opt(name)?.filter(|value| !value.is_none()))
}

/// The attribute `tetrahedra` of a volume, if it has one, with `deviation`.
fn tetrahedra(object: &Bound<'_, PyAny>) -> PyResult<Option<Tetrahedra>> {
    let Some(corners) = attribute(object, "tetrahedra")? else { return Ok(None) };
    let corners = Numbers::new(&corners, "tetrahedra")?;
    let (tetrahedra, rest) = corners.values().as_chunks::<12>();
    let is_finite = corners.values().iter().all(|x| x.is_finite());
    if !matches!(corners.shape(), [_, 4, 3]) || !rest.is_empty() || !is_finite {
        return Err(value_error("tetrahedra: expected an array of shape (N, 4, 3) of finite numbers"));
    }
    let corner = |tetrahedron: &[f64; 12], k: usize| Point3::from_slice(&tetrahedron[3 * k..3 * k + 3]);
    let corners = tetrahedra.iter().map(|own| [0, 1, 2, 3].map(|k| corner(own, k))).collect();
    let deviation = attribute(object, "deviation")?.map_or(Ok(0.0), |deviation| deviation.extract())?;
    Ok(Some(Tetrahedra { corners, deviation }))
}

impl MeasuredVolume for OwnVolume {
    fn volume(&self) -> f64 {
        match self {
            Self::Shape(shape) => shape.volume(),
            Self::Object(object) => object.volume,
        }
    }

    fn surface_area(&self) -> f64 {
        match self {
            Self::Shape(shape) => shape.surface_area(),
            Self::Object(object) => object.surface_area,
        }
    }

    fn aabb(&self) -> Aabb {
        match self {
            Self::Shape(shape) => shape.aabb(),
            Self::Object(object) => object.aabb,
        }
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        match self {
            Self::Shape(shape) => shape.contains(point),
            Self::Object(object) => {
                let point = point.coords.data.0[0].to_vec();
                let answer =
                    object.call(|py, own| own.call_method1("contains", (point.into_pyarray(py),))?.is_truthy());
                answer.unwrap_or(true)
            }
        }
    }

    fn meets_line(&self, point: &Point3<f64>, direction: &Vector3<f64>) -> bool {
        match self {
            Self::Shape(shape) => shape.meets_line(point, direction),
            Self::Object(object) => {
                let [point, direction] = [&point.coords, direction].map(|vector| vector.data.0[0].to_vec());
                let answer = object.call(|py, own| {
                    let arguments = (point.into_pyarray(py), direction.into_pyarray(py));
                    own.call_method1("meets_line", arguments)?.is_truthy()
                });
                answer.unwrap_or(true)
            }
        }
    }

    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        match (self, other) {
            (Self::Shape(shape), Self::Shape(other)) => shape.intersection_volume(other),
            (Self::Object(object), Self::Object(other)) => object
                .call(|py, own| match attribute(own, "intersection_volume")? {
                    Some(method) => method.call1((&other.object.bind(py),))?.extract(),
                    None => Ok(None),
                })
                .flatten(),
            _ => None,
        }
    }

    fn tetrahedra(&self) -> Option<Tetrahedra> {
        match self {
            Self::Shape(shape) => MeasuredVolume::tetrahedra(shape.as_ref()),
            Self::Object(object) => object.tetrahedra.clone(),
        }
    }

    fn shape(&self) -> Option<ConvexShape> {
        match self {
            Self::Shape(shape) => Some(shape.as_ref().clone()),
            Self::Object(object) => object.shape.clone().or_else(|| {
                let Tetrahedra { corners, deviation } = object.tetrahedra.as_ref()?;
                ConvexShape::hull(corners.as_flattened()).and_then(|hull| hull.rounded(*deviation)).ok()
            }),
        }
    }
}

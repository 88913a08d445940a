//! The grid axes of a building, by which places in it are named.

use nalgebra::{Point2, Point3, Vector2};

/// A straight axis in plan, with a name such as `B` or `4`.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The axis's name.
    pub name: String,
    /// The x and y of two points on the axis, in the world; z is up.
    pub ends: [Point2<f64>; 2],
}

impl Axis {
    /// The distance in plan of a point from the infinite line through the axis; `None` if both ends are the same point.
    fn distance(&self, point: &Point2<f64>) -> Option<f64> {
        let [from, to] = self.ends;
        let along = (to - from).try_normalize(0.0)?;
        Some((point - from).dot(&Vector2::new(-along.y, along.x)).abs())
    }
}

/// The grid of a building: families of axes that cross each other, with z up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// The families, usually two, in the order in which their names appear in a place's name.
    pub families: Vec<Vec<Axis>>,
}

impl Grid {
    /// The names of the axes nearest to a place, one of each family, joined as in `B-4`; `None` if there are no axes.
    /// An axis whose ends are the same point is ignored.
    pub fn label(&self, place: &Point3<f64>) -> Option<String> {
        let names: Vec<&str> = self.families.iter().filter_map(|axes| nearest(axes, &place.xy())).collect();
        (!names.is_empty()).then(|| names.join("-"))
    }
}

fn nearest<'a>(axes: &'a [Axis], place: &Point2<f64>) -> Option<&'a str> {
    let distances = axes.iter().filter_map(|axis| Some((axis.distance(place)?, axis)));
    distances.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, axis)| axis.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_axis_of_each_family_names_a_place() {
        let axis = |name: &str, ends: [[f64; 2]; 2]| Axis { name: name.into(), ends: ends.map(Point2::from) };
        let letters = ["A", "B"].iter().zip([0.0, 6.0]).map(|(name, x)| axis(name, [[x, -1.0], [x, 1.0]])).collect();
        let numbers = ["1", "2"].iter().zip([0.0, 5.0]).map(|(name, y)| axis(name, [[9.0, y], [-1.0, y]])).collect();
        let grid = Grid { families: vec![letters, numbers] };
        assert_eq!(grid.label(&Point3::new(3.5, 100.0, 7.0)).as_deref(), Some("B-2"));
        assert_eq!(grid.label(&Point3::new(2.5, 2.0, 7.0)).as_deref(), Some("A-1"));
        assert_eq!(Grid::default().label(&Point3::origin()), None);
        let point = Grid { families: vec![vec![axis("P", [[1.0, 1.0]; 2])]] };
        assert_eq!(point.label(&Point3::origin()), None);
    }
}

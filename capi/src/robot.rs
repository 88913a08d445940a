//! Robots: URDF files, configurations of their joints, and motions between two.

use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use bvtree::SimdLevel;
use bvtree_robot::{Checker, Impact, ImpactOptions, Robot, RobotOptions, World};

use crate::ffi::{answer, array, given, hand_over, lock, optional_text, out, out_slice, text};
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::{BvtPose, pose};
use crate::runtime::simd_level;
use crate::status::{BvtStatus, Error};
use crate::tree::BvtTree;

/// A robot and the objects around it, for one thread at a time. Copies share all geometry: make one per thread.
pub struct BvtRobot {
    pub(crate) robot: Mutex<Planner>,
    values: Vec<CString>,
}

pub(crate) struct Planner {
    robot: Robot,
    world: World,
    simd: SimdLevel,
    /// The checker of this robot in this world; created again after the world has changed.
    checker: Option<Checker>,
    /// The bodies' names, for C.
    names: Vec<CString>,
}

fn c_text(text: &str) -> CString {
    // No name of an XML file has a zero in it; those from C have none either.
    CString::new(text).unwrap_or_default()
}

impl Planner {
    fn new(robot: Robot, world: World, simd: SimdLevel) -> Self {
        let names = robot.bodies().chain(world.names()).map(c_text).collect();
        Self { robot, world, simd, checker: None, names }
    }

    fn checker(&mut self) -> &mut Checker {
        self.checker.get_or_insert_with(|| Checker::with_simd(&self.robot, &self.world, self.simd))
    }

    /// Borrows the numbers of `count` configurations.
    ///
    /// # Safety
    /// If not null, the pointer points to `count` configurations.
    unsafe fn configurations<'a>(&self, from: *const f64, count: usize, name: &str) -> Result<&'a [f64], Error> {
        let width = self.robot.values().len();
        let length = count.checked_mul(width);
        let length = length.ok_or_else(|| Error::argument(format_args!("{name}: {count} are too many")))?;
        // SAFETY: the caller promises it.
        unsafe { array(from, length, name) }
    }
}

impl BvtRobot {
    fn new(planner: Planner) -> Self {
        let values = planner.robot.values().iter().map(|name| c_text(name)).collect();
        Self { robot: Mutex::new(planner), values }
    }
}

/// Reads a robot from a URDF file with its meshes (OBJ, STL, PLY, OFF, glTF or COLLADA), in an empty world. Links are
/// solids; lengths are in metres, angles in radians. All links that move relative to each other are compared, except
/// the two links of a joint and the pairs that the SRDF file disables; `srdf` may be null. `package_dirs` are folders
/// of packages, or folders that hold them, for `package://` names; the folders around the URDF are searched too.
/// `cache` is a folder that keeps the meshes' trees, so that robots with the same meshes open in less time from then
/// on; null for none. `simd` is a value of `BvtSimd`; 0 selects the best.
///
/// Errors: `BVT_ERROR_IO` if a file cannot be read or the cache cannot be written, `BVT_ERROR_MESH` if a mesh is
/// invalid, `BVT_ERROR_ROBOT` if anything else in a file is invalid; the message names the file, the line and the link.
///
/// # Safety
/// Strings that are not null are NUL-terminated. `package_dirs` points to `package_dir_count` strings; it may be null
/// if `package_dir_count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_robot_open(
    urdf: *const c_char,
    srdf: *const c_char,
    package_dirs: *const *const c_char,
    package_dir_count: usize,
    cache: *const c_char,
    simd: u32,
    robot: Option<&mut MaybeUninit<*mut BvtRobot>>,
) -> BvtStatus {
    panic_guard(|| {
        let (out, level) = (out(robot, "robot")?, simd_level(simd)?);
        // SAFETY: the caller promises it.
        let (urdf, srdf) = unsafe { (text(urdf, "urdf")?, optional_text(srdf, "srdf")?) };
        // SAFETY: as above.
        let cache = unsafe { optional_text(cache, "cache") }?.map(PathBuf::from);
        // SAFETY: as above.
        let folders = unsafe { array(package_dirs, package_dir_count, "package_dirs") }?;
        // SAFETY: as above.
        let folders = folders.iter().map(|&folder| unsafe { text(folder, "package_dirs") }.map(PathBuf::from));
        let package_dirs = folders.collect::<Result<_, _>>()?;
        let options = RobotOptions { package_dirs, cache, ..RobotOptions::default() };
        let robot = Robot::open(urdf, srdf.map(Path::new), &options)?;
        hand_over(out, BvtRobot::new(Planner::new(robot, World::new(), level)));
        DONE
    })
}

/// Copies a robot and its world, for another thread. All geometry is shared.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_robot_copy(robot: Option<&BvtRobot>, copy: Option<&mut MaybeUninit<*mut BvtRobot>>) -> BvtStatus {
    panic_guard(|| {
        let (robot, out) = (lock(robot.map(|robot| &robot.robot), "robot")?, out(copy, "copy")?);
        hand_over(out, BvtRobot::new(Planner::new(robot.robot.clone(), robot.world.clone(), robot.simd)));
        DONE
    })
}

/// Frees a robot. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_robot_free(robot: Option<Box<BvtRobot>>) {
    drop(robot);
}

/// Returns the number of values of a configuration; 0 for null. A planar joint has three values (x, y, angle), a
/// floating joint seven (the translation and a quaternion x, y, z, w of any nonzero length); fixed joints and joints
/// that mimic another have none, and all other joints have one.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_robot_value_count(robot: Option<&BvtRobot>) -> usize {
    robot.map_or(0, |robot| robot.values.len())
}

/// Returns the name of a value of a configuration: the name of its joint, with a suffix for planar and floating joints,
/// as in "base/x". Null if there is no such value. The text lives as long as the robot.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_robot_value_name(robot: Option<&BvtRobot>, value: usize) -> *const c_char {
    robot.and_then(|robot| robot.values.get(value)).map_or(std::ptr::null(), |name| name.as_ptr())
}

/// Writes the name of a body. Bodies are the links in the URDF's order, then the objects of the world. The text lives
/// until an object is added or the robot is freed.
///
/// Errors: `BVT_ERROR_ARGUMENT` if there is no such body.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_robot_body_name(
    robot: Option<&BvtRobot>,
    body: usize,
    name: Option<&mut MaybeUninit<*const c_char>>,
) -> BvtStatus {
    panic_guard(|| {
        let (robot, out) = (lock(robot.map(|robot| &robot.robot), "robot")?, out(name, "name")?);
        let known = robot.names.get(body);
        let known = known.ok_or_else(|| Error::argument(format_args!("there is no body {body}")))?;
        out.write(known.as_ptr());
        DONE
    })
}

/// Adds a tree to the world, at a pose in the frame of the robot's root link. The object is stationary and solid;
/// winding numbers decide what is inside an open mesh.
///
/// Errors: `BVT_ERROR_ROBOT` if another object has the name.
///
/// # Safety
/// `name` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_robot_add_object(
    robot: Option<&BvtRobot>,
    name: *const c_char,
    tree: Option<&BvtTree>,
    pose_in_root: Option<&BvtPose>,
) -> BvtStatus {
    panic_guard(|| {
        let mut robot = lock(robot.map(|robot| &robot.robot), "robot")?;
        // SAFETY: the caller promises it.
        let name = unsafe { text(name, "name") }?;
        let (tree, pose) = (given(tree, "tree")?, pose(pose_in_root, "pose_in_root")?);
        robot.world.add_tree(name, tree.tree.clone(), &pose, false)?;
        robot.names.push(c_text(name));
        robot.checker = None;
        DONE
    })
}

/// Excludes a pair of bodies from comparison, so that they may touch: two links, or a link and an object of the world.
///
/// Errors: `BVT_ERROR_ROBOT` if a name is unknown, or is that of a link without collision geometry.
///
/// # Safety
/// The names are NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_robot_allow(
    robot: Option<&BvtRobot>,
    link: *const c_char,
    other: *const c_char,
) -> BvtStatus {
    panic_guard(|| {
        let mut robot = lock(robot.map(|robot| &robot.robot), "robot")?;
        // SAFETY: the caller promises it.
        let (link, other) = unsafe { (text(link, "link")?, text(other, "other")?) };
        let Planner { robot: links, world, .. } = &mut *robot;
        world.allow_in(links, link, other)?;
        robot.checker = None;
        DONE
    })
}

/// Decides for each of `count` configurations, one after the other in memory, whether it is free: whether all bodies
/// that are compared are farther apart than the margin. With a margin of 0, bodies collide if they touch; for meshes,
/// this is decided exactly.
///
/// Errors: `BVT_ERROR_ARGUMENT` if a value is NaN, infinite or above 1e9 in magnitude, or the quaternion of a floating
/// joint is zero; the message gives the index of the configuration.
///
/// # Safety
/// `configurations` points to `count` configurations and `is_free` to space for `count` results; both may be null if
/// `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_robot_is_free(
    robot: Option<&BvtRobot>,
    configurations: *const f64,
    count: usize,
    margin: f64,
    is_free: *mut bool,
) -> BvtStatus {
    panic_guard(|| {
        let mut robot = lock(robot.map(|robot| &robot.robot), "robot")?;
        // SAFETY: the caller promises it.
        let numbers = unsafe { robot.configurations(configurations, count, "configurations") }?;
        // SAFETY: as above.
        let out = unsafe { out_slice(is_free, count, "is_free") }?;
        let (checker, width) = (robot.checker(), numbers.len() / count.max(1));
        let is_free = |row: usize| {
            let free = checker.is_free(&numbers[row * width..][..width], margin);
            free.map_err(|error| Error::argument(format_args!("configuration {row}: {error}")))
        };
        // Nothing is written if a configuration is invalid.
        let found = (0..count).map(is_free).collect::<Result<Vec<_>, _>>()?;
        out.iter_mut().zip(found).for_each(|(out, is_free)| {
            out.write(is_free);
        });
        DONE
    })
}

/// Finds the first of `steps` evenly spaced configurations, from one to another and including both (for one step, only
/// `from`), that is not free, and writes its index, counted from 0; `BVT_NONE` if all are free. The motion between two
/// neighbouring configurations is not checked: see `bvt_robot_first_impact`.
///
/// Errors: as for `bvt_robot_is_free`; `BVT_ERROR_ARGUMENT` also if there are more than 2^40 steps.
///
/// # Safety
/// Both pointers point to a configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_robot_first_blocked(
    robot: Option<&BvtRobot>,
    from: *const f64,
    to: *const f64,
    steps: usize,
    margin: f64,
    index: Option<&mut MaybeUninit<usize>>,
) -> BvtStatus {
    panic_guard(|| {
        let (mut robot, out) = (lock(robot.map(|robot| &robot.robot), "robot")?, out(index, "index")?);
        if steps > 1 << 40 {
            return Err(Error::argument(format_args!("{steps} steps: at most 2^40")));
        }
        // SAFETY: the caller promises it.
        let ends = unsafe { [robot.configurations(from, 1, "from")?, robot.configurations(to, 1, "to")?] };
        answer(out, robot.checker().first_blocked(ends[0], ends[1], steps, margin)?)
    })
}

/// The first point of a motion at which two bodies come too near to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtRobotImpact {
    /// The motion's parameter, from 0 to 1. At all smaller parameters, all bodies are proven to keep the clearance.
    pub parameter: f64,
    /// Distance between the two bodies at `parameter`, or so shortly after it that the distance changes by less than
    /// the tolerance; in metres, and at most the clearance plus the tolerance.
    pub distance: f64,
    /// The two bodies; see `bvt_robot_body_name`.
    pub bodies: [usize; 2],
}

impl From<Impact> for BvtRobotImpact {
    fn from(impact: Impact) -> Self {
        Self { parameter: impact.parameter, distance: impact.distance, bodies: impact.bodies }
    }
}

/// Finds where the motion from one configuration to another first brings two bodies nearer than the clearance;
/// `BVT_NONE` is a proof that it never does, for all configurations in between and not only for samples. Joint values
/// change at constant rates. Bodies count as too near up to a distance of the clearance plus the tolerance; a tolerance
/// of 0 stands for 1e-5 m. Both are in metres.
///
/// Errors: as for `bvt_robot_is_free`; also if the clearance or the tolerance is negative or NaN.
///
/// # Safety
/// Both pointers point to a configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_robot_first_impact(
    robot: Option<&BvtRobot>,
    from: *const f64,
    to: *const f64,
    clearance: f64,
    tolerance: f64,
    impact: Option<&mut MaybeUninit<BvtRobotImpact>>,
) -> BvtStatus {
    panic_guard(|| {
        let (mut robot, out) = (lock(robot.map(|robot| &robot.robot), "robot")?, out(impact, "impact")?);
        if !(clearance >= 0.0 && tolerance >= 0.0) {
            return Err(Error::argument("the clearance or the tolerance is negative or NaN"));
        }
        let default = ImpactOptions::default();
        let options =
            ImpactOptions { clearance, tolerance: if tolerance == 0.0 { default.tolerance } else { tolerance } };
        // SAFETY: the caller promises it.
        let ends = unsafe { [robot.configurations(from, 1, "from")?, robot.configurations(to, 1, "to")?] };
        answer(out, robot.checker().first_impact(ends[0], ends[1], &options)?)
    })
}

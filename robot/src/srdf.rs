//! SRDF: pairs of links that are not compared, groups of joints, and their named states; read and written.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use crate::certificate::Certificate;
use crate::error::RobotError;
use crate::kinematics::Kinematics;
use crate::robot::Robot;
use crate::xml::{Element, parse};

/// The contents of an SRDF file; links and joints are given by their names in the URDF.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Srdf {
    /// Pairs of links that are not compared (`<disable_collisions>`), in the order of the file.
    pub disabled: Vec<[String; 2]>,
    /// Links that are compared with nothing (`<disable_default_collisions>`), neither with other links nor with
    /// attached objects and those of a world, except in the pairs of [`Srdf::enabled`]. MoveIt means the same by it.
    pub disabled_by_default: Vec<String>,
    /// Pairs that are compared although one of them is disabled by default (`<enable_collisions>`). A pair that is also
    /// in [`Srdf::disabled`] is not compared, nor are neighbours and links fixed to each other.
    pub enabled: Vec<[String; 2]>,
    /// The names of each group's joints, by the group's name.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Named states, in the order of the file.
    pub states: Vec<GroupState>,
}

/// A named state of a group of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupState {
    /// The group's name.
    pub group: String,
    /// The state's name.
    pub name: String,
    /// The joints' names and their values.
    pub values: Vec<(String, Vec<f64>)>,
}

/// The greatest number of members of all groups together: those in the file, those on its chains, and each joint and
/// group that is in a group, directly or within another.
const MAX_MEMBERS: usize = 2_000_000;

/// What a group names itself: indices of joints in ascending order, and names of other groups. Neither repeats.
struct Members<'a> {
    joints: Vec<usize>,
    groups: Vec<&'a str>,
}

/// The number of members so far.
#[derive(Default)]
struct Count(usize);

impl Count {
    /// Adds members; an error if they are too many.
    fn add(&mut self, members: usize, at: &Element<'_, '_>) -> Result<(), RobotError> {
        self.0 += members;
        if self.0 <= MAX_MEMBERS {
            return Ok(());
        }
        Err(at.error(format!("expected groups and chains with at most {MAX_MEMBERS} joints together")))
    }
}

/// Which pairs the links that are disabled by default leave out.
pub(crate) struct Defaults<'a> {
    disabled: HashSet<&'a str>,
    enabled: HashSet<[&'a str; 2]>,
}

impl Defaults<'_> {
    /// Whether a pair of links, given by their names, is left out.
    pub fn disable(&self, [a, b]: [&str; 2]) -> bool {
        self.disable_first([a, b]) || self.disable_first([b, a])
    }

    /// Whether the first of two bodies, given by their names, leaves the pair out. The second may be an object, which
    /// may have the name of a link.
    pub fn disable_first(&self, [a, b]: [&str; 2]) -> bool {
        self.disabled.contains(a) && !self.enabled.contains(&[a, b]) && !self.enabled.contains(&[b, a])
    }
}

impl Srdf {
    pub(crate) fn defaults(&self) -> Defaults<'_> {
        Defaults {
            disabled: self.disabled_by_default.iter().map(String::as_str).collect(),
            enabled: self.enabled.iter().map(|[a, b]| [a.as_str(), b.as_str()]).collect(),
        }
    }

    pub(crate) fn read(text: &str, path: &Path, robot: &Kinematics) -> Result<Self, RobotError> {
        let document = parse(text, path)?;
        let root = Element::root(&document, path, "robot")?;
        // Variants of a robot share an SRDF, so that names of links that this one lacks are no error.
        let pairs = |name: &str| {
            let pair = |element: Element<'_, '_>| -> Result<_, RobotError> {
                Ok([element.required("link1")?.to_owned(), element.required("link2")?.to_owned()])
            };
            root.all(name).map(pair).collect::<Result<Vec<_>, _>>()
        };
        let (disabled, enabled) = (pairs("disable_collisions")?, pairs("enable_collisions")?);
        let by_default = root.all("disable_default_collisions");
        let disabled_by_default =
            by_default.map(|element| element.required("link").map(str::to_owned)).collect::<Result<Vec<_>, _>>()?;
        let (mut members, mut count) = (HashMap::new(), Count::default());
        for element in root.all("group") {
            let name = element.required("name")?;
            if members.insert(name, group_members(&element, robot, &mut count)?).is_some() {
                return Err(RobotError::Duplicate { at: element.at(), kind: "group", name: name.to_owned() });
            }
        }
        let mut groups = BTreeMap::new();
        for element in root.all("group") {
            let name = element.required("name")?;
            let joints = collect(&element, &members, name, &mut count)?.into_iter();
            groups.insert(name.to_owned(), joints.map(|joint| robot.joints()[joint].name().to_owned()).collect());
        }
        let mut states = Vec::new();
        for element in root.all("group_state") {
            let mut values = Vec::new();
            for joint in element.all("joint") {
                let text = joint.required("value")?;
                let numbers: Result<Vec<f64>, _> = text.split_ascii_whitespace().map(str::parse).collect();
                let numbers =
                    numbers.ok().filter(|numbers| !numbers.is_empty() && numbers.iter().all(|x| x.is_finite()));
                let numbers =
                    numbers.ok_or_else(|| joint.error(format!("expected numbers as `value`, found `{text}`")))?;
                values.push((joint.required("name")?.to_owned(), numbers));
            }
            let (group, name) = (element.required("group")?.to_owned(), element.required("name")?.to_owned());
            states.push(GroupState { group, name, values });
        }
        Ok(Self { disabled, disabled_by_default, enabled, groups, states })
    }
}

fn group_members<'a>(
    element: &Element<'a, '_>,
    robot: &Kinematics,
    count: &mut Count,
) -> Result<Members<'a>, RobotError> {
    let (mut joints, mut groups) = (BTreeSet::new(), Vec::new());
    let mut seen = HashSet::new();
    for child in element.children() {
        count.add(1, element)?;
        match child.name() {
            // Variants of a robot share an SRDF, so that names of joints and links that this one lacks are no error.
            "joint" => joints.extend(robot.joint(child.required("name")?)),
            "group" => {
                let name = child.required("name")?;
                groups.extend(seen.insert(name).then_some(name));
            }
            "link" => joints.extend(robot.link(child.required("name")?).and_then(|link| robot.joint_above(link))),
            "chain" => {
                let end = |attribute: &str| {
                    let name = child.required(attribute)?;
                    robot.link(name).ok_or_else(|| RobotError::Unknown {
                        at: child.at(),
                        within: format!("<chain>, {attribute}"),
                        kind: "link",
                        name: name.to_owned(),
                    })
                };
                let (base, mut link) = (end("base_link")?, end("tip_link")?);
                while link != base {
                    let Some(joint) = robot.joint_above(link) else {
                        return Err(child.error("expected the tip to be below the base"));
                    };
                    count.add(1, &child)?;
                    joints.insert(joint);
                    link = robot.joints()[joint].parent();
                }
            }
            _ => {}
        }
    }
    Ok(Members { joints: joints.into_iter().collect(), groups })
}

/// The indices of the joints of a group and of the groups in it, in ascending order; each group is visited once.
fn collect(
    element: &Element<'_, '_>,
    members: &HashMap<&str, Members<'_>>,
    name: &str,
    count: &mut Count,
) -> Result<BTreeSet<usize>, RobotError> {
    let mut joints = BTreeSet::new();
    let mut open = vec![name];
    let mut seen = HashSet::new();
    while let Some(group) = open.pop() {
        if !seen.insert(group) {
            continue;
        }
        let unknown = || RobotError::Unknown {
            at: element.at(),
            within: format!("group `{name}`"),
            kind: "group",
            name: group.to_owned(),
        };
        let members = members.get(group).ok_or_else(unknown)?;
        count.add(members.joints.len() + members.groups.len(), element)?;
        joints.extend(&members.joints);
        open.extend(&members.groups);
    }
    Ok(joints)
}

impl Robot {
    /// An SRDF with the groups and states of the SRDF that was read, its links that are disabled by default, and the
    /// pairs that it enables. It disables all pairs of links with collision geometry that are neighbours or do not move
    /// relative to each other (reason `Adjacent`), those that the SRDF that was read disables (`User`), and those that
    /// never meet according to their certificate (`Never`), unless the robot has a group, whose certificates take other
    /// joints as fixed. A group is written as its joints. `certificates` are those of [`Robot::pairs`], in the same
    /// order; if there are fewer, the remaining pairs have none.
    pub fn to_srdf(&self, certificates: &[Certificate]) -> String {
        let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", escaped(self.name()));
        let mut line = |line: String| {
            // Writing to a string doesn't fail.
            let _ = writeln!(text, "  {line}");
        };
        for (name, joints) in &self.srdf().groups {
            line(format!("<group name=\"{}\">", escaped(name)));
            joints.iter().for_each(|joint| line(format!("  <joint name=\"{}\"/>", escaped(joint))));
            line("</group>".to_owned());
        }
        for GroupState { group, name, values } in &self.srdf().states {
            line(format!("<group_state name=\"{}\" group=\"{}\">", escaped(name), escaped(group)));
            for (joint, values) in values {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                line(format!("  <joint name=\"{}\" value=\"{}\"/>", escaped(joint), values.join(" ")));
            }
            line("</group_state>".to_owned());
        }
        for link in &self.srdf().disabled_by_default {
            line(format!("<disable_default_collisions link=\"{}\"/>", escaped(link)));
        }
        for pair in &self.srdf().enabled {
            let [a, b] = pair.each_ref().map(|name| escaped(name));
            line(format!("<enable_collisions link1=\"{a}\" link2=\"{b}\"/>"));
        }
        let mut disable = |a: &str, b: &str, reason: &str| {
            let [a, b] = [a, b].map(escaped);
            line(format!("<disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>"));
        };
        let mut written: BTreeSet<[&str; 2]> = BTreeSet::new();
        for ([a, b], is_user) in self.pairs_left_out() {
            disable(a, b, if is_user { "User" } else { "Adjacent" });
            written.insert([a, b]);
        }
        let bodies: Vec<&str> = self.bodies().collect();
        for ([a, b], certificate) in self.pairs().zip(certificates) {
            // An SRDF names links only; bodies from there on are attached objects. It is about all joints: a
            // certificate of a group takes the others' values as fixed.
            let is_about_links = a.max(b) < self.links().len() && !self.has_group();
            if *certificate == Certificate::Never && is_about_links {
                disable(bodies[a], bodies[b], "Never");
            }
        }
        // Pairs of links that this variant of the robot lacks, or that have no geometry.
        for [a, b] in &self.srdf().disabled {
            if !written.contains(&[a.as_str(), b]) && !written.contains(&[b.as_str(), a]) {
                disable(a, b, "User");
            }
        }
        text + "</robot>\n"
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

//! Rules: which bodies are compared, what counts as a clash between them, and what is ignored. Groups and rules have
//! the same keys in manifests and in files named by `--rules`.

use std::collections::HashSet;

use glob::{MatchOptions, Pattern};
use serde_json::Value;

use crate::assembly::{Assembly, Part};
use crate::clash::Class;
use crate::error::ClashError;
use crate::value::At;

const FILE_KEYS: [&str; 3] = ["groups", "rules", "clearance"];
const RULE_KEYS: [&str; 10] =
    ["name", "between", "same", "different", "hosted", "clearance", "tolerance", "touching", "report", "ignore"];

/// A rule about pairs of bodies, selected by their groups and properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// The name, which reports show.
    pub name: Option<String>,
    /// The indices of the two groups in [`Assembly::groups`]; `None` matches any body.
    pub between: [Option<usize>; 2],
    /// Properties that both bodies must have with the same value.
    pub same: Vec<String>,
    /// Properties in which the two bodies must differ.
    pub different: Vec<String>,
    /// Whether one body's property `host` must be the other's GlobalId or name.
    pub hosted: bool,
    /// [`Limits::clearance`] for the pairs to which the rule applies; `None` keeps the default.
    pub clearance: Option<f64>,
    /// [`Limits::tolerance`] for the pairs to which the rule applies; `None` keeps the default.
    pub tolerance: Option<f64>,
    /// [`Limits::may_touch`] for the pairs to which the rule applies; `None` keeps the default.
    pub may_touch: Option<bool>,
    /// [`Limits::reports`] for the pairs to which the rule applies; `None` keeps the default.
    pub reports: Option<Classes>,
    /// Whether the pairs to which the rule applies are not compared.
    pub ignore: bool,
}

impl Rule {
    /// Whether the rule applies to two bodies.
    pub fn fits(&self, a: &Part, b: &Part) -> bool {
        let is_in = |part: &Part, group: Option<usize>| group.is_none_or(|group| part.groups.contains(&group));
        let [x, y] = self.between;
        let is_same = |key: &String| a.property(key).is_some() && a.property(key) == b.property(key);
        (is_in(a, x) && is_in(b, y) || is_in(a, y) && is_in(b, x))
            && self.same.iter().all(is_same)
            && self.different.iter().all(|key| a.property(key) != b.property(key))
            && (!self.hosted || hosts(a, b) || hosts(b, a))
    }
}

fn hosts(host: &Part, part: &Part) -> bool {
    part.property("host").is_some_and(|id| host.global_id() == Some(id) || host.name == id)
}

/// A set of classes of clashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes(u8);

impl Classes {
    /// All classes.
    pub const ALL: Self = Self(u8::MAX);
    /// The classes that are reported by default: all but [`Class::Undefined`].
    pub const DEFINED: Self = Self(u8::MAX ^ 1 << Class::Undefined as u8);

    /// Whether a class is in the set.
    pub fn has(self, class: Class) -> bool {
        self.0 >> class as u8 & 1 == 1
    }

    fn of(classes: &[Class]) -> Self {
        Self(classes.iter().fold(0, |set, &class| set | 1 << class as u8))
    }

    /// The classes that a word names: `hard`, `clearance`, or the name of a single class; `None` if unknown.
    fn named(word: &str) -> Option<Self> {
        match word {
            "hard" => Some(Self::of(&[Class::Moved, Class::Enveloped, Class::Piercing, Class::Protruding])),
            "clearance" => Some(Self::of(&[Class::TooNear])),
            _ => Class::ALL.into_iter().find(|class| class.name() == word).map(|class| Self::of(&[class])),
        }
    }
}

/// The limits that decide what counts as a clash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Two bodies clash if they are no farther apart than this distance.
    pub clearance: f64,
    /// Overlapping bodies count as touching if their overlap depth is at most this distance or, if a mesh is open, if a
    /// move of at most this length separates them.
    pub tolerance: f64,
    /// Whether bodies may touch; contacts are then not clashes.
    pub may_touch: bool,
    /// The classes that are reported.
    pub reports: Classes,
    /// The index of the rule that sets the limits; `None` without a rule.
    pub rule: Option<usize>,
}

impl Default for Limits {
    /// Clearance and tolerance are 0, bodies may not touch, and all classes but `undefined` are reported.
    fn default() -> Self {
        Self { clearance: 0.0, tolerance: 0.0, may_touch: false, reports: Classes::DEFINED, rule: None }
    }
}

/// The rules of an assembly, with the default limits that apply where rules set none.
#[derive(Debug)]
pub struct Rules<'a> {
    assembly: &'a Assembly,
    otherwise: Limits,
}

impl<'a> Rules<'a> {
    /// The rules of an assembly. `otherwise` are the limits that apply where a rule sets none, and to all bodies if
    /// there are no rules.
    pub fn new(assembly: &'a Assembly, otherwise: Limits) -> Self {
        Self { assembly, otherwise }
    }

    /// The assembly.
    pub fn assembly(&self) -> &'a Assembly {
        self.assembly
    }

    /// The limits for two bodies according to the first rule that applies to them; `None` if the bodies are not
    /// compared. If the assembly has rules, pairs without an applicable rule are not compared.
    pub fn limits(&self, a: usize, b: usize) -> Option<Limits> {
        let Assembly { parts, rules, .. } = self.assembly;
        if rules.is_empty() {
            return Some(self.otherwise);
        }
        let index = rules.iter().position(|rule| rule.fits(&parts[a], &parts[b]))?;
        let rule = &rules[index];
        (!rule.ignore).then_some(Limits {
            clearance: rule.clearance.unwrap_or(self.otherwise.clearance),
            tolerance: rule.tolerance.unwrap_or(self.otherwise.tolerance),
            may_touch: rule.may_touch.unwrap_or(self.otherwise.may_touch),
            reports: rule.reports.unwrap_or(self.otherwise.reports),
            rule: Some(index),
        })
    }

    /// The largest clearance and tolerance of any rule and of the default limits. Pairs of bodies farther apart than
    /// this and the rounding of their meshes are not examined, except for parts of one GlobalId that may have moved.
    pub fn reach(&self) -> f64 {
        let lengths = self.assembly.rules.iter().flat_map(|rule| [rule.clearance, rule.tolerance]).flatten();
        lengths.fold(self.otherwise.clearance.max(self.otherwise.tolerance), f64::max)
    }
}

/// Adds the groups and rules of a TOML file. Its groups may include any body that the assembly already has, and its
/// rules come before the assembly's. A `clearance` in it replaces the assembly's.
///
/// # Errors
/// If the text is not TOML, or a key or value in it is invalid; the error names `file`, and the assembly is unchanged.
pub fn add_toml(text: &str, file: &str, assembly: &mut Assembly) -> Result<(), ClashError> {
    add_before(&At { value: &value_of_toml(text, file)?, place: file.to_owned() }, assembly)
}

/// Converts TOML for [`add_toml`] to JSON for [`add_json`].
///
/// # Errors
/// If the text is not TOML; the error names `file`.
pub fn json_of_toml(text: &str, file: &str) -> Result<String, ClashError> {
    Ok(value_of_toml(text, file)?.to_string())
}

fn value_of_toml(text: &str, file: &str) -> Result<Value, ClashError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map_or(String::new(), |line| format!(", line {line}"));
        ClashError::new(format!("{file}{line}: {}", error.message().trim().replace('\n', ", ")))
    })
}

/// [`add_toml`] for JSON with the same keys.
///
/// # Errors
/// If the text is not JSON, or a key or value in it is invalid; the error names `source`, and the assembly is
/// unchanged.
pub fn add_json(text: &str, source: &str, assembly: &mut Assembly) -> Result<(), ClashError> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| ClashError::caused(&format!("{source}: not JSON"), &error))?;
    add_before(&At { value: &value, place: source.to_owned() }, assembly)
}

fn add_before(root: &At<'_>, assembly: &mut Assembly) -> Result<(), ClashError> {
    root.object(&FILE_KEYS)?;
    let clearance = root.get("clearance").map(|clearance| clearance.length()).transpose()?;
    let groups = groups(root)?;
    let named: HashSet<&str> = groups.iter().map(|(name, _)| name.as_str()).collect();
    let rules = rules(root, |name| assembly.has_group(name) || named.contains(name))?;
    assembly.clearance = clearance.or(assembly.clearance);
    let later = std::mem::take(&mut assembly.rules);
    add_all(groups, rules, assembly);
    assembly.rules.extend(later);
    Ok(())
}

/// Adds the groups and rules of a manifest; its rules come after the assembly's.
///
/// # Errors
/// If the groups or rules are invalid; the assembly is then unchanged.
pub fn add(root: &At<'_>, assembly: &mut Assembly) -> Result<(), ClashError> {
    let groups = groups(root)?;
    // The bodies of a group may be those of a later manifest.
    add_all(groups, rules(root, |_| true)?, assembly);
    Ok(())
}

fn add_all(groups: Vec<(String, Selector)>, rules: Vec<NamedRule>, assembly: &mut Assembly) {
    let groups = groups.into_iter().map(|(group, selector)| (assembly.group(&group), selector));
    let groups: Vec<(usize, Selector)> = groups.collect();
    for part in &mut assembly.parts {
        let mut known: HashSet<usize> = part.groups.iter().copied().collect();
        let taken = groups.iter().filter(|(index, selector)| !known.contains(index) && selector.takes(part));
        let taken: Vec<usize> = taken.map(|(index, _)| *index).collect();
        part.groups.extend(taken.into_iter().filter(|&index| known.insert(index)));
    }
    for NamedRule { between, rule } in rules {
        let between = between.map(|name| (name != "*").then(|| assembly.group(&name)));
        assembly.rules.push(Rule { between, ..rule });
    }
}

/// Selects the bodies of a group: those that match every [`Line`].
struct Selector(Vec<Line>);

/// Patterns for the value of a property, or for the body's name if the key is `body`.
struct Line {
    key: String,
    wanted: Vec<Pattern>,
    /// The patterns that were written with `!` in front.
    unwanted: Vec<Pattern>,
}

impl Selector {
    fn takes(&self, part: &Part) -> bool {
        self.0.iter().all(|line| {
            let value = if line.key == "body" { Some(part.name.as_str()) } else { part.property(&line.key) };
            let options = MatchOptions { case_sensitive: false, ..MatchOptions::new() };
            let fits = |patterns: &[Pattern]| {
                value.is_some_and(|value| patterns.iter().any(|pattern| pattern.matches_with(value, options)))
            };
            (line.wanted.is_empty() || fits(&line.wanted)) && !fits(&line.unwanted)
        })
    }
}

fn groups(root: &At<'_>) -> Result<Vec<(String, Selector)>, ClashError> {
    let Some(groups) = root.get("groups") else { return Ok(Vec::new()) };
    let object = groups.value.as_object().ok_or_else(|| groups.error("expected an object"))?;
    let named = |name: &String| Some(selector(&groups.get(name)?).map(|selector| (name.clone(), selector)));
    object.keys().filter_map(named).collect()
}

fn selector(group: &At<'_>) -> Result<Selector, ClashError> {
    let object = group.value.as_object().ok_or_else(|| group.error("expected an object"))?;
    let lines = object.keys().filter_map(|key| group.get(key).map(|patterns| line(key, &patterns)));
    lines.collect::<Result<_, _>>().map(Selector)
}

fn line(key: &str, patterns: &At<'_>) -> Result<Line, ClashError> {
    let mut line = Line { key: key.to_owned(), wanted: Vec::new(), unwanted: Vec::new() };
    for text in patterns.text_or_texts()? {
        let (glob, list) = match text.strip_prefix('!') {
            Some(glob) => (glob, &mut line.unwanted),
            None => (text, &mut line.wanted),
        };
        list.push(Pattern::new(glob).map_err(|error| patterns.error(format!("the pattern '{glob}': {error}")))?);
    }
    Ok(line)
}

/// A rule whose groups are given by name; in the rule itself they match any body.
struct NamedRule {
    between: [String; 2],
    rule: Rule,
}

/// The rules; `is_known` says whether there is a group with a name.
fn rules(root: &At<'_>, is_known: impl Fn(&str) -> bool) -> Result<Vec<NamedRule>, ClashError> {
    let rules = root.get("rules").map_or(Ok(Vec::new()), |rules| rules.items())?;
    rules.iter().map(|rule| named_rule(rule, &is_known)).collect()
}

fn named_rule(rule: &At<'_>, is_known: impl Fn(&str) -> bool) -> Result<NamedRule, ClashError> {
    rule.object(&RULE_KEYS)?;
    let between = rule.get("between").ok_or_else(|| rule.error("it has no 'between': two groups, or \"*\""))?.pair()?;
    if let Some(unknown) = between.iter().find(|name| *name != "*" && !is_known(name)) {
        return Err(rule.error(format!("between: there is no group '{unknown}'")));
    }
    let length = |key: &str| rule.get(key).map(|value| value.length()).transpose();
    let yes = |key: &str| rule.get(key).map(|value| value.yes_or_no()).transpose();
    let keys = |key: &str| -> Result<Vec<String>, ClashError> {
        let texts = rule.get(key).map_or(Ok(Vec::new()), |value| value.text_or_texts())?;
        Ok(texts.into_iter().map(str::to_owned).collect())
    };
    let rule = Rule {
        name: rule.get("name").map(|name| name.text().map(str::to_owned)).transpose()?,
        between: [None; 2],
        same: keys("same")?,
        different: keys("different")?,
        hosted: yes("hosted")?.unwrap_or(false),
        clearance: length("clearance")?,
        tolerance: length("tolerance")?,
        may_touch: yes("touching")?,
        reports: rule.get("report").map(|value| classes(&value)).transpose()?,
        ignore: yes("ignore")?.unwrap_or(false),
    };
    Ok(NamedRule { between, rule })
}

fn classes(value: &At<'_>) -> Result<Classes, ClashError> {
    let mut all = Classes(0);
    for word in value.text_or_texts()? {
        let named = Classes::named(word).ok_or_else(|| {
            let known = Class::ALL.map(Class::name).join(", ");
            value.error(format!("unknown class '{word}'")).hint(format!("known classes: hard, clearance, {known}"))
        })?;
        all.0 |= named.0;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bvtree::{BuildOptions, BvTree, Mesh, Pose};
    use nalgebra::Point3;

    use super::*;

    #[test]
    fn many_groups_of_many_bodies() {
        let mesh = Mesh::from_arrays(vec![Point3::origin(); 3], vec![[0, 1, 2]]).unwrap();
        let tree = Arc::new(BvTree::build(&mesh, &BuildOptions::default()).unwrap());
        let mut assembly = Assembly::default();
        for body in 0..300 {
            let (name, tree, pose) = (format!("b{body}"), tree.clone(), Pose::identity());
            assembly.add(Part { name, tree, pose, groups: Vec::new(), properties: Default::default() }).unwrap();
        }
        let groups = |range: std::ops::Range<usize>| {
            let groups: Vec<String> = range.map(|i| format!("\"g{i}\": {{\"body\": \"*\"}}")).collect();
            format!("{{\"groups\": {{{}}}}}", groups.join(","))
        };
        // The second file has all groups of the first again.
        add_json(&groups(10_000..15_000), "first", &mut assembly).unwrap();
        add_json(&groups(10_000..20_000), "second", &mut assembly).unwrap();
        assert_eq!((assembly.groups.len(), assembly.group("g10000")), (10_000, 0));
        assert!(assembly.parts.iter().all(|part| part.groups.iter().copied().eq(0..10_000)));
    }

    #[test]
    fn refused_rules_leave_the_assembly_as_it_was() {
        let mut assembly = Assembly::default();
        add_json(r#"{"clearance": 1, "rules": [{"name": "all", "between": ["*", "*"]}]}"#, "first", &mut assembly)
            .unwrap();
        let before = assembly.rules.clone();
        let faulty = [
            r#"{"clearance": 2, "groups": {"g": {"body": "["}}}"#,
            r#"{"clearance": 2, "groups": {"g": {}}, "rules": [{"between": ["g", "*"]}, {"between": ["g", "h"]}]}"#,
            r#"{"clearance": 2, "groups": {"g": {}}, "rules": [{"between": ["g", "*"]}, 5]}"#,
        ];
        for text in faulty {
            assert!(add_json(text, "second", &mut assembly).is_err(), "{text}");
            assert_eq!((&assembly.rules, assembly.clearance), (&before, Some(1.0)), "{text}");
            assert!(assembly.groups.is_empty() && !assembly.has_group("g"), "{text}");
        }
    }
}

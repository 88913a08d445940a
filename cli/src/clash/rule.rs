//! What is said about the bodies of two groups.

/// A rule about the bodies of two groups; `None` is any body.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub between: [Option<usize>; 2],
    pub clearance: Option<f64>,
    pub tolerance: Option<f64>,
    pub may_touch: Option<bool>,
    /// Such bodies are not compared.
    pub ignore: bool,
}

impl Rule {
    /// Whether it is about two bodies of these groups.
    pub fn fits(&self, a: &[usize], b: &[usize]) -> bool {
        let is_in = |groups: &[usize], group: Option<usize>| group.is_none_or(|group| groups.contains(&group));
        let [x, y] = self.between;
        is_in(a, x) && is_in(b, y) || is_in(a, y) && is_in(b, x)
    }
}

//! The surface area heuristic: expected tests of a random line.

use crate::tree::NodeInfo;

/// Cost of testing one volume.
pub const VOLUME_COST: f64 = 1.0;

/// Cost of testing one triangle.
pub const TRIANGLE_COST: f64 = 1.0;

/// What a visit to a node costs: its children's volumes are tested one by one, or its triangles are.
pub(super) fn visit_cost(node: &NodeInfo) -> f64 {
    if node.is_leaf() { triangles_cost(node) } else { VOLUME_COST * node.children as f64 }
}

/// What a visit to the node would cost if it were a leaf.
pub(super) fn triangles_cost(node: &NodeInfo) -> f64 {
    TRIANGLE_COST * node.triangles as f64
}

//! The binary tree that builders hand on: which triangles stay together, without volumes.

/// A node in preorder: the left child follows its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct BinaryNode {
    /// Triangles below the node, consecutive in the builder's order.
    pub(super) triangles: u32,
    /// Leaves below the node, 1 for a leaf. [`Binary::new`] counts those of inner nodes.
    leaves: u32,
    /// Nodes from this one to its right child; 0 for a leaf or a bundle.
    pub(super) right: u32,
    /// Half the surface area of the volume that was split, in an arbitrary unit; 0 for a leaf.
    pub(super) area: f32,
}

impl BinaryNode {
    pub(super) fn leaf(triangles: u32) -> Self {
        Self { triangles, leaves: 1, right: 0, area: 0.0 }
    }

    /// Stands for a subtree whose leaves hold a triangle each, halved down to them: how does not matter where they become
    /// siblings anyway.
    pub(super) fn bundle(triangles: u32, area: f32) -> Self {
        Self { triangles, leaves: triangles, right: 0, area }
    }

    /// `right` is known once the left child's subtree is there.
    pub(super) fn inner(triangles: u32, area: f32) -> Self {
        Self { triangles, leaves: 0, right: 0, area }
    }
}

/// A binary tree over the builder's order of triangles. Empty for an empty mesh.
pub(super) struct Binary {
    pub(super) nodes: Vec<BinaryNode>,
}

/// A subtree: its head's index, its triangles and how many leaves they are in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) node: usize,
    pub(super) first: usize,
    pub(super) triangles: usize,
    pub(super) leaves: usize,
}

impl Place {
    pub(super) fn is_leaf(self) -> bool {
        self.leaves == 1
    }
}

impl Binary {
    pub(super) fn new(mut nodes: Vec<BinaryNode>) -> Self {
        // Children come after their parents.
        for i in (0..nodes.len()).rev() {
            let right = nodes[i].right as usize;
            if right != 0 {
                nodes[i].leaves = nodes[i + 1].leaves + nodes[i + right].leaves;
            }
        }
        Self { nodes }
    }

    pub(super) fn root(&self) -> Option<Place> {
        (!self.nodes.is_empty()).then(|| self.place(0, 0))
    }

    fn place(&self, node: usize, first: usize) -> Place {
        let BinaryNode { triangles, leaves, .. } = self.nodes[node];
        Place { node, first, triangles: triangles as usize, leaves: leaves as usize }
    }

    /// The two children, or none for a leaf or a bundle.
    pub(super) fn children(&self, place: Place) -> Option<[Place; 2]> {
        let right = self.nodes[place.node].right as usize;
        (right != 0).then(|| {
            let left = self.place(place.node + 1, place.first);
            [left, self.place(place.node + right, place.first + left.triangles)]
        })
    }

    /// The first triangle of every node.
    pub(super) fn first_triangles(&self) -> Vec<u32> {
        let mut firsts = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            let right = node.right as usize;
            if right != 0 {
                firsts[i + 1] = firsts[i];
                firsts[i + right] = firsts[i] + self.nodes[i + 1].triangles;
            }
        }
        firsts
    }

    /// Appends the leaves of a subtree, in order.
    pub(super) fn push_leaves(&self, place: Place, leaves: &mut impl Extend<Place>) {
        match self.children(place) {
            Some(children) => children.into_iter().for_each(|child| self.push_leaves(child, leaves)),
            None => {
                let triangles = place.triangles / place.leaves;
                let firsts = (place.first..place.first + place.triangles).step_by(triangles);
                leaves.extend(firsts.map(|first| Place { first, triangles, leaves: 1, ..place }));
            }
        }
    }

    /// Splits between the root and the deepest leaf.
    pub(super) fn depth(&self) -> u32 {
        let mut deepest = 0;
        let mut stack: Vec<(Place, u32)> = self.root().map(|root| (root, 0)).into_iter().collect();
        while let Some((place, depth)) = stack.pop() {
            match self.children(place) {
                Some(children) => stack.extend(children.map(|child| (child, depth + 1))),
                None => deepest = deepest.max(depth + place.leaves.next_power_of_two().ilog2()),
            }
        }
        deepest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halves down to single triangles.
    fn halved(triangles: u32, nodes: &mut Vec<BinaryNode>) {
        let node = nodes.len();
        if triangles == 1 {
            nodes.push(BinaryNode::leaf(1));
            return;
        }
        nodes.push(BinaryNode::inner(triangles, 1.0));
        halved(triangles / 2, nodes);
        nodes[node].right = (nodes.len() - node) as u32;
        halved(triangles - triangles / 2, nodes);
    }

    #[test]
    fn a_bundle_is_what_it_stands_for() {
        for triangles in 2..=20 {
            let mut nodes = Vec::new();
            halved(triangles, &mut nodes);
            let (halved, bundle) = (Binary::new(nodes), Binary::new(vec![BinaryNode::bundle(triangles, 1.0)]));
            assert_eq!(halved.depth(), bundle.depth());
            let leaves = [&halved, &bundle].map(|binary| {
                let mut leaves: Vec<Place> = Vec::new();
                binary.push_leaves(binary.root().unwrap(), &mut leaves);
                leaves.iter().map(|leaf| (leaf.first, leaf.triangles, leaf.is_leaf())).collect::<Vec<_>>()
            });
            assert_eq!(leaves[0], leaves[1]);
            assert_eq!(halved.root().unwrap().leaves, triangles as usize);
        }
    }
}

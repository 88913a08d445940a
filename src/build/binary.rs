//! The binary tree that builders hand on: which triangles stay together, without volumes.

/// A node in preorder: the left child follows its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct BinaryNode {
    /// Triangles below the node, consecutive in the builder's order.
    pub(super) triangles: u32,
    /// Nodes from this one to its right child; 0 for a leaf.
    pub(super) right: u32,
    /// Half the surface area of the volume that was split, in an arbitrary unit; 0 for a leaf.
    pub(super) area: f32,
}

/// A binary tree over the builder's order of triangles. Empty for an empty mesh.
pub(super) struct Binary {
    pub(super) nodes: Vec<BinaryNode>,
}

/// A subtree: its head's index and its number of nodes, and the first of its triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) node: usize,
    nodes: usize,
    pub(super) first: usize,
}

impl Place {
    pub(super) fn is_leaf(self) -> bool {
        self.nodes == 1
    }

    pub(super) fn leaves(self) -> usize {
        self.nodes.div_ceil(2)
    }
}

impl Binary {
    pub(super) fn root(&self) -> Option<Place> {
        (!self.nodes.is_empty()).then_some(Place { node: 0, nodes: self.nodes.len(), first: 0 })
    }

    pub(super) fn triangles(&self, place: Place) -> usize {
        self.nodes[place.node].triangles as usize
    }

    /// The two children, or none for a leaf.
    pub(super) fn children(&self, place: Place) -> Option<[Place; 2]> {
        let right = self.nodes[place.node].right as usize;
        (right != 0).then(|| {
            let left = Place { node: place.node + 1, nodes: right - 1, first: place.first };
            let first = place.first + self.triangles(left);
            [left, Place { node: place.node + right, nodes: place.nodes - right, first }]
        })
    }

    /// Every node, in preorder.
    pub(super) fn places(&self) -> Vec<Place> {
        let mut places = Vec::with_capacity(self.nodes.len());
        let mut stack: Vec<Place> = self.root().into_iter().collect();
        while let Some(place) = stack.pop() {
            places.push(place);
            if let Some([left, right]) = self.children(place) {
                stack.extend([right, left]);
            }
        }
        places
    }

    /// The leaves of a subtree, in order.
    pub(super) fn leaves_of(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let mut first = place.first;
        (place.node..place.node + place.nodes).filter(|&node| self.nodes[node].right == 0).map(move |node| {
            let leaf = Place { node, nodes: 1, first };
            first += self.triangles(leaf);
            leaf
        })
    }

    /// Every leaf with its first triangle, in order.
    pub(super) fn leaves(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let leaves = self.nodes.iter().filter(|node| node.right == 0).map(|node| node.triangles as usize);
        leaves.scan(0, |first, count| {
            let leaf = (*first, count);
            *first += count;
            Some(leaf)
        })
    }

    pub(super) fn leaf_triangles_max(&self) -> usize {
        self.leaves().map(|(_, count)| count).max().unwrap_or(0)
    }

    /// Splits between the root and the deepest leaf.
    pub(super) fn depth(&self) -> u32 {
        let mut deepest = 0;
        let mut stack: Vec<(Place, u32)> = self.root().map(|root| (root, 0)).into_iter().collect();
        while let Some((place, depth)) = stack.pop() {
            deepest = deepest.max(depth);
            stack.extend(self.children(place).into_iter().flatten().map(|child| (child, depth + 1)));
        }
        deepest
    }
}

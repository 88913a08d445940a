"""Measures a kind of bounding volume that bvtree does not have, ellipsoids, at the nodes of a tree of boxes, and counts the tests of queries with them."""

import numpy as np

import bvtree


class Ellipsoid:
    """With the proportions of the points' axis-aligned box."""

    def __init__(self, points):
        lower, upper = points.min(axis=0), points.max(axis=0)
        self.center, half = (lower + upper) / 2, np.maximum((upper - lower) / 2, 1e-9)
        self.radii = half * np.linalg.norm((points - self.center) / half, axis=1).max() * (1 + 1e-12)
        self.aabb = np.array([self.center - self.radii, self.center + self.radii])
        self.volume = 4 / 3 * np.pi * self.radii.prod()
        a, b, c = self.radii**1.6075  # Thomsen's formula, within 1.1%
        self.surface_area = 4 * np.pi * ((a * b + b * c + c * a) / 3) ** (1 / 1.6075)
        # For the cost of queries: the hull of points on the surface, made larger until it encloses the ellipsoid.
        turns, heights = np.meshgrid(np.arange(16) * np.pi / 8, np.arange(9) * np.pi / 8)
        sphere = np.stack([np.cos(turns) * np.sin(heights), np.sin(turns) * np.sin(heights), np.cos(heights)], axis=-1)
        self.shape = bvtree.ConvexShape(self.center + 1.05 * self.radii * sphere.reshape(-1, 3))

    def contains(self, point):
        return np.linalg.norm((point - self.center) / self.radii) <= 1

    def meets_line(self, point, direction):
        start, way = (point - self.center) / self.radii, direction / self.radii
        return np.linalg.norm(start - way * (start @ way) / (way @ way)) <= 1


tree = bvtree.Tree(bvtree.Mesh.open("data/nonmanifold.obj"))
for name, table in [("ellipsoids", bvtree.volume_metrics(tree, Ellipsoid, samples=1024)), ("boxes", bvtree.metrics(tree))]:
    print(f"{name}: volume / hull {table['volume_ratio'][-1]:.2f}, area / mesh {table['area_ratio'][-1]:.2f}, EPO {table['epo'][-1]:.3f}")
poses = bvtree.PoseSet.sample(tree, tree).poses
tests = [int(bvtree.volume_query_cost(tree, tree, poses, fit)["volume_tests"].sum()) for fit in (Ellipsoid, None)]
print(f"volume tests of ellipsoids and of the tree's boxes, at {len(poses)} poses: {tests}")

"""Trees that follow meshes which deform."""

import numpy as np
import pytest

import bvtree
from conftest import box, moved, soup


@pytest.mark.parametrize("kind", ["obb", "aabb", "sphere"])
def test_answers_are_those_of_a_new_tree(rng, kind):
    vertices, faces = soup(rng, 200)
    deforming = bvtree.DeformingTree((vertices, faces), kind)
    for step in range(1, 4):
        vertices = (vertices + 0.05 * step * rng.normal(size=vertices.shape)).astype(np.float32)
        told = deforming.refit(vertices)
        assert told["volumes"] > 0 and not told["was_rebuilt"] and told["cost_ratio"] == deforming.cost_ratio
        fresh = bvtree.Tree((vertices, faces), kind)
        pose = moved(x=0.3)
        assert (deforming.mesh.vertices == vertices).all()
        found = bvtree.intersecting_pairs(deforming.tree, fresh, pose)
        assert found.tolist() == bvtree.intersecting_pairs(fresh, fresh, pose).tolist() and len(found)
        assert bvtree.distance(deforming.tree, fresh, moved(x=9)) == bvtree.distance(fresh, fresh, moved(x=9))


def test_some_vertices_move():
    vertices, faces = box()
    deforming, before = bvtree.DeformingTree((vertices, faces)), bvtree.Tree((vertices, faces))
    snapshot = deforming.tree
    deforming.refit_moved([7], [[3, 1, 1]])
    assert deforming.tree.bounds[1].tolist() == [3, 1, 1]
    assert snapshot.bounds.tolist() == before.bounds.tolist()
    deforming.rebuild()
    assert deforming.cost_ratio == 1


def test_rebuilds_when_it_pays(rng):
    vertices, faces = soup(rng, 300)
    deforming = bvtree.DeformingTree((vertices, faces), rebuild_above=1.2)
    told = deforming.refit(rng.permutation(vertices.reshape(-1, 3, 3)).reshape(-1, 3))
    assert told["was_rebuilt"] and told["cost_ratio"] > 1.2 and deforming.cost_ratio == 1


def test_scenes_take_deformed_trees():
    deforming = bvtree.DeformingTree(box())
    scene = bvtree.Scene()
    scene.add(deforming.tree), scene.add(bvtree.Tree(box()), moved(x=5))
    assert len(scene.intersecting_pairs()) == 0
    deforming.refit(np.asarray(box()[0]) * [6, 1, 1])
    scene.set_tree(0, deforming.tree)
    assert scene.intersecting_pairs().tolist() == [[0, 1]]
    with pytest.raises(KeyError):
        scene.set_tree(9, deforming.tree)


def test_hostile_positions():
    vertices, faces = box()
    deforming = bvtree.DeformingTree((vertices, faces))
    for wrong in (vertices[:7], vertices[:, :2], vertices * np.nan, "no", vertices * 1e39):
        with pytest.raises(ValueError):
            deforming.refit(wrong)
    for indices, places in (([8], [[0, 0, 0]]), ([0, 1], [[0, 0, 0]]), ([0], [[np.nan, 0, 0]])):
        with pytest.raises(ValueError):
            deforming.refit_moved(indices, places)
    with pytest.raises(ValueError, match="counted from 0"):
        deforming.refit_moved([-1], [[0, 0, 0]])
    with pytest.raises(ValueError, match="OBB axes"):
        bvtree.DeformingTree((vertices, faces), obb_axes="any")
    assert (deforming.mesh.vertices == vertices).all()

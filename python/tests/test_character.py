"""A character among bodies: it walks as in Rust, and errors change nothing."""

import threading

import numpy as np
import pytest

import bvtree
from bvtree import pose_from_translation as at
from conftest import box

TIME = 1 / 60


@pytest.fixture
def cube():
    return bvtree.Tree(box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)))


def on_floor():
    scene = bvtree.Scene()
    floor = scene.add(bvtree.ConvexShape.box([18, 18, 1]), at([0, 0, -0.5]), static=True)
    return scene, floor


def standing(scene, feet, **options):
    character = bvtree.Character(feet, **options)
    for _ in range(60):
        character.step(scene, TIME)
    assert character.ground() is not None, character
    return character


def test_a_walk_up_stairs_and_on_a_lift_ends_where_it_does_in_rust(cube):
    """As tests/character/bindings.rs."""
    scene, _ = on_floor()
    for i in range(3):
        scene.add(cube, at([2 + i, 0, 0.25 * i - 0.25]), static=True)
    lift = scene.add(cube, at([5, 0, 0.25]))
    character = bvtree.Character([0, 0.1, 0.5])
    rise = lambda step: at([5, 0, 0.25 + 0.005 * max(step - 120, 0)])
    path = []
    for step in range(180):
        walk = [2, 0.05, 0] if step < 150 else None
        motions = [(lift, rise(step), rise(step + 1))]
        character.step(scene, TIME, walk, jump=3 if step == 30 else 0, motions=motions)
        if step % 60 == 59:
            path.append(character.feet.tolist())
    assert path == [
        [1.815367483318907, 0.14538418708297254, 0.2837500000001434],
        [3.805942543090007, 0.1951485635772498, 0.7600000000000223],
        [4.805942543090004, 0.22014856357724955, 1.0600000000000207],
    ]
    assert character.ground().body == lift


def test_a_wall_blocks_and_is_pushed_a_belt_carries_groups_are_ignored():
    scene, floor = on_floor()
    wall = scene.add(bvtree.ConvexShape.box([1, 4, 4]), at([2, 0, 0]), groups=2)
    character = standing(scene, [0, 0, 0.01])
    for _ in range(90):
        step = character.step(scene, TIME, [2, 0, 0])
    assert step.tolist() == (1, 0, 1, -1, 0.0)
    assert character.feet[0] == pytest.approx(1.19, abs=0.01)
    (push,) = character.pushes()
    assert (push.body, push.normal[0]) == (wall, -1) and push.speed == pytest.approx(2)
    ground = character.ground()
    assert (ground.body, ground.face, ground.normal.tolist()) == (floor, -1, [0, 0, 1])
    assert ground.point[2] == pytest.approx(0, abs=1e-9)
    for _ in range(60):
        character.step(scene, TIME, surface_velocities=[(floor, [-1, 0, 0])])
    assert character.feet[0] == pytest.approx(0.19, abs=0.01)
    for _ in range(60):
        character.step(scene, TIME, (2, 0, 0), mask=1)
    assert character.feet[0] == pytest.approx(2.19, abs=0.01)
    assert character.pushes().shape == (0,)


def test_it_crouches_stands_up_where_there_is_room_flies_and_is_crushed():
    scene, _ = on_floor()
    ceiling = scene.add(bvtree.ConvexShape.box([2, 2, 1]), at([0, 0, 2]))
    character = standing(scene, [0, 0, 0.01], height=1, skin=0.02)
    assert not character.has_room(scene, height=1.8) and character.has_room(scene, height=1.4)
    assert character.has_room(scene, height=1.8, motions=[(ceiling, at([0, 0, 9]))])
    assert character.has_room(scene, height=1.8, mask=2)
    character.set_options(height=1.4)
    assert (character.options["height"], character.options["skin"]) == (1.4, 0.02)
    step = character.step(scene, TIME, motions={ceiling: at([0, 0, 1.5])}.items())
    assert step.is_crushed and step.overlap_body == ceiling
    assert step.overlap_depth == pytest.approx(0.4, abs=0.05)
    character.teleport([5, 0, 0.02])
    character.set_velocity([0, 0, 5])
    assert character.velocity.tolist() == [0, 0, 5] and character.ground() is None
    character.step(scene, 0.1)
    assert character.feet[2] > 0.4


def test_a_camera_glides_over_a_ledge(cube):
    scene, _ = on_floor()
    scene.add(cube, at([2, 0, -0.25]))
    character = standing(scene, [0, 0, 0.01], camera_half_life=0.1)
    while abs(character.camera_offset) < 0.01:
        character.step(scene, TIME, [2, 0, 0])
    offset = character.camera_offset
    assert -0.3 < offset < -0.05
    for _ in range(6):
        character.step(scene, TIME)
    assert character.camera_offset / offset == pytest.approx(0.5)


def test_a_platform_is_passed_from_below():
    scene, _ = on_floor()
    platform = scene.add(bvtree.Tree(([[-1, -1, 2.2], [1, -1, 2.2], [0, 2, 2.2]], [[0, 1, 2]])))

    def end(one_sided):
        character = standing(scene, [0, 0, 0.01])
        for i in range(120):
            character.step(scene, TIME, jump=7.5 if i == 0 else 0, one_sided=one_sided)
        return character.feet[2]

    assert end([platform]) == pytest.approx(2.21, abs=0.01) and end(None) < 0.02
    with pytest.raises(KeyError):
        end([9])


def test_errors_change_nothing():
    scene, floor = on_floor()
    for feet, options in [([0, 0], {}), ([0, 0, np.nan], {}), ([0] * 3, {"radius": 0}), ([0] * 3, {"up": [0, 0, 0]})]:
        with pytest.raises(ValueError):
            bvtree.Character(feet, **options)
    with pytest.raises(TypeError, match="unexpected keyword argument 'size'"):
        bvtree.Character([0, 0, 0], size=2)
    character = standing(scene, [0, 0, 0.01], up=[0, 0, 9])
    feet = character.feet.tolist()
    here = np.eye(4)
    for error, arguments in [
        (ValueError, {"walk": [1]}),
        (KeyError, {"motions": [(7, here)]}),
        (KeyError, {"surface_velocities": [(7, [1, 0, 0])]}),
        (bvtree.Error, {"motions": [(floor, here), (floor, here)]}),
        (bvtree.InvalidPose, {"motions": [(floor, 2 * here)]}),
        (ValueError, {"motions": [(floor,)]}),
        (TypeError, {"motions": [floor]}),
        (ValueError, {"surface_velocities": [(floor, [1, 0])]}),
    ]:
        with pytest.raises(error):
            character.step(scene, TIME, **arguments)
    for call in [
        lambda: character.set_velocity([0, np.inf, 0]),
        lambda: character.teleport([0, 0]),
        lambda: character.set_options(skin=1),
        lambda: character.has_room(scene, max_step=-1),
    ]:
        with pytest.raises(ValueError):
            call()
    character.step(scene, 0, [1, 0, 0])
    assert character.feet.tolist() == feet and character.ground().body == floor
    assert bvtree.Character(feet, **character.options).options == character.options


def test_characters_of_several_threads_walk_in_one_scene():
    scene, _ = on_floor()
    characters = [standing(scene, [0, y, 0.01]) for y in range(3)]

    def walk(character):
        for _ in range(60):
            character.step(scene, TIME, [1, 0, 0])

    threads = [threading.Thread(target=walk, args=(character,)) for character in [*characters, characters[0]]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [round(float(character.feet[0]), 6) for character in characters] == [2, 1, 1]

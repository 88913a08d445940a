//! A character that walks: through a level, over platforms, and at random.

mod among;
mod bindings;
mod changes;
mod course;
mod in_scene;
mod ledges;
mod machines;
mod moving;
mod one_sided;
mod pushed;
mod random;
mod situations;
mod stations;
mod tiles;
mod wedged;

use bvtree_test_support::walking_level as level;

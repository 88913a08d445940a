//! A character that walks: through a level, over platforms, and at random.

mod course;
mod moving;
mod random;
mod situations;

use bvtree_test_support::walking_level as level;

//! A character that walks: through a level, over platforms, and at random.

#[path = "../../examples/character/level.rs"]
mod level;

mod course;
mod moving;
mod random;
mod situations;

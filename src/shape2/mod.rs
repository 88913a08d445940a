//! Elementary shapes in 2D and the tests between them.

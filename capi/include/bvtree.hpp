/* bvtree for C++17: wraps bvtree.h with RAII handles, views of arrays, and errors as exceptions.
 *
 *     bvtree::Tree gear = bvtree::Tree::open("gear.obb.bvt");
 *     bvtree::Query query = bvtree::Query::make();
 *     bool hit = query.intersects(gear, gear, bvtree::from_translation(40, 0, 0));
 *
 * Functions throw bvtree::Error. With BVTREE_NO_EXCEPTIONS defined, or if the compiler has exceptions disabled, they
 * return a bvtree::Result<T>, which has the value or the error. Results that may be missing (no hit, nothing within a
 * bound) are std::optional. A callback may return nothing, or a bool that is false to stop.
 *
 * The rules of bvtree.h about threads, frames and lifetimes apply here too. */
#ifndef BVTREE_HPP
#define BVTREE_HPP

#include "bvtree/character.hpp"
#include "bvtree/compound.hpp"
#include "bvtree/convex_shape.hpp"
#include "bvtree/mesh.hpp"
#include "bvtree/pose.hpp"
#include "bvtree/probe.hpp"
#include "bvtree/query.hpp"
#include "bvtree/refit.hpp"
#include "bvtree/result.hpp"
#include "bvtree/robot.hpp"
#include "bvtree/scene.hpp"
#include "bvtree/tree.hpp"

#endif

// Uses the rest of bvtree.hpp: scenes, probes, deforming meshes, characters and exceptions.
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include <bvtree.hpp>

namespace {

void check(bool right, const char *what) {
    if (!right) throw std::runtime_error(what);
}

void probes(const bvtree::Tree &tree) {
    bvtree::Probe probe = bvtree::Probe::make();
    const bvtree::Ray ray{{-1000.0, 0.1, 0.2}, {1.0, 0.0, 0.0}};
    const auto hit = probe.closest_hit(tree, ray);
    check(hit && hit->time > 0.0 && probe.any_hit(tree, ray), "closest_hit");
    std::size_t hits = 0;
    probe.for_each_hit(tree, ray, bvtree::infinity, [&](const bvtree::RayHit &) { hits++; });
    check(hits >= 2, "for_each_hit");
    const auto closest = probe.closest_point(tree, {0.0, 0.0, 0.0});
    check(closest.has_value() && !probe.closest_point(tree, {1e6, 0.0, 0.0}, 1.0), "closest_point");
    std::size_t faces = 0;
    probe.for_each_face_in_aabb(tree, tree.bounds(), [&](std::uint32_t) { faces++; });
    check(faces == bvtree::TreeInfo(tree.info()).triangles, "for_each_in");
    check(probe.contains(tree, {1e6, 0.0, 0.0}) == BVT_OUTSIDE, "contains");
    check(probe.contains_robust(tree, {1e6, 0.0, 0.0}).containment == BVT_OUTSIDE, "contains_robust");
    check(probe.signed_distance(tree, {1e3, 0.0, 0.0}).value() > 0.0, "signed_distance");
    check(std::abs(bvtree::winding_number(tree, {1e6, 0.0, 0.0})) < 1e-6, "winding_number");
    const bvtree::Capsule capsule{{-1000.0, 0.1, 0.2}, {-1000.0, 0.1, 0.2}, 0.1};
    check(probe.cast_capsule(tree, capsule, {2000.0, 0.0, 0.0}).has_value(), "cast_capsule");
    check(!probe.closest_capsule_contact(tree, capsule, 1.0), "closest_contact");
}

/* Objects and materials of triangles: the crate's sides are objects, each with planks and a frame. */
void groups(const std::string &path) {
    BvtReadOptions options{};
    options.struct_size = sizeof options;
    options.group_by = "both";
    const bvtree::Tree tree = bvtree::Tree::build(bvtree::Mesh::open(path, &options));
    const std::size_t triangles = bvtree::TreeInfo(tree.info()).triangles;
    const bvtree::GroupIds names = tree.group_ids(), materials = tree.material_ids();
    check(names.ids.size() == triangles && materials.ids.size() == triangles, "ids");
    check(names.distinct == 12 && materials.distinct == 2, "distinct names");
    for (std::uint32_t face = 0; face < triangles; face++) {
        const std::optional<std::size_t> number = tree.group_of(face);
        check(number.has_value(), "group_of");
        const bvtree::Group group = tree.group(*number);
        check(group.first_triangle <= face && group.name.find('/') != std::string::npos, "group");
        check(group.material == (materials.ids[face] == 0 ? "planks" : "frame"), "material");
    }
    check(!tree.group_of(static_cast<std::uint32_t>(triangles)), "no group");
}

/* Convex shapes against a tree and in a scene. */
void shapes(const bvtree::Tree &tree) {
    bvtree::Probe probe = bvtree::Probe::make();
    const bvtree::Aabb bounds = tree.bounds();
    const double width = bounds.upper[0] - bounds.lower[0];
    const bvtree::ConvexShape ball = bvtree::ConvexShape::sphere(0.1 * width);
    const bvtree::ConvexShape can = bvtree::ConvexShape::cylinder(width, width), cone = bvtree::ConvexShape::cone(1.0, 0.5);
    const bvtree::ConvexShape crate = bvtree::ConvexShape::cuboid({width, width, width}).rounded(0.1 * width);
    const std::vector<bvtree::Point> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}};
    const bvtree::ConvexShape hull = bvtree::ConvexShape::hull(corners);
    check(bool(hull.contains({0.2, 0.2, 0.2})) && !hull.contains({0.4, 0.4, 0.4}), "contains");
    check(bvtree::Point(hull.support_point({0.0, 0.0, 3.0}))[2] == 1.0, "support_point");
    const bvtree::Pose beside = bvtree::from_translation(bounds.upper[0] + 2.0 * width, 0.0, 0.0);
    const bvtree::Aabb box = ball.aabb(beside);
    check(std::abs(box.lower[0] - (beside.translation[0] - 0.1 * width)) < 1e-9 * width, "aabb");
    check(bvtree::Obb(cone.obb(bvtree::identity())).half_extents[2] >= 1.0, "obb");
    check(probe.intersects_convex(tree, can, bvtree::identity()) && !probe.intersects_convex(tree, can, beside), "intersects_convex");
    std::size_t faces = 0;
    probe.for_each_face_in_convex(tree, crate, bvtree::identity(), [&](std::uint32_t) { faces++; });
    check(faces > 0, "for_each_face_in_convex");
    check(probe.closest_to_convex(tree, ball, beside)->distance > width, "closest_to_convex");
    const auto hit = probe.cast_convex(tree, crate, beside, {-4.0 * width, 0.0, 0.0});
    check(hit && hit->time > 0.0 && hit->time < 0.5, "cast_convex");
    check(probe.closest_convex_contact(tree, ball, beside)->distance > width, "closest_convex_contact");
    std::size_t contacts = 0, manifolds = 0;
    probe.for_each_convex_contact(tree, crate, bvtree::identity(), 0.0, [&](const auto &contact) {
        contacts += contact.distance <= 0.0;
    });
    check(contacts > 0 && contacts <= faces, "for_each_convex_contact");
    const bvtree::Pose above = bvtree::from_translation(0.0, 0.0, bounds.upper[2] + 1.1 * width);
    const auto count = [&](const bvtree::ContactManifold &manifold) { manifolds += manifold.point_count > 0; };
    probe.for_each_convex_contact_manifold(tree, crate, above, 0.1 * width, count);
    check(manifolds > 0, "for_each_convex_contact_manifold");
    check(probe.support_point(tree, {1.0, 0.0, 0.0})->point[0] == bounds.upper[0], "support_point of a mesh");
    check(std::abs(ball.contact(ball, bvtree::identity(), 0.0)->distance + 0.2 * width) < 1e-9 * width, "contact");
    manifolds = 0;
    ball.for_each_contact_manifold(ball, bvtree::from_translation(0.2 * width, 0.0, 0.0), 0.1 * width, count);
    check(manifolds == 1, "for_each_contact_manifold of shapes");

    bvtree::Scene scene = bvtree::Scene::make();
    scene.add(tree, bvtree::identity());
    const bvtree::BodyId body = scene.add(bvtree::ConvexShape::capsule(width, 0.1 * width), beside);
    check(scene.closest_pair()->distance > 0.0 && scene.closest_pair()->faces.face_b == BVT_NO_FACE, "a shape in a scene");
    const bvtree::Pose ahead = bvtree::from_translation(-9.0 * width, 0.0, 0.0);
    const auto met = scene.cast_convex(probe, bvtree::ConvexShape::sphere(width), ahead, {18.0 * width, 0.0, 0.0});
    check(met && met->hit.time > 0.0 && met->hit.time < 1.0, "cast_convex in a scene");
    scene.set_shape(body, bvtree::ConvexShape::sphere(3.0 * width));
    check(scene.closest_pair()->distance == 0.0, "set_shape");
    const bvtree::Part parts[] = {bvtree::part(ball), bvtree::part(tree, bvtree::from_translation(-9.0 * width, 0.0, 0.0))};
    const bvtree::Compound compound = bvtree::Compound::make(parts);
    scene.set_compound(body, compound);
    scene.set_pose(body, bvtree::from_translation(10.0 * width, 0.0, 0.0));
    check(scene.closest_pair()->parts[1] == 1, "parts");
    const bvtree::BodyId other = scene.add(compound, bvtree::from_translation(0.0, 0.0, 99.0 * width));
    bvtree::Query query = bvtree::Query::make();
    check(scene.closest_body(query, tree, bvtree::identity())->body != other, "closest_body");
    scene.set_pair_filter([](void *, const BvtFilteredPair *) { return 0; });
    check(!scene.closest_pair(), "set_pair_filter");
}

/* A hand on two slides, and a crate in its way. */
void robots(const std::string &data) {
    const char *const path = "everything.urdf";
    std::FILE *file = std::fopen(path, "w");
    std::fputs("<robot name='slides'>"
               "<link name='base'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>"
               "<link name='hand'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>"
               "<joint name='along' type='prismatic'><origin xyz='0.5 0 0'/><parent link='base'/><child link='hand'/>"
               "<axis xyz='1 0 0'/><limit lower='-1' upper='2'/></joint></robot>",
               file);
    std::fclose(file);
    bvtree::Robot robot = bvtree::Robot::open(path);
    std::remove(path);
    const bvtree::Tree crate = bvtree::Tree::build(bvtree::Mesh::open(data + "/crate.obj"));
    robot.add_object("crate", crate, bvtree::from_translation(2.0, 0.0, 0.0));
    check(robot.value_count() == 1 && std::string(robot.value_name(0)) == "along" && robot.body_name(2) == "crate", "names");
    const std::vector<double> from{0.0}, to{1.2}, both{0.0, 1.0};
    check(robot.is_free(from) && robot.free(both) == std::vector<bool>{true, false}, "free");
    check(robot.first_blocked(from, to, 13) == std::size_t(10), "first_blocked");
    const auto impact = robot.first_impact(from, to, 0.05);
    check(impact && robot.body_name(impact->bodies[1]) == "crate" && impact->parameter < 10.0 / 12.0, "first_impact");
    bvtree::Robot other = robot.copy();
    other.allow("hand", "crate");
    check(!other.first_impact(from, to, 0.05) && other.is_free(to), "allow");
    try {
        robot.is_free(both);
        check(false, "a configuration of two values");
    } catch (const bvtree::Error &error) {
        check(error.status() == BVT_ERROR_ARGUMENT && std::string(error.what()).find("values") != std::string::npos, "text");
    }
}

/* The message of an error is that of the call that failed, not of the one before. */
void messages(const bvtree::Tree &tree) {
    bvtree::Query query = bvtree::Query::make();
    bvtree::Scene scene = bvtree::Scene::make();
    const std::vector<bvtree::BodyMotion> motions(1);
    const auto fails = [](const auto &call) {
        try {
            call();
            check(false, "an error");
        } catch (const bvtree::Error &error) {
            check(std::string(error.what()) == bvt_last_error(), error.what());
        }
    };
    fails([&] { query.set_solids(BVT_SOLID, BVT_SURFACE); });
    fails([&] { scene.remove(12345); });
    fails([&] { tree.save(""); });
    fails([&] { scene.for_each_impact(motions, 0.0, [](const bvtree::BodyImpact &) {}); });
}

void pairs(const bvtree::Tree &tree) {
    bvtree::Query query = bvtree::Query::make();
    const double width = tree.bounds().upper[0] - tree.bounds().lower[0];
    const bvtree::Pose crossing = bvtree::from_translation(0.3 * width, 0.1, 0.1);
    const auto all = query.intersecting_pairs(tree, tree, crossing);
    check(!all.empty() && all.size() == query.count_pairs(tree, tree, crossing), "pairs");
    check(query.relation(tree, tree, crossing) == BVT_CROSSING, "relation");
    const auto penetration = query.penetration(tree, tree, crossing);
    check(penetration && penetration->upper_bound > 0.0, "penetration");
    check(query.penetration_along(tree, tree, crossing, {1.0, 0.0, 0.0}).has_value(), "penetration_along");
    const bvtree::FreeInterval way_out = query.free_interval_along(tree, tree, crossing, {1.0, 0.0, 0.0});
    check(way_out.start > 0.0 && way_out.end > way_out.start, "free_interval_along");
    std::size_t manifolds = 0;
    query.for_each_contact_manifold(tree, tree, crossing, 0.1 * width, [&](const bvtree::ContactManifold &found) {
        manifolds += found.point_count >= 1 && found.point_count <= 4;
    });
    check(manifolds > 0, "contact_manifolds");
    std::size_t regions = 0;
    query.for_each_overlap_region(tree, tree, crossing, nullptr, [&](const bvtree::OverlapRegion &found) {
        regions += found.depth.has_point == 1 && found.bounds.lower[0] < found.bounds.upper[0];
    });
    check(regions > 0, "overlap_regions");
    check(query.hausdorff_distance(tree, tree, crossing)->upper > 0.0, "hausdorff_distance");
    const bvtree::Pose apart = bvtree::from_translation(3.0 * width, 0.0, 0.0);
    check(query.time_of_impact(tree, tree, apart, crossing).outcome == BVT_IMPACT, "time_of_impact");
    check(query.within(tree, tree, apart, 3.0 * width).is_within, "within");
    std::size_t lines = 0, patches = 0;
    query.for_each_intersection_curve(tree, tree, crossing, [&](const bvtree::Polyline &) { lines++; });
    query.for_each_contact_patch(tree, tree, crossing, [&](const bvtree::ContactPatch &) { patches++; });
    check(lines > 0 && patches > 0, "contacts");
    bvtree::DistanceTracker tracker = bvtree::DistanceTracker::of(tree, tree);
    const std::vector<bvtree::Pose> poses{apart, crossing};
    const auto distances = bvtree::many::distance(tree, tree, poses);
    for (std::size_t i = 0; i < poses.size(); i++) {
        check(tracker.distance(query, poses[i])->distance == distances[i].distance, "tracker");
    }
    check(bvtree::many::first_hit(tree, tree, poses).value() == 1, "first hit");
    // An exception in a callback propagates out of the query.
    try {
        query.for_each_intersecting_pair(tree, tree, crossing, [](const bvtree::FacePair &) { throw std::out_of_range("mine"); });
        check(false, "thrown");
    } catch (const std::out_of_range &) {
    }
    check(query.intersects(tree, tree, crossing), "and it can be asked again");
}

/* A cube about the origin. */
bvtree::Tree cube(float size) {
    std::vector<float> corners;
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) corners.push_back(((i >> k) & 1 ? 0.5f : -0.5f) * size);
    }
    const std::vector<std::uint32_t> faces{0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    return bvtree::Tree::build(bvtree::Mesh::of(corners, faces), bvtree::build_options(BVT_KIND_OBB, BVT_PRESET_FAST));
}

void solids() {
    const bvtree::Tree outer = cube(2.0f), inner = cube(1.0f);
    bvtree::Query query = bvtree::Query::make();
    const bvtree::Pose pose = bvtree::identity();
    check(!query.intersects(outer, inner, pose), "surfaces");
    query.set_solids(BVT_SOLID_IF_CLOSED, BVT_SURFACE);
    check(query.intersects(outer, inner, pose) && query.distance(outer, inner, pose)->distance == 0.0, "a solid");
    check(!query.intersects(inner, outer, pose), "a surface");
    query.set_solids(BVT_SURFACE, BVT_SOLID_ROBUST);
    check(query.intersects(inner, outer, pose), "a robust solid");

    bvtree::Scene scene = bvtree::Scene::make();
    scene.add(outer, pose);
    scene.add(inner, bvtree::from_translation(1.4, 0.1, 0.2));
    std::size_t depths = 0, manifolds = 0;
    scene.for_each_overlap_depth(BVT_SURFACE, nullptr, [&](const bvtree::OverlappingPair &pair) {
        depths += pair.depth.lower <= 0.1 + 1e-6 && pair.depth.upper >= 0.1 - 1e-6;
    });
    scene.for_each_contact_manifold(0.15, [&](const bvtree::BodyManifold &found) {
        manifolds += found.manifold.point_count == 4 && std::abs(found.manifold.points[0].depth - 0.1) < 1e-6;
    });
    std::size_t free = 0;
    scene.for_each_penetration_depth(nullptr, [&](const bvtree::PenetratingPair &pair) {
        free += pair.depth.upper >= 0.1 - 1e-6 && pair.depth.translation[0] >= 0.1 - 1e-6;
    });
    check(depths == 1 && manifolds == 1 && free == 1, "depths of bodies");
}

void scenes(const bvtree::Mesh &mesh, const bvtree::Tree &tree) {
    const double width = tree.bounds().upper[0] - tree.bounds().lower[0];
    bvtree::Scene scene = bvtree::Scene::make();
    std::vector<bvtree::BodyId> bodies;
    for (int i = 0; i < 10; i++) bodies.push_back(scene.add(tree, bvtree::from_translation(0.6 * width * i, 0.0, 0.0)));
    std::size_t touching = 0, near = 0;
    scene.for_each_intersecting_pair([&](const bvtree::BodyPair &) { touching++; });
    scene.for_each_pair_within(0.5 * width, [&](const bvtree::NearPair &) { near++; });
    check(touching == 9 && near >= 17, "touching");
    bvtree::Probe probe = bvtree::Probe::make();
    const auto hit = scene.closest_hit(probe, {{-10.0 * width, 0.1, 0.2}, {1.0, 0.0, 0.0}});
    check(hit && hit->body == bodies[0], "closest_hit");

    // A deforming body.
    bvtree::DeformingTree deforming = bvtree::DeformingTree::of(tree, mesh);
    std::vector<float> positions(mesh.vertices().begin(), mesh.vertices().end());
    for (float &x : positions) x *= 1.25f;
    scene.refit(bodies[9], deforming, positions);
    const bvtree::Tree larger = deforming.tree();
    check(larger.bounds().upper[0] > tree.bounds().upper[0], "refit");
    const std::vector<std::uint32_t> moved{0, 1};
    deforming.refit_moved(moved, std::vector<float>(positions.begin(), positions.begin() + 6));
    for (int count : {3, 5, 7, 9}) {
        bvtree::Status status = BVT_OK;
        try {
            deforming.refit_moved(moved, std::vector<float>(positions.begin(), positions.begin() + count));
        } catch (const bvtree::Error &error) {
            status = error.status();
        }
        check(status == BVT_ERROR_ARGUMENT, "three coordinates for each vertex");
    }
    scene.set_poses(bodies, std::vector<bvtree::Pose>(10, bvtree::from_translation(0.0, 0.0, 5.0)));
    for (std::size_t i = 1; i < bodies.size(); i++) scene.remove(bodies[i]);
    check(scene.size() == 1 && bvtree::Pose(scene.pose(bodies[0])).translation[2] == 5.0, "remove");

    bvtree::Character character = bvtree::Character::at({0.0, 0.0, tree.bounds().upper[2] + 1.0});
    const bvtree::Surroundings surroundings{sizeof(bvtree::Surroundings), scene.get(), nullptr, 0, nullptr, 0, 0, nullptr, 0};
    const bvtree::CharacterStep step = character.step(surroundings, {0.0, 0.0, 0.0}, 0.0, 0.01);
    check(!step.is_on_ground && step.velocity[2] < 0.0, "character");
    check(character.has_room(surroundings, bvtree::Character::defaults()), "room");
    // It falls on a table.
    bvtree::Scene room = bvtree::Scene::make();
    const bvtree::BodyId table = room.add(bvtree::ConvexShape::cuboid({2.0, 2.0, 0.5}), bvtree::identity());
    const bvtree::Surroundings inside{sizeof(bvtree::Surroundings), room.get(), nullptr, 0, nullptr, 0, 0, nullptr, 0};
    character.teleport({0.0, 0.0, 1.0});
    bool landed = false;
    for (int i = 0; i < 60 && !landed; i++) {
        character.step(inside, {0.0, 0.0, 0.0}, 0.0, 0.01);
        character.for_each_push([&](const bvtree::CharacterPush &push) { landed = push.body == table && push.speed > 1.0; });
    }
    check(landed, "for_each_push");
    // Beside the table's edge, of which too little is under the foot.
    bvtree::CharacterOptions careful = bvtree::Character::defaults();
    for (const double threshold : {0.0, 0.2}) {
        careful.perch_radius_threshold = threshold;
        bvtree::Character beside = bvtree::Character::at({2.15, 0.0, 0.6}, careful);
        bvtree::CharacterStep last{};
        for (int i = 0; i < 100; i++) last = beside.step(inside, {0.0, 0.0, 0.0}, 0.0, 0.01);
        check(last.is_on_ground == (threshold == 0.0) && std::fabs(last.camera_offset) < 1e-6, "perch_radius_threshold");
    }
}

} // namespace

int main(int count, char **arguments) {
    const std::string data = count > 1 ? arguments[1] : "data";
    try {
        solids();
        robots(data);
        groups(data + "/crate.obj");
        const bvtree::Mesh mesh = bvtree::Mesh::open(data + "/torus_knot.obj");
        for (const BvtKind kind : {BVT_KIND_OBB, BVT_KIND_AABB, BVT_KIND_SPHERE}) {
            const bvtree::Tree tree = bvtree::Tree::build(mesh, bvtree::build_options(kind, BVT_PRESET_FAST));
            messages(tree);
            pairs(tree);
            probes(tree);
            shapes(tree);
            scenes(mesh, tree);
        }
        try {
            bvtree::Tree::open(data + "/torus_knot.obj");
            return 1;
        } catch (const bvtree::Error &error) {
            check(error.status() == BVT_ERROR_FILE, "status");
            std::printf("all answers are as expected; and: %s\n", error.what());
        }
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

// Rays, boxes and capsules cast into a level with props, asked of Jolt: for each the time in microseconds, and the part of the way
// after which something is met (2 for nothing).
//
//   peer_jolt_casts LEVEL.obj CASES
//
// CASES has lines `prop HALF_EXTENTS QUATERNION TRANSLATION`, `ray ORIGIN WAY`, `box HALF_EXTENTS QUATERNION TRANSLATION WAY` and
// `capsule HALF_LENGTH RADIUS QUATERNION TRANSLATION WAY` (quaternions as x, y, z, w), as `--bench cast_ratio` writes them. The level is
// one static mesh, and the props are boxes. One untimed pass, then a timed one; the first hit of each is asked for, as its default settings
// say, but with back faces.
#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/CollisionCollectorImpl.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <Jolt/Physics/Collision/ShapeCast.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include <chrono>
#include <iostream>

#include "inputs.h"

using namespace JPH;

namespace {

struct Layers final : BroadPhaseLayerInterface {
  uint GetNumBroadPhaseLayers() const override { return 1; }
  BroadPhaseLayer GetBroadPhaseLayer(ObjectLayer) const override { return BroadPhaseLayer(0); }
};

struct Cast {
  RefConst<Shape> shape;
  Mat44 at = Mat44::sIdentity();
  Vec3 way;
};

float ask(const NarrowPhaseQuery& query, const Cast& cast) {
  if (cast.shape == nullptr) {
    RayCastResult hit;
    RayCastSettings settings;
    settings.SetBackFaceMode(EBackFaceMode::CollideWithBackFaces);
    ClosestHitCollisionCollector<CastRayCollector> closest;
    query.CastRay(RRayCast(cast.at.GetTranslation(), cast.way), settings, closest);
    return closest.HadHit() ? closest.mHit.mFraction : 2.0f;
  }
  ShapeCastSettings settings;
  settings.SetBackFaceMode(EBackFaceMode::CollideWithBackFaces);
  ClosestHitCollisionCollector<CastShapeCollector> closest;
  query.CastShape(RShapeCast(cast.shape, Vec3::sReplicate(1.0f), cast.at, cast.way), settings, RVec3::sZero(), closest);
  return closest.HadHit() ? closest.mHit.mFraction : 2.0f;
}

Vec3 vector(std::istream& from) {
  float x, y, z;
  from >> x >> y >> z;
  return Vec3(x, y, z);
}

Quat quaternion(std::istream& from) {
  float x, y, z, w;
  from >> x >> y >> z >> w;
  return Quat(x, y, z, w).Normalized();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail(std::string("usage: ") + argv[0] + " LEVEL.obj CASES");
  RegisterDefaultAllocator();
  Factory::sInstance = new Factory;
  RegisterTypes();
  Layers layers;
  ObjectVsBroadPhaseLayerFilter with_layer;
  ObjectLayerPairFilter with_object;
  PhysicsSystem system;
  system.Init(1 << 17, 0, 1024, 1024, layers, with_layer, with_object);
  BodyInterface& bodies = system.GetBodyInterfaceNoLock();

  const Mesh mesh = read_obj(argv[1]);
  VertexList vertices;
  IndexedTriangleList triangles;
  for (const auto& [x, y, z] : mesh.vertices) vertices.push_back(Float3(x, y, z));
  for (const auto& [i, j, k] : mesh.triangles) triangles.push_back(IndexedTriangle(i, j, k, 0));
  const ShapeSettings::ShapeResult level = MeshShapeSettings(vertices, triangles).Create();
  if (level.HasError()) fail(level.GetError().c_str());
  const auto add = [&](const Shape* shape, Vec3 at, Quat turn, EMotionType motion) {
    const BodyCreationSettings settings(shape, at, turn, motion, 0);
    bodies.CreateAndAddBody(settings, EActivation::DontActivate);
  };
  add(level.Get(), Vec3::sZero(), Quat::sIdentity(), EMotionType::Static);

  std::vector<Cast> casts;
  std::ifstream file = open_text(argv[2]);
  for (std::string word; file >> word;) {
    Cast cast;
    if (word == "prop") {
      const Vec3 half = vector(file);
      const Quat turn = quaternion(file);
      add(new BoxShape(half, 0.0f), vector(file), turn, EMotionType::Dynamic);
      continue;
    }
    if (word == "ray") {
      cast.at = Mat44::sTranslation(vector(file));
    } else {
      if (word == "box") {
        cast.shape = new BoxShape(vector(file), 0.0f);
      } else {
        float half_length, radius;
        file >> half_length >> radius;
        cast.shape = new CapsuleShape(half_length, radius);
      }
      const Quat turn = quaternion(file);
      cast.at = Mat44::sRotationTranslation(turn, vector(file));
    }
    cast.way = vector(file);
    casts.push_back(cast);
  }
  system.OptimizeBroadPhase();

  const NarrowPhaseQuery& query = system.GetNarrowPhaseQueryNoLock();
  std::vector<float> answers;
  for (const Cast& cast : casts) answers.push_back(ask(query, cast));
  using Clock = std::chrono::steady_clock;
  for (size_t i = 0; i < casts.size(); i++) {
    const auto began = Clock::now();
    const volatile float answer = ask(query, casts[i]);
    (void)answer;
    printf("%.4f %.9g\n", std::chrono::duration<double, std::micro>(Clock::now() - began).count(), answers[i]);
  }
}

/* bvtree for C: bounding-volume trees of triangle meshes, cooked offline, queried two at a time, exact down to triangles.
 * Made by cbindgen of capi/src; see docs/engines.md for a tour.
 *
 * Calls. A function gives a status: 0 is done, BVT_NONE is done and there is nothing to tell, errors are negative and
 * bvt_last_error() has their text. Answers are written through pointers, and only if the status is BVT_OK. Pointers must not
 * be null unless told otherwise; that is an error. What answers are written to must not overlap what is read.
 *
 * Memory. What bvt_..._new, _build, _open and the like write is freed by bvt_..._free, once: a second time is undefined
 * behaviour, as with free(). Null may be freed. Trees are shared: a scene or a tracker keeps them when handles are freed.
 *
 * Threads. BvtMesh and BvtTree never change and may be used by any number of threads at once. BvtQuery, BvtProbe,
 * BvtDistanceTracker, BvtDeformingTree and BvtCharacter are for one thread at a time: keep one per thread. BvtScene: rays, points,
 * capsules, other meshes and bvt_scene_relation, _count, _body, _is_solid, _stats by any number of threads at once; all else alone. A
 * breach is an error, BVT_ERROR_BUSY, as it is if a callback asks with the object that calls it. To free an object that
 * another thread uses is undefined behaviour.
 *
 * Structures that begin with struct_size may grow: set it to sizeof, and all you don't care about to zero. Numbers that are not
 * finite are errors in poses and meshes, and touch nothing elsewhere.
 *
 * The library neither prints nor exits. It keeps no state but the text of each thread's last error, and, with the feature
 * rayon, a pool of threads from when it is first needed (see bvt_pool_run). Where memory runs out the process ends.
 */

#ifndef BVTREE_H
#define BVTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The most points of a contact.
 */
#define BVT_CONTACT_POINTS 6

/**
 * Where a buffer begins that `bvt_tree_from_buffer` uses in place: at a multiple of so many bytes.
 */
#define BVT_BUFFER_ALIGNMENT 16

/**
 * Check the header alone, which takes the same short time for any size: for bytes that this program wrote itself or
 * has opened with all checks before. Damaged ones may give any answer, panic or never end, but touch no memory that is
 * not theirs.
 */
#define BVT_OPEN_TRUSTED 1

/**
 * Map the file into memory in place of reading it. As long as the tree lives nobody may change the file in place or
 * cut it off, which would be undefined behaviour; to replace it by another file of its name is fine.
 */
#define BVT_OPEN_MAPPED 2

/**
 * The version of the library that this header is of.
 */
#define BVT_VERSION_MAJOR 0

/**
 * The version of the library that this header is of.
 */
#define BVT_VERSION_MINOR 2

/**
 * The version of the library that this header is of.
 */
#define BVT_VERSION_PATCH 0

/**
 * The version of the binary interface that this header describes. Programs compiled with one don't work with another.
 */
#define BVT_ABI_VERSION 1

/**
 * What became of a call. Errors are negative; `bvt_last_error` has their text.
 */
enum BvtStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * It is done, and the answer is written.
   */
  BVT_OK = 0,
  /**
   * It is done, and there is no answer to give: no hit, no closest point of an empty mesh, nothing within the bound.
   * No answer is written.
   */
  BVT_NONE = 1,
  /**
   * An argument is null, out of range or not a number where it has to be one.
   */
  BVT_ERROR_ARGUMENT = -1,
  /**
   * The object is in use: by another thread, or by the call whose callback asks.
   */
  BVT_ERROR_BUSY = -2,
  /**
   * Arrays or a file that are not a mesh.
   */
  BVT_ERROR_MESH = -3,
  /**
   * A matrix that is not a rotation, or numbers that are not finite.
   */
  BVT_ERROR_POSE = -4,
  /**
   * A tree can't be built so.
   */
  BVT_ERROR_BUILD = -5,
  /**
   * Not a cooked tree, or a damaged one.
   */
  BVT_ERROR_FILE = -6,
  /**
   * A cooked tree of another format version: cook the mesh again.
   */
  BVT_ERROR_FORMAT_VERSION = -7,
  /**
   * A buffer does not begin at a multiple of `BVT_BUFFER_ALIGNMENT` bytes.
   */
  BVT_ERROR_MISALIGNED = -8,
  /**
   * A file can't be read or written.
   */
  BVT_ERROR_IO = -9,
  /**
   * The caller's allocator gave no memory, or the caller's writer refused bytes.
   */
  BVT_ERROR_CALLER = -10,
  /**
   * A motion is too long for f64's steps of time to resolve what happens near the meshes.
   */
  BVT_ERROR_MOTION = -11,
  /**
   * The body is not in the scene.
   */
  BVT_ERROR_NO_SUCH_BODY = -12,
  /**
   * A scene can't do that: a body reaches too far from the origin, is solid and its mesh is not closed, or has two
   * motions; or there are too many.
   */
  BVT_ERROR_SCENE = -13,
  /**
   * A tree that can't follow this mesh, or positions that are not those of its vertices.
   */
  BVT_ERROR_REFIT = -14,
  /**
   * The mesh encloses no volume, so that it has no mass.
   */
  BVT_ERROR_MASS = -15,
  /**
   * The library was built without what this takes.
   */
  BVT_ERROR_NOT_BUILT_IN = -16,
  /**
   * An internal error of the library. Free the objects that were passed: their state is undefined.
   */
  BVT_ERROR_PANIC = -17,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtStatus BvtStatus;
#else
typedef int32_t BvtStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What the depth of a patch is.
 */
enum BvtDepthSource
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * No two triangles' interiors cross: nothing has gone in.
   */
  BVT_DEPTH_TOUCHING = 0,
  /**
   * How far corners of the patch's triangles reach along the normal: an estimate.
   */
  BVT_DEPTH_VERTEX_EXTENT = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtDepthSource BvtDepthSource;
#else
typedef uint32_t BvtDepthSource;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What comes of a motion.
 */
enum BvtMotionOutcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * The meshes touch at no time of this motion: proven for it, and for no other way between the same poses.
   */
  BVT_NO_IMPACT = 0,
  /**
   * They touch at the start.
   */
  BVT_TOUCHING_AT_START = 1,
  /**
   * They meet later.
   */
  BVT_IMPACT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtMotionOutcome BvtMotionOutcome;
#else
typedef uint32_t BvtMotionOutcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How two meshes lie to each other.
 */
enum BvtRelation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * No point in common, and neither is inside the other.
   */
  BVT_SEPARATE = 0,
  /**
   * The surfaces touch and don't pass through each other.
   */
  BVT_TOUCHING = 1,
  /**
   * The surfaces pass through each other.
   */
  BVT_CROSSING = 2,
  /**
   * A's surface is inside B; it may touch B's.
   */
  BVT_A_IN_B = 3,
  /**
   * B's surface is inside A; it may touch A's.
   */
  BVT_B_IN_A = 4,
  /**
   * One of them is where the other one's inside might be, which has holes: there is no telling.
   */
  BVT_UNDEFINED = 5,
  /**
   * The same thing twice; of bodies of a scene only.
   */
  BVT_COINCIDENT = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtRelation BvtRelation;
#else
typedef uint32_t BvtRelation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Where a point is.
 */
enum BvtContainment
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Neither enclosed by the mesh nor on it.
   */
  BVT_OUTSIDE = 0,
  /**
   * Enclosed by the mesh and not on it.
   */
  BVT_INSIDE = 1,
  /**
   * On a triangle, exactly.
   */
  BVT_ON_SURFACE = 2,
  /**
   * The mesh is not closed, and the point is not on it.
   */
  BVT_NO_INSIDE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtContainment BvtContainment;
#else
typedef uint32_t BvtContainment;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Instructions to use. Answers are the same with all of them.
 */
enum BvtSimd
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * The best ones of this CPU.
   */
  BVT_SIMD_DETECT = 0,
  /**
   * Such as every CPU has.
   */
  BVT_SIMD_PORTABLE = 1,
  /**
   * Registers of 128 bits.
   */
  BVT_SIMD_128 = 2,
  /**
   * x86-64 with AVX2 and FMA.
   */
  BVT_SIMD_AVX2 = 3,
  /**
   * x86-64 with AVX-512.
   */
  BVT_SIMD_AVX512 = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtSimd BvtSimd;
#else
typedef uint32_t BvtSimd;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Whether a mesh has an inside.
 */
enum BvtWatertightness
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Some edge has an odd number of triangles: there is no inside.
   */
  BVT_WATERTIGHTNESS_OPEN = 0,
  /**
   * Closed, but triangles' orders of corners disagree.
   */
  BVT_WATERTIGHTNESS_UNORIENTED = 1,
  /**
   * Closed, and its triangles agree.
   */
  BVT_WATERTIGHTNESS_ORIENTED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtWatertightness BvtWatertightness;
#else
typedef uint32_t BvtWatertightness;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What coordinates are.
 */
enum BvtScalar
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * float
   */
  BVT_F32 = 0,
  /**
   * double, which is rounded to float: bring a mesh far from the origin near to it first.
   */
  BVT_F64 = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtScalar BvtScalar;
#else
typedef uint32_t BvtScalar;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What indices are.
 */
enum BvtIndex
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * uint32_t
   */
  BVT_U32 = 0,
  /**
   * uint16_t
   */
  BVT_U16 = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtIndex BvtIndex;
#else
typedef uint32_t BvtIndex;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A tree's bounding volumes. They change the work, never an answer.
 */
enum BvtKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Oriented boxes: the fastest to ask.
   */
  BVT_KIND_OBB = 0,
  /**
   * Axis-aligned boxes: the fastest to build.
   */
  BVT_KIND_AABB = 1,
  /**
   * Spheres: the smallest.
   */
  BVT_KIND_SPHERE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtKind BvtKind;
#else
typedef uint32_t BvtKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The less time questions shall take, the more a build does.
 */
enum BvtPreset
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Good for most.
   */
  BVT_PRESET_BALANCED = 0,
  /**
   * For meshes that change often.
   */
  BVT_PRESET_FAST = 1,
  /**
   * For meshes that are cooked once.
   */
  BVT_PRESET_TIGHT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtPreset BvtPreset;
#else
typedef uint32_t BvtPreset;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What becomes of the axes of oriented boxes.
 */
enum BvtObbAxes
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * They turn as the boxes' vertices do.
   */
  BVT_AXES_TURNED = 0,
  /**
   * They stay what the builder chose: the quickest, for small deformations.
   */
  BVT_AXES_KEPT = 1,
  /**
   * They are found anew.
   */
  BVT_AXES_REFITTED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtObbAxes BvtObbAxes;
#else
typedef uint32_t BvtObbAxes;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What lies inside a body.
 */
enum BvtSolid
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Nothing: the body is its surface.
   */
  BVT_SURFACE = 0,
  /**
   * Matter: what has a part inside touches the body and is at distance 0 from it. The mesh must be closed.
   */
  BVT_SOLID = 1,
  /**
   * Matter if the mesh is closed, else nothing.
   */
  BVT_SOLID_IF_CLOSED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BvtSolid BvtSolid;
#else
typedef uint32_t BvtSolid;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A character that walks over meshes. One thread at a time may use it.
 */
typedef struct BvtCharacter BvtCharacter;

/**
 * A mesh that deforms, and a tree that follows it. One thread at a time may use it; the trees it gives are as all
 * trees.
 */
typedef struct BvtDeformingTree BvtDeformingTree;

/**
 * Follows the distance of two meshes from pose to pose: the answers of `bvt_distance`, several times as fast where
 * poses change little. One thread at a time may use it.
 */
typedef struct BvtDistanceTracker BvtDistanceTracker;

/**
 * A triangle mesh, which never changes: any number of threads may use it at once.
 */
typedef struct BvtMesh BvtMesh;

/**
 * Threads of the library. Any number of threads may use it at once.
 */
typedef struct BvtPool BvtPool;

/**
 * Answers questions about one tree: rays, points, volumes, moving capsules. It keeps its memory from one question to
 * the next: use one per thread. One thread at a time may use it.
 */
typedef struct BvtProbe BvtProbe;

/**
 * Answers questions about two trees. It keeps its memory from one question to the next: use one per thread. One thread
 * at a time may use it; that it is in use is an error, `BVT_ERROR_BUSY`.
 */
typedef struct BvtQuery BvtQuery;

/**
 * Many bodies. Questions whose scene is `const` may be asked by any number of threads at once, each with a query
 * object or probe of its own; the others, and changes, by one thread alone.
 */
typedef struct BvtScene BvtScene;

/**
 * A bounding-volume tree of a mesh with the mesh's triangles. It never changes: any number of threads may use it at
 * once. A handle shares the tree with its copies and with all that was made of it, and the tree lives as long as one
 * of them.
 */
typedef struct BvtTree BvtTree;

/**
 * Sizes and limits, in the unit of the meshes and in seconds: `bvt_character_defaults` has those of a person in
 * metres, z up.
 */
typedef struct BvtCharacterOptions {
  /**
   * sizeof(BvtCharacterOptions)
   */
  size_t struct_size;
  /**
   * Radius of the upright capsule.
   */
  double radius;
  /**
   * Height from the feet to the top; twice the radius or more.
   */
  double height;
  /**
   * The way up; of any length but zero.
   */
  double up[3];
  /**
   * The gap that is kept to everything.
   */
  double skin;
  /**
   * The highest step that is walked up.
   */
  double max_step;
  /**
   * The steepest slope that is walked up, as rise over run.
   */
  double max_slope;
  /**
   * How far down ground is followed.
   */
  double snap;
  /**
   * Acceleration downward.
   */
  double gravity;
  /**
   * How fast the wished walk changes the velocity in the air.
   */
  double air_acceleration;
  /**
   * Longer steps in time are taken in parts of this length.
   */
  double max_part;
} BvtCharacterOptions;

/**
 * A rotation, row by row, and a translation: x -> R x + t. Entries that are not finite are refused, and matrices of
 * which an entry of R^T R - I exceeds 1e-4 (room for what f32 rounds) or that mirror. A translation may be of any
 * size; a body of a scene must not reach farther than 1e30 from the world's origin.
 */
typedef struct BvtPose {
  /**
   * r00, r01, r02, r10 and so on.
   */
  double rotation[9];
  /**
   * In the unit of the meshes.
   */
  double translation[3];
} BvtPose;

/**
 * A mesh in its place, which may change during a step: a platform, a door.
 */
typedef struct BvtCharacterBody {
  /**
   * The mesh.
   */
  const struct BvtTree *tree;
  /**
   * Where it is at the start of the step.
   */
  struct BvtPose start;
  /**
   * Where it is at its end.
   */
  struct BvtPose end;
} BvtCharacterBody;

/**
 * What happened in a step.
 */
typedef struct BvtCharacterStep {
  /**
   * Something other than ground was in the way.
   */
  bool is_blocked;
  /**
   * Moving bodies left no room.
   */
  bool is_crushed;
  /**
   * Whether it stands on something.
   */
  bool is_on_ground;
  /**
   * The lowest point of the capsule.
   */
  double feet[3];
  /**
   * In the air how fast it flies, on the ground how fast it was to walk.
   */
  double velocity[3];
} BvtCharacterStep;

/**
 * All points within a radius of a segment. Equal ends make it a sphere.
 */
typedef struct BvtCapsule {
  /**
   * One end of the segment.
   */
  double start[3];
  /**
   * The other end.
   */
  double end[3];
  /**
   * Not negative.
   */
  double radius;
} BvtCapsule;

/**
 * What a character stands on.
 */
typedef struct BvtGround {
  /**
   * Unit normal of the surface that is walked on.
   */
  double normal[3];
  /**
   * Where it is touched.
   */
  double point[3];
  /**
   * The body, by its place among those of the step.
   */
  size_t body;
  /**
   * The triangle.
   */
  uint32_t face;
} BvtGround;

/**
 * Of a solid of density 1: times a density, the volume is the mass and the inertia that of the mass.
 */
typedef struct BvtMassProperties {
  /**
   * In cubed units of the mesh.
   */
  double volume;
  /**
   * The centre of mass.
   */
  double center[3];
  /**
   * About the centre, along the mesh's axes, row by row; symmetric.
   */
  double inertia[9];
} BvtMassProperties;

/**
 * An axis-aligned box. The lower corner of an empty one is greater than the upper one.
 */
typedef struct BvtAabb {
  /**
   * The corner of least coordinates.
   */
  double lower[3];
  /**
   * The corner of greatest coordinates.
   */
  double upper[3];
} BvtAabb;

/**
 * A mesh's vertices and triangles as they lie in the caller's memory, at any alignment: in vertex buffers of an
 * engine, among other attributes. They are read once, straight into the mesh, and not needed afterwards.
 */
typedef struct BvtMeshArrays {
  /**
   * sizeof(BvtMeshArrays)
   */
  size_t struct_size;
  /**
   * The first vertex: three coordinates one after the other.
   */
  const void *vertices;
  /**
   * How many vertices.
   */
  size_t vertex_count;
  /**
   * Bytes from one vertex to the next; 0 if there is nothing between them.
   */
  size_t vertex_stride;
  /**
   * A BvtScalar.
   */
  uint32_t vertex_type;
  /**
   * A BvtIndex.
   */
  uint32_t index_type;
  /**
   * The first triangle: three indices of vertices. Null if each three vertices one after the other are a triangle.
   */
  const void *indices;
  /**
   * How many triangles.
   */
  size_t triangle_count;
  /**
   * Bytes from one triangle to the next; 0 if there is nothing between them.
   */
  size_t triangle_stride;
} BvtMeshArrays;

/**
 * How a mesh file is read. `{sizeof(BvtReadOptions)}` and nothing else is as null.
 */
typedef struct BvtReadOptions {
  /**
   * sizeof(BvtReadOptions)
   */
  size_t struct_size;
  /**
   * "obj", "stl", "ply", "off" or "gltf"; null: found from the file's content and name.
   */
  const char *format;
  /**
   * "x", "y" or "z": the axis that points up in the file, which becomes z. Null: the mesh is left as it is.
   */
  const char *up;
  /**
   * What coordinates are multiplied by, after the turn; 0 is 1.
   */
  double scale;
  /**
   * The most triangles to accept; 0 is any number.
   */
  size_t max_triangles;
} BvtReadOptions;

/**
 * Counts of a mesh's parts and defects.
 */
typedef struct BvtMeshReport {
  /**
   * sizeof(BvtMeshReport), set by the caller.
   */
  size_t struct_size;
  /**
   * Number of triangles.
   */
  size_t triangles;
  /**
   * Number of vertices.
   */
  size_t vertices;
  /**
   * Number of different points among the vertices.
   */
  size_t distinct_vertices;
  /**
   * Triangles whose corners lie on one line.
   */
  size_t zero_area_triangles;
  /**
   * Triangles with the same three points as one before them.
   */
  size_t duplicate_triangles;
  /**
   * Edges of one triangle only.
   */
  size_t open_edges;
  /**
   * Edges of more than two triangles.
   */
  size_t non_manifold_edges;
  /**
   * Edges along which two triangles run in the same direction.
   */
  size_t inconsistent_edges;
  /**
   * Sets of triangles that are connected by vertices.
   */
  size_t components;
  /**
   * A BvtWatertightness.
   */
  uint32_t watertightness;
} BvtMeshReport;

/**
 * How much work the last question was.
 */
typedef struct BvtStats {
  /**
   * Volumes, or pairs of volumes, that were tested.
   */
  uint64_t volume_tests;
  /**
   * Triangles, or pairs of triangles, that were tested.
   */
  uint64_t triangle_tests;
} BvtStats;

/**
 * Two triangles, by their indices in the meshes.
 */
typedef struct BvtFacePair {
  /**
   * Triangle of A.
   */
  uint32_t face_a;
  /**
   * Triangle of B.
   */
  uint32_t face_b;
} BvtFacePair;

/**
 * Where two triangles intersect.
 */
typedef struct BvtContact {
  /**
   * The triangles.
   */
  struct BvtFacePair faces;
  /**
   * One point, the two ends of a segment, or, of triangles in one plane, the corners of the polygon that they share.
   */
  uint32_t point_count;
  /**
   * The points; zero beyond their number.
   */
  double points[BVT_CONTACT_POINTS][3];
  /**
   * Unit normal of A's triangle, by its corners' order; zero of one without area.
   */
  double normal_a[3];
  /**
   * Of B's.
   */
  double normal_b[3];
} BvtContact;

/**
 * Takes a contact; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitContact)(void *user, const struct BvtContact *contact);

/**
 * Contacts that are connected, as one point: what physics engines call a manifold.
 */
typedef struct BvtContactPatch {
  /**
   * Mean of the contacts' middles.
   */
  double point[3];
  /**
   * Unit direction from A to B; zero where normals cancel.
   */
  double normal[3];
  /**
   * How far B would have to move along the normal; 0 for mere touching.
   */
  double depth;
  /**
   * What the depth is.
   */
  BvtDepthSource depth_source;
  /**
   * How many contacts.
   */
  size_t contact_count;
  /**
   * Which ones, by their places among all contacts; there until the callback returns.
   */
  const size_t *contacts;
} BvtContactPatch;

/**
 * Takes a patch; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitContactPatch)(void *user, const struct BvtContactPatch *patch);

/**
 * Segments of contact one after the other.
 */
typedef struct BvtPolyline {
  /**
   * How many corners.
   */
  size_t point_count;
  /**
   * The corners, three coordinates each; there until the callback returns.
   */
  const double *points;
  /**
   * Whether the last is connected with the first.
   */
  bool is_closed;
} BvtPolyline;

/**
 * Takes a line; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitPolyline)(void *user, const struct BvtPolyline *line);

/**
 * How the least distance is to be found. `{sizeof(BvtDistanceOptions)}` and nothing else is as null.
 */
typedef struct BvtDistanceOptions {
  /**
   * sizeof(BvtDistanceOptions)
   */
  size_t struct_size;
  /**
   * The answer may exceed the least distance by this part of it.
   */
  double relative_tolerance;
  /**
   * The answer may exceed the least distance by this much.
   */
  double absolute_tolerance;
  /**
   * Unless 0, greater distances than `upper_bound` are of no interest: the answer is `BVT_NONE` then.
   */
  uint32_t has_upper_bound;
  /**
   * The smaller, the less work.
   */
  double upper_bound;
} BvtDistanceOptions;

/**
 * Two points of two meshes that are nearest to each other.
 */
typedef struct BvtClosestPair {
  /**
   * In A's unit; 0 exactly when the meshes touch.
   */
  double distance;
  /**
   * The point of A.
   */
  double on_a[3];
  /**
   * The point of B.
   */
  double on_b[3];
  /**
   * The triangles that they are on.
   */
  struct BvtFacePair faces;
} BvtClosestPair;

/**
 * Whether two meshes are within a tolerance.
 */
typedef struct BvtWithin {
  /**
   * Whether some pair of triangles is at most the tolerance apart.
   */
  bool is_within;
  /**
   * If not, the distance is proven to be at least this; infinite if a mesh is empty. Else 0.
   */
  double lower_bound;
} BvtWithin;

/**
 * Takes two near triangles; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitClosestPair)(void *user, const struct BvtClosestPair *pair);

/**
 * Takes a pair of triangles; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitPair)(void *user, const struct BvtFacePair *pair);

/**
 * What comes of a motion, and where; all but the outcome is zero if it is free.
 */
typedef struct BvtTimeOfImpact {
  /**
   * Whether they meet.
   */
  BvtMotionOutcome outcome;
  /**
   * 0 to 1: no two triangles touch earlier.
   */
  double time;
  /**
   * How far apart the two triangles still are at that time.
   */
  double distance;
  /**
   * The point of A's triangle.
   */
  double on_a[3];
  /**
   * The point of B's triangle at that time.
   */
  double on_b[3];
  /**
   * Of unit length, from A to B; zero where there is none.
   */
  double normal[3];
  /**
   * The two triangles.
   */
  struct BvtFacePair faces;
} BvtTimeOfImpact;

/**
 * A translation that frees B of A.
 */
typedef struct BvtPenetration {
  /**
   * Its length: an upper bound of the penetration depth.
   */
  double upper_bound;
  /**
   * Its unit direction.
   */
  double direction[3];
} BvtPenetration;

/**
 * How far B has to move along a direction to come free of A.
 */
typedef struct BvtDirectionalPenetration {
  /**
   * Moved by more than this, no two triangles touch, however much more it is.
   */
  double depth;
  /**
   * The triangles that part last.
   */
  struct BvtFacePair faces;
  /**
   * The unit direction in which those part, from A to B.
   */
  double normal[3];
} BvtDirectionalPenetration;

/**
 * What `bvt_pool_run` runs: anything but 0 is handed back as an error.
 */
typedef int32_t (*BvtWork)(void *user);

/**
 * What counts as a hit. `{sizeof(BvtCastOptions)}` and nothing else is as null.
 */
typedef struct BvtCastOptions {
  /**
   * sizeof(BvtCastOptions)
   */
  size_t struct_size;
  /**
   * How far apart the surfaces may still be at the time of a hit; what rounding leaves of it if that is more. No
   * clearance: for one, enlarge the radius.
   */
  double tolerance;
  /**
   * Unless 0, triangles that are touched at the start, and that the motion leaves or glides along, don't count.
   */
  uint32_t ignores_departing;
} BvtCastOptions;

/**
 * A capsule and a triangle, where they are nearest or overlap.
 */
typedef struct BvtCapsuleContact {
  /**
   * How far apart; negative by how far the capsule would have to move along the normal to come free of the triangle.
   */
  double distance;
  /**
   * The triangle's point.
   */
  double point[3];
  /**
   * Of unit length, from the triangle to the capsule; zero where there is none.
   */
  double normal[3];
  /**
   * The triangle's own unit normal, by its corners' order; zero without area.
   */
  double face_normal[3];
  /**
   * The triangle.
   */
  uint32_t face;
} BvtCapsuleContact;

/**
 * Where a moving capsule first meets a mesh.
 */
typedef struct BvtCastHit {
  /**
   * In units of the displacement, 0 to 1: no triangle is touched earlier.
   */
  double time;
  /**
   * The contact at that time.
   */
  struct BvtCapsuleContact contact;
} BvtCastHit;

/**
 * Takes a contact; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitCapsuleContact)(void *user, const struct BvtCapsuleContact *contact);

/**
 * Takes a triangle; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitFace)(void *user, const uint32_t *face);

/**
 * An oriented box.
 */
typedef struct BvtObb {
  /**
   * The middle.
   */
  double center[3];
  /**
   * The three axes one after the other, orthonormal.
   */
  double axes[9];
  /**
   * Half the size along each axis.
   */
  double half_extents[3];
} BvtObb;

/**
 * A ball.
 */
typedef struct BvtSphere {
  /**
   * The middle.
   */
  double center[3];
  /**
   * Not negative.
   */
  double radius;
} BvtSphere;

/**
 * The point of a mesh that is nearest to a given one.
 */
typedef struct BvtClosestPoint {
  /**
   * How far it is from the given one.
   */
  double distance;
  /**
   * The point.
   */
  double point[3];
  /**
   * The triangle it is on.
   */
  uint32_t face;
} BvtClosestPoint;

/**
 * The points origin + time * direction, for times from 0 on.
 */
typedef struct BvtRay {
  /**
   * Where it starts.
   */
  double origin[3];
  /**
   * Where it goes in a unit of time; of any length but zero.
   */
  double direction[3];
} BvtRay;

/**
 * Where a ray meets a triangle.
 */
typedef struct BvtRayHit {
  /**
   * In units of the ray's direction; 0 exactly if the ray starts on the triangle.
   */
  double time;
  /**
   * The point.
   */
  double point[3];
  /**
   * The triangle's unit normal, by its corners' order; zero if it has no area.
   */
  double normal[3];
  /**
   * The triangle.
   */
  uint32_t face;
} BvtRayHit;

/**
 * Takes a hit; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitRayHit)(void *user, const struct BvtRayHit *hit);

/**
 * How a tree is refitted. `{sizeof(BvtRefitOptions)}` and nothing else is as null.
 */
typedef struct BvtRefitOptions {
  /**
   * sizeof(BvtRefitOptions)
   */
  size_t struct_size;
  /**
   * A BvtObbAxes.
   */
  uint32_t obb_axes;
  /**
   * The tree is built anew when the cost ratio exceeds this; 0: never.
   */
  double rebuild_above;
} BvtRefitOptions;

/**
 * What a refit has done.
 */
typedef struct BvtRefitted {
  /**
   * How many volumes were fitted again.
   */
  size_t volumes;
  /**
   * What questions cost, relative to when the tree was built and before a rebuild.
   */
  double cost_ratio;
  /**
   * Whether the tree was built anew.
   */
  bool was_rebuilt;
} BvtRefitted;

/**
 * How much work a scene's question was.
 */
typedef struct BvtSceneStats {
  /**
   * Pairs of bodies, or bodies, whose boxes are near enough.
   */
  uint64_t candidates;
  /**
   * Of these, how many were found to be apart by their bounding spheres and boxes alone.
   */
  uint64_t apart_by_bounds;
  /**
   * How many were answered by what was known from an earlier question.
   */
  uint64_t known;
  /**
   * How many times the trees were asked.
   */
  uint64_t asked;
  /**
   * Pairs of volumes that were tested.
   */
  uint64_t volume_tests;
  /**
   * Pairs of triangles that were tested.
   */
  uint64_t triangle_tests;
} BvtSceneStats;

/**
 * A body of a scene; of no other body of that scene, also after the body was removed.
 */
typedef uint64_t BvtBodyId;

/**
 * Takes a body; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitBody)(void *user, const BvtBodyId *body);

/**
 * A body near a mesh.
 */
typedef struct BvtNearBody {
  /**
   * The body.
   */
  BvtBodyId body;
  /**
   * 0 exactly when they touch.
   */
  double distance;
  /**
   * The closest point of the mesh, in the world.
   */
  double on_mesh[3];
  /**
   * The closest point of the body, in the world.
   */
  double on_body[3];
  /**
   * The triangles that they are on; A is the mesh.
   */
  struct BvtFacePair faces;
} BvtNearBody;

/**
 * Takes a body; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitNearBody)(void *user, const struct BvtNearBody *near);

/**
 * How a body takes part in a scene. `{sizeof(BvtBodyOptions)}` and nothing else is as null: a moving body in the first
 * collision group, compared with all.
 */
typedef struct BvtBodyOptions {
  /**
   * sizeof(BvtBodyOptions)
   */
  size_t struct_size;
  /**
   * For the caller: not looked at.
   */
  uint64_t user;
  /**
   * The collision groups that it is in, a bit for each; 0 stands for the first one (bit 0).
   */
  uint32_t groups;
  /**
   * The collision groups that it is not compared with. Two bodies are compared unless one of them leaves out all
   * groups of the other.
   */
  uint32_t not_compared_with;
  /**
   * Unless 0, it is static: two static bodies are not compared unless `bvt_scene_include_static_pairs` asks for it.
   */
  uint32_t is_static;
  /**
   * A BvtSolid.
   */
  uint32_t solid;
} BvtBodyOptions;

/**
 * Where a moving capsule first meets a body.
 */
typedef struct BvtBodyCastHit {
  /**
   * The body.
   */
  BvtBodyId body;
  /**
   * Where, in the world.
   */
  struct BvtCastHit hit;
} BvtBodyCastHit;

/**
 * Where a capsule touches a body, or nearly does.
 */
typedef struct BvtBodyContact {
  /**
   * The body.
   */
  BvtBodyId body;
  /**
   * Where, in the world.
   */
  struct BvtCapsuleContact contact;
} BvtBodyContact;

/**
 * Takes a contact; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitBodyContact)(void *user, const struct BvtBodyContact *contact);

/**
 * A body's way in the time from 0 to 1.
 */
typedef struct BvtBodyMotion {
  /**
   * The body.
   */
  BvtBodyId body;
  /**
   * Where it is in the world at time 0.
   */
  struct BvtPose start;
  /**
   * Where it is at time 1.
   */
  struct BvtPose end;
} BvtBodyMotion;

/**
 * Two bodies.
 */
typedef struct BvtBodyPair {
  /**
   * The lesser id.
   */
  BvtBodyId a;
  /**
   * The greater one.
   */
  BvtBodyId b;
} BvtBodyPair;

/**
 * Two bodies that meet.
 */
typedef struct BvtBodyImpact {
  /**
   * The bodies.
   */
  struct BvtBodyPair bodies;
  /**
   * 0 to 1: they don't touch earlier.
   */
  double time;
  /**
   * How far apart the two triangles still are at that time.
   */
  double distance;
  /**
   * The closest point of the first at that time.
   */
  double on_a[3];
  /**
   * The closest point of the second.
   */
  double on_b[3];
  /**
   * Of unit length, from the first to the second; zero where there is no telling.
   */
  double normal[3];
  /**
   * The triangles.
   */
  struct BvtFacePair faces;
} BvtBodyImpact;

/**
 * Takes two bodies that meet; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitBodyImpact)(void *user, const struct BvtBodyImpact *impact);

/**
 * Takes two bodies; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitBodyPair)(void *user, const struct BvtBodyPair *pair);

/**
 * Two bodies that are near each other, and where.
 */
typedef struct BvtNearPair {
  /**
   * The bodies.
   */
  struct BvtBodyPair bodies;
  /**
   * 0 exactly when they touch.
   */
  double distance;
  /**
   * The closest point of the first, in the world.
   */
  double on_a[3];
  /**
   * The closest point of the second, in the world.
   */
  double on_b[3];
  /**
   * The triangles that they are on.
   */
  struct BvtFacePair faces;
} BvtNearPair;

/**
 * Takes two bodies; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitNearPair)(void *user, const struct BvtNearPair *pair);

/**
 * Two bodies whose boxes are near each other, for a question of the caller's own.
 */
typedef struct BvtNeighbors {
  /**
   * The bodies.
   */
  struct BvtBodyPair bodies;
  /**
   * Where the second stands in the first one's frame.
   */
  struct BvtPose b_to_a;
} BvtNeighbors;

/**
 * Takes two bodies; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitNeighbors)(void *user, const struct BvtNeighbors *pair);

/**
 * Where a ray meets a body.
 */
typedef struct BvtBodyHit {
  /**
   * The body.
   */
  BvtBodyId body;
  /**
   * Where, in the world.
   */
  struct BvtRayHit hit;
} BvtBodyHit;

/**
 * Takes a hit; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitBodyHit)(void *user, const struct BvtBodyHit *hit);

/**
 * A body's point that is nearest to a given one.
 */
typedef struct BvtBodyPoint {
  /**
   * The body.
   */
  BvtBodyId body;
  /**
   * How far it is from the given one.
   */
  double distance;
  /**
   * The point, in the world.
   */
  double point[3];
  /**
   * The triangle it is on.
   */
  uint32_t face;
} BvtBodyPoint;

/**
 * Two bodies that are not separate.
 */
typedef struct BvtRelatedPair {
  /**
   * The bodies.
   */
  struct BvtBodyPair bodies;
  /**
   * How the second lies to the first.
   */
  BvtRelation relation;
} BvtRelatedPair;

/**
 * Takes two bodies; 0 goes on, anything else stops. It must not throw.
 */
typedef int32_t (*BvtVisitRelatedPair)(void *user, const struct BvtRelatedPair *pair);

/**
 * How a tree is built. `{sizeof(BvtBuildOptions)}` and nothing else is as null: oriented boxes, balanced.
 */
typedef struct BvtBuildOptions {
  /**
   * sizeof(BvtBuildOptions)
   */
  size_t struct_size;
  /**
   * A BvtKind.
   */
  uint32_t kind;
  /**
   * A BvtPreset.
   */
  uint32_t preset;
  /**
   * Nodes with more triangles than this are split; 0: as the preset has it.
   */
  uint32_t max_leaf_triangles;
  /**
   * Splits between the root and any leaf, at most; 0: any number.
   */
  uint32_t max_depth;
  /**
   * "top-down" or "ploc"; null, here and below: as the preset has it.
   */
  const char *builder;
  /**
   * "mean", "midpoint", "median", "sah" or "sah-own-volumes".
   */
  const char *split;
  /**
   * "largest-first" or "least-volume".
   */
  const char *collapse;
  /**
   * A fit of oriented boxes, as "tight"; the error of a wrong name has those there are.
   */
  const char *obb_fit;
  /**
   * A fit of spheres, as "smallest-sphere".
   */
  const char *sphere_fit;
} BvtBuildOptions;

/**
 * What a tree is like.
 */
typedef struct BvtTreeInfo {
  /**
   * sizeof(BvtTreeInfo), set by the caller.
   */
  size_t struct_size;
  /**
   * Triangles of the mesh.
   */
  size_t triangles;
  /**
   * Volumes that are stored, the root's and the leaves' included: more than eight-wide nodes.
   */
  size_t nodes;
  /**
   * Leaves.
   */
  size_t leaves;
  /**
   * Triangles in the fullest leaf.
   */
  size_t leaf_triangles_max;
  /**
   * Groups of the source file.
   */
  size_t groups;
  /**
   * Where the mesh's zero is in its source's frame.
   */
  double origin[3];
  /**
   * The digest of the mesh it was built of: the less significant half first. 0 once it was refitted.
   */
  uint64_t mesh_digest[2];
  /**
   * Levels of stored volumes below the root.
   */
  uint32_t depth;
  /**
   * A BvtKind.
   */
  uint32_t kind;
} BvtTreeInfo;

/**
 * Called once, with what it was given with, when a buffer is not used any more.
 */
typedef void (*BvtRelease)(void *user);

/**
 * Takes the next bytes of a cooked tree; anything but 0 ends the writing.
 */
typedef int32_t (*BvtWrite)(void *user, const uint8_t *data, size_t size);

/**
 * Gives memory of so many bytes at a multiple of `alignment`, or null if there is none. It is the caller's own, and
 * freed as it likes.
 */
typedef void *(*BvtAllocate)(void *user, size_t size, size_t alignment);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The options of a person in metres, z up, with `struct_size` set.
 */
struct BvtCharacterOptions bvt_character_defaults(void);

/**
 * A character at rest in the air, its lowest point at `feet`. The options may be null.
 *
 * Errors: `BVT_ERROR_ARGUMENT` if an option is out of range.
 *
 * Preconditions:
 * The options' `struct_size` is set.
 */
BvtStatus bvt_character_new(const struct BvtCharacterOptions *options_given,
                            const double feet[3],
                            struct BvtCharacter **character);

/**
 * Frees a character; null is nothing.
 */
void bvt_character_free(struct BvtCharacter *character);

/**
 * Moves on by a time in seconds: first the bodies, then the character walks or flies among them. `walk` is the wished
 * velocity, `jump` the speed upward of a jump, or 0.
 *
 * Errors: `BVT_ERROR_POSE`.
 *
 * Preconditions:
 * There are `count` bodies.
 */
BvtStatus bvt_character_step(struct BvtCharacter *character,
                             const struct BvtCharacterBody *bodies,
                             size_t count,
                             const double walk[3],
                             double jump,
                             double time,
                             struct BvtCharacterStep *step);

/**
 * Puts a character elsewhere, at rest in the air.
 *
 * Errors: `BVT_ERROR_ARGUMENT` if the place is not finite.
 */
BvtStatus bvt_character_place(struct BvtCharacter *character, const double feet[3]);

/**
 * The capsule of a character, as it is now.
 */
BvtStatus bvt_character_capsule(struct BvtCharacter *character, struct BvtCapsule *capsule);

/**
 * What a character stands on. `BVT_NONE` in the air.
 */
BvtStatus bvt_character_ground(struct BvtCharacter *character, struct BvtGround *ground);

/**
 * The mass properties of a closed mesh.
 *
 * Errors: `BVT_ERROR_MASS` if the mesh is open, its triangles disagree, or it encloses no volume.
 */
BvtStatus bvt_mesh_mass_properties(const struct BvtMesh *mesh, struct BvtMassProperties *mass);

/**
 * Frees a mesh; null is nothing. Trees that were built of it stay.
 */
void bvt_mesh_free(struct BvtMesh *mesh);

/**
 * How many vertices a mesh has; 0 of null.
 */
size_t bvt_mesh_vertex_count(const struct BvtMesh *mesh);

/**
 * How many triangles a mesh has; 0 of null.
 */
size_t bvt_mesh_triangle_count(const struct BvtMesh *mesh);

/**
 * The vertices, three f32 each, as long as the mesh lives; null of null.
 */
const float *bvt_mesh_vertices(const struct BvtMesh *mesh);

/**
 * The triangles, three vertices each, as long as the mesh lives; null of null. A triangle's place among them is its
 * face in all answers.
 */
const uint32_t *bvt_mesh_triangles(const struct BvtMesh *mesh);

/**
 * The box around all triangles; an empty one of null.
 */
struct BvtAabb bvt_mesh_bounds(const struct BvtMesh *mesh);

/**
 * A mesh of the caller's arrays.
 *
 * Errors: `BVT_ERROR_MESH` if a coordinate is not finite or an index is out of range.
 *
 * Preconditions:
 * The arrays are as large as their counts and strides tell.
 */
BvtStatus bvt_mesh_new(const struct BvtMeshArrays *arrays, struct BvtMesh **mesh);

/**
 * Reads a mesh file; OBJ, and with the feature `formats` STL, PLY, OFF and glTF. The options may be null.
 *
 * Errors: `BVT_ERROR_IO` if it can't be read; `BVT_ERROR_MESH` if it is no mesh: the text names the line.
 *
 * Preconditions:
 * The path ends with a zero; it is UTF-8.
 */
BvtStatus bvt_mesh_open(const char *path, const struct BvtReadOptions *options, struct BvtMesh **mesh);

/**
 * Reads a mesh file whose bytes are in memory. The name may be null; its extension may be needed to know the format,
 * and buffers of a glTF file lie beside it. The options may be null.
 *
 * Errors: as of `bvt_mesh_open`.
 *
 * Preconditions:
 * There are `size` bytes at `data`; texts end with zeros.
 */
BvtStatus bvt_mesh_read(const uint8_t *data,
                        size_t size,
                        const char *name,
                        const struct BvtReadOptions *options,
                        struct BvtMesh **mesh);

/**
 * Counts what may surprise in a mesh. Nothing there is an error, and nothing is dropped or repaired.
 *
 * Preconditions:
 * The report's `struct_size` is set.
 */
BvtStatus bvt_mesh_report(const struct BvtMesh *mesh, struct BvtMeshReport *report);

/**
 * A query object. `simd` is a BvtSimd; 0 is best.
 */
BvtStatus bvt_query_new(uint32_t simd, struct BvtQuery **query);

/**
 * Frees a query object; null is nothing.
 */
void bvt_query_free(struct BvtQuery *query);

/**
 * How much work a query object's last question was.
 */
BvtStatus bvt_query_stats(struct BvtQuery *query, struct BvtStats *stats);

/**
 * Calls `visit` with where each pair of touching triangles does, by faces, until it stops. Which pairs do is exact;
 * points are rounded.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_contact(struct BvtQuery *query,
                               const struct BvtTree *a,
                               const struct BvtTree *b,
                               const struct BvtPose *b_to_a,
                               BvtVisitContact visit,
                               void *user);

/**
 * Calls `visit` with each patch of contacts that share a triangle or a corner, until it stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_contact_patch(struct BvtQuery *query,
                                     const struct BvtTree *a,
                                     const struct BvtTree *b,
                                     const struct BvtPose *b_to_a,
                                     BvtVisitContactPatch visit,
                                     void *user);

/**
 * Calls `visit` with each line that segments of contact make, until it stops: where two surfaces cut each other.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_intersection_curve(struct BvtQuery *query,
                                          const struct BvtTree *a,
                                          const struct BvtTree *b,
                                          const struct BvtPose *b_to_a,
                                          BvtVisitPolyline visit,
                                          void *user);

/**
 * The least distance of two meshes, its points and triangles; the options may be null. `BVT_NONE` if a mesh is empty
 * or they are farther apart than the options' upper bound.
 *
 * Preconditions:
 * The options' `struct_size` is set.
 */
BvtStatus bvt_distance(struct BvtQuery *query,
                       const struct BvtTree *a,
                       const struct BvtTree *b,
                       const struct BvtPose *b_to_a,
                       const struct BvtDistanceOptions *options,
                       struct BvtClosestPair *closest);

/**
 * Whether the distance of two meshes is at most a tolerance: found sooner than the distance. Nothing is within a
 * negative one or NaN.
 */
BvtStatus bvt_within(struct BvtQuery *query,
                     const struct BvtTree *a,
                     const struct BvtTree *b,
                     const struct BvtPose *b_to_a,
                     double tolerance,
                     struct BvtWithin *within);

/**
 * Calls `visit` for each pair of triangles whose distance is at most a tolerance, in no particular order, until it
 * stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_pair_within(struct BvtQuery *query,
                                   const struct BvtTree *a,
                                   const struct BvtTree *b,
                                   const struct BvtPose *b_to_a,
                                   double tolerance,
                                   BvtVisitClosestPair visit,
                                   void *user);

/**
 * Whether two meshes touch, exactly.
 */
BvtStatus bvt_intersects(struct BvtQuery *query,
                         const struct BvtTree *a,
                         const struct BvtTree *b,
                         const struct BvtPose *b_to_a,
                         bool *hit);

/**
 * Calls `visit` for each pair of triangles that touch, in no particular order, until it stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_intersecting_pair(struct BvtQuery *query,
                                         const struct BvtTree *a,
                                         const struct BvtTree *b,
                                         const struct BvtPose *b_to_a,
                                         BvtVisitPair visit,
                                         void *user);

/**
 * Writes the pairs of triangles that touch, in no particular order, until there is no more room; `count` is how many
 * there are, which may be more than `capacity`. With a capacity of 0 it only counts.
 *
 * Preconditions:
 * There is room for `capacity` pairs.
 */
BvtStatus bvt_intersecting_pairs(struct BvtQuery *query,
                                 const struct BvtTree *a,
                                 const struct BvtTree *b,
                                 const struct BvtPose *b_to_a,
                                 struct BvtFacePair *pairs,
                                 size_t capacity,
                                 size_t *count);

/**
 * Calls `visit` for each pair of triangles whose leaves' volumes overlap, until it stops: for a test of the caller's
 * own. All that touch are among them.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_candidate(struct BvtQuery *query,
                                 const struct BvtTree *a,
                                 const struct BvtTree *b,
                                 const struct BvtPose *b_to_a,
                                 BvtVisitPair visit,
                                 void *user);

/**
 * Calls `visit` for each pair of triangles of one mesh that intersect beyond what neighbours share, the lesser face
 * first, until it stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_self_pair(struct BvtQuery *query,
                                 const struct BvtTree *tree,
                                 BvtVisitPair visit,
                                 void *user);

/**
 * As `bvt_intersects`, at many poses: writes `count` truth values. Works on all threads of the pool; see
 * `bvt_pool_run`.
 *
 * Preconditions:
 * There are `count` poses, and room for as many answers.
 */
BvtStatus bvt_intersects_many(const struct BvtTree *a,
                              const struct BvtTree *b,
                              const struct BvtPose *poses,
                              size_t count,
                              bool *hits);

/**
 * How many pairs of triangles touch, at many poses. Works on all threads of the pool.
 *
 * Preconditions:
 * There are `count` poses, and room for as many answers.
 */
BvtStatus bvt_count_pairs_many(const struct BvtTree *a,
                               const struct BvtTree *b,
                               const struct BvtPose *poses,
                               size_t count,
                               uint64_t *counts);

/**
 * As `bvt_within`, at many poses. Works on all threads of the pool.
 *
 * Preconditions:
 * There are `count` poses, and room for as many answers.
 */
BvtStatus bvt_within_many(const struct BvtTree *a,
                          const struct BvtTree *b,
                          const struct BvtPose *poses,
                          size_t count,
                          double tolerance,
                          struct BvtWithin *within);

/**
 * As `bvt_distance`, at many poses; where it gives `BVT_NONE` the distance is infinite, and all else zero. The options
 * may be null. Works on all threads of the pool.
 *
 * Preconditions:
 * There are `count` poses, and room for as many answers; the options' `struct_size` is set.
 */
BvtStatus bvt_distance_many(const struct BvtTree *a,
                            const struct BvtTree *b,
                            const struct BvtPose *poses,
                            size_t count,
                            const struct BvtDistanceOptions *options,
                            struct BvtClosestPair *closest);

/**
 * When B, on its way from one pose to another in the time from 0 to 1, first touches A: its origin goes straight, and
 * it turns about that evenly. What moves otherwise between the same poses, as a robot's links do when its joints move,
 * may meet where this does not. Times are never late; `accuracy` is how far apart the triangles may still be at that
 * time, or what rounding leaves of it. It is no clearance: B may pass A nearer than that and be free.
 *
 * Errors: `BVT_ERROR_MOTION` if the motion is more than 1e12 times as long as the meshes are large.
 */
BvtStatus bvt_time_of_impact(struct BvtQuery *query,
                             const struct BvtTree *a,
                             const struct BvtTree *b,
                             const struct BvtPose *start,
                             const struct BvtPose *end,
                             double accuracy,
                             struct BvtTimeOfImpact *impact);

/**
 * A translation that frees B, as short as was found: its length is an upper bound of the penetration depth. `BVT_NONE`
 * if the meshes don't touch.
 */
BvtStatus bvt_penetration(struct BvtQuery *query,
                          const struct BvtTree *a,
                          const struct BvtTree *b,
                          const struct BvtPose *b_to_a,
                          struct BvtPenetration *penetration);

/**
 * The last contact along a direction of A's frame, of any length but zero: how far B can be moved that way and still
 * touch A. `BVT_NONE` if the meshes don't touch.
 */
BvtStatus bvt_penetration_along(struct BvtQuery *query,
                                const struct BvtTree *a,
                                const struct BvtTree *b,
                                const struct BvtPose *b_to_a,
                                const double direction[3],
                                struct BvtDirectionalPenetration *penetration);

/**
 * How two meshes lie to each other, exactly; `BVT_SEPARATE` if one is empty.
 */
BvtStatus bvt_relation(struct BvtQuery *query,
                       const struct BvtTree *a,
                       const struct BvtTree *b,
                       const struct BvtPose *b_to_a,
                       BvtRelation *relation);

/**
 * A tracker of two meshes of which nothing is known yet. It keeps the trees; their handles may be freed.
 */
BvtStatus bvt_distance_tracker_new(const struct BvtTree *a,
                                   const struct BvtTree *b,
                                   struct BvtDistanceTracker **tracker);

/**
 * Frees a tracker; null is nothing.
 */
void bvt_distance_tracker_free(struct BvtDistanceTracker *tracker);

/**
 * As `bvt_distance`, at the next pose.
 *
 * Preconditions:
 * The options' `struct_size` is set.
 */
BvtStatus bvt_distance_tracker_distance(struct BvtDistanceTracker *tracker,
                                        struct BvtQuery *query,
                                        const struct BvtPose *b_to_a,
                                        const struct BvtDistanceOptions *options,
                                        struct BvtClosestPair *closest);

/**
 * A pool of so many threads; 0 is one for each core. Errors: `BVT_ERROR_NOT_BUILT_IN` without the feature `rayon`,
 * where all work is done on the calling thread.
 */
BvtStatus bvt_pool_new(size_t threads,
                       struct BvtPool **pool);

/**
 * Frees a pool; null is nothing. Not to be called by work that runs in it.
 */
void bvt_pool_free(struct BvtPool *pool);

/**
 * Calls `work` with `user` on one of the pool's threads and waits for it. Whatever it asks bvtree to do on several
 * threads (building, many poses, scenes, checking files) is done on those of this pool; elsewhere on those of a pool
 * that is made when first needed, with a thread for each core or as the environment variable RAYON_NUM_THREADS tells,
 * and that lives as long as the program. Texts of errors are kept by the thread that `work` runs on.
 *
 * Errors: `BVT_ERROR_CALLER` if `work` gives anything but 0.
 *
 * Preconditions:
 * `work` may be called with `user` on another thread.
 */
BvtStatus bvt_pool_run(const struct BvtPool *pool,
                       BvtWork work,
                       void *user);

/**
 * The pose that leaves everything where it is.
 */
struct BvtPose bvt_pose_identity(void);

/**
 * A pose that moves and does not turn.
 *
 * Errors: `BVT_ERROR_POSE` if a number is not finite.
 */
BvtStatus bvt_pose_from_translation(const double translation[3], struct BvtPose *pose);

/**
 * A pose of a quaternion x, y, z, w, which need not be of unit length, and a translation.
 *
 * Turns about a coordinate axis leave that axis alone to the last bit, and quarter and half turns have entries 0, 1
 * and -1 only: bodies that stand flush on a floor touch it. For this, components within 4 units in the last place of
 * zero or of each other, in parts of the largest, count as zero or equal.
 *
 * Errors: `BVT_ERROR_POSE` if a number is not finite or the quaternion is zero.
 */
BvtStatus bvt_pose_from_quaternion(const double xyzw[4],
                                   const double translation[3],
                                   struct BvtPose *pose);

/**
 * A pose of a right-handed turn about an axis of any length but zero, by an angle in radians, and a translation. As
 * exact as `bvt_pose_from_quaternion`.
 *
 * Errors: `BVT_ERROR_POSE` if a number is not finite or the axis is zero.
 */
BvtStatus bvt_pose_from_axis_angle(const double axis[3],
                                   double angle,
                                   const double translation[3],
                                   struct BvtPose *pose);

/**
 * A pose of Euler angles in radians and a translation: first a turn about x by `roll`, then about y by `pitch`, then
 * about z by `yaw`, all through fixed axes. As exact as `bvt_pose_from_quaternion`.
 *
 * Errors: `BVT_ERROR_POSE` if a number is not finite.
 */
BvtStatus bvt_pose_from_euler_angles(double roll,
                                     double pitch,
                                     double yaw,
                                     const double translation[3],
                                     struct BvtPose *pose);

/**
 * A pose of a matrix of four columns of four f32, as graphics libraries keep it: the last column is the translation.
 *
 * Errors: `BVT_ERROR_POSE` if the matrix scales, shears or mirrors, a number is not finite, or the last row is not 0,
 * 0, 0, 1.
 */
BvtStatus bvt_pose_from_columns(const float columns[16],
                                struct BvtPose *pose);

/**
 * Where B stands in A's frame, given where both stand in the world.
 *
 * Errors: `BVT_ERROR_POSE` if one of them is not a pose.
 */
BvtStatus bvt_pose_relative(struct BvtPose a_to_world, struct BvtPose b_to_world, struct BvtPose *b_to_a);

/**
 * First the second pose, then the first one: what takes C's frame to A's, of what takes B's to A's and C's to B's.
 *
 * Errors: `BVT_ERROR_POSE` if one of them is not a pose.
 */
BvtStatus bvt_pose_product(struct BvtPose b_to_a,
                           struct BvtPose c_to_b,
                           struct BvtPose *c_to_a);

/**
 * The pose that takes everything back.
 *
 * Errors: `BVT_ERROR_POSE` if it is not a pose.
 */
BvtStatus bvt_pose_inverse(struct BvtPose b_to_a, struct BvtPose *a_to_b);

/**
 * A probe. `simd` is a BvtSimd; 0 is best.
 */
BvtStatus bvt_probe_new(uint32_t simd, struct BvtProbe **probe);

/**
 * Frees a probe; null is nothing.
 */
void bvt_probe_free(struct BvtProbe *probe);

/**
 * How much work a probe's last question was.
 */
BvtStatus bvt_probe_stats(struct BvtProbe *probe, struct BvtStats *stats);

/**
 * When a capsule that moves along a displacement first meets a triangle: at any speed nothing is passed. The options
 * may be null. `BVT_NONE` if it meets none: a proof.
 *
 * Preconditions:
 * The options' `struct_size` is set.
 */
BvtStatus bvt_cast_capsule(struct BvtProbe *probe,
                           const struct BvtTree *tree,
                           const struct BvtCapsule *capsule,
                           const double displacement[3],
                           const struct BvtCastOptions *options,
                           struct BvtCastHit *hit);

/**
 * Calls `visit` with the contact of each triangle that is no farther than `max_distance` from a capsule, in no
 * particular order, until it stops. Those that overlap it have a negative distance.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_capsule_contact(struct BvtProbe *probe,
                                       const struct BvtTree *tree,
                                       const struct BvtCapsule *capsule,
                                       double max_distance,
                                       BvtVisitCapsuleContact visit,
                                       void *user);

/**
 * The contact of the triangle that is nearest to a capsule or overlaps it most deeply. `BVT_NONE` if none is as near
 * as `max_distance`.
 */
BvtStatus bvt_closest_capsule_contact(struct BvtProbe *probe,
                                      const struct BvtTree *tree,
                                      const struct BvtCapsule *capsule,
                                      double max_distance,
                                      struct BvtCapsuleContact *contact);

/**
 * Calls `visit` with each triangle that touches a closed box, in no particular order, until it stops. An empty box
 * touches nothing.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_face_in_aabb(struct BvtProbe *probe,
                                    const struct BvtTree *tree,
                                    const struct BvtAabb *aabb,
                                    BvtVisitFace visit,
                                    void *user);

/**
 * Calls `visit` with each triangle that touches a closed oriented box, in no particular order, until it stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_face_in_obb(struct BvtProbe *probe,
                                   const struct BvtTree *tree,
                                   const struct BvtObb *obb,
                                   BvtVisitFace visit,
                                   void *user);

/**
 * Calls `visit` with each triangle that touches a closed ball, in no particular order, until it stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_face_in_sphere(struct BvtProbe *probe,
                                      const struct BvtTree *tree,
                                      const struct BvtSphere *sphere,
                                      BvtVisitFace visit,
                                      void *user);

/**
 * The mesh's point that is nearest to a given one, if it is no farther than `max_distance`, which may be infinite.
 * `BVT_NONE` if there is none.
 */
BvtStatus bvt_closest_point(struct BvtProbe *probe,
                            const struct BvtTree *tree,
                            const double to[3],
                            double max_distance,
                            struct BvtClosestPoint *closest);

/**
 * Which side of the mesh a point is on, exactly. The first question of this kind about a tree takes longer.
 */
BvtStatus bvt_contains(struct BvtProbe *probe,
                       const struct BvtTree *tree,
                       const double at[3],
                       BvtContainment *containment);

/**
 * The distance of a point from a closed mesh, negative inside. `BVT_NONE` if the mesh is empty or not closed.
 */
BvtStatus bvt_signed_distance(struct BvtProbe *probe,
                              const struct BvtTree *tree,
                              const double at[3],
                              double *distance);

/**
 * How often the mesh winds around a point; a fraction where it has holes, and above one half is a sound notion of
 * inside. The first such question about a tree takes longer, and keeps some 50 bytes per triangle.
 */
BvtStatus bvt_winding_number(const struct BvtTree *tree,
                             const double at[3],
                             double *winding);

/**
 * The first triangle that a ray meets until `max_time`, which may be infinite. No ray slips through an edge.
 * `BVT_NONE` if it meets none.
 */
BvtStatus bvt_closest_hit(struct BvtProbe *probe,
                          const struct BvtTree *tree,
                          const struct BvtRay *ray,
                          double max_time,
                          struct BvtRayHit *hit);

/**
 * Whether a ray meets any triangle until `max_time`.
 */
BvtStatus bvt_any_hit(struct BvtProbe *probe,
                      const struct BvtTree *tree,
                      const struct BvtRay *ray,
                      double max_time,
                      bool *hit);

/**
 * Calls `visit` for each triangle that a ray meets until `max_time`, in no particular order, until it stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_for_each_hit(struct BvtProbe *probe,
                           const struct BvtTree *tree,
                           const struct BvtRay *ray,
                           double max_time,
                           BvtVisitRayHit visit,
                           void *user);

/**
 * A deforming tree of a tree and the mesh it was built of, which are copied. The options may be null.
 *
 * Errors: `BVT_ERROR_REFIT` if the tree is of another mesh.
 *
 * Preconditions:
 * The options' `struct_size` is set.
 */
BvtStatus bvt_deforming_tree_new(const struct BvtTree *tree,
                                 const struct BvtMesh *mesh,
                                 const struct BvtRefitOptions *options_given,
                                 struct BvtDeformingTree **deforming);

/**
 * Frees a deforming tree; null is nothing.
 */
void bvt_deforming_tree_free(struct BvtDeformingTree *deforming);

/**
 * Puts all vertices elsewhere, in the mesh's order, and fits all volumes again. Positions of packed, aligned f32 are
 * used where they lie, others copied; `scalar` is a BvtScalar, a stride of 0 has nothing between them. `refitted` may
 * be null.
 *
 * Errors: `BVT_ERROR_REFIT` if there is not one position for each vertex, or one is not finite: then nothing has
 * changed.
 *
 * Preconditions:
 * There are as many positions.
 */
BvtStatus bvt_deforming_tree_refit(struct BvtDeformingTree *deforming,
                                   const void *positions,
                                   size_t count,
                                   size_t stride,
                                   uint32_t scalar,
                                   struct BvtRefitted *refitted);

/**
 * Puts some vertices elsewhere, by their indices in the mesh and three f32 for each, one after the other, and fits
 * again the volumes that have one of their triangles. `refitted` may be null.
 *
 * Errors: `BVT_ERROR_REFIT` if there is no such vertex or a position is not finite: then nothing has changed.
 *
 * Preconditions:
 * There are `count` indices and as many positions.
 */
BvtStatus bvt_deforming_tree_refit_moved(struct BvtDeformingTree *deforming,
                                         const uint32_t *vertices,
                                         const float *positions,
                                         size_t count,
                                         struct BvtRefitted *refitted);

/**
 * The tree as it is now, as a handle to be freed. While it is there, the next refit copies the tree first.
 */
BvtStatus bvt_deforming_tree_tree(struct BvtDeformingTree *deforming, struct BvtTree **tree);

/**
 * What questions cost by the surface area heuristic, relative to when the tree was built: from about 1.5 on a rebuild
 * pays soon.
 */
BvtStatus bvt_deforming_tree_cost_ratio(struct BvtDeformingTree *deforming,
                                        double *ratio);

/**
 * Builds the tree anew, by its own options, of the mesh as it is now.
 */
BvtStatus bvt_deforming_tree_rebuild(struct BvtDeformingTree *deforming);

/**
 * A scene without bodies. `simd` is a BvtSimd; 0 is best.
 */
BvtStatus bvt_scene_new(uint32_t simd, struct BvtScene **scene);

/**
 * Frees a scene; null is nothing.
 */
void bvt_scene_free(struct BvtScene *scene);

/**
 * How much work a scene's last question about pairs was.
 */
BvtStatus bvt_scene_stats(struct BvtScene *scene, struct BvtSceneStats *stats);

/**
 * Calls `visit` with each body in a collision group of the mask (a bit set) that a mesh touches, or that is solid and
 * has a part of the mesh inside, in the order of their ids, until it stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_body_intersecting(struct BvtScene *scene,
                                               struct BvtQuery *query,
                                               const struct BvtTree *tree,
                                               const struct BvtPose *to_world,
                                               uint32_t mask,
                                               BvtVisitBody visit,
                                               void *user);

/**
 * Calls `visit` with each body in the mask's collision groups whose distance from a mesh is at most a clearance, in
 * the order of their ids, until it stops; that of a solid body in which a part of the mesh lies is 0.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_body_within(struct BvtScene *scene,
                                         struct BvtQuery *query,
                                         const struct BvtTree *tree,
                                         const struct BvtPose *to_world,
                                         double clearance,
                                         uint32_t mask,
                                         BvtVisitNearBody visit,
                                         void *user);

/**
 * Calls `visit` with each body in the mask's collision groups whose AABB in the world is at most `reach` (along each
 * axis) from that of a mesh, in the order of their ids, until it stops. Some that are a little farther may come too.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_body_near(struct BvtScene *scene,
                                       const struct BvtTree *tree,
                                       const struct BvtPose *to_world,
                                       double reach,
                                       uint32_t mask,
                                       BvtVisitBody visit,
                                       void *user);

/**
 * Adds a body: a tree, which the scene keeps (its handle may be freed), where it stands in the world. The options may
 * be null.
 *
 * Errors: `BVT_ERROR_SCENE` if it reaches farther than 1e30 from the world's origin, or is to be solid and its mesh is
 * not closed.
 *
 * Preconditions:
 * The options' `struct_size` is set.
 */
BvtStatus bvt_scene_add(struct BvtScene *scene,
                        const struct BvtTree *tree,
                        const struct BvtPose *to_world,
                        const struct BvtBodyOptions *options_given,
                        BvtBodyId *body);

/**
 * Takes a body out.
 *
 * Errors, here and below: `BVT_ERROR_NO_SUCH_BODY`.
 */
BvtStatus bvt_scene_remove(struct BvtScene *scene, BvtBodyId body);

/**
 * Puts a body elsewhere.
 */
BvtStatus bvt_scene_set_pose(struct BvtScene *scene, BvtBodyId body, const struct BvtPose *to_world);

/**
 * Puts bodies elsewhere: quicker than one by one. A body that is not there is an error, and those before it have moved
 * then.
 *
 * Preconditions:
 * There are `count` bodies and as many poses.
 */
BvtStatus bvt_scene_set_poses(struct BvtScene *scene,
                              const BvtBodyId *bodies,
                              const struct BvtPose *to_world,
                              size_t count);

/**
 * Changes which collision groups a body is in, a bit for each, and which it is compared with: `a` and `b` are compared
 * if `a.groups & b.mask` and `b.groups & a.mask` are not 0.
 */
BvtStatus bvt_scene_set_groups(struct BvtScene *scene,
                               BvtBodyId body,
                               uint32_t groups,
                               uint32_t mask);

/**
 * Whether two bodies are left out of comparison, like a robot's neighbouring links.
 */
BvtStatus bvt_scene_set_ignored(struct BvtScene *scene, BvtBodyId a, BvtBodyId b, bool ignored);

/**
 * Whether two static bodies are compared; false at first.
 */
BvtStatus bvt_scene_include_static_pairs(struct BvtScene *scene, bool compare);

/**
 * How many bodies there are.
 */
BvtStatus bvt_scene_count(struct BvtScene *scene, size_t *count);

/**
 * Whether a body is solid.
 */
BvtStatus bvt_scene_is_solid(struct BvtScene *scene, BvtBodyId body, bool *is_solid);

/**
 * Where a body is, what the caller gave as its `user`, and its tree, as a handle to be freed; each may be null.
 */
BvtStatus bvt_scene_body(struct BvtScene *scene,
                         BvtBodyId body,
                         struct BvtPose *to_world,
                         uint64_t *user,
                         struct BvtTree **tree);

/**
 * When a capsule on its way along a displacement first meets a body in the mask's collision groups, all of which stand
 * still. The options may be null. `BVT_NONE` proves that there is no contact on the way.
 *
 * Preconditions:
 * The options' `struct_size` is set.
 */
BvtStatus bvt_scene_cast_capsule(struct BvtScene *scene,
                                 struct BvtProbe *probe,
                                 const struct BvtCapsule *capsule,
                                 const double displacement[3],
                                 const struct BvtCastOptions *options,
                                 uint32_t mask,
                                 struct BvtBodyCastHit *hit);

/**
 * Calls `visit` with the contacts of all triangles of bodies in the mask's collision groups that are no farther than
 * `max_distance` from a capsule, by body, until it stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_capsule_contact(struct BvtScene *scene,
                                             struct BvtProbe *probe,
                                             const struct BvtCapsule *capsule,
                                             double max_distance,
                                             uint32_t mask,
                                             BvtVisitBodyContact visit,
                                             void *user);

/**
 * The contact of the triangle of a body in the mask's collision groups that is nearest to a capsule or overlaps it
 * most deeply. `BVT_NONE` if none is as near as `max_distance`.
 */
BvtStatus bvt_scene_closest_capsule_contact(struct BvtScene *scene,
                                            struct BvtProbe *probe,
                                            const struct BvtCapsule *capsule,
                                            double max_distance,
                                            uint32_t mask,
                                            struct BvtBodyContact *contact);

/**
 * Gives a body another tree.
 *
 * Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if it would reach farther than 1e30 from the world's origin, or
 * the body is solid and the tree's mesh is not closed.
 */
BvtStatus bvt_scene_set_tree(struct BvtScene *scene,
                             BvtBodyId body,
                             const struct BvtTree *tree);

/**
 * Deforms a body: as `bvt_deforming_tree_refit`, and gives the body that tree. The tree is not copied if only the body
 * and the deforming tree hold it.
 *
 * Errors: as of `bvt_scene_set_tree` and `bvt_deforming_tree_refit`; then nothing has changed.
 *
 * Preconditions:
 * There are `count` positions.
 */
BvtStatus bvt_scene_refit(struct BvtScene *scene,
                          BvtBodyId body,
                          struct BvtDeformingTree *deforming,
                          const void *positions,
                          size_t count,
                          size_t stride,
                          uint32_t scalar,
                          struct BvtRefitted *refitted);

/**
 * Calls `visit` with when each pair of bodies first meets while some of them move and the others stand still, in the
 * order of their ids, until it stops. Each body's origin goes straight, and the body turns about that evenly; pairs
 * that are left out are proven not to meet on these ways, and no others. `accuracy` is as of `bvt_time_of_impact`, and
 * no clearance.
 *
 * Errors: `BVT_ERROR_NO_SUCH_BODY`; `BVT_ERROR_SCENE` if a body has two motions; `BVT_ERROR_MOTION`; `BVT_ERROR_POSE`.
 *
 * Preconditions:
 * There are `count` motions; `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_impact(struct BvtScene *scene,
                                    const struct BvtBodyMotion *moving,
                                    size_t count,
                                    double accuracy,
                                    BvtVisitBodyImpact visit,
                                    void *user);

/**
 * The first of all impacts. `BVT_NONE` if no two bodies meet. Errors: as of `bvt_scene_for_each_impact`.
 *
 * Preconditions:
 * There are `count` motions.
 */
BvtStatus bvt_scene_first_impact(struct BvtScene *scene,
                                 const struct BvtBodyMotion *moving,
                                 size_t count,
                                 double accuracy,
                                 struct BvtBodyImpact *impact);

/**
 * Calls `visit` for each pair of bodies that touch, in the order of their ids, until it stops. They do where their
 * surfaces do, or one has a part inside the other, which is solid.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_intersecting_pair(struct BvtScene *scene,
                                               BvtVisitBodyPair visit,
                                               void *user);

/**
 * Calls `visit` for each pair of bodies whose distance is at most a clearance, in the order of their ids, until it
 * stops. None are within a negative one or NaN. The distance is that of the surfaces, or 0 where one has a part inside
 * the other, which is solid.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_pair_within(struct BvtScene *scene,
                                         double clearance,
                                         BvtVisitNearPair visit,
                                         void *user);

/**
 * The two bodies that are nearest to each other, with the distance that `bvt_scene_for_each_pair_within` gives.
 * `BVT_NONE` if there are no two with triangles that are compared.
 */
BvtStatus bvt_scene_closest_pair(struct BvtScene *scene,
                                 struct BvtNearPair *closest);

/**
 * Calls `visit` for each pair of bodies whose AABBs in the world are at most `reach` apart (along each axis), in the
 * order of their ids, until it stops. Some that are a little farther may come too.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_neighbor_pair(struct BvtScene *scene,
                                           double reach,
                                           BvtVisitNeighbors visit,
                                           void *user);

/**
 * The first triangle of a body in the mask's collision groups that a ray meets until `max_time`. `BVT_NONE` if it
 * meets none.
 */
BvtStatus bvt_scene_closest_hit(struct BvtScene *scene,
                                struct BvtProbe *probe,
                                const struct BvtRay *ray,
                                double max_time,
                                uint32_t mask,
                                struct BvtBodyHit *hit);

/**
 * Whether a ray meets any body in the mask's collision groups until `max_time`.
 */
BvtStatus bvt_scene_any_hit(struct BvtScene *scene,
                            struct BvtProbe *probe,
                            const struct BvtRay *ray,
                            double max_time,
                            uint32_t mask,
                            bool *hit);

/**
 * Calls `visit` with all triangles of bodies in the mask's collision groups that a ray meets until `max_time`, by
 * time, until it stops.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_hit(struct BvtScene *scene,
                                 struct BvtProbe *probe,
                                 const struct BvtRay *ray,
                                 double max_time,
                                 uint32_t mask,
                                 BvtVisitBodyHit visit,
                                 void *user);

/**
 * The point of the bodies in the mask's collision groups that is nearest to a given one and no farther than
 * `max_distance`. `BVT_NONE` if there is none.
 */
BvtStatus bvt_scene_closest_point(struct BvtScene *scene,
                                  struct BvtProbe *probe,
                                  const double to[3],
                                  double max_distance,
                                  uint32_t mask,
                                  struct BvtBodyPoint *closest);

/**
 * Calls `visit` for each pair of bodies that are not separate, in the order of their ids, until it stops. Bodies that
 * are the same to a tolerance are `BVT_COINCIDENT`; none are to a negative one.
 *
 * Preconditions:
 * `visit` may be called with `user`.
 */
BvtStatus bvt_scene_for_each_relation(struct BvtScene *scene,
                                      double tolerance,
                                      BvtVisitRelatedPair visit,
                                      void *user);

/**
 * How two bodies lie to each other, whether they are compared or not. Any number of threads may ask at once.
 */
BvtStatus bvt_scene_relation(struct BvtScene *scene,
                             BvtBodyId a,
                             BvtBodyId b,
                             double tolerance,
                             BvtRelation *relation);

/**
 * The best instructions of this CPU.
 */
BvtSimd bvt_simd_detect(void);

/**
 * The text of this thread's last error, in UTF-8 and for people; empty if there was none. It stays until the next call
 * of this thread that fails: calls that succeed leave it as it is.
 */
const char *bvt_last_error(void);

/**
 * The name of a status, as "BVT_ERROR_MESH"; of any other number "unknown". Lives as long as the program.
 */
const char *bvt_status_name(int32_t status);

/**
 * Another handle of the same tree, to be freed for itself.
 */
BvtStatus bvt_tree_share(const struct BvtTree *tree, struct BvtTree **copy);

/**
 * Frees a handle; null is nothing. The tree goes with the last one of its handles, scenes, trackers and deforming
 * trees.
 */
void bvt_tree_free(struct BvtTree *tree);

/**
 * Builds a tree of a mesh, which is not needed afterwards. Works on all threads of the pool; see `bvt_pool_run`. The
 * options may be null.
 *
 * Errors: `BVT_ERROR_ARGUMENT` if a rule has another name; `BVT_ERROR_BUILD` if there would be too many volumes.
 *
 * Preconditions:
 * Texts in the options end with zeros.
 */
BvtStatus bvt_tree_build(const struct BvtMesh *mesh,
                         const struct BvtBuildOptions *options,
                         struct BvtTree **tree);

/**
 * Writes what a tree is like.
 *
 * Preconditions:
 * The info's `struct_size` is set.
 */
BvtStatus bvt_tree_info(const struct BvtTree *tree, struct BvtTreeInfo *info);

/**
 * The box around the mesh; an empty one of an empty mesh and of null.
 */
struct BvtAabb bvt_tree_bounds(const struct BvtTree *tree);

/**
 * Whether the mesh has an inside. Found out when first asked, in O(n log n) time, and then kept.
 */
BvtStatus bvt_tree_watertightness(const struct BvtTree *tree, BvtWatertightness *watertightness);

/**
 * The polygon of the source file that a triangle was cut from; the triangle itself where there is no telling, and of
 * null.
 */
uint32_t bvt_tree_polygon(const struct BvtTree *tree,
                          uint32_t face);

/**
 * A group of the source file: its name, which does not end with a zero and lives as long as the tree, its length in
 * bytes, and its first triangle. The run goes on to the next group's.
 *
 * Errors: `BVT_ERROR_ARGUMENT` if there is no such group.
 */
BvtStatus bvt_tree_group(const struct BvtTree *tree,
                         size_t group,
                         const char **name,
                         size_t *name_length,
                         uint32_t *first_triangle);

/**
 * Looks at the whole tree, that every volume encloses the triangles below it too, which opening it does not. Takes
 * longer than that.
 *
 * Errors: `BVT_ERROR_FILE` if it is unsound; the message names the first defect.
 */
BvtStatus bvt_tree_validate(const struct BvtTree *tree);

/**
 * The mesh of a tree: its triangles in the order of the source file. Vertices that no triangle uses are not there any
 * more.
 */
BvtStatus bvt_tree_to_mesh(const struct BvtTree *tree,
                           struct BvtMesh **mesh);

/**
 * Opens a cooked file. Flags: `BVT_OPEN_TRUSTED`, `BVT_OPEN_MAPPED` or both; 0 reads it and checks every byte.
 *
 * Errors: `BVT_ERROR_IO` if it can't be read; `BVT_ERROR_FILE` if it is no cooked tree or damaged;
 * `BVT_ERROR_FORMAT_VERSION`.
 *
 * Preconditions:
 * The path ends with a zero; it is UTF-8. A mapped file stays as it is.
 */
BvtStatus bvt_tree_open(const char *path,
                        uint32_t flags,
                        struct BvtTree **tree);

/**
 * Opens a cooked tree of bytes that lie anywhere: they are copied, checked, and not needed afterwards.
 *
 * Errors: `BVT_ERROR_FILE` if they are no cooked tree or damaged; `BVT_ERROR_FORMAT_VERSION`.
 *
 * Preconditions:
 * There are `size` bytes at `data`.
 */
BvtStatus bvt_tree_from_bytes(const uint8_t *data, size_t size, struct BvtTree **tree);

/**
 * Opens a cooked tree of bytes that are used where they lie, without a copy: a part of a pak file in memory, data of
 * the program. They begin at a multiple of `BVT_BUFFER_ALIGNMENT` bytes, and stay as they are until `release` is
 * called with `user`: once, in whatever thread the last owner of the tree is freed in, and before this call returns if
 * it fails. `release` may be null; then they stay as long as the tree and all that was made of it. Flags:
 * `BVT_OPEN_TRUSTED`, or 0 to check every byte.
 *
 * Errors: `BVT_ERROR_MISALIGNED`; `BVT_ERROR_FILE` if they are no cooked tree or damaged; `BVT_ERROR_FORMAT_VERSION`.
 *
 * Preconditions:
 * There are `size` bytes at `data`, for as long as told; `release` may be called from any thread.
 */
BvtStatus bvt_tree_from_buffer(const uint8_t *data,
                               size_t size,
                               uint32_t flags,
                               BvtRelease release,
                               void *user,
                               struct BvtTree **tree);

/**
 * Writes a tree to a cooked file: it appears whole under its name, or not at all.
 *
 * Errors: `BVT_ERROR_IO`.
 *
 * Preconditions:
 * The path ends with a zero; it is UTF-8.
 */
BvtStatus bvt_tree_save(const struct BvtTree *tree, const char *path);

/**
 * Builds a tree straight into a cooked file and opens it: what `bvt_tree_build` and `bvt_tree_save` do, at about half
 * the memory. Works on all threads of the pool. The options may be null.
 *
 * Errors: as of `bvt_tree_build` and `bvt_tree_save`.
 *
 * Preconditions:
 * The path and the texts in the options end with zeros; the path is UTF-8.
 */
BvtStatus bvt_tree_cook(const struct BvtMesh *mesh,
                        const struct BvtBuildOptions *options,
                        const char *path,
                        struct BvtTree **tree);

/**
 * Hands the bytes of a tree's cooked file to `write`, piece after piece, on this thread.
 *
 * Errors: `BVT_ERROR_CALLER` if `write` gives anything but 0.
 *
 * Preconditions:
 * `write` may be called with `user`.
 */
BvtStatus bvt_tree_write(const struct BvtTree *tree, BvtWrite write, void *user);

/**
 * The bytes of a tree's cooked file, in memory that `allocate` gives: exactly as much as there is to write, aligned so
 * that `bvt_tree_from_buffer` can use it in place.
 *
 * Errors: `BVT_ERROR_CALLER` if there is no memory.
 *
 * Preconditions:
 * `allocate` may be called with `user`; what it gives is as large as asked for.
 */
BvtStatus bvt_tree_to_bytes(const struct BvtTree *tree,
                            BvtAllocate allocate,
                            void *user,
                            uint8_t **data,
                            size_t *size);

/**
 * How many bytes a tree's cooked file has.
 */
BvtStatus bvt_tree_cooked_size(const struct BvtTree *tree, size_t *size);

/**
 * The version of the library in use, as "0.2.0". Lives as long as the program.
 */
const char *bvt_version(void);

/**
 * The version of the binary interface of the library in use: compare it with `BVT_ABI_VERSION` where the library is
 * loaded at run time.
 */
uint32_t bvt_abi_version(void);

/**
 * The version of the .bvt format that the library reads and writes. Files of any other are refused.
 */
uint32_t bvt_format_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BVTREE_H */

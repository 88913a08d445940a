// What every peer's program does: the measurement of `bvtree query A B --poses P --mode M --by-label --repeat N`,
// and its columns, by another library.
//
//   peer_LIBRARY A.obj B.obj POSES.csv hit|pairs|distance PASSES [VARIANT]
//
// One untimed pass over all poses, which the answers are taken from, then PASSES timed ones on one thread.
//
// An engine holds the models of A and B:
//   Engine(const Mesh& a, const Mesh& b)
//   static bool answers(Mode)
//   bool hit(const Pose&), size_t pairs(const Pose&), double distance(const Pose&)    0 if in contact
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "inputs.h"

enum class Mode { hit, pairs, distance };

struct Arguments {
  Mesh a, b;
  std::vector<Pose> poses;
  Mode mode;
  size_t passes;
  std::string variant;
};

inline Arguments parse(int argc, char** argv) {
  if (argc < 6) fail(std::string("usage: ") + argv[0] + " A.obj B.obj POSES.csv hit|pairs|distance PASSES [VARIANT]");
  const std::string mode = argv[4];
  Arguments arguments{read_obj(argv[1]), read_obj(argv[2]), read_poses(argv[3]), Mode::hit, 0, argc > 6 ? argv[6] : ""};
  if (mode == "pairs") arguments.mode = Mode::pairs;
  else if (mode == "distance") arguments.mode = Mode::distance;
  else if (mode != "hit") fail("unknown mode " + mode);
  arguments.passes = std::max(1l, strtol(argv[5], nullptr, 10));
  return arguments;
}

template <class Engine>
double ask(Engine& engine, Mode mode, const Pose& pose) {
  switch (mode) {
    case Mode::hit: return engine.hit(pose);
    case Mode::pairs: return (double)engine.pairs(pose);
    default: return engine.distance(pose);
  }
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

template <class Engine>
int measure(const Arguments& given) {
  using Clock = std::chrono::steady_clock;
  if (!Engine::answers(given.mode)) fail("this library or variant can't answer that between two posed meshes");
  Engine engine(given.a, given.b);
  const std::vector<Pose>& poses = given.poses;

  std::vector<double> answers;
  for (const Pose& pose : poses) answers.push_back(ask(engine, given.mode, pose));

  std::vector<std::vector<double>> micros(given.passes, std::vector<double>(poses.size()));
  for (std::vector<double>& pass : micros) {
    for (size_t i = 0; i < poses.size(); i++) {
      const auto began = Clock::now();
      const volatile double answer = ask(engine, given.mode, poses[i]);
      (void)answer;
      pass[i] = std::chrono::duration<double, std::micro>(Clock::now() - began).count();
    }
  }

  std::vector<std::string> labels;
  for (const Pose& pose : poses)
    if (std::find(labels.begin(), labels.end(), pose.label) == labels.end()) labels.push_back(pose.label);

  puts("label,queries,hits,pairs,distance_sum,micros_per_query,micros_best");
  for (const std::string& label : labels) {
    size_t queries = 0, hits = 0;
    double sum = 0, best = 0;
    std::vector<double> totals(given.passes);
    for (size_t i = 0; i < poses.size(); i++) {
      if (poses[i].label != label) continue;
      queries++;
      hits += answers[i] > 0;
      sum += answers[i];
      double fastest = HUGE_VAL;
      for (size_t pass = 0; pass < given.passes; pass++) {
        totals[pass] += micros[pass][i];
        fastest = std::min(fastest, micros[pass][i]);
      }
      best += fastest;
    }
    printf("%s,%zu,", label.c_str(), queries);
    switch (given.mode) {
      case Mode::hit: printf("%zu,,", hits); break;
      case Mode::pairs: printf("%zu,%.0f,", hits, sum); break;
      case Mode::distance: printf(",,%.17g", sum); break;
    }
    printf(",%.4f,%.4f\n", median(totals) / queries, best / queries);
  }
  return 0;
}

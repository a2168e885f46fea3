// Throughputs that were measured with different numbers of workers, to compare predictions with.
#pragma once

#include <filesystem>
#include <vector>

namespace stagger {

struct MeasuredPoint {
  long long workers = 0;
  double per_s = 0.0;
};

struct MeasuredCurve {
  bool of_examples = false;           ///< examples per second; otherwise updates
  std::vector<MeasuredPoint> points;  ///< at least one, workers ascending, each number once
};

/// Reads a CSV file of at most 1 MiB and 1000 points: a header line with the columns `workers` and either
/// `updates_per_s` or `examples_per_s`, then a line for each point in any order; other columns and empty lines are
/// skipped. Throws InputError with all problems, each at its file:line:column.
MeasuredCurve read_measured(const std::filesystem::path& file);

}  // namespace stagger

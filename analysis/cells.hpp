// A continuous distribution as finitely many values.
#pragma once

#include <vector>

#include "sim/base/distribution.hpp"

namespace stagger {

struct Cell {
  double probability = 0.0;
  double value = 0.0;
};

/// A shape of mean 1. Cells are equally wide on the scale of a standard normal from -6 to 6, so that the tails have as
/// many as the middle, and each counts as its middle there; a factor near 1 keeps the mean at 1. Samples: themselves,
/// or, where there are more than `cells`, means of neighbours. Requires cells >= 1.
std::vector<Cell> cells_of(const Distribution& shape, int cells);

}  // namespace stagger

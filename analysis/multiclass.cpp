#include "analysis/multiclass.hpp"

#include "analysis/multiclass_approximate.hpp"
#include "analysis/multiclass_exact.hpp"

namespace stagger {

MulticlassResult solve_multiclass(const MulticlassNetwork& network) {
  if (exact_is_quick(network)) return solve_exact(network);
  if (linearizer_shares(network) <= kMostLinearizerShares) return solve_linearizer(network);
  return solve_bard_schweitzer(network);
}

}  // namespace stagger

#include "analysis/multiclass.hpp"

#include "analysis/multiclass_approximate.hpp"
#include "analysis/multiclass_exact.hpp"

namespace stagger {

MulticlassResult solve_multiclass(const MulticlassNetwork& network) {
  return exact_is_quick(network) ? solve_exact(network) : solve_linearizer(network);
}

}  // namespace stagger

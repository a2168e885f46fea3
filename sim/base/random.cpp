#include "sim/base/random.hpp"

namespace stagger {

// Philox has a 64-bit key and a 128-bit counter. The key is the seed; the generator counts in the highest word of the
// counter and takes the other three from here.
DrawEngine RandomStream::at(std::uint32_t step) const {
  return DrawEngine(r123::Philox4x32::ctr_type{{step, entity_, purpose_, 0}}, key_);
}

}  // namespace stagger

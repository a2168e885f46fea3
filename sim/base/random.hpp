// Counter-based random streams: a draw depends only on (seed, entity, purpose, step), never on what else was drawn.
// So neither the number of workers nor a policy nor a cancelled step changes another draw, and two scenarios that are
// compared share their random numbers.
#pragma once

#include <Random123/philox.h>

#include <Random123/MicroURNG.hpp>
#include <cstdint>

namespace stagger {

/// What a random number is for; part of the key.
enum class Purpose : std::uint32_t { compute = 1, update = 2, compute_anew = 3, regimes = 4 };

/// A uniform random bit generator for one draw of one stream: 2^34 numbers of Philox4x32-10 (Salmon et al., "Parallel
/// random numbers: as easy as 1, 2, 3", SC 2011).
using DrawEngine = r123::MicroURNG<r123::Philox4x32>;

/// The draws of one entity (worker or server) for one purpose.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint32_t entity, Purpose purpose)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}},
        entity_(entity),
        purpose_(static_cast<std::uint32_t>(purpose)) {}

  /// The generator of draw number `step`.
  DrawEngine at(std::uint32_t step) const;

 private:
  r123::Philox4x32::key_type key_;
  std::uint32_t entity_;
  std::uint32_t purpose_;
};

}  // namespace stagger

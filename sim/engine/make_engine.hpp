// The engine that a scenario asks for.
#pragma once

#include "sim/engine/fluid/fluid_engine.hpp"
#include "sim/engine/simgrid/simgrid_engine.hpp"

namespace stagger {

/// Requires what the engine does.
inline std::unique_ptr<Engine> make_engine(EngineKind kind, const Cluster& cluster) {
  return kind == EngineKind::fluid ? make_fluid_engine(cluster) : make_simgrid_engine(cluster);
}

}  // namespace stagger

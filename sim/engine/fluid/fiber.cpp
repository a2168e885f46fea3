#include "sim/engine/fluid/fiber.hpp"

#include <boost/context/preallocated.hpp>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace stagger {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStackBytes = 512UL * 1024;  // instrumented frames are larger

/// Before a switch to another stack. `here` keeps what belongs to the stack that is left; null: it ends.
void announce_switch(void** here, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(here, bottom, size);
}
/// After it; tells the bounds of the stack that was left.
void announce_arrival(void* here, const void** bottom, std::size_t* size) {
  __sanitizer_finish_switch_fiber(here, bottom, size);
}
#else
constexpr std::size_t kStackBytes = 128UL * 1024;

void announce_switch(void**, const void*, std::size_t) {}
void announce_arrival(void*, const void**, std::size_t*) {}
#endif

}  // namespace

StackPool make_stack_pool() { return StackPool(kStackBytes); }

Fiber::Fiber(StackPool& stacks, std::function<void()> body)
    : body_(std::move(body)),
      stack_(stacks.allocate()),
      inside_(std::allocator_arg, boost::context::preallocated(stack_.sp, stack_.size, stack_), stacks,
              [this](boost::context::fiber&& outside) {
                outside_ = std::move(outside);
                enter();
                return std::move(outside_);
              }) {}

void Fiber::enter() {
  announce_arrival(nullptr, &outside_bottom_, &outside_size_);
  body_();
  done_ = true;
  announce_switch(nullptr, outside_bottom_, outside_size_);
}

void Fiber::resume() {
  void* here = nullptr;
  announce_switch(&here, static_cast<const char*>(stack_.sp) - stack_.size, stack_.size);
  inside_ = std::move(inside_).resume();
  announce_arrival(here, nullptr, nullptr);
}

void Fiber::suspend() {
  void* here = nullptr;
  announce_switch(&here, outside_bottom_, outside_size_);
  outside_ = std::move(outside_).resume();
  announce_arrival(here, &outside_bottom_, &outside_size_);
}

}  // namespace stagger

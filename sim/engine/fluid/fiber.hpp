// Stackful fibers: functions that can wait in the middle and go on later, all in one thread. Boost.Context switches the
// stacks; this file and its .cpp are the only ones that know, and announce each switch to AddressSanitizer, which
// Boost's default implementation does not.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <functional>

namespace stagger {

/// Stacks that are given back are used again. Memory is touched, and so taken, only as far as a stack grows: about 8 KB
/// for an actor. There are no guard pages, of which Linux allows a process 65,530: a stack is far larger than needed.
using StackPool = boost::context::pooled_fixedsize_stack;
StackPool make_stack_pool();

class Fiber {
 public:
  /// `body` begins at the first resume() and must return before the fiber is destroyed; no exception may leave it.
  Fiber(StackPool& stacks, std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// From outside, until `done`: runs the body until it suspends or returns.
  void resume();
  /// From within the body: back to resume().
  void suspend();
  bool done() const { return done_; }

 private:
  void enter();

  std::function<void()> body_;
  boost::context::stack_context stack_;
  boost::context::fiber inside_;   // while it is suspended
  boost::context::fiber outside_;  // while it runs
  // Bounds of the stack outside, for AddressSanitizer.
  const void* outside_bottom_ = nullptr;
  std::size_t outside_size_ = 0;
  bool done_ = false;
};

}  // namespace stagger

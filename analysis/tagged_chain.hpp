// Staleness as the time to absorption of a Markov chain: exact for one first-come server with any number of threads and
// workers that differ, where every time is exponential.
#pragma once

#include <cstddef>
#include <vector>

namespace stagger {

/// Workers compute, wait for one first-come server, and nothing else takes time.
struct ExponentialJob {
  struct Kind {
    int workers = 0;
    double compute_s = 0.0;  ///< mean
  };
  std::vector<Kind> kinds;
  double update_s = 0.0;  ///< mean
  int threads = 1;        ///< of the server
};

// All functions follow a worker of kinds[tagged] from a read to its next apply. They require kinds with one worker or
// more, other compute times where kinds differ (alike they only make more states), positive times, threads >= 1.

/// The states of the chain: who is at the server, in the order of service. Those in service are a multiset of kinds,
/// for each ends at the same rate; those who wait are a sequence, for it says who will return to compute. With one
/// thread nothing behind the tagged worker matters any more. So one kind has 2 N states with one thread, about
/// (N - threads)^2 / 2 with several; K kinds have up to K^(N-1). Counted over all vectors of customers at the server;
/// where these are more than kMostChainStates, it is a lower bound. At most 1e15.
double tagged_chain_states(const ExponentialJob& job, std::size_t tagged);

/// States times values of staleness, at most.
double tagged_chain_work(const ExponentialJob& job, std::size_t tagged);

/// Within a second on a 2-core virtual machine (Intel Xeon, g++ 12 -O2): to build the chain takes 1 to 3 us a state, to
/// solve it 4 to 9 ns for each unit of work. With one kind and updates that take little of the time, that is 190
/// workers; close to saturation 400; with two kinds 8 + 8 workers and one thread, 6 + 6 and two.
inline constexpr double kMostChainStates = 1e5;
inline constexpr double kMostChainWork = 1e8;

/// P(k), k updates of others between the tagged worker's read and its own apply.
///
/// Right after its apply a worker sees the others as in equilibrium without itself (Sevcik & Mitrani, "The distribution
/// of queuing network states at input and output instants", JACM 28, 1981). This equilibrium has a product form
/// although compute times differ, for the server has one rate (Baskett, Chandy, Muntz & Palacios, JACM 22, 1975): a
/// sequence of n workers at the server has the weight of the same without its last, times update_s / (compute_s of the
/// last * min(n, threads)), so that all orders of the same workers are equally likely. From there the chain runs until
/// the tagged worker's own apply. Order matters on the way: given that so many applies have happened, the orders are no
/// longer equally likely.
///
/// With v_d(s) the probability that state s is entered by the d-th apply of another, v_{d+1} = v_d (-A0)^-1 A1, A1 the
/// rates of those applies and A0 those of the rest (a phase-type count: Neuts, "Matrix-geometric solutions in
/// stochastic models", 1981). Without an apply of another the server only fills: A0 is triangular in the order of the
/// number there, and one pass over the states solves the system without a factorization. It only adds, multiplies and
/// divides positive numbers: nothing cancels, at any load.
///
/// Near saturation nothing breaks, and fewer values matter: of a server that is never idle, equal workers have the
/// variance r (r + 1) + threads (threads - 1), r = threads * compute_s / update_s, around the mean N - 1.
///
/// Requires no more than kMostChainStates. Takes O(tagged_chain_work * kinds) after the chain is built in O(states *
/// kinds * workers). Throws std::logic_error if the states are not those counted. Cut at kNegligibleTail (pmf.hpp).
std::vector<double> tagged_chain_staleness(const ExponentialJob& job, std::size_t tagged);

}  // namespace stagger

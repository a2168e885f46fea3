// The tagged worker's Markov chain against hand calculation, limits, the recursion for one thread, and the chain of the
// whole job.
#include "analysis/tagged_chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include "analysis/multiclass.hpp"
#include "analysis/pmf.hpp"
#include "analysis/staleness.hpp"
#include "tests/data/read_csv.hpp"

namespace stagger {
namespace {

double at(const std::vector<double>& pmf, std::size_t k) { return k < pmf.size() ? pmf[k] : 0.0; }

void expect_equal(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) ASSERT_NEAR(at(a, k), at(b, k), tolerance) << k;
}

std::vector<double> numbers(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<double>(in), {}};
}

// Two workers of rate 1 and a server with a thread for each, also of rate 1. States: the tagged worker and the other,
// each computing (C) or in service (S). f_k: the probability of k further applies of the other; it is found C or S with
// 1/2 each.
//   SS: half own apply, half -> SC with one more   f0 = 1/2                f1 = 1/2 * 3/4 = 3/8     f2 = 1/2 * 3/16
//   SC: half own apply, half -> SS                 f0 = 1/2 + 1/4 = 3/4    f1 = 3/16                f2 = 3/64
//   CS: half -> SS, half -> CC with one more       f0 = 1/4                f1 = 3/16 + 1/4 = 7/16   f2 = 3/64 + 5/32
//   CC: half -> SC, half -> CS                     f0 = 3/8 + 1/8 = 1/2    f1 = 3/32 + 7/32 = 5/16  f2 = (3 + 13)/128
// P = (CC + CS) / 2.
TEST(TaggedChain, OfTwoWorkersThatNeverQueueIsThatByHand) {
  const std::vector<double> pmf = tagged_chain_staleness({{{2, 1.0}}, 1.0, 2}, 0);
  EXPECT_NEAR(pmf[0], 3.0 / 8.0, 1e-10);
  EXPECT_NEAR(pmf[1], 3.0 / 8.0, 1e-10);
  EXPECT_NEAR(pmf[2], 21.0 / 128.0, 1e-10);
}

// Rates 1 (tagged) and 2, one thread of rate 4. The other is found computing (C) with 4/6, at the server (S) with 2/6.
//   C: 1/3 the tagged one joins: no more applies; 2/3 -> S
//   S: 1/5 it joins: one more;                    4/5 -> C with one more
// C: 1/3, 1/3 * 2/3 * 4/5 + 2/3 * 1/5 = 14/45, then 8/15 of the last; S: 0, 1/5 + 4/15 = 7/15, 4/5 * 14/45 = 56/225.
TEST(TaggedChain, OfTwoUnequalWorkersIsThatByHand) {
  const std::vector<double> pmf = tagged_chain_staleness({{{1, 1.0}, {1, 0.5}}, 0.25, 1}, 0);
  EXPECT_NEAR(pmf[0], 2.0 / 9.0, 1e-10);
  EXPECT_NEAR(pmf[1], 49.0 / 135.0, 1e-10);
  EXPECT_NEAR(pmf[2], 392.0 / 2025.0, 1e-10);
}

// Two derivations.
TEST(TaggedChain, OfEqualWorkersAndOneThreadIsTheRecursions) {
  for (const int workers : {1, 2, 9, 60})
    for (const double update_s : {1e-3, 0.02, 0.1, 5.0})
      expect_equal(tagged_chain_staleness({{{workers, 1.0}}, update_s, 1}, 0), fifo_staleness(workers, 1.0, update_s),
                   1e-11);
}

TEST(TaggedChain, IsThatOfTheWholeJobsChain) {
  for (const CsvRow& row : read_csv("staleness_tagged_worker_octave.csv")) {
    SCOPED_TRACE(row.text.at("compute_s") + ", " + row.text.at("threads") + " threads of " + row.text.at("update_s"));
    const std::vector<double> compute_s = numbers(row.text.at("compute_s"));
    ExponentialJob job{{}, row.number("update_s"), static_cast<int>(row.number("threads"))};
    std::size_t tagged = 0;
    for (std::size_t i = 0; i < compute_s.size(); ++i) {
      if (job.kinds.empty() || job.kinds.back().compute_s != compute_s[i]) job.kinds.push_back({0, compute_s[i]});
      ++job.kinds.back().workers;
      if (i == static_cast<std::size_t>(row.number("tagged"))) tagged = job.kinds.size() - 1;
    }
    const std::vector<double> pmf = tagged_chain_staleness(job, tagged);
    const std::vector<double> expected = numbers(row.text.at("pmf"));
    ASSERT_EQ(expected.size(), 20U);
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(at(pmf, k), expected[k], 1e-10) << k;
  }
}

// Rates 4 and 2 at most: the share of one worker is 1/4 : 1/12 as of their speeds.
TEST(TaggedChain, WithoutUpdateTimeIsGeometric) {
  for (const int threads : {1, 3}) {
    const ExponentialJob job{{{3, 1.0}, {3, 3.0}}, 1e-9, threads};
    expect_equal(tagged_chain_staleness(job, 0), geometric_staleness(1.0 / 4.0), 1e-8);
    expect_equal(tagged_chain_staleness(job, 1), geometric_staleness(1.0 / 12.0), 1e-8);
  }
}

// X / X_i - 1: in the long run all others make that many updates for each of its own.
TEST(TaggedChain, HasTheMeanOfTheNetworksRates) {
  for (const double update_s : {0.01, 0.1, 1.0})
    for (const int threads : {1, 2, 5, 20}) {
      const ExponentialJob job{{{4, 1.0}, {2, 3.0}, {3, 0.2}}, update_s, threads};
      MulticlassNetwork network{
          {{"compute", std::numeric_limits<double>::infinity()}, {"update", static_cast<double>(threads)}}, {}, {}};
      for (const ExponentialJob::Kind& kind : job.kinds) {
        network.demands_s.push_back({kind.compute_s, update_s});
        network.customers.push_back(kind.workers);
      }
      const std::vector<double> rates = solve_multiclass(network).throughput_per_s;
      const double all = std::accumulate(rates.begin(), rates.end(), 0.0);
      for (std::size_t i = 0; i < rates.size(); ++i) {
        const std::vector<double> pmf = tagged_chain_staleness(job, i);
        const double mean = all / rates[i] * job.kinds[i].workers - 1.0;
        EXPECT_NEAR(mean_of(pmf), mean, 1e-8 * mean) << i << ", " << threads << " threads of " << update_s;
        EXPECT_NEAR(std::accumulate(pmf.begin(), pmf.end(), 0.0), 1.0, 1e-12);
      }
    }
}

// A server that is never idle makes r = threads * compute / update applies while a worker computes, geometric with the
// variance r (r + 1) together with the number it then finds before it (as with one thread), and while the worker is in
// service a geometric number that ends with probability 1 / threads each: variance threads (threads - 1).
TEST(TaggedChain, OfASaturatedServerHasItsLimit) {
  for (const int threads : {2, 4}) {
    const std::vector<double> pmf = tagged_chain_staleness({{{150, 1.0}}, 0.5, threads}, 0);
    const double r = 2.0 * threads;
    EXPECT_NEAR(mean_of(pmf), 149.0, 1e-7);
    EXPECT_NEAR(variance_of(pmf), r * (r + 1.0) + threads * (threads - 1.0), 1e-6) << threads;
  }
}

// Weights of equilibrium up to 1e420 times the smallest, and chances of 1e-12 a step.
TEST(TaggedChain, HoldsAtTheEndsOfAnyLoad) {
  const std::vector<double> always_there = tagged_chain_staleness({{{120, 1.0}}, 1e9, 2}, 0);
  EXPECT_NEAR(mean_of(always_there), 119.0, 1e-6);
  EXPECT_NEAR(variance_of(always_there), 2.0, 1e-6);
  EXPECT_NEAR(mean_of(tagged_chain_staleness({{{5, 1.0}}, 1e-12, 3}, 0)), 4.0, 1e-8);
}

// One kind, 49 others, two threads: 50 numbers at the server while the tagged one computes and 50 while it is in
// service; while it waits with w others waiting, 0 … 47, w + 1 places. Two kinds, 3 and 4 others, one thread: sequences
// of up to 3 and 4, sum over i, j of C(i + j, i) = C(9, 4) - 1, and 0 … 7 before it. As many threads as workers: 4 * 5
// vectors, twice.
TEST(TaggedChain, HasTheStatesThatCountByHand) {
  EXPECT_EQ(tagged_chain_states({{{50, 1.0}}, 0.1, 2}, 0), 50 + 50 + 48 * 49 / 2);
  EXPECT_EQ(tagged_chain_states({{{4, 1.0}, {4, 3.0}}, 0.1, 1}, 0), 125 + 8);
  EXPECT_EQ(tagged_chain_states({{{4, 1.0}, {4, 3.0}}, 0.1, 8}, 0), 2 * 4 * 5);
  EXPECT_EQ(tagged_chain_states({{{40, 1.0}}, 0.1, 1}, 0), 80);
}

// As many as there are vectors at least: 201^2 * 200.
TEST(TaggedChain, CountsTheStatesOfAnyJob) {
  EXPECT_EQ(tagged_chain_states({{{200, 1.0}, {200, 2.0}, {200, 3.0}}, 0.1, 1}, 1), 201.0 * 201.0 * 200.0);
  EXPECT_EQ(tagged_chain_states({{{300, 1.0}, {300, 2.0}}, 0.1, 1}, 1), 1e15);
  EXPECT_EQ(tagged_chain_states({std::vector<ExponentialJob::Kind>(8, {1800, 1.0}), 0.1, 4}, 0), 1e15);
}

// The number of values: the work is states times these, at least.
TEST(TaggedChain, HasNoMoreValuesThanItsWorkSays) {
  for (const double slow_s : {1.0, 3.0, 40.0})
    for (const double update_s : {1e-3, 0.1, 3.0})
      for (const int threads : {1, 3}) {
        const ExponentialJob job{{{3, 1.0}, {3, slow_s + 0.1}}, update_s, threads};
        for (const std::size_t tagged : {0U, 1U})
          EXPECT_LE(static_cast<double>(tagged_chain_staleness(job, tagged).size()),
                    tagged_chain_work(job, tagged) / tagged_chain_states(job, tagged));
      }
}

}  // namespace
}  // namespace stagger

// Closed networks with several classes for the tests: at random, from the table that GNU Octave has solved, and their
// product form summed by convolution, which shares nothing with mean value analysis.
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/multiclass.hpp"
#include "tests/data/read_csv.hpp"

namespace stagger {

constexpr double kDelay = std::numeric_limits<double>::infinity();

/// The numbers of one cell of networks_octave.csv: classes are separated by slashes.
inline std::vector<std::vector<double>> numbers(const std::string& cell) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(cell);
  for (std::string line; std::getline(lines, line, '/');) {
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; words >> word;) rows.back().push_back(word == "Inf" ? kDelay : std::stod(word));
  }
  return rows;
}

/// The same of a cell that is one list.
inline std::vector<double> list(const std::string& cell) { return numbers(cell).at(0); }

inline MulticlassNetwork network_of(const CsvRow& row) {
  MulticlassNetwork network;
  for (const double servers : list(row.text.at("servers"))) network.stations.push_back({"station", servers});
  network.demands_s = numbers(row.text.at("demands_s"));
  for (const double customers : list(row.text.at("customers")))
    network.customers.push_back(static_cast<int>(customers));
  return network;
}

/// 1 to 5 stations of all kinds with demands of the same order, `classes` classes of up to `most` customers.
class RandomNetworks {
 public:
  explicit RandomNetworks(unsigned seed) : engine_(seed) {}

  double uniform() { return static_cast<double>(engine_() % 10'000) / 10'000.0; }
  int whole(int first, int last) { return first + static_cast<int>(uniform() * (last - first + 1)); }

  MulticlassNetwork operator()(int classes, int most, bool several_servers = true) {
    MulticlassNetwork network;
    for (int k = whole(1, 5); k > 0; --k) {
      const double kind = uniform();
      const double several = several_servers ? 1.5 + 10.0 * uniform() : 1.0;
      network.stations.push_back({"station", kind < 0.25 ? kDelay : kind < 0.6 ? several : 1.0});
    }
    for (int c = 0; c < classes; ++c) {
      network.customers.push_back(whole(1, most));
      network.demands_s.emplace_back();
      for (const MulticlassStation& station : network.stations)
        network.demands_s.back().push_back(std::min(station.parallelism, 10.0) * (0.02 + uniform()));
    }
    return network;
  }

 private:
  std::minstd_rand engine_;
};

/// The product form, P(n_1, …, n_K) ~ prod_k f_k(n_k) over the vectors n_k of customers at station k (Baskett et al.
/// 1975), with f_k(n) = |n|! / prod_{j <= |n|} min(j, c_k) * prod_c D_kc^n_c / n_c!, summed by convolution (Buzen 1973)
/// over all population vectors. Only positive numbers are added: T needs range, not digits.
template <class T>
class ProductForm {
 public:
  explicit ProductForm(const MulticlassNetwork& network) : network_(network), n_(network.customers.size(), 0) {
    do {
      populations_.push_back(n_);
    } while (next(n_, network.customers));
  }

  /// Throughputs, and the customers at `station`, [class] each.
  struct Solution {
    std::vector<double> throughput_per_s;
    std::vector<double> queue_mean;
  };
  Solution solve(std::size_t station) const {
    std::vector<T> others(populations_.size(), T(0));
    others[0] = T(1);
    for (std::size_t k = 0; k < network_.stations.size(); ++k)
      if (k != station) others = convolve(others, weights(k));
    const std::vector<T> own = weights(station);
    const std::size_t last = populations_.size() - 1;
    const T all = at(last, others, own, [](std::size_t) { return 1; });
    Solution solution;
    for (std::size_t c = 0; c < network_.customers.size(); ++c) {
      const T fewer =
          network_.customers[c] == 0 ? T(0) : at(last - index_of_one(c), others, own, [](std::size_t) { return 1; });
      const T queue = at(last, others, own, [&](std::size_t i) { return populations_[i][c]; });
      solution.throughput_per_s.push_back(static_cast<double>(fewer / all));
      solution.queue_mean.push_back(static_cast<double>(queue / all));
    }
    return solution;
  }

 private:
  /// The next vector up to `most`; false after the last.
  static bool next(std::vector<int>& n, const std::vector<int>& most) {
    for (std::size_t c = 0; c < n.size(); ++c) {
      if (n[c]++ < most[c]) return true;
      n[c] = 0;
    }
    return false;
  }

  std::size_t index_of_one(std::size_t customer_class) const {
    std::size_t stride = 1;
    for (std::size_t c = 0; c < customer_class; ++c) stride *= static_cast<std::size_t>(network_.customers[c]) + 1;
    return stride;
  }

  std::vector<T> weights(std::size_t station) const {
    std::vector<T> f;
    for (const std::vector<int>& n : populations_) {
      T weight(1);
      int present = 0;
      for (std::size_t c = 0; c < n.size(); ++c)
        for (int i = 1; i <= n[c]; ++i) {
          ++present;
          const double rate = std::min<double>(present, network_.stations[station].parallelism);
          weight *= T(network_.demands_s[c][station]) * present / T(rate) / i;
        }
      f.push_back(weight);
    }
    return f;
  }

  /// sum of a(n - m) b(m) value(m) over m = 0 … n, for n at `index`.
  template <class Value>
  T at(std::size_t index, const std::vector<T>& a, const std::vector<T>& b, Value value) const {
    std::vector<int> m(network_.customers.size(), 0);
    T sum(0);
    do {
      std::size_t i = 0;
      for (std::size_t c = 0; c < m.size(); ++c) i += static_cast<std::size_t>(m[c]) * index_of_one(c);
      sum += a[index - i] * b[i] * value(i);
    } while (next(m, populations_[index]));
    return sum;
  }

  std::vector<T> convolve(const std::vector<T>& a, const std::vector<T>& b) const {
    std::vector<T> sums;
    for (std::size_t i = 0; i < populations_.size(); ++i) sums.push_back(at(i, a, b, [](std::size_t) { return 1; }));
    return sums;
  }

  const MulticlassNetwork& network_;
  std::vector<int> n_;
  std::vector<std::vector<int>> populations_;
};

}  // namespace stagger

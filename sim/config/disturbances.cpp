#include "sim/config/disturbances.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include "sim/base/correlation.hpp"

namespace stagger {
namespace {

/// What the words of a list of names stand for: indices of workers, servers or links.
class Directory {
 public:
  explicit Directory(const char* members) : members_(members) {}

  void add(const std::string& word, const char* what, int member) { meanings_[word][what].push_back(member); }

  /// Each of them once.
  std::vector<int> find(const Names& names, const std::string& path, ReadContext& context) const {
    std::set<int> found;
    for (std::size_t i = 0; i < names.words.size(); ++i) {
      const std::string& word = names.words[i];
      const std::string at = names.words.size() > 1 ? join_path(path, std::to_string(i)) : path;
      const auto meaning = meanings_.find(word);
      if (meaning == meanings_.end()) {
        report_unknown(word, at, context);
        continue;
      }
      const auto& [what, members] = *meaning->second.begin();
      for (const auto& [other, others] : meaning->second)
        if (others != members)
          context.problem_at(at, fmt::format("'{}' is a {} and a {}, which are not the same", word, what, other),
                             "another name for the host group");
      found.insert(members.begin(), members.end());
    }
    return {found.begin(), found.end()};
  }

 private:
  void report_unknown(const std::string& word, const std::string& path, ReadContext& context) const {
    std::vector<std::string> words;
    for (const auto& [known, meaning] : meanings_) words.push_back(known);
    std::ranges::sort(words);
    const std::string close = nearest(word, words);
    constexpr std::size_t kListed = 12;
    if (words.size() > kListed) words.resize(kListed);
    context.problem_at(path,
                       fmt::format("'{}' names no {}", word, members_) +
                           (close.empty() ? "" : fmt::format("; did you mean '{}'?", close)),
                       fmt::format("names such as {}", join_words(words)));
  }

  const char* members_;
  std::unordered_map<std::string, std::map<std::string, std::vector<int>>> meanings_;  // word, what it is: members
};

std::string group_of(const std::string& host) { return host.substr(0, host.rfind('-')); }

/// Windows that overlap or touch are one.
std::vector<TimeWindow> merged(std::vector<TimeWindow> windows) {
  std::ranges::sort(windows, {}, &TimeWindow::from);
  std::vector<TimeWindow> result;
  for (const TimeWindow& window : windows) {
    if (!result.empty() && window.from <= result.back().until)
      result.back().until = std::max(result.back().until, window.until);
    else
      result.push_back(window);
  }
  return result;
}

class Disturber {
 public:
  Disturber(Layout& layout, ReadContext& context) : layout_(layout), context_(context) {
    const auto add_host = [&](Directory& directory, int host, int member) {
      const std::string& name = layout.hosts[static_cast<std::size_t>(host)].name;
      directory.add(name, "host", member);
      directory.add(group_of(name), "host group", member);
    };
    for (std::size_t w = 0; w < layout.workers.size(); ++w) {
      workers_.add(layout.workers[w].name, "worker", static_cast<int>(w));
      add_host(workers_, layout.workers[w].host, static_cast<int>(w));
    }
    for (std::size_t s = 0; s < layout.servers.size(); ++s) {
      servers_.add(layout.servers[s].name, "server", static_cast<int>(s));
      add_host(servers_, layout.servers[s].host, static_cast<int>(s));
    }
    for (int h = 0; h < static_cast<int>(layout.hosts.size()); ++h)
      for (const int link : {Cluster::up(h), Cluster::down(h)}) add_host(links_, h, link);
    for (int k = 0; k < layout.cluster.racks; ++k)
      for (const int link : {layout.cluster.rack_up(k), layout.cluster.rack_down(k)})
        links_.add(fmt::format("rack-{}", k), "rack", link);
  }

  void add(const SlowSpec& slow, const std::string& path) {
    const TimeWindow when = window(slow.when, path);
    for (const int w : workers_.find(slow.workers, path + ".workers", context_))
      slow_[w].push_back({when, slow.factor, path});
  }

  void add(const RegimesSpec& regimes, const std::string& path) {
    for (Layout::Worker* worker : workers(regimes.workers, path)) {
      if (worker->regimes) return twice(worker->name, "regimes", path);
      worker->regimes = {regimes.healthy, regimes.slow, regimes.factor};
    }
  }

  void add(const CorrelationSpec& correlation, const std::string& path) {
    Distribution shape;
    double score = 0.0;
    for (Layout::Worker* worker : workers(correlation.workers, path)) {
      if (worker->score_correlation > 0.0) return twice(worker->name, "a correlation", path);
      if (worker->local_compute.cv == 0.0)
        return context_.problem_at(path, fmt::format("the step times of {} do not vary", worker->name),
                                   "a distribution with a cv above 0 in job.compute");
      if (score == 0.0 || !(worker->local_compute == shape)) {
        shape = worker->local_compute;
        score = score_correlation(shape, correlation.lag1);
      }
      worker->score_correlation = score;
    }
  }

  void add(const LinkSpec& spec, const std::string& path) {
    Cluster& cluster = layout_.cluster;
    const auto unwanted = [&](int index) {
      const Cluster::Link& link = cluster.link(index);
      return (spec.direction == LinkDirection::up && link.direction != Cluster::Direction::up) ||
             (spec.direction == LinkDirection::down && link.direction != Cluster::Direction::down) ||
             link.goodput == kUnlimited;
    };
    std::vector<int> found = links_.find(spec.of, path + ".of", context_);
    if (found.empty()) return;
    std::erase_if(found, unwanted);
    if (found.empty())
      return context_.problem_at(path, "an unlimited bandwidth has no shares to give", "a nic or an uplink with one");
    for (const int index : found) {
      Cluster::Link& link = cluster.links[static_cast<std::size_t>(index)];
      if (link.profile >= 0) return twice(link.name, "a bandwidth that changes", path);
      link.profile = static_cast<int>(cluster.profiles.size());
    }
    cluster.profiles.push_back(spec.profile);
  }

  void add(const LeaveSpec& leave, const std::string& path) {
    const TimeWindow when = window(leave.when, path);
    for (Layout::Worker* worker : workers(leave.workers, path)) {
      worker->away.push_back(when);
      worker->away = merged(std::move(worker->away));
    }
    const auto gone = [](const Layout::Worker& worker) {
      return !worker.away.empty() && worker.away.back().until == kNever;
    };
    if (std::ranges::all_of(layout_.workers, gone))
      context_.problem_at(path, "all workers leave for good", "a worker that stays, or an `until`");
  }

  void add(const StallSpec& stall, const std::string& path) {
    const TimeWindow when = window(stall.when, path);
    for (const int s : servers_.find(stall.servers, path + ".servers", context_)) {
      Layout::Server& server = layout_.servers[static_cast<std::size_t>(s)];
      server.stalls.push_back(when);
      server.stalls = merged(std::move(server.stalls));
    }
  }

  void finish() {
    for (const auto& [w, windows] : slow_) layout_.workers[static_cast<std::size_t>(w)].slowness = steps_of(windows);
  }

 private:
  struct SlowWindow {
    TimeWindow when;
    double factor;
    std::string path;
  };

  TimeWindow window(const WindowSpec& spec, const std::string& path) {
    const TimeWindow when{spec.from, spec.until.value_or(kNever)};
    if (when.until <= when.from)
      context_.problem_at(path + ".until", fmt::format("from {} until {}", to_text(when.from), to_text(when.until)),
                          "an end that comes after the beginning");
    return when;
  }

  std::vector<Layout::Worker*> workers(const Names& names, const std::string& path) {
    std::vector<Layout::Worker*> found;
    for (const int w : workers_.find(names, path + ".workers", context_))
      found.push_back(&layout_.workers[static_cast<std::size_t>(w)]);
    return found;
  }

  void twice(const std::string& name, const char* what, const std::string& path) {
    context_.problem_at(path, fmt::format("{} has {} already", name, what), "one");
  }

  std::vector<Layout::Slowness> steps_of(const std::vector<SlowWindow>& windows) {
    std::set<double> times{0.0};
    for (const SlowWindow& each : windows) times.insert({each.when.from.si, each.when.until.si});
    times.erase(kInfinity);
    std::vector<Layout::Slowness> steps;
    for (const double at : times) {
      double factor = 1.0;
      for (const SlowWindow& each : windows)
        if (each.when.from.si <= at && at < each.when.until.si) factor *= each.factor;
      if (!kSlowest.holds(factor))
        context_.problem_at(windows.back().path, fmt::format("the factors multiply to {:.3g}", factor),
                            kSlowest.expected);
      steps.push_back({Seconds{at}, factor});
    }
    return steps;
  }

  static constexpr Range kSlowest{1, true, 1e6, "at most 1000000"};

  Layout& layout_;
  ReadContext& context_;
  Directory workers_{"worker"};
  Directory servers_{"server"};
  Directory links_{"host or rack"};
  std::map<int, std::vector<SlowWindow>> slow_;
};

}  // namespace

void disturb(Layout& layout, const std::vector<Disturbance>& disturbances, ReadContext& context) {
  if (disturbances.empty()) return;
  Disturber disturber(layout, context);
  for (std::size_t i = 0; i < disturbances.size(); ++i)
    std::visit([&, path = fmt::format("job.disturbances.{}.{}", i, name_of(disturbances[i]))](
                   const auto& each) { disturber.add(each, path); },
               disturbances[i]);
  disturber.finish();
}

}  // namespace stagger

// The observer that fills a RunLog.
#pragma once

#include <functional>
#include <vector>

#include "sim/config/layout.hpp"
#include "sim/engine/engine.hpp"
#include "sim/job/observer.hpp"

namespace stagger {

class Recorder final : public Observer {
 public:
  /// `engine` tells what the links have carried and must outlive the recorder. `warmup`: take a snapshot exactly when
  /// this many versions of one server are complete.
  Recorder(const Layout& layout, const Engine& engine, std::optional<long long> warmup);

  /// Called after each apply with the versions of one server so far (byte-weighted mean over servers); may end the run.
  std::function<void(double updates)> after_apply = [](double) {};

  void on_stage(int server, int worker, Stage stage, Seconds now) override;
  void on_apply(const ApplyEvent& event) override;
  void on_step(const StepEvent& event) override;

  /// From within an actor: a last snapshot, at the current instant.
  void close(Seconds now);
  double updates() const { return updates_; }
  const RunLog& log() const { return log_; }
  /// After the run; the recorder is of no more use.
  RunLog take_log() { return std::move(log_); }

 private:
  struct Visit {
    Stage stage = Stage::join;
    double since_s = 0.0;
  };

  Snapshot snapshot(Seconds now) const;
  void keep_snapshot(Seconds now);

  const Engine& engine_;
  RunLog log_;
  std::vector<double> weights_;  // of the servers
  double warmup_;
  std::size_t stride_;  // applies between two snapshots
  std::size_t most_snapshots_;
  std::size_t warm_snapshot_ = 0;  // its number of updates
  double updates_ = 0.0;
  std::size_t workers_;
  std::vector<Visit> visits_;                             // server * workers + worker
  std::vector<std::array<StageTotals, kStages>> totals_;  // age_s is left at 0 here
  std::vector<std::array<double, kStages>> present_;      // number of workers
  std::vector<double> counted_until_s_;                   // per server
};

}  // namespace stagger

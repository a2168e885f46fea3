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

  /// Makes room for the records of so many gradients at each server.
  void expect(long long gradients);

  /// Called after each apply with the versions of one server so far (byte-weighted mean over servers); may end the run.
  std::function<void(double updates)> after_apply = [](double) {};

  void on_stage(int server, int worker, Stage stage, Seconds now) override;
  void on_apply(const ApplyEvent& event) override;
  void on_step(const StepEvent& event) override;
  void on_drop(int server, int worker, Seconds now) override;
  void on_version(int server) override;

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

  /// The workers in a stage.
  struct Present {
    double number = 0.0;
    double since_s = 0.0;
    /// Returns the integral of the number since the last change.
    double add(double change, double now_s) {
      const double integral_s = number * (now_s - since_s);
      number += change;
      since_s = now_s;
      return integral_s;
    }
  };

  Snapshot snapshot(Seconds now) const;
  void keep_snapshot(Seconds now);

  const Engine& engine_;
  RunLog log_;
  std::vector<double> weights_;  // of the servers
  double warmup_;
  /// Applies between two snapshots. At least an eighth of a round of all workers: a snapshot looks at each of them.
  std::size_t stride_;
  std::size_t most_snapshots_;
  std::size_t warm_snapshot_ = 0;  // its number of updates
  double updates_ = 0.0;
  std::size_t workers_;
  std::vector<Visit> visits_;                             // server * workers + worker
  std::vector<std::array<StageTotals, kStages>> totals_;  // age_s is left at 0 here
  std::vector<std::array<Present, kStages>> present_;
};

}  // namespace stagger

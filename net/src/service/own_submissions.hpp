// Transactions that the process around the node submits, until their outcomes. Private to net/.
//
//   const bool first = inbox.add({data, options, done});          // from any thread
//   for (auto& ask : inbox.take()) inbox.keep(sequence, std::move(ask));   // on the node's thread
//   if (auto ask = inbox.settle(sequence)) ask->done(outcome);
//   inbox.close("the node has stopped");                          // from any thread
//
// Guarantees: every `done` is called once: what has no outcome when the box is closed, when its
// patience ends or when it is cancelled is unknown, or refused if the node never took it; what
// comes after close() is refused at once. No lock is held meanwhile, so it may submit again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "thresher/net/node.hpp"

namespace thresher::net {

struct OwnSubmission {
  using StopCallback = std::stop_callback<std::function<void()>>;

  Bytes data;
  Prove prove = Prove::kNo;
  std::uint64_t deadline_us = 0;  ///< monotonic; 0: none
  std::stop_token cancel{};
  OnCommitStatus done;
  std::uint64_t until = 0;                    ///< the last slot in which it may be ordered
  std::unique_ptr<StopCallback> on_cancel{};  ///< set while the node has it

  /// Not in the log, and never will be through this node.
  void refuse(Refusal refusal, const std::string& why) {
    done({CommitStatus::Kind::kRefused, {}, refusal, until, why});
  }
  void unknown(const std::string& why) {
    done({CommitStatus::Kind::kUnknown,
          {},
          {},
          until,
          why + ": it may still be ordered until slot " + std::to_string(until) +
              ", and never after"});
  }
};

class OwnSubmissions {
 public:
  OwnSubmissions() = default;
  OwnSubmissions(const OwnSubmissions&) = delete;
  OwnSubmissions& operator=(const OwnSubmissions&) = delete;
  ~OwnSubmissions() { close("the node is gone"); }

  /// Whether this is the first one waiting to be taken.
  bool add(OwnSubmission ask) {
    std::unique_lock lock(mutex_);
    if (closed_.empty()) {
      waiting_.push_back(std::move(ask));
      return waiting_.size() == 1;
    }
    lock.unlock();
    ask.refuse(Refusal::kUnreachable, closed_);  // set once
    return false;
  }
  std::vector<OwnSubmission> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }
  /// The node has it. Pre: the sequence is new.
  void keep(std::uint64_t sequence, OwnSubmission ask) {
    std::unique_lock lock(mutex_);
    if (closed_.empty()) {
      if (ask.deadline_us != 0) deadlines_.emplace(ask.deadline_us, sequence);
      kept_.emplace(sequence, std::move(ask));
      return;
    }
    lock.unlock();
    ask.unknown(closed_);
  }
  /// Empty when it has its outcome already.
  std::optional<OwnSubmission> settle(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    auto node = kept_.extract(sequence);
    if (!node) return std::nullopt;
    deadlines_.erase({node.mapped().deadline_us, sequence});
    return std::move(node.mapped());
  }
  /// Those whose patience has ended.
  std::vector<OwnSubmission> take_late(std::uint64_t now_us) {
    const std::lock_guard lock(mutex_);
    std::vector<OwnSubmission> late;
    while (!deadlines_.empty() && deadlines_.begin()->first <= now_us) {
      late.push_back(std::move(kept_.extract(deadlines_.begin()->second).mapped()));
      deadlines_.erase(deadlines_.begin());
    }
    return late;
  }
  bool any_deadline() const {
    const std::lock_guard lock(mutex_);
    return !deadlines_.empty();
  }
  /// Pre: `why` is not empty. The first reason stands.
  void close(const std::string& why) {
    std::unique_lock lock(mutex_);
    if (closed_.empty()) closed_ = why;
    deadlines_.clear();
    auto waiting = std::exchange(waiting_, {});
    auto kept = std::exchange(kept_, {});
    lock.unlock();
    for (OwnSubmission& ask : waiting) ask.refuse(Refusal::kUnreachable, closed_);
    for (auto& [sequence, ask] : kept) ask.unknown(closed_);
  }

 private:
  mutable std::mutex mutex_;
  std::string closed_;                                           // why; empty: open
  std::vector<OwnSubmission> waiting_;                           // to be taken
  std::map<std::uint64_t, OwnSubmission> kept_;                  // by sequence
  std::set<std::pair<std::uint64_t, std::uint64_t>> deadlines_;  // of kept_, with the sequence
};

}  // namespace thresher::net

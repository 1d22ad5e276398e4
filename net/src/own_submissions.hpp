// Transactions that the process around the node submits, until their receipts. Private to net/.
//
//   auto [receipt, first] = inbox.add(data, prove);     // from any thread
//   for (auto& ask : inbox.take()) inbox.keep(sequence, std::move(ask));   // on the node's thread
//   if (auto ask = inbox.settle(sequence)) ask->promise.set_value(...);
//   inbox.close("the node has stopped");                // from any thread
//
// Guarantees: every future that was handed out resolves: what has no receipt when the box is closed
// fails, what comes later fails at once.
#pragma once

#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "thresher/net/node.hpp"

namespace thresher::net {

struct OwnSubmission {
  Bytes data;
  Prove prove = Prove::kNo;
  std::promise<Receipt> promise;

  void fail(const std::string& why) {
    promise.set_exception(std::make_exception_ptr(std::runtime_error(why)));
  }
};

class OwnSubmissions {
 public:
  OwnSubmissions() = default;
  OwnSubmissions(const OwnSubmissions&) = delete;
  OwnSubmissions& operator=(const OwnSubmissions&) = delete;
  ~OwnSubmissions() { close("the node is gone"); }

  /// The receipt to come, and whether this is the first one waiting to be taken.
  std::pair<std::future<Receipt>, bool> add(ByteView data, Prove prove) {
    OwnSubmission ask{Bytes::copy_of(data), prove, {}};
    std::future<Receipt> receipt = ask.promise.get_future();
    const std::lock_guard lock(mutex_);
    if (!closed_.empty()) {
      ask.fail(closed_);
      return {std::move(receipt), false};
    }
    waiting_.push_back(std::move(ask));
    return {std::move(receipt), waiting_.size() == 1};
  }
  std::vector<OwnSubmission> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }
  /// The node has it. Pre: the sequence is new.
  void keep(std::uint64_t sequence, OwnSubmission ask) {
    const std::lock_guard lock(mutex_);
    if (!closed_.empty()) return ask.fail(closed_);
    kept_.emplace(sequence, std::move(ask));
  }
  /// Empty when the box was closed meanwhile.
  std::optional<OwnSubmission> settle(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    auto node = kept_.extract(sequence);
    if (!node) return std::nullopt;
    return std::move(node.mapped());
  }
  /// Pre: `why` is not empty. The first reason stands.
  void close(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (closed_.empty()) closed_ = why;
    for (OwnSubmission& ask : std::exchange(waiting_, {})) ask.fail(closed_);
    for (auto& [sequence, ask] : std::exchange(kept_, {})) ask.fail(closed_);
  }

 private:
  std::mutex mutex_;
  std::string closed_;                           // why; empty: open
  std::vector<OwnSubmission> waiting_;           // to be taken
  std::map<std::uint64_t, OwnSubmission> kept_;  // by sequence
};

}  // namespace thresher::net

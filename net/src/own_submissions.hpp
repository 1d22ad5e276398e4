// Transactions that the process around the node submits, on their way to its thread. Private to
// net/.
//
//   auto [receipt, first] = inbox.add(data, prove);   // from any thread
//   for (auto& ask : inbox.take()) ...                    // on the node's thread
//   inbox.close("the node has stopped");
//
// Guarantees: every future that was handed out resolves: what is not taken by then fails when the
// box is closed, what comes later fails at once.
#pragma once

#include <future>
#include <mutex>
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
  ~OwnSubmissions() { close("the node is gone"); }

  /// The receipt to come, and whether this is the first one waiting.
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
  void close(const std::string& why) {
    std::vector<OwnSubmission> late;
    {
      const std::lock_guard lock(mutex_);
      if (closed_.empty()) closed_ = why;
      late = std::exchange(waiting_, {});
    }
    for (OwnSubmission& ask : late) ask.fail(why);
  }

 private:
  std::mutex mutex_;
  std::string closed_;  // why; empty: open
  std::vector<OwnSubmission> waiting_;
};

}  // namespace thresher::net

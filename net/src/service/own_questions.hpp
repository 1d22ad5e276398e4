// Questions of the process around the node, until they are answered. Private to net/.
//
//   if (const auto id = questions.add(done)) post([=] { ask(..., answer to *id); });  // any thread
//   questions.answer(*id, answer);                                   // on the node's thread
//   questions.close("the node has stopped");                         // from any thread
//
// Guarantees: every `done` is called once: what has no answer when the box is closed fails with the
// reason, as does what comes afterwards, at once. No lock is held meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "thresher/net/commit_status.hpp"

namespace thresher::net {

class OwnQuestions {
 public:
  using Done = std::function<void(const Answer&)>;

  OwnQuestions() = default;
  OwnQuestions(const OwnQuestions&) = delete;
  OwnQuestions& operator=(const OwnQuestions&) = delete;
  ~OwnQuestions() { close("the node is gone"); }

  /// Empty: the box is closed, and the answer was given.
  std::optional<std::uint64_t> add(Done done) {
    std::unique_lock lock(mutex_);
    if (closed_.empty()) {
      waiting_.emplace(next_, std::move(done));
      return next_++;
    }
    lock.unlock();
    done(failed());  // the reason is set once
    return std::nullopt;
  }
  /// Nothing when it has its answer already.
  void answer(std::uint64_t id, const Answer& answer) {
    std::unique_lock lock(mutex_);
    const auto node = waiting_.extract(id);
    lock.unlock();
    if (node) node.mapped()(answer);
  }
  /// Pre: `why` is not empty. The first reason stands.
  void close(const std::string& why) {
    std::unique_lock lock(mutex_);
    if (closed_.empty()) closed_ = why;
    const auto waiting = std::exchange(waiting_, {});
    lock.unlock();
    for (const auto& [id, done] : waiting) done(failed());
  }

 private:
  Answer failed() const { return {true, Bytes::copy_of(as_view(closed_)), 0}; }

  std::mutex mutex_;
  std::string closed_;  // why; empty: open
  std::map<std::uint64_t, Done> waiting_;
  std::uint64_t next_ = 0;
};

}  // namespace thresher::net

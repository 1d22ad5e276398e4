// Questions of the HTTP gateway for pages of the log: in turn, and within a share of the thread.
// Private to net/.
//
//   PageQueue pages([&](std::uint64_t from, std::size_t most) { return page(from, most); }, now);
//   pages.ask({from, most, done});
//   if (const auto at = pages.serve()) call_at(*at);      // again and again until empty
//
// Guarantees: first come, first served, each answered once; reading takes at most the share of the
// time that ThreadShare gives, so that the order of new transactions does not wait for those who
// read old ones. Has no quota of its own: a connection of the gateway asks one question at a time,
// so its connections bound them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "http/gateway.hpp"
#include "links/thread_share.hpp"

namespace thresher::net {

class PageQueue {
 public:
  struct Question {
    std::uint64_t from = 0;  ///< position
    std::size_t most = 0;    ///< transactions
    std::function<void(LogPage)> done;
  };
  using Read = std::function<LogPage(std::uint64_t from, std::size_t most)>;
  using Now = std::function<std::uint64_t()>;  ///< monotonic. Unit: microseconds.

  PageQueue(Read read, Now now_us) : read_(std::move(read)), now_us_(std::move(now_us)) {}

  void ask(Question question) { waiting_.push_back(std::move(question)); }
  /// What the share allows now. When to call again; empty: nobody waits.
  std::optional<std::uint64_t> serve() {
    while (!waiting_.empty()) {
      const std::uint64_t begin = now_us_();
      if (!share_.free(begin)) return share_.free_us();
      const Question next = std::move(waiting_.front());
      waiting_.pop_front();
      next.done(read_(next.from, next.most));
      share_.spent(begin, now_us_());
    }
    return std::nullopt;
  }

 private:
  Read read_;
  Now now_us_;
  std::deque<Question> waiting_;
  ThreadShare share_;
};

}  // namespace thresher::net

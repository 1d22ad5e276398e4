// Threads that do a loop's heavy work for it: TLS of large transfers, and handshakes.
//
//   Helpers helpers(3);
//   const auto mine = helpers.next();                 // of a connection, for its life
//   if (!mine->give([] { ... })) ...                  // it has stopped
//
// Guarantees: a helper does one thing after the other, in the order given, so what is given to one
// helper alone needs no lock. stop() waits until all that was given is done. Does not bound what
// waits: those who give wait for the answer themselves.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace thresher::net {

class Helper {
 public:
  Helper();
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  /// From any thread; `work` throws nothing. False: it has stopped, and `work` is as it was.
  [[nodiscard]] bool give(std::function<void()>& work);
  void stop();

 private:
  void live();

  std::mutex mutex_;
  std::condition_variable given_;
  std::deque<std::function<void()>> works_;
  bool stopping_ = false;
  std::thread thread_;  // last
};

class Helpers {
 public:
  explicit Helpers(std::size_t count);

  /// The one that the fewest hold. Null: there are none.
  std::shared_ptr<Helper> next();
  void stop();

 private:
  std::vector<std::shared_ptr<Helper>> all_;
};

}  // namespace thresher::net

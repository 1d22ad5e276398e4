// Has the application answer what clients ask it, when it has come so far. Private to net/.
//
//   QueryService queries({ask_app, reply, &Loop::now_us});
//   queries.ask({link, id, length, question, now + kLinkPatience});
//   if (const auto at = queries.step(results.end(), level.reached())) call_at(*at);
//   queries.leave(link);                                    // its link is down
//   queries.close("the node has stopped");
//
// Guarantees: a question is answered once, by the application or with what was against it, unless
// its link leaves before. An application that throws fails that question and no other. Quotas,
// turns and the share of the thread: queries.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "service/queries.hpp"

namespace thresher::net {

class QueryService {
 public:
  struct Hooks {
    /// Puts the application's answer in place. Why it threw; empty: it did not.
    std::function<std::optional<std::string>(ByteView question, Bytes& answer)> app;
    std::function<void(const Queries::Query&, bool failed, ByteView answer)> reply;
    std::function<std::uint64_t()> now_us;  ///< monotonic
  };
  /// Unit: bytes.
  static constexpr std::size_t kMostAnswer = 1u << 20;
  /// A question of a client waits no longer. Unit: microseconds.
  static constexpr std::uint64_t kLinkPatience = 120'000'000;

  explicit QueryService(Hooks hooks) : hooks_(std::move(hooks)) {}

  /// False: it was refused, and answered so.
  bool ask(const Queries::Query& query);
  void leave(ConnectionId link) { waiting_.leave(link); }
  /// Ends what waits no longer, and does what the share allows now of what can be answered:
  /// `applied`, the position behind the last one that the application has; `level`, as in
  /// queries.hpp. When to call again if nothing happens; empty: never. Unit: microseconds.
  std::optional<std::uint64_t> step(std::uint64_t applied, bool level);
  /// Those that no link waits for fail with the reason.
  void close(const std::string& why);

 private:
  Queries waiting_;
  Hooks hooks_;
};

}  // namespace thresher::net

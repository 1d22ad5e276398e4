#include "service/query_service.hpp"

#include <string_view>
#include <vector>

namespace thresher::net {

bool QueryService::ask(const Queries::Query& query) {
  if (query.question.size() > kMostQuestion) {
    hooks_.reply(query, true, as_view("a question has at most 65536 bytes"));
    return false;
  }
  constexpr std::string_view kTooMany = "too many questions wait: ask less, or later";
  std::vector<Queries::Query> gave_way;
  const bool taken = waiting_.add(query, gave_way);
  for (const Queries::Query& q : gave_way) hooks_.reply(q, true, as_view(kTooMany));
  if (!taken) hooks_.reply(query, true, as_view(kTooMany));
  return taken;
}

std::optional<std::uint64_t> QueryService::step(std::uint64_t applied, bool level) {
  for (const Queries::Query& q : waiting_.take_late(hooks_.now_us())) {
    hooks_.reply(q, true, as_view("no answer in time: the node has not come so far"));
  }
  for (std::uint64_t now = hooks_.now_us(); const auto q = waiting_.take(applied, level, now);) {
    Bytes out;
    auto threw = hooks_.app(q->question.view(), out);
    if (!threw && out.size() > kMostAnswer) {
      threw = "the answer has " + std::to_string(out.size()) + " bytes; at most " +
              std::to_string(kMostAnswer) + " are told";
    }
    hooks_.reply(*q, threw.has_value(), threw ? as_view(*threw) : out.view());
    waiting_.spent(now, hooks_.now_us());
    now = hooks_.now_us();
  }
  return waiting_.next_us(applied, level);
}

void QueryService::close(const std::string& why) {
  for (const Queries::Query& q : waiting_.take_own()) hooks_.reply(q, true, as_view(why));
}

}  // namespace thresher::net

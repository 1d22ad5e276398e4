#include "thresher/crypto/list_checks.hpp"

namespace thresher::crypto {

VerifyRequest ListChecks::open(const VerifyRequest& asked, std::size_t count) {
  const std::uint64_t number = ++opened_;
  lists_.emplace(
      number, List{{asked.instance, asked.ticket, asked.sender, SignatureStatus::kValid}, count});
  VerifyRequest out = asked;
  out.instance = kInstance;
  out.ticket = Ticket{number};
  return out;
}

std::optional<VerifyAnswer> ListChecks::settle(const VerifyAnswer& answer) {
  if (answer.instance != kInstance) return answer;
  const auto found = lists_.find(answer.ticket.local);
  if (found == lists_.end()) return std::nullopt;
  List& list = found->second;
  if (!answer.good()) list.answer.verdict = answer.verdict;
  if (--list.left > 0) return std::nullopt;
  const VerifyAnswer whole = list.answer;
  lists_.erase(found);
  return whole;
}

}  // namespace thresher::crypto

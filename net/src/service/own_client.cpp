#include "service/own_client.hpp"

#include <memory>
#include <utility>

namespace thresher::net {
namespace {

/// Between two looks for those whose patience has ended. Unit: microseconds.
constexpr std::uint64_t kTick = 10'000;

}  // namespace

void OwnClient::take(Round slot) {
  for (OwnSubmission& ask : submissions_.take()) submit(std::move(ask), slot);
}

void OwnClient::submit(OwnSubmission ask, Round slot) {
  if (ask.cancel.stop_requested()) {
    return ask.refuse(Refusal::kUnreachable, "it was cancelled before the node took it");
  }
  const std::uint64_t sequence = next_++;
  std::vector<std::byte> entry;
  append_entry(sequence, ask.data.view(), entry);
  const RunHead head{id_, {slot, Round{slot.value + kLongestLife}}};
  const auto answers = hooks_.submit(head, Bytes::from(std::move(entry)));
  hooks_.gave_way(answers.gave_way);
  if (!answers.rejected.empty()) {
    return ask.refuse(Refusal::kRejected, answers.rejected.begin()->first);
  }
  if (!answers.refused.empty()) {
    const Refusal why = answers.refused.begin()->first;
    return ask.refuse(why, in_words(why));
  }
  hooks_.taken();
  ask.until = head.valid.until.value;
  if (ask.cancel.stop_possible()) {
    ask.on_cancel = std::make_unique<OwnSubmission::StopCallback>(ask.cancel, [this, sequence] {
      hooks_.post([this, sequence] {
        if (auto own = submissions_.settle(sequence)) own->unknown("it was cancelled");
      });
    });
  }
  submissions_.keep(sequence, std::move(ask));
}

void OwnClient::refused(std::uint64_t sequence, Refusal why) {
  if (auto ask = submissions_.settle(sequence)) ask->refuse(why, in_words(why));
}

std::optional<std::uint64_t> OwnClient::end_late(std::uint64_t now_us) {
  for (OwnSubmission& ask : submissions_.take_late(now_us)) ask.unknown("no commit in time");
  return submissions_.any_deadline() ? std::optional(now_us + kTick) : std::nullopt;
}

std::string OwnClient::in_words(Refusal why) const {
  switch (why) {
    case Refusal::kTooLarge:
      return "the transaction is larger than the " + std::to_string(transaction_bytes_) +
             " bytes of transaction_bytes: split it, or raise the limit";
    case Refusal::kOverloaded:
      return "the node is overloaded: submit less, or later";
    case Refusal::kObserves:
      return "this node observes: it follows the log and orders nothing; submit it to another node";
    case Refusal::kExpired:
      return "the transaction was not ordered by its last slot, and never will be: submit it again";
    case Refusal::kTooLate:
      return "the node cannot tell any more whether the transaction was ordered before: look for "
             "it "
             "in the log before you submit it again";
    case Refusal::kTooEarly:
      return "the first slot of the transaction is ahead of the node's log: submit it later";
    case Refusal::kMalformed:
      return "the transaction cannot be read";
    case Refusal::kRejected:
      return "the application refuses the transaction";
    case Refusal::kUnreachable:
      return "no node was reached: submit it again";
  }
  return {};
}

}  // namespace thresher::net

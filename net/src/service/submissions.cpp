#include "service/submissions.hpp"

#include <utility>

namespace thresher::net {

// Why a transaction that is neither ordered nor awaited is not taken; empty when it is.
std::optional<Refusal> Submissions::judge(const RunHead& head, std::size_t size, bool fits,
                                          const Ledger& ledger) const {
  if (limits_.observes) return Refusal::kObserves;
  if (size > limits_.transaction_bytes) return Refusal::kTooLarge;
  if (!ledger.has_begun(head.valid)) return Refusal::kTooEarly;
  if (!ledger.may_still_order(head.valid)) return Refusal::kTooLate;
  if (!fits) return Refusal::kOverloaded;
  return std::nullopt;
}

bool Submissions::rejects(const ClientId& client, std::uint64_t sequence, ByteView data,
                          Answers& out) const {
  if (!check_) return false;
  const std::optional<std::string> reason = check_(client, data);
  if (reason) out.rejected[*reason].push_back(sequence);
  return reason.has_value();
}

Submissions::Answers Submissions::submit(const RunHead& head, const Bytes& entries,
                                         const Ledger& ledger, ConnectionId from) {
  prints_.clear();
  each_entry(entries.view(), [&](std::uint64_t sequence, ByteView data) {
    prints_.push_back(ledger.print_of(head.client, sequence, data));
  });
  Answers out;
  // It left the pool. The links that wait for it are told, unless they have their answer. Of two
  // copies, one with slots that are over, the newer is awaited and gives way first.
  const auto gave_way = [&](const RunHead& run, std::uint64_t sequence, ByteView data) {
    awaited_.take(ledger.print_of(run.client, sequence, data),
                  [&](const Submission& gone) { out.gave_way.push_back(gone); });
  };
  const bool all_fit = pool_.has_room(head.client, entries.size(), prints_.size());
  std::vector<std::byte> taken;  // a copy, once something is left out
  bool whole = true;
  std::size_t bytes = 0;
  std::size_t count = 0;
  const auto take_one = [&](std::uint64_t sequence, ByteView data, const Fingerprint& print) {
    if (const auto position = ledger.position_of({head.client, sequence, print}, data)) {
      out.placed.push_back({sequence, *position});
      return false;
    }
    if (awaited_.again(print, from)) return false;
    const std::size_t size = bytes + kEntryHead + data.size();
    const bool fits = all_fit || pool_.has_room(head.client, size, count + 1);
    auto why = judge(head, data.size(), fits, ledger);
    if (!why && rejects(head.client, sequence, data, out)) return false;
    while (!why && !awaited_.has_room()) {
      if (pool_.others_have_more(head.client, size, count + 1)) {
        pool_.give_way(Pool::kEntryCost, gave_way);
      } else {
        why = Refusal::kOverloaded;
      }
    }
    if (why) {
      out.refused[*why].push_back(sequence);
      return false;
    }
    awaited_.add(print, {head.client, sequence, head.valid, from});
    return true;
  };
  auto print = prints_.begin();
  each_entry(entries.view(), [&](std::uint64_t sequence, ByteView data) {
    const std::size_t size = kEntryHead + data.size();
    if (take_one(sequence, data, *print++)) {
      bytes += size;
      ++count;
      if (!whole) append_entry(sequence, data, taken);
      return;
    }
    out.not_taken += size + Pool::kEntryCost;
    if (std::exchange(whole, false)) {
      const ByteView before = entries.view().first(bytes);
      taken.assign(before.begin(), before.end());
    }
  });
  if (count == 0) return out;
  pool_.make_room(bytes, count, gave_way);
  pool_.add(head, whole ? entries : Bytes::from(std::move(taken)), count);
  return out;
}

}  // namespace thresher::net

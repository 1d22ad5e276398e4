#include "ledger.hpp"

#include <algorithm>

namespace thresher::net {

// The age of a client changes once a commit, not once a transaction.
Ledger::Seen& Ledger::look_up(std::uint64_t client, std::uint64_t sequence) {
  if (client == last_client_ && last_ != nullptr && last_->last == slot_) return *last_;
  const auto [it, is_new] = seen_.try_emplace(client);
  Seen& seen = it->second;
  // A client that was forgotten goes on where it was, with room on both sides.
  if (is_new) seen.next = sequence - std::min(sequence, kSequenceWindow / 2);
  if (is_new || seen.last != slot_) {
    by_age_.erase({seen.last, client});
    seen.last = slot_;
    by_age_.insert({slot_, client});
  }
  last_client_ = client;
  last_ = &seen;
  return seen;
}

bool Ledger::fresh(std::uint64_t client, std::uint64_t sequence) {
  Seen& seen = look_up(client, sequence);
  if (sequence < seen.next || sequence - seen.next > kSequenceWindow) return false;
  if (sequence > seen.next) {
    const bool added = seen.above.insert(sequence).second;
    if (added) ++above_;
    if (seen.above.size() > kGapWindow) {
      seen.next = *seen.above.begin();
      close_gap(seen);
    }
    return added;
  }
  ++seen.next;
  close_gap(seen);
  return true;
}

void Ledger::close_gap(Seen& seen) {
  while (!seen.above.empty() && *seen.above.begin() == seen.next) {
    seen.above.erase(seen.above.begin());
    --above_;
    ++seen.next;
  }
}

// Clients of this commit stay: all nodes forget the same ones, whatever order they came in.
void Ledger::forget() {
  while (remembered() > kRemembered && by_age_.begin()->first < slot_) {
    const auto it = seen_.find(by_age_.begin()->second);
    above_ -= it->second.above.size();
    seen_.erase(it);
    by_age_.erase(by_age_.begin());
    last_ = nullptr;
  }
}

Bytes Ledger::save() const {
  Writer w;
  w.u64(slot_.value).u64(length_).bytes(hash_.bytes).u64(seen_.size());
  for (const auto& [client, seen] : seen_) {
    w.u64(client).u64(seen.last.value).u64(seen.next).u64(seen.above.size());
    for (const std::uint64_t sequence : seen.above) w.u64(sequence);
  }
  return Bytes::from(w.take());
}

bool Ledger::restore(ByteView bytes) {
  Reader in(bytes);
  *this = Ledger();
  slot_ = Round{in.u64()};
  length_ = in.u64();
  hash_ = in.digest();
  const std::uint64_t clients = in.u64();
  for (std::uint64_t i = 0; i < clients && in.ok(); ++i) {
    const std::uint64_t client = in.u64();
    Seen seen;
    seen.last = Round{in.u64()};
    seen.next = in.u64();
    const std::uint64_t above = in.u64();
    for (std::uint64_t k = 0; k < above && in.ok(); ++k) {
      seen.above.insert(seen.above.end(), in.u64());
    }
    above_ += seen.above.size();
    by_age_.insert({seen.last, client});
    seen_.emplace_hint(seen_.end(), client, std::move(seen));
  }
  return in.done();
}

}  // namespace thresher::net

#include "ledger.hpp"

namespace thresher::net {

bool Ledger::fresh(std::uint64_t client, std::uint64_t sequence) {
  Seen& seen = client == last_client_ && last_ != nullptr ? *last_ : seen_[client];
  last_client_ = client;
  last_ = &seen;
  if (sequence < seen.next || sequence - seen.next > kSequenceWindow) return false;
  if (sequence > seen.next) return seen.above.insert(sequence).second;
  ++seen.next;
  while (!seen.above.empty() && *seen.above.begin() == seen.next) {
    seen.above.erase(seen.above.begin());
    ++seen.next;
  }
  return true;
}

Bytes Ledger::save() const {
  Writer w;
  w.u64(slot_.value).u64(length_).bytes(hash_.bytes).u64(seen_.size());
  for (const auto& [client, seen] : seen_) {
    w.u64(client).u64(seen.next).u64(seen.above.size());
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
    Seen seen{in.u64(), {}};
    const std::uint64_t above = in.u64();
    for (std::uint64_t k = 0; k < above && in.ok(); ++k) {
      seen.above.insert(seen.above.end(), in.u64());
    }
    seen_.emplace_hint(seen_.end(), client, std::move(seen));
  }
  return in.done();
}

}  // namespace thresher::net

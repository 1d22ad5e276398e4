#include "ledger.hpp"

namespace thresher::net {

std::uint64_t Ledger::time_of(const dag::Committed& commit) {
  for (const dag::BlockPtr& b : commit.blocks) {
    if (const auto stamp = stamp_of(b->payload.bytes.view())) time_.note(b->author(), *stamp);
  }
  return time_.next();
}

Bytes Ledger::save() const {
  Writer w;
  w.u64(slot_.value).u64(length_).bytes(hash_.bytes);
  time_.save(w);
  remembered_.save(w);
  return Bytes::from(w.take());
}

bool Ledger::restore(ByteView bytes) {
  Reader in(bytes);
  *this = Ledger(std::move(time_));
  slot_ = Round{in.u64()};
  length_ = in.u64();
  hash_ = in.digest();
  return time_.restore(in) && remembered_.restore(in, length_) && in.done();
}

bool Ledger::inherit(const Inherited& from) {
  Reader time(from.time);
  *this = Ledger(std::move(time_));
  slot_ = from.slot;
  length_ = from.length;
  hash_ = from.log_hash;
  const bool in_order = from.slots.empty() || from.slots.back().slot <= from.slot;
  return in_order && time_.restore(time) && time.done() &&
         remembered_.inherit(from.since, from.slots, from.ordered, from.length);
}

}  // namespace thresher::net

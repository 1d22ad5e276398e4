#include "ledger/ledger.hpp"

namespace thresher::net {

std::uint64_t Ledger::time_of(const Commit& commit) {
  for (const OrderedBlockPtr& b : commit.blocks) {
    if (const auto stamp = stamp_of(b->payload.view())) time_.note(b->author, *stamp);
  }
  return time_.next();
}

Ledger::Frozen Ledger::freeze() const {
  Writer time;
  time_.save(time);
  return {slot_, length_, hash_, Bytes::from(time.take()), remembered_.freeze()};
}

std::size_t Ledger::Frozen::size() const {
  return 16 + log_hash.bytes.size() + time.size() + remembered.size();
}

void Ledger::Frozen::save(Writer& out) const {
  out.u64(slot.value).u64(length).bytes(log_hash.bytes).bytes(time.view());
  remembered.save(out);
}

Bytes Ledger::save() const {
  const Frozen now = freeze();
  Writer w;
  now.save(w.reserve(now.size()));
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

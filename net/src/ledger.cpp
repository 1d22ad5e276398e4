#include "ledger.hpp"

namespace thresher::net {

Bytes Ledger::save() const {
  Writer w;
  w.u64(slot_.value).u64(length_).bytes(hash_.bytes);
  remembered_.save(w);
  return Bytes::from(w.take());
}

bool Ledger::restore(ByteView bytes) {
  Reader in(bytes);
  *this = Ledger();
  slot_ = Round{in.u64()};
  length_ = in.u64();
  hash_ = in.digest();
  return remembered_.restore(in, length_) && in.done();
}

}  // namespace thresher::net

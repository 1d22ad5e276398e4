#include "node/known_peers.hpp"

#include <algorithm>
#include <utility>

#include "ledger/log_entry.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {

Persist KnownPeers::record_of(const Record& record) {
  const Incarnation& i = record.incarnation;
  Writer w;
  w.u64(i.count).bytes(i.nonce).bytes(i.signature).u64(record.pledge.round).u64(record.pledge.vote);
  return {kIncarnationTable,
          Bytes::from(Writer().u16(record.node.value).take()),
          Bytes::from(w.take()),
          {}};
}

std::optional<KnownPeers::Record> KnownPeers::read(ByteView key, ByteView value) {
  Reader name(key);
  Reader in(value);
  Record out;
  out.node = NodeId{name.u16()};
  Incarnation& i = out.incarnation;
  i.count = in.u64();
  const ByteView nonce = in.bytes(i.nonce.size());
  const ByteView signature = in.bytes(i.signature.size());
  out.pledge.round = in.u64();
  out.pledge.vote = in.u64();
  if (!name.done() || !in.done()) return std::nullopt;
  std::copy(nonce.begin(), nonce.end(), i.nonce.begin());
  std::copy(signature.begin(), signature.end(), i.signature.begin());
  return out;
}

void KnownPeers::started(NodeId peer, const Incarnation& incarnation) {
  Peer& known = peers_[peer];
  if (incarnation.count <= known.incarnation.count) return;
  known = {incarnation, {}};
}

std::optional<Incarnation> KnownPeers::last_start(NodeId peer) const {
  const auto at = peers_.find(peer);
  if (at == peers_.end() || at->second.incarnation.count == 0) return std::nullopt;
  return at->second.incarnation;
}

std::vector<Persist> KnownPeers::take_records(const std::function<Pledge(NodeId)>& pledge_of) {
  std::vector<Persist> records;
  for (auto& [peer, known] : peers_) {
    const Pledge pledge = pledge_of(peer);
    if (known.written == pledge) continue;
    known.written = pledge;
    records.push_back(record_of({peer, known.incarnation, pledge}));
    records.back().lazy = true;
  }
  return records;
}

}  // namespace thresher::net

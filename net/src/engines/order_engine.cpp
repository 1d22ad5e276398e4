#include "engines/order_engine.hpp"

#include <algorithm>

#include "engines/ordering_protocols.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::net {
namespace {

const OrderingProtocol* find(std::string_view name) {
  const auto known = ordering_protocols();
  const auto at = std::ranges::find(known, name, &OrderingProtocol::name);
  return at == known.end() ? nullptr : &*at;
}

}  // namespace

Bytes sealed(const Persist& record) {
  Writer w;
  w.bytes(hash(record.body.view()).bytes).bytes(record.value.view());
  return Bytes::from(w.take());
}

std::optional<Bytes> unsealed(const Restored& record) {
  constexpr std::size_t kHash = sizeof(Digest);
  if (record.value.size() < kHash) return std::nullopt;
  Reader in(record.value.view());
  if (in.digest() != hash(record.body.view())) return std::nullopt;
  return record.value.slice(kHash, record.value.size() - kHash);
}

LogForm log_form_of(const Genesis& genesis) {
  const OrderingProtocol* protocol = find(genesis.protocol);
  THRESHER_ASSERT(protocol != nullptr, "a genesis is refused that names another protocol");
  return {genesis.context(), static_cast<std::uint32_t>(genesis.nodes.size()), protocol->id_of};
}

std::unique_ptr<OrderEngine> make_engine(const EngineSettings& s, EngineHost& host) {
  const OrderingProtocol* protocol = find(s.protocol);
  return protocol == nullptr ? nullptr : protocol->make(s, host);
}

}  // namespace thresher::net

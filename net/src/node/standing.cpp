#include "node/standing.hpp"

#include <utility>

namespace thresher::net {

Standing::Standing(NodeBase& node, Hooks hooks)
    : node_(node),
      hooks_(std::move(hooks)),
      check_(node.committee(), node.self,
             {[this](NodeId to, const Frame& f) { (void)node_.transport.send(to.value, f); },
              [this](Round slot) { return node_.reader.hash_at(slot); }}) {}

void Standing::watch(std::uint64_t now) {
  compare(now);
  judge();
}

void Standing::compare(std::uint64_t now) {
  check_.tick(node_.ledger.slot(), node_.ledger.log_hash(), now);
}

void Standing::judge() {
  if (const auto& found = check_.finding())
    return node_.halt(node_.words.differs_from_peers(*found));
  if (suspects()) hooks_.in_doubt();
}

}  // namespace thresher::net

#include "giving.hpp"

#include <algorithm>
#include <utility>

#include "timers.hpp"
#include "witnesses.hpp"

namespace thresher::dag {
namespace {

constexpr Delay kServedAfresh{1000};

}  // namespace

Giving::Giving(const Config& config, const Store& store, const Attic<BlockPtr>& attic,
               const PayloadRoom& payloads, const Whereabouts& where, Attachments& attachments,
               Showing& showing, Stats& stats, const Giving* like)
    : config_(config),
      store_(store),
      attic_(attic),
      payloads_(payloads),
      where_(where),
      attachments_(attachments),
      showing_(showing),
      stats_(stats),
      service_(like != nullptr ? like->service_
                               : chassis::Service(config.committee, config.limits.served_bytes)),
      chains_(like != nullptr ? like->chains_ : GivenChains(config.committee)) {}

// F1. A block that this node can hand out; null: none.
BlockPtr Giving::servable(const Edge& edge) const {
  if (edge.round <= store_.floor()) return attic_.find(edge.round, edge.author, edge.digest);
  const Entry* entry = store_.find(edge);
  return entry == nullptr || payloads_.lacks(edge) ? nullptr : entry->block;
}

void Giving::served(NodeId to, std::uint64_t bytes, Fx& fx) {
  if (service_.count(to, bytes)) fx.push(ArmTimer{{kServeTimer, {}}, kServedAfresh});
}

void Giving::give(NodeId to, const std::vector<BlockPtr>& blocks, Fx& fx) {
  Give answer;
  std::uint64_t bytes = 0;
  for (const BlockPtr& block : blocks) {
    if (answer.blocks.size() >= config_.limits.give_blocks) break;
    bytes += header_bytes(block->header) + block->header.payload_bytes;
    if (!answer.blocks.empty() && bytes > config_.limits.give_bytes) break;
    answer.blocks.push_back(block);
  }
  served(to, bytes, fx);
  fx.send(to, std::move(answer));
}

// The author's blocks below one that `to` asked for, above round `held`: a node that misses one of
// a burst misses those before it. All to a peer that is behind; else a few, and twice as many if it
// asks on from there, whatever it holds: of an equivocator that was another branch.
void Giving::add_chain(NodeId to, BlockPtr block, Round held, std::vector<BlockPtr>& found,
                       Fx& fx) {
  const bool behind = where_.frontier().seen(to).value + GivenChains::kFirst < block->round().value;
  const std::uint32_t most = config_.limits.give_blocks;
  const NodeId author = block->author();
  const GivenChains::Walk walk = chains_.begins(to, *block, behind, most);
  for (std::uint32_t left = walk.blocks; left > 0 && found.size() < most; --left) {
    chains_.reached(to, author, block->header.self.digest);
    if (!walk.goes_on && block->header.self.round <= held) return;
    block = servable(block->header.self);
    if (!block || !showing_.may_show(block, fx)) return;
    found.push_back(block);
  }
}

void Giving::receive(NodeId from, const Want& message, Fx& fx) {
  if (message.blocks.size() > config_.limits.give_blocks) {
    ++stats_.refused;
    return;
  }
  if (!service_.may(from)) return;
  std::vector<BlockPtr> found;
  std::vector<Round> held;
  for (std::size_t i = 0; i < message.blocks.size(); ++i) {
    BlockPtr block = servable(message.blocks[i]);
    if (!block || !showing_.may_show(block, fx)) continue;
    found.push_back(std::move(block));
    held.push_back(i < message.held.size() ? message.held[i] : Round{0});
    attachments_.missed_by(message.blocks[i], from);
  }
  const std::size_t asked = found.size();
  for (std::size_t i = 0; i < asked; ++i) add_chain(from, found[i], held[i], found, fx);
  if (!found.empty()) give(from, found, fx);
}

void Giving::receive(NodeId from, const WantRound& message, Fx& fx) {
  if (!service_.may(from)) return;
  std::vector<BlockPtr> found;
  for (Round r{std::max(message.round.value, attic_.bottom().value + 1)};
       r <= store_.top() && found.size() < config_.limits.give_blocks; ++r.value) {
    for (BlockPtr& block : accepted_of(store_, attic_, r)) {
      const bool had = r == message.round && message.have.contains(block->author());
      if (block->author() == from || had || !showing_.may_show(block, fx)) continue;
      found.push_back(std::move(block));
    }
  }
  if (!found.empty()) give(from, found, fx);
}

}  // namespace thresher::dag

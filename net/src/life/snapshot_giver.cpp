#include "life/snapshot_giver.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "life/snapshot_parts.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

bool among(const std::vector<Round>& slots, Round slot) {
  return std::ranges::find(slots, slot) != slots.end();
}

}  // namespace

SnapshotGiver::SnapshotGiver(const SnapshotFolder& folder, const ChainContext& chain,
                             std::size_t members, bool shares, SnapshotHolds& holds, Hooks hooks)
    : folder_(folder),
      chain_(chain),
      shares_(shares),
      holds_(holds),
      hooks_(std::move(hooks)),
      service_(folder, members,
               {hooks_.send, [this] { return hooks_.now().us; },
                [this](NodeId to, const SnapshotPart& part) {
                  holds_.gave(to, part.slot, hooks_.now().us);
                },
                hooks_.damaged}) {}

void SnapshotGiver::hear(NodeId from, const WantSnapshots& want) {
  if (!service_.may_ask(from, want.takes.has_value())) return;
  if (want.takes) hold_for(from, *want.takes);
  keep_for(from, want.grids);
  const Bytes own = encode(OwnSnapshots{offers(from), hooks_.grid()});
  (void)hooks_.send(from, {kSnapshots, own, {}});
  if (!gives_) service_.close();
}

std::optional<std::uint64_t> SnapshotGiver::step() {
  const auto next = service_.step();
  gives_ = next.has_value();
  return next;
}

// What the member holds comes first: the one that it takes has to be among them.
std::vector<SnapshotOffer> SnapshotGiver::offers(NodeId to) {
  std::vector<SnapshotOffer> out;
  if (!shares_) return out;
  std::vector<Round> slots = holds_.of(to);
  if (slots.size() == kMostOffers) slots.pop_back();  // a place for the newest
  const std::size_t held = slots.size();
  std::ranges::copy_if(folder_.slots(), std::back_inserter(slots), hooks_.stays);
  std::vector<Round> offered;
  for (std::size_t i = 0; i < slots.size() && out.size() < kMostOffers; ++i) {
    const Round slot = slots[i];
    if (i >= held && among(offered, slot)) continue;
    auto certificate = hooks_.certificate(slot);
    const StoredSnapshot* stored = certificate ? service_.stored(slot) : nullptr;
    if (stored == nullptr || stored->manifest.checkpoint != certificate->checkpoint ||
        stored->encoded.size() > kMostManifest)
      continue;
    out.push_back({std::move(*certificate), digest_of(stored->manifest, chain_)});
    offered.push_back(slot);
  }
  holds_.offered(to, offered, hooks_.now());
  return out;
}

// It may take one that this node does not have: then it needs the log behind it all the same.
void SnapshotGiver::hold_for(NodeId who, Round slot) {
  const bool known = among(holds_.of(who), slot);
  if (!shares_ || (!known && (slot > hooks_.end() || !hooks_.stays(slot)))) return;
  const StoredSnapshot* stored = service_.stored(slot);
  const std::uint64_t bytes = stored ? stored->manifest.bytes : 0;
  if (holds_.takes(who, slot, bytes, hooks_.now())) hooks_.held(who, slot);
}

// The newest of each grid that are here, or are being written, and that the log goes on from.
void SnapshotGiver::keep_for(NodeId who, const std::vector<std::uint8_t>& grids) {
  if (!shares_ || grids.empty()) return;
  const std::vector<Round> own = holds_.of(who);
  const std::vector<Round> here = folder_.slots();
  SnapshotHolds::Waited kept{grids, {}, 0};
  for (const std::uint8_t grid : grids) {
    for (const Round slot : holds_.newest(grid)) {
      const bool gone = !among(here, slot) && !here.empty() && slot <= here.front();
      if (among(kept.slots, slot) || gone || (!among(own, slot) && !hooks_.stays(slot))) continue;
      kept.slots.push_back(slot);
      const StoredSnapshot* stored = service_.stored(slot);
      if (stored != nullptr) kept.bytes = std::max(kept.bytes, stored->manifest.bytes);
    }
  }
  holds_.waits(who, std::move(kept), hooks_.now());
}

}  // namespace thresher::net

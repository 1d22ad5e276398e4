#include "thresher/sim/pools.hpp"

#include <algorithm>

namespace thresher::sim {
namespace {

// As net/ has them: a payload below the first size grows by whatever comes while it waits, one
// below the second by a quarter of itself at least, since all of it is hashed again; and so many
// are in flight at most of protocols that do not tell what waits.
constexpr std::size_t kGrowsFreely = 16 * 1024;
constexpr std::size_t kGrows = 128 * 1024;
constexpr std::size_t kInFlight = 4;

bool may_grow(std::size_t payload, std::size_t pool) {
  return payload < kGrowsFreely || (payload < kGrows && pool >= payload / 4);
}

std::size_t room_of(const Workload& w, std::uint32_t request) {
  return w.block_bytes == 0 ? 0 : std::max<std::size_t>(w.block_bytes / request, 1);
}

}  // namespace

Pools::Pools(const Workload& workload, std::uint32_t n)
    : request_(std::max(workload.bytes, kLeastPayload)),
      room_(room_of(workload, request_)),
      nodes_(on() ? n : 0) {}

void Pools::add(PayloadId id, Ticks from) {
  nodes_[id.author.value].pool.push_back({id.number, from});
}

std::size_t Pools::ready(const Node& node, Ticks now, std::size_t most) {
  std::size_t count = 0;
  while (count < std::min(node.pool.size(), most) && node.pool[count].from <= now) ++count;
  return count;
}

bool Pools::pack(NodeId id, Ticks now, const Line& line) {
  const auto& queued = line.queued;
  Node& node = nodes_[id.value];
  const std::size_t waiting = ready(node, now, room_);
  if (waiting == 0) return false;
  const bool full =
      node.packed.size() >= room_ || !may_grow(node.packed.size() * request_, waiting * request_);
  const bool grows = line.extends && queued == 1U && !node.packed.empty() && !full;
  if (queued ? *queued > 0 && !grows : node.in_flight.size() >= kInFlight) return false;
  if (!grows) node.packed.clear();
  node.before = node.packed.size();
  const std::size_t more = std::min(waiting, room_ - node.packed.size());
  for (std::size_t i = 0; i < more; ++i) node.packed.push_back(node.pool[i].number);
  node.pool.erase(node.pool.begin(), node.pool.begin() + static_cast<std::ptrdiff_t>(more));
  if (!queued) node.in_flight.push_back(node.packed.back());
  return true;
}

Bytes Pools::bytes_of(NodeId id, std::size_t count, int side) const {
  const Node& node = nodes_[id.value];
  std::vector<std::byte> out;
  out.reserve(count * request_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t face = side == 1 ? PayloadId::kSecondFace : 0;
    const Bytes one = make_payload({id, node.packed[i] | face}, request_);
    out.insert(out.end(), one.view().begin(), one.view().end());
  }
  return Bytes::from(std::move(out));
}

Bytes Pools::payload(NodeId id, int side) const {
  return bytes_of(id, nodes_[id.value].packed.size(), side);
}

Bytes Pools::replaced(NodeId id, int side) const {
  return bytes_of(id, nodes_[id.value].before, side);
}

void Pools::delivered(PayloadId id) {
  std::erase(nodes_[id.author.value].in_flight, id.number);
}

void Pools::lost(NodeId id) {
  nodes_[id.value] = {};
}

std::uint64_t Pools::waiting(const std::vector<NodeId>& ids) const {
  std::uint64_t sum = 0;
  for (const NodeId id : ids) sum += on() ? nodes_[id.value].pool.size() : 0;
  return sum;
}

void Pools::look(const std::vector<NodeId>& ids) {
  most_waiting_ = std::max(most_waiting_, waiting(ids));
}

void Pools::each(ByteView payload, const std::function<void(ByteView)>& visit) const {
  for (std::size_t at = 0; at < payload.size(); at += request_) {
    visit(payload.subspan(at, std::min<std::size_t>(request_, payload.size() - at)));
  }
}

}  // namespace thresher::sim

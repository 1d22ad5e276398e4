#include "delivery_board.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace thresher::cli {

// Pages that nobody touches cost nothing, so there is room for more than any run delivers.
std::unique_ptr<DeliveryBoard> DeliveryBoard::make(std::uint64_t nodes) {
  const std::uint64_t cells = nodes * nodes * (kMost + 1) + kCounters + nodes;
  void* memory = ::mmap(nullptr, cells * sizeof(Cell), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  static_assert(Cell::is_always_lock_free && sizeof(Cell) == sizeof(std::uint64_t));
  return std::unique_ptr<DeliveryBoard>(new DeliveryBoard(nodes, static_cast<Cell*>(memory)));
}

DeliveryBoard::DeliveryBoard(std::uint64_t nodes, Cell* cells) : nodes_(nodes), cells_(cells) {}

DeliveryBoard::~DeliveryBoard() {
  (void)::munmap(static_cast<void*>(cells_),
                 (nodes_ * nodes_ * (kMost + 1) + kCounters + nodes_) * sizeof(Cell));
}

void DeliveryBoard::put(std::uint64_t node, const broadcast::Instance& i, std::uint64_t digest) {
  if (i.number >= kMost) {
    ++counter(kBeyond);
    return;
  }
  const std::uint64_t before = cell(node, i.origin.value, i.number).exchange(digest);
  if (before != 0 && before != digest) ++counter(kConflicts);
  Cell& highest = top(node, i.origin.value);
  if (highest <= i.number) highest = i.number + 1;
  ++counter(kProgress);
}

std::uint64_t DeliveryBoard::last_of(const std::vector<std::uint64_t>& nodes,
                                     std::uint64_t origin) const {
  std::uint64_t most = 0;
  for (const std::uint64_t node : nodes) most = std::max<std::uint64_t>(most, top(node, origin));
  return most;
}

bool DeliveryBoard::all_at_the_last(const std::vector<std::uint64_t>& nodes) const {
  for (std::uint64_t o = 0; o < nodes_; ++o) {
    const std::uint64_t last = last_of(nodes, o);
    for (const std::uint64_t node : nodes) {
      if (top(node, o) < last) return false;
    }
  }
  return true;
}

std::vector<std::uint64_t> DeliveryBoard::lacks_too_much(
    const std::vector<std::uint64_t>& nodes, const std::set<std::uint64_t>& excused) const {
  std::vector<std::uint64_t> out;
  for (const std::uint64_t node : nodes) {
    if (!excused.contains(node) && missed(node) > counter(kCounters + node)) out.push_back(node);
  }
  return out;
}

std::string DeliveryBoard::missing(const std::vector<std::uint64_t>& nodes) const {
  for (std::uint64_t o = 0; o < nodes_; ++o) {
    const std::uint64_t last = last_of(nodes, o);
    for (const std::uint64_t node : nodes) {
      if (top(node, o) < last) {
        return "node " + std::to_string(node) + " lacks payload " + std::to_string(top(node, o)) +
               " of node " + std::to_string(o) + ", of which others delivered " +
               std::to_string(last);
      }
    }
  }
  for (const std::uint64_t node : lacks_too_much(nodes, {})) {
    return "node " + std::to_string(node) + " lacks " + std::to_string(missed(node)) +
           " payloads, and said of " + std::to_string(counter(kCounters + node)) +
           " that it missed them";
  }
  return "nothing";
}

std::optional<broadcast::Instance> DeliveryBoard::conflict() const {
  for (std::uint64_t o = 0; o < nodes_; ++o) {
    const NodeId origin{static_cast<std::uint16_t>(o)};
    std::uint64_t most = 0;
    for (std::uint64_t node = 0; node < nodes_; ++node)
      most = std::max<std::uint64_t>(most, top(node, o));
    for (std::uint64_t k = 0; k < most; ++k) {
      std::uint64_t seen = 0;
      for (std::uint64_t node = 0; node < nodes_; ++node) {
        const std::uint64_t here = cell(node, o, k);
        if (here != 0 && seen != 0 && here != seen) return broadcast::Instance{origin, k};
        if (here != 0) seen = here;
      }
    }
  }
  if (counter(kConflicts) != 0) return broadcast::Instance{};
  return std::nullopt;
}

std::uint64_t DeliveryBoard::missed(std::uint64_t node) const {
  std::uint64_t count = 0;
  for (std::uint64_t o = 0; o < nodes_; ++o) {
    std::uint64_t most = 0;
    for (std::uint64_t k = 0; k < nodes_; ++k) most = std::max<std::uint64_t>(most, top(k, o));
    for (std::uint64_t number = 0; number < most; ++number) {
      bool elsewhere = false;
      for (std::uint64_t k = 0; k < nodes_; ++k) elsewhere |= cell(k, o, number) != 0;
      count += elsewhere && cell(node, o, number) == 0 ? 1 : 0;
    }
  }
  return count;
}

std::uint64_t DeliveryBoard::delivered(std::uint64_t node) const {
  std::uint64_t count = 0;
  for (std::uint64_t o = 0; o < nodes_; ++o) {
    const std::uint64_t most = top(node, o);
    for (std::uint64_t k = 0; k < most; ++k) count += cell(node, o, k) != 0 ? 1 : 0;
  }
  return count;
}

std::uint64_t DeliveryBoard::progress() const {
  return counter(kProgress);
}

bool DeliveryBoard::full() const {
  return counter(kBeyond) != 0;
}

}  // namespace thresher::cli

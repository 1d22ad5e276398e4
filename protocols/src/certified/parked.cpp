#include "parked.hpp"

#include "thresher/core/assert.hpp"

namespace thresher::certified {

Parked::Added Parked::add(const VertexPtr& vertex) {
  THRESHER_ASSERT(!full(vertex->author()), "of each author so many certificates wait");
  const auto [first, fresh] = rounds_[vertex->round()].emplace(vertex->author(), vertex);
  if (fresh) {
    ++of_[vertex->author().value];
    return Added::kNew;
  }
  const bool same = first->second->certificate.signatures == vertex->certificate.signatures;
  return same ? Added::kSame : Added::kOther;
}

bool Parked::contains(const Ref& ref) const {
  const auto it = rounds_.find(ref.round);
  return it != rounds_.end() && it->second.contains(ref.author);
}

std::vector<VertexPtr> Parked::take_all() {
  std::vector<VertexPtr> out;
  for (const auto& [round, vertices] : std::exchange(rounds_, {})) {
    for (const auto& [author, vertex] : vertices) {
      --of_[author.value];
      out.push_back(vertex);
    }
  }
  return out;
}

}  // namespace thresher::certified

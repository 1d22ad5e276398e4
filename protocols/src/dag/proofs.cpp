#include "proofs.hpp"

#include "thresher/core/assert.hpp"

namespace thresher::dag {

void Proofs::add(Round slot, const Digest& leader, BlockPtr header) {
  headers_[{slot, leader}].push_back(std::move(header));
}

void Proofs::replace(Round slot, const Digest& leader, std::vector<BlockPtr> headers) {
  THRESHER_ASSERT(!headers.empty(), "a proof has headers");
  headers_[{slot, leader}] = std::move(headers);
}

std::span<const BlockPtr> Proofs::of(Round slot, const Digest& leader) const {
  const auto it = headers_.find({slot, leader});
  return it == headers_.end() ? std::span<const BlockPtr>() : std::span(it->second);
}

std::size_t Proofs::size() const {
  std::size_t out = 0;
  for (const auto& [name, headers] : headers_) out += headers.size();
  return out;
}

}  // namespace thresher::dag

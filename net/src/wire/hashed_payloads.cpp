#include "wire/hashed_payloads.hpp"

namespace thresher::net {
namespace {

/// Taken entries of the order that may lie among the others.
constexpr std::size_t kMostTaken = 1024;

}  // namespace

Digest HashedPayloads::root_of(ByteView payload) {
  if (!keeps_) return payload_root(payload);
  DataHashes hashes;
  const Digest root = payload_root(payload, &hashes);
  const std::size_t count = hashes.size();
  if (count == 0 || !known_.try_emplace(root, std::move(hashes)).second) return root;
  order_.push_back(root);
  count_ += count;
  while (size() > kMost || order_.size() > known_.size() + kMostTaken) forget_oldest();
  return root;
}

DataHashes HashedPayloads::take(const Digest& root) {
  const auto it = known_.find(root);
  if (it == known_.end()) return {};
  DataHashes out = std::move(it->second);
  count_ -= out.size();
  known_.erase(it);
  return out;
}

void HashedPayloads::forget_oldest() {
  (void)take(order_.front());
  order_.pop_front();
}

}  // namespace thresher::net

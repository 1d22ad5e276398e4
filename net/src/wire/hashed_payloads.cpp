#include "wire/hashed_payloads.hpp"

#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

/// Taken entries of the order that may lie among the others.
constexpr std::size_t kMostTaken = 1024;

}  // namespace

std::shared_ptr<const Prepared> prepare_payload(const Frame& frame) {
  const bool block = frame.kind == kPush || frame.kind == kProtocol;
  return block ? std::make_shared<const PreparedPayload>(frame.payload.view()) : nullptr;
}

Digest HashedPayloads::root_of(ByteView payload) {
  if (prepared_ && payload.data() == expected_.data() && payload.size() == expected_.size())
    return keeps_ ? keep(prepared_->root, DataHashes(prepared_->hashes)) : prepared_->root;
  if (!keeps_) return payload_root(payload);
  DataHashes hashes;
  const Digest root = payload_root(payload, &hashes);
  return keep(root, std::move(hashes));
}

void HashedPayloads::expect(const Frame& frame) {
  prepared_ = std::dynamic_pointer_cast<const PreparedPayload>(frame.prepared);
  expected_ = prepared_ ? frame.payload.view() : ByteView{};
}

Digest HashedPayloads::keep(const Digest& root, DataHashes&& hashes) {
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

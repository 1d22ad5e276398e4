// A log as peers tell it: commits, and the frames in which they come.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ledger/log_entry.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {

inline Commit commit_at(std::uint64_t slot, const std::string& text) {
  const auto block = unsigned_block(Round{slot}, Bytes::copy_of(as_view(text)), {}, {});
  return {Round{slot}, block->id, {block}};
}

inline Bytes told(const OrderedBlock& block) {
  Writer w;
  encode_block(block, w);
  return Bytes::from(w.take());
}

inline Frame part_of(const std::vector<Commit>& commits, std::uint64_t head,
                     std::optional<wire::LogPlace> from = {}) {
  wire::LogPart part{Round{head}, {}, {}, from};
  std::vector<std::byte> payload;
  for (const auto& c : commits) {
    const auto total = static_cast<std::uint32_t>(c.blocks.size());
    for (std::uint32_t i = 0; i < total; ++i) {
      const ByteView bytes = c.blocks[i]->payload.view();
      const auto size = static_cast<std::uint32_t>(bytes.size());
      part.blocks.push_back({c.slot, c.id, total, i, size, told(*c.blocks[i])});
      payload.insert(payload.end(), bytes.begin(), bytes.end());
    }
  }
  return {kLogPart, wire::encode(part), Bytes::from(std::move(payload))};
}

inline Frame hash_frame(std::uint64_t slot, const Digest& hash, bool known = true) {
  return {kLogHash, wire::encode(wire::LogHash{Round{slot}, hash, known}), {}};
}

}  // namespace thresher::net

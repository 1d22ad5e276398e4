#include "thresher/net/log_proof.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "life/leaf_content.hpp"
#include "thresher/coding/merkle_range.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::net {
namespace {

/// A path is no longer than the bits of a position.
constexpr std::uint32_t kMostSteps = 64;

std::vector<LeafContent> in_leaf(const LogProof& proof) {
  std::vector<LeafContent> out = proof.beside;
  const auto place = static_cast<std::ptrdiff_t>(proof.position % kLeafPositions);
  out.insert(out.begin() + place, proof.content);
  return out;
}

}  // namespace

LeafBytes leaf_bytes(std::span<const LeafContent> contents) {
  THRESHER_ASSERT(!contents.empty() && contents.size() <= kLeafPositions,
                  "a leaf holds one position at least and kLeafPositions at most");
  static_assert(std::endian::native == std::endian::little, "integers are stored little-endian");
  LeafBytes out;
  std::byte* at = out.bytes.data();
  const auto put = [&at](const void* from, std::size_t size) {
    std::memcpy(at, from, size);
    at += size;
  };
  bool alike = true;
  for (const LeafContent& c : contents) {
    put(c.client.bytes.data(), c.client.bytes.size());
    put(&c.sequence, sizeof c.sequence);
    put(c.payload.bytes.data(), c.payload.bytes.size());
    alike = alike && c.result == contents[0].result;
  }
  for (const LeafContent& c : contents.first(alike ? 1 : contents.size()))
    put(c.result.bytes.data(), c.result.bytes.size());
  out.size = static_cast<std::size_t>(at - out.bytes.data());
  return out;
}

Digest leaf_of(std::span<const LeafContent> contents) {
  return hash(leaf_bytes(contents).view());
}

Result<Unit, Error> check_log_proof(const Genesis& genesis, const LogProof& proof) {
  const auto rejected = [&](std::string why) {
    return Error{ErrorCode::kRejected, std::move(why),
                 "position " + std::to_string(proof.position)};
  };
  const Checkpoint& c = proof.certificate.checkpoint;
  if (proof.position >= c.length) {
    return rejected("the certificate covers " + std::to_string(c.length) +
                    " transactions, so position " + std::to_string(proof.position) +
                    " is none of them");
  }
  const std::uint64_t leaf = proof.position / kLeafPositions;
  if (proof.beside.size() + 1 != positions_in(leaf, c.length)) {
    return rejected("it has " + std::to_string(proof.beside.size()) +
                    " other positions of the same leaf, which has " +
                    std::to_string(positions_in(leaf, c.length)) + " positions");
  }
  if (!coding::merkle_included(leaf_of(in_leaf(proof)), leaf, leaves_of(c.length), proof.path,
                               c.root)) {
    return rejected("the path does not lead from this transaction and result at position " +
                    std::to_string(proof.position) + " to the certified root");
  }
  if (const auto held = check_certificate(genesis, proof.certificate); !held)
    return rejected(held.error().what);
  return Unit{};
}

Bytes encode(const LogProof& p) {
  Writer w;
  w.u64(p.position);
  write(p.content, w);
  w.u8(static_cast<std::uint8_t>(p.beside.size()));
  for (const LeafContent& c : p.beside) write(c, w);
  w.u8(static_cast<std::uint8_t>(p.path.size()));
  for (const Digest& step : p.path) w.bytes(step.bytes);
  w.bytes(encode(p.certificate).view());
  return Bytes::from(w.take());
}

std::optional<LogProof> decode_log_proof(ByteView bytes, std::uint32_t n) {
  Reader in(bytes);
  LogProof out;
  out.position = in.u64();
  out.content = read_content(in);
  const std::uint32_t beside = in.u8();
  if (beside >= kLeafPositions) return std::nullopt;
  for (std::uint32_t i = 0; i < beside; ++i) out.beside.push_back(read_content(in));
  const std::uint32_t steps = in.u8();
  if (steps > kMostSteps) return std::nullopt;
  for (std::uint32_t i = 0; i < steps; ++i) out.path.push_back(in.digest());
  auto certificate = decode_certificate(in.bytes(in.remaining()), n);
  if (!in.done() || !certificate) return std::nullopt;
  out.certificate = std::move(*certificate);
  return out;
}

}  // namespace thresher::net

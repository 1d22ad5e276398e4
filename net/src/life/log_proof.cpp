#include "thresher/net/log_proof.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "thresher/coding/merkle_range.hpp"

namespace thresher::net {
namespace {

/// A path is no longer than the bits of a position.
constexpr std::uint32_t kMostSteps = 64;

}  // namespace

LeafBytes leaf_bytes(const LeafContent& c) {
  LeafBytes out{};
  auto at = std::ranges::copy(c.client.bytes, out.begin() + 1).out;
  for (int shift = 0; shift < 64; shift += 8) *at++ = static_cast<std::byte>(c.sequence >> shift);
  at = std::ranges::copy(c.payload.bytes, at).out;
  std::ranges::copy(c.result.bytes, at);
  return out;
}

Digest leaf_of(const LeafContent& c) {
  return coding::merkle_leaf(ByteView(leaf_bytes(c)).subspan(1));
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
  if (!coding::merkle_included(leaf_of(proof.content), proof.position, c.length, proof.path,
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
  w.u64(p.position).bytes(p.content.client.bytes).u64(p.content.sequence);
  w.bytes(p.content.payload.bytes).bytes(p.content.result.bytes);
  w.u8(static_cast<std::uint8_t>(p.path.size()));
  for (const Digest& step : p.path) w.bytes(step.bytes);
  w.bytes(encode(p.certificate).view());
  return Bytes::from(w.take());
}

std::optional<LogProof> decode_log_proof(ByteView bytes, std::uint32_t n) {
  Reader in(bytes);
  LogProof out;
  out.position = in.u64();
  const ByteView client = in.bytes(out.content.client.bytes.size());
  std::ranges::copy(client, out.content.client.bytes.begin());
  out.content.sequence = in.u64();
  out.content.payload = in.digest();
  out.content.result = in.digest();
  const std::uint32_t steps = in.u8();
  if (steps > kMostSteps) return std::nullopt;
  for (std::uint32_t i = 0; i < steps; ++i) out.path.push_back(in.digest());
  auto certificate = decode_certificate(in.bytes(in.remaining()), n);
  if (!in.done() || !certificate) return std::nullopt;
  out.certificate = std::move(*certificate);
  return out;
}

}  // namespace thresher::net

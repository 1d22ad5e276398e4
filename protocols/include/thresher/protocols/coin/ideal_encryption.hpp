// Threshold encryption for simulations: everything is a hash of a seed that everybody knows.
//
//   IdealEncryption scheme(committee.at_least(kValidity), NodeId{2}, seed);
//
// Guarantees: the counting of EncryptionScheme, ciphertexts that look random and are valid only as
// they were made, for their label. Hides nothing from nodes with the seed. Never in a
// deployment.
#pragma once

#include <algorithm>
#include <set>

#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/encryption_scheme.hpp"

namespace thresher::coin {

class IdealEncryption final : public crypto::EncryptionScheme {
 public:
  IdealEncryption(std::uint32_t threshold, NodeId self, std::uint64_t seed)
      : threshold_(threshold), self_(self), seed_(seed) {}

  std::uint32_t threshold() const override { return threshold_; }
  std::size_t overhead() const override { return sizeof(Digest); }
  std::optional<Bytes> encrypt(ByteView label, ByteView text) const override {
    const Digest tag = tag_of(label, text);
    Writer out;
    out.bytes(tag.bytes).bytes(streamed(tag, text));
    return Bytes::from(out.take());
  }
  bool valid(ByteView label, ByteView ciphertext) const override {
    if (ciphertext.size() < overhead()) return false;
    const Digest tag = Reader(ciphertext).digest();
    return tag == tag_of(label, streamed(tag, ciphertext.subspan(overhead())));
  }
  std::optional<crypto::DecryptionShare> share(ByteView label, ByteView ciphertext) const override {
    if (!valid(label, ciphertext)) return std::nullopt;
    return share_of(self_, ciphertext);
  }
  void verify(ByteView, ByteView ciphertext, std::span<const crypto::DecryptionClaim> claims,
              std::span<std::uint8_t> verdicts) const override {
    for (std::size_t i = 0; i < claims.size(); ++i)
      verdicts[i] = claims[i].share == share_of(claims[i].from, ciphertext) ? 1 : 0;
  }
  std::optional<Bytes> combine(ByteView, ByteView ciphertext,
                               std::span<const crypto::DecryptionClaim> shares) const override {
    std::set<NodeId> nodes;
    for (const crypto::DecryptionClaim& claim : shares) nodes.insert(claim.from);
    if (nodes.size() < threshold_) return std::nullopt;
    const Digest tag = Reader(ciphertext).digest();
    return Bytes::from(streamed(tag, ciphertext.subspan(overhead())));
  }

 private:
  Digest tag_of(ByteView label, ByteView text) const {
    Writer w;
    w.bytes(as_view("thresher/ideal-ciphertext/1")).u64(seed_).u64(label.size());
    w.bytes(label).bytes(text);
    return hash(w.view());
  }
  /// There and back.
  std::vector<std::byte> streamed(const Digest& tag, ByteView text) const {
    Prng keys(seed_ ^ Reader(tag.bytes).u64());
    std::vector<std::byte> out(text.begin(), text.end());
    for (std::byte& b : out) b ^= static_cast<std::byte>(keys.next());
    return out;
  }
  crypto::DecryptionShare share_of(NodeId node, ByteView ciphertext) const {
    Writer w;
    w.bytes(as_view("thresher/ideal-decryption/1")).u64(seed_).u16(node.value);
    w.bytes(Reader(ciphertext).digest().bytes);
    crypto::DecryptionShare out;
    std::ranges::copy(hash(w.view()).bytes, out.bytes.begin());
    return out;
  }

  std::uint32_t threshold_;
  NodeId self_;
  std::uint64_t seed_;
};

}  // namespace thresher::coin

#include "thresher/crypto/threshold_encryption.hpp"

#include <utility>

#include "proved_point.hpp"
#include "sha512.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/crypto/beacon_proof.hpp"

namespace thresher::crypto {
namespace {

constexpr std::string_view kCiphertext = "thresher/ciphertext/1";
constexpr std::string_view kShare = "thresher/decryption-share/1";

// r * G and r * (the other generator), and that both are r's.
struct Sealed {
  RistrettoPoint maker{};
  RistrettoPoint second{};
  DleqProof proof;
  ByteView hidden;
};

// Pre: at least the overhead.
Sealed parts_of(ByteView ciphertext) {
  Sealed out;
  std::ranges::copy(ciphertext.first(32), out.maker.begin());
  const ProvedPoint proved = split(ciphertext.subspan<32, 96>());
  out.second = proved.point;
  out.proof = proved.proof;
  out.hidden = ciphertext.subspan(128);
  return out;
}

// Independent of protocol and chain: all agree on it, and nobody knows its logarithm.
RistrettoPoint second_generator() {
  const Sha512 uniform = sha512({as_view("thresher/second-generator/1")});
  const auto point = ristretto_map(std::span<const std::byte, 64>(uniform));
  THRESHER_ASSERT(point, "the hash of these fixed words is not the identity");
  return *point;
}

}  // namespace

ThresholdEncryption::ThresholdEncryption(const ChainContext& chain, CoinKeys keys, NodeId self,
                                         std::optional<Secret<RistrettoScalar>> secret)
    : chain_(chain),
      keys_(std::move(keys)),
      second_(second_generator()),
      self_(self),
      secret_(std::move(secret)) {
  const auto group = group_key(keys_);
  THRESHER_ASSERT(group && *group != RistrettoPoint{}, "the keys belong together");
  group_ = *group;
}

// Lengths are framed: a label and what follows cannot shift against each other.
Digest ThresholdEncryption::context(std::string_view domain, ByteView label, ByteView rest) const {
  Transcript t(domain, chain_);
  t.u32(keys_.threshold).bytes(group_);
  t.u64(label.size()).bytes(label).u64(rest.size()).bytes(rest);
  return t.digest();
}

// As unknown as the secret, and another one for each label and text.
Secret<RistrettoScalar> ThresholdEncryption::exponent(ByteView label, ByteView text) const {
  const Digest what = context("thresher/encryption-exponent/1", label, text);
  Sha512 uniform = sha512({**secret_, what.bytes});
  RistrettoScalar out = shamir::scalar_of(uniform);
  const WipedAtEnd of_out(out);
  return out;
}

// The key is used for this one text, so the nonce may be fixed.
void ThresholdEncryption::stream(const RistrettoPoint& maker, const RistrettoPoint& shared,
                                 std::span<std::byte> text) const {
  Transcript t("thresher/encryption-key/1", chain_);
  t.u32(keys_.threshold).bytes(group_).bytes(maker).bytes(shared);
  Digest key = t.digest();
  const WipedAtEnd of_key(key.bytes);
  constexpr std::array<unsigned char, crypto_stream_chacha20_ietf_NONCEBYTES> kNonce{};
  static_assert(sizeof key.bytes == crypto_stream_chacha20_ietf_KEYBYTES);
  if (text.empty()) return;  // an empty batch, whose data() may be null
  crypto_stream_chacha20_ietf_xor(raw_bytes(text.data()), raw_bytes(text.data()), text.size(),
                                  kNonce.data(), raw_bytes(key.bytes.data()));
}

std::optional<Bytes> ThresholdEncryption::encrypt(ByteView label, ByteView text) const {
  if (!secret_) return std::nullopt;
  const Secret<RistrettoScalar> r = exponent(label, text);
  const auto maker = ristretto_base(*r);
  auto shared = ristretto_multiply(*r, group_);
  if (!maker || !shared) return std::nullopt;
  const WipedAtEnd of_shared(*shared);
  std::vector<std::byte> hidden(text.begin(), text.end());
  stream(*maker, *shared, hidden);
  const auto made = prove_dleq(context(kCiphertext, label, hidden).bytes, *r, second_);
  if (!made) return std::nullopt;
  Writer out;
  out.bytes(*maker).bytes(joined(*made)).bytes(hidden);
  return Bytes::from(out.take());
}

bool ThresholdEncryption::valid(ByteView label, ByteView ciphertext) const {
  if (ciphertext.size() < kOverhead) return false;
  const Sealed sealed = parts_of(ciphertext);
  return verify_dleq(context(kCiphertext, label, sealed.hidden).bytes,
                     {sealed.maker, second_, sealed.second}, sealed.proof);
}

std::optional<DecryptionShare> ThresholdEncryption::share(ByteView label,
                                                          ByteView ciphertext) const {
  if (!secret_ || !valid(label, ciphertext)) return std::nullopt;
  const auto made =
      prove_dleq(context(kShare, label, ciphertext).bytes, **secret_, parts_of(ciphertext).maker);
  return made ? std::optional(DecryptionShare{joined(*made)}) : std::nullopt;
}

void ThresholdEncryption::verify(ByteView label, ByteView ciphertext,
                                 std::span<const DecryptionClaim> claims,
                                 std::span<std::uint8_t> verdicts) const {
  THRESHER_ASSERT(ciphertext.size() >= kOverhead, "shares are of valid ciphertexts");
  const Digest what = context(kShare, label, ciphertext);
  const RistrettoPoint maker = parts_of(ciphertext).maker;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    verdicts[i] = 0;
    if (claims[i].from.value >= keys_.nodes.size()) continue;
    const ProvedPoint share = split(claims[i].share.bytes);
    const DleqStatement statement{keys_.nodes[claims[i].from.value], maker, share.point};
    verdicts[i] = verify_dleq(what.bytes, statement, share.proof) ? 1 : 0;
  }
}

std::optional<Bytes> ThresholdEncryption::combine(ByteView, ByteView ciphertext,
                                                  std::span<const DecryptionClaim> shares) const {
  THRESHER_ASSERT(ciphertext.size() >= kOverhead, "shares are of valid ciphertexts");
  const auto shared = combined_point(keys_.threshold, shares);
  if (!shared) return std::nullopt;
  const Sealed sealed = parts_of(ciphertext);
  std::vector<std::byte> text(sealed.hidden.begin(), sealed.hidden.end());
  stream(sealed.maker, *shared, text);
  return Bytes::from(std::move(text));
}

}  // namespace thresher::crypto

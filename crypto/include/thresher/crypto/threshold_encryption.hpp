// The threshold cryptosystem TDH2 of Shoup and Gennaro on ristretto255: chosen ciphertexts help
// nobody, and every share of a decryption proves itself.
//
//   ThresholdEncryption scheme(chain, deal.keys, NodeId{2}, deal.secrets[2]);
//   Bytes sealed = *scheme.encrypt(as_view("bid 17"), text);   // 128 bytes more
//
// Guarantees: with fewer than threshold() shares a text is hidden and cannot be changed (secure
// against chosen ciphertexts if the decisional Diffie-Hellman problem is hard here and the hashes
// are random oracles: the paper's theorem). A ciphertext carries a proof that its maker knew the
// exponent, bound to label, chain and epoch; a share carries its own, for its node and that
// ciphertext. Non-canonical encodings and the identity are refused. Nothing random is read: the
// exponent is a hash of secret, label and text, so a text that is encrypted twice under one label
// shows that it is the same. The keys may be those of a ThresholdCoin: docs/adr/044 says why. Does
// not hide how long a text is. Not audited.
// Source: Shoup, Gennaro, "Securing threshold cryptosystems against chosen ciphertext attack"
// (J. Cryptology 15, 2002), TDH2; its two proofs are those of RFC 9497, 2.2; the text is encrypted
// by ChaCha20 (RFC 8439) with the hash of the shared point as its key.
#pragma once

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/encryption_scheme.hpp"
#include "thresher/crypto/threshold_coin.hpp"

namespace thresher::crypto {

class ThresholdEncryption final : public EncryptionScheme {
 public:
  /// Without a secret it verifies and combines, as an observer does. Pre: coin_keys_agree(keys).
  ThresholdEncryption(const ChainContext& chain, CoinKeys keys, NodeId self,
                      std::optional<Secret<RistrettoScalar>> secret);
  ThresholdEncryption(const ThresholdEncryption&) = delete;
  ThresholdEncryption& operator=(const ThresholdEncryption&) = delete;

  std::uint32_t threshold() const override { return keys_.threshold; }
  std::size_t overhead() const override { return kOverhead; }
  std::optional<Bytes> encrypt(ByteView label, ByteView text) const override;
  bool valid(ByteView label, ByteView ciphertext) const override;
  std::optional<DecryptionShare> share(ByteView label, ByteView ciphertext) const override;
  void verify(ByteView label, ByteView ciphertext, std::span<const DecryptionClaim> claims,
              std::span<std::uint8_t> verdicts) const override;
  std::optional<Bytes> combine(ByteView label, ByteView ciphertext,
                               std::span<const DecryptionClaim> shares) const override;

 private:
  /// Two points and a proof that they have one logarithm.
  static constexpr std::size_t kOverhead = 128;

  Digest context(std::string_view domain, ByteView label, ByteView rest) const;
  Secret<RistrettoScalar> exponent(ByteView label, ByteView text) const;
  void stream(const RistrettoPoint& maker, const RistrettoPoint& shared,
              std::span<std::byte> text) const;

  ChainContext chain_;
  CoinKeys keys_;
  RistrettoPoint group_{};
  RistrettoPoint second_{};  // the other generator, whose logarithm nobody knows
  NodeId self_;
  std::optional<Secret<RistrettoScalar>> secret_;
};

}  // namespace thresher::crypto

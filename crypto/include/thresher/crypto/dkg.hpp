// Distributed key generation on ristretto255: a threshold key that nobody ever holds, for any
// threshold up to n-f.
//
//   DkgSetup setup{.chain = chain, .committee = c, .threshold = c.at_least(kAvailability),
//                  .keys = *dkg_keys_of(identities)};
//   DealtKey scheme(setup, self, dkg_secret_of(signing_key), seed);
//
// Each dealer shares m random secrets by polynomials of degree f: it commits to the coefficients
// (Feldman) and seals each node's shares under a key that only the two of them know. From the
// dealings that all agree on, n-2f independent secrets are extracted for each batch of n-f, and
// these are the coefficients of the key's polynomial, of degree threshold-1. Node i's share is its
// value at i+1, which f+1 nodes give it point by point.
//
// Guarantees: with at most f corrupt nodes the key's polynomial is fixed by the dealings, the
// points that correct nodes give are the only ones that pass, and a correct dealer is never proved
// to have lied. Secrets that at least n-2f correct dealers dealt hide the key as long as Diffie-
// Hellman is hard in this group; an adversary that deals last can choose among polynomially many
// public keys, which does not help it with the secret (Gennaro, Jarecki, Krawczyk, Rabin 2007).
// With `reshares` the public key stays what it was: the first secret of each dealer is its share
// of the old key, and new shares say nothing about old ones. Everything a node says follows from
// its key and its seed, so a restarted node says the same. Not audited.
// Sources: Feldman (FOCS 1987); Das, Xiang, Kokoris-Kogias, Ren, "Practical asynchronous
// high-threshold distributed key generation and distributed polynomial sampling" (USENIX Security
// 2023) for the extraction and the points; Herzberg, Jarecki, Krawczyk, Yung (CRYPTO 1995) for
// resharing. Rules: docs/protocols/dkg.md.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/error.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/dkg_scheme.hpp"
#include "thresher/crypto/signing_key.hpp"

namespace thresher::crypto {

/// A key that is kept for a committee that changed.
struct Reshared {
  CoinKeys keys;  ///< the old ones
  /// By new id: which node of the old committee it was; empty: none.
  std::vector<std::optional<NodeId>> before;
};

/// What all nodes of a run have in common.
struct DkgSetup {
  ChainContext chain{};
  Committee committee = *Committee::make(4, 1);
  std::uint32_t threshold = 3;         ///< of the new key: 1 to n-f
  std::vector<RistrettoPoint> keys{};  ///< of the nodes, by id: what shares are sealed under
  std::optional<Reshared> reshares{};

  /// Whether nodes can run it. kRejected: nobody can; `where` is the member that is wrong.
  Result<Unit, Error> check() const;
};

/// The group elements of Ed25519 keys: a node's identity is what shares are sealed under. Empty
/// when a key is not a point of the curve, or one of small order. Source: Thormarker (ePrint
/// 2021/509), which proves that one key may sign and receive.
std::optional<std::vector<RistrettoPoint>> dkg_keys_of(std::span<const PublicKey> identities);
/// The mirror: what opens what is sealed under a node's identity.
Secret<RistrettoScalar> dkg_secret_of(const SigningKey& key);

class DealtKey final : public DkgScheme {
 public:
  using Seed = std::array<std::byte, 32>;

  /// `seed`: 32 secret random bytes, for this run alone. `old_share`: of a key that is reshared.
  /// Pre: setup.check(); `key` is that of setup.keys[self]; `self` is of the committee.
  DealtKey(DkgSetup setup, NodeId self, Secret<RistrettoScalar> key, Secret<Seed> seed,
           std::optional<Secret<RistrettoScalar>> old_share = std::nullopt);

  std::optional<Bytes> deal() const override;
  std::uint32_t dealing_bytes() const override;
  bool deals(NodeId node) const override;
  std::uint32_t enough_dealings() const override;
  std::uint32_t revealers() const override;
  Dealt check(NodeId dealer, ByteView dealing) const override;
  Bytes complain(NodeId dealer, ByteView dealing) const override;
  bool judge(NodeId dealer, ByteView dealing, NodeId accuser, ByteView complaint) const override;
  Bytes reveal(NodeId dealer, ByteView dealing) const override;
  bool check_reveal(NodeId dealer, ByteView dealing, NodeId from, ByteView shares) const override;
  std::shared_ptr<const SettledKey> settle(std::span<const ChosenDealing> chosen) const override;

 private:
  DkgSetup setup_;
  NodeId self_;
  Secret<RistrettoScalar> key_;
  Secret<Seed> seed_;
  std::optional<Secret<RistrettoScalar>> old_share_;
  Digest session_;
};

}  // namespace thresher::crypto

// Verifiable secret sharing by symmetric bivariate polynomials on ristretto255, without keys of the
// nodes: the secret sharing under `setup-free-coin`.
//
//   BivariateSharing scheme({.chain = chain, .committee = c, .self = id, .seed = seed});
//
// The dealer draws F(x, y) = F(y, x) of degree f in each variable and commits to its coefficients
// (Feldman). Node i's row is F(i+1, y), its share F(i+1, 0), the secret F(0, 0).
// Guarantees: up to f nodes together with what everybody hears learn nothing of a correct dealer's
// secret as long as discrete logarithms are hard in this group and SHA-512 is a random oracle,
// since what comes out is a hash of it; and that holds on links that nobody else reads. A
// commitment fixes the secret: no dealer can give two. Coefficients that are the group's identity
// and numbers that are not canonical are refused. A secret follows from the seed, the chain and the
// instance: the seed is 32 secret random bytes of the node's own. Rows, points and shares lie in
// ordinary memory. Not audited.
// Sources: Cachin, Kursawe, Lysyanskaya, Strobl, "Asynchronous verifiable secret sharing and
// proactive cryptosystems" (CCS 2002), section 3; Feldman (FOCS 1987).
#pragma once

#include <array>

#include "thresher/core/committee.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/secret.hpp"
#include "thresher/crypto/sharing_scheme.hpp"

namespace thresher::crypto {

class BivariateSharing final : public SharingScheme {
 public:
  using Seed = std::array<std::byte, 32>;
  struct Setup {
    ChainContext chain{};
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    Secret<Seed> seed{};
  };

  explicit BivariateSharing(Setup setup) : setup_(std::move(setup)) {}

  std::optional<Bytes> commitment(std::uint64_t instance) const override;
  Bytes row(std::uint64_t instance, NodeId to) const override;
  std::shared_ptr<const Sharing> open(std::uint64_t instance, NodeId dealer,
                                      ByteView commitment) const override;
  std::uint32_t enough() const override { return setup_.committee.at_least(kValidity); }
  std::size_t commitment_bytes() const override {
    return kItem * enough() * (enough() + std::size_t{1}) / 2;
  }
  std::size_t row_bytes() const override { return kItem * enough(); }
  std::size_t point_bytes() const override { return kItem; }

 private:
  static constexpr std::size_t kItem = 32;

  Setup setup_;
};

}  // namespace thresher::crypto

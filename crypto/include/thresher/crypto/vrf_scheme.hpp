// The one interface behind which lotteries live: each node draws one ticket an instance, which it
// cannot choose and anybody can check.
//
//   std::optional<VrfProof> mine = scheme.draw(round);
//   std::optional<Digest> value = scheme.check(round, from, proof);   // empty: not its ticket
//
// Guarantees, of every implementation: a node has one value an instance, whatever it sends. How the
// value is hidden before the proof is shown, each implementation says. Protocols know lotteries by
// this header alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "thresher/core/ids.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/secret.hpp"
#include "thresher/crypto/vrf.hpp"

namespace thresher::crypto {

class VrfScheme {
 public:
  virtual ~VrfScheme() = default;
  /// The own ticket of an instance; the same one every time. Empty when this node holds no key.
  virtual std::optional<VrfProof> draw(std::uint64_t instance) const = 0;
  /// The value of `from`'s ticket; empty when `proof` does not show it. Pre: none; everything may
  /// come from a peer.
  virtual std::optional<Digest> check(std::uint64_t instance, NodeId from,
                                      const VrfProof& proof) const = 0;
};

/// Tickets by the verifiable random function of vrf.hpp, on keys that were fixed before anybody
/// knew `chain`: a node that could choose its key later would choose among values.
class VrfLottery final : public VrfScheme {
 public:
  /// `keys`: of the nodes, by id. `seed`: this node's; empty for an observer.
  VrfLottery(ChainContext chain, std::vector<PublicKey> keys, std::optional<Secret<VrfSeed>> seed);

  std::optional<VrfProof> draw(std::uint64_t instance) const override;
  std::optional<Digest> check(std::uint64_t instance, NodeId from,
                              const VrfProof& proof) const override;

 private:
  Digest input(std::uint64_t instance) const;

  ChainContext chain_;
  std::vector<PublicKey> keys_;
  std::optional<Secret<VrfSeed>> seed_;
};

}  // namespace thresher::crypto

// How simulated nodes sign and verify: by mocks, or by Ed25519 keys and the batcher of a real node.
//
//   Signer signer(experiment);                            // as Experiment::signatures says
//   Signature s = signer.sign(NodeId{3}, digest);         // what node 3 would send
//   SignatureChecks checks(signer);                       // Pre: signer.real()
//   checks.ask(face, Verify{ticket, NodeId{3}, digest, s});
//   bool ok = checks.verdict(face, ticket);               // verifies all that was asked so far
//   MockLists lists;                                      // of a run with mocks
//   bool all = lists.good(digest, list);                  // for every node that asks
//
// Guarantees: keys follow from the experiment's seed; a run decides the same with either kind, for
// verdicts come in the order of the questions. With real ones a signature that its signer's key did
// not make is refused, a mock one too. The keys are no secret: never use them outside.
#pragma once

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "thresher/core/effects.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// Mock signatures bind the signer and the digest: nobody forges one but by calling this.
inline Signature mock_signature(NodeId id, const Digest& digest) {
  Signature s{};
  std::copy(digest.bytes.begin(), digest.bytes.end(), s.begin());
  const std::uint64_t tag = mix64(digest.prefix() ^ mix64(id.value));
  for (std::size_t i = 0; i < 8; ++i) s[32 + i] = static_cast<std::byte>(tag >> (8 * i));
  return s;
}

class Signer {
 public:
  /// Makes a key for each node where signatures are real.
  explicit Signer(const Experiment& experiment);
  /// Pre: `id` is of the committee.
  Signature sign(NodeId id, const Digest& digest) const {
    return keys_ == nullptr ? mock_signature(id, digest) : sign_really(id, digest);
  }
  bool real() const { return keys_ != nullptr; }

 private:
  friend class SignatureChecks;
  struct Keys;
  Signature sign_really(NodeId id, const Digest& digest) const;

  std::shared_ptr<const Keys> keys_;
};

/// What mocks say of a list that many nodes ask about: they share one object, which nobody changes,
/// and it is looked through once while it lives. Holds no list.
class MockLists {
 public:
  static constexpr std::size_t kMost = 1 << 14;  ///< lists remembered; then it begins anew

  /// Whether every signature of it is its signer's mock on `digest`.
  bool good(const Digest& digest, const std::shared_ptr<const SignatureList>& list);
  /// Lists that were looked through so far.
  std::uint64_t looked_through() const { return looked_through_; }
  std::size_t remembered() const { return known_.size(); }

 private:
  // As long as this stands, no other list can have the same owner: only a list of that owner is the
  // one that was looked through, whatever lies at its address now.
  struct Known {
    std::weak_ptr<const SignatureList> list;
    Digest digest;
    bool good = false;
  };
  std::unordered_map<const SignatureList*, Known> known_;
  std::uint64_t looked_through_ = 0;
};

/// Verifies for all nodes of a run. The batcher does the work; this decides when.
class SignatureChecks {
 public:
  /// Pre: signer.real().
  explicit SignatureChecks(const Signer& signer);
  ~SignatureChecks();

  /// `face` names whoever asks; its tickets are its own.
  void ask(std::uint32_t face, const Verify& question);
  void ask(std::uint32_t face, const VerifyAll& question);
  /// Pre: asked, and not answered or forgotten since.
  bool verdict(std::uint32_t face, Ticket ticket);
  /// Drops what `face` asked: it restarts.
  void forget(std::uint32_t face);
  /// How many were verified and refused, in how many batches, and the largest.
  std::vector<Measure> measures() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::sim

// Signed statements about a prefix of the log, and what a quorum of them proves.
//
//   Checkpoint c{slot, length, log_hash, root, state};
//   SignedCheckpoint mine = signed_checkpoint(key, self, chain, c);
//   if (auto held = check_certificate(genesis, certificate); !held) return fail(held.error());
//
// Every K slots of the log (the parameter `checkpoint` of the genesis file) each node signs what
// its log, its results and its application's state are. Signatures of a quorum on one statement are
// a certificate: one correct node at least computed it itself, and no other statement about that
// slot gets a quorum while at most f members are Byzantine. Guarantees: which slots have
// checkpoints is a function of the log alone; what is signed has one spelling and is bound to the
// ledger and its epoch. Does not say that the application is right, only that so many nodes
// computed the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/core/signature_list.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

/// What a node says of the log up to and with the commit of `slot`.
struct Checkpoint {
  Round slot;
  std::uint64_t length = 0;  ///< transactions of the log up to there
  Digest log_hash{};         ///< that chains the commits
  Digest root{};   ///< of the tree over all transactions and their results: see log_proof.hpp
  Digest state{};  ///< App::state() behind the last of them
  friend auto operator<=>(const Checkpoint&, const Checkpoint&) = default;
};

/// What is signed: a transcript under "thresher/checkpoint/1".
Digest digest_of(const Checkpoint& checkpoint, const ChainContext& chain);

struct SignedCheckpoint {
  Checkpoint checkpoint;
  NodeId signer{};
  Signature signature{};
};
SignedCheckpoint signed_checkpoint(const crypto::SigningKey& key, NodeId signer,
                                   const ChainContext& chain, const Checkpoint& checkpoint);
/// Whether the member that it names signed it. Pre: it names a member.
bool signature_holds(const Genesis& genesis, const SignedCheckpoint& checkpoint);

struct Certificate {
  Checkpoint checkpoint;
  SignatureList signatures;
};
/// Signatures that make a certificate: a quorum of the committee; with `raft`, which has no
/// Byzantine members, a majority.
std::uint32_t certificate_quorum(const Genesis& genesis);
/// The same with no more than so many signatures.
Certificate with_signatures(const Certificate& certificate, std::uint32_t count);
/// Whether a quorum of the members in the genesis file signed it. kRejected: what does not hold;
/// `where` is the checkpoint's slot.
Result<Unit, Error> check_certificate(const Genesis& genesis, const Certificate& certificate);

/// Fixed layouts, for the wire and the disk; decode gives nothing for anything that encode did not
/// write. `n`: members of the committee.
Bytes encode(const SignedCheckpoint& checkpoint);
std::optional<SignedCheckpoint> decode_signed_checkpoint(ByteView bytes, std::uint32_t n);
Bytes encode(const Certificate& certificate);
std::optional<Certificate> decode_certificate(ByteView bytes, std::uint32_t n);

/// Slots from one checkpoint to the next; 0: the ledger has none.
std::uint64_t checkpoint_slots(const Genesis& genesis);
/// Whether the commit of `slot` that follows the one of `before` is the first in its K slots.
constexpr bool has_checkpoint(Round before, Round slot, std::uint64_t k) {
  return k > 0 && slot.value / k > before.value / k;
}

}  // namespace thresher::net

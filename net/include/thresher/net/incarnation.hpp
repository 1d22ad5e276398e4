// Which start of a node one speaks to. A node counts its starts and signs each, so that peers can
// tell a reconnecting process from a second one with the same key, and an old copy of a node's
// folder from the newest.
//
//   Incarnation mine = signed_incarnation(key, chain, {.count = 7, .nonce = random_nonce()});
//   if (!signed_with(key.public_key(), chain, theirs)) ...        // not that key's
//   if (excludes(theirs, mine)) ...                          // the key runs, or ran, elsewhere
//
// Guarantees: the counter is durable in two places before the incarnation is told to anybody
// (sign_once.hpp), so no start of one folder repeats a count. Does not say which of two processes
// is the right one.
#pragma once

#include <array>
#include <cstdint>

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/signing_key.hpp"

namespace thresher::net {

struct Incarnation {
  std::uint64_t count = 0;            ///< starts of the node, this one included
  std::array<std::byte, 16> nonce{};  ///< drawn at this start
  Signature signature{};              ///< by the node's key: of a hello, or of a start that signs

  bool same_start(const Incarnation& other) const {
    return count == other.count && nonce == other.nonce;
  }
};

/// From the system's random source. Throws std::system_error when it has none.
std::array<std::byte, 16> random_nonce();

Incarnation signed_incarnation(const crypto::SigningKey& key, const Digest& chain,
                               Incarnation incarnation);
bool signed_with(const PublicKey& key, const Digest& chain, const Incarnation& incarnation);

/// The same start, signed as one that signs: another statement than that of a hello, so that a
/// start which ended before it signed cannot be held against those after it.
/// Source: docs/adr/054-a-start-says-that-it-signs.md.
Incarnation started_incarnation(const crypto::SigningKey& key, const Digest& chain,
                                Incarnation incarnation);
bool started_with(const PublicKey& key, const Digest& chain, const Incarnation& incarnation);

/// Whether `other`, signed with this node's own key, proves that the key was started elsewhere than
/// in the folder that has come to `mine`: an earlier start of the same folder has a lower count.
inline bool excludes(const Incarnation& other, const Incarnation& mine) {
  return other.count >= mine.count && !other.same_start(mine);
}

}  // namespace thresher::net

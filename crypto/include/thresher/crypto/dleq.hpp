// Proofs that two points have the same logarithm: what makes a coin share checkable.
//
//   auto made = prove_dleq(as_view("my protocol"), secret, round_point);
//   bool good = verify_dleq(as_view("my protocol"), made->statement, made->proof);
//
// Guarantees: a proof convinces only for its context and its three points, all of which enter the
// challenge; every encoding is canonical and no point may be the identity, so nobody can alter a
// proof or a statement into another valid one without the secret. The nonce is derived from
// secret, context and element, so no random device is read. Does not prove that the maker ought to
// hold the secret: compare statement.public_key with the committee's yourself. Not audited.
// Source: RFC 9497, 2.2 (one element a proof, SHA-512), after Chaum and Pedersen (1992).
#pragma once

#include "thresher/crypto/dleq_group.hpp"

namespace thresher::crypto {

/// public_key = k * G and evaluated = k * element for one k.
struct DleqStatement {
  RistrettoPoint public_key{};
  RistrettoPoint element{};
  RistrettoPoint evaluated{};
};

struct DleqProof {
  RistrettoScalar challenge{};
  RistrettoScalar response{};
  friend bool operator==(const DleqProof&, const DleqProof&) = default;
};

struct DleqEvaluation {
  DleqStatement statement;
  DleqProof proof;
};

/// The longest context in bytes: RFC 9380 allows tags of 255 with their prefix ("HashToScalar-").
inline constexpr std::size_t kMaxDleqContext = 242;

/// Multiplies `element` by `secret` and proves it. Empty when the secret is zero or not canonical,
/// the element is not valid, or the context is longer than kMaxDleqContext.
std::optional<DleqEvaluation> prove_dleq(ByteView context, const RistrettoScalar& secret,
                                         const RistrettoPoint& element);

/// Pre: none; everything may come from a peer. A context that is too long is refused.
bool verify_dleq(ByteView context, const DleqStatement& statement, const DleqProof& proof);

}  // namespace thresher::crypto

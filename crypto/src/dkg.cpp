#include "thresher/crypto/dkg.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "dkg_parts.hpp"
#include "ristretto.hpp"
#include "settled_key.hpp"
#include "sha512.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/crypto/dleq.hpp"

namespace thresher::crypto {
namespace {

using dkg::DealingView;
using dkg::DkgShape;
using shamir::Scalar;

constexpr std::size_t kItem = 32;

/// What a proof is bound to: the run, what it proves and of whom.
Digest proof_context(const DkgSetup& setup, const Digest& session, std::string_view domain,
                     NodeId dealer, NodeId maker) {
  Transcript t(domain, setup.chain);
  t.bytes(session.bytes).u16(dealer.value).u16(maker.value);
  return t.digest();
}
constexpr std::string_view kEphemeral = "thresher/dkg-ephemeral/1";
constexpr std::string_view kComplaint = "thresher/dkg-complaint/1";

/// A second generator of each dealing: to multiply it by the ephemeral secret is to know that.
RistrettoPoint element_of(const Digest& session, NodeId dealer, const RistrettoPoint& ephemeral) {
  constexpr std::string_view kDomain = "thresher/dkg-element/1";
  Writer w;
  w.u16(dealer.value);
  const Sha512 uniform = sha512({as_view(kDomain), session.bytes, w.view(), ephemeral});
  return ristretto_map(uniform).value();  // a hash does not hit the identity
}

void append(std::vector<std::byte>& out, ByteView bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// A secret of the dealer's own, by number. Every run, secret and power has another one.
Scalar drawn(const DealtKey::Seed& seed, const Digest& session, std::uint32_t secret,
             std::uint32_t power) {
  constexpr std::string_view kDomain = "thresher/dkg-polynomial/1";
  Writer w;
  w.u32(secret).u32(power);
  Sha512 wide = sha512({as_view(kDomain), session.bytes, w.view(), seed});
  return shamir::scalar_of(wide);
}
constexpr std::uint32_t kEphemeralSecret = ~std::uint32_t{0};

/// The shares that one node was dealt, as it opens them.
std::vector<Scalar> opened(const DkgShape& shape, const DealingView& dealing, const Digest& session,
                           NodeId dealer, NodeId node, const RistrettoPoint& shared) {
  std::vector<Scalar> out;
  out.reserve(shape.secrets);  // no growth, so no copies are left behind
  for (std::uint32_t b = 0; b < shape.secrets; ++b) {
    Scalar pad = dkg::pad_of({session, dkg::Pad::kShare, dealer, node, b}, shared);
    const WipedAtEnd of_pad(pad);
    out.push_back(shamir::subtract(dealing.sealed(node, b), pad));
  }
  return out;
}

bool all_fit(const DkgShape& shape, const DealingView& dealing, NodeId node,
             std::span<const Scalar> shares) {
  for (std::uint32_t b = 0; b < shape.secrets; ++b) {
    if (!dkg::fits(shares[b], node, dealing.commitments(b))) return false;
  }
  return true;
}

void wipe_all(std::vector<Scalar>& secrets) {
  sodium_memzero(secrets.data(), secrets.size() * sizeof(Scalar));
}

Result<Unit, Error> check_reshared(const DkgSetup& setup) {
  const auto rejected = [](std::string what, std::string remedy) {
    return Error{ErrorCode::kRejected, std::move(what), "reshares", std::move(remedy)};
  };
  const auto& [old_keys, before] = *setup.reshares;
  const std::uint32_t n = setup.committee.size();
  if (before.size() != n)
    return rejected("who the nodes were before is said of " + std::to_string(before.size()) +
                        " of " + std::to_string(n) + " nodes",
                    "say it of each");
  if (!coin_keys_agree(old_keys))
    return rejected("the old keys do not belong together: somebody changed one",
                    "restore them from a backup");
  std::set<NodeId> old;
  for (const auto& was : before) {
    if (was && (was->value >= old_keys.nodes.size() || !old.insert(*was).second))
      return rejected("old node " + std::to_string(was->value) + " is none or is named twice",
                      "each new node is one old node or none");
  }
  const std::uint32_t needed = std::max(old_keys.threshold, setup.committee.at_least(kValidity));
  const DkgShape shape(setup);
  if (shape.enough >= needed) return Unit{};
  return rejected(std::to_string(shape.dealers) +
                      " nodes of the new committee hold shares of the old key; " +
                      std::to_string(needed + setup.committee.faults()) +
                      " are needed, so that f silent ones block nothing",
                  "change fewer nodes at a time");
}

}  // namespace

std::optional<std::vector<RistrettoPoint>> dkg_keys_of(std::span<const PublicKey> identities) {
  std::vector<RistrettoPoint> out;
  for (const PublicKey& key : identities) {
    const auto point = ed25519::decode(key);
    if (!point) return std::nullopt;
    out.push_back(ed25519::ristretto_encode(*point));
    if (!ristretto_valid(out.back())) return std::nullopt;
  }
  return out;
}

// RFC 8032, 5.1.5: the clamped half of the seed's hash, here modulo the order.
Secret<RistrettoScalar> dkg_secret_of(const SigningKey& key) {
  Sha512 wide = sha512({key.seed()});
  std::fill(wide.begin() + 32, wide.end(), std::byte{0});
  wide[0] &= std::byte{0xf8};
  wide[31] = (wide[31] & std::byte{0x7f}) | std::byte{0x40};
  Scalar secret = shamir::scalar_of(wide);
  Secret<RistrettoScalar> out(secret);
  sodium_memzero(secret.data(), secret.size());
  return out;
}

Result<Unit, Error> DkgSetup::check() const {
  const auto rejected = [](const char* where, std::string what, std::string remedy) {
    return Error{ErrorCode::kRejected, std::move(what), where, std::move(remedy)};
  };
  const std::uint32_t n = committee.size();
  const std::string nodes = std::to_string(n) + " nodes";
  const std::uint32_t most = committee.at_least(kAvailability);
  if (threshold == 0 || threshold > most)
    return rejected("threshold", "the threshold is " + std::to_string(threshold),
                    "with " + nodes + " and f=" + std::to_string(committee.faults()) +
                        " it must be 1 to " + std::to_string(most) +
                        ", or f silent nodes block it");
  if (keys.size() != n)
    return rejected("keys", "there are " + std::to_string(keys.size()) + " keys for " + nodes,
                    "give one a node");
  if (!std::all_of(keys.begin(), keys.end(), ristretto_valid))
    return rejected("keys", "a node's key is no element of ristretto255",
                    "check the list of nodes");
  return reshares ? check_reshared(*this) : Unit{};
}

DealtKey::DealtKey(DkgSetup setup, NodeId self, Secret<RistrettoScalar> key, Secret<Seed> seed,
                   std::optional<Secret<RistrettoScalar>> old_share)
    : setup_(std::move(setup)),
      self_(self),
      key_(std::move(key)),
      seed_(std::move(seed)),
      old_share_(std::move(old_share)),
      session_(dkg::session_of(setup_)) {
  THRESHER_ASSERT(setup_.check(), "a setup that nodes can run");
}

std::uint32_t DealtKey::dealing_bytes() const {
  return static_cast<std::uint32_t>(DkgShape(setup_).bytes());
}
bool DealtKey::deals(NodeId node) const {
  if (!setup_.committee.contains(node)) return false;
  return !setup_.reshares || setup_.reshares->before[node.value].has_value();
}
std::uint32_t DealtKey::enough_dealings() const {
  return DkgShape(setup_).enough;
}
std::uint32_t DealtKey::revealers() const {
  return setup_.committee.at_least(kValidity);
}

std::optional<Bytes> DealtKey::deal() const {
  const DkgShape shape(setup_);
  if (!deals(self_) || (shape.keeps && !old_share_)) return std::nullopt;
  Scalar e = drawn(*seed_, session_, kEphemeralSecret, 0);
  const RistrettoPoint ephemeral = ristretto_base(e).value();
  const Digest context = proof_context(setup_, session_, kEphemeral, self_, self_);
  const auto proof = prove_dleq(context.bytes, e, element_of(session_, self_, ephemeral)).value();
  std::vector<std::byte> out;
  out.reserve(shape.bytes());
  append(out, ephemeral);
  append(out, proof.statement.evaluated);
  append(out, proof.proof.challenge);
  append(out, proof.proof.response);
  std::vector<std::vector<Scalar>> polynomials(shape.secrets);
  for (std::uint32_t b = 0; b < shape.secrets; ++b) {
    polynomials[b].reserve(shape.coefficients);  // no growth, so no copies are left behind
    for (std::uint32_t k = 0; k < shape.coefficients; ++k) {
      const bool old = shape.keeps && b == 0 && k == 0;
      polynomials[b].push_back(old ? **old_share_ : drawn(*seed_, session_, b, k));
      append(out, ristretto_base(polynomials[b].back()).value());
    }
  }
  for (const NodeId i : node_ids(shape.n)) {
    const auto shared = dkg::shared_point(e, setup_.keys[i.value]);
    for (std::uint32_t b = 0; b < shape.secrets; ++b) {
      Scalar share = shamir::evaluate(polynomials[b], shamir::place_of(i));
      const WipedAtEnd of_share(share);
      Scalar pad = dkg::pad_of({session_, dkg::Pad::kShare, self_, i, b}, **shared);
      const WipedAtEnd of_pad(pad);
      append(out, shamir::add(share, pad));
    }
  }
  for (auto& polynomial : polynomials) wipe_all(polynomial);
  sodium_memzero(e.data(), e.size());
  return Bytes::from(std::move(out));
}

Dealt DealtKey::check(NodeId dealer, ByteView bytes) const {
  const DkgShape shape(setup_);
  if (!deals(dealer) || bytes.size() != shape.bytes()) return Dealt::kMalformed;
  const DealingView dealing(shape, bytes);
  const RistrettoPoint ephemeral = dealing.ephemeral();
  const DleqStatement statement{ephemeral, element_of(session_, dealer, ephemeral),
                                dealing.proof(0)};
  const Digest context = proof_context(setup_, session_, kEphemeral, dealer, dealer);
  if (!verify_dleq(context.bytes, statement, {dealing.proof(1), dealing.proof(2)}))
    return Dealt::kMalformed;
  for (std::uint32_t b = 0; b < shape.secrets; ++b) {
    const auto commitments = dealing.commitments(b);
    if (!std::all_of(commitments.begin(), commitments.end(), ristretto_valid))
      return Dealt::kMalformed;
    for (const NodeId i : node_ids(shape.n)) {
      const Scalar sealed = dealing.sealed(i, b);
      if (sealed != Scalar{} && !ristretto_scalar_valid(sealed)) return Dealt::kMalformed;
    }
  }
  if (shape.keeps) {
    const NodeId old = *setup_.reshares->before[dealer.value];
    if (dealing.commitment(0, 0) != setup_.reshares->keys.nodes[old.value])
      return Dealt::kMalformed;
  }
  const auto shared = dkg::shared_point(*key_, ephemeral);
  auto shares = opened(shape, dealing, session_, dealer, self_, **shared);
  const bool good = all_fit(shape, dealing, self_, shares);
  wipe_all(shares);
  return good ? Dealt::kGood : Dealt::kBadForMe;
}

// The point that the two share opens this dealing's shares for this node and nothing else: the
// dealer proved that it knows the ephemeral secret, so it did not take it from a correct dealer.
Bytes DealtKey::complain(NodeId dealer, ByteView bytes) const {
  const DkgShape shape(setup_);
  const DealingView dealing(shape, bytes);
  const Digest context = proof_context(setup_, session_, kComplaint, dealer, self_);
  const auto proof = prove_dleq(context.bytes, *key_, dealing.ephemeral()).value();
  std::vector<std::byte> out;
  append(out, proof.statement.evaluated);
  append(out, proof.proof.challenge);
  append(out, proof.proof.response);
  return Bytes::from(std::move(out));
}

bool DealtKey::judge(NodeId dealer, ByteView bytes, NodeId accuser, ByteView complaint) const {
  const DkgShape shape(setup_);
  if (!setup_.committee.contains(accuser) || complaint.size() != 3 * kItem) return false;
  std::array<RistrettoPoint, 3> parts;
  for (std::size_t k = 0; k < parts.size(); ++k)
    std::copy_n(complaint.begin() + static_cast<std::ptrdiff_t>(k * kItem), kItem,
                parts[k].begin());
  const DealingView dealing(shape, bytes);
  const DleqStatement statement{setup_.keys[accuser.value], dealing.ephemeral(), parts[0]};
  const Digest context = proof_context(setup_, session_, kComplaint, dealer, accuser);
  if (!verify_dleq(context.bytes, statement, {parts[1], parts[2]})) return false;
  const auto shares = opened(shape, dealing, session_, dealer, accuser, parts[0]);
  return !all_fit(shape, dealing, accuser, shares);
}

Bytes DealtKey::reveal(NodeId dealer, ByteView bytes) const {
  const DkgShape shape(setup_);
  const DealingView dealing(shape, bytes);
  const auto shared = dkg::shared_point(*key_, dealing.ephemeral());
  std::vector<std::byte> out;
  for (const Scalar& share : opened(shape, dealing, session_, dealer, self_, **shared))
    append(out, share);
  return Bytes::from(std::move(out));
}

bool DealtKey::check_reveal(NodeId, ByteView bytes, NodeId from, ByteView shares) const {
  const DkgShape shape(setup_);
  if (!setup_.committee.contains(from)) return false;
  const auto revealed = dkg::scalars_of(shares, shape.secrets);
  return revealed && all_fit(shape, DealingView(shape, bytes), from, *revealed);
}

// This node's shares of each dealing: its own, or the values at its place of what others revealed.
std::shared_ptr<const SettledKey> DealtKey::settle(std::span<const ChosenDealing> chosen) const {
  const DkgShape shape(setup_);
  std::vector<Secret<RistrettoScalar>> shares;
  for (const ChosenDealing& c : chosen) {
    const DealingView dealing(shape, c.dealing.view());
    std::vector<Scalar> mine;
    if (c.revealed.empty()) {
      const auto shared = dkg::shared_point(*key_, dealing.ephemeral());
      mine = opened(shape, dealing, session_, c.dealer, self_, **shared);
    } else {
      auto joined = dkg::interpolated(c.revealed, shape, self_);
      if (!joined) return nullptr;
      mine = std::move(*joined);
    }
    for (const Scalar& share : mine) shares.emplace_back(share);
    wipe_all(mine);
  }
  return dkg::settled_key(setup_, self_, key_, chosen, std::move(shares));
}

}  // namespace thresher::crypto

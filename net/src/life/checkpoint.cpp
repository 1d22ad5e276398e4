#include "thresher/net/checkpoint.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "thresher/crypto/verifier.hpp"
#include "wire/signed_digest.hpp"

namespace thresher::net {
namespace {

void write(const Checkpoint& c, Writer& out) {
  out.u64(c.slot.value).u64(c.length).bytes(c.log_hash.bytes).bytes(c.root.bytes);
  out.bytes(c.state.bytes);
}

Checkpoint read_checkpoint(Reader& in) {
  Checkpoint out;
  out.slot = Round{in.u64()};
  out.length = in.u64();
  out.log_hash = in.digest();
  out.root = in.digest();
  out.state = in.digest();
  return out;
}

Signature read_signature(Reader& in) {
  Signature out{};
  const ByteView bytes = in.bytes(out.size());
  std::ranges::copy(bytes, out.begin());
  return out;
}

}  // namespace

Digest digest_of(const Checkpoint& checkpoint, const ChainContext& chain) {
  Transcript t("thresher/checkpoint/1", chain);
  write(checkpoint, t);
  return t.digest();
}

SignedCheckpoint signed_checkpoint(const crypto::SigningKey& key, NodeId signer,
                                   const ChainContext& chain, const Checkpoint& checkpoint) {
  return {checkpoint, signer, key.sign(digest_of(checkpoint, chain).bytes)};
}

bool signature_holds(const Genesis& genesis, const SignedCheckpoint& s) {
  return signs_digest(genesis.nodes[s.signer.value].key, digest_of(s.checkpoint, genesis.context()),
                      s.signature);
}

std::uint32_t certificate_quorum(const Genesis& genesis) {
  const auto n = static_cast<std::uint32_t>(genesis.nodes.size());
  const auto committee = Committee::make(n, genesis.protocol == "raft" ? 0 : genesis.f);
  return committee->at_least(kQuorum);
}

Certificate with_signatures(const Certificate& certificate, std::uint32_t count) {
  Certificate out = certificate;
  std::uint32_t seen = 0;
  certificate.signatures.for_each([&](NodeId signer, const Signature&) {
    if (++seen > count) out.signatures.signers.erase(signer);
  });
  out.signatures.signatures.resize(std::min(seen, count));
  return out;
}

Result<Unit, Error> check_certificate(const Genesis& genesis, const Certificate& certificate) {
  const auto rejected = [&](std::string what, std::string remedy = {}) {
    return Error{ErrorCode::kRejected, std::move(what),
                 "slot " + std::to_string(certificate.checkpoint.slot.value), std::move(remedy)};
  };
  const SignatureList& list = certificate.signatures;
  const auto n = static_cast<std::uint32_t>(genesis.nodes.size());
  if (!list.complete() || !list.signers.below(n)) {
    return rejected("the certificate names signers that are no members of this network");
  }
  if (list.signers.size() < certificate_quorum(genesis)) {
    return rejected("the certificate has " + std::to_string(list.signers.size()) +
                    " signatures, a quorum is " + std::to_string(certificate_quorum(genesis)));
  }
  const Digest digest = digest_of(certificate.checkpoint, genesis.context());
  std::vector<crypto::SignatureJob> jobs;
  std::vector<NodeId> signers;
  list.for_each([&](NodeId signer, const Signature& s) {
    jobs.push_back({genesis.nodes[signer.value].key, digest.bytes, s});
    signers.push_back(signer);
  });
  std::vector<crypto::SignatureStatus> verdicts(jobs.size(), crypto::SignatureStatus::kUnavailable);
  crypto::make_verifier(crypto::best_verifier())->verify(jobs, verdicts);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == crypto::SignatureStatus::kValid) continue;
    return rejected("the signature of node " + std::to_string(signers[i].value) +
                    " does not hold: the statement was changed, or is of another network");
  }
  return Unit{};
}

Bytes encode(const SignedCheckpoint& s) {
  Writer w;
  write(s.checkpoint, w);
  w.u16(s.signer.value).bytes(s.signature);
  return Bytes::from(w.take());
}

std::optional<SignedCheckpoint> decode_signed_checkpoint(ByteView bytes, std::uint32_t n) {
  Reader in(bytes);
  SignedCheckpoint out;
  out.checkpoint = read_checkpoint(in);
  out.signer = NodeId{in.u16()};
  if (in.remaining() != out.signature.size()) return std::nullopt;
  out.signature = read_signature(in);
  if (!in.done() || out.signer.value >= n) return std::nullopt;
  return out;
}

Bytes encode(const Certificate& c) {
  Writer w;
  write(c.checkpoint, w);
  w.u16(static_cast<std::uint16_t>(c.signatures.signers.size()));
  c.signatures.for_each([&](NodeId signer, const Signature& s) { w.u16(signer.value).bytes(s); });
  return Bytes::from(w.take());
}

std::optional<Certificate> decode_certificate(ByteView bytes, std::uint32_t n) {
  Reader in(bytes);
  Certificate out;
  out.checkpoint = read_checkpoint(in);
  const std::uint32_t count = in.u16();
  constexpr std::size_t kEach = 2 + std::tuple_size_v<Signature>;
  if (!in.ok() || count > n || in.remaining() != count * kEach) return std::nullopt;
  out.signatures.signers = NodeSet(n);
  std::uint32_t least = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const NodeId signer{in.u16()};
    if (signer.value < least || signer.value >= n) return std::nullopt;
    least = signer.value + 1u;
    out.signatures.signers.insert(signer);
    out.signatures.signatures.push_back(read_signature(in));
  }
  return out;
}

std::uint64_t checkpoint_slots(const Genesis& genesis) {
  return parameter_number(genesis.parameters, genesis.protocol, "checkpoint");
}

}  // namespace thresher::net

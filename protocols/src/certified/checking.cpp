#include "checking.hpp"

#include <utility>

namespace thresher::certified {

Checking::Checking(const Config& config, Tickets& tickets, Stats& stats)
    : checks_(config.committee, config.self, config.limits),
      config_(config),
      tickets_(tickets),
      stats_(stats) {}

bool Checking::begin(Check check, Fx& fx) {
  if (!checks_.room(check)) {
    ++stats_->refused;
    return false;
  }
  if (check.kind == Check::Kind::kVotes) ++stats_->vote_calls;
  if (check.kind == Check::Kind::kVertex && checks_.begins_call()) ++stats_->certificate_calls;
  const std::uint64_t first = tickets_->upcoming();
  // Headers and votes come from their signers alone.
  const auto ask = [&](NodeId signer, const Digest& digest, const Signature& signature) {
    fx.push(Verify{{tickets_->next(), {}}, signer, digest, signature, signer});
    ++stats_->signatures_checked;
  };
  if (check.kind == Check::Kind::kTwo) {
    ask(check.from, check.first->digest, check.first->signature);
    ask(check.from, check.second->digest, check.second->signature);
  } else if (check.kind == Check::Kind::kVertex) {
    const VertexPtr& v = check.vertex;
    fx.push(VerifyAll{{tickets_->next(), {}},
                      v->digest,
                      std::shared_ptr<const SignatureList>(v, &v->certificate),
                      check.from});
    stats_->signatures_checked += v->certificate.signatures.size();
  } else {
    for (const auto& [signer, signature] : check.signatures)
      ask(signer, check.first->digest, signature);
  }
  checks_.keep(std::move(check), first, tickets_->upcoming() - first);
  return true;
}

bool Checking::joint_is_good(const Vertex& vertex) {
  const Certificate& one = vertex.certificate;
  ++stats_->signatures_checked;
  const bool good = config_->joint->verify(vertex.digest, one.signers, one.signatures.front());
  if (!good) ++stats_->refused;
  return good;
}

}  // namespace thresher::certified

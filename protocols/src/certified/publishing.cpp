#include "publishing.hpp"

#include <utility>

#include "timers.hpp"

namespace thresher::certified {
namespace {

Certify certificate_of(const VertexPtr& v) {
  return {v->round(), v->digest, v->certificate, v};
}

}  // namespace

Publishing::Publishing(const Config& config, Own& own, const Records& records, Checking& checking,
                       Stats& stats)
    : config_(config), own_(own), records_(records), checking_(checking), stats_(stats) {}

VertexPtr Publishing::resume(Fx& fx) {
  sent_recently_ = true;
  if (own_->proposal()) send(fx);
  return own_->is_open() ? check_votes(fx) : nullptr;
}

// R1, R2: the own header is durable before it is sent.
VertexPtr Publishing::begin(Composing::Draft draft, const Signature& signature, Fx& fx) {
  own_->begin(make_proposal(std::move(draft.header), signature, config_->chain),
              std::move(draft.payload));
  sent_recently_ = true;
  records_->put_own(*own_->proposal(), own_->payload(), fx);
  if (!draft.bringing.empty()) fx.broadcast(Give{std::move(draft.bringing), {}});
  fx.broadcast(Propose{own_->proposal()});
  fx.push(CancelTimer{{kRoundTimer, {}}});
  return check_votes(fx);
}

VertexPtr Publishing::hear(NodeId from, const Vote& message, Fx& fx) {
  if (!own_->is_open() || message.round != own_->round()) return nullptr;  // the quorum is full
  if (!own_->is(message.digest)) {
    ++stats_->refused;
    return nullptr;
  }
  return own_->hear(from, message.signature) ? check_votes(fx) : nullptr;
}

VertexPtr Publishing::judge(const Checks::Concluded& done, Fx& fx) {
  stats_->refused += done.bad;
  if (!own_->is_open() || own_->proposal() != done.what.first) return nullptr;
  for (std::size_t i = 0; i < done.good.size(); ++i) {
    const auto& [voter, signature] = done.what.signatures[i];
    if (done.good[i]) own_->add(voter, signature);
  }
  if (VertexPtr v = check_votes(fx)) return v;
  return certify(fx);
}

// Signatures are checked when they could be enough, all at once.
VertexPtr Publishing::check_votes(Fx& fx) {
  if (own_->votes() < config_->committee.at_least(config_->rules.certify)) return nullptr;
  Check check;
  check.kind = Check::Kind::kVotes;
  check.from = config_->self;
  check.first = own_->proposal();
  check.signatures = own_->take_unverified();
  if (check.signatures.empty()) return certify(fx);
  (void)checking_->begin(std::move(check), fx);
  return nullptr;
}

// R3
VertexPtr Publishing::certify(Fx& fx) {
  const std::size_t needed = config_->committee.at_least(config_->rules.certify);
  if (!own_->is_open() || own_->verified() < needed) return nullptr;
  Certificate c = own_->certificate(needed);
  const Proposal& proposal = *own_->proposal();
  if (config_->rules.one_signature) c.signatures = {config_->joint->combine(proposal.digest, c)};
  VertexPtr v = make_vertex(proposal, own_->payload(), std::move(c));
  own_->certify(v);
  fx.broadcast(certificate_of(v));
  return v;
}

// Pre: there is one.
void Publishing::send(Fx& fx) const {
  if (own_->is_certified()) return fx.broadcast(certificate_of(own_->vertex()));
  if (!own_->payload().bytes.empty()) fx.broadcast(Batch{own_->payload()});
  fx.broadcast(Propose{own_->proposal()});
}

// R4. Lost messages are repaired by repeating the last own header, or its certificate.
bool Publishing::repeat(Fx& fx) {
  if (std::exchange(sent_recently_, false)) return false;
  if (own_->proposal()) send(fx);
  return true;
}

}  // namespace thresher::certified

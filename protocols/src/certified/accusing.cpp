#include "accusing.hpp"

#include <utility>

namespace thresher::certified {

Accusing::Accusing(const Config& config, Checking& checking, Stats& stats)
    : offenders_(config.committee), config_(config), checking_(checking), stats_(stats) {}

// Two headers for one name: only proved by both signatures.
void Accusing::suspect_two(const ProposalPtr& first, const ProposalPtr& second, Fx& fx) {
  const NodeId author = first->header.author;
  ++stats_->refused;
  if (!offenders_.worth_checking(author)) return;
  Check check;
  check.kind = Check::Kind::kTwo;
  check.from = author;
  check.first = first;
  check.second = second;
  if (checking_->begin(std::move(check), fx)) offenders_.suspect(author);
}

void Accusing::judge(const Checks::Concluded& done, Fx& fx) {
  const Check& check = done.what;
  offenders_.cleared(check.from);
  if (done.bad > 0) return;
  ++stats_->equivocations;
  offenders_.convict(check.from);
  Writer evidence;
  encode_proposal(*check.first, config_->committee.size(), evidence);
  encode_proposal(*check.second, config_->committee.size(), evidence);
  fx.push(Accuse{check.from, Bytes::from(evidence.take())});
}

void Accusing::accuse_self(const Vertex& vertex, Fx& fx) const {
  Writer evidence;
  encode_vertex(vertex, config_->committee.size(), evidence);
  fx.push(Accuse{config_->self, Bytes::from(evidence.take())});
}

}  // namespace thresher::certified

#include "thresher/protocols/digraph/async_auth.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::digraph {
namespace async_auth {
namespace {

Digest digest_of(const char* domain, const ChainContext& chain, NodeId node, std::uint32_t round,
                 std::int64_t value) {
  Transcript t(domain, chain);
  t.u16(node.value).u32(round).u64(static_cast<std::uint64_t>(value));
  return t.digest();
}

}  // namespace

Digest proposal_digest(const ChainContext& chain, NodeId origin, std::uint32_t round,
                       std::int64_t value) {
  return digest_of("thresher/async-auth/value/1", chain, origin, round, value);
}

Digest support_digest(const ChainContext& chain, NodeId origin, std::uint32_t round,
                      std::int64_t value) {
  return digest_of("thresher/async-auth/support/1", chain, origin, round, value);
}

Digest report_digest(const ChainContext& chain, NodeId signer, std::uint32_t round,
                     const Values& values) {
  Transcript t("thresher/async-auth/report/1", chain);
  t.u16(signer.value).u32(round);
  for (const auto& value : values) {
    t.u8(value ? 1 : 0).u64(static_cast<std::uint64_t>(value.value_or(0)));
  }
  return t.digest();
}

// R8
std::int64_t trimmed_middle(std::vector<std::int64_t> values, std::uint32_t faults) {
  THRESHER_ASSERT(values.size() > 2 * std::size_t{faults}, "something is left between the ends");
  std::sort(values.begin(), values.end());
  const std::int64_t low = values[faults];
  const std::int64_t high = values[values.size() - 1 - faults];
  return low + (high - low) / 2;
}

}  // namespace async_auth

using namespace async_auth;  // NOLINT(google-build-using-namespace): the
                             // messages of this file

namespace {

constexpr std::uint32_t kBegan = 1;  // table: this node has taken part
constexpr std::int64_t kLargest = std::int64_t{1} << 62;

bool in_range(std::int64_t value) {
  return -kLargest < value && value < kLargest;
}

}  // namespace

AsyncAuth::AsyncAuth(Config config) : config_(std::move(config)) {
  const std::uint32_t n = config_.graph.size();
  for (const Mask faulty : all_fault_sets(n, config_.faults)) {
    const auto source = source_of(config_.graph, faulty);
    if (source) sources_.push_back(*source);
  }
  std::sort(sources_.begin(), sources_.end());
  sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
  rounds_.resize(config_.rounds);
  for (Round& r : rounds_) {
    r.proposed.resize(n);
    r.supports.resize(n);
    r.certified.resize(n);
    r.reports.resize(n);
  }
}

void AsyncAuth::on(const Start&, Fx& fx) {
  if (restarted_) return;
  Writer began;
  began.u8(1);
  const Bytes record = Bytes::from(began.take());
  fx.push(Persist{kBegan, record, record, {}, false});
  propose(config_.input, fx);
}

// R5
void AsyncAuth::propose(std::int64_t value, Fx& fx) {
  ++round_;
  if (round_ > config_.rounds) {
    decided_ = value;
    fx.deliver({value});
    return;
  }
  sign(Proposal{config_.self, round_, value, {}},
       proposal_digest(config_.chain, config_.self, round_, value), fx);
}

void AsyncAuth::sign(Message m, const Digest& digest, Fx& fx) {
  const Ticket ticket{next_ticket_++};
  signing_[ticket] = std::move(m);
  fx.push(Endorse{ticket, digest});
}

void AsyncAuth::on(const Endorsed& e, Fx& fx) {
  const auto it = signing_.find(e.ticket);
  if (it == signing_.end()) return;
  Message m = std::move(it->second);
  signing_.erase(it);
  std::visit(
      [&](auto& signed_now) {
        if constexpr (requires { signed_now.signature; }) signed_now.signature = e.signature;
      },
      m);
  take(m, fx);
}

// Empty: it is about nodes or rounds that there are not, or says what nobody
// may say.
std::optional<AsyncAuth::Slot> AsyncAuth::slot_of(const Message& m) const {
  const std::uint32_t n = config_.graph.size();
  const auto checked = [&](NodeId signer, NodeId origin, std::uint32_t round,
                           std::int64_t value) -> std::optional<Slot> {
    const bool good = signer.value < n && origin.value < n && round >= 1 &&
                      round <= config_.rounds && in_range(value);
    return good ? std::optional(Slot{m.index(), signer, origin, round}) : std::nullopt;
  };
  if (const auto* p = std::get_if<Proposal>(&m)) {
    return checked(p->origin, p->origin, p->round, p->value);
  }
  if (const auto* s = std::get_if<Support>(&m)) {
    return checked(s->signer, s->origin, s->round, s->value);
  }
  if (const auto* r = std::get_if<Report>(&m)) {
    return r->values.size() == n ? checked(r->signer, r->signer, r->round, 0) : std::nullopt;
  }
  const auto& c = std::get<Certificate>(m);
  if (!c.list || !c.list->complete() || !c.list->signers.below(n)) return std::nullopt;
  Mask signers = 0;
  c.list->signers.for_each([&](NodeId signer) { signers |= bit(signer.value); });
  return covers_a_source(signers) ? checked(c.origin, c.origin, c.round, c.value) : std::nullopt;
}

// The first statement of a slot counts.
bool AsyncAuth::known(const Message& m) {
  if (const auto* p = std::get_if<Proposal>(&m)) return at(p->round).proposed[p->origin.value];
  if (const auto* s = std::get_if<Support>(&m)) {
    return at(s->round).supports[s->origin.value].contains(s->signer);
  }
  if (const auto* c = std::get_if<Certificate>(&m)) {
    return at(c->round).certified[c->origin.value].has_value();
  }
  const auto& r = std::get<Report>(m);
  return at(r.round).reports[r.signer.value].has_value();
}

void AsyncAuth::on(const Received<Message>& received, Fx& fx) {
  if (restarted_) return;
  const NodeId from = received.from;
  const auto slot = slot_of(received.message);
  const bool edge = from.value < config_.graph.size() && config_.graph.has(from, config_.self);
  if (!slot || !edge) {
    ++refused_;
    return;
  }
  if (known(received.message)) return;
  if (!offered_.insert({from, *slot}).second) {
    ++refused_;
    return;
  }
  ask(received.message, fx);
}

void AsyncAuth::ask(const Message& m, Fx& fx) {
  const Ticket ticket{next_ticket_++};
  if (const auto* p = std::get_if<Proposal>(&m)) {
    fx.push(Verify{ticket, p->origin, proposal_digest(config_.chain, p->origin, p->round, p->value),
                   p->signature});
  } else if (const auto* s = std::get_if<Support>(&m)) {
    fx.push(Verify{ticket, s->signer, support_digest(config_.chain, s->origin, s->round, s->value),
                   s->signature});
  } else if (const auto* c = std::get_if<Certificate>(&m)) {
    fx.push(
        VerifyAll{ticket, support_digest(config_.chain, c->origin, c->round, c->value), c->list});
  } else {
    const auto& r = std::get<Report>(m);
    fx.push(Verify{ticket, r.signer, report_digest(config_.chain, r.signer, r.round, r.values),
                   r.signature});
  }
  asked_[ticket] = m;
}

void AsyncAuth::on(const Verified& v, Fx& fx) {
  const auto it = asked_.find(v.ticket);
  if (it == asked_.end()) return;
  const Message m = std::move(it->second);
  asked_.erase(it);
  if (!v.ok) {
    ++refused_;
  } else if (!known(m)) {
    take(m, fx);
  }
}

// Keeps it, passes it on, and does what follows from it.
void AsyncAuth::take(const Message& m, Fx& fx) {
  for_each(config_.graph.out(config_.self),
           [&](std::uint32_t to) { fx.send(NodeId{static_cast<std::uint16_t>(to)}, m); });
  std::visit([&](const auto& statement) { store(statement, fx); }, m);
  advance(fx);
}

// R5: the first value of an origin is signed.
void AsyncAuth::store(const Proposal& m, Fx& fx) {
  at(m.round).proposed[m.origin.value] = true;
  sign(Support{config_.self, m.origin, m.round, m.value, {}},
       support_digest(config_.chain, m.origin, m.round, m.value), fx);
}

void AsyncAuth::store(const Support& m, Fx& fx) {
  at(m.round).supports[m.origin.value][m.signer] = m;
  certify(m.round, m.origin, m.value, fx);
}

void AsyncAuth::store(const Certificate& m, Fx&) {
  at(m.round).certified[m.origin.value] = m;
}

void AsyncAuth::store(const Report& m, Fx&) {
  at(m.round).reports[m.signer.value] = m;
}

bool AsyncAuth::covers_a_source(Mask nodes) const {
  return std::any_of(sources_.begin(), sources_.end(),
                     [&](Mask source) { return (source & ~nodes) == 0; });
}

// R6
void AsyncAuth::certify(std::uint32_t round, NodeId origin, std::int64_t value, Fx& fx) {
  Round& r = at(round);
  if (r.certified[origin.value]) return;
  auto list = std::make_shared<SignatureList>();
  Mask signers = 0;
  for (const auto& [signer, support] : r.supports[origin.value]) {
    if (support.value != value) continue;
    signers |= bit(signer.value);
    list->signers.insert(signer);
    list->signatures.push_back(support.signature);
  }
  if (covers_a_source(signers)) take(Certificate{origin, round, value, std::move(list)}, fx);
}

Mask AsyncAuth::certified_origins(std::uint32_t round) {
  Mask out = 0;
  for (std::uint32_t origin = 0; origin < config_.graph.size(); ++origin) {
    if (at(round).certified[origin]) out |= bit(origin);
  }
  return out;
}

// R8: whether all that it lists is certified here as well.
bool AsyncAuth::accepts(const Report& report) {
  const Round& r = at(report.round);
  Mask listed = 0;
  for (std::uint32_t origin = 0; origin < config_.graph.size(); ++origin) {
    if (!report.values[origin]) continue;
    listed |= bit(origin);
    const auto& own = r.certified[origin];
    if (!own || own->value != *report.values[origin]) return false;
  }
  return covers_a_source(listed);
}

// R7, R8
void AsyncAuth::advance(Fx& fx) {
  if (round_ == 0 || round_ > config_.rounds) return;
  Round& r = at(round_);
  const std::uint32_t n = config_.graph.size();
  if (!r.reported && covers_a_source(certified_origins(round_))) {
    r.reported = true;
    Values values(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (r.certified[i]) values[i] = r.certified[i]->value;
    }
    const Digest digest = report_digest(config_.chain, config_.self, round_, values);
    sign(Report{config_.self, round_, std::move(values), {}}, digest, fx);
  }
  Mask reporters = 0;
  std::vector<std::int64_t> certified;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (r.reports[i] && accepts(*r.reports[i])) reporters |= bit(i);
    if (r.certified[i]) certified.push_back(r.certified[i]->value);
  }
  if (covers_a_source(reporters) && certified.size() > std::size_t{2} * config_.faults) {
    propose(trimmed_middle(std::move(certified), config_.faults), fx);
  }
}

}  // namespace thresher::digraph

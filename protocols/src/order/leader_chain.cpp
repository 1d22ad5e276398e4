#include "thresher/protocols/order/leader_chain.hpp"

#include <numeric>
#include <utility>

#include "leader_chain_parts.hpp"
#include "offers.hpp"
#include "thresher/core/assert.hpp"

namespace thresher {

using namespace leader_chain;  // NOLINT(google-build-using-namespace): the protocol's own words

namespace {

LeaderChain::Config complete(LeaderChain::Config c) {
  if (c.block_bytes == 0) c.block_bytes = 4 * c.value_bytes;
  if (c.queue_bytes == 0) c.queue_bytes = 8 * c.value_bytes;
  return c;
}

Digest digest_of(const ChainContext& chain, const Block& block, const std::vector<Digest>& values) {
  Transcript t("thresher/leader-chain-block/1", chain);
  t.u64(block.view).u64(block.parent.view).bytes(block.parent.digest.bytes);
  t.u64(block.first).u32(static_cast<std::uint32_t>(values.size()));
  for (const Digest& value : values) t.bytes(value.bytes);
  return t.digest();
}

}  // namespace

Reference leader_chain::name_of(const ChainContext& chain, const Block& block) {
  std::vector<Digest> values;
  for (const Bytes& value : block.values) values.push_back(hash(value.view()));
  return {block.view, digest_of(chain, block, values)};
}

Digest leader_chain::statement(const ChainContext& chain, const Rules& rules, Kind kind,
                               const Reference& about) {
  Transcript t("thresher/leader-chain/1", chain);
  t.u8(static_cast<std::uint8_t>(rules.family)).u8(static_cast<std::uint8_t>(kind));
  t.u64(about.view).bytes(about.digest.bytes);
  return t.digest();
}

LeaderChain::LeaderChain(Rules rules, const Config& config)
    : rules_(rules),
      config_(complete(config)),
      log_(config_.committee, {config_.history, config_.value_bytes, kAnswers}),
      requests_(config_.committee.size(), {.entries = 8 * std::size_t{config_.committee.size()},
                                           .bytes = config_.queue_bytes,
                                           .value_bytes = config_.value_bytes}),
      pending_(config_.committee.size()),
      latest_(config_.committee.size(), 1, config_.committee.at_least(kValidity)),
      frontier_(config_.committee.size(), 0, config_.committee.at_least(kValidity)),
      patience_(rules_.patience) {}

std::size_t LeaderChain::Held::bytes() const {
  return std::accumulate(block.values.begin(), block.values.end(), std::size_t{0},
                         [](std::size_t sum, const Bytes& v) { return sum + v.size(); });
}

// R2
NodeId LeaderChain::leader(std::uint64_t view) const {
  return NodeId{static_cast<std::uint16_t>(view % config_.committee.size())};
}

bool LeaderChain::near(std::uint64_t view) const {
  return view >= view_ ? view - view_ <= kNear : view_ - view <= kNear;
}

// R4, R9: the quorum of each kind.
std::uint32_t LeaderChain::enough(Kind kind) const {
  const Threshold t = kind == Kind::kNotarize ? config_.notarize
                      : kind == Kind::kSkip   ? config_.skip
                                              : config_.finalize;
  return config_.committee.at_least(t);
}

Digest LeaderChain::statement(Kind kind, const Reference& about) const {
  return leader_chain::statement(config_.chain, rules_, kind, about);
}

bool LeaderChain::well_formed(const Block& block) const {
  std::size_t bytes = 0;
  for (const Bytes& value : block.values) {
    if (value.empty() || value.size() > config_.value_bytes) return false;
    bytes += value.size();
  }
  return block.view > block.parent.view && block.values.size() <= config_.block_values &&
         bytes <= config_.block_bytes && block.first < UINT64_MAX / 2;
}

LeaderChain::Held LeaderChain::held_of(Block block) const {
  Held out{std::move(block), {}, {}};
  for (const Bytes& value : out.block.values) out.values.push_back(hash(value.view()));
  out.digest = digest_of(config_.chain, out.block, out.values);
  return out;
}

void LeaderChain::on(const Requested<Request>& event, Fx& fx) {
  (void)receive(config_.self, Forward{event.request.value, false}, fx);
  fx.broadcast(Forward{event.request.value, false});
  advance(fx);
}

void LeaderChain::on(const Received<Message>& event, Fx& fx) {
  if (event.from == config_.self || !config_.committee.contains(event.from)) return;
  const bool news =
      std::visit([&](const auto& m) { return receive(event.from, m, fx); }, event.message);
  if (served_.began()) fx.push(ArmTimer{{kServed, {}}, kServing});
  if (news) advance(fx);
}

// R1: a peer's queue holds what it submitted, and apart from it what it waits for most.
bool LeaderChain::receive(NodeId from, const Forward& m, Fx&) {
  const auto news =
      requests_.take(from, m, ticks_, [this](const Digest& d) { return log_.repeats(d); });
  if (!news) ++refused_;
  return news && *news;
}

// R12
bool LeaderChain::receive(NodeId from, const Offer& m, Fx& fx) {
  const auto news = order::take_offer(from, m, ticks_, log_, requests_, fx);
  if (!news) ++refused_;
  return news && *news;
}

// R12
bool LeaderChain::receive(NodeId from, const Ask& m, Fx& fx) {
  order::give_request(from, m, requests_, served_, fx);
  return false;
}

// R2: the first proposal of a view, from its leader.
bool LeaderChain::receive(NodeId from, const Propose& m, Fx& fx) {
  const std::uint64_t view = m.block.view;
  bool fits = from == leader(view) && well_formed(m.block) && m.skips.size() <= kSkips &&
              (m.parent.has_value() == (m.block.parent.view > 0));
  if (m.parent) {
    fits = fits && m.parent->kind == Kind::kNotarize && about(*m.parent) == m.block.parent;
  }
  for (const Certificate& c : m.skips) {
    fits = fits && c.kind == Kind::kSkip && c.view > m.block.parent.view && c.view < view;
  }
  if (!fits) {
    ++refused_;
    return false;
  }
  (void)latest_.raise(from, view);
  if (!near(view) || view <= target_.view) return false;
  View& v = views_[view];
  if (v.proposal) return false;
  Held block = held_of(m.block);
  if (view < view_) {  // too late for a vote, but it may be certified without this node
    const bool wanted = v.notarized && v.notarized->digest == block.digest;
    if (wanted && held(block.name()) == nullptr) keep_block(block, fx);
    return wanted;
  }
  v.proposal = std::move(block);
  if (m.parent) (void)offer(from, *m.parent, fx);
  for (const Certificate& c : m.skips) (void)offer(from, c, fx);
  return true;
}

bool LeaderChain::receive(NodeId from, const Vote& m, Fx& fx) {
  const bool skips = m.kind == Kind::kSkip;
  const bool mine = !rules_.linear() || skips || leader(m.view + 1) == config_.self;
  const bool of_this_family = m.kind != Kind::kFinalize || !rules_.linear();
  if (!mine || !of_this_family || m.view == 0 || skips != m.digest.is_zero()) {
    ++refused_;
    return false;
  }
  (void)latest_.raise(from, m.view);
  if (!near(m.view) || m.view <= target_.view) return false;
  return count(from, m, fx);
}

// R3: of each node one vote of a kind in a view counts.
bool LeaderChain::count(NodeId from, const Vote& m, Fx& fx) {
  const Reference what{m.view, m.digest};
  View& v = views_[m.view];
  if (m.kind == Kind::kNotarize ? v.notarized.has_value()
                                : m.kind == Kind::kSkip && v.skipped.has_value())
    return false;
  Votes& votes = v.votes[static_cast<std::size_t>(m.kind)];
  if (!votes.spoke.insert(from)) return false;
  auto& where = from == config_.self ? votes.good : votes.unverified;
  where[m.digest][from] = m.signature;
  return check_votes(m.kind, what, fx) || (m.kind == Kind::kSkip && skip_called_for());
}

// R4. Signatures are checked when they could be enough, all at once. True: they made a certificate.
bool LeaderChain::check_votes(Kind kind, const Reference& what, Fx& fx) {
  Votes& votes = views_[what.view].votes[static_cast<std::size_t>(kind)];
  const std::size_t needed = enough(kind);
  const auto& good = votes.good[what.digest];
  if (good.size() >= needed) {
    SignatureList list{NodeSet(config_.committee.size()), {}};
    for (const auto& [signer, signature] : good) {
      if (list.signatures.size() == needed) break;
      list.signers.insert(signer);
      list.signatures.push_back(signature);
    }
    return take(
        {kind, what.view, what.digest, std::make_shared<const SignatureList>(std::move(list))}, fx);
  }
  const auto waiting = votes.unverified.find(what.digest);
  if (waiting == votes.unverified.end() || good.size() + waiting->second.size() < needed)
    return false;
  for (const auto& [signer, signature] : waiting->second) {
    checks_[++tickets_] = {{kind, what.view, what.digest, nullptr}, signer, signature};
    fx.push(Verify{{tickets_, {}}, signer, statement(kind, what), signature, signer});
  }
  votes.unverified.erase(waiting);
  return false;
}

bool LeaderChain::known(const Certificate& c) const {
  if (c.view < tip_.view) return true;
  const auto v = views_.find(c.view);
  if (v == views_.end()) return false;
  const auto& same = c.kind == Kind::kNotarize ? v->second.notarized : v->second.skipped;
  return same && same->digest == c.digest;
}

// R4: somebody else's certificate, verified as a whole. A final block needs none from others: what
// stands on it makes it final too.
bool LeaderChain::receive(NodeId from, const Certificate& m, Fx& fx) {
  return offer(from, m, fx);
}

// R4
bool LeaderChain::offer(NodeId from, const Certificate& c, Fx& fx) {
  if (known(c)) return false;
  const bool fits = c.kind != Kind::kFinalize && c.view > 0 && c.view < UINT64_MAX / 2 &&
                    (c.kind == Kind::kSkip) == c.digest.is_zero() && c.list != nullptr &&
                    c.list->complete() && c.list->signers.below(config_.committee.size()) &&
                    c.list->signers.size() >= enough(c.kind);
  if (!fits) {
    ++refused_;
    return false;
  }
  // No offence: several answers to one question may come at once.
  if (pending_[from.value] >= kPending) return false;
  ++pending_[from.value];
  checks_[++tickets_] = {c, from, {}};
  fx.push(VerifyAll{{tickets_, {}}, statement(c.kind, about(c)), c.list, from});
  return false;
}

void LeaderChain::on(const Verified& v, Fx& fx) {
  const auto at = checks_.find(v.ticket.local);
  if (at == checks_.end()) return;
  const Check check = std::move(at->second);
  checks_.erase(at);
  const Certificate& c = check.certificate;
  if (c.list != nullptr) --pending_[check.from.value];
  if (!v.ok) ++refused_;
  if (!v.ok || c.view < tip_.view) return;
  if (c.list != nullptr) {
    if (take(c, fx)) advance(fx);
    return;
  }
  if (!near(c.view)) return;
  views_[c.view].votes[static_cast<std::size_t>(c.kind)].good[c.digest][check.from] =
      check.signature;
  if (check_votes(c.kind, about(c), fx)) advance(fx);
}

// R4. True: it is news.
bool LeaderChain::take(const Certificate& c, Fx& fx) {
  if (c.kind == Kind::kFinalize) {
    if (c.view <= target_.view) return false;
    finalize(about(c));
    return true;
  }
  if (c.view < tip_.view) return false;
  View& v = views_[c.view];
  auto& slot = c.kind == Kind::kNotarize ? v.notarized : v.skipped;
  THRESHER_ASSERT(!slot || slot->digest == c.digest, "a view certifies one block");
  if (slot) return false;
  slot = c;
  v.votes[static_cast<std::size_t>(c.kind)].good.clear();
  v.votes[static_cast<std::size_t>(c.kind)].unverified.clear();
  save(c, fx);
  certified_ = std::max(certified_, c.view);
  if (c.kind == Kind::kSkip) return true;
  high_ = std::max(high_, about(c));
  if (v.proposal && v.proposal->digest == c.digest && held(about(c)) == nullptr)
    keep_block(*v.proposal, fx);
  if (const Held* block = held(about(c))) try_two_chain(*block, fx);
  return true;
}

// R5: durable first, then signed and told.
void LeaderChain::say(Kind kind, const Reference& what, Fx& fx) {
  THRESHER_ASSERT(said_.view <= what.view, "nothing is said of a view after a later one");
  if (said_.view != what.view) said_ = {what.view, {}, {}, false};
  if (kind == Kind::kNotarize) said_.notarized = what.digest;
  if (kind == Kind::kFinalize) said_.finalized = what.digest;
  if (kind == Kind::kSkip) said_.skipped = true;
  save_said(fx);
  endorse(kind, what, fx);
}

void LeaderChain::endorse(Kind kind, const Reference& what, Fx& fx) {
  signing_[++tickets_] = {{kind, what.view, what.digest, nullptr}, config_.self, {}};
  fx.push(Endorse{{tickets_, {}}, statement(kind, what)});
}

void LeaderChain::on(const Endorsed& e, Fx& fx) {
  const auto at = signing_.find(e.ticket.local);
  if (at == signing_.end()) return;
  const Certificate c = at->second.certificate;
  signing_.erase(at);
  const Vote vote{c.kind, c.view, c.digest, e.signature};
  tell(vote, fx);
  const bool counts =
      c.kind != Kind::kNotarize || !rules_.linear() || leader(c.view + 1) == config_.self;
  if (!near(c.view) || c.view <= target_.view) return;
  if (!counts) return keep_to_repeat(vote);
  if (count(config_.self, vote, fx)) advance(fx);
}

// R11. Only the next leader counts votes for a block of the linear family, so no certificate comes
// of this one here; it may be lost on its way to that leader.
void LeaderChain::keep_to_repeat(const Vote& vote) {
  View& v = views_[vote.view];
  if (!v.notarized)
    v.votes[static_cast<std::size_t>(vote.kind)].good[vote.digest][config_.self] = vote.signature;
}

void LeaderChain::tell(const Vote& vote, Fx& fx) const {
  if (vote.kind != Kind::kNotarize || !rules_.linear()) {
    fx.broadcast(vote);
  } else if (leader(vote.view + 1) != config_.self) {
    fx.send(leader(vote.view + 1), vote);
  }
}

}  // namespace thresher

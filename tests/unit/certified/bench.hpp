// One certified node on a table: inputs by hand, signatures mocked, everything it does written
// down.
//
//   Desk t(7);
//   t.say(1, Propose{t.header(1, 1)});
//   EXPECT_EQ(t.sent<Vote>(1).size(), 1u);
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/storage.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher::certified {

/// Binds the signer and the digest, which is all a mock has to do.
inline Signature mock_sign(std::uint16_t signer, const Digest& digest) {
  Writer w;
  w.u16(signer).bytes(digest.bytes);
  const Digest tag = hash(w.view());
  Signature out{};
  std::copy(tag.bytes.begin(), tag.bytes.end(), out.begin());
  return out;
}

/// The node under test is number 0.
class Desk {
 public:
  explicit Desk(std::uint32_t n, Rules rules = Rules::anchored_bullshark(),
                Limits limits = Limits{}, bool evict = false, Delay gather = {})
      : node_(make(n, rules, limits, evict, gather)), n_(n), rules_(rules), limits_(limits) {
    feed(Start{1});
  }

  static Bullshark make(std::uint32_t n, const Rules& rules, const Limits& limits,
                        bool evict = false, Delay gather = {}) {
    Config config;
    config.committee = *Committee::of(n);
    config.rules = rules;
    config.limits = limits;
    config.evict_delivered = evict;
    config.gather = gather;
    // One share makes a value: a coin that needs nobody else.
    if (rules.asynchronous) config.coin = std::make_shared<coin::IdealCoin>(1, NodeId{0}, 7);
    return Bullshark(std::move(config));
  }

  void feed(const InputOf<Bullshark>& input) {
    std::vector<InputOf<Bullshark>> todo{input};
    for (std::size_t i = 0; i < todo.size(); ++i) {
      Bullshark::Fx fx;
      step(node_, InputOf<Bullshark>(todo[i]), fx);
      for (auto& effect : fx.list()) {
        if (const auto* e = std::get_if<Verify>(&effect)) {
          ++verifications;
          const bool ok = mock_sign(e->signer.value, e->digest) == e->signature;
          todo.push_back(Verified{e->ticket, ok});
        } else if (const auto* all = std::get_if<VerifyAll>(&effect)) {
          verifications += all->list->signatures.size();
          lists.push_back(*all);
          if (!answer) continue;
          const bool ok = all->list->all([&](NodeId signer, const Signature& s) {
            return mock_sign(signer.value, all->digest) == s;
          });
          todo.push_back(Verified{all->ticket, ok});
        } else if (const auto* s = std::get_if<Endorse>(&effect)) {
          if (sign) todo.push_back(Endorsed{s->ticket, mock_sign(0, s->digest)});
        } else if (const auto* p = std::get_if<Persist>(&effect)) {
          (void)disk.write(std::span(p, 1), Sync::kYes);
        } else if (const auto* m = std::get_if<Send<Message>>(&effect)) {
          sends.emplace_back(m->to.value, m->message);
        } else if (const auto* b = std::get_if<Broadcast<Message>>(&effect)) {
          broadcasts.push_back(b->message);
        } else if (const auto* a = std::get_if<Accuse>(&effect)) {
          accused.push_back(a->who.value);
        } else if (const auto* t = std::get_if<ArmTimer>(&effect)) {
          timers.push_back(t->id);
        } else if (auto* d = std::get_if<Deliver<Committed>>(&effect)) {
          delivered.push_back(std::move(d->output));
        }
      }
    }
  }
  void say(std::uint16_t from, Message message) {
    feed(Received<Message>{NodeId{from}, std::move(message)});
  }
  void restart() {
    node_ = make(n_, rules_, limits_);
    (void)disk.replay([&](const Restored& r) { feed(r); });
    sends.clear();
    broadcasts.clear();
    feed(Start{2});
  }

  /// A header of `author` on the vertices of `parents`, its own included when it has one.
  ProposalPtr header(std::uint16_t author, std::uint64_t round, std::vector<std::uint16_t> parents,
                     std::uint32_t salt = 0) const {
    Header h;
    h.author = NodeId{author};
    h.round = Round{round};
    for (const std::uint16_t p : parents) {
      h.parents.insert(NodeId{p});
      if (p == author) h.self = Round{round - 1};
    }
    if (salt != 0) {
      h.payload_root.bytes[0] = static_cast<std::byte>(salt);
      h.payload_bytes = salt;
    }
    return sealed(std::move(h));
  }
  static ProposalPtr sealed(Header h, const ChainContext& chain = {}) {
    const std::uint16_t author = h.author.value;
    const Digest digest = digest_of(h, chain);
    return make_proposal(std::move(h), mock_sign(author, digest), chain);
  }
  static Certificate signed_by(const Digest& digest, std::vector<std::uint16_t> signers) {
    Certificate c;
    for (const std::uint16_t s : signers) {
      c.signers.insert(NodeId{s});
      c.signatures.push_back(mock_sign(s, digest));
    }
    return c;
  }
  Certificate quorum(const ProposalPtr& p) const {
    std::vector<std::uint16_t> signers;
    for (std::uint16_t i = 0; signers.size() < Committee::of(n_)->at_least(kQuorum); ++i) {
      signers.push_back(i);
    }
    if (p->header.author.value >= signers.size()) signers.back() = p->header.author.value;
    return signed_by(p->digest, signers);
  }
  /// Proposes and certifies.
  ProposalPtr certify(std::uint16_t author, std::uint64_t round,
                      std::vector<std::uint16_t> parents) {
    const ProposalPtr p = header(author, round, std::move(parents));
    say(author, Propose{p});
    say(author, Certify{p->header.round, p->digest, quorum(p)});
    return p;
  }

  template <class M>
  std::vector<M> sent(std::uint16_t to) const {
    std::vector<M> out;
    for (const auto& [receiver, message] : sends) {
      if (receiver != to) continue;
      if (const auto* m = std::get_if<M>(&message)) out.push_back(*m);
    }
    return out;
  }
  template <class M>
  std::vector<M> broadcast() const {
    std::vector<M> out;
    for (const auto& message : broadcasts) {
      if (const auto* m = std::get_if<M>(&message)) out.push_back(*m);
    }
    return out;
  }
  void expire(std::uint32_t timer) { feed(Expired{{timer, {}}}); }

  const Bullshark& node() const { return node_; }
  MemoryStorage disk;
  std::vector<std::pair<std::uint16_t, Message>> sends;
  std::vector<Message> broadcasts;
  std::vector<std::uint16_t> accused;
  std::vector<TimerId> timers;
  std::vector<Committed> delivered;
  std::uint64_t verifications = 0;
  std::vector<VerifyAll> lists;  ///< that one verdict each was asked for
  bool answer = true;            ///< false: those questions stay unanswered
  bool sign = true;              ///< false: requests for the own signature stay unanswered

 private:
  Bullshark node_;
  std::uint32_t n_;
  Rules rules_;
  Limits limits_;
};

}  // namespace thresher::certified

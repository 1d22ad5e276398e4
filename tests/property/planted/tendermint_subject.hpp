// What check_protocol has to know of Tendermint, with a bug or without.
#pragma once

#include "tendermint.hpp"
#include "thresher/testing/subject.hpp"

namespace thresher::planted {

struct TendermintSubject : testing::SubjectBase<Tendermint> {
  using Kind = Tendermint::Kind;
  explicit TendermintSubject(const sim::Experiment& e, Bug planted = Bug::kNone)
      : SubjectBase(e), bug(planted) {}

  Tendermint make(NodeId id) const { return {committee, id, bug}; }
  sim::OutputFacts facts_of(const Output& o) const {
    return {.key = o.height, .digest = hash(o.payload.view()), .round = o.height};
  }
  sim::MessageFacts facts_of(const Message& m) const {
    return {.label = label_of(m.kind),
            .round = m.height,
            .bytes = wire_bytes(m),
            .anchor = m.kind == Kind::kProposal,
            .answer = m.kind == Kind::kDecision};
  }
  // A height may be decided for nobody's request.
  template <class F>
  void payloads(const Output& o, std::optional<NodeId>, F visit) const {
    if (!o.payload.empty()) visit(o.payload.view(), std::nullopt);
  }
  std::uint64_t round(const Tendermint& node) const { return node.height(); }
  std::uint64_t heals_within(const Tendermint& node) const { return node.patience(); }
  /// A node asks for a height that it lacks every two Delta, and then one after the other.
  std::uint64_t catches_up_within(std::uint64_t heights) const { return 3 * heights; }

  // A liar signs what it likes, with its own name.
  bool mutate(Message& m, NodeId id, std::string_view field, std::uint64_t salt) const {
    const bool any = field.empty();
    bool changed = false;
    if ((any && salt % 3 == 0) || field == "round") {
      m.round += salt / 3 % 2 == 0 || m.round == 0 ? 1 : -1;
      changed = true;
    }
    if ((any && salt % 3 == 1) || field == "valid-round") {
      const auto before = m.valid_round;
      m.valid_round =
          static_cast<std::int32_t>(salt / 3 % (static_cast<std::uint64_t>(m.round) + 1)) - 1;
      changed = m.kind == Kind::kProposal && m.valid_round != before;
    }
    if ((any && !changed) || field == "value") changed = another_value(m);
    m.tag = Tendermint::tag_of(id, m);
    return changed;
  }

  void adopt(Message& m, NodeId id) const { m.tag = Tendermint::tag_of(id, m); }

  Bug bug;

 private:
  static bool another_value(Message& m) {
    switch (m.kind) {
      case Kind::kProposal:  // as if it were new
        m.valid_round = Tendermint::kNever;
        m.proof.clear();
        return sim::another_payload(m.payload);
      case Kind::kDecision:
        return sim::another_payload(m.payload);
      case Kind::kPrevote:
      case Kind::kPrecommit:
        if (m.id == Digest{}) return false;
        m.id = {};
        return true;
      case Kind::kStatus:
      case Kind::kPrevotes:
      case Kind::kPrecommits:
        return false;
    }
    return false;
  }
  static std::string_view label_of(Kind kind) {
    switch (kind) {
      case Kind::kProposal:
        return "proposal";
      case Kind::kPrevote:
        return "prevote";
      case Kind::kPrecommit:
        return "precommit";
      case Kind::kStatus:
        return "status";
      case Kind::kDecision:
        return "decision";
      case Kind::kPrevotes:
        return "prevotes";
      case Kind::kPrecommits:
        return "precommits";
    }
    return "message";
  }
  static std::uint32_t wire_bytes(const Message& m) {
    constexpr std::size_t kVote = sizeof(NodeId) + sizeof(std::uint64_t);
    return static_cast<std::uint32_t>(sizeof m.height + sizeof m.round + sizeof m.id +
                                      sizeof m.tag + m.payload.size() + m.proof.size() * kVote);
  }
};

}  // namespace thresher::planted

template <>
struct thresher::testing::SubjectOf<thresher::planted::Tendermint> {
  using type = thresher::planted::TendermintSubject;
};

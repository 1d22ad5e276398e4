// The examples of the headers of protocols/dag and protocols/certified, compiled (held_test.py says
// how they are found).
#include "protocols.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/certified/committer.hpp"
#include "thresher/protocols/certified/joint_signature.hpp"
#include "thresher/protocols/certified/leaders.hpp"
#include "thresher/protocols/certified/legal.hpp"
#include "thresher/protocols/certified/message.hpp"
#include "thresher/protocols/certified/policy.hpp"
#include "thresher/protocols/certified/rules.hpp"
#include "thresher/protocols/certified/store.hpp"
#include "thresher/protocols/certified/vertex.hpp"
#include "thresher/protocols/dag/block.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "thresher/protocols/dag/legal.hpp"
#include "thresher/protocols/dag/message.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "thresher/protocols/dag/rules.hpp"
#include "thresher/protocols/dag/turns.hpp"
#include "thresher/protocols/dag/two_delay.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::dag {
namespace {

void refuse(const Error& error);

bool payload_limit_example(const Header& header) {
  // <thresher/protocols/payload_limit.hpp>
  if (header.payload_bytes > kMostPayloadBytes) return false;
  // </>
  return true;
}

void block_example(NodeId self, Round r, const Payload& payload, const Signature& signature,
                   const ChainContext& chain) {
  // <thresher/protocols/dag/block.hpp>
  Header h{.author = self,
           .round = r,
           .payload_root = payload.root,
           .self = {},
           .vote = {},
           .claim = {},
           .vote_author = {},
           .claim_author = {},
           .refs = {},
           .packed = {}};
  BlockPtr block = make_block(std::move(h), payload, signature, chain);
  // </>
}

void dag_example(Host<Dag>& backend, const Payload& payload) {
  using Backend = Host<Dag>;
  // <thresher/protocols/dag/dag.hpp>
  Dag node({.committee = *Committee::of(4), .self = NodeId{0}, .rules = Rules::thresher()});
  Executor<Dag, Backend> executor(std::move(node), backend);
  executor.run(Start{});
  executor.run(Requested<Submit>{{payload}});
  // </>
}

// <thresher/protocols/dag/legal.hpp>
static_assert(broken_hypothesis(Rules::thresher(), *Committee::of(4)).empty());
// </>

void message_example(const BlockPtr& block, Effects<Message, Committed>& fx) {
  // <thresher/protocols/dag/message.hpp>
  fx.broadcast(Push{block});
  // </>
}

void policy_example() {
  // <thresher/protocols/dag/policy.hpp>
  struct ClaimsNotChecked : Policy {
    bool claim_proved(const Store&, Round, const Digest&) const override { return true; }
  };
  const ClaimsNotChecked unchecked;
  Rules rules = Rules::thresher();
  rules.policy = &unchecked;
  // </>
}

void rules_example() {
  // <thresher/protocols/dag/rules.hpp>
  Rules sparse = Rules::thresher();
  Rules dense = Rules::mysticeti();
  Rules by_a_coin = Rules::mahi_mahi();
  // </>
}

void standing_example(const Committee& committee, const Rules& rules, Round slot, NodeId leader,
                      NodeId before, const NodeSet& named) {
  const auto pass_over = [](NodeId) {};
  // <thresher/protocols/dag/standing.hpp>
  Standing standing(committee, rules.leaders);
  standing.committed(slot, leader, before, named);  // the authors of slot - 1 that it names
  standing.skipped(slot, leader);
  for (NodeId id : standing.out(slot)) pass_over(id);  // at most f, ascending
  // </>
}

void turns_example(Round round, const Committee& committee) {
  // <thresher/protocols/dag/turns.hpp>
  NodeId leader = turn_of(round, committee, Leaders::kPrompt);
  // </>
}

void two_delay_example(const Committee& committee) {
  // <thresher/protocols/dag/two_delay.hpp>
  const auto rules = with_two_delays(Rules::thresher(), *Committee::make(10, 2), 1);
  if (!rules) refuse(check_two_delays(*Committee::make(10, 2), 1).error());
  committee.at_least(rules->fast);
  // </>
}

}  // namespace
}  // namespace thresher::dag

namespace thresher::certified {
namespace {

void deliver(const Anchor& a);

void bullshark_example(Host<Bullshark>& backend, std::uint64_t seed, const Payload& payload) {
  using Backend = Host<Bullshark>;
  // <thresher/protocols/certified/bullshark.hpp>
  Bullshark node(
      {.committee = *Committee::of(4), .self = NodeId{0}, .rules = Rules::anchored_bullshark()});
  Executor<Bullshark, Backend> executor(std::move(node), backend);
  executor.run(Start{seed});
  executor.run(Requested<Submit>{{payload}});
  // </>
}

void committer_example(const Store& store, const Rules& rules, Round last_ordered) {
  // <thresher/protocols/certified/committer.hpp>
  for (const Anchor& a : commit(store, rules, last_ordered)) deliver(a);
  // </>
}

void joint_example(const JointSignature& joint, const Digest& digest, const SignatureList& votes,
                   const Certificate& certificate) {
  // <thresher/protocols/certified/joint_signature.hpp>
  Signature one = joint.combine(digest, votes);
  bool ok = joint.verify(digest, certificate.signers, one);
  // </>
}

// <thresher/protocols/certified/legal.hpp>
static_assert(broken_hypothesis(Rules::bullshark(), *Committee::of(4)).empty());
// </>

void policy_example() {
  // <thresher/protocols/certified/policy.hpp>
  struct NoSelfEdge : Policy {
    Round self_edge(Round, bool) const override { return Round{0}; }
  };
  const NoSelfEdge unlinked;
  Rules rules = Rules::anchored_bullshark();
  rules.policy = &unlinked;
  // </>
}

void message_example(const Message& message, std::uint32_t n, const ChainContext& chain,
                     const Shape& shape, const Limits& limits) {
  // <thresher/protocols/certified/message.hpp>
  WireParts parts = encode(message, n);
  Result<Message> again = decode(parts, chain, shape, limits, &hash);
  // </>
}

void rules_example() {
  // <thresher/protocols/certified/rules.hpp>
  Rules anchored = Rules::anchored_bullshark(6);
  Rules published = Rules::sparse_bullshark(50);
  // </>
}

void leaders_example(const Committee& committee, const Rules& rules, NodeId self, Round round,
                     Round before, Round anchor, const NodeSet& named) {
  const auto lead = [] {};
  const auto look_again = [] {};
  // <thresher/protocols/certified/leaders.hpp>
  Leaders leaders(committee, rules);
  if (leaders.leader(round) == self) lead();                     // by all that was ordered so far
  if (leaders.note_commit(before, anchor, named)) look_again();  // later anchors are others' now
  // </>
}

void store_example(Store& store, const VertexPtr& vertex, const Ref& ref, const Ref& anchor,
                   std::uint32_t needed) {
  // <thresher/protocols/certified/store.hpp>
  store.insert(vertex);
  store.accept(ref);
  if (store.votes(anchor) >= needed) return;
  // </>
}

void vertex_example(Header header, const Signature& signature, const ChainContext& chain,
                    const Payload& payload, const Certificate& certificate) {
  // <thresher/protocols/certified/vertex.hpp>
  ProposalPtr p = make_proposal(std::move(header), signature, chain);
  VertexPtr v = make_vertex(*p, payload, certificate);
  // </>
}

}  // namespace
}  // namespace thresher::certified

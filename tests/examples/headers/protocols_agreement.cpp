// The examples of the headers of protocols/agreement, compiled (held_test.py says how they are
// found).
#include "protocols.hpp"
#include "thresher/protocols/agreement/agreement.hpp"
#include "thresher/protocols/agreement/approximate.hpp"
#include "thresher/protocols/agreement/approximate_wire.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/ben_or.hpp"
#include "thresher/protocols/agreement/cobalt.hpp"
#include "thresher/protocols/agreement/common_subset.hpp"
#include "thresher/protocols/agreement/common_subset_wire.hpp"
#include "thresher/protocols/agreement/core_set.hpp"
#include "thresher/protocols/agreement/gather.hpp"
#include "thresher/protocols/agreement/graded_bca.hpp"
#include "thresher/protocols/agreement/mmr14.hpp"
#include "thresher/protocols/agreement/mvba.hpp"
#include "thresher/protocols/agreement/mvba_wire.hpp"
#include "thresher/protocols/agreement/node_bits.hpp"
#include "thresher/protocols/agreement/payload_votes.hpp"
#include "thresher/protocols/agreement/round.hpp"
#include "thresher/protocols/agreement/rounds.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"
#include "thresher/protocols/agreement/table_parts.hpp"
#include "thresher/protocols/agreement/tables.hpp"
#include "thresher/verify/export.hpp"

namespace thresher {
namespace {

using Scheme = std::shared_ptr<const crypto::CoinScheme>;
bool well_formed(std::uint64_t epoch, NodeId origin, ByteView payload);

namespace concept_example {
// <thresher/protocols/agreement/agreement.hpp>
template <broadcast::Broadcast B, agreement::BinaryAgreement A>
class CommonSubset {
  B payloads_;
  A votes_;
};
static_assert(agreement::BinaryAgreement<BcaAgreement>);
// </>
}  // namespace concept_example

void approximate_example(ExecutorOf<ApproximateAgreement<Bracha>>& executor,
                         std::uint64_t instance) {
  // <thresher/protocols/agreement/approximate.hpp>
  ApproximateAgreement<Bracha> node(
      {.committee = *Committee::of(4), .self = NodeId{0}, .rounds = 10});
  executor.run(Requested<approximate::Approach>{{instance, {1700}}});
  // </>
}

void approximate_wire_example(const NumberAgreement::Message& message, const Committee& committee) {
  // <thresher/protocols/agreement/approximate_wire.hpp>
  WireParts parts = encode(message, committee);
  std::optional<NumberAgreement::Message> again = decode_approximate(parts, committee);
  // </>
}

void bca_example(Host<BcaAgreement>& backend, const Scheme& scheme, std::uint64_t instance) {
  using Backend = Host<BcaAgreement>;
  // <thresher/protocols/agreement/bca_agreement.hpp>
  BcaAgreement node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = scheme});
  Executor<BcaAgreement, Backend> executor(std::move(node), backend);
  executor.run(Requested<agreement::Propose>{{instance, true}});
  // </>
}

void ben_or_example(ExecutorOf<BenOr>& executor, std::uint64_t instance) {
  // <thresher/protocols/agreement/ben_or.hpp>
  BenOr node({.committee = *Committee::of(6), .self = NodeId{0}});
  executor.run(Requested<agreement::Propose>{{instance, true}});
  // </>
}

void cobalt_example(ExecutorOf<Cobalt>& executor, const Scheme& scheme, std::uint64_t instance) {
  // <thresher/protocols/agreement/cobalt.hpp>
  Cobalt node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = scheme});
  executor.run(Requested<agreement::Propose>{{instance, true}});
  // </>
}

void common_subset_example(ExecutorOf<CommonSubset<Avid, BcaAgreement>>& executor,
                           const Committee& c, const Scheme& scheme, std::uint64_t epoch,
                           const Bytes& payload) {
  // <thresher/protocols/agreement/common_subset.hpp>
  using Subset = CommonSubset<Avid, BcaAgreement>;
  Subset node({.committee = c, .self = NodeId{0}, .coin = scheme, .valid = well_formed});
  executor.run(Requested<subset::Submit>{{epoch, payload}});
  // </>
}

void common_subset_wire_example(const PayloadSubset::Message& message, const Committee& committee) {
  // <thresher/protocols/agreement/common_subset_wire.hpp>
  WireParts parts = encode(message);
  std::optional<PayloadSubset::Message> again = decode_common_subset(parts, committee);
  // </>
}

void core_set_example(ExecutorOf<CoreSet<BcaAgreement>>& executor, const Committee& c, NodeId id,
                      const Scheme& scheme, const std::vector<NodeId>& dealers, NodeId dealer) {
  // <thresher/protocols/agreement/core_set.hpp>
  CoreSet<BcaAgreement> set({.committee = c,
                             .self = id,
                             .coin = scheme,
                             .members = dealers,
                             .enough = c.at_least(kAvailability)});
  executor.run(Requested<core_set::Vouch>{{dealer}});
  // </>
}

void gather_example(ExecutorOf<Gather>& executor, const Committee& c, NodeId id,
                    std::uint64_t instance, NodeId member) {
  // <thresher/protocols/agreement/gather.hpp>
  Gather node({.committee = c, .self = id});
  executor.run(Requested<gather::Have>{{instance, member}});
  // </>
}

void graded_example(ExecutorOf<GradedBca>& executor, const Scheme& weak, std::uint64_t instance) {
  // <thresher/protocols/agreement/graded_bca.hpp>
  GradedBca node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = weak});
  executor.run(Requested<agreement::Propose>{{instance, true}});
  // </>
}

void mmr14_example(ExecutorOf<Mmr14>& executor, const Scheme& scheme, std::uint64_t instance) {
  // <thresher/protocols/agreement/mmr14.hpp>
  Mmr14 node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = scheme});
  executor.run(Requested<agreement::Propose>{{instance, true}});
  // </>
}

void mvba_example(ExecutorOf<Mvba<CertifiedBroadcast, BcaAgreement>>& executor, const Committee& c,
                  const Scheme& scheme, std::uint64_t instance, const Bytes& value) {
  // <thresher/protocols/agreement/mvba.hpp>
  using Agreement = Mvba<CertifiedBroadcast, BcaAgreement>;
  Agreement node({.committee = c, .self = NodeId{0}, .coin = scheme, .valid = well_formed});
  executor.run(Requested<mvba::Propose>{{instance, value}});
  // </>
}

void mvba_wire_example(const ValueAgreement::Message& message, const Committee& committee) {
  // <thresher/protocols/agreement/mvba_wire.hpp>
  WireParts parts = encode(message, committee);
  std::optional<ValueAgreement::Message> again = decode_mvba(parts, committee);
  // </>
}

namespace payload_votes_example {
using B = Avid;
using A = BcaAgreement;
using Message = std::variant<B::Message, A::Message>;
using Output = subset::Output;
// <thresher/protocols/agreement/payload_votes.hpp>
class Mine : public PayloadVotes<Mine, B, A, Message, Output> {
  friend PayloadVotes<Mine, B, A, Message, Output>;
  static constexpr bool kOneIsEnough = false;  // true: an epoch ends with one that is in
  void heard(std::uint64_t epoch, NodeId origin, bool valid, Fx&);
  void voted(std::uint64_t epoch, NodeId origin, bool in, Fx&);
  void forgotten(std::uint64_t epoch, Fx&);
};
// </>
}  // namespace payload_votes_example

void rounds_wire_example(const BcaAgreement::Message& message) {
  // <thresher/protocols/agreement/rounds_wire.hpp>
  WireParts parts = agreement::encode_rounds(message);
  auto again = agreement::decode_rounds<BcaAgreement::Message>(parts);
  // </>
}

void tables_example() {
  // <thresher/protocols/agreement/tables.hpp>
  verify::export_votes(agreement::kCobalt);
  // </>
}

}  // namespace
}  // namespace thresher

namespace thresher::agreement {
namespace {

void node_bits_example(const NodeSet& origins, const Committee& committee, Writer& writer,
                       Reader& reader) {
  // <thresher/protocols/agreement/node_bits.hpp>
  write_nodes(origins, committee.size(), writer);
  std::optional<NodeSet> again = read_nodes(reader, committee.size());
  // </>
}

void round_example(const Committee& committee, bool estimate, NodeId from, NodeId self,
                   BitSet statements, const Trace& traced) {
  // <thresher/protocols/agreement/round.hpp>
  Round round(kBcaRounds, committee);
  round.enter(estimate);
  round.hear(from, statements);
  round.advance(self, traced);
  // </>
}

namespace rounds_example {
// <thresher/protocols/agreement/rounds.hpp>
class BcaAgreement : public RoundAgreement<coin::ThresholdCoin> {
 public:
  explicit BcaAgreement(Config config) : RoundAgreement(std::move(config), kBcaRounds) {}
};
// </>
}  // namespace rounds_example

namespace table_parts_example {
enum Location : std::uint8_t { kV0, kV1, kC0, kC1, kCB, kD0, kD1, kE0, kE1 };
enum Counter : std::uint8_t { kBval0 };
// <thresher/protocols/agreement/table_parts.hpp>
using End = parts::CommonCoin<Location>;
constexpr auto kRules =
    parts::join(std::to_array<VoteRule>({{"say 0", kV0, kC0, {}, kBval0}}), End::kRules);
// </>
}  // namespace table_parts_example

}  // namespace
}  // namespace thresher::agreement

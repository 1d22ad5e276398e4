// The examples of core's headers, compiled (held_test.py says how they are found).
#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "thresher/core/assert.hpp"
#include "thresher/core/base64.hpp"
#include "thresher/core/bounded.hpp"
#include "thresher/core/bytes.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/compose.hpp"
#include "thresher/core/effects.hpp"
#include "thresher/core/error.hpp"
#include "thresher/core/errors.hpp"
#include "thresher/core/executor.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/core/names.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/result.hpp"
#include "thresher/core/rule.hpp"
#include "thresher/core/rule_trace.hpp"
#include "thresher/core/rule_votes.hpp"
#include "thresher/core/signature_list.hpp"
#include "thresher/core/storage.hpp"
#include "thresher/core/threshold.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/verify/conformance.hpp"

namespace thresher {
namespace {

struct Block {};
void drop();

void assert_example(Round floor, Round next, const std::vector<int>& refs) {
  // <thresher/core/assert.hpp>
  THRESHER_ASSERT(floor < next, "what is forgotten was decided");
  THRESHER_DEBUG_ASSERT(std::is_sorted(refs.begin(), refs.end()), "references are in order");
  // </>
}

void bounded_example(const Committee& committee, NodeId from, Round round, Block block) {
  // <thresher/core/bounded.hpp>
  PerPeerMap<Round, Block, 64> waiting(committee.size());
  if (!waiting.insert(from, round, std::move(block))) drop();
  // </>
}

void bytes_example(std::vector<std::byte> vector) {
  // <thresher/core/bytes.hpp>
  Bytes whole = Bytes::from(std::move(vector));
  Bytes part = whole.slice(4, 16);
  // </>
}

void committee_example() {
  // <thresher/core/committee.hpp>
  auto committee = Committee::make(4, 1);
  Tally tally(*committee);
  if (tally.add(NodeId{2}) && tally.reached(kQuorum, *committee)) drop();
  // </>
}

template <class Child, class Input, class Fx, class Wrap, class Consume>
void compose_example(Child& child, const Input& input, EffectsOf<Child>& child_effects, Fx& fx,
                     std::uint32_t instance, Wrap wrap_message, Consume consume_output) {
  // <thresher/core/compose.hpp>
  step(child, input, child_effects);
  lift(child_effects, fx, instance, wrap_message, consume_output);
  // </>
}

void effects_example(Effects<Bytes, Bytes>& fx, const Bytes& key, const Bytes& value,
                     const Bytes& block) {
  constexpr std::uint32_t kOwnBlock = 1;
  // <thresher/core/effects.hpp>
  fx.push(Persist{kOwnBlock, key, value});
  fx.broadcast(block);
  // </>
}

template <class P, class Backend>
void executor_example(P made, Backend& backend, std::span<const InputOf<P>> inputs,
                      std::uint64_t barrier) {
  // <thresher/core/executor.hpp>
  Executor<P, Backend> executor(P(made), backend);
  executor.run(inputs);
  executor.persisted(barrier);
  // </>
}

void hash_example(const Writer& transcript) {
  // <thresher/core/hash.hpp>
  Digest d = hash(transcript.view());
  // </>
}

void hex_example(const Digest& digest) {
  // <thresher/core/hex.hpp>
  std::string digits = to_hex(digest.bytes);
  auto bytes = from_hex("00ff");
  // </>
}

void ids_example(Round r) {
  // <thresher/core/ids.hpp>
  Round next = Round{r.value + 1};
  // </>
}

void node_ids_example(const Committee& committee, int frame) {
  const auto send = [](NodeId, int) {};
  // <thresher/core/node_ids.hpp>
  for (const NodeId to : node_ids(committee.size())) send(to, frame);
  // </>
}

void error_example(const Result<Unit, Error>& saved, std::set<std::string>& taken) {
  // <thresher/core/error.hpp>
  if (!saved && saved.error().code == ErrorCode::kExists) taken.insert(saved.error().where);
  if (!saved) std::cerr << saved.error().text();  // what and where, then what to do about it
  // </>
}

void errors_example() {
  // <thresher/core/errors.hpp>
  Errors wrong;
  wrong.push_back(error_at(ErrorCode::kMalformed, "node.toml:3:8", "delta_us must be a number"));
  for (const Error& e : wrong) std::cerr << e << '\n';  // node.toml:3:8: delta_us must be ...
  // </>
}

Error names_example(const std::vector<std::string>& known, std::string& message) {
  // <thresher/core/names.hpp>
  if (auto near = nearest("treshold", known)) message += "; did you mean '" + *near + "'?";
  message = unknown_name("protocol", "pbtf", known);  // "...; did you mean `pbft`?"
  return unknown("protocol", "pbtf", known);          // the same as an Error: kMissing
  // </>
}

void prng_example(std::uint64_t seed, std::uint64_t link_id) {
  // <thresher/core/prng.hpp>
  Prng rng(seed, link_id);
  std::uint64_t delay = rng.below(100);
  // </>
}

namespace protocol_example {
// <thresher/core/protocol.hpp>
struct Echo {
  using Message = Bytes;
  using Output = Bytes;
  using Request = Bytes;
  void on(const Received<Message>&, EffectsOf<Echo>&);
  void on(const Requested<Request>&, EffectsOf<Echo>&);
};
void turn(Echo& echo, const InputOf<Echo>& input, EffectsOf<Echo>& effects) {
  step(echo, input, effects);
}
// </>
}  // namespace protocol_example

Result<Block> decode(ByteView view);
int refuse(NodeId peer, Errc why);
int result_example(ByteView view, NodeId peer) {
  // <thresher/core/result.hpp>
  Result<Block> block = decode(view);
  if (!block) return refuse(peer, block.error());
  // </>
  return 0;
}

namespace table_example {
enum Location : std::uint8_t { kIdle, kEchoed };
enum Counter : std::uint8_t { kEcho };
constexpr LocationInfo kLocations[] = {{"idle"}, {"echoed"}};
constexpr std::string_view kCounters[] = {"echo"};
// <thresher/core/rule.hpp>
constexpr Rule kRules[] = {{"echo", kIdle, kEchoed, {}, Say{kEcho}}};
constexpr RuleTable kTable{"bracha", kLocations, kCounters, kRules};
static_assert(well_formed(kTable));
template <class Count>
const Rule* next(std::uint8_t location, bool has_input, Count count, const Committee& committee) {
  return enabled(kTable, location, has_input, count, committee);
}
// </>
}  // namespace table_example

int rule_trace_example(const Committee& committee, const NodeSet& faulty) {
  // <thresher/core/rule_trace.hpp>
  RuleLog log;
  Bracha node({.committee = committee, .trace = &log});
  verify::Conformance check(bracha::kTable, committee, faulty);
  for (const RuleEvent& e : log.events) {
    if (!check.add(e)) return 1;
  }
  // </>
  return 0;
}

namespace votes_example {
enum Location : std::uint8_t { kWilling0, kVoted, kMixed };
enum Counter : std::uint8_t { kVote0, kVote1 };
constexpr std::string_view kLocations[] = {"willing 0", "voted", "mixed"};
constexpr std::string_view kCounters[] = {"vote 0", "vote 1"};
constexpr Claim kClaims[] = {{"nobody mixes", ClaimKind::kNever, bits(kMixed)}};
// <thresher/core/rule_votes.hpp>
constexpr VoteRule kRules[] = {
    {"vote 0", kWilling0, kVoted, {}, kVote0},
    {"both", kVoted, kMixed, {SumGuard{bits(kVote0, kVote1), kAvailability}}, {}}};
constexpr VoteTable kTable{"mine", kLocations, bits(kWilling0), kCounters, kRules, kClaims};
static_assert(well_formed(kTable));
// </>
}  // namespace votes_example

bool good(NodeId signer, const Signature& s);
void signature_list_example(const NodeSet& signers, const std::vector<Signature>& signatures) {
  // <thresher/core/signature_list.hpp>
  SignatureList list{signers, signatures};
  bool ok = list.all([&](NodeId signer, const Signature& s) { return good(signer, s); });
  // </>
}

void stop();
void storage_example(Storage& storage, std::span<const Persist> records) {
  // <thresher/core/storage.hpp>
  if (!storage.write(records, Sync::kYes)) stop();
  (void)storage.replay([&](Restored r) { (void)r; });
  // </>
}

void threshold_example(const Committee& committee) {
  // <thresher/core/threshold.hpp>
  committee.at_least(kQuorum);
  // </>
}

void transcript_example(const ChainContext& chain, NodeId author, Round round, const Digest& root) {
  // <thresher/core/transcript.hpp>
  Transcript t("thresher/block/1", chain);
  t.u16(author.value).u64(round.value).bytes(root.bytes);
  Digest digest = t.digest();
  // </>
}

void base64_example(const Digest& digest) {
  // <thresher/core/base64.hpp>
  std::string text = to_base64(digest.bytes);
  auto bytes = from_base64(text);
  // </>
}

}  // namespace
}  // namespace thresher

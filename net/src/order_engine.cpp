#include "order_engine.hpp"

#include "certified_engine.hpp"
#include "dag_engine.hpp"
#include "honey_badger_engine.hpp"
#include "leader_chain_engine.hpp"
#include "pbft_engine.hpp"
#include "raft_engine.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/net/two_delays.hpp"
#include "thresher/protocols/dag/two_delay.hpp"

namespace thresher::net {

Bytes sealed(const Persist& record) {
  Writer w;
  w.bytes(hash(record.body.view()).bytes).bytes(record.value.view());
  return Bytes::from(w.take());
}

std::optional<Bytes> unsealed(const Restored& record) {
  constexpr std::size_t kHash = sizeof(Digest);
  if (record.value.size() < kHash) return std::nullopt;
  Reader in(record.value.view());
  if (in.digest() != hash(record.body.view())) return std::nullopt;
  return record.value.slice(kHash, record.value.size() - kHash);
}

std::unique_ptr<OrderEngine> make_engine(const EngineSettings& s, EngineHost& host) {
  if (s.protocol == "thresher" || s.protocol == "mysticeti") {
    dag::Rules rules = s.protocol == "thresher" ? dag::Rules::thresher() : dag::Rules::mysticeti();
    const bool prompt = parameter_text(s.parameters, s.protocol, "schedule") == "prompt";
    rules.leaders = prompt ? dag::Leaders::kPrompt : dag::Leaders::kMisses;
    if (const auto p = fast_of(s.parameters, s.protocol)) {
      const auto fast = with_two_delays(rules, s.committee, *p);
      THRESHER_ASSERT(fast, "a genesis is refused whose committee does not allow its `fast`");
      rules = *fast;
    }
    return make_dag_engine(s, rules, host);
  }
  const auto number = [&](std::string_view name) {
    return parameter_number(s.parameters, s.protocol, name);
  };
  if (s.protocol == "mahi-mahi") {
    return make_dag_engine(s, dag::Rules::mahi_mahi(number("wave")), host);
  }
  using certified::Rules;
  if (s.protocol == "bullshark") return make_certified_engine(s, Rules::bullshark(), host);
  if (s.protocol == "anchored-bullshark") {
    return make_certified_engine(s, Rules::anchored_bullshark(number("D")), host);
  }
  if (s.protocol == "sparse-bullshark") {
    const bool verifiable = parameter_text(s.parameters, s.protocol, "sampling") == "verifiable";
    return make_certified_engine(s, Rules::sparse_bullshark(number("D"), verifiable), host);
  }
  if (s.protocol == "bullshark-async") {
    return make_certified_engine(s, Rules::bullshark_async(), host);
  }
  if (s.protocol == "simplex")
    return make_leader_chain_engine(s, leader_chain::Rules::simplex(), host);
  if (s.protocol == "hotstuff2")
    return make_leader_chain_engine(s, leader_chain::Rules::hotstuff2(), host);
  if (s.protocol == "pbft") return make_pbft_engine(s, host);
  if (s.protocol == "honeybadger") return make_honey_badger_engine(s, host);
  if (s.protocol == "raft") return make_raft_engine(s, host);
  return nullptr;
}

}  // namespace thresher::net

#include "agreement_words.hpp"
#include "broadcast_bounds.hpp"
#include "coded_words.hpp"
#include "coins.hpp"
#include "registry.hpp"
#include "slot_subject.hpp"
#include "stuffing/honey_badger.hpp"
#include "thresher/protocols/order/honey_badger_wire.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kHistory = 1024;
constexpr std::int64_t kWindow = 32;
constexpr std::int64_t kValueBytes = 65536;
constexpr std::int64_t kBatchBytes = 1 << 18;

struct HoneyBadgerSubject : SlotSubject {
  using Node = HoneyBadger;
  using SlotSubject::facts_of;
  static constexpr bool kIncludes = true;
  const Experiment* experiment;
  Coins coins;

  explicit HoneyBadgerSubject(const Experiment& e)
      : experiment(&e), coins(e, *Committee::make(e.n, e.f), kValidity) {}

  HoneyBadger::Config config_of(NodeId id) const {
    const Experiment& e = *experiment;
    HoneyBadger::Config config;
    config.committee = *Committee::make(e.n, e.f);
    config.self = id;
    config.coin = coins.of(id);
    config.encryption = coins.encryption_of(id);
    config.history = static_cast<std::uint64_t>(parameter(e, "history", kHistory));
    config.window = static_cast<std::uint64_t>(parameter(e, "window", kWindow));
    config.value_bytes = static_cast<std::size_t>(parameter(e, "value_bytes", kValueBytes));
    config.batch_bytes = static_cast<std::size_t>(parameter(e, "batch_bytes", kBatchBytes));
    return config;
  }
  HoneyBadger make(NodeId id) const { return HoneyBadger(config_of(id)); }

  MessageFacts facts_of(const HoneyBadger::Message& message) const {
    MessageFacts out = std::visit([this](const auto& m) { return facts(m); }, message);
    out.bytes = static_cast<std::uint32_t>(encode(message).size());
    return out;
  }
  bool mutate(HoneyBadger::Message& message, NodeId, std::string_view field,
              std::uint64_t salt) const {
    return std::visit([&](auto& m) { return change(m, field, salt); }, message);
  }
  std::vector<HoneyBadger::Message> stuff(NodeId id, const HoneyBadger::Message& heard,
                                          std::uint64_t salt) const {
    const HoneyBadger::Config config = config_of(id);
    return stuff_with(HoneyBadgerStuffing{id, config, heard, slot_of(heard)}, heard, salt);
  }
  std::vector<Bound> bounds(const HoneyBadger& node) const {
    const honey_badger::Footprint held = node.footprint();
    const honey_badger::Footprint most = node.most_held();
    std::vector<Bound> out = broadcast_bounds(held.subset.broadcast, most.subset.broadcast);
    out.push_back(
        {"rounds of agreements", held.subset.agreement.rounds, most.subset.agreement.rounds});
    out.push_back({"bytes of requests", held.request_bytes, most.request_bytes});
    out.push_back({"digests that peers named", held.digests, most.digests});
    out.push_back({"decisions", held.decisions, most.decisions});
    out.push_back({"shares of decryptions", held.decryption_shares, most.decryption_shares});
    return out;
  }
  std::uint64_t round(const HoneyBadger& node) const { return node.epoch(); }
  std::uint64_t refused(const HoneyBadger& node) const { return node.refused(); }
  Reach reach(const HoneyBadger& node) const {
    const auto kept = static_cast<std::uint64_t>(parameter(*experiment, "history", kHistory));
    return reach_back(node.delivered(), kept, "slot", "history");
  }
  /// An epoch that goes on, two that leave a payload out, one that its copies miss, one that has
  /// it. Shares of decryptions are asked for as those of coins are.
  std::uint64_t heals_within(const HoneyBadger&) const {
    const std::uint64_t opening = encrypts(*experiment) ? promises::tosses(0) : 0;
    return 5 * (promises::bracha() + promises::agreement() + opening);
  }

 private:
  MessageFacts facts(const honey_badger::Subset::Message& m) const {
    if (std::holds_alternative<Avid::Message>(m)) return {.label = "broadcast"};
    MessageFacts out = std::visit([](const auto& a) { return agreement_words::facts(a); },
                                  std::get<BcaAgreement::Message>(m));
    out.round /= experiment->n;
    return out;
  }
  static MessageFacts facts(const honey_badger::Forward&) { return {.label = "forward"}; }
  static MessageFacts facts(const honey_badger::Status& m) {
    return {.label = "status", .round = m.delivered};
  }
  static MessageFacts facts(const honey_badger::Decided& m) {
    return {.label = "decided", .round = m.slot, .answer = true};
  }

  static MessageFacts facts(const honey_badger::Reveal& m) {
    return {.label = "reveal", .round = m.epoch, .share = true, .answer = !m.asks};
  }

  static std::uint64_t slot_of(const HoneyBadger::Message& heard) {
    const auto* status = std::get_if<honey_badger::Status>(&heard);
    const auto* decided = std::get_if<honey_badger::Decided>(&heard);
    return status != nullptr ? status->delivered : decided != nullptr ? decided->slot : 0;
  }
  static bool change(honey_badger::Subset::Message& m, std::string_view field, std::uint64_t salt) {
    if (auto* b = std::get_if<Avid::Message>(&m)) return mutate_avid(*b, Mutation(field, salt));
    return std::visit([&](auto& a) { return agreement_words::change(a, Mutation(field, salt)); },
                      std::get<BcaAgreement::Message>(m));
  }
  static bool change(honey_badger::Forward& m, std::string_view field, std::uint64_t salt) {
    return Mutation(field, salt).payload("payload", m.value);
  }
  static bool change(honey_badger::Status& m, std::string_view field, std::uint64_t salt) {
    Mutation by(field, salt);
    return by.number("slot", m.delivered) || by.number("epoch", m.epoch) ||
           by.number("slot", m.first);
  }
  static bool change(honey_badger::Reveal& m, std::string_view field, std::uint64_t salt) {
    Mutation by(field, salt);
    if (m.shares.empty() || !by.picks("share")) return by.number("epoch", m.epoch);
    auto& bytes = m.shares[salt % m.shares.size()].share.bytes;
    bytes[mix64(salt) % bytes.size()] ^= std::byte{1};
    return true;
  }
  static bool change(honey_badger::Decided& m, std::string_view field, std::uint64_t salt) {
    Mutation by(field, salt);
    return by.payload("payload", m.value) || by.number("slot", m.slot);
  }
};

}  // namespace

SubjectEntry subject_honeybadger() {
  ProtocolInfo info;
  info.name = std::string(HoneyBadger::kName);
  info.help = "HoneyBadger: a total order by common subsets, whose liveness asks for nothing";
  info.parameters = {
      {"history", kHistory, 8, 1 << 20, "delivered slots kept"},
      {"window", kWindow, 8, 256, "epochs kept, half of them for nodes that lag"},
      {"value_bytes", kValueBytes, 1, 1 << 24, "largest payload"},
      {"batch_bytes", kBatchBytes, 64, 1 << 24, "of a node's batch in an epoch"},
      coin_parameter(),
      encryption_parameter(),
  };
  info.most_nodes = Avid::kMostNodes;
  info.answers = true;
  info.stuffs = true;
  info.largest_payload = kValueBytes;
  info.fields = {"digest",  "epoch", "fragment", "instance", "number",
                 "payload", "round", "share",    "slot",     "value"};
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(HoneyBadgerSubject(e), e, o);
          }};
}

}  // namespace thresher::sim

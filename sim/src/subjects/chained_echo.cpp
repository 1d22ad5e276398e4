#include <memory>

#include "broadcast_subject.hpp"
#include "thresher/protocols/broadcast/chained_wire.hpp"
#include "thresher/protocols/broadcast/memory_archive.hpp"

namespace thresher::sim {
namespace {

using namespace chained_echo;  // NOLINT(google-build-using-namespace): the protocol's own words

constexpr std::int64_t kSpeakers = 1;
constexpr std::int64_t kIdleTicks = 2;

struct ChainedWords {
  using Broadcast = ChainedEcho;

  static void configure(ChainedEcho::Config& config, const Experiment& e) {
    config.speakers = static_cast<std::uint32_t>(parameter(e, "c", kSpeakers));
    config.idle_ticks = static_cast<std::uint32_t>(parameter(e, "idle", kIdleTicks));
  }
  static std::vector<ParameterInfo> parameters() {
    return {{"c", kSpeakers, 1, Committee::kMaxSize, "nodes that speak of an instance, in turn"},
            {"archive", 1, 0, 1, "1: nodes can read what they forgot, as on a network"},
            {"idle", kIdleTicks, 1, 1000, "ticks of 4 Delta that news waits for its turn"}};
  }
  static std::uint64_t heals_within(const ChainedEcho& node, const Experiment& e) {
    return promises::chained_echo(static_cast<std::uint64_t>(parameter(e, "idle", kIdleTicks)),
                                  node.open(), ChainedEcho::kAtATime);
  }

  static MessageFacts facts(const Extend& m) {
    return {.label = "extend", .round = m.instance.number, .anchor = true};
  }
  static MessageFacts facts(const Status& m) {
    return {.label = "status", .round = m.echoed.count};
  }
  static MessageFacts facts(const Trace& m) { return {.label = "trace", .round = m.to.count}; }
  static MessageFacts facts(const Path& m) {
    return {.label = "path", .round = m.from.count, .answer = true};
  }
  static MessageFacts facts(const Want& m) { return {.label = "want", .round = m.head.count}; }
  static MessageFacts facts(const Give& m) {
    return {.label = "give", .round = m.head.count, .answer = true};
  }
  static MessageFacts facts(const Floor& m) {
    return {.label = "floor", .round = m.head.count, .answer = true};
  }
  static MessageFacts facts(const Delivered& m) {
    return {.label = "delivered", .round = m.head.count, .answer = true};
  }

  static bool change(Extend& m, Mutation by) {
    if (by.picks("flush")) {
      m.flush = !m.flush;
      return true;
    }
    return by.payload("payload", m.payload) || by.number("number", m.instance.number);
  }
  static bool change(Head& m, Mutation& by) {
    return by.digest("digest", m.hash) || by.number("number", m.count);
  }
  static bool change(Status& m, Mutation by) {
    if (by.picks("ready")) {
      m.ready = m.echoed;
      return true;
    }
    return change(m.echoed, by);
  }
  static bool change(Trace& m, Mutation by) { return change(m.from, by) || change(m.to, by); }
  static bool change(Path& m, Mutation by) {
    if (!m.payloads.empty() && by.digest("digest", m.payloads[by.salt() % m.payloads.size()]))
      return true;
    return change(m.from, by);
  }
  static bool change(Want& m, Mutation by) { return change(m.head, by); }
  static bool change(Give& m, Mutation by) {
    return by.payload("payload", m.payload) || change(m.head, by);
  }
  static bool change(Floor& m, Mutation by) { return change(m.head, by); }
  static bool change(Delivered& m, Mutation by) { return change(m.head, by); }

  static std::uint32_t bytes(const ChainedEcho::Message& m) {
    return static_cast<std::uint32_t>(encode(m).size());
  }
  /// Payloads far up its own stream that nobody can use, as large as one may be; and ways to
  /// nowhere.
  static std::vector<ChainedEcho::Message> stuff(NodeId id, const ChainedEcho::Message& heard,
                                                 std::uint64_t salt,
                                                 const ChainedEcho::Config& config) {
    if (const auto* trace = std::get_if<Trace>(&heard)) {
      Path path{trace->origin, trace->from, {}};
      for (std::uint64_t k = 0; k < 2 * config.window; ++k)
        path.payloads.push_back(hash(Writer().u64(salt).u64(k).view()));
      return {std::move(path)};
    }
    if (!std::holds_alternative<Extend>(heard)) return {};
    std::vector<std::byte> filler(config.payload_bytes, static_cast<std::byte>(salt));
    return {Extend{{id, mix64(salt) % config.window}, Bytes::from(std::move(filler)), true}};
  }
};

/// Nodes have archives, as the nodes of a network do: without one, who is away for longer than the
/// others' patience misses what they forgot, and totality is not promised.
struct WithArchives : BroadcastSubject<ChainedWords> {
  /// By node; a liar's two faces share one.
  std::shared_ptr<std::vector<MemoryArchive>> archives =
      std::make_shared<std::vector<MemoryArchive>>(this->experiment->n);

  ChainedEcho make(NodeId id) const {
    ChainedEcho::Config config = this->config_of(id);
    if (parameter(*this->experiment, "archive", 1) != 0) config.archive = &(*archives)[id.value];
    return ChainedEcho(config);
  }
  void archive(NodeId id, const Persist& record) { (*archives)[id.value].add(record); }
  void lose_archive(NodeId id) { (*archives)[id.value].clear(); }
};

}  // namespace

SubjectEntry subject_chained_echo() {
  return broadcast_entry<ChainedWords, WithArchives>(
      "Amortized broadcast: chains of payloads, of which few nodes speak at a time",
      {"digest", "flush", "number", "payload", "ready"});
}

}  // namespace thresher::sim

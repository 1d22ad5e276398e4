#include "stuffing/bracha.hpp"

#include "mutation.hpp"
#include "registry.hpp"
#include "thresher/protocols/broadcast/bracha_wire.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kWindow = 64;
constexpr std::int64_t kPayloadBytes = 1 << 20;
constexpr std::uint32_t kLargestPayload = 1 << 18;  // of drawn schedules

MessageFacts facts(const bracha::Init& m) {
  return {.label = "init", .round = m.instance.number, .anchor = true};
}
MessageFacts facts(const bracha::Statement& m) {
  return {.label = m.counter == bracha::kEcho ? "echo" : "ready", .round = m.instance.number};
}
MessageFacts facts(const bracha::Want& m) {
  return {.label = "want", .round = m.instance.number};
}
MessageFacts facts(const bracha::Give& m) {
  return {.label = "give", .round = m.instance.number, .answer = true};
}
MessageFacts facts(const bracha::Floor& m) {
  return {.label = "floor", .round = m.number};
}

bool change(bracha::Init& m, Mutation by) {
  return by.payload("payload", m.payload) || by.number("number", m.instance.number);
}
bool change(bracha::Statement& m, Mutation by) {
  if (by.picks("counter")) {
    m.counter = m.counter == bracha::kEcho ? bracha::kReadied : bracha::kEcho;
    return true;
  }
  return by.digest("digest", m.digest) || by.number("number", m.instance.number);
}
bool change(bracha::Want& m, Mutation by) {
  return by.number("number", m.instance.number);
}
bool change(bracha::Give& m, Mutation by) {
  return by.payload("payload", m.payload) || by.number("number", m.instance.number);
}
bool change(bracha::Floor& m, Mutation by) {
  return by.number("number", m.number);
}

struct BrachaSubject {
  using Node = Bracha;
  static constexpr bool kOrdered = false;
  static constexpr bool kIncludes = true;
  const Experiment* experiment;

  Bracha make(NodeId id) const { return Bracha(config_of(id)); }
  Bracha::Config config_of(NodeId id) const {
    const Experiment& e = *experiment;
    Bracha::Config config;
    config.committee = *Committee::make(e.n, e.f);
    config.self = id;
    config.window = static_cast<std::uint64_t>(parameter(e, "window", kWindow));
    config.payload_bytes = static_cast<std::size_t>(parameter(e, "payload_bytes", kPayloadBytes));
    return config;
  }
  bracha::Submit request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const Bracha::Message& message) const {
    MessageFacts out = std::visit([](const auto& m) { return facts(m); }, message);
    out.bytes = static_cast<std::uint32_t>(encode(message).size());
    return out;
  }
  OutputFacts facts_of(const bracha::Delivery& d) const {
    const std::uint64_t key = (std::uint64_t{d.instance.origin.value} << 48) | d.instance.number;
    return {key, hash(d.payload.view()), d.instance.number, "deliver"};
  }
  template <class F>
  void payloads(const bracha::Delivery& d, std::optional<NodeId> of, F visit) const {
    if (!of || *of == d.instance.origin) visit(d.payload.view(), d.instance.origin);
  }
  bool mutate(Bracha::Message& m, NodeId, std::string_view field, std::uint64_t salt) const {
    return mutate_bracha(m, Mutation(field, salt));
  }
  std::vector<Bracha::Message> stuff(NodeId id, const Bracha::Message& heard,
                                     std::uint64_t salt) const {
    const Bracha::Config config = config_of(id);
    const BrachaStuffing stuffing{id, experiment->n, number_of(heard), config.window,
                                  config.payload_bytes};
    return stuff_with(stuffing, heard, salt);
  }
  std::vector<Bound> bounds(const Bracha& node) const {
    std::vector<Bound> out;
    add_bounds(node.footprint(), Bracha::most_held(config_of({})), out);
    return out;
  }
  std::uint64_t heals_within(const Bracha&) const { return promises::bracha(); }
  std::uint64_t round(const Bracha&) const { return 0; }
  std::uint64_t refused(const Bracha& node) const { return node.refused(); }
};

}  // namespace

void add_bounds(const bracha::Footprint& held, const bracha::Footprint& most,
                std::vector<Bound>& out) {
  out.push_back({"instances of broadcasts", held.instances, most.instances});
  out.push_back({"digests of broadcasts", held.digests, most.digests});
  out.push_back({"bytes of broadcasts", held.payload_bytes, most.payload_bytes});
}

bool mutate_bracha(Bracha::Message& message, Mutation by) {
  return std::visit([&](auto& m) { return change(m, by); }, message);
}

SubjectEntry subject_bracha() {
  ProtocolInfo info;
  info.name = "bracha";
  info.help = "Bracha's reliable broadcast: every node broadcasts, nothing is ordered";
  info.parameters = {
      {"window", kWindow, 1, 4096, "instances of one origin on the way"},
      {"payload_bytes", kPayloadBytes, 1, 1 << 24, "largest payload"},
  };
  info.answers = true;
  info.stuffs = true;
  info.largest_payload = kLargestPayload;
  info.fields = {"counter", "digest", "number", "payload"};
  return {info,
          [](const Experiment& e, const RunOptions& o) { return run(BrachaSubject{&e}, e, o); }};
}

}  // namespace thresher::sim

#include "attack.hpp"

#include <algorithm>

#include "thresher/sim/outcome.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/told.hpp"

namespace thresher::cli {
namespace {

/// How long a flip-flop behaves, and misbehaves, in turn.
constexpr std::uint64_t kTurnMs = 4000;
/// A time without a quorum, at most.
constexpr std::uint64_t kBlipMs = 10'000;
/// How long nodes that come back were down.
constexpr std::uint64_t kAwayMs = 3000;

text::Value count(text::Value of) {
  text::Value who = text::Value::object();
  who.set("count", std::move(of));
  return who;
}

text::Value nodes(std::uint32_t from, std::uint32_t to) {
  text::Value out = text::Value::list();
  for (std::uint32_t i = from; i < to; ++i) out.push(i);
  return out;
}

// `count` nodes with equal gaps: the same ones each time, where a count alone would draw others.
// `beside`: as many others, each the next in the committee.
text::Value spread(std::uint32_t count, std::uint32_t n, std::uint32_t beside = 0) {
  text::Value out = text::Value::list();
  for (std::uint32_t i = 0; i < count; ++i) out.push(i * n / count + beside);
  return out;
}

text::Value fault(text::Value who, const char* what) {
  text::Value out = text::Value::object();
  out.set("who", std::move(who)).set("what", what);
  return out;
}

Attack one(std::string name, text::Value action) {
  Attack out{.name = std::move(name)};
  out.faults.push(std::move(action));
  return out;
}

// By one node and by f, spread over the committee.
void add_both(std::vector<Attack>& all, const char* what) {
  all.push_back(one(std::string("1 ") + what, fault(count(1), what)));
  all.push_back(one(std::string("f ") + what, fault(count("f"), what)));
}

// A frame-up: f nodes act as if some correct ones had said nothing. They neither vote for their
// blocks nor name them, and ask everybody for them.
Attack frame_up(const AttackScale& scale, std::uint32_t victims, const char* name) {
  const std::uint32_t f = (scale.n - 1) / 3;
  text::Value liars = fault(spread(f, scale.n), "deaf");
  return one(name, liars.set("group", spread(victims, scale.n, 1)));
}

// What makes leader slots wait for ever where nodes may leave rounds out as they like (Qiu, Xiao,
// Shao, "Mysticeti", IEEE S&P 2026): liars fill rounds and vote for no leader, so that a slot needs
// the votes of correct nodes, and f of these hear everything as late as the network may bring it.
Attack round_jumping(const AttackScale& scale) {
  const std::uint32_t f = (scale.n - 1) / 3;
  Attack out{.name = "round jumping"};
  text::Value voteless = fault(spread(f, scale.n), "mutate");
  text::Value late = fault(nodes(0, scale.n), "starve");
  out.faults.push(voteless.set("field", "vote"));
  out.faults.push(late.set("group", spread(f, scale.n, 1)));
  return out;
}

Attack flip_flop(const AttackScale& scale) {
  Attack out{.name = "f silent in turns"};
  for (std::uint64_t at = kTurnMs; at < scale.virtual_ms; at += 2 * kTurnMs) {
    text::Value action = fault(spread((scale.n - 1) / 3, scale.n), "silent");
    out.faults.push(action.set("from", at).set("to", at + kTurnMs));
  }
  return out;
}

Attack blip(const AttackScale& scale) {
  const std::uint64_t from = scale.virtual_ms / 3;
  const std::uint64_t to = from + std::min(kBlipMs, scale.virtual_ms / 3);
  text::Value groups = text::Value::list();
  groups.push(nodes(0, scale.n / 2)).push(nodes(scale.n / 2, scale.n));
  text::Value cut = text::Value::object();
  cut.set("groups", std::move(groups)).set("from", from).set("to", to);
  text::Value cuts = text::Value::list();
  cuts.push(std::move(cut));
  Attack out{.name = "no quorum for a while", .ends_ms = to};
  out.network.set("partitions", std::move(cuts));
  return out;
}

Attack loss() {
  Attack out{.name = "loss of 1 % everywhere"};
  out.network.set("loss", 0.01);
  return out;
}

// When the first correct node commits.
class Commits final : public sim::TraceSink {
 public:
  explicit Commits(std::uint32_t n) : at_(n) {}
  void event(const sim::TraceEvent& event) override {
    if (event.kind == sim::TraceEvent::Kind::kDecide) at_[event.node.value].push_back(event.at);
  }
  const std::vector<sim::Ticks>& of(std::size_t node) const { return at_[node]; }

 private:
  std::vector<std::vector<sim::Ticks>> at_;
};

double ms(sim::Ticks ticks) {
  return static_cast<double>(ticks) / sim::kUnit;
}

void note_commits(const std::vector<sim::Ticks>& at, sim::Ticks ends, sim::Ticks stop,
                  AttackDone& out) {
  const auto first = std::find_if(at.begin(), at.end(), [&](auto t) { return t >= ends; });
  out.first_ms = ms((first == at.end() ? stop : *first) - ends);
  sim::Ticks longest = 0;
  sim::Ticks last = 0;
  for (const sim::Ticks t : at) {
    longest = std::max(longest, t - last);
    last = t;
  }
  out.gap_ms = ms(std::max(longest, stop > last ? stop - last : 0));
}

void note_latencies(std::vector<sim::Ticks> all, AttackDone& out) {
  if (all.empty()) return;
  std::sort(all.begin(), all.end());
  double sum = 0;
  for (const sim::Ticks t : all) sum += ms(t);
  out.mean_ms = sum / static_cast<double>(all.size());
  const auto at = [&](std::size_t percent) { return ms(all[(all.size() - 1) * percent / 100]); };
  out.p50_ms = at(50);
  out.p99_ms = at(99);
}

double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

Result<std::vector<sim::Cell>, Errors> cells_of_row(const Attack& attack,
                                                    const std::string& protocol,
                                                    const AttackScale& scale) {
  return sim::read_experiments(
      text::write(attack_file(attack, protocol, scale)),
      {.file = attack.name, .overrides = scale.overrides, .protocols = sim::simulated_protocols()});
}

}  // namespace

std::vector<Attack> attacks(const AttackScale& scale) {
  const std::uint32_t f = (scale.n - 1) / 3;
  const std::uint64_t third = scale.virtual_ms / 3;
  std::vector<Attack> all{{.name = "none"}};
  add_both(all, "silent");
  all.push_back(one("f silent neighbours", fault(nodes(0, f), "silent")));
  all.push_back(flip_flop(scale));
  text::Value crash = fault(count("f"), "crash");
  all.push_back(one("f crash at a third", crash.set("from", third)));
  text::Value back = fault(count("f"), "crash");
  all.push_back(one("f crash for 3 s", back.set("from", third).set("to", third + kAwayMs)));
  text::Value neighbours = fault(nodes(0, f), "crash");
  all.push_back(one("f crash neighbours", neighbours.set("from", third)));
  for (const char* what : {"twins", "equivocate", "withhold"}) add_both(all, what);
  for (const char* what : {"forge", "stuff"}) {
    all.push_back(one(std::string("f ") + what, fault(count("f"), what)));
  }
  text::Value slow = fault(count("f"), "delay");
  all.push_back(one("f slow by 300 ms", slow.set("delay", 300)));
  text::Value drop = fault(count("f"), "drop");
  all.push_back(one("f drop 30 %", drop.set("probability", 0.3)));
  text::Value few = fault(count(std::max(1U, scale.n / 20)), "drop");
  all.push_back(one("1 of 20 drops 1 %", few.set("probability", 0.01)));
  text::Value flood = fault(count("f"), "flood");
  all.push_back(one("f flood", flood.set("copies", 3)));
  all.push_back(frame_up(scale, 1, "f frame 1"));
  all.push_back(frame_up(scale, f, "f frame f"));
  all.push_back(round_jumping(scale));
  all.push_back(loss());
  all.push_back(blip(scale));
  return all;
}

text::Value attack_file(const Attack& attack, const std::string& protocol,
                        const AttackScale& scale) {
  text::Value name;
  name.set("name", protocol);
  text::Value committee;
  committee.set("n", scale.n);
  text::Value card;
  card.set("mbit_per_s", 1000);
  text::Value network;
  network.set("wan", scale.wan).set("nic", std::move(card));
  for (const text::Member& more : attack.network.members()) network.set(more.key, more.value);
  text::Value costs;
  costs.set("sign_us", 25).set("verify_us", 10).set("hash_us_per_kb", 1);
  text::Value workload;
  workload.set("bytes", 512);
  text::Value stop;
  stop.set("time", scale.virtual_ms);
  text::Value out;
  out.set("schema", 1).set("protocol", std::move(name)).set("committee", std::move(committee));
  out.set("engine", "events").set("network", std::move(network)).set("costs", std::move(costs));
  out.set("workload", std::move(workload)).set("faults", attack.faults);
  out.set("stop", std::move(stop)).set("seed", scale.seed);
  return out;
}

std::string row_problem(const Attack& attack, const std::string& protocol,
                        const AttackScale& scale) {
  const auto cells = cells_of_row(attack, protocol, scale);
  return cells ? std::string() : cells.error().front().text();
}

Result<AttackDone, Error> measure(const Attack& attack, const std::string& protocol,
                                  const AttackScale& scale) {
  const auto cells = cells_of_row(attack, protocol, scale);
  if (!cells) return cells.error().front();
  const sim::Experiment& e = cells->front().experiment;
  Commits commits(e.n);
  const sim::Outcome o = sim::simulate(e, {.trace = &commits});
  AttackDone out;
  out.attack = attack.name;
  out.protocol = protocol;
  out.verdict = sim::told_as(o);
  out.commits = o.decisions;
  out.bytes = o.bytes;
  const auto correct = std::find_if(o.nodes.begin(), o.nodes.end(),
                                    [](const sim::NodeMeasures& node) { return !node.faulty; });
  if (correct != o.nodes.end()) {
    const auto index = static_cast<std::size_t>(correct - o.nodes.begin());
    note_commits(commits.of(index), attack.ends_ms * sim::kUnit, o.time, out);
  }
  note_latencies(o.latencies, out);
  return out;
}

void compare(AttackDone& done, const AttackDone& base) {
  const auto real = [](std::uint64_t x) { return static_cast<double>(x); };
  done.x_mean = ratio(done.mean_ms, base.mean_ms);
  done.x_commits = ratio(real(done.commits), real(base.commits));
  done.x_bytes = ratio(real(done.bytes), real(base.bytes));
}

}  // namespace thresher::cli

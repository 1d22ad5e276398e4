#include "member_cluster.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include "../cluster/processes.hpp"
#include "../testnet.hpp"
#include "halvings.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/config.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::system_clock;

/// Until processes are up and have their links, before the first round.
constexpr seconds kBeforeStart(3);
constexpr milliseconds kLook(20);
constexpr const char* kRun = "cluster";

bool contains(const std::vector<std::uint64_t>& nodes, std::size_t node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

class Members {
 public:
  explicit Members(const MembersOptions& o)
      : options_(o), processes_(o.home, o.values.size()), report_{} {
    report_.members.resize(o.values.size());
  }

  MembersReport run() {
    TestnetOptions net;
    net.dir = options_.home;
    net.nodes = options_.values.size();
    if (const auto made = make_testnet(net); !made) {
      report_.problem = made.error().text();
      return report_;
    }
    start_all();
    if (!report_.problem.empty()) return report_;
    while (!all_done() && system_clock::now() < given_up()) {
      if (report_.interrupted = Interrupts::came(); report_.interrupted) {
        report_.problem = "interrupted";
        return report_;
      }
      carry_out_kills();
      std::this_thread::sleep_for(kLook);
    }
    for (std::size_t i = 0; i < report_.members.size(); ++i) processes_.end(i);
    judge();
    return report_;
  }

 private:
  void start_all() {
    const auto now = std::chrono::time_point_cast<seconds>(system_clock::now());
    begins_ = options_.eps ? system_clock::now() : now + kBeforeStart;
    for (std::size_t i = 0; i < report_.members.size(); ++i) {
      if (contains(options_.dead, i)) {
        report_.members[i].fate = "dead";
      } else if (const auto lie = lie_of(i)) {
        report_.members[i].fate = name_of(*lie);
        start_liar(i, *lie);
      } else {
        processes_.start(i, verb_of(i));
      }
    }
  }
  std::optional<Lie> lie_of(std::size_t node) const {
    for (const LiarAt& liar : options_.liars) {
      if (liar.node == node) return liar.lie;
    }
    return std::nullopt;
  }
  // It means the same run as those that verb_of() starts, or it would get no links.
  void start_liar(std::size_t i, Lie lie) {
    const auto config = net::load_config(options_.home + "/node" + std::to_string(i));
    if (!config) return fail(config.error().front().text());
    const net::NodeOptions node = net::with_paths(config->options);
    auto genesis = net::load_genesis(node.genesis, net::MayLackCoin::kYes);
    if (!genesis) return fail(genesis.error().text());
    const auto key = crypto::load_key(node.key);
    if (!key) return fail(key.error().text());
    const auto [low, high] = std::minmax_element(options_.values.begin(), options_.values.end());
    net::GraphAgreementOptions o;
    o.genesis = std::move(*genesis);
    o.key = *key;
    o.graph = options_.graph;
    o.faults = static_cast<std::uint32_t>(options_.faults);
    o.name = kRun;
    o.value = options_.values[i];
    o.delta_us = parse_duration(options_.delta).value_or(0);
    if (options_.eps)
      o.halvings = halvings_for(static_cast<std::uint64_t>(*high - *low), *options_.eps);
    else
      o.starts = begins_;
    liars_.push_back(std::make_unique<MemberLiar>(std::move(o), static_cast<std::uint16_t>(i), lie,
                                                  *low, *high));
    if (const auto& problem = liars_.back()->problem()) fail(problem->text());
  }
  void fail(const std::string& why) { report_.problem = why; }
  std::vector<std::string> verb_of(std::size_t i) const {
    std::vector<std::string> out{"digraph",
                                 "agree",
                                 "--json",
                                 "--graph=" + options_.graph_file,
                                 "--faults=" + std::to_string(options_.faults),
                                 "--name=" + std::string(kRun),
                                 "--value=" + std::to_string(options_.values[i]),
                                 "--linger=" + std::to_string(options_.patience_us / 1000) + "ms"};
    if (!options_.eps) {
      const auto at = std::chrono::duration_cast<seconds>(begins_.time_since_epoch()).count();
      out.push_back("--at=" + std::to_string(at));
      out.push_back("--delta=" + options_.delta);
      return out;
    }
    const auto [low, high] = std::minmax_element(options_.values.begin(), options_.values.end());
    out.push_back("--approximate");
    out.push_back("--spread=" + std::to_string(*high - *low));
    out.push_back("--eps=" + std::to_string(*options_.eps));
    out.push_back("--patience=" + std::to_string(options_.patience_us / 1000) + "ms");
    return out;
  }
  system_clock::time_point given_up() const {
    if (options_.eps) return begins_ + microseconds(options_.patience_us);
    // The members themselves end after their rounds; this is for those that do not.
    const std::uint64_t rounds = 2 * std::max<std::uint64_t>(options_.values.size(), 2);
    const std::uint64_t delta_us = parse_duration(options_.delta).value_or(0);
    return begins_ + microseconds(2 * rounds * delta_us + options_.patience_us);
  }
  void carry_out_kills() {
    for (const NodeAt& kill : options_.kills) {
      MemberResult& member = report_.members[kill.node];
      if (member.fate != "correct" || system_clock::now() < begins_ + microseconds(kill.at_us))
        continue;
      processes_.kill(kill.node);
      member = {};
      member.fate = "killed";
    }
  }
  // Looks at what the processes wrote meanwhile.
  bool all_done() {
    bool done = true;
    for (std::size_t i = 0; i < report_.members.size(); ++i) {
      MemberResult& member = report_.members[i];
      if (member.fate != "correct" || member.decision || !member.problem.empty()) continue;
      const bool ended = processes_.died(i);
      read_log(i, member);
      if (ended && !member.decision && member.problem.empty()) member.problem = "it ended";
      done = done && (member.decision || !member.problem.empty());
    }
    // A member that is yet to be killed may keep the others from deciding, or not.
    return done && std::all_of(options_.kills.begin(), options_.kills.end(), [&](const NodeAt& k) {
             return report_.members[k.node].fate == "killed";
           });
  }
  void read_log(std::size_t i, MemberResult& member) const {
    std::ifstream in(processes_.log_of(i));
    constexpr std::string_view kComplaint = "thresher: ";
    for (std::string line; std::getline(in, line) && !in.eof();) {
      if (line.starts_with(kComplaint)) member.problem = line.substr(kComplaint.size());
      if (!line.starts_with("{")) continue;
      const auto tree = text::parse(line);
      const text::Value* decision = tree ? tree->find("decision") : nullptr;
      const text::Value* late = tree ? tree->find("late") : nullptr;
      if (decision != nullptr) member.decision = decision->as_signed();
      if (late != nullptr) member.late = late->as_unsigned().value_or(0);
      const text::Value* caught = tree ? tree->find("caught") : nullptr;
      if (caught == nullptr || !member.caught.empty()) continue;
      for (const text::Value& node : caught->items())
        member.caught.push_back(node.as_unsigned().value_or(0));
    }
    if (in.bad())
      member.problem = "cannot read '" + processes_.log_of(i) + "': " + std::strerror(errno);
  }

  void judge() {
    std::vector<std::int64_t> inputs;
    std::vector<std::int64_t> decisions;
    for (std::size_t i = 0; i < report_.members.size(); ++i) {
      const MemberResult& member = report_.members[i];
      if (member.fate != "correct") continue;
      inputs.push_back(options_.values[i]);
      if (member.decision) decisions.push_back(*member.decision);
      report_.undecided = report_.undecided || !member.decision;
    }
    if (accuses_a_correct_member()) report_.violated = "a correct member is said to have lied";
    if (decisions.empty()) return;
    const auto [low, high] = std::minmax_element(decisions.begin(), decisions.end());
    const auto [least, most] = std::minmax_element(inputs.begin(), inputs.end());
    const std::uint64_t apart = static_cast<std::uint64_t>(*high - *low);
    if (apart > options_.eps.value_or(0))
      report_.violated = "decisions are " + std::to_string(apart) + " apart";
    const bool outside = *low < *least || *high > *most;
    // Exact agreement promises a common input alone.
    if (outside && (options_.eps || *least == *most))
      report_.violated = "a decision lies outside the inputs of correct members";
  }

  bool accuses_a_correct_member() const {
    return std::any_of(report_.members.begin(), report_.members.end(),
                       [&](const MemberResult& member) {
                         return std::any_of(member.caught.begin(), member.caught.end(),
                                            [&](std::uint64_t node) { return !lie_of(node); });
                       });
  }

  const MembersOptions& options_;
  Interrupts interrupts_;
  Processes processes_;
  MembersReport report_;
  system_clock::time_point begins_;
  std::vector<std::unique_ptr<MemberLiar>> liars_;
};

}  // namespace

MembersReport run_members(const MembersOptions& options) {
  return Members(options).run();
}

}  // namespace thresher::cli

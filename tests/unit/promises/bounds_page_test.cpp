// docs/protocols/bounds.md against the program: every figure of its two tables, and no row too few.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "thresher/protocols/agreement/approximate.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/mvba.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/broadcast/chained_echo.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/coin/ideal_encryption.hpp"
#include "thresher/protocols/coin/setup_free_coin.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "thresher/protocols/order/honey_badger.hpp"
#include "thresher/protocols/order/hotstuff2.hpp"
#include "thresher/protocols/order/pbft.hpp"
#include "thresher/protocols/order/raft.hpp"
#include "thresher/protocols/order/simplex.hpp"
#include "thresher/protocols/promises.hpp"

namespace thresher {
namespace {

using Row = std::vector<std::uint64_t>;
/// "protocol, what" and its figures, from the smallest committee to the largest.
using Table = std::map<std::string, Row>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto begin = cell.find_first_not_of(' ');
    const auto end = cell.find_last_not_of(' ');
    out.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
  }
  return out;
}

std::uint64_t figure(std::string cell) {
  std::erase(cell, ',');
  return std::stoull(cell);
}

/// The rows under a heading whose first cell begins with a protocol's name.
Table table_under(const std::string& heading, std::size_t columns) {
  std::ifstream page(BOUNDS_PAGE);
  EXPECT_TRUE(page) << BOUNDS_PAGE;
  Table out;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (!inside || !line.starts_with("| `")) continue;
    const auto cells = cells_of(line);
    EXPECT_GT(cells.size(), columns + 1) << line;
    Row row;
    for (std::size_t k = cells.size() - columns; k < cells.size(); ++k)
      row.push_back(figure(cells[k]));
    out[cells[0] + (cells.size() > columns + 2 ? ", " + cells[1] : "")] = row;
  }
  return out;
}

void expect_equal(const Table& page, const Table& program) {
  for (const auto& [name, row] : program) {
    const auto found = page.find(name);
    std::ostringstream told;
    for (const std::uint64_t figure : row) told << " | " << figure;
    if (found == page.end()) {
      ADD_FAILURE() << "the page lacks: " << name << told.str();
    } else {
      EXPECT_EQ(found->second, row) << name << told.str();
    }
  }
  for (const auto& [name, row] : page) EXPECT_TRUE(program.contains(name)) << name;
}

TEST(BoundsPage, SaysWithinWhatTimeProtocolsGoOn) {
  Table program;
  for (const std::uint32_t n : {4U, 7U, 10U, 31U}) {
    const Committee c = *Committee::of(n);
    program["`thresher`, `mysticeti`"].push_back(promises::timed_dag(c, 6));
    program["`mahi-mahi`"].push_back(promises::by_coin(c, 6));
    program["`bullshark`"].push_back(promises::certified(c, 8));
    program["`anchored-bullshark`"].push_back(promises::anchored(c, 8));
    program["`bullshark-async`"].push_back(promises::by_coin(c, 8));
    program["`pbft`"].push_back(promises::pbft(c, 8, Pbft::Config{}.window, 0));
    program["`simplex`"].push_back(
        promises::simplex(c, leader_chain::Rules::simplex().patience, 0));
    program["`hotstuff2`"].push_back(
        promises::hotstuff2(c, leader_chain::Rules::hotstuff2().patience, 0));
    program
        ["`bracha`, `imbs-raynal`, `avid`, `das-xiang-ren`, `signed-broadcast`, "
         "`certified-broadcast`"]
            .push_back(promises::bracha());
    program["`chained-echo`"].push_back(
        promises::chained_echo(ChainedEcho::Config{}.idle_ticks, 1, ChainedEcho::kAtATime));
    program["`threshold-coin`"].push_back(promises::tosses(0));
    program["`vrf-coin`"].push_back(promises::lowest_tickets(0));
    program["`setup-free-coin`"].push_back(promises::setup_free(setup_free::Config{}.rounds, 0));
    program["`bca-agreement`"].push_back(promises::agreement());
    program["`approximate-agreement`"].push_back(
        promises::approximate(ApproximateAgreement<Bracha>::Config{}.rounds));
    program["`mvba`"].push_back(promises::mvba());
    program["`raft`"].push_back(promises::raft());
  }
  expect_equal(table_under("Time", 4), program);
}

void add_dag(const Committee& c, Table& out) {
  dag::Config config;
  config.committee = c;
  const dag::Footprint most = dag::Dag(config).most();
  const auto add = [&](const char* what, std::size_t bound) {
    out[std::string("`thresher`, ") + what].push_back(bound);
  };
  add("blocks", most.blocks);
  add("blocks that wait for a verdict", most.pending);
  add("references to blocks that are missing", most.missing);
  add("blocks that wait for others", most.waiting);
  add("headers kept as evidence", most.proofs);
}

void add_certified(const Committee& c, Table& out) {
  certified::Config config;
  config.committee = c;
  const certified::Footprint most = certified::Bullshark(config).most();
  const auto add = [&](const char* what, std::size_t bound) {
    out[std::string("`anchored-bullshark`, ") + what].push_back(bound);
  };
  add("vertices", most.vertices);
  add("headers without a certificate", most.proposals);
  add("payloads without a vertex", most.batches);
  add("signatures that wait for a verdict", most.checks);
  add("references to vertices that are missing", most.missing);
  add("vertices that wait for others", most.waiting);
  add("certificates that wait to be checked", most.parked);
}

void add_broadcasts(const std::string& protocol, const bracha::Footprint& most, Table& out) {
  const auto add = [&](const char* what, std::size_t bound) {
    out["`" + protocol + "`, " + what].push_back(bound);
  };
  add("instances of broadcasts", most.instances);
  add("digests of broadcasts", most.digests);
  add("remains of broadcasts", most.remains);
  add("bytes of broadcasts", most.payload_bytes);
  if (most.history == 0) return;  // its owner says what matters no more
  add("history of broadcasts", most.history);
  add("digests of the history of broadcasts", most.history_digests);
  add("bytes of the history of broadcasts", most.history_bytes);
}

template <class B>
void add_broadcast(const Committee& c, Table& out) {
  typename B::Config config;
  config.committee = c;
  add_broadcasts(std::string(B::kName), B::most_held(config), out);
}

void add_honey_badger(const Committee& c, Table& out) {
  HoneyBadger::Config config;
  config.committee = c;
  config.coin = std::make_shared<coin::IdealCoin>(c.at_least(kValidity), NodeId{0}, 1);
  const honey_badger::Footprint most = HoneyBadger(config).most_held();
  const auto add = [&](const char* what, std::size_t bound) {
    out[std::string("`honeybadger`, ") + what].push_back(bound);
  };
  add("instances of agreements", most.subset.agreement.instances);
  add("rounds of agreements", most.subset.agreement.rounds);
  add("bytes of requests", most.request_bytes);
  add("digests that peers named", most.digests);
  add("decisions", most.decisions);
  config.encryption = std::make_shared<coin::IdealEncryption>(c.at_least(kValidity), NodeId{0}, 1);
  add("shares of decryptions", HoneyBadger(config).most_held().decryption_shares);
  add_broadcasts("honeybadger", most.subset.broadcast, out);
}

void add_pbft(const Committee& c, Table& out) {
  Pbft::Config config;
  config.committee = c;
  const pbft::Footprint most = Pbft::most_held(config);
  const auto add = [&](const char* what, std::size_t bound) {
    out[std::string("`pbft`, ") + what].push_back(bound);
  };
  add("bytes of requests", most.request_bytes);
  add("bytes of proposals", most.proposal_bytes);
  add("bytes of accepted values", most.value_bytes);
  add("slots with votes", most.slots);
  add("digests that peers named", most.digests);
  add("decisions", most.decisions);
  add("values that are asked for", most.asks);
  add("names in new-views", most.new_views);
  add("digests of values given lately", most.given);
  add_broadcasts("pbft", most.view_changes, out);
}

void add_leader_chain(const Committee& c, Table& out) {
  LeaderChain::Config config;
  config.committee = c;
  const leader_chain::Footprint most = Simplex(config).most_held();
  const auto add = [&](const char* what, std::size_t bound) {
    out[std::string("`simplex`, ") + what].push_back(bound);
  };
  add("bytes of requests", most.request_bytes);
  add("bytes of blocks", most.block_bytes);
  add("votes", most.votes);
  add("certificates", most.certificates);
  add("verdicts that are awaited", most.checks);
  add("digests that peers named", most.digests);
  add("decisions", most.decisions);
  add("digests of values given lately", most.given);
}

void add_raft(const Committee& c, Table& out) {
  Raft::Config config;
  config.committee = c;
  const raft::Footprint most = Raft(config).most_held();
  out["`raft`, entries"].push_back(most.entries);
  out["`raft`, submissions that are not delivered"].push_back(most.pending);
}

void add_mvba(const Committee& c, Table& out) {
  const Mvba<CertifiedBroadcast, BcaAgreement> node(
      {.committee = c,
       .coin = std::make_shared<coin::IdealCoin>(c.at_least(kValidity), NodeId{0}, 1)});
  const auto most = node.most_held();
  const auto add = [&](const char* what, std::size_t bound) {
    out[std::string("`mvba`, ") + what].push_back(bound);
  };
  add("statements of holders", node.most_holdings());
  add("instances of agreements", most.agreement.instances);
  add("rounds of agreements", most.agreement.rounds);
  add_broadcasts("mvba", most.broadcast, out);
}

TEST(BoundsPage, SaysHowMuchPeersCanFill) {
  Table program;
  for (const std::uint32_t n : {4U, 31U}) {
    const Committee c = *Committee::of(n);
    add_dag(c, program);
    add_certified(c, program);
    add_pbft(c, program);
    add_leader_chain(c, program);
    add_mvba(c, program);
    add_raft(*Committee::make(n, 0), program);
    const agreement::Footprint agreements = BcaAgreement::most_held({});
    program["`bca-agreement`, instances"].push_back(agreements.instances);
    program["`bca-agreement`, rounds"].push_back(agreements.rounds);
    add_broadcast<Bracha>(c, program);
    add_broadcast<Avid>(c, program);
    add_broadcast<SignedBroadcast>(c, program);
    add_broadcast<ChainedEcho>(c, program);
    add_honey_badger(c, program);
  }
  expect_equal(table_under("Memory", 2), program);
}

}  // namespace
}  // namespace thresher

// A lottery that nobody can rig: one of four nodes that toss a coin together draws a ticket a
// round, and whoever has the group's key checks each draw.
//
//   thresher testnet init --protocol mahi-mahi -n 4 -o mynet
//   thresher dkg --home mynet/node0               # and the others, at about the same time
//   beacon mynet/node0 100 5                      # 5 draws of 100 tickets; and the others
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "thresher/crypto/key_file.hpp"
#include "thresher/net/beacon.hpp"

int main(int argc, char** argv) {
  using namespace thresher;  // NOLINT: an example
  if (argc != 4) return std::fprintf(stderr, "usage: beacon HOME TICKETS DRAWS\n"), 2;
  const std::string home = argv[1];
  const std::uint64_t tickets = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t draws = std::strtoull(argv[3], nullptr, 10);
  const auto genesis = net::load_genesis(home + "/../genesis.json");
  const auto key = crypto::load_key(home + "/node.key");
  if (!genesis || !key || tickets == 0) return std::fprintf(stderr, "no network there\n"), 1;
  const auto group = crypto::group_key(genesis->coin.value()).value();
  std::atomic<std::uint64_t> drawn = 0;
  auto beacon = net::Beacon::begin(
      {.genesis = *genesis, .key = *key, .coin = home + "/coin.key", .pause_us = 100'000},
      [&](const net::BeaconValue& v) {
        // What the players do, who trust no node: the proof and the group's key give the value.
        const auto value = crypto::check_beacon_proof(group, v.round, v.proof.view());
        if (!value || drawn++ >= draws) return;
        std::printf("draw %llu: ticket %llu\n", static_cast<unsigned long long>(v.round),
                    static_cast<unsigned long long>(value->prefix() % tickets));
      });
  if (!beacon) return std::fprintf(stderr, "%s\n", beacon.error().text().c_str()), 1;
  while (drawn < draws) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::this_thread::sleep_for(std::chrono::seconds(1));  // others may need the last share
  return 0;
}

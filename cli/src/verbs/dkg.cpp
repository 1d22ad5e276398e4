#include <memory>

#include "../coin_making.hpp"
#include "../durations.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/beacon.hpp"
#include "thresher/net/config.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string home;
  std::string keep;
  std::string old_share;
  std::uint64_t patience_s = 60;
  std::uint64_t linger_s = 10;
  bool json = false;
};

int tell_json(const MadeCoin& made, const net::NodeOptions& o, std::uint64_t beacon_round) {
  text::Value out;
  out.set("share", o.coin).set("genesis", o.genesis).set("was_there", made.was_there);
  out.set("all_done", made.all_done).set("group_key", to_hex(made.group));
  out.set("beacon_round", beacon_round);
  if (!made.was_there) out.set("seconds", made.seconds).set("bytes_sent", made.bytes_sent);
  std::puts(text::write(out).c_str());
  return kDone;
}

// What the beacon of a kept key goes on with.
void tell_rounds(std::uint64_t next, const std::string& old_share) {
  if (old_share.empty()) {
    std::printf(
        "start a beacon of this key here with --first and the round that the members with an old "
        "share were told\n");
  } else if (next > 0) {
    std::printf("a beacon of this key goes on with round %llu\n",
                static_cast<unsigned long long>(next));
  } else {
    std::printf(
        "no record of a beacon lies beside '%s': if one ran with this key, start the next one with "
        "--first above its last round\n",
        old_share.c_str());
  }
}

int run(const Args& a) {
  for (const std::string& why :
       {too_long("--patience", a.patience_s), too_long("--linger", a.linger_s)}) {
    if (!why.empty()) return fail(kUsage, why);
  }
  const auto config = net::load_config(a.home);
  if (!config) return fail(kUsage, config.error().front());
  const net::NodeOptions o = net::with_paths(config->options);
  CoinMaking how{.patience = std::chrono::seconds(a.patience_s),
                 .linger = std::chrono::seconds(a.linger_s)};
  Result<std::uint64_t, Error> rounds = std::uint64_t{0};
  if (!a.keep.empty()) {
    auto keep = kept_coin(o, a.keep, a.old_share);
    if (!keep) return fail(kUsage, keep.error());
    // Before there is a new share, so that no beacon runs with it and without the record.
    rounds = net::carry_beacon_rounds(a.old_share, o.coin, keep->group);
    if (!rounds) return fail(kFailed, rounds.error());
    how.keep = std::move(*keep);
  } else if (!a.old_share.empty()) {
    return fail(kUsage, "--old-share is of a coin that is kept: give --keep as well");
  }
  const auto made = make_coin(o, how);
  if (!made) return fail(kFailed, made.error());
  if (a.json) return tell_json(*made, o, *rounds);
  if (made->was_there) {
    std::printf("the coin is there already: group key %s, share in %s\n",
                to_hex(made->group).c_str(), o.coin.c_str());
  } else {
    std::printf("group key %s%s after %.2f s; share in %s, public keys in %s\n",
                to_hex(made->group).c_str(), how.keep ? " kept" : "", made->seconds, o.coin.c_str(),
                o.genesis.c_str());
  }
  if (how.keep) tell_rounds(*rounds, a.old_share);
  if (!made->all_done) {
    std::printf(
        "some nodes are not done. '%s/dkg' keeps what they need of this one and is as secret as "
        "its share: run this again when they do, or remove the folder if they never will\n",
        o.home.c_str());
  }
  return kDone;
}

}  // namespace

Verb make_dkg() {
  auto a = std::make_shared<Args>();
  return {
      {"dkg"},
      "Make the network's coin together with the other nodes, without a dealer: writes this "
      "node's share (0600) and puts the public keys into the genesis file. Run it at all nodes "
      "at about the same time, before the first start. Example: thresher dkg --home mynet/node0",
      {{"--home", "the node's folder", &a->home, true},
       {"--keep",
        "the genesis file of the network before this one, whose committee changed: its coin's "
        "public key stays. Give it at every node",
        &a->keep},
       {"--old-share",
        "with --keep: the file of this node's share of the old coin; left out where it was no "
        "member, or lost it",
        &a->old_share},
       {"--patience", "seconds until it gives up; begun again, it goes on, or is there for others",
        &a->patience_s},
       {"--linger", "seconds that it stays for nodes that are not done", &a->linger_s},
       {"--json", "one object on one line", &a->json}},
      [a] { return run(*a); }};
}

}  // namespace thresher::cli

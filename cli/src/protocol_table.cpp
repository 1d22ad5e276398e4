#include "protocol_table.hpp"

#include <vector>

#include "thresher/core/names.hpp"
#include "thresher/protocols/broadcast/by_name.hpp"

namespace thresher::cli {
namespace {

constexpr ProtocolRow kRows[] = {
    {"thresher", "total order, sparse uncertified DAG", "f Byzantine, n >= 3f+1",
     "3 for a leader's block, 4 for others", "n(n-1) a round",
     "about 180 bytes a block, n/8 + 40 n more for the leader's", "signatures, partial synchrony",
     "cluster, sim", "safety and liveness in Coq (docs/protocols/proof.md); attacked schedules"},
    {"mysticeti", "total order, dense uncertified DAG", "f Byzantine, n >= 3f+1",
     "3 for a leader's block, 4 for others", "n(n-1) a round", "about 42 n bytes a block",
     "signatures, partial synchrony", "cluster, sim", "attacked schedules"},
    {"mahi-mahi", "total order, dense uncertified DAG, leaders by a common coin",
     "f Byzantine, n >= 3f+1", "5 for a leader's block, 6 for others",
     "2 n(n-1) a round, half of them coin shares", "about 42 n bytes a block, 105 a coin share",
     "signatures, a dealt threshold coin, no timing", "cluster, sim", "attacked schedules"},
    {"anchored-bullshark", "total order, sparse certified DAG with dense anchors",
     "f Byzantine, n >= 3f+1", "6 for an anchor, 9 for others", "3 n(n-1) a round",
     "about 130 bytes a header, 64 more for each signature of a certificate",
     "signatures, partial synchrony", "cluster, sim",
     "safety in Coq (docs/protocols/proof.md); attacked schedules"},
    {"bullshark", "total order, dense certified DAG", "f Byzantine, n >= 3f+1",
     "6 for an anchor, 9 for others", "3 n(n-1) a round",
     "about 130 + n/8 bytes a header, 64 more for each signature of a certificate",
     "signatures, partial synchrony", "cluster, sim",
     "safety in Coq (docs/protocols/proof.md); attacked schedules"},
    {"sparse-bullshark", "total order with a probability, sparse certified DAG as published",
     "f Byzantine, n >= 3f+1", "6 for an anchor, more than 9 for others", "3 n(n-1) a round",
     "about 130 + 2 D bytes a header, 64 more for each signature of a certificate",
     "signatures, partial synchrony, luck", "cluster, sim", "attacked schedules"},
    {"bullshark-async", "total order, dense certified DAG, leaders by a common coin",
     "f Byzantine, n >= 3f+1", "6 for a leader when all goes well, 9 for others",
     "3 n(n-1) a round, n(n-1) coin shares every 4 rounds",
     "about 130 + n/8 bytes a header, 64 more for each signature of a certificate",
     "signatures, a dealt threshold coin, no timing", "cluster, sim", "attacked schedules"},
    {"pbft", "total order, a leader and view changes, without signatures", "f Byzantine, n >= 3f+1",
     "3", "2 n(n-1) + n-1 a slot", "about 60 bytes a vote, the payload n-1 times",
     "authenticated links, partial synchrony", "cluster, sim",
     "safety in Coq (docs/protocols/proof.md); attacked schedules"},
    {"simplex", "total order, a leader a view, finalized by votes of all", "f Byzantine, n >= 3f+1",
     "3, a block every 2", "2 n(n-1) + 2(n-1) a block",
     "about 106 bytes a vote, 66 for each signature of a certificate, the payload n-1 times",
     "signatures, partial synchrony", "cluster, sim", "attacked schedules"},
    {"hotstuff2", "total order, a leader a view, votes to the next leader",
     "f Byzantine, n >= 3f+1", "5, a block every 2", "2(n-1) a block",
     "about 106 bytes a vote, 66 for each signature of a certificate, the payload n-1 times",
     "signatures, partial synchrony", "cluster, sim", "attacked schedules"},
    {"raft", "total order under crashes, a leader by election",
     "a minority that crashes, n >= 2f+1", "2", "2(n-1) an entry", "the payload n-1 times",
     "partial synchrony, nobody Byzantine", "cluster, sim", "attacked schedules"},
    {"bracha", "reliable broadcast, from a rule table that `verify` proves",
     "f Byzantine, n >= 3f+1", "2 when (n+3f+1)/2 echo, else 3", "2 n(n-1) + n-1 an instance",
     "45 bytes a message, the payload n-1 times", "authenticated links, no timing",
     "library, cluster --broadcast, Channel, sim",
     "agreement, unforgeability, totality, validity for every n (thresher verify --protocol "
     "bracha); attacked schedules"},
    {"imbs-raynal", "reliable broadcast, from a rule table that `verify` proves",
     "f Byzantine, n >= 5f+1", "2", "n(n-1) + n-1 an instance",
     "45 bytes a message, the payload n-1 times", "authenticated links, no timing",
     "library, cluster --broadcast, Channel, sim",
     "agreement, unforgeability, totality, validity for every n (thresher verify --protocol "
     "imbs-raynal); attacked schedules"},
    {"signed-broadcast", "reliable broadcast by certificates", "f Byzantine, n >= 3f+1", "2",
     "n(n-1) + n-1 an instance, n(n-1) summaries every 4 Delta",
     "107 bytes a vote, the payload n-1 times", "signatures, no timing",
     "library, cluster --broadcast, Channel, sim",
     "agreement, integrity, totality, validity under attacked schedules"},
    {"certified-broadcast", "reliable broadcast by certificates, votes to the origin",
     "f Byzantine, n >= 3f+1", "3", "3(n-1) an instance, n(n-1) summaries every 4 Delta",
     "107 bytes a vote, 66 for each signature of a certificate, the payload n-1 times",
     "signatures, no timing", "library, cluster --broadcast, Channel, sim",
     "agreement, integrity, totality, validity under attacked schedules"},
    {"chained-echo", "reliable broadcast of streams, amortized: c nodes speak of an instance",
     "f Byzantine, n >= 3f+1", "2 or 3 with FLUSH, else within 2n/c instances",
     "(n-1)(1+c) an instance", "52 bytes a statement, the payload n-1 times",
     "authenticated links, hashes, no timing", "library, cluster --broadcast, Channel, sim",
     "agreement, integrity, totality, validity under attacked schedules"},
    {"avid", "reliable broadcast of fragments under a Merkle root",
     "f Byzantine, n >= 3f+1, n <= 255", "3", "2 n(n-1) + n-1 an instance",
     "43 + 32 log n bytes a message, the payload n times n/(n-2f)",
     "authenticated links, no timing, Reed-Solomon", "library, cluster --broadcast, Channel, sim",
     "agreement, integrity, totality, validity under attacked schedules"},
    {"das-xiang-ren", "reliable broadcast of fragments under a hash, errors corrected",
     "f Byzantine, n >= 3f+1, n <= 255", "3", "2 n(n-1) + n-1 an instance",
     "43 bytes a message, the payload n-1 times and 2 n times n/(n-2f)",
     "authenticated links, no timing, Reed-Solomon", "library, cluster --broadcast, Channel, sim",
     "agreement, integrity, totality, validity under attacked schedules"},
    {"threshold-coin", "common coins, one an instance, from shares of a secret",
     "f Byzantine, n >= 3f+1", "1", "n(n-1) a toss", "105 bytes a share",
     "a threshold key, dealt or from dkg, no timing", "library, thresher beacon, cluster, sim",
     "attacked schedules"},
    {"vrf-coin", "weak common coins, one an instance, from the lowest of the nodes' tickets",
     "f Byzantine, n >= 3f+1", "2", "2 n(n-1) a toss", "90 bytes a ticket, 91 a lowest one",
     "keys fixed before the instances, a scheduler that does not look into tickets, no timing",
     "library, CoinStream, sim", "attacked schedules"},
    {"setup-free-coin", "strong common coins, one an instance, from secrets that nodes share",
     "f Byzantine, n >= 3f+1, n <= 255", "2 R + 7, R rounds of weights",
     "of the order of R n^3 a toss", "the weights, 8 n bytes each",
     "private authenticated links, no keys, no timing", "library, CoinStream, sim",
     "attacked schedules"},
    {"committee-coin", "weak common coins, the majority of coins that small committees toss",
     "few Byzantine: (s-1)/3 of n, committees of s", "those of the coins inside, and 1",
     "N coins of s nodes each, and n N d bits, N = n^(2-2/k)", "5 bytes a bit, and the coins'",
     "what the coins inside need, no timing", "library, CoinStream, sim", "attacked schedules"},
    {"local-coin", "a coin of each node's own", "any number", "0", "none", "none", "nothing",
     "library, inside ben-or", "with ben-or"},
    {"dkg", "distributed key generation: a key shared among all, which nobody ever held",
     "f Byzantine, n >= 3f+1", "about 14", "n broadcasts, n agreements, n^2(n-1) acks",
     "128 + 32 m (n+f+1) bytes a dealing, m secrets",
     "authenticated links, identities, coins for its agreement, no timing",
     "library, thresher dkg, sim", "attacked schedules"},
    {"bca-agreement", "binary agreement, from a rule table that `verify` proves",
     "f Byzantine, n >= 3f+1", "4 and a coin a round, at most 4 rounds in the mean",
     "5 n(n-1) a round, one of them coin shares", "18 bytes a message, 106 a coin share",
     "authenticated links, a common coin, no timing", "library, agreement::Channel, sim",
     "agreement, justification, locks, progress, binding for every n (thresher verify --protocol "
     "bca); attacked schedules"},
    {"graded-bca", "binary agreement for weak coins, from a rule table that `verify` proves",
     "f Byzantine, n >= 3f+1", "6 and a coin a round", "7 n(n-1) a round, one of them coin shares",
     "18 bytes a message, 106 a coin share", "authenticated links, a weak coin, no timing",
     "library, agreement::Channel, sim",
     "agreement, grades, justification, locks, progress for every n (thresher verify --protocol "
     "graded_bca); attacked schedules"},
    {"cobalt", "binary agreement, from a rule table that `verify` proves", "f Byzantine, n >= 3f+1",
     "4 or 5 and a coin a round, at most 4 rounds in the mean",
     "5 n(n-1) a round, one of them coin shares", "18 bytes a message, 106 a coin share",
     "authenticated links, a common coin, no timing", "library, agreement::Channel, sim",
     "agreement, justification, locks, progress, binding for every n (thresher verify --protocol "
     "cobalt); attacked schedules"},
    {"ben-or", "binary agreement with local coins, from a rule table that `verify` proves",
     "f Byzantine, n >= 5f+1", "2 a round, 2^n rounds in the mean at worst", "2 n(n-1) a round",
     "18 bytes a message", "authenticated links, no coin, no timing",
     "library, agreement::Channel, sim",
     "locks, progress, one side for every n (thresher verify --protocol ben_or); attacked "
     "schedules"},
    {"mmr14", "binary agreement that a scheduler can stall: the negative test",
     "f Byzantine, n >= 3f+1", "3 or 4 and a coin a round, for ever at worst",
     "4 n(n-1) a round, one of them coin shares", "18 bytes a message, 106 a coin share",
     "authenticated links, a common coin, a scheduler that does not see it",
     "library, agreement::Channel, sim",
     "agreement, justification, locks, progress for every n (thresher verify --protocol mmr14); "
     "not binding, so a scheduler stalls it"},
    {"approximate-agreement", "numbers near each other, within the correct inputs",
     "f Byzantine, n >= 3f+1", "a broadcast and one more a round, each halves the spread",
     "n broadcasts and n(n-1) reports a round", "those of the broadcast, n/8 + 10 bytes a report",
     "a broadcast, no coin, no timing", "library, agreement::Channel, setup-free-coin, sim",
     "attacked schedules"},
    {"honeybadger", "total order by common subsets of batches", "f Byzantine, n >= 3f+1",
     "those of a broadcast and of about log n rounds of agreement",
     "n broadcasts and n agreements an epoch", "those of both, a byte more a message",
     "a threshold coin, encryption by its key if asked for, no timing, Reed-Solomon",
     "cluster, sim", "attacked schedules"},
    {"common-subset", "n-f payloads or more on which all agree, by epochs",
     "f Byzantine, n >= 3f+1", "those of a broadcast and of about log n rounds of agreement",
     "a broadcast and an agreement for each of n payloads", "those of both",
     "a broadcast, a common coin, no timing", "library, agreement::Channel, honeybadger, sim",
     "attacked schedules"},
    {"mvba", "agreement on one of the nodes' values, if a predicate accepts it",
     "f Byzantine, n >= 3f+1", "5 and those of 3/2 agreements in the mean",
     "n broadcasts, n(n-1) coin shares, n(n-1) statements or a few more, 3/2 agreements",
     "those of its parts, n/8 + 10 bytes a statement",
     "signatures or another broadcast, a common coin, no timing",
     "library, agreement::Channel, sim", "attacked schedules"},
};

}  // namespace

std::span<const ProtocolRow> protocol_table() {
  return kRows;
}

std::string no_broadcast(const std::string& name) {
  if (broadcast::with(name, [](auto) {})) return {};
  std::vector<std::string> known;
  [&]<class... B>(std::type_identity<std::tuple<B...>>) {
    (known.emplace_back(B::kName), ...);
  }(std::type_identity<broadcast::All>{});
  const auto close = nearest(name, known);
  return "no broadcast is called '" + name + "'" +
         (close ? "; did you mean '" + *close + "'?" : "; there is: " + broadcast::names());
}

}  // namespace thresher::cli

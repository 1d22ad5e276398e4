#include "protocol_table.hpp"

namespace thresher::cli {
namespace {

constexpr ProtocolRow kRows[] = {
    {"thresher", "total order, sparse uncertified DAG", "f Byzantine, n >= 3f+1",
     "3 for a leader's block, 4 for others", "n(n-1) a round",
     "about 180 bytes a block, n/8 + 40 n more for the leader's", "signatures, partial synchrony",
     "cluster, sim"},
    {"mysticeti", "total order, dense uncertified DAG", "f Byzantine, n >= 3f+1",
     "3 for a leader's block, 4 for others", "n(n-1) a round", "about 42 n bytes a block",
     "signatures, partial synchrony", "cluster, sim"},
    {"anchored-bullshark", "total order, sparse certified DAG with dense anchors",
     "f Byzantine, n >= 3f+1", "6 for an anchor, 9 for others", "3 n(n-1) a round",
     "about 130 bytes a header, 64 more for each signature of a certificate",
     "signatures, partial synchrony", "cluster"},
    {"bullshark", "total order, dense certified DAG", "f Byzantine, n >= 3f+1",
     "6 for an anchor, 9 for others", "3 n(n-1) a round",
     "about 130 + n/8 bytes a header, 64 more for each signature of a certificate",
     "signatures, partial synchrony", "cluster"},
    {"sparse-bullshark", "total order, sparse certified DAG as published: safety is probable",
     "f Byzantine, n >= 3f+1", "6 for an anchor, more for others", "3 n(n-1) a round",
     "about 130 bytes a header, 64 more for each signature of a certificate",
     "signatures, partial synchrony", "cluster"},
    {"bullshark-async", "total order, dense certified DAG with a fallback leader by coin",
     "f Byzantine, n >= 3f+1", "6 for an anchor, 12 for a fallback leader",
     "3 n(n-1) a round and n(n-1) for each coin",
     "about 130 + n/8 bytes a header, 64 more for each signature, 96 a coin share",
     "signatures, a dealt threshold coin, no timing", "cluster"},
    {"pbft", "total order, a leader and view changes, without signatures", "f Byzantine, n >= 3f+1",
     "3", "2 n(n-1) + n-1 a slot", "about 60 bytes a vote, the payload n-1 times",
     "authenticated links, partial synchrony", "cluster"},
    {"raft", "total order under crashes, a leader by election",
     "a minority that crashes, n >= 2f+1", "2", "2(n-1) an entry", "the payload n-1 times",
     "partial synchrony, nobody Byzantine", "cluster"},
    {"bracha", "reliable broadcast, from a rule table that `verify` proves",
     "f Byzantine, n >= 3f+1", "3", "2 n(n-1) + n-1 an instance",
     "45 bytes a message, the payload n-1 times", "authenticated links, no timing",
     "library, tests"},
};

}  // namespace

std::span<const ProtocolRow> protocol_table() {
  return kRows;
}

}  // namespace thresher::cli

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
    {"mahi-mahi", "total order, dense uncertified DAG, leaders by a common coin",
     "f Byzantine, n >= 3f+1", "5 for a leader's block, 6 for others",
     "2 n(n-1) a round, half of them coin shares", "about 42 n bytes a block, 105 a coin share",
     "signatures, a dealt threshold coin, no timing", "cluster, sim"},
    {"anchored-bullshark", "total order, sparse certified DAG with dense anchors",
     "f Byzantine, n >= 3f+1", "6 for an anchor, 9 for others", "3 n(n-1) a round",
     "about 130 bytes a header, 64 more for each signature of a certificate",
     "signatures, partial synchrony", "cluster, sim"},
    {"bullshark", "total order, dense certified DAG", "f Byzantine, n >= 3f+1",
     "6 for an anchor, 9 for others", "3 n(n-1) a round",
     "about 130 + n/8 bytes a header, 64 more for each signature of a certificate",
     "signatures, partial synchrony", "cluster, sim"},
    {"sparse-bullshark", "total order with a probability, sparse certified DAG as published",
     "f Byzantine, n >= 3f+1", "6 for an anchor, more than 9 for others", "3 n(n-1) a round",
     "about 130 + 2 D bytes a header, 64 more for each signature of a certificate",
     "signatures, partial synchrony, luck", "cluster, sim"},
    {"bullshark-async", "total order, dense certified DAG, leaders by a common coin",
     "f Byzantine, n >= 3f+1", "6 for a leader when all goes well, 9 for others",
     "3 n(n-1) a round, n(n-1) coin shares every 4 rounds",
     "about 130 + n/8 bytes a header, 64 more for each signature of a certificate",
     "signatures, a dealt threshold coin, no timing", "cluster, sim"},
    {"pbft", "total order, a leader and view changes, without signatures", "f Byzantine, n >= 3f+1",
     "3", "2 n(n-1) + n-1 a slot", "about 60 bytes a vote, the payload n-1 times",
     "authenticated links, partial synchrony", "cluster, sim"},
    {"raft", "total order under crashes, a leader by election",
     "a minority that crashes, n >= 2f+1", "2", "2(n-1) an entry", "the payload n-1 times",
     "partial synchrony, nobody Byzantine", "cluster, sim"},
    {"bracha", "reliable broadcast, from a rule table that `verify` proves",
     "f Byzantine, n >= 3f+1", "2 when (n+3f+1)/2 echo, else 3", "2 n(n-1) + n-1 an instance",
     "45 bytes a message, the payload n-1 times", "authenticated links, no timing",
     "library, tests, sim"},
    {"imbs-raynal", "reliable broadcast, from a rule table that `verify` proves",
     "f Byzantine, n >= 5f+1", "2", "n(n-1) + n-1 an instance",
     "45 bytes a message, the payload n-1 times", "authenticated links, no timing",
     "library, tests, sim"},
    {"signed-broadcast", "reliable broadcast by certificates", "f Byzantine, n >= 3f+1", "2",
     "n(n-1) + n-1 an instance, n(n-1) summaries every 4 Delta",
     "107 bytes a vote, the payload n-1 times", "signatures, no timing", "library, tests, sim"},
    {"certified-broadcast", "reliable broadcast by certificates, votes to the origin",
     "f Byzantine, n >= 3f+1", "3", "3(n-1) an instance, n(n-1) summaries every 4 Delta",
     "107 bytes a vote, 66 for each signature of a certificate, the payload n-1 times",
     "signatures, no timing", "library, tests, sim"},
    {"chained-echo", "reliable broadcast of streams, amortized: c nodes speak of an instance",
     "f Byzantine, n >= 3f+1", "2 or 3 with FLUSH, else within 2n/c instances",
     "(n-1)(1+c) an instance", "52 bytes a statement, the payload n-1 times",
     "authenticated links, hashes, no timing", "library, tests, sim"},
    {"avid", "reliable broadcast of fragments under a Merkle root",
     "f Byzantine, n >= 3f+1, n <= 255", "3", "2 n(n-1) + n-1 an instance",
     "43 + 32 log n bytes a message, the payload n times n/(n-2f)",
     "authenticated links, no timing, Reed-Solomon", "library, tests, sim"},
    {"das-xiang-ren", "reliable broadcast of fragments under a hash, errors corrected",
     "f Byzantine, n >= 3f+1, n <= 255", "3", "2 n(n-1) + n-1 an instance",
     "43 bytes a message, the payload n-1 times and 2 n times n/(n-2f)",
     "authenticated links, no timing, Reed-Solomon", "library, tests, sim"},
};

}  // namespace

std::span<const ProtocolRow> protocol_table() {
  return kRows;
}

}  // namespace thresher::cli

// Kademlia: a key belongs to the node whose identifier has the smallest XOR with it, and each node
// knows a few contacts for every length of prefix that it shares with others.
//
//   KademliaRouter router(places, self, experiment);
//   std::optional<NodeId> next = router.next(key, /*attempt=*/0);     // empty: it is mine
//
// Guarantees: every hop is nearer to the key, so a lookup ends at the owner from any start; about
// half of log2(n) hops on average with one contact a bucket, fewer with more. Lookups pass from
// node to node (QUANTAS does so; the paper's asker drives them itself). Buckets are filled from the
// whole membership, by draws of the seed.
// Source: Maymounkov, Mazieres, "Kademlia" (IPTPS 2002), sections 2.1 and 2.2.
#pragma once

#include <bit>

#include "lookup.hpp"

namespace thresher::sim {

class KademliaRouter {
 public:
  static constexpr std::int64_t kContacts = 1;

  KademliaRouter(const Places& places, NodeId self, const Experiment& e) {
    const auto& all = places.sorted;
    const std::size_t me = places.index_of(self);
    at_ = all[me].at;
    Prng rng(e.seed, mix64(self.value));
    const auto contacts = static_cast<std::size_t>(parameter(e, "contacts", kContacts));
    std::size_t begin = 0;  // of those that share the bits so far
    std::size_t end = all.size();
    for (int bit = 63; end - begin > 1; --bit) {
      const std::uint64_t mask = std::uint64_t{1} << bit;
      const std::uint64_t ones = (at_ & ~(mask - 1)) | mask;  // the first of those with the bit set
      const std::size_t middle = std::clamp(places.from(ones), begin, end);
      const bool high = (at_ & mask) != 0;
      fill(places, high ? begin : middle, high ? middle : end, {bit, contacts}, rng);
      (high ? begin : end) = middle;
    }
  }

  /// `attempt` takes another contact of the bucket.
  std::optional<NodeId> next(std::uint64_t key, std::uint32_t attempt) const {
    for (const Bucket& bucket : buckets_) {  // longest step first
      if ((((at_ ^ key) >> bucket.bit) & 1) == 0) continue;
      const auto rank = attempt % bucket.contacts.size();
      std::vector<Places::Place> by_distance = bucket.contacts;
      std::sort(by_distance.begin(), by_distance.end(),
                [&](const auto& a, const auto& b) { return (a.at ^ key) < (b.at ^ key); });
      return by_distance[rank].id;
    }
    return std::nullopt;
  }

 private:
  struct Bucket {
    int bit = 0;  // the highest bit in which its contacts differ from this node
    std::vector<Places::Place> contacts;
  };
  struct Filling {
    int bit;
    std::size_t contacts;
  };

  // Draws contacts of places [begin, end) without repetition.
  void fill(const Places& places, std::size_t begin, std::size_t end, Filling how, Prng& rng) {
    if (begin == end) return;
    Bucket bucket{how.bit, {}};
    if (how.contacts >= end - begin) {
      for (std::size_t i = begin; i < end; ++i) bucket.contacts.push_back(places.sorted[i]);
    }
    while (bucket.contacts.size() < std::min(how.contacts, end - begin)) {
      const Places::Place& drawn = places.sorted[begin + rng.below(end - begin)];
      const auto known = std::find_if(bucket.contacts.begin(), bucket.contacts.end(),
                                      [&](const auto& c) { return c.id == drawn.id; });
      if (known == bucket.contacts.end()) bucket.contacts.push_back(drawn);
    }
    buckets_.push_back(std::move(bucket));
  }

  std::uint64_t at_ = 0;
  std::vector<Bucket> buckets_;  // by bit, highest first; none is empty
};

}  // namespace thresher::sim

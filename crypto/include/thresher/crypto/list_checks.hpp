// One verdict on a list of signatures, put together from a Batcher's verdicts on each.
//
//   VerifyRequest request = lists.open(asked, list.signatures.size());
//   list.for_each([&](NodeId signer, const Signature& s) {
//     request.key = key_of(signer);
//     request.signature = s;
//     (void)batcher.add(request);                  // false: over its quota; ask again later
//   });
//   for (const VerifyAnswer& a : batcher.run())
//     if (const auto whole = lists.settle(a)) ...    // of a list: with its last signature
//
// Guarantees: one answer for each list, under the instance and ticket that it was asked with, as
// soon as all of its signatures are answered. Holds lists that wait and nothing of those that do
// not: each keeps a signature in the batcher, whose quotas bound them. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "thresher/crypto/batcher.hpp"

namespace thresher::crypto {

class ListChecks {
 public:
  /// The instance under which signatures of lists are asked; no other caller may use it.
  static constexpr std::uint32_t kInstance = ~std::uint32_t{0};

  /// `asked` as it must be added, with key and signature filled in, for each of `count` signatures.
  /// Pre: count >= 1, and so many are added before the batcher is destroyed.
  VerifyRequest open(const VerifyRequest& asked, std::size_t count);
  /// What to hand on: an answer that is of no list as it is, the answer of a list with its last
  /// signature, else nothing. A list with bad signatures has the verdict of one of them.
  std::optional<VerifyAnswer> settle(const VerifyAnswer& answer);
  std::size_t waiting() const { return lists_.size(); }  ///< lists

 private:
  struct List {
    VerifyAnswer answer;
    std::size_t left = 0;
  };
  std::map<std::uint64_t, List> lists_;  // by number
  std::uint64_t opened_ = 0;
};

}  // namespace thresher::crypto

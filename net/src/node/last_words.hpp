// What a node says when it cannot go on: what is wrong, where, and what its operator does about it.
// Private to net/.
//
//   const LastWords words(options, /*vouching=*/committee.at_least(kValidity));
//   halt(words.unreadable(Errc::kCorrupt, "a payload of slot 7"));
//
// Guarantees: every error names the folder or the file that it is about, and a remedy where there
// is one. None of them says to try again with data that a key may have signed more than.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "ledger/standing_check.hpp"
#include "life/checkpoints.hpp"
#include "life/divergence.hpp"
#include "store/writer_thread.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {

class LastWords {
 public:
  /// `vouching`: peers of whom one at least is correct.
  LastWords(const NodeOptions& options, std::uint32_t vouching)
      : home_(options.home),
        data_(options.data),
        genesis_(options.genesis),
        vouching_(std::to_string(vouching)) {}

  // The disk.
  /// It does not give back what was stored; `place` is what was read. Pre: errno is that of the
  /// read, if that is why.
  Error unreadable(Errc why, const std::string& place) const;
  Error not_written(const Error& why, WriterThread::Failure failure) const;
  /// `begins`: the position at which the log begins, which no snapshot reaches. `refused`: some
  /// would, and the application did not take them.
  Error pruned_too_far(std::uint64_t begins, bool refused) const;
  /// `snapshot`, a file or folder, did not give `state`; it is gone when `remedy` is removed.
  /// `begins`: of the log.
  Error restored_wrongly(const std::string& snapshot, const std::string& state,
                         const std::string& remedy, std::uint64_t begins) const;

  // Others.
  /// The digests of all blocks hang on the genesis file, so another one shows in the first entry.
  Error of_other_genesis(const std::string& place) const;
  /// What shows that the key may have signed more than the disk knows.
  Error never_twice(const std::string& what) const;
  Error differs_from_peers(Round slot) const;
  Error differs_from_peers(const StandingCheck::Finding& found) const;
  Error broken_invariant(const std::string& protocol, std::uint32_t f,
                         const std::string& what) const;

  // The application.
  /// `problem`: of HostCalls.
  Error app_threw(const std::string& problem) const;
  /// The same in apply(): it gets that transaction first when it starts again.
  Error app_threw_in_log(const std::string& problem) const;
  /// `pruned`: the log has no beginning any more from which it could be applied again.
  Error differs_in_result(const Checkpoints::Difference& d, const DivergenceSearch& search,
                          bool pruned) const;
  Error differs_in_state(const Checkpoints::Difference& d, bool pruned) const;

 private:
  std::string how_to_apply_again(bool pruned) const;

  std::string home_;
  std::string data_;
  std::string genesis_;  // the file
  std::string vouching_;
};

}  // namespace thresher::net

// How far a beacon came, on disk: which rounds it published, and up to where it tossed. Private to
// net/.
//
//   RoundRecord record;
//   auto done = record.open("node2/coin.key.rounds-1a2b3c4d", group);
//   if (done) done = record.write({.published = 18, .tossed = 19});    // before round 17 is
//   published record.rounds()                                             // what was written last
//
// A file of two lines of one length. Each write overwrites the older of them, so a write that a
// power cut tears leaves the other one whole.
//
// Guarantees: after a write() that went well a later open() finds these rounds. A file of another
// group's key, or one that is damaged beyond what a torn write does, is refused.
#pragma once

#include <string>

#include "thresher/core/error.hpp"
#include "thresher/crypto/dleq_group.hpp"

namespace thresher::net {

/// Both are one more than the highest such round, 0 where there was none.
struct BeaconRounds {
  std::uint64_t published = 0;
  std::uint64_t tossed = 0;
  friend bool operator==(const BeaconRounds&, const BeaconRounds&) = default;
};

/// Published, of a member that joined a committee which keeps its key: others know how far it is.
inline constexpr std::uint64_t kOthersKnow = std::uint64_t{1} << 63;

/// Beside the file with the node's share of the key.
std::string round_record_path(const std::string& coin_path, const crypto::RistrettoPoint& group);

class RoundRecord {
 public:
  RoundRecord() = default;
  ~RoundRecord();
  RoundRecord(const RoundRecord&) = delete;
  RoundRecord& operator=(const RoundRecord&) = delete;

  /// Makes the file where there is none. Empty, or what is wrong and what to do. Once.
  Result<Unit, Error> open(const std::string& path, const crypto::RistrettoPoint& group);
  /// It is on the disk, or why not. Pre: open() found nothing wrong.
  Result<Unit, Error> write(const BeaconRounds& rounds);
  const BeaconRounds& rounds() const { return rounds_; }

 private:
  std::string line_of(const BeaconRounds& rounds) const;

  std::string path_;
  crypto::RistrettoPoint group_{};
  int file_ = -1;
  std::size_t older_ = 0;  // the line that the next write overwrites
  BeaconRounds rounds_;
};

}  // namespace thresher::net

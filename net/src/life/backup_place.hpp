// Where a copy grows, and how it gets its name once it is whole. Private to net/.
//
//   BackupPlace place("backup/node0");
//   if (std::string why = place.open(); !why.empty()) return why;
//   if (std::string why = place.clear(); !why.empty()) return why;
//   fill(place.folder());
//   return place.publish();
//
// The copy grows in `backup/node0.partial/copy`, on the disk that it stays on, beside an empty file
// `thresher-backup` which the process holds locked. The file is what a partial backup is known by:
// the next one to the same destination removes what a killed one left, and nothing else.
// Guarantees: one at a time; the destination appears at once, and only where nothing is; nothing is
// removed that this program did not make. Without publish() the partial copy goes with the object.
#pragma once

#include <string>

#include "thresher/core/error.hpp"

namespace thresher::net {

class BackupPlace {
 public:
  explicit BackupPlace(const std::string& destination);
  ~BackupPlace();
  BackupPlace(const BackupPlace&) = delete;
  BackupPlace& operator=(const BackupPlace&) = delete;

  /// Takes the place for this object. kExists: it is taken; kBusy: by another backup that runs.
  Result<Unit, Error> open();
  /// Makes folder(), with nothing in it, before each try. Pre: open() went well.
  Result<Unit, Error> clear() const;
  const std::string& folder() const { return copy_; }
  /// Gives folder() the name of the destination, durably. Else nothing of this object is at
  /// the destination. Pre: open() went well, and what is in folder() is durable.
  Result<Unit, Error> publish();

 private:
  Result<Unit, Error> taken() const;
  Result<Unit, Error> lock();
  Result<Unit, Error> foreign() const;
  void remove();

  std::string destination_;
  std::string partial_;
  std::string copy_;
  std::string marker_;
  int lock_ = -1;
};

}  // namespace thresher::net

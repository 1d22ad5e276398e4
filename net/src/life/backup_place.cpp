#include "life/backup_place.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "files/disk_problem.hpp"
#include "life/file_copy.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

constexpr char kMarker[] = "thresher-backup";
/// Another backup may end, and its folder go, between two steps of this one.
constexpr int kTries = 10;

/// Whether the open file is the one that has the name.
bool has_name(int file, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// 0, or as in errno. Never replaces anything, an empty folder neither.
int rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // Some network file systems do not know the flag.
  std::error_code error;
  if (fs::exists(fs::symlink_status(to, error))) return EEXIST;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

BackupPlace::BackupPlace(const std::string& destination) : destination_(destination) {
  // Of `backup/` the parts would lie in it.
  while (destination_.size() > 1 && destination_.ends_with('/')) destination_.pop_back();
  partial_ = destination_ + ".partial";
  copy_ = partial_ + "/copy";
  marker_ = partial_ + '/' + kMarker;
}

BackupPlace::~BackupPlace() {
  remove();
}

Result<Unit, Error> BackupPlace::taken() const {
  std::error_code error;
  if (destination_.empty())
    return Error{ErrorCode::kMissing, "give the backup a folder: one that is not there yet"};
  if (!fs::exists(fs::symlink_status(destination_, error))) return Unit{};
  return Error{ErrorCode::kExists, "'" + destination_ + "' is there already", destination_,
               "name a folder that is not, or move it away"};
}

Result<Unit, Error> BackupPlace::open() {
  if (auto free = taken(); !free) return free;
  std::error_code error;
  const fs::path around = fs::path(destination_).parent_path();
  if (!around.empty() && !fs::is_directory(around, error)) {
    fs::create_directories(around, error);
    if (error) return cannot_write(around.string(), error.value());
  }
  if (auto locked = lock(); !locked) return locked;
  // One that has just ended gave up the lock with the destination made.
  return taken();
}

// Why the folder at `partial_` is left alone, unless it is a partial backup, or has nothing in it.
// One look at its names: between two, another backup may begin or end. Where there is more than the
// marker, the marker is there, as it comes first and goes last.
Result<Unit, Error> BackupPlace::foreign() const {
  std::error_code error;
  bool marked = false;
  bool empty = true;
  if (fs::symlink_status(partial_, error).type() == fs::file_type::directory) {
    for (fs::directory_iterator it(partial_, error), end; !error && it != end;
         it.increment(error)) {
      empty = false;
      marked = marked || it->path().filename() == kMarker;
    }
    if (!error && (marked || empty)) return Unit{};
  }
  return Error{
      ErrorCode::kExists,
      "'" + partial_ + "' is where the copy would grow, and is no partial backup of this release",
      partial_, "move it away, or name another destination"};
}

Result<Unit, Error> BackupPlace::lock() {
  Result<Unit, Error> partial = Unit{};
  for (int k = 0; k < kTries; ++k) {
    if (::mkdir(partial_.c_str(), 0700) != 0 && errno != EEXIST)
      return cannot_write(partial_, errno);
    if (partial = foreign(); !partial) continue;  // or it went just now
    const int file = ::open(marker_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kForOwner);
    if (file < 0 && errno == ENOENT) continue;
    if (file < 0) return cannot_write(marker_, errno);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(file);
      if (error != EWOULDBLOCK)
        return Error{code_of_errno(error), "cannot lock '" + marker_ + "': " + disk_problem(error),
                     marker_};
      return Error{ErrorCode::kBusy, "another backup to '" + destination_ + "' runs", destination_,
                   "wait for its end, or name another folder"};
    }
    if (has_name(file, marker_)) {
      lock_ = file;
      return Unit{};
    }
    ::close(file);
  }
  if (!partial) return partial;
  return Error{ErrorCode::kBusy, "other backups to '" + destination_ + "' come and go",
               destination_, "start this one when they have ended"};
}

Result<Unit, Error> BackupPlace::clear() const {
  std::error_code error;
  fs::remove_all(copy_, error);
  if (!error) fs::create_directory(copy_, error);
  if (error) return cannot_write(copy_, error.value());
  return Unit{};
}

Result<Unit, Error> BackupPlace::publish() {
  if (!sync_folder(copy_)) return cannot_write(copy_, errno);
  const int error = rename_to_new(copy_, destination_);
  if (error == EEXIST || error == ENOTEMPTY) return taken();
  if (error != 0) return cannot_write(destination_, error);
  if (!sync_folder_of(destination_)) {
    const int why = errno;
    (void)rename_to_new(destination_, copy_);
    return cannot_write(destination_, why);
  }
  remove();
  return Unit{};
}

// The marker goes last but the folder: what is half removed is still known for what it is.
void BackupPlace::remove() {
  if (lock_ < 0) return;
  std::error_code ignored;
  fs::remove_all(copy_, ignored);
  (void)::unlink(marker_.c_str());
  (void)::rmdir(partial_.c_str());
  ::close(lock_);
  lock_ = -1;
}

}  // namespace thresher::net

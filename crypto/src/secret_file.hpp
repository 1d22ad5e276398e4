// What files of secrets have in common: how they come to be, whose they are, who may read them, how
// their errors read. Private to crypto/.
//
//   if (const auto made = make_secret_file("key file", path, content, "move it away"); !made) ...
//   if (const auto why = secret_file_problem(fd, "key file", path, "a key")) return *why;
//
// Guarantees: says nothing of the content. Whenever it is interrupted, a new file is there whole or
// not at all, and nothing that was there is overwritten.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "thresher/core/error.hpp"

namespace thresher::crypto {

/// Closes a descriptor when it goes.
struct Descriptor {
  int fd;
  explicit Descriptor(int descriptor) : fd(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) (void)::close(fd);
  }
};

/// Pre: errno is that of the call that failed.
inline Error system_error(const std::string& what, const std::string& path,
                          std::string remedy = {}) {
  const int number = errno;
  return {code_of_errno(number), what + " '" + path + "': " + std::strerror(number), path,
          std::move(remedy)};
}

/// Makes a file of mode 0600, durable with its name when this returns. `there`: what to do where
/// there is one already (kExists). It is written as PATH.unfinished and renamed: what an
/// interrupted call left of that goes with the next one.
Result<Unit, Error> make_secret_file(const std::string& kind, const std::string& path,
                                     std::string_view content, const std::string& there);

/// Why the open file is none to take a secret from; empty when nothing is wrong. `kind` names it,
/// as in "key file"; `content` what it should hold, as in "a key".
inline std::optional<Error> secret_file_problem(int fd, const std::string& kind,
                                                const std::string& path,
                                                const std::string& content) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error("cannot inspect " + kind, path);
  const std::string named = kind + " '" + path + "' ";
  if (!S_ISREG(info.st_mode))
    return Error{ErrorCode::kMalformed, named + "is no file", path, "give the file of " + content};
  if (info.st_uid != ::geteuid()) {
    const std::string us = std::to_string(::geteuid());
    return Error{ErrorCode::kForbidden,
                 named + "belongs to user " + std::to_string(info.st_uid) +
                     ", who can read and change it, and not to user " + us + ", who runs this",
                 path, "run: chown " + us + " " + path};
  }
  if ((info.st_mode & 077) != 0) {
    return Error{ErrorCode::kForbidden, named + "can be read by other users", path,
                 "if it holds " + content + ", run: chmod 600 " + path};
  }
  return std::nullopt;
}

}  // namespace thresher::crypto

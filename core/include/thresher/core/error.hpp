// Why something that a program asked for could not be done, for the program and for people.
//
//   if (!saved && saved.error().code == ErrorCode::kExists) taken.insert(saved.error().where);
//   if (!saved) std::cerr << saved.error().text();  // what and where, then what to do about it
//
// Guarantees: `what` is a sentence that names the thing; `where` is the thing alone (a path, a
// name, a position), for programs; `remedy` says what to do, or is empty where nobody knows. text()
// is one line, what the command line prints. A program decides by `code` and never by the words,
// which may change. Not for what peers send: that is refused with an Errc and counted (result.hpp).
#pragma once

#include <cerrno>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "thresher/core/result.hpp"

namespace thresher {

enum class ErrorCode : std::uint8_t {
  kMissing,      ///< there is no such thing
  kExists,       ///< there is one already, and it is not overwritten
  kForbidden,    ///< it is not for this user, or too many others may read it
  kBusy,         ///< somebody else has it open
  kIo,           ///< the disk or the system failed
  kMalformed,    ///< it is not of the form that it should have
  kCorrupt,      ///< it was whole once
  kMismatch,     ///< it is whole and belongs to something else
  kUnsupported,  ///< this program or this machine cannot do it
  kRejected,     ///< it is well formed and does not hold: a proof, a signature, a limit
};

/// The code's name in logs.
constexpr std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMissing:
      return "missing";
    case ErrorCode::kExists:
      return "exists";
    case ErrorCode::kForbidden:
      return "forbidden";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kMismatch:
      return "mismatch";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kRejected:
      return "rejected";
  }
  return "unknown";
}

/// The error that a failed system call with this `errno` means for the path it was given.
constexpr ErrorCode code_of_errno(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kMissing;
    case EEXIST:
      return ErrorCode::kExists;
    case EACCES:
    case EPERM:
      return ErrorCode::kForbidden;
    case EADDRINUSE:
      return ErrorCode::kBusy;
    default:
      return ErrorCode::kIo;
  }
}

struct Error {
  ErrorCode code = ErrorCode::kIo;
  std::string what;
  std::string where{};
  std::string remedy{};

  std::string text() const { return remedy.empty() ? what : what + "; " + remedy; }
  friend std::ostream& operator<<(std::ostream& out, const Error& e) { return out << e.text(); }
};

}  // namespace thresher

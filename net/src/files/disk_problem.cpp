#include "files/disk_problem.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace thresher::net {
namespace {

struct Advice {
  int error;
  const char* what_to_do;
};

constexpr Advice kAdvice[] = {
    {ENOSPC, "free space, and start it again if it stopped: what was stored before is whole"},
    {EDQUOT, "raise the quota, and start it again if it stopped: what was stored before is whole"},
    {EFBIG,
     "raise the limit of a file's size (ulimit -f), or free space: what was stored before is "
     "whole"},
    {EMFILE, "raise the limit of open files to 1024 or more (ulimit -n, LimitNOFILE=)"},
    {ENFILE, "raise the machine's limit of open files (fs.file-max)"},
    {EROFS,
     "mount it for writing; a file system that became read-only by itself has a failing disk"},
    {EACCES, "the folder and its files must belong to whoever runs this"},
    {EPERM, "the folder and its files must belong to whoever runs this"},
    {EIO,
     "the disk or the way to it fails: check it, and if it must be replaced copy the whole folder "
     "before the node runs again"},
    {EAGAIN, "another program has it open: stop that one"},
    {ENOMEM, "give it more memory"},
};

const char* advice_on(int error) {
  for (const Advice& a : kAdvice) {
    if (a.error == error) return a.what_to_do;
  }
  return "check the folder and its disk";
}

}  // namespace

Error disk_error(const std::string& what, int error, std::string where) {
  return {code_of_errno(error), what + ": " + std::strerror(error), std::move(where),
          advice_on(error)};
}

Error because(const std::string& what, std::string where, Error why) {
  why.what = what + ": " + why.what;
  why.where = std::move(where);
  return why;
}

Error write_error(const NodeStore& store) {
  return store.problem().value_or(Error{ErrorCode::kIo, "the store does not say why"});
}

Error read_error(const std::string& what, Errc why, std::string where) {
  if (why == Errc::kIo)
    return {ErrorCode::kIo, what + " cannot be read: the disk refused it", std::move(where)};
  return {ErrorCode::kCorrupt, what + " cannot be read: it is not what was written",
          std::move(where)};
}

Error disk_failed(const std::string& folder, const Error& why, std::string remedy) {
  // A message about a disk makes its reader look for a bad one.
  if (why.code == ErrorCode::kUnsupported)
    return {why.code, why.what, folder, why.remedy + " and start again"};
  return {why.code, "the disk under '" + folder + "' failed: " + why.text(), folder,
          std::move(remedy)};
}

std::string limit_remedy(int error, std::string otherwise) {
  const bool limit = error == EMFILE || error == ENFILE || error == ENOMEM;
  return limit ? advice_on(error) : std::move(otherwise);
}

std::string disk_problem(int error) {
  return std::string(std::strerror(error)) + "; " + advice_on(error);
}

std::string disk_problem_in(const std::string& message) {
  for (const Advice& a : kAdvice) {
    if (message.find(std::strerror(a.error)) != std::string::npos) return disk_problem(a.error);
  }
  return {};
}

}  // namespace thresher::net

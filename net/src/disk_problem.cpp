#include "disk_problem.hpp"

#include <cerrno>
#include <cstring>

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

}  // namespace

std::string disk_problem(int error) {
  for (const Advice& a : kAdvice) {
    if (a.error == error) return std::string(std::strerror(error)) + "; " + a.what_to_do;
  }
  return std::string(std::strerror(error)) + "; check the folder and its disk";
}

std::string disk_problem_in(const std::string& message) {
  for (const Advice& a : kAdvice) {
    if (message.find(std::strerror(a.error)) != std::string::npos) return disk_problem(a.error);
  }
  return {};
}

}  // namespace thresher::net

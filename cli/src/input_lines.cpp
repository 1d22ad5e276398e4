#include "input_lines.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "input_descriptor.hpp"

namespace thresher::cli {

InputLines::~InputLines() {
  if (fd_ > STDIN_FILENO) (void)::close(fd_);
}

bool InputLines::refuse(const std::string& why) {
  problem_ = why + "; give " + wanted_;
  return false;
}

bool InputLines::open() {
  fd_ = open_input(path_);
  struct stat info {};
  if (fd_ >= 0 && ::fstat(fd_, &info) == 0 && S_ISDIR(info.st_mode))
    return refuse("'" + path_ + "' is a folder");
  if (fd_ < 0 || !read()) return refuse("cannot read '" + path_ + "': " + std::strerror(errno));
  if (ended_ && held_.empty() && path_ != "-" && S_ISFIFO(info.st_mode))
    return refuse("'" + path_ + "' is a pipe that nobody writes to");
  return true;
}

// False: `errno` says why it cannot be read on.
bool InputLines::read() {
  held_.erase(0, std::exchange(at_, 0));
  const ssize_t got = read_part(fd_, held_);
  ended_ = got == 0;
  return got >= 0;
}

bool InputLines::next(std::string& line) {
  if (!problem_.empty() || (fd_ < 0 && !open())) return false;
  std::size_t end = held_.find('\n', at_);
  while (end == std::string::npos && !ended_ && held_.size() - at_ <= most_) {
    const std::size_t seen = held_.size() - at_;
    if (!read()) return refuse("cannot read on in '" + path_ + "': " + std::strerror(errno));
    end = held_.find('\n', seen);
  }
  if (std::min(end, held_.size()) - at_ > most_)
    return refuse("line " + std::to_string(count_ + 1) + " of '" + path_ + "' is longer than " +
                  std::to_string(most_ >> 10) + " KiB");
  if (end == std::string::npos && at_ == held_.size()) return false;
  line.assign(held_, at_, std::min(end, held_.size()) - at_);
  at_ = std::min(end, held_.size() - 1) + 1;
  ++count_;
  return true;
}

}  // namespace thresher::cli

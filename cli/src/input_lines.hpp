// Files that a user names on the command line, read line by line: of any length in all, in the
// memory of one line.
//
//   InputLines lines(args.file, "a file of one operation a line", 4096);
//   for (std::string line; lines.next(line);) ++count;
//   if (!lines.problem().empty()) return fail(kUsage, lines.problem());
//
// Guarantees: those of input_file.hpp; a line that is longer than it may be ends the reading with a
// problem, so a file without lines and without end does no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace thresher::cli {

class InputLines {
 public:
  /// `wanted`: what to give, with its article, for the complaint. `most`: bytes of a line. Opens
  /// nothing before next().
  InputLines(std::string path, std::string wanted, std::size_t most)
      : path_(std::move(path)), wanted_(std::move(wanted)), most_(most) {}
  ~InputLines();
  InputLines(const InputLines&) = delete;
  InputLines& operator=(const InputLines&) = delete;

  /// The next line without its end. False: there is none, or problem() says why not.
  bool next(std::string& line);
  /// Lines that next() gave.
  std::uint64_t count() const { return count_; }
  /// Empty, or why the file cannot be read, with what to give instead.
  const std::string& problem() const { return problem_; }

 private:
  bool refuse(const std::string& why);
  bool open();
  bool read();

  std::string path_;
  std::string wanted_;
  std::size_t most_;
  std::string problem_;
  std::string held_;  // read, and from `at_` on not given yet
  std::size_t at_ = 0;
  std::uint64_t count_ = 0;
  int fd_ = -1;
  bool ended_ = false;
};

}  // namespace thresher::cli

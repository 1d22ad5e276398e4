// Transactions from a file, one a line, without more than one line in memory.
//
//   TransactionLines lines;
//   if (std::string why = lines.open("payments.txt", kMostBytes); !why.empty()) ...
//   for (std::string line; lines.next(line);) submit(line);
//   if (!lines.problem().empty()) ...
//
// Guarantees: a line over the limit is an error with its number, also where it never ends
// (/dev/zero). In a file it is found by open(), before anything of it is used; in a pipe or a
// device only when it comes.
#pragma once

#include <cstdint>
#include <fstream>
#include <istream>
#include <string>

namespace thresher::cli {

class TransactionLines {
 public:
  /// "-": standard input. `limit`: of a line. Unit: bytes. Empty, or what is wrong.
  std::string open(const std::string& path, std::size_t limit);
  /// False at the end, and where problem() says why it cannot go on.
  bool next(std::string& line);
  const std::string& problem() const { return problem_; }

 private:
  std::string name_;
  std::size_t limit_ = 0;
  std::ifstream file_;
  std::istream* in_ = nullptr;
  std::uint64_t number_ = 0;  // of the line
  std::string problem_;
};

}  // namespace thresher::cli

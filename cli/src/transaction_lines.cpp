#include "transaction_lines.hpp"

#include <filesystem>
#include <iostream>
#include <streambuf>

namespace thresher::cli {

std::string TransactionLines::open(const std::string& path, std::size_t limit) {
  limit_ = limit;
  if (path == "-") {
    name_ = "standard input";
    in_ = &std::cin;
    return {};
  }
  name_ = path;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return "'" + path + "' is a folder; give a file of one transaction a line";
  }
  file_.open(path);
  if (!file_) return "cannot read '" + path + "'; give a file of one transaction a line";
  in_ = &file_;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  for (std::string line; next(line);) {
  }
  if (!problem_.empty()) return problem_ + "; nothing was submitted";
  if (number_ == 0) return "'" + path + "' holds no line";
  number_ = 0;
  file_.clear();
  file_.seekg(0);
  return {};
}

bool TransactionLines::next(std::string& line) try {
  using Traits = std::istream::traits_type;
  if (!problem_.empty()) return false;
  line.clear();
  std::streambuf& bytes = *in_->rdbuf();
  auto byte = bytes.sbumpc();
  if (Traits::eq_int_type(byte, Traits::eof())) return false;
  ++number_;
  for (; !Traits::eq_int_type(byte, Traits::eof()) && byte != '\n'; byte = bytes.sbumpc()) {
    if (line.size() == limit_) {
      problem_ = name_ + ":" + std::to_string(number_) + ": the line is longer than " +
                 std::to_string(limit_) +
                 " bytes, the largest transaction that can be; give one transaction a line";
      return false;
    }
    line.push_back(Traits::to_char_type(byte));
  }
  return true;
} catch (const std::ios_base::failure& e) {  // how a stream tells of a disk that fails
  problem_ = "cannot read on in '" + name_ + "' behind line " + std::to_string(number_) + ": " +
             e.code().message() + "; check the disk, or give another file";
  return false;
}

}  // namespace thresher::cli

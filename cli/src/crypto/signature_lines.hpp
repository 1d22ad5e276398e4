// Files of signatures, a JSON object a line: {"id","key","msg","sig"} in hex, optionally "valid".
//
//   SignatureLines lines(stream, "file.jsonl");
//   while (auto line = lines.next()) ...
//   if (!lines.problem().empty()) ...             // file.jsonl:3: what is wrong
//
// Guarantees: memory stays below one line of kMostBytes, whatever comes.
#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "thresher/crypto/verifier.hpp"

namespace thresher::cli {

struct SignatureLine {
  std::string id;
  std::vector<std::byte> key;
  std::vector<std::byte> message;
  std::vector<std::byte> signature;
  std::optional<bool> valid;

  /// Key and signature have their lengths; else it is invalid before any arithmetic.
  bool well_sized() const { return key.size() == 32 && signature.size() == 64; }
};

class SignatureLines {
 public:
  static constexpr std::size_t kMostBytes = 1u << 20;

  SignatureLines(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}
  /// Empty at the end and at the first problem.
  std::optional<SignatureLine> next();
  const std::string& problem() const { return problem_; }
  std::uint64_t lines() const { return line_; }

 private:
  bool read_line(std::string& text);
  void fail(const std::string& what);

  std::istream& in_;
  std::string name_;
  std::string problem_;
  std::uint64_t line_ = 0;
};

}  // namespace thresher::cli

// Words of a .ta file with their places. Private to verify/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace thresher::verify {

struct Token {
  enum class Kind : std::uint8_t { kName, kNumber, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;
  std::size_t line = 1;
  std::size_t column = 1;
};

/// Skips blanks, `//` and `/* */` comments; `/*@` and `@*/` are signs. A sign is the longest of the
/// operators that fits.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  const Token& peek() const { return token_; }
  Token next() {
    const Token t = token_;
    advance();
    return t;
  }
  bool unclosed_comment() const { return unclosed_; }
  /// How many bytes are read.
  std::size_t position() const { return at_; }

 private:
  void advance();
  void skip(std::size_t count);
  bool skip_blank();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  bool unclosed_ = false;
  Token token_;
};

}  // namespace thresher::verify

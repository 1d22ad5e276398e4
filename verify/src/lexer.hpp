// Words of a .ta, .tla or .json file with their places. Private to verify/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace thresher::verify {

enum class Dialect : std::uint8_t { kByMC, kTla, kJson };

struct Token {
  enum class Kind : std::uint8_t { kName, kNumber, kSign, kText, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;   ///< operators spelled as in .ta files; a text with its quotes
  std::string_view shown;  ///< as it stands in the file
  std::size_t line = 1;
  std::size_t column = 1;
};

/// Skips blanks and comments, which nest in TLA+; in .ta files `/*@` and `@*/` are signs while
/// marks are read. A sign is the longest of the operators that fits. TLA+'s operators come as those
/// of .ta files, so that one grammar reads both; what .ta files lack comes as itself, but "==" of a
/// definition as ":=", the arrow of functions as "-->" and "!" of EXCEPT as "!!". JSON has texts,
/// numbers, single signs and no comments.
class Lexer {
 public:
  Lexer(std::string_view text, Dialect dialect) : text_(text), dialect_(dialect) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    advance();
  }

  const Token& peek() const { return token_; }
  Token next() {
    const Token t = token_;
    advance();
    return t;
  }
  /// Whether `/*@` begins something else than a comment, from the word after the next one on.
  void read_marks(bool yes) { marks_ = yes; }
  bool unclosed_comment() const { return unclosed_; }
  /// How many bytes are read.
  std::size_t position() const { return at_; }

 private:
  /// Some editors begin a file of UTF-8 with it.
  static constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

  void advance();
  void skip(std::size_t count);
  bool skip_blank();
  bool skip_comment(std::string_view open, std::string_view close);
  bool skip_nested(std::string_view open, std::string_view close);
  std::size_t quoted(std::string_view rest);
  std::size_t sign(std::string_view rest);

  std::string_view text_;
  Dialect dialect_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  bool unclosed_ = false;
  bool marks_ = false;
  Token token_;
};

}  // namespace thresher::verify

#include "lexer.hpp"

#include <algorithm>
#include <array>

namespace thresher::verify {
namespace {

// Longer ones first.
constexpr std::array<std::string_view, 17> kSigns{
    "==>", "/*@", "@*/", "<=", ">=", "==", "!=",  "=!", "->",
    "<>",  "[]",  "&&",  "||", ":=", "=>", "/\\", "\\/"};

bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

void Lexer::skip(std::size_t count) {
  for (; count > 0 && at_ < text_.size(); --count, ++at_) {
    if (text_[at_] == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
  }
}

bool Lexer::skip_blank() {
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return false;
  if (std::string_view(" \t\r\n").find(rest.front()) != std::string_view::npos) {
    skip(1);
    return true;
  }
  if (rest.substr(0, 2) == "//") {
    skip(std::min(rest.find('\n'), rest.size()));
    return true;
  }
  if (rest.substr(0, 2) == "/*" && rest.substr(0, 3) != "/*@") {
    const std::size_t end = rest.find("*/", 2);
    unclosed_ |= end == std::string_view::npos;
    skip(end == std::string_view::npos ? rest.size() : end + 2);
    return true;
  }
  return false;
}

void Lexer::advance() {
  while (skip_blank()) {
  }
  token_ = {Token::Kind::kEnd, {}, line_, column_};
  if (at_ >= text_.size()) return;
  const std::string_view rest = text_.substr(at_);
  std::size_t size = 1;
  if (letter(rest[0])) {
    token_.kind = Token::Kind::kName;
    while (size < rest.size() && (letter(rest[size]) || digit(rest[size]))) ++size;
  } else if (digit(rest[0])) {
    token_.kind = Token::Kind::kNumber;
    while (size < rest.size() && digit(rest[size])) ++size;
  } else {
    token_.kind = Token::Kind::kSign;
    for (const std::string_view sign : kSigns) {
      if (rest.substr(0, sign.size()) == sign) {
        size = sign.size();
        break;
      }
    }
  }
  token_.text = rest.substr(0, size);
  skip(size);
}

}  // namespace thresher::verify

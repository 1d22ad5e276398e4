#include "lexer.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace thresher::verify {
namespace {

using Spelling = std::pair<std::string_view, std::string_view>;  // in the file, for the grammar

// Longer ones first.
constexpr std::array<Spelling, 17> kByMCSigns{{{"==>", "==>"},
                                               {"/*@", "/*@"},
                                               {"@*/", "@*/"},
                                               {"<=", "<="},
                                               {">=", ">="},
                                               {"==", "=="},
                                               {"!=", "!="},
                                               {"=!", "=!"},
                                               {"->", "->"},
                                               {"<>", "<>"},
                                               {"[]", "[]"},
                                               {"&&", "&&"},
                                               {"||", "||"},
                                               {":=", ":="},
                                               {"=>", "=>"},
                                               {"/\\", "/\\"},
                                               {"\\/", "\\/"}}};
constexpr std::array<Spelling, 23> kTlaSigns{
    {{"\\lnot", "!"},  {"\\land", "&&"}, {"\\leq", "<="}, {"\\geq", ">="}, {"\\lor", "||"},
     {"\\in", "\\in"}, {"/\\", "&&"},    {"\\/", "||"},   {"\\E", "\\E"},  {"=>", "->"},
     {"/=", "!="},     {"=<", "<="},     {"<=", "<="},    {">=", ">="},    {"==", ":="},
     {"->", "-->"},    {"<<", "<<"},     {">>", ">>"},    {"<>", "<>"},    {"[]", "[]"},
     {"~", "!"},       {"#", "!="},      {"!", "!!"}}};

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

bool Lexer::skip_comment(std::string_view open, std::string_view close) {
  const std::string_view rest = text_.substr(at_);
  if (rest.substr(0, open.size()) != open) return false;
  const std::size_t end = rest.find(close, open.size());
  const bool line = close == "\n";
  unclosed_ |= end == std::string_view::npos && !line;
  skip(end == std::string_view::npos ? rest.size() : end + (line ? 0 : close.size()));
  return true;
}

// `(* one (* within *) the other *)`: the last end is the end.
bool Lexer::skip_nested(std::string_view open, std::string_view close) {
  const std::string_view rest = text_.substr(at_);
  if (rest.substr(0, open.size()) != open) return false;
  std::size_t depth = 0;
  std::size_t end = 0;
  while (end < rest.size()) {
    const bool opens = rest.substr(end, open.size()) == open;
    const bool closes = !opens && rest.substr(end, close.size()) == close;
    end += opens ? open.size() : closes ? close.size() : 1;
    depth += opens ? 1 : 0;
    if (closes && --depth == 0) break;
  }
  unclosed_ |= depth > 0;
  skip(end);
  return true;
}

bool Lexer::skip_blank() {
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return false;
  if (std::string_view(" \t\r\n").find(rest.front()) != std::string_view::npos) {
    skip(1);
    return true;
  }
  if (dialect_ == Dialect::kJson) return false;
  if (dialect_ == Dialect::kByMC) {
    const bool marked = marks_ && rest.substr(0, 3) == "/*@";
    return skip_comment("//", "\n") || (!marked && skip_comment("/*", "*/"));
  }
  // A line of the one stands between the parts of a module, one of the other ends it: what follows
  // is none of it.
  if (const std::size_t end = std::min(rest.find_first_not_of('-'), rest.size()); end >= 4) {
    skip(end);
    return true;
  }
  if (rest.substr(0, 4) == "====") {
    skip(rest.size());
    return true;
  }
  return skip_comment("\\*", "\n") || skip_nested("(*", "*)");
}

// A text ends in its line.
std::size_t Lexer::quoted(std::string_view rest) {
  const std::size_t end = rest.find_first_of("\"\n", 1);
  if (end == std::string_view::npos || rest[end] != '"') return 1;
  token_.kind = Token::Kind::kText;
  return end + 1;
}

std::size_t Lexer::sign(std::string_view rest) {
  const bool tla = dialect_ == Dialect::kTla;
  std::span<const Spelling> signs;
  if (tla) signs = kTlaSigns;
  if (dialect_ == Dialect::kByMC) signs = kByMCSigns;
  for (const auto& [shown, text] : signs) {
    if (rest.substr(0, shown.size()) != shown) continue;
    token_.text = text;
    return shown.size();
  }
  if (tla && rest[0] == '=') token_.text = "==";
  return 1;
}

void Lexer::advance() {
  while (skip_blank()) {
  }
  token_ = {Token::Kind::kEnd, {}, {}, line_, column_};
  if (at_ >= text_.size()) return;
  const std::string_view rest = text_.substr(at_);
  std::size_t size = 1;
  token_.kind = Token::Kind::kSign;
  if (letter(rest[0])) {
    token_.kind = Token::Kind::kName;
    while (size < rest.size() && (letter(rest[size]) || digit(rest[size]))) ++size;
  } else if (digit(rest[0])) {
    token_.kind = Token::Kind::kNumber;
    while (size < rest.size() && digit(rest[size])) ++size;
  } else if (rest[0] == '"' && dialect_ != Dialect::kByMC) {
    size = quoted(rest);
  } else {
    size = sign(rest);
  }
  token_.shown = rest.substr(0, size);
  if (token_.text.empty()) token_.text = token_.shown;
  if (dialect_ == Dialect::kTla && token_.text == "TRUE") token_.text = "true";
  if (dialect_ == Dialect::kTla && token_.text == "FALSE") token_.text = "false";
  skip(size);
}

}  // namespace thresher::verify

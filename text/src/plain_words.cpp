#include "plain_words.hpp"

#include <utility>

namespace thresher::text {
namespace {

constexpr std::string_view kOverflow = "number overflow parsing ";

// What is wrong with one token, by the library's words for it.
constexpr std::pair<std::string_view, std::string_view> kTokens[] = {
    {"invalid literal", "a word other than true, false and null"},
    {"invalid number", "a number that is not written as in 12, -3, 0.5 or 1e9"},
    {"invalid string: missing closing quote", "a string without its closing quote"},
    {"invalid string: control character",
     "a string with a control character; write it as \\n, \\t or \\u0001"},
    {"invalid string: ill-formed UTF-8", "a string with bytes that are not UTF-8"},
    {"invalid string", "a string with an unknown escape; a backslash is \\\\"},
    {"invalid BOM", "a byte-order mark that is not UTF-8; save the file as UTF-8"}};

constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"'[', '{', or a literal", "a value"},
    {"true literal", "true"},
    {"false literal", "false"},
    {"null literal", "null"},
    {"string literal", "a string"},
    {"number literal", "a number"}};

// "'}'; expected string literal": the library's names of tokens, in our words.
std::string tokens_in_words(std::string_view rest) {
  std::string out(rest);
  for (const auto& [theirs, ours] : kNames) {
    for (std::size_t at = out.find(theirs); at != std::string::npos; at = out.find(theirs))
      out.replace(at, theirs.size(), ours);
  }
  return out;
}

}  // namespace

std::string in_plain_words(std::string_view message) {
  if (const auto at = message.find(kOverflow); at != std::string_view::npos)
    return "the number " + std::string(message.substr(at + kOverflow.size())) + " is too large";
  const auto dash = message.find(" - ");
  if (dash == std::string_view::npos) return "it is not written as RFC 8259 says";
  const std::string_view rest = message.substr(dash + 3);
  if (rest.starts_with("unexpected end of input")) return "the text ends before it is complete";
  for (const auto& [theirs, ours] : kTokens) {
    if (rest.starts_with(theirs)) return "found " + std::string(ours);
  }
  constexpr std::string_view kUnexpected = "unexpected ";
  if (!rest.starts_with(kUnexpected)) return "it is not written as RFC 8259 says";
  const auto end = rest.find("; expected ");
  const std::string here =
      tokens_in_words(rest.substr(kUnexpected.size(), end - kUnexpected.size()));
  if (end == std::string_view::npos) return "unexpected " + here;
  const std::string wanted = tokens_in_words(rest.substr(end + 11));
  if (wanted == "end of input") return "found " + here + " after the end of the value";
  return "expected " + wanted + ", found " + here;
}

}  // namespace thresher::text

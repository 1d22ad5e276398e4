#include "signature_lines.hpp"

#include "../json.hpp"

namespace thresher::cli {
namespace {

std::optional<std::vector<std::byte>> from_hex(const std::string& text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    int value = 0;
    for (const char c : {text[i], text[i + 1]}) {
      const bool digit = c >= '0' && c <= '9';
      const char low = static_cast<char>(c | 0x20);
      if (!digit && (low < 'a' || low > 'f')) return std::nullopt;
      value = value * 16 + (digit ? c - '0' : low - 'a' + 10);
    }
    out.push_back(static_cast<std::byte>(value));
  }
  return out;
}

}  // namespace

void SignatureLines::fail(const std::string& what) {
  problem_ = name_ + ":" + std::to_string(line_) + ": " + what;
}

bool SignatureLines::read_line(std::string& text) {
  text.clear();
  ++line_;
  auto* buffer = in_.rdbuf();
  for (int c = buffer->sbumpc(); c != std::istream::traits_type::eof(); c = buffer->sbumpc()) {
    if (c == '\n') return true;
    text += static_cast<char>(c);
    if (text.size() > kMostBytes) {
      fail("the line is longer than " + std::to_string(kMostBytes) + " bytes");
      return false;
    }
  }
  return !text.empty();
}

std::optional<SignatureLine> SignatureLines::next() {
  std::string text;
  if (!problem_.empty() || !read_line(text)) return std::nullopt;
  const auto read = read_json_line(text);
  if (!read) {
    fail(read.error());
    return std::nullopt;
  }
  SignatureLine line;
  const auto id = read->texts.find("id");
  line.id = id == read->texts.end() ? std::to_string(line_) : id->second;
  for (const auto& [name, target] : {std::pair("key", &line.key), std::pair("msg", &line.message),
                                     std::pair("sig", &line.signature)}) {
    const auto field = read->texts.find(name);
    if (field == read->texts.end()) {
      fail(std::string("the field \"") + name + "\" is missing");
      return std::nullopt;
    }
    auto bytes = from_hex(field->second);
    if (!bytes) {
      fail(std::string("the field \"") + name + "\" is not hex digits in pairs");
      return std::nullopt;
    }
    *target = std::move(*bytes);
  }
  if (const auto valid = read->truths.find("valid"); valid != read->truths.end()) {
    line.valid = valid->second;
  }
  return line;
}

}  // namespace thresher::cli

#include "signature_lines.hpp"

#include "../json.hpp"
#include "thresher/core/hex.hpp"

namespace thresher::cli {

void SignatureLines::fail(const std::string& what) {
  problem_ = name_ + ":" + std::to_string(line_) + ": " + what;
}

bool SignatureLines::read_line(std::string& text) try {
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
} catch (const std::ios_base::failure& e) {  // a disk that fails, or a folder
  fail("it cannot be read: " + e.code().message() + "; check the disk, or give another file");
  return false;
}

std::optional<SignatureLine> SignatureLines::next() {
  std::string text;
  if (!problem_.empty() || !read_line(text)) return std::nullopt;
  const auto read = read_json_line(text);
  if (!read) {
    fail(read.error().text());
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

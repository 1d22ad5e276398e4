// Reads just enough of the outside JSON files: string values by name, all bytes in hexadecimal.
//
//   for (const std::string& pk : strings_named(text, "PK")) use(hex_bytes(pk));
//
// Guarantees: values come in the order of the file. Not a JSON reader: no escapes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thresher::crypto {

/// The whole file under the vectors' folder; empty when it is not there.
inline std::optional<std::string> vector_text(const std::string& name) {
  const char* set = std::getenv("THRESHER_VECTORS");
  const auto path = std::filesystem::path(set != nullptr ? set : THRESHER_VECTORS_DEFAULT) / name;
  std::ifstream in(path);
  if (!in) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

/// The quoted strings of `text`, in order.
inline std::vector<std::string> quoted(std::string_view text) {
  std::vector<std::string> out;
  for (auto at = text.find('"'); at != std::string_view::npos; at = text.find('"', at + 1)) {
    const auto end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    out.emplace_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

/// Every string that is the value of `name`.
inline std::vector<std::string> strings_named(std::string_view text, const std::string& name) {
  const std::string key = "\"" + name + "\": \"";
  std::vector<std::string> out;
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const auto from = at + key.size();
    out.emplace_back(text.substr(from, text.find('"', from) - from));
  }
  return out;
}

/// The strings of the list that is the value of `name`.
inline std::vector<std::string> list_named(std::string_view text, const std::string& name) {
  const auto at = text.find("\"" + name + "\": [");
  if (at == std::string_view::npos) return {};
  const auto from = text.find('[', at);
  return quoted(text.substr(from, text.find(']', from) - from));
}

inline std::vector<std::byte> hex_bytes(std::string_view hex) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<std::byte>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

/// Fails the test when the string has another length.
template <std::size_t kSize>
std::array<std::byte, kSize> hex_array(std::string_view hex) {
  const auto bytes = hex_bytes(hex);
  std::array<std::byte, kSize> out{};
  EXPECT_EQ(bytes.size(), kSize) << hex;
  if (bytes.size() == kSize) std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

}  // namespace thresher::crypto

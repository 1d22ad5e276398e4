// The outside RFC 6962 proofs, read at run time from THRESHER_VECTORS; skipped where absent.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "thresher/coding/merkle.hpp"
#include "thresher/crypto/sha256.hpp"

namespace thresher::coding {
namespace {

/// What stands after `"name": ` up to the end of its value (a string, a number, a list, a word).
std::string value_of(const std::string& text, const std::string& name) {
  const auto at = text.find("\"" + name + "\": ");
  if (at == std::string::npos) ADD_FAILURE() << "no field " << name << " in " << text;
  const auto from = at + name.size() + 4;
  const char* end = text[from] == '[' ? "]" : ",\n}";
  return text.substr(from, text.find_first_of(end, from) - from);
}

/// A base64 string in quotes as a digest; none when it has another length than 32 bytes.
std::optional<Digest> digest_of(std::string_view quoted) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::byte> out;
  unsigned bits = 0, held = 0;
  for (const char c : quoted) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) continue;  // quotes and padding
    held = (held << 6) | static_cast<unsigned>(digit);
    bits += 6;
    if (bits >= 8) out.push_back(static_cast<std::byte>(held >> (bits -= 8)));
  }
  if (out.size() != 32) return std::nullopt;
  Digest digest;
  std::copy(out.begin(), out.end(), digest.bytes.begin());
  return digest;
}

/// A list of base64 strings; none when one of them is not a digest.
std::optional<std::vector<Digest>> proof_of(const std::string& list) {
  std::vector<Digest> out;
  for (auto at = list.find('"'); at != std::string::npos;) {
    const auto end = list.find('"', at + 1);
    const auto digest = digest_of(std::string_view(list).substr(at, end - at));
    if (!digest) return std::nullopt;
    out.push_back(*digest);
    at = list.find('"', end + 1);
  }
  return out;
}

bool included(const std::string& text) {
  const auto leaf = digest_of(value_of(text, "leafHash")), root = digest_of(value_of(text, "root"));
  const auto proof = proof_of(value_of(text, "proof"));
  return leaf && root && proof &&
         merkle_included(*leaf, std::stoull(value_of(text, "leafIdx")),
                         std::stoull(value_of(text, "treeSize")), *proof, *root, &crypto::sha256);
}

bool consistent(const std::string& text) {
  const auto old_root = digest_of(value_of(text, "root1"));
  const auto new_root = digest_of(value_of(text, "root2"));
  const auto proof = proof_of(value_of(text, "proof"));
  return old_root && new_root && proof &&
         merkle_consistent(std::stoull(value_of(text, "size1")), *old_root,
                           std::stoull(value_of(text, "size2")), *new_root, *proof,
                           &crypto::sha256);
}

TEST(MerkleVectors, GoodProofsAreTakenAndAllOthersRefused) {
  const char* set = std::getenv("THRESHER_VECTORS");
  const std::filesystem::path folder =
      std::filesystem::path(set != nullptr ? set : THRESHER_VECTORS_DEFAULT) / "merkle-rfc6962";
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << "no vectors at " << folder << ": set THRESHER_VECTORS to their folder";
  }
  std::size_t files = 0, taken = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const bool inclusion = entry.path().string().find("/inclusion/") != std::string::npos;
    const bool good = value_of(text, "wantErr").starts_with("false");
    // Compares two equal roots of nine bytes: no Digest can hold them, so the type refuses it.
    if (entry.path().filename() == "sizes-are-equal-one-and-proof-is-empty.json") continue;
    EXPECT_EQ(inclusion ? included(text) : consistent(text), good) << entry.path();
    ++files;
    taken += good ? 1 : 0;
  }
  EXPECT_EQ(files, 195U);
  EXPECT_GT(taken, 5U);
}

}  // namespace
}  // namespace thresher::coding

// Ed25519 by ZIP-215 against signatures with known verdicts: those that zip215_edges.py derives
// from the rule, always; and the outside vectors, read at run time from THRESHER_VECTORS where they
// are.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto {
namespace {

using Buffer = std::vector<std::byte>;

struct Suite {
  std::string name;
  std::string path;
  std::size_t lines;
};

std::vector<Suite> suites() {
  std::vector<Suite> out{{"edges", THRESHER_EDGES, 501}};
  const char* given = std::getenv("THRESHER_VECTORS");
  const std::string folder =
      std::string(given != nullptr ? given : THRESHER_VECTORS_DEFAULT) + "/ed25519/";
  for (const auto& [name, lines] : {std::pair{"zip215", 196U},
                                    {"speccheck", 12U},
                                    {"wycheproof", 151U},
                                    {"sign-input-1-512", 512U}}) {
    const std::string path = folder + name + ".jsonl";
    // A folder that is named is meant: a file that is not there fails below.
    if (given != nullptr || std::filesystem::exists(path)) out.push_back({name, path, lines});
  }
  return out;
}

std::string text_field(const std::string& line, const std::string& name) {
  const std::string open = "\"" + name + "\": \"";
  const auto from = line.find(open);
  if (from == std::string::npos) ADD_FAILURE() << "no field " << name << " in: " << line;
  const auto start = from + open.size();
  return line.substr(start, line.find('"', start) - start);
}

Buffer unhex(const std::string& hex) {
  Buffer out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned value = 0;
    const auto end = std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16).ptr;
    EXPECT_EQ(end, hex.data() + i + 2) << "not hex: " << hex;
    out.push_back(static_cast<std::byte>(value));
  }
  return out;
}

class Zip215Vectors : public testing::TestWithParam<Suite> {};

TEST_P(Zip215Vectors, EveryBackendAgrees) {
  std::ifstream in(GetParam().path);
  ASSERT_TRUE(in) << "no vectors at " << GetParam().path
                  << ": set THRESHER_VECTORS to their folder";
  std::vector<std::unique_ptr<BatchVerifier>> verifiers;
  for (const std::string_view name : available_verifiers()) {
    if (name != "sodium") verifiers.push_back(make_verifier(name));
  }
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    const bool valid = line.find("\"valid\": true") != std::string::npos;
    const Buffer key = unhex(text_field(line, "key")), message = unhex(text_field(line, "msg"));
    const Buffer signature = unhex(text_field(line, "sig"));
    SignatureJob job{{}, message, {}};
    if (key.size() != job.key.size() || signature.size() != job.signature.size()) {
      EXPECT_FALSE(valid) << line;
      continue;
    }
    std::copy(key.begin(), key.end(), job.key.begin());
    std::copy(signature.begin(), signature.end(), job.signature.begin());
    for (const auto& verifier : verifiers) {
      // Alone, and eight times: a few go another way than those that fill the lanes.
      for (const std::size_t copies : {1u, 8u}) {
        const std::vector<SignatureJob> jobs(copies, job);
        std::vector<SignatureStatus> verdicts(copies, SignatureStatus::kUnavailable);
        verifier->verify(jobs, verdicts);
        for (const SignatureStatus v : verdicts) {
          EXPECT_EQ(v == SignatureStatus::kValid, valid) << verifier->name() << line;
        }
      }
    }
  }
  EXPECT_EQ(lines, GetParam().lines);
}

INSTANTIATE_TEST_SUITE_P(Known, Zip215Vectors, testing::ValuesIn(suites()), [](const auto& suite) {
  std::string name = suite.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace thresher::crypto

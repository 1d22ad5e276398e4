#include <memory>
#include <sstream>

#include "../input_file.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string group;
  std::string file = "-";
};

std::optional<std::string> text_of(const text::Value& line, const char* key) {
  const text::Value* found = line.find(key);
  const std::string* text = found != nullptr ? found->as_text() : nullptr;
  return text != nullptr ? std::optional(*text) : std::nullopt;
}

/// Empty when the line is a value of the beacon; else what is wrong.
std::string check(const crypto::RistrettoPoint& group, const std::string& text) {
  const auto line = text::parse(text);
  if (!line || !line->is_object()) return "is no JSON object";
  const text::Value* number = line->find("round");
  const auto given = number != nullptr ? number->as_unsigned() : std::nullopt;
  const auto value = text_of(*line, "value");
  const auto proof = text_of(*line, "proof");
  if (!given || !value || !proof) return "lacks a round, a value or a proof";
  const std::uint64_t round = given.value_or(0);
  const auto bytes = from_hex(*proof);
  if (!bytes) return "has a proof that is no hex";
  const auto shown = crypto::check_beacon_proof(group, round, *bytes);
  if (!shown) return "has a proof that does not hold for round " + std::to_string(round);
  return to_hex(shown->bytes) == *value ? "" : "has another value than its proof shows";
}

int run(const Args& a) {
  const auto bytes = from_hex(a.group);
  crypto::RistrettoPoint group{};
  if (!bytes || bytes->size() != group.size())
    return fail(kUsage, "--group " + a.group + " is not 64 hex digits; thresher dkg printed it");
  std::copy(bytes->begin(), bytes->end(), group.begin());
  const auto text = read_input(a.file, "a file of lines from thresher beacon run");
  if (!text) return fail(kUsage, text.error().why);
  std::istringstream in(*text);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line);) {
    ++lines;
    if (const std::string why = check(group, line); !why.empty())
      return fail(kFailed, "line " + std::to_string(lines) + " " + why);
  }
  if (lines == 0) return fail(kFailed, "there is no line to verify");
  std::printf("%zu values verified\n", lines);
  return kDone;
}

}  // namespace

Verb make_beacon_verify() {
  auto a = std::make_shared<Args>();
  return {{"beacon", "verify"},
          "Check values of a beacon with nothing but the group's key. Example: thresher beacon "
          "verify --group KEY values.jsonl",
          {{"--group", "the group's public key, 64 hex digits", &a->group, true},
           {"file", "lines of thresher beacon run; - for standard input", &a->file}},
          [a] { return run(*a); }};
}

}  // namespace thresher::cli

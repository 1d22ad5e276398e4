#include <map>
#include <memory>
#include <sstream>

#include "../input_file.hpp"
#include "../json.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string group;
  std::string file = "-";
  bool whole = false;
  bool json = false;
};

/// How many gaps and repeated rounds the report for people names.
constexpr std::size_t kNamed = 8;

/// Rounds without a line, between two that have one.
struct Gap {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// What lines with good proofs say together. A round has one value whatever its proof, so a line
/// that repeats a round says nothing new, and the order of the lines says nothing at all.
struct Rounds {
  std::map<std::uint64_t, std::size_t> lines;  // by round

  std::vector<Gap> gaps() const {
    std::vector<Gap> out;
    for (auto at = lines.begin(); at != lines.end() && std::next(at) != lines.end(); ++at) {
      const std::uint64_t next = std::next(at)->first;
      if (next - at->first > 1) out.push_back({at->first + 1, next - 1});
    }
    return out;
  }
  std::vector<std::uint64_t> repeated() const {
    std::vector<std::uint64_t> out;
    for (const auto& [round, count] : lines) {
      if (count > 1) out.push_back(round);
    }
    return out;
  }
};

std::optional<std::string> text_of(const text::Value& line, const char* key) {
  const text::Value* found = line.find(key);
  const std::string* text = found != nullptr ? found->as_text() : nullptr;
  return text != nullptr ? std::optional(*text) : std::nullopt;
}

/// The round of a line that is a value of the beacon; else what is wrong with it.
Result<std::uint64_t, std::string> check(const crypto::RistrettoPoint& group,
                                         const std::string& text) {
  const auto line = text::parse(text);
  if (!line || !line->is_object()) return std::string("is no JSON object");
  const text::Value* number = line->find("round");
  const auto given = number != nullptr ? number->as_unsigned() : std::nullopt;
  const auto value = text_of(*line, "value");
  const auto proof = text_of(*line, "proof");
  if (!given || !value || !proof) return std::string("lacks a round, a value or a proof");
  const std::uint64_t round = given.value_or(0);
  const auto bytes = from_hex(*proof);
  if (!bytes) return std::string("has a proof that is no hex");
  const auto shown = crypto::check_beacon_proof(group, round, *bytes);
  if (!shown) return "has a proof that does not hold for round " + std::to_string(round);
  if (to_hex(shown->bytes) != *value) return std::string("has another value than its proof shows");
  return round;
}

std::string name_of(const Gap& gap) {
  const std::string first = std::to_string(gap.first);
  return gap.first == gap.last ? first : first + " to " + std::to_string(gap.last);
}
std::string name_of(std::uint64_t round) {
  return std::to_string(round);
}

/// "3, 5 to 9 and 12 more".
template <class T>
std::string named(const std::vector<T>& all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kNamed); ++i)
    out += (i == 0 ? "" : ", ") + name_of(all[i]);
  if (all.size() > kNamed) out += " and " + std::to_string(all.size() - kNamed) + " more";
  return out;
}

void print_text(const Rounds& rounds) {
  const std::size_t count = rounds.lines.size();
  std::printf("%zu %s verified, round%s %s\n", count, count == 1 ? "value" : "values",
              count == 1 ? "" : "s",
              name_of({rounds.lines.begin()->first, rounds.lines.rbegin()->first}).c_str());
  if (const auto gaps = rounds.gaps(); !gaps.empty())
    std::printf("no line for: %s\n", named(gaps).c_str());
  if (const auto repeated = rounds.repeated(); !repeated.empty())
    std::printf("more than one line for: %s\n", named(repeated).c_str());
}

void print_json(const Rounds& rounds) {
  std::vector<Json> gaps;
  for (const Gap& gap : rounds.gaps())
    gaps.push_back(std::move(Json().set("first", gap.first).set("last", gap.last)));
  Json()
      .set("values", std::uint64_t{rounds.lines.size()})
      .set("first", rounds.lines.begin()->first)
      .set("last", rounds.lines.rbegin()->first)
      .set("gaps", gaps)
      .set("repeated", rounds.repeated())
      .print();
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
  Rounds rounds;
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line);) {
    ++lines;
    const auto round = check(group, line);
    if (!round) return fail(kFailed, "line " + std::to_string(lines) + " " + round.error());
    ++rounds.lines[*round];
  }
  if (lines == 0) return fail(kFailed, "there is no line to verify");
  a.json ? print_json(rounds) : print_text(rounds);
  if (a.whole && !(rounds.gaps().empty() && rounds.repeated().empty()))
    return fail(kFailed, "the lines are not each round once; another node's lines may fill gaps");
  return kDone;
}

}  // namespace

Verb make_beacon_verify() {
  auto a = std::make_shared<Args>();
  return {{"beacon", "verify"},
          "Check values of a beacon with nothing but the group's key, in any order; says which "
          "rounds between the first and the last have no line, or several. Example: thresher "
          "beacon verify --group KEY values.jsonl",
          {{"--group", "the group's public key, 64 hex digits", &a->group, true},
           {"file", "lines of thresher beacon run; - for standard input", &a->file},
           {"--whole", "fail unless each round has one line", &a->whole},
           {"--json", "one object on one line", &a->json}},
          [a] { return run(*a); }};
}

}  // namespace thresher::cli

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "../input_lines.hpp"
#include "../json.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/crypto/dleq_group.hpp"
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

/// A line of the largest committee has a proof of 4096 shares, each 260 digits long.
constexpr std::size_t kLineBytes = std::size_t{2} << 20;

/// Rounds in a row.
struct Row {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// A set of rounds kept as ranges: one entry for each row of them.
class RoundSet {
 public:
  /// False: it was there.
  bool insert(std::uint64_t round) {
    const auto next = rows_.upper_bound(round);
    const auto before = next == rows_.begin() ? rows_.end() : std::prev(next);
    if (before != rows_.end() && round <= before->second) return false;
    ++count_;
    const bool joins = next != rows_.end() && next->first - 1 == round;
    const std::uint64_t last = joins ? next->second : round;
    if (joins) rows_.erase(next);
    if (before != rows_.end() && before->second + 1 == round) {
      before->second = last;
    } else {
      rows_.emplace(round, last);
    }
    return true;
  }
  std::uint64_t count() const { return count_; }
  std::vector<Row> rows() const {
    std::vector<Row> out;
    for (const auto& [first, last] : rows_) out.push_back({first, last});
    return out;
  }
  /// What is missing between two rows.
  std::vector<Row> gaps() const {
    std::vector<Row> out;
    for (auto at = rows_.begin(); at != rows_.end() && std::next(at) != rows_.end(); ++at)
      out.push_back({at->second + 1, std::next(at)->first - 1});
    return out;
  }
  /// Pre: not empty.
  Row all() const { return {rows_.begin()->first, rows_.rbegin()->second}; }

 private:
  std::map<std::uint64_t, std::uint64_t> rows_;  // first round to last
  std::uint64_t count_ = 0;
};

/// What lines with good proofs say together. A round has one value whatever its proof, so a line
/// that repeats a round says nothing new, and the order of the lines says nothing at all.
struct Rounds {
  RoundSet seen;
  RoundSet repeated;

  void add(std::uint64_t round) {
    if (!seen.insert(round)) (void)repeated.insert(round);
  }
  bool whole() const { return seen.rows().size() == 1 && repeated.count() == 0; }
};

std::optional<std::string> text_of(const text::Value& line, const char* key) {
  const text::Value* found = line.find(key);
  const std::string* text = found != nullptr ? found->as_text() : nullptr;
  return text != nullptr ? std::optional(*text) : std::nullopt;
}

/// The round of a line that is a value of the beacon; else what is wrong with it. `first`: no line
/// before it was one.
Result<std::uint64_t, Error> check(const crypto::RistrettoPoint& group, const std::string& text,
                                   bool first) {
  const auto malformed = [](const std::string& what) { return Error{ErrorCode::kMalformed, what}; };
  const auto rejected = [](const std::string& what) { return Error{ErrorCode::kRejected, what}; };
  const auto line = text::parse(text);
  if (!line) {
    const text::Problem& problem = line.error().front();
    return malformed("is not a JSON object: column " + std::to_string(problem.place.column) + ": " +
                     problem.what);
  }
  if (!line->is_object()) return malformed("is not a JSON object");
  const text::Value* number = line->find("round");
  const auto given = number != nullptr ? number->as_unsigned() : std::nullopt;
  const auto value = text_of(*line, "value");
  const auto proof = text_of(*line, "proof");
  if (!given || !value || !proof) return malformed("lacks a round, a value or a proof");
  const std::uint64_t round = given.value_or(0);
  const auto bytes = from_hex(*proof);
  if (!bytes) return malformed("has a proof that is no hex");
  const auto told = from_hex(*value);
  if (!told) return malformed("has a value that is no hex");
  const auto shown = crypto::check_beacon_proof(group, round, *bytes);
  if (!shown)
    return rejected(
        "has a proof that does not hold for round " + std::to_string(round) +
        (first ? " under the key of --group; that may be another network's: compare it with "
                 "what thresher dkg prints"
               : ""));
  if (!std::ranges::equal(shown->bytes, *told))
    return rejected("has another value than its proof shows");
  return round;
}

std::string name_of(const Row& row) {
  const std::string first = std::to_string(row.first);
  return row.first == row.last ? first : first + " to " + std::to_string(row.last);
}

/// "3, 5 to 9 and 12 more".
std::string named(const std::vector<Row>& all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kNamed); ++i)
    out += (i == 0 ? "" : ", ") + name_of(all[i]);
  if (all.size() > kNamed) out += " and " + std::to_string(all.size() - kNamed) + " more";
  return out;
}

void print_text(const Rounds& rounds) {
  const std::uint64_t count = rounds.seen.count();
  std::printf("%llu %s verified, round%s %s\n", static_cast<unsigned long long>(count),
              count == 1 ? "value" : "values", count == 1 ? "" : "s",
              name_of(rounds.seen.all()).c_str());
  if (const auto gaps = rounds.seen.gaps(); !gaps.empty())
    std::printf("no line for: %s\n", named(gaps).c_str());
  if (rounds.repeated.count() > 0)
    std::printf("more than one line for: %s\n", named(rounds.repeated.rows()).c_str());
}

void print_json(const Rounds& rounds) {
  std::vector<Json> gaps;
  for (const Row& gap : rounds.seen.gaps())
    gaps.push_back(std::move(Json().set("first", gap.first).set("last", gap.last)));
  std::vector<std::uint64_t> repeated;
  for (const Row& row : rounds.repeated.rows()) {
    for (std::uint64_t round = row.first; round - row.first <= row.last - row.first; ++round)
      repeated.push_back(round);
  }
  const Row all = rounds.seen.all();
  Json()
      .set("values", rounds.seen.count())
      .set("first", all.first)
      .set("last", all.last)
      .set("gaps", gaps)
      .set("repeated", repeated)
      .print();
}

/// Empty: --group is not a key.
std::optional<crypto::RistrettoPoint> group_of(const std::string& digits) {
  const auto bytes = from_hex(digits);
  crypto::RistrettoPoint group{};
  if (!bytes || bytes->size() != group.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), group.begin());
  return group;
}

int run(const Args& a) {
  const auto group = group_of(a.group);
  if (!group)
    return fail(kUsage,
                "--group " + a.group + " is not 64 hex digits; thresher dkg prints the key");
  if (!crypto::ristretto_valid(*group))
    return fail(kUsage, "--group " + a.group +
                            " is no group's public key: it is no element of ristretto255; look "
                            "for a digit that was changed. thresher dkg prints the key");
  InputLines in(a.file, "a file of lines from thresher beacon run", kLineBytes);
  Rounds rounds;
  for (std::string line; in.next(line);) {
    const auto round = check(*group, line, rounds.seen.count() == 0);
    if (!round)
      return fail(kFailed, "line " + std::to_string(in.count()) + " " + round.error().text());
    rounds.add(*round);
  }
  if (!in.problem().empty()) return fail(kUsage, in.problem());
  if (in.count() == 0) return fail(kFailed, "there is no line to verify");
  a.json ? print_json(rounds) : print_text(rounds);
  if (a.whole && !rounds.whole())
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

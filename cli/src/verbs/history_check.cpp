#include <memory>

#include "../input_file.hpp"
#include "../json.hpp"
#include "../text.hpp"
#include "thresher/verify/history/levels.hpp"

namespace thresher::cli {
namespace {

// A run of hours with many clients; what is checked is kept in memory several times.
constexpr std::size_t kHistoryBytes = std::size_t{1} << 30;

using history::Finding;
using history::Holds;
using history::Level;
using history::Report;

struct Args {
  std::string file;
  std::string at_least;
  std::uint64_t states = history::Bounds{}.states;
  std::uint64_t closure = history::Bounds{}.closure;
  bool json = false;
};

std::string level_names() {
  std::string out;
  for (std::size_t i = 0; i < history::kLevels; ++i) {
    out += (i == 0 ? "" : ", ") + std::string(history::name_of(static_cast<Level>(i)));
  }
  return out;
}

void print_json(const history::History& h, const Report& r) {
  Json findings;
  for (std::size_t i = 0; i < history::kLevels; ++i) {
    const Finding& f = r.findings[i];
    Json one;
    if (f.holds == Holds::kUnknown) one.set_null("holds");
    if (f.holds != Holds::kUnknown) one.set("holds", f.holds == Holds::kYes);
    one.set("why", f.why);
    findings.set(std::string(history::name_of(static_cast<Level>(i))), one);
  }
  Json out;
  out.set("level", std::string(history::name_of(r.level))).set("certain", r.certain());
  out.set("operations", std::uint64_t{h.operations.size()});
  out.set("clients", std::uint64_t{h.clients.size()}).set("keys", std::uint64_t{h.keys.size()});
  out.set("findings", findings).print();
}

void print_text(const history::History& h, const Report& r) {
  std::printf("%zu operations of %zu clients on %zu keys\n", h.operations.size(), h.clients.size(),
              h.keys.size());
  for (std::size_t i = 0; i < history::kLevels; ++i) {
    const Finding& f = r.findings[i];
    const char* verdict = f.holds == Holds::kYes ? "yes" : f.holds == Holds::kNo ? "no" : "unknown";
    std::printf("%-18s %s%s%s\n", std::string(history::name_of(static_cast<Level>(i))).c_str(),
                verdict, f.why.empty() ? "" : ": ", escaped(f.why).c_str());
  }
  std::printf("level: %s%s\n", r.certain() ? "" : "at least ",
              std::string(history::name_of(r.level)).c_str());
}

// The level that was asked for: whether it holds decides the status.
int held_against(const std::string& wanted, const Report& r) {
  const Finding& f = r.of(history::level_called(wanted));
  if (f.holds == Holds::kYes) return kDone;
  if (f.holds == Holds::kUnknown) {
    return fail(kNoProgress, "whether the history is " + wanted + " is " + f.why);
  }
  return fail(kSafetyViolated, "the history is not " + wanted + ": " + escaped(f.why));
}

int check(const Args& args) {
  if (!args.at_least.empty() && history::level_called(args.at_least) == Level::kNothing) {
    return fail(kUsage,
                "--at-least '" + args.at_least + "' is no level; give one of " + level_names());
  }
  const auto text = read_input(
      args.file, "a file of one operation a line, as cluster --history writes", kHistoryBytes);
  if (!text) return fail(kUsage, text.error());
  const auto history = history::read(*text, args.file);
  if (!history) return fail_all(kUsage, history.error());
  const Report report = history::judge(*history, {args.states, args.closure});
  if (args.json) {
    print_json(*history, report);
  } else {
    print_text(*history, report);
  }
  return args.at_least.empty() ? kDone : held_against(args.at_least, report);
}

}  // namespace

Verb make_history_check() {
  auto args = std::make_shared<Args>();
  return {
      {"history", "check"},
      "Name the strongest consistency that a recorded history of a key-value store has. Example: "
      "thresher history check run.ndjson --at-least linearizable",
      {{"file",
        "one operation a line: {\"client\":\"c0\",\"op\":\"put\",\"key\":\"x\",\"value\":\"1\","
        "\"begin\":10,\"end\":25}",
        &args->file, true},
       {"--at-least", "exit with 3 if the history is not " + level_names(), &args->at_least},
       {"--states", "give up a search for an order after so many states", &args->states},
       {"--closure", "leave causal levels undecided over so many operations", &args->closure},
       {"--json", "as one JSON object", &args->json}},
      [args] { return check(*args); }};
}

}  // namespace thresher::cli

#include "thresher/verify/schedule.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "grammar.hpp"
#include "thresher/core/names.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

constexpr std::string_view kFormat = "thresher-run-1";

// Zeros are left out of `sparse` objects.
std::string object(const std::vector<std::string>& names, const std::vector<std::int64_t>& values,
                   bool sparse) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (sparse && values[i] == 0) continue;
    out += (out.empty() ? "" : ", ") + ('"' + names[i] + "\": ") + std::to_string(values[i]);
  }
  return "{" + out + "}";
}

std::string run_text(const Automaton& ta, const NamedRun& named) {
  const Execution& run = named.run;
  std::string out = "    {\"property\": \"" + named.property +
                    "\",\n     \"parameters\": " + object(ta.parameters, run.parameters, false) +
                    ",\n     \"locations\": " + object(ta.locations, run.start.processes, true) +
                    ",\n     \"shared\": " + object(ta.shared, run.start.shared, true) +
                    ",\n     \"steps\": [";
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const Rule& rule = ta.rules[run.steps[i].rule];
    out += (i == 0 ? "\n" : ",\n") + ("       {\"rule\": " + std::to_string(rule.id)) +
           ", \"from\": \"" + ta.locations[rule.from] + "\", \"to\": \"" + ta.locations[rule.to] +
           "\", \"times\": " + std::to_string(run.steps[i].times) + "}";
  }
  return out + "]}";
}

/// Reads just this form: whatever else JSON allows is refused with its place.
class Reader : private Grammar {
 public:
  Reader(std::string_view text, const std::string& file, const Automaton& ta, double seconds)
      : Grammar(text, file, Dialect::kJson, seconds), automaton_(ta) {
    for (std::uint32_t i = 0; i < ta.rules.size(); ++i) rules_.emplace(ta.rules[i].id, i);
  }

  std::vector<NamedRun> read() {
    std::vector<NamedRun> runs;
    bool format = false;
    bool automaton = false;
    bool given = false;
    fields({{"format",
             [&] {
               const Token at = lexer_.peek();
               if (text() != kFormat) fail(at, "the format is \"" + std::string(kFormat) + "\"");
               format = true;
             }},
            {"automaton",
             [&] {
               const Token at = lexer_.peek();
               automaton = true;
               if (text() != automaton_.name) {
                 fail(at, "the run is of another automaton than '" + automaton_.name + "'");
               }
             }},
            {"runs", [&] {
               given = true;
               items([&] { runs.push_back(run()); });
             }}});
    if (lexer_.peek().kind != Token::Kind::kEnd) fail(lexer_.peek(), "nothing may follow");
    if (!format) fail(lexer_.peek(), "the field \"format\" is missing");
    if (!automaton) fail(lexer_.peek(), "the field \"automaton\" is missing");
    if (!given) fail(lexer_.peek(), "the field \"runs\" is missing");
    return runs;
  }

 private:
  using Fields = std::vector<std::pair<std::string, std::function<void()>>>;

  std::string text() {
    const Token at = lexer_.next();
    if (at.kind != Token::Kind::kText) fail(at, "expected a string in quotes");
    return std::string(at.text.substr(1, at.text.size() - 2));
  }
  void items(const std::function<void()>& item) {
    expect("[");
    if (accept("]")) return;
    do {
      item();
    } while (accept(","));
    expect("]");
  }
  // Every field at most once, in any order.
  void fields(const Fields& known) {
    expect("{");
    std::set<std::string> seen;
    auto next = known.begin();
    if (accept("}")) return;
    do {
      const Token at = lexer_.peek();
      const std::string key = text();
      // They mostly come in the order of the automaton.
      const auto of_key = [&](const auto& field) { return field.first == key; };
      auto it = std::find_if(next, known.end(), of_key);
      if (it == known.end()) {
        it = std::find_if(known.begin(), next, of_key);
        if (it == next) it = known.end();
      }
      if (it == known.end()) {
        std::vector<std::string> names;
        for (const auto& field : known) names.push_back(field.first);
        unknown(at, "no field has this name here", key, names);
      }
      if (!seen.insert(key).second) fail(at, "this field is given twice");
      expect(":");
      it->second();
      next = it + 1;
    } while (accept(","));
    expect("}");
  }
  [[noreturn]] void unknown(const Token& at, const std::string& what, const std::string& key,
                            const std::vector<std::string>& names) const {
    const auto near = nearest(key, names);
    fail(at, what + (near ? "; did you mean '" + *near + "'?" : std::string()));
  }
  // 0 for what is not given.
  std::vector<std::int64_t> numbers(const std::vector<std::string>& names,
                                    std::vector<bool>& given) {
    std::vector<std::int64_t> out(names.size());
    given.assign(names.size(), false);
    Fields known;
    for (std::size_t i = 0; i < names.size(); ++i) {
      known.emplace_back(names[i], [this, &out, &given, i] {
        out[i] = number();
        given[i] = true;
      });
    }
    fields(known);
    return out;
  }
  std::vector<std::int64_t> sparse(const std::vector<std::string>& names) {
    std::vector<bool> given;
    return numbers(names, given);
  }

  NamedRun run() {
    NamedRun out;
    const Token at = lexer_.peek();
    bool parameters = false;
    bool steps = false;
    out.run.start.processes.resize(automaton_.locations.size());
    out.run.start.shared.resize(automaton_.shared.size());
    fields({{"property", [&] { out.property = property(); }},
            {"parameters",
             [&] {
               const Token first = lexer_.peek();
               std::vector<bool> given;
               out.run.parameters = numbers(automaton_.parameters, given);
               for (std::size_t i = 0; i < given.size(); ++i) {
                 if (!given[i]) {
                   fail(first, "the parameter \"" + automaton_.parameters[i] + "\" is missing");
                 }
               }
               parameters = true;
             }},
            {"locations", [&] { out.run.start.processes = sparse(automaton_.locations); }},
            {"shared", [&] { out.run.start.shared = sparse(automaton_.shared); }},
            {"steps", [&] {
               steps = true;
               items([&] { out.run.steps.push_back(step()); });
             }}});
    if (out.property.empty()) fail(at, "the field \"property\" is missing in this run");
    if (!parameters) fail(at, "the field \"parameters\" is missing in this run");
    if (!steps) fail(at, "the field \"steps\" is missing in this run");
    return out;
  }
  std::string property() {
    const Token at = lexer_.peek();
    std::string wanted = text();
    std::vector<std::string> names;
    for (const Property& p : automaton_.properties) names.push_back(p.name);
    if (std::find(names.begin(), names.end(), wanted) == names.end()) {
      unknown(at, "the automaton has no such property", wanted, names);
    }
    return wanted;
  }
  Step step() {
    Step out;
    const Token at = lexer_.peek();
    std::optional<std::uint32_t> rule;
    std::optional<std::int64_t> times;
    std::string from;
    std::string to;
    fields({{"rule", [&] { rule = rule_index(); }},
            {"from", [&] { from = text(); }},
            {"to", [&] { to = text(); }},
            {"times", [&] { times = number(); }}});
    if (!rule) fail(at, "the field \"rule\" is missing in this step");
    if (!times) fail(at, "the field \"times\" is missing in this step");
    out.rule = *rule;
    out.times = *times;
    const Rule& r = automaton_.rules[*rule];
    const bool same = (from.empty() || from == automaton_.locations[r.from]) &&
                      (to.empty() || to == automaton_.locations[r.to]);
    if (!same) {
      fail(at, "rule " + std::to_string(r.id) + " goes from '" + automaton_.locations[r.from] +
                   "' to '" + automaton_.locations[r.to] + "'");
    }
    return out;
  }
  std::uint32_t rule_index() {
    const Token at = lexer_.peek();
    const auto id = static_cast<std::uint64_t>(number());
    if (const auto it = rules_.find(id); it != rules_.end()) return it->second;
    fail(at, "the automaton has no rule of this number");
  }

  const Automaton& automaton_;
  std::map<std::uint64_t, std::uint32_t> rules_;  // by number, the first of equals
};

}  // namespace

std::string print_schedule(const Automaton& ta, const std::vector<NamedRun>& runs) {
  std::string out = "{\"format\": \"" + std::string(kFormat) + "\",\n  \"automaton\": \"" +
                    ta.name + "\",\n  \"runs\": [";
  for (std::size_t i = 0; i < runs.size(); ++i)
    out += (i == 0 ? "\n" : ",\n") + run_text(ta, runs[i]);
  return out + "]\n}\n";
}

Result<std::vector<NamedRun>, Error> parse_schedule(std::string_view text, const std::string& file,
                                                    const Automaton& automaton, double seconds) {
  try {
    return Reader(text, file, automaton, seconds).read();
  } catch (const OutOfTime&) {
    return read_too_long(file);
  } catch (const Problem& problem) {
    return problem.error;
  }
}

}  // namespace thresher::verify

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/verify/export.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

class TlaPrinter {
 public:
  explicit TlaPrinter(const Automaton& ta) : ta_(ta), counted_(ta) {
    for (std::string& place : counted_.locations) place = "Num" + place;
  }

  std::optional<std::string> run() {
    if (!find_correct()) return std::nullopt;
    std::string out = "---- MODULE " + ta_.name + " ----\nEXTENDS Integers, FiniteSets\n\n";
    out += "CONSTANTS Processes, NbOfCorrProc, " + joined(ta_.parameters, ", ") + "\n\n";
    out += "ASSUME NbOfCorrProc = " + correct_;
    for (const Formula& f : ta_.resilience) out += "\n    /\\ " + text(f);
    out += "\n\nVARIABLES " + joined(variables(), ", ") + "\n\n";
    out += types() + initial();
    for (std::size_t i = 0; i < ta_.rules.size(); ++i) out += rule(i);
    return out + next() + properties() + "====\n";
  }

 private:
  // The dialects differ in the spelling of operators only; a property counts processes by helpers.
  std::string text(const Formula& f) const {
    std::string out = print_formula(counted_, f);
    replace_all(out, "&&", "/\\");
    replace_all(out, "||", "\\/");
    replace_all(out, "!", "~");
    replace_all(out, "==", "=");
    return out;
  }

  // The equation that speaks of locations and parameters: what remains of it without locations.
  bool find_correct() {
    for (const Formula& f : ta_.initial) {
      const bool start = f.kind == Kind::kEqual && f.form.has(Symbol::Kind::kLocation) &&
                         f.form.has(Symbol::Kind::kParameter);
      if (!start) continue;
      const auto one = std::find_if(f.form.terms.begin(), f.form.terms.end(), [](const auto& t) {
        return t.first.kind == Symbol::Kind::kLocation;
      });
      Linear rest{{}, 0};
      rest.add(f.form, one->second > 0 ? -1 : 1);
      for (const bool positive : {true, false}) {
        for (const auto& [symbol, k] : rest.terms) {
          if (symbol.kind != Symbol::Kind::kParameter || (k > 0) != positive) continue;
          const std::int64_t size = k > 0 ? k : -k;
          correct_ += k > 0 ? (correct_.empty() ? "" : " + ") : (correct_.empty() ? "-" : " - ");
          correct_ += (size == 1 ? "" : std::to_string(size) + " * ") + ta_.name_of(symbol);
        }
      }
      if (rest.constant != 0) correct_ += " + " + std::to_string(rest.constant);
      return true;
    }
    return false;
  }

  std::vector<std::string> variables() const {
    std::vector<std::string> out{"ProcessesLocations"};
    out.insert(out.end(), ta_.shared.begin(), ta_.shared.end());
    return out;
  }
  std::vector<std::string> quoted(bool starts_only) const {
    std::vector<std::string> out;
    for (std::uint32_t i = 0; i < ta_.locations.size(); ++i) {
      const Linear here{{{{Symbol::Kind::kLocation, i}, 1}}, 0};
      const bool closed = std::find(ta_.initial.begin(), ta_.initial.end(),
                                    compare(Kind::kEqual, here)) != ta_.initial.end();
      if (!starts_only || !closed) out.push_back('"' + ta_.locations[i] + '"');
    }
    return out;
  }
  std::string types() const {
    std::string out = "TypeOk ==";
    for (const std::string& v : ta_.shared) out += "\n    /\\ " + v + " \\in Nat";
    return out + "\n    /\\ ProcessesLocations \\in [Processes -> {" + joined(quoted(false), ", ") +
           "}]\n\n";
  }
  std::string initial() const {
    std::string out = "Init ==\n    /\\ ProcessesLocations \\in [Processes -> {" +
                      joined(quoted(true), ", ") + "}]";
    for (const Formula& f : ta_.initial) {
      if (!f.form.has(Symbol::Kind::kLocation)) out += "\n    /\\ " + text(f);
    }
    return out + "\n\n";
  }

  std::string rule(std::size_t index) const {
    const Rule& r = ta_.rules[index];
    std::string out = "Rule" + std::to_string(index) +
                      "(p) ==\n    /\\ ProcessesLocations[p] = \"" + ta_.locations[r.from] + "\"";
    if (r.guard.kind != Kind::kTrue) out += "\n    /\\ " + text(r.guard);
    out += "\n    /\\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = \"" +
           ta_.locations[r.to] + "\"]";
    std::vector<std::string> same = ta_.shared;
    for (const Update& u : r.updates) {
      const std::string& name = ta_.shared[u.shared];
      std::erase(same, name);
      const std::string before = u.reset ? "" : name + (u.amount < 0 ? " - " : " + ");
      const std::int64_t size = u.amount < 0 && !u.reset ? -u.amount : u.amount;
      out += "\n    /\\ " + name + "' = " + before + std::to_string(size);
    }
    if (!same.empty()) out += "\n    /\\ UNCHANGED <<" + joined(same, ", ") + ">>";
    return out + "\n\n";
  }

  std::string next() const {
    std::vector<std::string> rules;
    for (std::size_t i = 0; i < ta_.rules.size(); ++i) {
      rules.push_back("Rule" + std::to_string(i) + "(p)");
    }
    return "Next == \\E p \\in Processes : " + joined(rules, " \\/ ") +
           "\n\nSpec == Init /\\ [][Next]_<<" + joined(variables(), ", ") + ">>\n\n";
  }
  std::string properties() const {
    std::string out;
    for (std::size_t i = 0; i < ta_.locations.size(); ++i) {
      out += counted_.locations[i] +
             " == Cardinality({p \\in Processes : ProcessesLocations[p] = \"" + ta_.locations[i] +
             "\"})\n";
    }
    out += "\n";
    for (const Property& p : ta_.properties) {
      if (p.fork) {
        out +=
            "\\* " + p.name + " speaks of two futures of one prefix: no formula here says it\n\n";
      } else {
        out += p.name + " == " + text(p.formula) + "\n\n";
      }
    }
    return out;
  }

  const Automaton& ta_;
  Automaton counted_;  // the same, with a location named as the helper that counts it
  std::string correct_;
};

}  // namespace

std::optional<std::string> export_tla(const Automaton& automaton) {
  return TlaPrinter(automaton).run();
}

}  // namespace thresher::verify

#include <algorithm>
#include <cctype>
#include <set>
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

// Where no letter stands beside it.
void replace_word(std::string& text, std::string_view word, std::string_view by) {
  const auto part_of_name = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + word.size())) {
    const bool alone = !part_of_name(at + word.size()) && (at == 0 || !part_of_name(at - 1));
    if (alone) text.replace(at, word.size(), by);
  }
}

class TlaPrinter {
 public:
  explicit TlaPrinter(const Automaton& ta) : ta_(ta), counted_(ta) {
    for (std::string& place : counted_.locations) place = "Num" + place;
  }

  Result<TlaModule, Error> run() {
    if (std::string why = find_correct(); !why.empty()) return unsupported(std::move(why));
    if (std::string why = clashing_name(); !why.empty()) return unsupported(std::move(why));
    std::string out = "---- MODULE " + ta_.name + " ----\nEXTENDS Integers, FiniteSets\n\n";
    out += "CONSTANTS Processes, NbOfCorrProc, " + joined(ta_.parameters, ", ") + "\n\n";
    out += "ASSUME NbOfCorrProc = " + correct_;
    for (const Formula& f : ta_.resilience) out += "\n    /\\ " + text(f);
    out += "\n\nVARIABLES " + joined(variables(), ", ") + "\n\n";
    out += types() + initial();
    for (const Rule& r : ta_.rules) out += rule(r);
    return TlaModule{out + next() + properties() + "====\n"};
  }

 private:
  Error unsupported(std::string why) const {
    return {ErrorCode::kUnsupported, std::move(why), ta_.name};
  }
  // The dialects differ in the spelling of operators only; a property counts processes by helpers.
  std::string text(const Formula& f) const {
    std::string out = print_formula(counted_, f);
    replace_all(out, "&&", "/\\");
    replace_all(out, "||", "\\/");
    replace_all(out, "!", "~");
    replace_all(out, "==", "=");
    replace_word(out, "true", "TRUE");
    replace_word(out, "false", "FALSE");
    return out;
  }

  // One equation says how many processes there are, and every other constraint on locations that
  // one is empty: TLA+ puts each process into one of the starts and can say no more.
  std::string find_correct() {
    for (const Formula& f : ta_.initial) {
      if (!speaks_of_locations(f) || closes_location(f)) continue;
      if (!correct_.empty()) return "its initial constraints on locations say more than TLA+ can";
      if (f.kind != Kind::kEqual) return "it does not say how many correct processes there are";
      const auto one = std::find_if(f.form.terms.begin(), f.form.terms.end(), [](const auto& t) {
        return t.first.kind == Symbol::Kind::kLocation;
      });
      const std::int64_t sign = one->second;
      if (sign != 1 && sign != -1) return "it does not count every process once at the start";
      Linear rest{{}, sign > 0 ? -f.form.constant : f.form.constant};
      std::size_t counted = 0;
      for (const auto& [symbol, k] : f.form.terms) {
        if (symbol.kind == Symbol::Kind::kParameter) rest.terms[symbol] = -k * sign;
        if (symbol.kind == Symbol::Kind::kShared) return "a variable counts processes at the start";
        if (symbol.kind != Symbol::Kind::kLocation) continue;
        ++counted;
        if (k != sign) return "it does not count every process once at the start";
      }
      if (counted != quoted(true).size()) return "processes may start where nothing counts them";
      write_correct(rest);
    }
    return correct_.empty() ? "it does not say how many correct processes there are" : "";
  }
  void write_correct(const Linear& rest) {
    for (const bool positive : {true, false}) {
      for (const auto& [symbol, k] : rest.terms) {
        if ((k > 0) != positive) continue;
        const std::int64_t size = k > 0 ? k : -k;
        correct_ += k > 0 ? (correct_.empty() ? "" : " + ") : (correct_.empty() ? "-" : " - ");
        correct_ += (size == 1 ? "" : std::to_string(size) + " * ") + ta_.name_of(symbol);
      }
    }
    if (rest.constant == 0 && !correct_.empty()) return;
    if (!correct_.empty()) correct_ += rest.constant < 0 ? " - " : " + ";
    correct_ +=
        std::to_string(rest.constant < 0 && !correct_.empty() ? -rest.constant : rest.constant);
  }
  static bool speaks_of_locations(const Formula& f) {
    return f.form.has(Symbol::Kind::kLocation) ||
           std::any_of(f.children.begin(), f.children.end(), speaks_of_locations);
  }
  static bool closes_location(const Formula& f) {
    return f.kind == Kind::kEqual && f.form.constant == 0 && f.form.terms.size() == 1 &&
           f.form.terms.begin()->second == 1;
  }
  // A module has one space of names.
  std::string clashing_name() const {
    std::set<std::string> seen{
        "ProcessesLocations", "Processes", "NbOfCorrProc", "TypeOk", "Init", "Next", "Spec"};
    std::vector<std::string> all = ta_.parameters;
    all.insert(all.end(), ta_.shared.begin(), ta_.shared.end());
    all.insert(all.end(), counted_.locations.begin(), counted_.locations.end());
    for (const Property& p : ta_.properties) all.push_back(p.name);
    for (const std::string& name : all) {
      if (!seen.insert(name).second) return "the name '" + name + "' would stand for two things";
    }
    return {};
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
      if (!speaks_of_locations(f)) out += "\n    /\\ " + text(f);
    }
    return out + "\n\n";
  }

  std::string rule(const Rule& r) const {
    std::string out = "Rule" + std::to_string(r.id) + "(p) ==\n    /\\ ProcessesLocations[p] = \"" +
                      ta_.locations[r.from] + "\"";
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
    for (const Rule& r : ta_.rules) rules.push_back("Rule" + std::to_string(r.id) + "(p)");
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

Result<TlaModule, Error> export_tla(const Automaton& automaton) {
  return TlaPrinter(automaton).run();
}

}  // namespace thresher::verify

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "grammar.hpp"
#include "thresher/core/names.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

constexpr std::string_view kPlaces = "ProcessesLocations";
constexpr std::string_view kProcesses = "Processes";
constexpr std::string_view kCorrect = "NbOfCorrProc";

/// The part of TLA+ that TACO reads: one process a rule, locations as texts, counted by helpers.
class TlaParser : private Grammar {
 public:
  TlaParser(std::string_view text, const std::string& file, double seconds)
      : Grammar(text, file, Dialect::kTla, seconds) {}

  Automaton parse() {
    const Token head = lexer_.peek();
    expect("MODULE");
    ta_.name = name("the module's name");
    while (lexer_.peek().kind != Token::Kind::kEnd) part();
    if (lexer_.unclosed_comment()) fail(lexer_.peek(), "a comment is not closed with *)");
    if (!macros_.contains(kCorrect)) fail(head, "ASSUME must say what NbOfCorrProc equals");
    if (!typed_) fail(head, "the definition TypeOk, which names the locations, is missing");
    if (!started_) fail(head, "the definition Init is missing");
    if (!next_) fail(head, "the definition Next, which names the rules, is missing");
    std::erase_if(ta_.rules, [this](const Rule& r) { return !taken_.contains(r.id); });
    return finished();
  }

 private:
  void part() {
    const Token at = lexer_.next();
    if (at.text == "EXTENDS") return (void)names("a module's name");
    if (at.text == "CONSTANT" || at.text == "CONSTANTS") return constants();
    if (at.text == "VARIABLE" || at.text == "VARIABLES") return variables();
    if (at.text == "ASSUME") return assumptions();
    if (at.kind != Token::Kind::kName) fail(at, "a definition or a declaration is expected here");
    if (accept("(")) return rule(at);
    if (!accept(":=")) {
      static const std::array<std::string, 6> known{"EXTENDS",   "CONSTANT", "CONSTANTS",
                                                    "VARIABLES", "VARIABLE", "ASSUME"};
      const auto near = nearest(std::string(at.text), known);
      fail(at, "neither a declaration nor a definition with '=='" +
                   (near ? "; did you mean '" + *near + "'?" : std::string()));
    }
    if (!defined_.insert(std::string(at.text)).second) fail(at, "this name is defined twice");
    if (at.text == "TypeOk") return types();
    if (at.text == "Init") return initial(at);
    if (at.text == "Next") return next_rules();
    if (at.text == "Spec") return specification();
    definition(at);
  }

  std::vector<std::pair<Token, std::string>> names(const char* what) {
    std::vector<std::pair<Token, std::string>> out;
    do {
      const Token at = lexer_.peek();
      out.emplace_back(at, name(what));
    } while (accept(","));
    return out;
  }
  void constants() {
    for (auto& [at, text] : names("a constant")) {
      if (text == kProcesses || text == kCorrect) continue;
      add_symbol(at, std::move(text), Symbol::Kind::kParameter, ta_.parameters);
    }
  }
  void variables() {
    for (auto& [at, text] : names("a variable")) {
      if (text == kPlaces) continue;
      add_symbol(at, std::move(text), Symbol::Kind::kShared, ta_.shared);
    }
  }
  void expect_word(std::string_view word) {
    const Token at = lexer_.peek();
    if (!accept(word)) fail(at, "'" + std::string(word) + "' is expected here");
  }

  // Each item between the conjunctions. They are in one list, whose ends are layout.
  template <class Item>
  void conjuncts(Item item) {
    open_choice_.reset();
    std::size_t items = 0;
    accept("&&");
    do {
      item();
      ++items;
    } while (accept("&&"));
    if (items > 1 && open_choice_) {
      fail(*open_choice_, "bracket what '/\\' and '\\/' join here: layout is not read");
    }
  }
  Formula condition() {
    const Token at = lexer_.peek();
    std::vector<Formula> parts;
    do {
      parts.push_back(unary(false));
    } while (accept("||"));
    if (parts.size() > 1) open_choice_ = at;
    return parts.size() == 1 ? std::move(parts[0]) : combine(Kind::kOr, std::move(parts));
  }

  void assumptions() {
    conjuncts([this] {
      const Token at = lexer_.peek();
      if (!accept(kCorrect)) {
        return ta_.resilience.push_back(of_parameters([this] { return condition(); }));
      }
      if (macros_.contains(kCorrect)) fail(at, "NbOfCorrProc is defined twice");
      expect_comparison("==");
      macros_[std::string(kCorrect)] = of_parameters([this] { return sum(); });
    });
  }
  void expect_comparison(std::string_view sign) {
    if (!accept(sign)) fail(lexer_.peek(), "'=' is expected here");
  }

  // "[Processes -> {"a", "b"}]"
  std::vector<std::pair<Token, std::string>> location_set() {
    expect("[");
    expect_word(kProcesses);
    if (!accept("-->")) fail(lexer_.peek(), "'->' is expected here");
    return texts();
  }
  std::vector<std::pair<Token, std::string>> texts() {
    std::vector<std::pair<Token, std::string>> out;
    expect("{");
    do {
      const Token at = lexer_.peek();
      out.emplace_back(at, text());
    } while (accept(","));
    expect("}");
    return out;
  }
  std::string text() {
    demand_time();
    const Token at = lexer_.next();
    if (at.kind != Token::Kind::kText) fail(at, "a location in quotes is expected here");
    return std::string(at.text.substr(1, at.text.size() - 2));
  }
  std::uint32_t place() {
    const Token at = lexer_.peek();
    return place(at, text());
  }
  std::uint32_t place(const Token& at, const std::string& wanted) const {
    if (const auto it = places_.find(wanted); it != places_.end()) return it->second;
    const auto near = nearest(wanted, ta_.locations);
    fail(at, "TypeOk names no such location" + (near ? "; did you mean '" + *near + "'?" : ""));
  }

  void types() {
    typed_ = true;
    conjuncts([this] {
      const Token at = lexer_.peek();
      const std::string variable = name("a variable");
      if (variable != kPlaces && symbol(at, variable).kind != Symbol::Kind::kShared) {
        fail(at, "this is no variable");
      }
      expect("\\in");
      if (variable != kPlaces) return expect_word("Nat");
      for (auto& [where, location] : location_set()) {
        if (!symbol_like(location)) fail(where, "a location is a name of letters, digits and '_'");
        const auto number = static_cast<std::uint32_t>(ta_.locations.size());
        if (number == kMostNames) fail(where, "there are too many locations");
        if (!places_.emplace(location, number).second) fail(where, "this location is named twice");
        ta_.locations.push_back(std::move(location));
      }
      expect("]");
    });
  }
  static bool symbol_like(const std::string& s) {
    const auto fits = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !s.empty() && (s[0] < '0' || s[0] > '9') && std::all_of(s.begin(), s.end(), fits);
  }

  // All correct processes are somewhere among the starts; the equation has one form, as in .ta
  // files.
  void initial(const Token& at) {
    started_ = true;
    std::vector<Formula> others;
    std::set<std::uint32_t> starts;
    conjuncts([&] {
      if (lexer_.peek().text != kPlaces) {
        const Token here = lexer_.peek();
        others.push_back(condition());
        return check_guard(here, others.back());
      }
      lexer_.next();
      expect("\\in");
      for (const auto& [where, location] : location_set()) starts.insert(place(where, location));
      expect("]");
    });
    if (starts.empty()) fail(at, "Init does not say where processes start");
    const auto correct = macros_.find(kCorrect);
    if (correct == macros_.end()) fail(at, "ASSUME must say before what NbOfCorrProc equals");
    Linear equation = Linear().add(correct->second, -1);
    for (const std::uint32_t l : starts) equation.terms[{Symbol::Kind::kLocation, l}] = 1;
    if (equation.terms.begin()->second < 0) equation = Linear(Linear().add(equation, -1));
    ta_.initial.push_back(compare(Kind::kEqual, std::move(equation)));
    for (std::uint32_t l = 0; l < ta_.locations.size(); ++l) {
      if (starts.contains(l)) continue;
      ta_.initial.push_back(compare(Kind::kEqual, {{{{Symbol::Kind::kLocation, l}, 1}}, 0}));
    }
    for (Formula& f : others) add_initial(std::move(f));
  }

  /// A rule while it is read.
  struct Draft {
    std::string process;
    std::optional<std::uint32_t> from;
    std::optional<std::uint32_t> to;
    std::vector<Formula> guards;
    std::set<std::uint32_t> told;  ///< variables that are primed or UNCHANGED
    Rule rule;
  };

  std::uint64_t rule_number(const Token& at) const {
    const std::string_view digits = at.text.substr(std::min<std::size_t>(4, at.text.size()));
    const bool good = at.text.substr(0, 4) == "Rule" && !digits.empty() && digits.size() < 10 &&
                      digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!good) fail(at, "a rule is called 'Rule' and a number");
    return std::stoull(std::string(digits));
  }
  void rule(const Token& at) {
    Draft draft;
    draft.rule.id = rule_number(at);
    if (!numbers_.insert(draft.rule.id).second) fail(at, "two rules have this number");
    draft.process = name("the process");
    expect(")");
    if (!accept(":=")) fail(lexer_.peek(), "'==' is expected here");
    conjuncts([&] { action(draft); });
    if (!draft.from) fail(at, "this rule does not say where the process is");
    if (!draft.to) fail(at, "this rule does not say where the process goes");
    for (std::uint32_t v = 0; v < ta_.shared.size(); ++v) {
      if (!draft.told.contains(v)) {
        fail(at, "this rule leaves open what becomes of '" + ta_.shared[v] +
                     "': write UNCHANGED if it stays");
      }
    }
    draft.rule.from = *draft.from;
    draft.rule.to = *draft.to;
    draft.rule.guard = draft.guards.empty()       ? truth(true)
                       : draft.guards.size() == 1 ? draft.guards[0]
                                                  : combine(Kind::kAnd, draft.guards);
    ta_.rules.push_back(std::move(draft.rule));
  }
  void action(Draft& draft) {
    const Token at = lexer_.peek();
    if (accept(kPlaces)) return move(draft, at);
    if (accept("UNCHANGED")) return unchanged(draft, at);
    const Lexer before = lexer_;
    if (at.kind == Token::Kind::kName) {
      lexer_.next();
      if (accept("'")) return assign(draft, at);
      lexer_ = before;
    }
    draft.guards.push_back(condition());
    check_guard(at, draft.guards.back());
  }
  void move(Draft& draft, const Token& at) {
    if (accept("[")) {
      expect_word(draft.process);
      expect("]");
      expect_comparison("==");
      if (draft.from) fail(at, "this rule says twice where the process is");
      draft.from = place();
      return;
    }
    expect("'");
    expect_comparison("==");
    expect("[");
    expect_word(kPlaces);
    expect_word("EXCEPT");
    if (!accept("!!")) fail(lexer_.peek(), "'!' is expected here");
    expect("[");
    expect_word(draft.process);
    expect("]");
    expect_comparison("==");
    if (draft.to) fail(at, "this rule says twice where the process goes");
    draft.to = place();
    expect("]");
  }
  void tell(Draft& draft, const Token& at, std::uint32_t variable) {
    if (!draft.told.insert(variable).second) {
      fail(at, "this rule says twice what becomes of the variable");
    }
  }
  void unchanged(Draft& draft, const Token& at) {
    const bool several = accept("<<");
    for (const auto& [where, variable] : names("a variable")) {
      if (variable == kPlaces) {
        if (!draft.from) fail(at, "say first where the process is");
        if (draft.to) fail(at, "this rule says twice where the process goes");
        draft.to = draft.from;
        continue;
      }
      const Symbol s = symbol(where, variable);
      if (s.kind != Symbol::Kind::kShared) fail(where, "this is no variable");
      tell(draft, where, s.index);
    }
    if (several) expect(">>");
  }
  void assign(Draft& draft, const Token& at) {
    const Symbol s = symbol(at, std::string(at.text));
    if (s.kind != Symbol::Kind::kShared) fail(at, "only variables change");
    tell(draft, at, s.index);
    expect_comparison("==");
    const Token value_at = lexer_.peek();
    if (const auto update = update_of(value_at, s, sum())) draft.rule.updates.push_back(*update);
  }

  void next_rules() {
    next_ = true;
    expect("\\E");
    const std::string process = name("the process");
    expect("\\in");
    expect_word(kProcesses);
    expect(":");
    accept("||");
    do {
      const Token at = lexer_.next();
      const std::uint64_t id = rule_number(at);
      if (!numbers_.contains(id)) fail(at, "no rule of this number is defined");
      if (!taken_.insert(id).second) fail(at, "this rule is named twice");
      expect("(");
      expect_word(process);
      expect(")");
    } while (accept("||"));
  }
  // "Init /\ [][Next]_<<variables>>": nothing in it is left to choose.
  void specification() {
    expect_word("Init");
    expect("&&");
    expect("[]");
    expect("[");
    expect_word("Next");
    expect("]");
    expect("_");
    expect("<<");
    (void)names("a variable");
    expect(">>");
  }

  // A helper that counts processes, a macro of sums, or a property.
  void definition(const Token& at) {
    std::string defined(at.text);
    if (symbols_.contains(defined) || macros_.contains(defined)) {
      fail(at, "this name is declared already");
    }
    if (accept("Cardinality")) {
      macros_[std::move(defined)] = counted();
      return;
    }
    if (auto value = plain_sum()) {
      macros_[std::move(defined)] = std::move(*value);
      return;
    }
    ta_.properties.push_back({std::move(defined), formula(true)});
  }
  // {p \in Processes : ProcessesLocations[p] = "a" \/ ...}
  Linear counted() {
    Linear out;
    expect("(");
    expect("{");
    const std::string process = name("the process");
    expect("\\in");
    expect_word(kProcesses);
    expect(":");
    accept("||");
    do {
      const bool bracket = accept("(");
      expect_word(kPlaces);
      expect("[");
      expect_word(process);
      expect("]");
      if (accept("\\in")) {
        for (const auto& [where, location] : texts()) {
          out.terms[{Symbol::Kind::kLocation, place(where, location)}] = 1;
        }
      } else {
        expect_comparison("==");
        out.terms[{Symbol::Kind::kLocation, place()}] = 1;
      }
      if (bracket) expect(")");
    } while (accept("||"));
    expect("}");
    expect(")");
    return out;
  }
  std::optional<Linear> plain_sum() {
    const Lexer before = lexer_;
    try {
      Linear value = sum();
      const Token& after = lexer_.peek();
      if (after.kind == Token::Kind::kEnd || after.kind == Token::Kind::kName) return value;
    } catch (const Problem&) {  // read as a formula, it says what is wrong
    }
    lexer_ = before;
    return std::nullopt;
  }

  std::map<std::string, std::uint32_t> places_;  // the numbers of locations
  std::optional<Token> open_choice_;             // an item of a list that is one, without brackets
  std::set<std::string> defined_;
  std::set<std::uint64_t> numbers_;  // of rules
  std::set<std::uint64_t> taken_;
  bool typed_ = false;
  bool started_ = false;
  bool next_ = false;
};

}  // namespace

Result<Automaton, Error> parse_tla(std::string_view text, const std::string& file, double seconds) {
  try {
    return TlaParser(text, file, seconds).parse();
  } catch (const OutOfTime&) {
    return read_too_long(file);
  } catch (const Problem& problem) {
    return problem.error;
  }
}

}  // namespace thresher::verify

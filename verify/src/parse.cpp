#include <array>
#include <set>

#include "grammar.hpp"
#include "thresher/core/names.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

/// Recursive descent; throws Problem, which parse_automaton turns into a Result.
class Parser : private Grammar {
 public:
  Parser(std::string_view text, const std::string& file, double seconds)
      : Grammar(text, file, Dialect::kByMC, seconds) {}

  Automaton parse() {
    static const std::set<std::string_view> openers{
        "skel", "thresholdAutomaton", "threshAuto", "TA", "ta", "proc"};
    const Token head = lexer_.next();
    if (!openers.contains(head.text)) fail(head, "an automaton begins with 'skel NAME {'");
    ta_.name = name("the automaton's name");
    expect("{");
    bool rules = false;
    bool locations = false;
    while (!accept("}")) {
      const Token section = lexer_.next();
      rules |= section.text == "rules";
      locations |= section.text == "locations";
      part(section);
    }
    if (!locations) fail(head, "the section 'locations' is missing");
    if (!rules) fail(head, "the section 'rules' is missing");
    if (lexer_.peek().kind != Token::Kind::kEnd) {
      fail(lexer_.peek(), "nothing may follow the automaton's closing brace");
    }
    if (lexer_.unclosed_comment()) fail(lexer_.peek(), "a comment is not closed with */");
    return finished();
  }

 private:
  void part(const Token& section) {
    static const std::array<std::string, 13> known{
        "local", "shared", "parameters",     "define", "assumptions", "assume", "locations",
        "inits", "rules",  "specifications", "spec",   "unknowns",    "specs"};
    if (section.text == "local") return skip_names();
    if (section.text == "shared") return declare(Symbol::Kind::kShared, ta_.shared);
    if (section.text == "parameters") return declare(Symbol::Kind::kParameter, ta_.parameters);
    if (section.text == "define") return define();
    if (section.text == "assumptions" || section.text == "assume") {
      return constraints(
          [this] { ta_.resilience.push_back(of_parameters([this] { return formula(false); })); });
    }
    if (section.text == "inits") return constraints([this] { add_initial(formula(false)); });
    if (section.text == "locations") return locations();
    if (section.text == "rules") return rules();
    if (section.text == "specifications" || section.text == "spec" || section.text == "specs") {
      return properties();
    }
    if (section.text == "unknowns") {
      fail(section, "'unknowns' ask for synthesis, which is not done here; give them values");
    }
    const auto near = nearest(section.text, known);
    fail(section, "no section has this name" + (near ? "; did you mean '" + *near + "'?" : ""));
  }

  void skip_names() {
    do {
      name("a name");
    } while (accept(","));
    expect(";");
  }
  void declare(Symbol::Kind kind, std::vector<std::string>& into) {
    if (accept(";")) return;
    do {
      const Token at = lexer_.peek();
      add_symbol(at, name("a name"), kind, into);
    } while (accept(","));
    expect(";");
  }
  void define() {
    const Token at = lexer_.peek();
    std::string macro = name("the name of the macro");
    if (symbols_.contains(macro) || macros_.contains(macro))
      fail(at, "this name is declared twice");
    if (!accept("==")) expect("=");
    macros_[std::move(macro)] = sum();
    expect(";");
  }
  // "(12)" after a section's name: ignored, as the files' own tools do.
  void open_section() {
    if (accept("(")) {
      number();
      expect(")");
    }
    expect("{");
  }
  template <class Item>
  void constraints(Item item) {
    open_section();
    while (!accept("}")) {
      item();
      if (!accept(";") && lexer_.peek().text != "}") expect(";");
    }
  }
  void locations() {
    open_section();
    while (!accept("}")) {
      const Token at = lexer_.peek();
      std::string text = name("a location's name");
      if (accept(":")) {
        expect("[");
        number();
        while (accept(";")) number();
        expect("]");
      }
      add_symbol(at, std::move(text), Symbol::Kind::kLocation, ta_.locations);
      if (!accept(";") && lexer_.peek().text != "}") expect(";");
    }
  }

  std::uint32_t location() {
    const Token at = lexer_.peek();
    const Symbol s = symbol(at, name("a location"));
    if (s.kind != Symbol::Kind::kLocation) fail(at, "this is no location");
    return s.index;
  }
  void rules() {
    open_section();
    std::set<std::uint64_t> ids;
    while (!accept("}")) {
      const Token at = lexer_.peek();
      Rule rule;
      rule.id = static_cast<std::uint64_t>(number());
      if (!ids.insert(rule.id).second) fail(at, "two rules have this number");
      expect(":");
      rule.from = location();
      expect("->");
      rule.to = location();
      expect("when");
      const Token guard_at = lexer_.peek();
      rule.guard = formula(false);
      check_guard(guard_at, rule.guard);
      expect("do");
      expect("{");
      std::set<std::uint32_t> told;
      while (!accept("}")) {
        action(rule, told);
        if (!accept(";") && lexer_.peek().text != "}") expect(";");
      }
      accept(";");
      ta_.rules.push_back(std::move(rule));
    }
  }
  // Two actions on one variable contradict each other, or one of them is a slip: which, the reader
  // cannot know.
  void tell(std::set<std::uint32_t>& told, const Token& at, std::uint32_t variable) {
    if (told.insert(variable).second) return;
    fail(at, "this rule says twice what becomes of the variable; write one action for it");
  }
  void action(Rule& rule, std::set<std::uint32_t>& told) {
    const Token at = lexer_.peek();
    const std::string text = name("an action");
    if ((text == "unchanged" || text == "reset") && accept("(")) {
      do {
        const Token var = lexer_.peek();
        const Symbol s = symbol(var, name("a shared variable"));
        if (s.kind != Symbol::Kind::kShared) fail(var, "this is no shared variable");
        tell(told, var, s.index);
        if (text == "reset") rule.updates.push_back({s.index, true, 0});
      } while (accept(","));
      return expect(")");
    }
    const Symbol s = symbol(at, text);
    if (s.kind != Symbol::Kind::kShared) fail(at, "only shared variables change");
    tell(told, at, s.index);
    expect("'");
    if (!accept("==") && !accept(":=")) expect("=");
    const Token value_at = lexer_.peek();
    if (const auto update = update_of(value_at, s, sum())) rule.updates.push_back(*update);
  }

  // Marked comments are properties here, and comments elsewhere.
  void properties() {
    lexer_.read_marks(true);
    open_section();
    std::set<std::string> names;
    while (lexer_.peek().text != "}") {
      const bool marked = accept("/*@");
      if (marked) expect("two_futures");
      const Token at = lexer_.peek();
      Property p;
      p.name = name("a property's name");
      if (!names.insert(p.name).second) fail(at, "two properties have this name");
      expect(":");
      if (marked) {
        p.fork = two_futures();
        p.formula = truth(false);
      } else {
        p.formula = formula(true);
      }
      if (!accept(";") && lexer_.peek().text != "}") expect(";");
      if (marked) expect("@*/");
      ta_.properties.push_back(std::move(p));
    }
    lexer_.read_marks(false);
    expect("}");
  }
  Fork two_futures() {
    Fork out;
    const auto bracketed = [this](const char* word) {
      expect(word);
      expect("(");
      Formula f = formula(false);
      expect(")");
      return f;
    };
    out.when = bracketed("after");
    out.first = bracketed("not");
    out.second = bracketed("and");
    return out;
  }
};

}  // namespace

Result<Automaton, Error> parse_automaton(std::string_view text, const std::string& file,
                                         double seconds) {
  try {
    return Parser(text, file, seconds).parse();
  } catch (const OutOfTime&) {
    return read_too_long(file);
  } catch (const Problem& problem) {
    return problem.error;
  }
}

}  // namespace thresher::verify

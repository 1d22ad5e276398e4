#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <stdexcept>

#include "lexer.hpp"
#include "thresher/core/names.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

/// Coefficients beyond this are refused, so that sums stay in 64 bits.
constexpr std::int64_t kLargest = 1'000'000'000;
constexpr int kDeepest = 200;
constexpr std::size_t kMostNames = 100'000;
/// Among more names, or for a longer one, no nearest name is looked for.
constexpr std::size_t kMostCompared = 2'000;
constexpr std::size_t kLongestCompared = 200;
/// Times the text may be read again because a bracket could open a formula or a sum.
constexpr std::size_t kMostReadings = 8;
constexpr std::size_t kMostReadAgain = 256u << 20;
constexpr std::size_t kLongestName = 1'000;
/// Of the text an error quotes.
constexpr std::size_t kLongestQuote = 60;

struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Recursive descent; throws Problem, which parse_automaton turns into a Result.
class Parser {
 public:
  Parser(std::string_view text, const std::string& file)
      : lexer_(text), file_(file), size_(text.size()) {}

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
    return std::move(ta_);
  }

 private:
  [[noreturn]] void fail(const Token& at, const std::string& what) const {
    const std::string found = at.kind == Token::Kind::kEnd
                                  ? "the end of the file"
                                  : "'" + std::string(at.text.substr(0, kLongestQuote)) + "'";
    throw Problem(file_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                  what + "; found " + found);
  }
  bool accept(std::string_view sign) {
    if (lexer_.peek().kind == Token::Kind::kEnd || lexer_.peek().text != sign) return false;
    lexer_.next();
    return true;
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) fail(lexer_.peek(), "'" + std::string(sign) + "' is expected here");
  }
  std::string name(const char* what) {
    const Token t = lexer_.next();
    if (t.kind != Token::Kind::kName) fail(t, std::string(what) + " is expected here");
    if (t.text.size() > kLongestName) fail(t, "this name is too long");
    return std::string(t.text);
  }
  std::int64_t number() {
    const Token t = lexer_.next();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), value);
    if (t.kind != Token::Kind::kNumber || error != std::errc{} || value > kLargest) {
      fail(t, "a number up to " + std::to_string(kLargest) + " is expected here");
    }
    return value;
  }

  void part(const Token& section) {
    static const std::array<std::string, 13> known{
        "local", "shared", "parameters",     "define", "assumptions", "assume", "locations",
        "inits", "rules",  "specifications", "spec",   "unknowns",    "specs"};
    if (section.text == "local") return skip_names();
    if (section.text == "shared") return declare(Symbol::Kind::kShared, ta_.shared);
    if (section.text == "parameters") return declare(Symbol::Kind::kParameter, ta_.parameters);
    if (section.text == "define") return define();
    if (section.text == "assumptions" || section.text == "assume") {
      return constraints(ta_.resilience);
    }
    if (section.text == "inits") return constraints(ta_.initial);
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
  void add_symbol(const Token& at, std::string text, Symbol::Kind kind,
                  std::vector<std::string>& into) {
    if (symbols_.contains(text) || macros_.contains(text)) fail(at, "this name is declared twice");
    if (symbols_.size() >= kMostNames) fail(at, "there are too many names");
    symbols_[text] = {kind, static_cast<std::uint32_t>(into.size())};
    into.push_back(std::move(text));
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
  void constraints(std::vector<Formula>& into) {
    open_section();
    while (!accept("}")) {
      into.push_back(formula(false));
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
  Symbol symbol(const Token& at, const std::string& text) const {
    const auto it = symbols_.find(text);
    if (it != symbols_.end()) return it->second;
    if (symbols_.size() > kMostCompared || text.size() > kLongestCompared) {
      fail(at, "this name is not declared");
    }
    std::vector<std::string> known;
    for (const auto& [declared, s] : symbols_) known.push_back(declared);
    for (const auto& [declared, s] : macros_) known.push_back(declared);
    const auto near = nearest(text, known);
    fail(at, "this name is not declared" + (near ? "; did you mean '" + *near + "'?" : ""));
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
      while (!accept("}")) {
        action(rule);
        if (!accept(";") && lexer_.peek().text != "}") expect(";");
      }
      accept(";");
      ta_.rules.push_back(std::move(rule));
    }
  }
  void check_guard(const Token& at, const Formula& f) const {
    if (f.form.has(Symbol::Kind::kLocation)) {
      fail(at, "a guard is over shared variables and parameters, not over locations");
    }
    for (const Formula& c : f.children) check_guard(at, c);
  }
  void action(Rule& rule) {
    const Token at = lexer_.peek();
    const std::string text = name("an action");
    if ((text == "unchanged" || text == "reset") && accept("(")) {
      do {
        const Token var = lexer_.peek();
        const Symbol s = symbol(var, name("a shared variable"));
        if (s.kind != Symbol::Kind::kShared) fail(var, "this is no shared variable");
        if (text == "reset") rule.updates.push_back({s.index, true, 0});
      } while (accept(","));
      return expect(")");
    }
    const Symbol s = symbol(at, text);
    if (s.kind != Symbol::Kind::kShared) fail(at, "only shared variables change");
    expect("'");
    if (!accept("==") && !accept(":=")) expect("=");
    const Token value_at = lexer_.peek();
    Linear value = sum();
    const auto self = value.terms.find(s);
    const bool relative = self != value.terms.end() && self->second == 1;
    if (relative) value.terms.erase(self);
    if (!value.terms.empty()) {
      fail(value_at, "a variable may only grow or shrink by a number, or be set to one");
    }
    if (!relative && value.constant < 0) fail(value_at, "a shared variable is never negative");
    if (!relative) {
      rule.updates.push_back({s.index, true, value.constant});
    } else if (value.constant != 0) {
      rule.updates.push_back({s.index, false, value.constant});
    }
  }

  void properties() {
    open_section();
    std::set<std::string> names;
    while (!accept("}")) {
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

  // Precedence, loosest first: ->, ||, &&, then !, <>, [] and comparisons.
  Formula formula(bool temporal) {
    Formula left = disjunction(temporal);
    if (!accept("->")) return left;
    const Deeper deeper(*this);
    return combine(Kind::kOr, {negate(std::move(left)), formula(temporal)});
  }
  Formula disjunction(bool temporal) {
    std::vector<Formula> parts;
    do {
      parts.push_back(conjunction(temporal));
    } while (accept("||") || accept("\\/"));
    return parts.size() == 1 ? std::move(parts.front()) : combine(Kind::kOr, std::move(parts));
  }
  Formula conjunction(bool temporal) {
    std::vector<Formula> parts;
    do {
      parts.push_back(unary(temporal));
    } while (accept("&&") || accept("/\\"));
    return parts.size() == 1 ? std::move(parts.front()) : combine(Kind::kAnd, std::move(parts));
  }
  struct Deeper {
    explicit Deeper(Parser& p) : parser(p) {
      if (++parser.depth_ > kDeepest) parser.fail(parser.lexer_.peek(), "nested too deeply");
    }
    ~Deeper() { --parser.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser& parser;
  };

  Formula unary(bool temporal) {
    const Deeper deeper(*this);
    const Token at = lexer_.peek();
    if (accept("!")) return negate(unary(temporal));
    if (at.text == "<>" || at.text == "[]") {
      if (!temporal) fail(at, "temporal operators belong into specifications");
      lexer_.next();
      return combine(at.text == "<>" ? Kind::kEventually : Kind::kAlways, {unary(temporal)});
    }
    if (at.text == "(") {
      if (auto inner = parenthesised(temporal)) return std::move(*inner);
    }
    if (at.text == "true" || at.text == "false") {
      lexer_.next();
      return truth(at.text == "true");
    }
    Linear left = sum();
    if (const auto bare = literal(left); bare && !is_comparison(lexer_.peek().text)) return *bare;
    return comparison(std::move(left));
  }
  // A bracket opens a formula or a sum: try the formula, and if a comparison or an operator of
  // sums follows it, go back and read a sum.
  std::optional<Formula> parenthesised(bool temporal) {
    const Lexer before = lexer_;
    lexer_.next();
    try {
      Formula inner = formula(temporal);
      if (accept(")")) {
        const std::string_view after = lexer_.peek().text;
        const bool sum_goes_on =
            is_comparison(after) || after == "+" || after == "*" || after == "/" || (after == "-");
        if (!sum_goes_on) return inner;
      }
      count_again(before, lexer_);
    } catch (const Problem&) {
      const Lexer failed = lexer_;
      count_again(before, failed);
      lexer_ = before;
      if (!opens_sum()) {
        lexer_ = failed;
        throw;
      }
      return std::nullopt;
    }
    lexer_ = before;
    return std::nullopt;
  }
  void count_again(const Lexer& from, const Lexer& to) {
    again_ += to.position() - from.position();
    if (++retries_ > kMostRetries ||
        again_ > std::min(kMostReadings * (size_ + 1000), kMostReadAgain)) {
      fail(to.peek(), "the brackets around here would have to be read too often; use fewer");
    }
  }
  // Whether what the bracket holds is a sum: only then it is worth reading it again.
  bool opens_sum() {
    const Lexer before = lexer_;
    bool good = true;
    try {
      (void)sum();
      good = is_comparison(lexer_.peek().text);
    } catch (const Problem&) {
      good = false;
    }
    lexer_ = before;
    return good;
  }
  static std::optional<Formula> literal(const Linear& form) {
    if (!form.terms.empty() || form.constant < 0 || form.constant > 1) return std::nullopt;
    return truth(form.constant == 1);
  }
  static bool is_comparison(std::string_view sign) {
    return sign == "==" || sign == "!=" || sign == "=!" || sign == "<" || sign == "<=" ||
           sign == ">" || sign == ">=";
  }

  Formula comparison(Linear left) {
    const Token op = lexer_.next();
    if (!is_comparison(op.text)) fail(op, "a comparison is expected here");
    const Linear right = sum();
    Linear difference;  // what must be at least 0
    const bool greater = op.text == ">" || op.text == ">=";
    difference.add(left, greater ? 1 : -1).add(right, greater ? -1 : 1);
    if (op.text == ">" || op.text == "<") difference.constant -= 1;
    const bool equality = op.text == "==" || op.text == "!=" || op.text == "=!";
    if (equality && !difference.terms.empty() && difference.terms.begin()->second < 0) {
      difference = Linear(Linear().add(difference, -1));  // one form for x == y and y == x
    }
    if (op.text == "==") return compare(Kind::kEqual, std::move(difference));
    if (op.text == "!=" || op.text == "=!") {
      return negate(compare(Kind::kEqual, std::move(difference)));
    }
    return compare(Kind::kAtLeast, std::move(difference));
  }

  Linear sum() {
    const Deeper deeper(*this);
    Linear total = product();
    while (true) {
      const Token op = lexer_.peek();
      if (op.text != "+" && op.text != "-") break;
      lexer_.next();
      total.add(product(), op.text == "+" ? 1 : -1);
      check_size(op, total);
    }
    return total;
  }
  void check_size(const Token& at, const Linear& form) const {
    bool fits = std::abs(form.constant) <= kLargest;
    for (const auto& [s, coefficient] : form.terms) fits &= std::abs(coefficient) <= kLargest;
    if (!fits) fail(at, "numbers beyond " + std::to_string(kLargest) + " are refused");
  }
  Linear product() {
    Linear left = factor();
    while (true) {
      const Token op = lexer_.peek();
      if (op.text != "*" && op.text != "/") break;
      lexer_.next();
      Linear right = factor();
      if (op.text == "*" && left.terms.empty()) std::swap(left, right);
      if (!right.terms.empty()) fail(op, "a product of two variables is not linear");
      if (op.text == "*") {
        left = Linear(Linear().add(left, right.constant));
      } else {
        divide(op, left, right.constant);
      }
      check_size(op, left);
    }
    return left;
  }
  void divide(const Token& op, Linear& form, std::int64_t by) const {
    bool exact = by != 0 && form.constant % by == 0;
    for (const auto& [s, coefficient] : form.terms) exact = exact && coefficient % by == 0;
    if (!exact) fail(op, "this division leaves a remainder; multiply the other side instead");
    for (auto& [s, coefficient] : form.terms) coefficient /= by;
    form.constant /= by;
  }
  Linear factor() {
    const Deeper deeper(*this);
    Linear out;
    const Token at = lexer_.peek();
    if (accept("-")) return out.add(factor(), -1);
    if (accept("(")) {
      out = sum();
      expect(")");
      return out;
    }
    if (at.kind == Token::Kind::kNumber) {
      out.constant = number();
      return out;
    }
    const std::string text = name("a number, a name or a bracket");
    if (const auto macro = macros_.find(text); macro != macros_.end()) return macro->second;
    out.terms[symbol(at, text)] = 1;
    return out;
  }

  static constexpr int kMostRetries = 1'000'000;
  Lexer lexer_;
  const std::string& file_;
  Automaton ta_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::map<std::string, Linear, std::less<>> macros_;
  int depth_ = 0;
  int retries_ = 0;
  const std::size_t size_;
  std::size_t again_ = 0;
};

}  // namespace

Result<Automaton, std::string> parse_automaton(std::string_view text, const std::string& file) {
  try {
    return Parser(text, file).parse();
  } catch (const Problem& problem) {
    return std::string(problem.what());
  }
}

}  // namespace thresher::verify

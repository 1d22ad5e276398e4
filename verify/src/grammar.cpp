#include "grammar.hpp"

#include <algorithm>
#include <charconv>

#include "sums.hpp"
#include "thresher/core/names.hpp"

namespace thresher::verify {

using Kind = Formula::Kind;

namespace {

/// Coefficients beyond this are refused, so that sums stay in 64 bits.
constexpr std::int64_t kLargest = 1'000'000'000;
/// A run that is read may have numbers that a solver found: what fits into 64 bits with room for
/// what its firings add.
constexpr std::int64_t kLargestOfRuns = 4'000'000'000'000'000'000;
constexpr int kDeepest = 1'000;
constexpr int kMostRetries = 1'000'000;
/// Times the text may be read again because a bracket could open a formula or a sum.
constexpr std::size_t kMostReadings = 8;
constexpr std::size_t kMostReadAgain = 256u << 20;
constexpr std::size_t kLongestName = 1'000;
/// Words between two looks at the clock.
constexpr std::uint32_t kWordsAtOnce = 256;
/// Most of the text that an error quotes.
constexpr std::size_t kLongestQuote = 60;

}  // namespace

Error read_too_long(const std::string& file) {
  return {ErrorCode::kRejected, file + ": the time was over before the file was read", file,
          "allow more, or give a smaller one"};
}

// Reading a bracket in another way would not make it less deep: no retry.
Grammar::Deeper::Deeper(Grammar& g) : grammar(g) {
  if (++grammar.depth_ <= kDeepest) return;
  const std::string most = std::to_string(kDeepest);
  throw TooDeep{{grammar.place(grammar.lexer_.peek(), "nested too deeply: " + most + " at most")}};
}

void Grammar::fail(const Token& at, const std::string& what) const {
  throw Problem{place(at, what)};
}
Error Grammar::place(const Token& at, const std::string& what) const {
  const std::string found = at.kind == Token::Kind::kEnd
                                ? "the end of the file"
                                : "'" + std::string(at.shown.substr(0, kLongestQuote)) + "'";
  const std::string where = file_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return {ErrorCode::kMalformed, where + ": " + what + "; found " + found, where};
}
bool Grammar::accept(std::string_view sign) {
  if (lexer_.peek().kind == Token::Kind::kEnd || lexer_.peek().text != sign) return false;
  lexer_.next();
  return true;
}
void Grammar::expect(std::string_view sign) {
  if (!accept(sign)) fail(lexer_.peek(), "'" + std::string(sign) + "' is expected here");
}
void Grammar::demand_time() {
  if (until_asked_-- > 0) return;
  until_asked_ = kWordsAtOnce;
  budget_.demand();
}
std::string Grammar::name(const char* what) {
  demand_time();
  const Token t = lexer_.next();
  if (t.kind != Token::Kind::kName) fail(t, std::string(what) + " is expected here");
  if (t.text.size() > kLongestName) fail(t, "this name is too long");
  return std::string(t.text);
}
std::int64_t Grammar::number() {
  demand_time();
  const Token t = lexer_.next();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), value);
  const std::int64_t most = dialect_ == Dialect::kJson ? kLargestOfRuns : kLargest;
  if (t.kind != Token::Kind::kNumber || error != std::errc{} || value > most) {
    fail(t, "a number up to " + std::to_string(most) + " is expected here");
  }
  return value;
}

void Grammar::add_symbol(const Token& at, std::string text, Symbol::Kind kind,
                         std::vector<std::string>& into) {
  if (symbols_.contains(text) || macros_.contains(text)) fail(at, "this name is declared twice");
  if (symbols_.size() >= kMostNames) fail(at, "there are too many names");
  symbols_[text] = {kind, static_cast<std::uint32_t>(into.size())};
  into.push_back(std::move(text));
}
Symbol Grammar::symbol(const Token& at, const std::string& text) const {
  const auto it = symbols_.find(text);
  if (it != symbols_.end()) return it->second;
  if (ta_.locations.empty() || ta_.parameters.empty() || ta_.shared.empty()) {
    const char* missing = ta_.locations.empty()    ? "locations"
                          : ta_.parameters.empty() ? "parameters"
                                                   : "shared variables";
    fail(at, "this name is not declared; no " + std::string(missing) + " are declared above");
  }
  std::vector<std::string> known;
  for (const auto& [declared, s] : symbols_) known.push_back(declared);
  for (const auto& [declared, s] : macros_) known.push_back(declared);
  const auto near = nearest(text, known);
  fail(at, "this name is not declared" + (near ? "; did you mean '" + *near + "'?" : ""));
}

void Grammar::check_guard(const Token& at, const Formula& f) const {
  if (f.form.has(Symbol::Kind::kLocation)) {
    fail(at, "a guard is over shared variables and parameters, not over locations");
  }
  for (const Formula& c : f.children) check_guard(at, c);
}
Automaton Grammar::finished() {
  if (auto large = numbers_problem(ta_)) {
    throw Problem{{large->code, file_ + ": " + large->what, file_, large->remedy}};
  }
  return std::move(ta_);
}
std::optional<Update> Grammar::update_of(const Token& at, Symbol variable, Linear value) const {
  const auto self = value.terms.find(variable);
  const bool relative = self != value.terms.end() && self->second == 1;
  if (relative) value.terms.erase(self);
  if (!value.terms.empty()) {
    fail(at, "a variable may only grow or shrink by a number, or be set to one");
  }
  if (!relative && value.constant < 0) fail(at, "a shared variable is never negative");
  if (relative && value.constant == 0) return std::nullopt;
  return Update{variable.index, !relative, value.constant};
}

// Precedence, loosest first: ->, ||, &&, then !, <>, [] and comparisons.
Formula Grammar::formula(bool temporal) {
  const Token at = lexer_.peek();
  bool listed = false;
  Formula left = disjunction(temporal, listed);
  if (!accept("->")) return left;
  if (listed) fail(at, "bracket what '=>' joins in this list: layout is not read");
  const Deeper deeper(*this);
  return combine(Kind::kOr, {negate(std::move(left)), formula(temporal)});
}
Formula Grammar::disjunction(bool temporal, bool& listed) {
  std::vector<Formula> parts;
  bool mixed = false;
  const Token at = lexer_.peek();
  if (dialect_ == Dialect::kTla) listed = accept("||") || listed;
  do {
    parts.push_back(conjunction(temporal, mixed, listed));
  } while (accept("||") || accept("\\/"));
  if (parts.size() == 1) return std::move(parts.front());
  if (mixed && dialect_ == Dialect::kTla) {
    fail(at, "bracket what '/\\' and '\\/' join here: layout is not read");
  }
  return combine(Kind::kOr, std::move(parts));
}
Formula Grammar::conjunction(bool temporal, bool& several, bool& listed) {
  std::vector<Formula> parts;
  if (dialect_ == Dialect::kTla) listed = accept("&&") || listed;
  do {
    parts.push_back(unary(temporal));
  } while (accept("&&") || accept("/\\"));
  if (parts.size() == 1) return std::move(parts.front());
  several = true;
  return combine(Kind::kAnd, std::move(parts));
}

Formula Grammar::unary(bool temporal) {
  demand_time();
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
  return comparison(left);
}
// A bracket opens a formula or a sum: try the formula, and if a comparison or an operator of
// sums follows it, go back and read a sum.
std::optional<Formula> Grammar::parenthesised(bool temporal) {
  const Lexer before = lexer_;
  lexer_.next();
  try {
    Formula inner = formula(temporal);
    expect(")");
    const std::string_view after = lexer_.peek().text;
    const bool sum_goes_on =
        is_comparison(after) || after == "+" || after == "*" || after == "/" || (after == "-");
    if (!sum_goes_on) return inner;
    count_again(before, lexer_);
  } catch (const TooDeep&) {
    throw;
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
void Grammar::count_again(const Lexer& from, const Lexer& to) {
  again_ += to.position() - from.position();
  if (++retries_ > kMostRetries ||
      again_ > std::min(kMostReadings * (size_ + 1000), kMostReadAgain)) {
    fail(to.peek(), "the brackets around here would have to be read too often; use fewer");
  }
}
// Whether what the bracket holds is a sum: only then it is worth reading it again.
bool Grammar::opens_sum() {
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
std::optional<Formula> Grammar::literal(const Linear& form) {
  if (!form.terms.empty() || form.constant < 0 || form.constant > 1) return std::nullopt;
  return truth(form.constant == 1);
}
bool Grammar::is_comparison(std::string_view sign) {
  return sign == "==" || sign == "!=" || sign == "=!" || sign == "<" || sign == "<=" ||
         sign == ">" || sign == ">=";
}

Formula Grammar::comparison(const Linear& left) {
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

Linear Grammar::sum() {
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
void Grammar::check_size(const Token& at, const Linear& form) const {
  bool fits = std::abs(form.constant) <= kLargest;
  for (const auto& [s, coefficient] : form.terms) fits &= std::abs(coefficient) <= kLargest;
  if (!fits) fail(at, "numbers beyond " + std::to_string(kLargest) + " are refused");
}
Linear Grammar::product() {
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
      left = quotient(op, left, right.constant);
    }
    check_size(op, left);
  }
  return left;
}
// Rounded down, as integers divide in Promela, where files with `(N + T) / 2` come from.
Linear Grammar::quotient(const Token& op, const Linear& form, std::int64_t by) {
  if (by == 0) fail(op, "this is a division by zero");
  bool exact = form.constant % by == 0;
  for (const auto& [s, coefficient] : form.terms) exact = exact && coefficient % by == 0;
  if (!exact) return rounded(op, form, by);
  Linear out = form;
  for (auto& [s, coefficient] : out.terms) coefficient /= by;
  out.constant /= by;
  return out;
}
// A parameter of its own, which a condition on the parameters makes equal to the quotient. A form
// that may be negative is refused, because rounding down and rounding to zero differ there.
Linear Grammar::rounded(const Token& op, const Linear& form, std::int64_t by) {
  if (form.terms.empty()) {
    fail(op, "this division of two numbers leaves a remainder; write the number that is meant");
  }
  // Of a quotient: rounded down twice is the same as rounded down once.
  if (const auto inner = quotient_of_.find(form); inner != quotient_of_.end() && by > 0) {
    const auto& [whole, divisor] = inner->second;
    if (by > kLargest / divisor) {
      fail(op, "this quotient of a quotient divides by more than " + std::to_string(kLargest));
    }
    return rounded(op, whole, by * divisor);
  }
  bool natural = by > 0 && form.constant >= 0;
  std::string text;
  for (const auto& [s, coefficient] : form.terms) {
    natural = natural && s.kind == Symbol::Kind::kParameter && coefficient > 0;
    text += (text.empty() ? "" : "_plus_") +
            (coefficient == 1 ? "" : std::to_string(coefficient) + "_") + ta_.name_of(s);
  }
  if (!natural) {
    fail(op,
         "this division leaves a remainder; multiply the other side instead (only sums of "
         "parameters are rounded down)");
  }
  if (form.constant != 0) text += "_plus_" + std::to_string(form.constant);
  auto [it, fresh] = quotients_.try_emplace({form, by});
  if (fresh) {
    std::string parameter = "floor_" + text + "_by_" + std::to_string(by);
    while (symbols_.contains(parameter) || macros_.contains(parameter)) parameter += "_";
    if (parameter.size() > kLongestName) fail(op, "the name of this quotient is too long");
    const auto index = static_cast<std::uint32_t>(ta_.parameters.size());
    add_symbol(op, std::move(parameter), Symbol::Kind::kParameter, ta_.parameters);
    it->second.terms[{Symbol::Kind::kParameter, index}] = 1;
    quotient_of_[it->second] = {form, by};
    Linear remainder = form;
    remainder.add(it->second, -by);
    Linear room{{}, by - 1};
    room.add(remainder, -1);
    ta_.resilience.push_back(compare(Kind::kAtLeast, std::move(remainder)));
    ta_.resilience.push_back(compare(Kind::kAtLeast, std::move(room)));
  }
  return it->second;
}
Linear Grammar::factor() {
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
  if (const auto macro = macros_.find(text); macro != macros_.end()) {
    out = macro->second;
  } else {
    out.terms[symbol(at, text)] = 1;
  }
  if (only_parameters_) check_parameters(at, out);
  return out;
}
void Grammar::check_parameters(const Token& at, const Linear& form) const {
  for (const auto& [s, coefficient] : form.terms) {
    if (s.kind == Symbol::Kind::kParameter) continue;
    const bool tla = dialect_ == Dialect::kTla;
    const std::string starts = tla ? "Init" : "'inits'";
    fail(at, std::string(tla ? "ASSUME speaks" : "assumptions speak") +
                 " of parameters only, and '" + ta_.name_of(s) + "' is a " +
                 (s.kind == Symbol::Kind::kShared ? "shared variable" : "location") +
                 "; what holds of it at the start belongs into " + starts);
  }
}
void Grammar::add_initial(Formula f) {
  const bool of_instance = names(f, Symbol::Kind::kParameter) && !names(f, Symbol::Kind::kShared) &&
                           !names(f, Symbol::Kind::kLocation);
  (of_instance ? ta_.resilience : ta_.initial).push_back(std::move(f));
}

}  // namespace thresher::verify

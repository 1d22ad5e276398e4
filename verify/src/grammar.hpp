// What the readers of .ta, .tla and .json files share: names, sums, formulas, and errors with their
// place. Private to verify/.
//
// Recursive descent; every function throws Problem, or OutOfTime after the seconds that the text
// may take; the public functions turn both into a Result. Guarantees: nesting is bounded, numbers
// stay far from 64 bits, and a bracket is read at most twice but for a bounded number of retries.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "budget.hpp"
#include "lexer.hpp"
#include "thresher/core/error.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

/// Where OutOfTime ended the reading of a file.
Error read_too_long(const std::string& file);

struct Problem {
  Error error;
};

struct TooDeep : Problem {};

class Grammar {
 protected:
  static constexpr std::size_t kMostNames = 100'000;

  Grammar(std::string_view text, const std::string& file, Dialect dialect, double seconds)
      : dialect_(dialect),
        lexer_(text, dialect),
        file_(file),
        size_(text.size()),
        budget_(seconds, nullptr) {}

  [[noreturn]] void fail(const Token& at, const std::string& what) const;
  /// "file:line:column: what; found '...'", with the place alone as `where`.
  Error place(const Token& at, const std::string& what) const;
  /// Throws OutOfTime now and then. Every list of the grammar comes through here.
  void demand_time();
  bool accept(std::string_view sign);
  void expect(std::string_view sign);
  std::string name(const char* what);
  std::int64_t number();

  void add_symbol(const Token& at, std::string text, Symbol::Kind kind,
                  std::vector<std::string>& into);
  Symbol symbol(const Token& at, const std::string& text) const;
  void check_guard(const Token& at, const Formula& f) const;
  /// What was read. Throws Problem where its numbers are too large for the checkers.
  Automaton finished();

  /// What `variable' == value` does; nothing when it does nothing.
  std::optional<Update> update_of(const Token& at, Symbol variable, Linear value) const;

  Formula formula(bool temporal);
  Formula unary(bool temporal);
  Linear sum();
  /// The text that `read` reads may name parameters only: it holds for an instance, not for a
  /// moment.
  template <class Read>
  auto of_parameters(Read read) {
    only_parameters_ = true;
    auto out = read();
    only_parameters_ = false;
    return out;
  }
  /// A condition on the start; one on parameters alone says which instances there are.
  void add_initial(Formula f);
  static bool is_comparison(std::string_view sign);

  Dialect dialect_;
  Lexer lexer_;
  const std::string& file_;
  Automaton ta_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::map<std::string, Linear, std::less<>> macros_;
  /// Parameters of their own, by what they are quotients of, and the other way round.
  std::map<std::pair<Linear, std::int64_t>, Linear> quotients_;
  std::map<Linear, std::pair<Linear, std::int64_t>> quotient_of_;

 private:
  struct Deeper {
    explicit Deeper(Grammar& g);
    ~Deeper() { --grammar.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Grammar& grammar;
  };

  /// `listed`: an item of it has its operator in front, as TLA+ writes lists whose ends are layout.
  Formula disjunction(bool temporal, bool& listed);
  Formula conjunction(bool temporal, bool& several, bool& listed);
  std::optional<Formula> parenthesised(bool temporal);
  void count_again(const Lexer& from, const Lexer& to);
  bool opens_sum();
  static std::optional<Formula> literal(const Linear& form);
  Formula comparison(const Linear& left);
  void check_size(const Token& at, const Linear& form) const;
  Linear product();
  Linear quotient(const Token& op, const Linear& form, std::int64_t by);
  Linear rounded(const Token& op, const Linear& form, std::int64_t by);
  Linear factor();
  void check_parameters(const Token& at, const Linear& form) const;

  bool only_parameters_ = false;
  int depth_ = 0;
  int retries_ = 0;
  std::size_t size_;
  std::size_t again_ = 0;
  Budget budget_;
  std::uint32_t until_asked_ = 0;
};

}  // namespace thresher::verify

// Threshold automata: what one correct process does, for any number of them.
//
//   auto ta = verify::parse_automaton(text, "bracha.ta");
//   for (const verify::Property& p : ta->properties) ...
//
// Guarantees: plain values; integers are exact (64 bits, overflow is refused by the parser). A
// guard is a Boolean formula over linear comparisons of shared variables and parameters. In a
// property a location stands for the number of correct processes in it. Source: the model of
// docs/verify/automata.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"

namespace thresher::verify {

/// A name of the automaton.
struct Symbol {
  enum class Kind : std::uint8_t { kParameter, kShared, kLocation };
  Kind kind = Kind::kParameter;
  std::uint32_t index = 0;
  friend auto operator<=>(const Symbol&, const Symbol&) = default;
};

/// sum(coefficient * symbol) + constant. Zero coefficients are not stored.
struct Linear {
  std::map<Symbol, std::int64_t> terms;
  std::int64_t constant = 0;

  Linear& add(const Linear& other, std::int64_t factor);
  bool has(Symbol::Kind kind) const;
  friend bool operator==(const Linear&, const Linear&) = default;
  friend auto operator<=>(const Linear&, const Linear&) = default;
};

/// A tree of Boolean and temporal operators over comparisons with zero.
struct Formula {
  enum class Kind : std::uint8_t {
    kTrue,
    kFalse,
    kAtLeast,  ///< form >= 0
    kEqual,    ///< form == 0
    kNot,
    kAnd,
    kOr,
    kEventually,
    kAlways,
  };
  Kind kind = Kind::kTrue;
  Linear form;                    ///< of a comparison
  std::vector<Formula> children;  ///< of an operator

  friend bool operator==(const Formula&, const Formula&) = default;
};

Formula truth(bool value);
Formula compare(Formula::Kind kind, Linear form);
Formula combine(Formula::Kind kind, std::vector<Formula> children);
Formula negate(Formula f);
/// True when no temporal operator is in it.
bool is_state(const Formula& f);
/// Whether a comparison in it names such a symbol.
bool names(const Formula& f, Symbol::Kind kind);
/// Negations pushed to the comparisons and gone there: form >= 0 becomes -form-1 >= 0, an equality
/// a disjunction.
Formula normal(const Formula& f);

/// What a rule does to one shared variable.
struct Update {
  std::uint32_t shared = 0;
  bool reset = false;       ///< to `amount`
  std::int64_t amount = 0;  ///< added, or the new value of a reset

  friend bool operator==(const Update&, const Update&) = default;
};

struct Rule {
  std::uint64_t id = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Formula guard;
  std::vector<Update> updates;

  friend bool operator==(const Rule&, const Rule&) = default;
};

/// Two futures of one prefix: from no configuration where `when` holds can one continuation reach
/// `first` and another one `second`. All three are state formulas.
struct Fork {
  Formula when;
  Formula first;
  Formula second;

  friend bool operator==(const Fork&, const Fork&) = default;
};

struct Property {
  std::string name;
  Formula formula;             ///< of a single run; kFalse when `fork` is there
  std::optional<Fork> fork{};  ///< no property of a single run can say this

  /// "binding" with two futures; else "safety" when a finite run can violate it, or "liveness".
  std::string category() const;
  friend bool operator==(const Property&, const Property&) = default;
};

struct Automaton {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<std::string> shared;
  std::vector<std::string> locations;
  std::vector<Formula> resilience;  ///< over parameters
  std::vector<Formula> initial;     ///< over locations, shared variables and parameters
  std::vector<Rule> rules;
  std::vector<Property> properties;

  const std::string& name_of(Symbol s) const;
  friend bool operator==(const Automaton&, const Automaton&) = default;
};

/// Whether the parts fit together, as they do when a text was read. kMalformed: what does not, such
/// as an index of nothing, a guard over locations, or a resilience condition that names more than
/// parameters; `where` is the part, like "rule 3".
Result<Unit, Error> check_shape(const Automaton& automaton);

}  // namespace thresher::verify

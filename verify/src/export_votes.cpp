#include <string>

#include "export_parts.hpp"
#include "thresher/verify/export.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

class VoteExporter {
 public:
  explicit VoteExporter(const VoteTable& table) : table_(table) {}

  Automaton run() {
    ta_.name = std::string(table_.name);
    add_parameters(ta_);
    for (const std::string_view counter : table_.counters) ta_.shared.emplace_back(counter);
    for (const std::string_view place : table_.locations) {
      ta_.locations.push_back("loc" + std::string(place));
    }
    add_start(ta_, indices(table_.starts));
    for (const VoteRule& rule : table_.rules) add_rule(rule);
    for (const Claim& claim : table_.claims) {
      ta_.properties.push_back({std::string(claim.name), property(claim)});
    }
    return std::move(ta_);
  }

 private:
  static std::vector<std::uint32_t> indices(BitSet set) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < 32; ++i) {
      if ((set >> i & 1) != 0) out.push_back(i);
    }
    return out;
  }
  static Formula nobody_in(BitSet set) {
    std::vector<Formula> parts;
    for (const std::uint32_t i : indices(set)) parts.push_back(empty_location(i));
    return all_of(std::move(parts));
  }
  Formula everybody_in(BitSet set) const {
    BitSet others = 0;
    for (std::uint32_t i = 0; i < table_.locations.size(); ++i) others |= bits(i);
    return nobody_in(others & ~set);
  }
  static Formula guard_of(const VoteRule& rule, bool by_correct) {
    std::vector<Formula> parts;
    for (const auto& guard : rule.when) {
      if (!guard) continue;
      std::vector<Symbol> symbols;
      for (const std::uint32_t c : indices(guard->counters)) symbols.push_back(shared_symbol(c));
      parts.push_back(
          reaches(symbols, guard->at_least, !by_correct && guard->by == Senders::kEverybody));
    }
    return parts.empty() ? truth(true) : all_of(std::move(parts));
  }

  void add_rule(const VoteRule& rule) {
    Rule out;
    out.id = ta_.rules.size();
    out.from = rule.from;
    out.to = rule.to;
    out.guard = guard_of(rule, false);
    if (rule.says) out.updates.push_back({*rule.says, false, 1});
    ta_.rules.push_back(std::move(out));
    if (rule.from == rule.to) return;  // a step that changes nothing need not be taken
    const Formula guard = guard_of(rule, true);
    const Formula left = empty_location(rule.from);
    fair_.push_back(guard == truth(true) ? left : implies(guard, left));
  }

  Formula property(const Claim& claim) const {
    std::vector<Formula> premises;
    if (claim.none != 0) premises.push_back(nobody_in(claim.none));
    if (claim.many != 0) {
      std::vector<Symbol> symbols;
      for (const std::uint32_t i : indices(claim.many)) symbols.push_back(location_symbol(i));
      premises.push_back(reaches(symbols, claim.how_many, false));
    }
    const bool live = claim.kind == ClaimKind::kAllEnd || claim.kind == ClaimKind::kSpread;
    if (live) premises.push_back(eventually(always(all_of(fair_))));
    Formula then = conclusion(claim);
    if (premises.empty()) return then;
    return implies(all_of(std::move(premises)), std::move(then));
  }
  Formula conclusion(const Claim& claim) const {
    switch (claim.kind) {
      case ClaimKind::kNever:
        return always(nobody_in(claim.a));
      case ClaimKind::kNotBoth:
        return always(combine(Kind::kOr, {nobody_in(claim.a), nobody_in(claim.b)}));
      case ClaimKind::kAllEnd:
        return eventually(everybody_in(claim.a));
      case ClaimKind::kSpread:
        return always(combine(Kind::kOr, {nobody_in(claim.a), eventually(everybody_in(claim.b))}));
    }
    return truth(false);
  }

  const VoteTable& table_;
  Automaton ta_;
  std::vector<Formula> fair_;
};

}  // namespace

Automaton export_votes(const VoteTable& table) {
  return VoteExporter(table).run();
}

}  // namespace thresher::verify

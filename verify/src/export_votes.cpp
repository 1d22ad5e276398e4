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
    add_parameters(ta_, table_.nodes_per_fault);
    if (common_coin()) add_coin();
    for (const std::string_view counter : table_.counters) ta_.shared.emplace_back(counter);
    for (const std::string_view place : table_.locations) {
      ta_.locations.push_back("loc" + std::string(place));
    }
    add_start(ta_, indices(table_.starts));
    for (const VoteRule& rule : table_.rules) add_rule(rule);
    for (const Claim& claim : table_.claims) {
      ta_.properties.push_back({std::string(claim.name), property(claim), {}});
    }
    if (table_.rounds) add_rounds(*table_.rounds);
    return std::move(ta_);
  }

 private:
  static constexpr Symbol kCoin{Symbol::Kind::kParameter, 3};

  bool common_coin() const { return table_.rounds && table_.rounds->reads != 0; }
  // The coin's value is drawn before the round and read late: for one run that makes no difference.
  void add_coin() {
    ta_.parameters.push_back("COIN");
    ta_.resilience.push_back(at_least({{kCoin, 1}}, 0));
    ta_.resilience.push_back(at_least({{kCoin, -1}}, 1));
  }
  static Formula shows(std::uint8_t value) {
    return compare(Kind::kEqual, {{{kCoin, 1}}, -std::int64_t{value}});
  }
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
    if (rule.coin) parts.push_back(shows(*rule.coin));
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
    if (live) premises.push_back(fair());
    Formula then = conclusion(claim);
    if (premises.empty()) return then;
    return implies(all_of(std::move(premises)), std::move(then));
  }
  Formula fair() const { return eventually(always(all_of(fair_))); }
  static Formula somebody_in(BitSet set) {
    std::map<Symbol, std::int64_t> terms;
    for (const std::uint32_t i : indices(set)) terms[location_symbol(i)] = 1;
    return at_least(std::move(terms), -1);
  }

  // The single-round conditions of docs/verify/automata.md, "Many rounds".
  void add_rounds(const Rounds& r) {
    const auto add = [this](std::string name, Formula f) {
      ta_.properties.push_back({std::move(name), std::move(f), {}});
    };
    for (const std::size_t v : {0u, 1u}) {
      add("lock" + std::to_string(v),
          always(combine(Kind::kOr, {nobody_in(r.decides[v]), nobody_in(r.ends[1 - v])})));
      add("keep" + std::to_string(v),
          implies(nobody_in(r.starts[1 - v]), always(nobody_in(r.ends[1 - v]))));
      std::vector<Formula> premises{nobody_in(r.starts[1 - v]), fair()};
      if (common_coin()) premises.push_back(shows(static_cast<std::uint8_t>(v)));
      add("finish" + std::to_string(v),
          implies(all_of(std::move(premises)), eventually(everybody_in(r.decides[v]))));
    }
    add("round_ends", implies(fair(), eventually(everybody_in(r.ends[0] | r.ends[1]))));
    if (!common_coin()) {
      return add("one_side",
                 always(combine(Kind::kOr, {nobody_in(r.outcome[0]), nobody_in(r.outcome[1])})));
    }
    Fork fork{somebody_in(r.reads), somebody_in(r.outcome[0]), somebody_in(r.outcome[1])};
    ta_.properties.push_back({"binding", truth(false), std::move(fork)});
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

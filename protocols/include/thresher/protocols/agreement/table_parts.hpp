// How the rounds of several agreements begin and end alike; tables.hpp puts them together.
//
//   using End = parts::CommonCoin<Location>;       // Location has kC0, kC1, kCB, kD0, ...
//   constexpr auto kRules = parts::join(std::to_array<VoteRule>({...}), End::kRules);
//
// L and C are a table's enumerations of locations and counters: a part names what it needs of them,
// and tables call alike what is alike. Sources: those of tables.hpp.
#pragma once

#include <array>

#include "thresher/core/rule_votes.hpp"

namespace thresher::agreement::parts {

/// The rules of one table, in this order.
template <std::size_t... N>
constexpr auto join(const std::array<VoteRule, N>&... rules) {
  std::array<VoteRule, (N + ...)> out{};
  std::size_t at = 0;
  const auto append = [&](const auto& some) {
    for (const VoteRule& rule : some) out[at++] = rule;
  };
  (append(rules), ...);
  return out;
}

/// As far as ECHO3 of a binding crusader agreement.
template <class L, class C>
struct Crusade {
  static constexpr SumGuard kApproved0{bits(C::kBval0), kAny, Senders::kCorrect};
  static constexpr SumGuard kApproved1{bits(C::kBval1), kAny, Senders::kCorrect};
  static constexpr auto kRules = std::to_array<VoteRule>({
      {"say 0", L::kV0, L::kM, {}, C::kBval0},
      {"say 1", L::kV1, L::kM, {}, C::kBval1},
      {"approve 0", L::kM, L::kA0, {kApproved0}, C::kEcho20},
      {"approve 1", L::kM, L::kA1, {kApproved1}, C::kEcho21},
      {"quorum of 0 from A0",
       L::kA0,
       L::kX0,
       {SumGuard{bits(C::kEcho20), kAvailability}},
       C::kEcho30},
      {"quorum of 1 from A0",
       L::kA0,
       L::kX0,
       {SumGuard{bits(C::kEcho21), kAvailability}},
       C::kEcho31},
      {"both from A0", L::kA0, L::kXB, {kApproved1}, C::kEcho3B},
      {"quorum of 0 from A1",
       L::kA1,
       L::kX1,
       {SumGuard{bits(C::kEcho20), kAvailability}},
       C::kEcho30},
      {"quorum of 1 from A1",
       L::kA1,
       L::kX1,
       {SumGuard{bits(C::kEcho21), kAvailability}},
       C::kEcho31},
      {"both from A1", L::kA1, L::kXB, {kApproved0}, C::kEcho3B},
  });
};

/// As far as AUX of MMR14.
template <class L, class C>
struct FirstValues {
  static constexpr auto kRules = std::to_array<VoteRule>({
      {"say 0", L::kV0, L::kM, {}, C::kBval0},
      {"first 0", L::kM, L::kM0, {SumGuard{bits(C::kBval0), kAny, Senders::kCorrect}}, C::kAux0},
      {"then 1", L::kM0, L::kMB0, {SumGuard{bits(C::kBval1), kAny, Senders::kCorrect}}, {}},
      {"say 1", L::kV1, L::kM, {}, C::kBval1},
      {"first 1", L::kM, L::kM1, {SumGuard{bits(C::kBval1), kAny, Senders::kCorrect}}, C::kAux1},
      {"then 0", L::kM1, L::kMB1, {SumGuard{bits(C::kBval0), kAny, Senders::kCorrect}}, {}},
  });
};

/// The common coin of the round at its end.
template <class L>
struct CommonCoin {
  static constexpr auto kRules = std::to_array<VoteRule>({
      {"decide 0", L::kC0, L::kD0, {}, {}, 0},
      {"carry 0", L::kC0, L::kE0, {}, {}, 1},
      {"decide 1", L::kC1, L::kD1, {}, {}, 1},
      {"carry 1", L::kC1, L::kE1, {}, {}, 0},
      {"coin 0", L::kCB, L::kE0, {}, {}, 0},
      {"coin 1", L::kCB, L::kE1, {}, {}, 1},
  });
  static constexpr Claim kClaims[] = {
      {"agreement", ClaimKind::kNotBoth, bits(L::kC0), bits(L::kC1)},
      {"justification0", ClaimKind::kNever, bits(L::kC0, L::kCB), 0, bits(L::kV0)},
      {"justification1", ClaimKind::kNever, bits(L::kC1, L::kCB), 0, bits(L::kV1)},
  };
  static constexpr Rounds kRounds{{bits(L::kV0), bits(L::kV1)},
                                  {bits(L::kD0, L::kE0), bits(L::kD1, L::kE1)},
                                  {bits(L::kD0), bits(L::kD1)},
                                  {bits(L::kC0), bits(L::kC1)},
                                  bits(L::kC0, L::kC1, L::kCB)};
};

}  // namespace thresher::agreement::parts

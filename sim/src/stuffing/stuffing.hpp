// What liars say to fill the memory of others, with a rule for each type of message that a protocol
// has.
//
//   struct MyStuffing {
//     void make(Kind<Vote>, Prng&, std::vector<Message>& out) const;     // one for each type
//     void make(Kind<Give>, Prng&, std::vector<Message>& out) const;
//     void answer(const Message& heard, Prng&, std::vector<Message>& out) const;  // to a question
//   };
//   return stuff_with(MyStuffing{...}, heard, salt);
//
// Guarantees: a function of its arguments. A type of message without a rule does not compile. The
// rules make messages as large, as far ahead and as hard to use up as they may be without being
// refused at once. A node that hears a message is given those of one type, drawn anew each time,
// and one that asks a question is given an answer as well.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"

namespace thresher::sim {

/// A type of message, to choose a rule by.
template <class M>
using Kind = std::type_identity<M>;

template <class Rules, class Message>
std::vector<Message> stuff_with(const Rules& rules, const Message& heard, std::uint64_t salt) {
  std::vector<Message> out;
  Prng rng(salt, 4);
  rules.answer(heard, rng, out);
  const std::size_t turn = rng.below(std::variant_size_v<Message>);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto take = [&](std::size_t at, auto kind) {
      if (at == turn) rules.make(kind, rng, out);
    };
    (take(I, Kind<std::variant_alternative_t<I, Message>>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Message>>{});
  return out;
}

/// A digest of nothing that exists.
inline Digest nobodys(Prng& rng) {
  return hash(Writer().u64(rng.next()).view());
}

/// `size` bytes, others each time.
inline Bytes filler(std::size_t size, Prng& rng) {
  std::vector<std::byte> bytes(size, static_cast<std::byte>(rng.next()));
  for (std::size_t k = 0; k < std::min<std::size_t>(size, 8); ++k)
    bytes[k] = static_cast<std::byte>(rng.next());
  return Bytes::from(std::move(bytes));
}

/// Shares of coins that will not be tossed for long.
template <class Message>
void add_early_shares(Prng& rng, std::vector<Message>& out) {
  constexpr std::uint64_t kFarthest = 1000;  // tosses
  for (std::size_t k = 0; k < coin::kEarlyShares; ++k)
    out.push_back(coin::Share{rng.below(kFarthest), {}, rng.below(2) == 0});
}

}  // namespace thresher::sim

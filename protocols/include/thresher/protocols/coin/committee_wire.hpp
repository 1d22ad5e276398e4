// Messages of `committee-coin` over setup-free coins as bytes.
//
//   WireParts parts = encode(message, lists);
//   auto again = decode_committee_coin(parts, lists);
//
// Guarantees: those of wire.hpp. Five bytes more than the messages of the coins inside have.
#pragma once

#include <optional>

#include "thresher/protocols/coin/committee_coin.hpp"
#include "thresher/protocols/coin/setup_free_wire.hpp"

namespace thresher {

using SetupFreeCommittees = CommitteeCoin<SetupFree>;

/// Among whom a committee of these lists tosses.
Committee inside_of(const coin::CommitteeLists& lists);

WireParts encode(const SetupFreeCommittees::Message& message, const coin::CommitteeLists& lists);
std::optional<SetupFreeCommittees::Message> decode_committee_coin(
    const WireParts& parts, const coin::CommitteeLists& lists);

}  // namespace thresher

// An order to pay: what the client signs and the node reads.
//
//   Bytes data = ledger::signed_order(key, {.number = 3, .to = payee, .amount = 20});
//
// Guarantees: nobody but an account's key moves its money, whatever members write into their
// blocks: orders are signed. Each counts once: they are numbered.
#pragma once

#include <string_view>

#include "thresher/core/hex.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/application.hpp"

namespace ledger {

using namespace thresher;

struct Order {
  std::uint64_t number = 0;  ///< of the payer's orders, from 0
  PublicKey to{};
  std::uint64_t amount = 0;
};

/// A key is its account: 64 hexadecimal digits.
inline PublicKey account(std::string_view digits) {
  const auto bytes = from_hex(digits);
  PublicKey out{};
  if (!bytes || bytes->size() != out.size()) throw net::TransactionFailed("no account: 64 digits");
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return out;
}

/// payer, number u64, payee, amount u64, signature of all before.
inline Bytes signed_order(const crypto::SigningKey& key, const Order& order) {
  Writer w;
  w.bytes(key.public_key()).u64(order.number).bytes(order.to).u64(order.amount);
  w.bytes(key.sign(w.view()));
  return Bytes::from(w.take());
}

}  // namespace ledger

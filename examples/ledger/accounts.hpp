// Accounts: what a signed order says, and what it does. Shared by the node and the client.
//
//   Accounts accounts;
//   std::string told = accounts.execute(signed_order(key, {3, to, 20}));   // throws what is wrong
//
// Guarantees: nobody but an account's key moves its money, whatever members of the committee write
// into their blocks: the order is signed. Each order counts once: it names the one before it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "thresher/core/hex.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/net/application.hpp"

namespace ledger {

using namespace thresher;

inline constexpr std::uint64_t kFirstBalance = 100;  ///< an account has it before its first order

struct Order {
  std::uint64_t number = 0;  ///< of the payer's orders, from 0
  PublicKey to{};
  std::uint64_t amount = 0;
};

/// 64 hexadecimal digits: a key is its account.
inline PublicKey account(std::string_view digits) {
  const auto bytes = from_hex(digits);
  PublicKey out{};
  if (!bytes || bytes->size() != out.size()) throw net::TransactionFailed("no account: 64 digits");
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return out;
}

/// payer 32 bytes, number u64, payee 32 bytes, amount u64, signature 64 bytes over what is before.
inline Bytes signed_order(const crypto::SigningKey& key, const Order& order) {
  Writer w;
  w.bytes(key.public_key()).u64(order.number).bytes(order.to).u64(order.amount);
  w.bytes(key.sign(w.view()));
  return Bytes::from(w.take());
}

class Accounts {
 public:
  std::string execute(ByteView data) {
    const auto [from, order] = read(data);
    Account& payer = at(from);
    if (order.number != payer.orders) {
      throw net::TransactionFailed("the next order has number " + std::to_string(payer.orders));
    }
    if (order.amount > payer.balance) {
      throw net::TransactionFailed("overdraft: there are " + std::to_string(payer.balance));
    }
    ++payer.orders;
    payer.balance -= order.amount;
    at(order.to).balance += order.amount;
    return std::to_string(payer.balance);
  }
  /// "BALANCE ORDERS" of an account.
  std::string show(std::string_view digits) const {
    const auto it = accounts_.find(account(digits));
    const Account a = it == accounts_.end() ? Account{} : it->second;
    return std::to_string(a.balance) + " " + std::to_string(a.orders);
  }
  Bytes save() const {
    Writer w;
    for (const auto& [key, a] : accounts_) w.bytes(key).u64(a.balance).u64(a.orders);
    return Bytes::from(w.take());
  }
  bool restore(ByteView bytes) {
    accounts_.clear();
    for (Reader in(bytes); in.remaining() > 0;) {
      PublicKey key = in.digest().bytes;
      accounts_[key] = {in.u64(), in.u64()};
      if (!in.ok()) return false;
    }
    return true;
  }
  /// What is wrong with an order whatever the accounts hold; throws it.
  std::pair<PublicKey, Order> read(ByteView data) const {
    Reader in(data);
    const PublicKey from = in.digest().bytes;
    const Order order{in.u64(), in.digest().bytes, in.u64()};
    Signature signature{};
    const ByteView tail = in.bytes(signature.size());
    if (!in.done()) throw net::TransactionFailed("this is no order");
    std::copy(tail.begin(), tail.end(), signature.begin());
    const crypto::SignatureJob job{from, data.first(data.size() - signature.size()), signature};
    auto verdict = crypto::Verdict::kUnavailable;
    verifier_->verify({&job, 1}, {&verdict, 1});
    if (verdict != crypto::Verdict::kValid) throw net::TransactionFailed("the signature is wrong");
    return {from, order};
  }

 private:
  struct Account {
    std::uint64_t balance = kFirstBalance;
    std::uint64_t orders = 0;
  };
  Account& at(const PublicKey& key) { return accounts_[key]; }

  std::map<PublicKey, Account> accounts_;
  std::unique_ptr<crypto::BatchVerifier> verifier_ = crypto::make_verifier("portable");
};

}  // namespace ledger

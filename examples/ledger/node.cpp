// A node of a ledger of accounts: overdrafts are refused with a result, and a restart goes on from
// a snapshot. Make a network and start a node of it in each of four terminals:
//
//   thresher testnet init -n 4 -o mynet
//   ledger_node mynet/node0          # until the end of its input (Ctrl-D)
#include "thresher/net/node.hpp"

#include <iostream>
#include <map>
#include <thread>

#include "order.hpp"
#include "thresher/crypto/verifier.hpp"

using namespace thresher;

class Ledger final : public net::App {
 public:
  Bytes apply(const net::Transaction& t) override {
    const auto [from, order] = read(t.data);
    Account& payer = accounts_[from];
    if (order.number != payer.orders) throw net::TransactionFailed("an order is missing, or twice");
    if (order.amount > payer.balance) {
      throw net::TransactionFailed("overdraft: there are " + std::to_string(payer.balance));
    }
    ++payer.orders;
    payer.balance -= order.amount;
    accounts_[order.to].balance += order.amount;
    return text(payer.balance, payer.orders);
  }
  std::optional<std::string> check(const net::ClientId&, ByteView data) const override {
    (void)read(data);  // what it throws is the reason
    return {};
  }
  /// About an account: what it has, and how many orders it gave.
  Bytes query(ByteView question) const override {
    const auto it = accounts_.find(ledger::account(as_text(question)));
    const Account a = it == accounts_.end() ? Account{} : it->second;
    return text(a.balance, a.orders);
  }
  Digest state() const override { return hash(snapshot()->view()); }
  std::optional<Bytes> snapshot() const override {
    Writer w;
    for (const auto& [key, a] : accounts_) w.bytes(key).u64(a.balance).u64(a.orders);
    return Bytes::from(w.take());
  }
  bool restore(ByteView bytes) override {
    std::map<PublicKey, Account> read;
    Reader in(bytes);
    while (in.ok() && in.remaining() > 0) {
      const PublicKey key = in.digest().bytes;
      read[key] = {in.u64(), in.u64()};
    }
    if (in.ok()) accounts_ = std::move(read);
    return in.ok();
  }

 private:
  struct Account {
    std::uint64_t balance = 100;  // before its first order
    std::uint64_t orders = 0;
  };
  static Bytes text(std::uint64_t balance, std::uint64_t orders) {
    return Bytes::copy_of(as_view(std::to_string(balance) + " " + std::to_string(orders)));
  }
  std::pair<PublicKey, ledger::Order> read(ByteView data) const {
    Reader in(data);
    const PublicKey from = in.digest().bytes;
    const ledger::Order order{in.u64(), in.digest().bytes, in.u64()};
    Signature signature{};
    const ByteView tail = in.bytes(signature.size());
    if (!in.done()) throw net::TransactionFailed("this is no order");
    std::copy(tail.begin(), tail.end(), signature.begin());
    const crypto::SignatureJob job{from, data.first(data.size() - signature.size()), signature};
    auto verdict = crypto::SignatureStatus::kUnavailable;
    verifier_->verify({&job, 1}, {&verdict, 1});
    if (verdict != crypto::SignatureStatus::kValid)
      throw net::TransactionFailed("the signature is wrong");
    return {from, order};
  }

  std::map<PublicKey, Account> accounts_;
  std::unique_ptr<crypto::BatchVerifier> verifier_ = crypto::make_verifier("portable");
};

int main(int argc, char** argv) {
  Ledger app;
  auto node = net::Node::open({.home = argc > 1 ? argv[1] : "mynet/node0"}, app);
  if (!node) return std::cerr << node.error() << '\n', 1;
  std::jthread runner([&] {
    if (const auto ended = (*node)->run(); !ended) std::cerr << ended.error() << '\n';
  });
  for (std::string line; std::getline(std::cin, line);) continue;
  (*node)->stop();
}

// A client of the ledger that trusts no single node: f+1 of them have to say the same.
//
//   ledger_client mynet/genesis.json my.key account            // its number; makes a key if needed
//   ledger_client mynet/genesis.json my.key balance [ACCOUNT]
//   ledger_client mynet/genesis.json my.key pay ACCOUNT AMOUNT
#include "thresher/net/client.hpp"

#include <filesystem>
#include <iostream>
#include <sstream>

#include "order.hpp"
#include "thresher/crypto/key_file.hpp"

using namespace thresher;

namespace {

int fail(const std::string& why) {
  return std::cerr << why << '\n', 1;
}

/// "BALANCE ORDERS" as f+1 nodes know it.
net::Answer ask(net::Client& client, const std::string& account) {
  return client.query(as_view(account), {.words = net::Words::kQuorum}).get();
}

int pay(net::Client& client, const crypto::SigningKey& key, const std::string& to,
        std::uint64_t amount) {
  const net::Answer own = ask(client, to_hex(key.public_key()));
  if (own.failed) return fail(std::string(as_text(own.bytes.view())));
  ledger::Order order{0, ledger::account(to), amount};
  std::istringstream(std::string(as_text(own.bytes.view()))) >> order.number >> order.number;
  const Bytes data = ledger::signed_order(key, order);
  const net::CommitStatus out = client.submit(data.view(), {.words = net::Words::kQuorum}).get();
  if (!out.committed()) return fail(out.why);
  if (!out.receipt.result) return fail("paid or not: the nodes keep this result no more");
  const std::string told(as_text(out.receipt.result->bytes.view()));
  if (out.receipt.result->failed) return fail(told);
  std::cout << "paid; " << told.substr(0, told.find(' ')) << " are left" << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 3) return fail("usage: ledger_client GENESIS KEY account | balance | pay ...");
  if (!std::filesystem::exists(args[1])) {
    (void)crypto::save_key(crypto::SigningKey::generate(), args[1]);  // load_key() says what fails
  }
  const auto key = crypto::load_key(args[1]);
  if (!key) return fail(key.error().text());
  const std::string own = to_hex(key->public_key());
  if (args[2] == "account") return std::cout << own << std::endl, 0;
  auto client = net::Client::open(args[0]);
  if (!client) return fail(client.error().text());
  if (args[2] == "pay") return pay(**client, *key, args.at(3), std::stoull(args.at(4)));
  const net::Answer answer = ask(**client, args.size() > 3 ? args[3] : own);
  const std::string told(as_text(answer.bytes.view()));
  if (answer.failed) return fail(told);
  std::cout << told.substr(0, told.find(' ')) << std::endl;
} catch (const std::exception& e) {
  return fail(e.what());
}

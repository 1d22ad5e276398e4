// A node of a ledger of accounts: overdrafts are refused with a result, and a restart goes on from
// a snapshot. Make a network and start a node of it in each of four terminals:
//
//   thresher testnet init -n 4 -o mynet
//   ledger_node mynet/node0
#include "thresher/net/node.hpp"

#include <csignal>
#include <iostream>

#include "accounts.hpp"

using namespace thresher;

class Ledger final : public net::App {
 public:
  Bytes apply(const net::Transaction& t) override { return bytes(accounts_.execute(t.data)); }
  std::optional<std::string> check(const net::ClientId&, ByteView data) const override {
    (void)accounts_.read(data);  // what it throws is the reason
    return {};
  }
  Bytes query(ByteView question) const override { return bytes(accounts_.show(as_text(question))); }
  Digest state() const override { return hash(accounts_.save().view()); }
  std::optional<Bytes> snapshot() const override { return accounts_.save(); }
  bool restore(ByteView snapshot) override { return accounts_.restore(snapshot); }

 private:
  static Bytes bytes(const std::string& text) { return Bytes::copy_of(as_view(text)); }
  ledger::Accounts accounts_;
};

int main(int argc, char** argv) {
  Ledger app;
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&stops, signal);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);  // for all threads: one waits for them
  auto node = net::Node::open({.home = argc > 1 ? argv[1] : "mynet/node0"}, app);
  if (!node) return std::cerr << node.error() << '\n', 1;
  std::thread([&] {
    int signal = 0;
    sigwait(&stops, &signal);
    (*node)->stop();
  }).detach();
  const std::string why = (*node)->run();
  std::cerr << why << (why.empty() ? "" : "\n");
  return why.empty() ? 0 : 1;
}

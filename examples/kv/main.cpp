// A replicated key-value store. Make a network and start a node of it in each of four terminals:
//
//   thresher testnet init -n 4 -o mynet
//   kv mynet/node0
//
// Lines on standard input: "put KEY VALUE", "get KEY". Both are ordered with those of all nodes and
// print what apply() answered; so a get sees every put that ended before it began, wherever.
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "thresher/net/node.hpp"

using namespace thresher;

class Kv final : public net::App {
 public:
  Bytes apply(const net::Transaction& t) override {
    std::istringstream in{std::string(as_text(t.data))};
    std::string verb;
    std::string key;
    std::string value;
    std::getline(in >> verb >> key >> std::ws, value);
    if (verb == "put") pairs_[key] = value;
    const auto it = pairs_.find(key);
    if (it == pairs_.end()) throw net::TransactionFailed("there is no '" + key + "'");
    return Bytes::copy_of(as_view(it->second));
  }
  std::optional<std::string> check(const net::ClientId&, ByteView data) const override {
    if (as_text(data).starts_with("put ") || as_text(data).starts_with("get ")) return {};
    return "write 'put KEY VALUE' or 'get KEY'";
  }
  Digest state() const override {
    std::string all;
    for (const auto& [key, value] : pairs_) all += key + "=" + value + "\n";
    return hash(as_view(all));
  }

 private:
  std::map<std::string, std::string> pairs_;
};

int main(int argc, char** argv) {
  Kv kv;
  auto node = net::Node::open({.home = argc > 1 ? argv[1] : "mynet/node0"}, kv);
  if (!node) return std::cerr << node.error() << '\n', 1;
  std::jthread runner([&] {
    if (const auto ended = (*node)->run(); !ended) std::cerr << ended.error() << '\n';
  });
  for (std::string line; std::getline(std::cin, line);) try {
      const net::Receipt receipt = (*node)->submit(as_view(line)).get();
      std::cout << as_text(receipt.result->bytes.view()) << std::endl;
    } catch (const net::NotCommitted& e) {
      std::cout << e.what() << std::endl;
    }
  (*node)->stop();
}

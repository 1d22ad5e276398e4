// A replicated key-value store. Make a network and start a node of it in each of four terminals:
//
//   thresher testnet init -n 4 -o mynet
//   kv mynet/node0
//
// Lines on standard input: "put KEY VALUE" returns when all nodes agreed on its place, "get KEY".
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "thresher/net/node.hpp"

class Kv final : public thresher::net::App {
 public:
  void apply(const thresher::net::Transaction& t) override {
    std::istringstream in{std::string(thresher::as_text(t.data))};
    std::string key;
    std::string value;
    in >> key >> value;
    const std::lock_guard lock(mutex_);
    pairs_[key] = value;
  }
  thresher::Digest state() const override {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const auto& [key, value] : pairs_) all += key + "=" + value + "\n";
    return thresher::hash(thresher::as_view(all));
  }
  std::string get(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto it = pairs_.find(key);
    return it == pairs_.end() ? "(nothing)" : it->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> pairs_;
};

int main(int argc, char** argv) {
  Kv kv;
  auto node = thresher::net::Node::open({.home = argc > 1 ? argv[1] : "mynet/node0"}, kv);
  if (!node) return std::cerr << node.error() << '\n', 1;
  std::jthread runner([&] { std::cerr << (*node)->run(); });
  for (std::string verb, rest; std::cin >> verb && std::getline(std::cin >> std::ws, rest);) {
    if (verb == "put") {
      const auto receipt = (*node)->submit(thresher::as_view(rest)).get();
      std::cout << "at position " << receipt.position << std::endl;
    } else {
      std::cout << kv.get(rest) << std::endl;
    }
  }
  (*node)->stop();
}

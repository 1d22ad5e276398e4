// A chat without a server that nobody can split: what one member reads, all read, whoever lies.
//
//   broadcast_chat chained-echo me.key 127.0.0.1:7001=KEY 127.0.0.1:7002=KEY ...
//
// Members are given in the same order everywhere, with public keys as `thresher keys show` prints
// them. Each line typed is broadcast; every member's lines are printed.
#include <cstdio>
#include <iostream>
#include <string>

#include "thresher/core/hex.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/broadcast_channel.hpp"

using namespace thresher;  // NOLINT: an example

// HOST:PORT=KEY
static net::PeerAddress member(const std::string& text) {
  const auto colon = text.find(':'), equals = text.find('=');
  const auto key = from_hex(text.substr(equals + 1));
  if (colon > equals || !key || key->size() != sizeof(PublicKey)) throw std::invalid_argument(text);
  net::PeerAddress out{.host = text.substr(0, colon),
                       .port = static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1)))};
  std::copy(key->begin(), key->end(), out.key.begin());
  return out;
}

int main(int argc, char** argv) try {
  if (argc < 4) return std::fprintf(stderr, "usage: broadcast_chat NAME KEY_FILE MEMBER...\n"), 2;
  auto key = crypto::load_key(argv[2]);
  if (!key) return std::fprintf(stderr, "%s\n", key.error().text().c_str()), 2;
  broadcast::ChannelOptions options{.key = *key, .protocol = argv[1], .name = "chat"};
  for (int i = 3; i < argc; ++i) options.members.push_back(member(argv[i]));
  auto channel = broadcast::Channel::join(options, [](const broadcast::Delivery& d) {
    std::cout << d.instance.origin.value << ": " << as_text(d.payload.view()) << std::endl;
  });
  if (!channel) return std::fprintf(stderr, "%s\n", channel.error().text().c_str()), 1;
  for (std::string line; std::getline(std::cin, line);) {
    if (const auto sent = (*channel)->send(as_view(line)); !sent)
      std::fprintf(stderr, "%s\n", sent.error().text().c_str());
  }
} catch (const std::exception& e) {
  return std::fprintf(stderr, "a member is HOST:PORT=KEY, not '%s'\n", e.what()), 2;
}

#include "testnet.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "thresher/crypto/key_file.hpp"

namespace thresher::cli {
namespace {

// Ports that were free a moment ago; all are held until the last one is known, so they differ.
std::vector<std::uint16_t> free_ports(std::uint64_t n) {
  std::vector<int> held;
  std::vector<std::uint16_t> ports;
  for (std::uint64_t i = 0; i < n; ++i) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (fd < 0 || ::bind(fd, raw, size) != 0 || ::getsockname(fd, raw, &size) != 0) break;
    held.push_back(fd);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int fd : held) ::close(fd);
  return ports;
}

}  // namespace

Result<net::Genesis, std::string> make_testnet(const std::string& dir, std::uint64_t n,
                                               const std::string& protocol,
                                               std::uint64_t base_port) {
  namespace fs = std::filesystem;
  const auto committee = n > 0 && n <= Committee::kMaxSize
                             ? Committee::of(static_cast<std::uint32_t>(n))
                             : std::nullopt;
  if (!committee) return "cannot make " + std::to_string(n) + " nodes: choose 1 to 4096";
  if (protocol != "thresher" && protocol != "mysticeti") {
    return "unknown protocol '" + protocol + "'; nodes run: thresher, mysticeti";
  }
  if (base_port + n > 65535)
    return std::string("the last port would be over 65535; choose a lower base port");
  std::error_code error;
  if (fs::exists(dir + "/genesis.json", error)) {
    return "'" + dir + "' already holds a network; choose another folder or remove that one";
  }
  fs::create_directories(dir, error);
  if (error) return "cannot create '" + dir + "': " + error.message() + "; check its parent folder";
  const auto ports = base_port == 0 ? free_ports(n) : std::vector<std::uint16_t>{};
  if (base_port == 0 && ports.size() != n)
    return std::string("no free loopback ports; try again with fewer nodes");
  net::Genesis genesis;
  genesis.protocol = protocol;
  genesis.f = committee->faults();
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::string home = dir + "/node" + std::to_string(i);
    fs::create_directories(home, error);
    const auto key = crypto::SigningKey::generate();
    const auto saved = crypto::save_key(key, home + "/node.key");
    if (!saved) return saved.error();
    const auto port = base_port == 0 ? ports[i] : static_cast<std::uint16_t>(base_port + i);
    genesis.nodes.push_back({key.public_key(), "127.0.0.1", port});
  }
  // Every network is another ledger, also with equal parameters.
  genesis.chain = "thresher-" + std::to_string(hash(genesis.nodes[0].key).prefix() % 1'000'000);
  const auto saved = net::save_genesis(genesis, dir + "/genesis.json");
  if (!saved) return saved.error();
  return genesis;
}

}  // namespace thresher::cli

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "../text.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

/// Under this many open files a node with its clients may run short.
constexpr rlim_t kFiles = 1024;
constexpr std::uint64_t kSpace = 1u << 30;

struct Check {
  bool good;
  std::string text;
};

// What one fdatasync of 4 KiB costs in this folder: the floor of every latency.
Check check_disk(const std::string& folder) {
  std::string path = folder + "/thresher-doctor-XXXXXX";
  const int fd = ::mkstemp(path.data());
  if (fd < 0) return {false, "cannot write into '" + folder + "'; choose another with --dir"};
  ::unlink(path.c_str());
  const std::vector<char> block(4096, 'x');
  std::vector<double> times;
  bool written = true;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    written &= ::write(fd, block.data(), block.size()) == static_cast<ssize_t>(block.size());
    written &= ::fdatasync(fd) == 0;
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  ::close(fd);
  if (!written) return {false, "writing into '" + folder + "' failed; is the disk full?"};
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  return {median < 50, "disk: fdatasync takes " + std::to_string(median) + " ms (median of 20)" +
                           (median < 50 ? "" : "; commits wait for it: use a faster disk")};
}

Check check_space(const std::string& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return {false, "cannot look at '" + folder + "'"};
  const std::uint64_t free = std::uint64_t{info.f_bavail} * info.f_frsize;
  return {free >= kSpace, "space: " + std::to_string(free >> 20) + " MiB free in '" + folder + "'" +
                              (free >= kSpace ? "" : "; a busy node needs more than 1 GiB")};
}

Check check_files() {
  rlimit limit{};
  (void)::getrlimit(RLIMIT_NOFILE, &limit);
  return {limit.rlim_cur >= kFiles, "open files: " + std::to_string(limit.rlim_cur) + " allowed" +
                                        (limit.rlim_cur >= kFiles ? "" : "; raise with ulimit -n")};
}

Check check_cpu() {
  std::string names;
  for (const std::string_view name : crypto::available_verifiers()) {
    names += " ";
    names += name;
  }
  return {true, "cpu: " + std::to_string(std::thread::hardware_concurrency()) +
                    " cores; signature backends:" + names};
}

// Whether this machine has the address and the port is free now. A node that runs holds it itself.
Check check_port(const std::string& host, std::uint16_t port) {
  const std::string where = host + " port " + std::to_string(port);
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v4.sin_port = v6.sin6_port = htons(port);
  v6.sin6_family = AF_INET6;
  const bool four = ::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1;
  if (!four && ::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) != 1) {
    return {false, "port: '" + host + "' is not an IP address; correct it in the genesis file"};
  }
  const int fd = ::socket(four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  (void)::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const auto* address =
      four ? reinterpret_cast<const sockaddr*>(&v4) : reinterpret_cast<const sockaddr*>(&v6);
  const bool bound =
      fd >= 0 && ::bind(fd, address, four ? sizeof v4 : sizeof v6) == 0 && ::listen(fd, 1) == 0;
  const std::string why = bound ? "" : std::strerror(errno);
  if (fd >= 0) ::close(fd);
  return {bound, "port: " + where +
                     (bound ? " is free"
                            : ": " + why +
                                  "; stop what uses it (this node itself, if it runs), "
                                  "or run on the machine that has this address")};
}

// The node's own files: configuration, genesis, key and its place among the members.
void examine_node(const std::string& home, std::vector<Check>& checks) {
  const auto config = net::load_config(home);
  if (!config) {
    for (const Error& e : config.error()) checks.push_back({false, "config: " + e.text()});
    return;
  }
  const net::NodeOptions o = net::with_paths(config->options);
  auto log = net::check_data(o);
  if (log) log = net::check_log(o);
  checks.push_back({static_cast<bool>(log), "log: " + (log ? "its beginning in '" + o.data +
                                                                 "' is whole, or there is none yet"
                                                           : log.error().text())});
  const auto genesis = net::load_genesis(o.genesis);
  const auto key = crypto::load_key(o.key);
  checks.push_back(
      {static_cast<bool>(genesis), "genesis: " + (genesis ? o.genesis : genesis.error().text())});
  checks.push_back(
      {static_cast<bool>(key), "key: " + (key ? o.key + " is private" : key.error().text())});
  if (!genesis || !key) return;
  for (std::size_t i = 0; i < genesis->nodes.size(); ++i) {
    const net::PeerAddress& node = genesis->nodes[i];
    if (node.key != key->public_key()) continue;
    if (net::needs_coin(genesis->protocol)) {
      const auto coin = net::open_coin(*genesis, o.coin, NodeId{static_cast<std::uint16_t>(i)});
      checks.push_back({static_cast<bool>(coin),
                        "coin: " + (coin ? o.coin + " is private" : coin.error().text())});
    }
    return checks.push_back(check_port(node.host, node.port));
  }
  checks.push_back(
      {false, "key: '" + o.key + "' is not a member of '" + o.genesis + "'; check which belongs"});
}

struct Args {
  std::string folder;
  std::string home;
  bool json = false;
};

int print_json(const std::vector<Check>& checks, bool good) {
  text::Value rows = text::Value::list();
  for (const Check& c : checks) {
    text::Value row;
    rows.push(std::move(row.set("good", c.good).set("text", c.text)));
  }
  text::Value out;
  std::puts(text::write(out.set("good", good).set("checks", std::move(rows))).c_str());
  return good ? kDone : kResourceMissing;
}

// Where the node's data lie, which may be another disk than the home's; or will lie.
std::string data_folder(const std::string& home) {
  const auto config = net::load_config(home);
  if (!config) return home;
  std::error_code error;
  std::filesystem::path folder = net::with_paths(config->options).data;
  while (!std::filesystem::is_directory(folder, error) && folder.has_relative_path())
    folder = folder.parent_path();
  return folder.empty() ? home : folder.string();
}

int examine(const Args& a) {
  const std::string folder = !a.folder.empty() ? a.folder
                             : a.home.empty()  ? "."
                                               : data_folder(a.home);
  bool good = true;
  std::vector<Check> checks{check_disk(folder), check_space(folder), check_files(), check_cpu()};
  if (!a.home.empty()) examine_node(a.home, checks);
  for (const Check& c : checks) good &= c.good;
  if (a.json) return print_json(checks, good);
  for (const Check& c : checks) std::printf("%s %s\n", c.good ? "ok  " : "BAD ", c.text.c_str());
  return good ? kDone : kResourceMissing;
}

}  // namespace

Verb make_doctor() {
  auto args = std::make_shared<Args>();
  return {
      {"doctor"},
      "Look at what a node needs of this machine: disk, space, open files, CPU; with --home "
      "also its files and its port. Example: thresher doctor --home mynet/node0",
      {{"--dir", "where the node's data would lie (default: the data folder of --home, or here)",
        &args->folder},
       {"--home", "the node's folder", &args->home},
       {"--json", "one object on one line", &args->json}},
      [args] { return examine(*args); }};
}

}  // namespace thresher::cli

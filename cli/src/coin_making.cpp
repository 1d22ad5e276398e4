#include "coin_making.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/crypto/coin_file.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Writes the share, or sees that the file holds it already.
std::string keep_share(const crypto::GeneratedKey& key, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    const auto saved = crypto::save_coin_share(*key.share, path);
    if (!saved) return saved.error();
    return net::sync_folder_of(path) ? ""
                                     : "cannot sync the folder of '" + path + "'; check the disk";
  }
  const auto old = crypto::load_coin_share(path);
  if (!old) return old.error();
  if (**old == *key.share) return {};
  return "'" + path +
         "' holds another share than this run made; move it away if it is of no use any "
         "more, and run thresher dkg again";
}

/// Held by one node at a time of those that share a file.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ >= 0) (void)::flock(file_, LOCK_EX);
  }
  ~FileLock() {
    if (file_ >= 0) (void)::close(file_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

/// Adds the public keys to the genesis file, or sees that they are there.
std::string keep_keys(const crypto::CoinKeys& keys, net::Genesis& genesis,
                      const std::string& path) {
  // Whoever waited here finds the file that replaced the one it locked.
  const FileLock lock(path);
  const auto now = net::load_genesis(path, net::MayLackCoin::kYes);
  if (!now) return now.error();
  genesis.coin = keys;
  if (!now->coin) {
    const auto saved = net::save_genesis(genesis, path);
    return saved ? "" : saved.error();
  }
  if (now->coin->threshold == keys.threshold && now->coin->nodes == keys.nodes) return {};
  return "'" + path +
         "' names another coin than this run made; restore it from where the network was made, at "
         "every node";
}

/// The seed that shares follow from is needed no more once share and keys are written.
std::string forget_run(const std::string& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!error) return {};
  return "cannot remove '" + folder + "': " + error.message() + "; remove it, it is secret";
}

/// A key that stays, as this node sees it.
struct KeptKey {
  crypto::Reshared reshares;
  crypto::RistrettoPoint group{};
  std::optional<crypto::Secret<crypto::RistrettoScalar>> share{};  ///< empty: this node deals none
};

std::optional<NodeId> place_in(const net::Genesis& genesis, const PublicKey& key) {
  const auto& nodes = genesis.nodes;
  const auto at = std::find_if(nodes.begin(), nodes.end(),
                               [&](const net::PeerAddress& node) { return node.key == key; });
  if (at == nodes.end()) return std::nullopt;
  return NodeId{static_cast<std::uint16_t>(at - nodes.begin())};
}

/// Who is who in the old network follows from the nodes' public keys.
Result<KeptKey, std::string> kept_key(const CoinMaking& how, const net::Genesis& genesis,
                                      NodeId self) {
  const auto old = net::load_genesis(how.keep);
  if (!old) return old.error();
  if (!old->coin || !crypto::coin_keys_agree(*old->coin))
    return "'" + how.keep +
           "' names no coin keys that belong together; give the genesis file of the network whose "
           "key is to stay";
  KeptKey out{{*old->coin, {}}, crypto::group_key(*old->coin).value()};
  for (const net::PeerAddress& node : genesis.nodes)
    out.reshares.before.push_back(place_in(*old, node.key));
  if (how.old_share.empty()) return out;
  const auto was = out.reshares.before[self.value];
  if (!was)
    return "this node's key is no member of '" + how.keep + "', so '" + how.old_share +
           "' is not its share; leave that out";
  auto share = crypto::load_coin_share(how.old_share);
  if (!share) return share.error();
  if (crypto::ristretto_base(**share) != old->coin->nodes[was->value])
    return "'" + how.old_share + "' is not the share of node " + std::to_string(was->value) +
           " of '" + how.keep + "'; give the coin.key of that node";
  out.share = std::move(*share);
  return out;
}

Result<MadeCoin, std::string> generated(const net::NodeOptions& o, net::Genesis genesis,
                                        const crypto::SigningKey& key, const CoinMaking& how,
                                        const std::optional<KeptKey>& kept) {
  MadeCoin out;
  const std::string folder = o.home + "/dkg";
  const auto begun = Clock::now();
  net::KeyGenerationOptions options{
      .genesis = genesis, .key = key, .folder = folder, .delta_us = o.delta_us};
  if (kept) {
    options.reshares = kept->reshares;
    options.old_share = kept->share;
  }
  auto run = net::KeyGeneration::begin(std::move(options));
  if (!run) return run.error();
  const auto made = (*run)->wait(how.patience);
  if (!made) return made.error();
  out.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (kept && made->group != kept->group)
    return "the key that came of it is not that of '" + how.keep +
           "'; report this, and keep the folder '" + folder + "'";
  genesis.coin.reset();
  if (std::string problem = keep_share(*made, o.coin); !problem.empty()) return problem;
  if (std::string problem = keep_keys(made->keys, genesis, o.genesis); !problem.empty())
    return problem;
  out.all_done = (*run)->linger(how.linger);
  out.bytes_sent = (*run)->status().bytes_sent;
  out.group = made->group;
  out.genesis = std::move(genesis);
  run->reset();
  if (std::string problem = forget_run(folder); !problem.empty()) return problem;
  return out;
}

}  // namespace

Result<MadeCoin, std::string> make_coin(const net::NodeOptions& o, const CoinMaking& how) {
  auto genesis = net::load_genesis(o.genesis, net::MayLackCoin::kYes);
  if (!genesis) return genesis.error();
  if (!net::needs_coin(genesis->protocol))
    return "protocol " + genesis->protocol + " tosses no coins, so '" + o.genesis +
           "' needs no key; thresher protocols says which do";
  const auto key = crypto::load_key(o.key);
  if (!key) return key.error();
  const auto self = place_in(*genesis, key->public_key());
  if (!self)
    return "the key '" + o.key + "' is no member of '" + o.genesis + "'; check which belongs";
  // Nodes on one machine may share the file, which another one has written then.
  if (genesis->coin && net::open_coin(*genesis, o.coin, *self)) {
    MadeCoin out;
    out.was_there = true;
    // Who was killed after it wrote them left its run behind.
    if (std::string problem = forget_run(o.home + "/dkg"); !problem.empty()) return problem;
    out.genesis = std::move(*genesis);
    return out;
  }
  std::optional<KeptKey> kept;
  if (!how.keep.empty()) {
    auto found = kept_key(how, *genesis, *self);
    if (!found) return found.error();
    kept = std::move(*found);
  }
  return generated(o, std::move(*genesis), *key, how, kept);
}

std::string make_coins(const std::vector<std::string>& homes, const CoinMaking& how) {
  std::mutex mutex;
  std::string problem;
  std::vector<std::jthread> threads;
  for (const std::string& home : homes) {
    threads.emplace_back([&, home] {
      const auto config = net::load_config(home);
      std::string why = config ? "" : config.error().front();
      if (config) {
        const auto made = make_coin(net::with_paths(config->options), how);
        if (!made) why = made.error();
      }
      const std::lock_guard lock(mutex);
      if (problem.empty()) problem = why;
    });
  }
  threads.clear();
  return problem;
}

}  // namespace thresher::cli

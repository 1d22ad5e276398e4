#include "coin_making.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "thresher/core/assert.hpp"
#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/crypto/coin_file.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/config.hpp"

namespace thresher::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Writes the share, or sees that the file holds it already.
Result<Unit, Error> keep_share(const crypto::GeneratedKey& key, const std::string& path) {
  std::error_code error;
  // Versions before wrote it under its name: where one was killed meanwhile, a part is there.
  if (crypto::is_part_of_coin_share(path, &*key.share)) std::filesystem::remove(path, error);
  if (!std::filesystem::exists(path, error)) return crypto::save_coin_share(*key.share, path);
  const auto old = crypto::load_coin_share(path);
  if (!old) return old.error();
  if (**old == *key.share) return Unit{};
  return Error{ErrorCode::kMismatch, "'" + path + "' holds another share than this run made", path,
               "move it away if it is of no use any more, and run thresher dkg again"};
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
Result<Unit, Error> keep_keys(const crypto::CoinKeys& keys, net::Genesis& genesis,
                              const std::string& path) {
  // A process that waited here finds the file that replaced the one it locked.
  const FileLock lock(path);
  const auto now = net::load_genesis(path, net::MayLackCoin::kYes);
  if (!now) return now.error();
  genesis.coin = keys;
  if (!now->coin) return net::save_genesis(genesis, path);
  if (now->coin->threshold == keys.threshold && now->coin->nodes == keys.nodes) return Unit{};
  return Error{ErrorCode::kMismatch, "'" + path + "' names another coin than this run made", path,
               "restore it from where the network was made, at every node"};
}

std::string folder_of(const net::NodeOptions& o) {
  return o.home + "/dkg";
}

net::KeyGenerationOptions options_of(const net::NodeOptions& o, const net::Genesis& genesis,
                                     const crypto::SigningKey& key, const CoinMaking& how) {
  net::KeyGenerationOptions out{
      .genesis = genesis, .key = key, .folder = folder_of(o), .delta_us = o.delta_us};
  if (how.keep) {
    out.reshares = how.keep->old;
    out.old_share = how.keep->share;
  }
  return out;
}

/// Removes what a finished run left behind. A kill in the middle of its removal leaves a part of
/// it, which would pass for a damaged run if it still had the run's name.
Result<Unit, Error> remove_finished(const std::string& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder + ".done", error);
  if (!error) return Unit{};
  return Error{code_of_errno(error.value()),
               "cannot remove '" + folder + ".done': " + error.message(), folder + ".done",
               "remove it, it is secret"};
}

/// Stays for others. Once all are done nobody needs the records, nor the seed that shares follow
/// from.
Result<Unit, Error> leave(std::unique_ptr<net::KeyGeneration> run,
                          std::chrono::milliseconds longest, const std::string& folder,
                          MadeCoin& out) {
  out.all_done = run->linger(longest);
  run.reset();
  if (!out.all_done) return Unit{};
  std::error_code error;
  std::filesystem::rename(folder, folder + ".done", error);
  if (!error) return remove_finished(folder);
  return Error{code_of_errno(error.value()), "cannot rename '" + folder + "': " + error.message(),
               folder, "remove it, it is secret"};
}

Result<MadeCoin, Error> generated(const net::NodeOptions& o, net::Genesis genesis,
                                  const crypto::SigningKey& key, const CoinMaking& how) {
  MadeCoin out;
  const std::string folder = folder_of(o);
  const auto begun = Clock::now();
  auto run = net::KeyGeneration::begin(options_of(o, genesis, key, how));
  if (!run) return run.error();
  const auto made = (*run)->wait(how.patience);
  if (!made) return made.error();
  THRESHER_ASSERT(!how.keep || made->group == how.keep->group,
                  "resharing keeps the public key (docs/protocols/dkg.md)");
  out.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  genesis.coin.reset();
  if (const auto kept = keep_share(*made, o.coin); !kept) return kept.error();
  if (const auto kept = keep_keys(made->keys, genesis, o.genesis); !kept) return kept.error();
  (*run)->kept();
  out.bytes_sent = (*run)->status().bytes_sent;
  out.group = made->group;
  out.genesis = std::move(genesis);
  if (const auto left = leave(std::move(*run), how.linger, folder, out); !left) return left.error();
  return out;
}

/// Nodes that were killed before their shares were safe need what this one keeps.
Result<MadeCoin, Error> served(const net::NodeOptions& o, const net::Genesis& genesis,
                               const crypto::SigningKey& key, const CoinMaking& how) {
  MadeCoin out;
  out.was_there = true;
  out.genesis = genesis;
  out.group = crypto::group_key(*genesis.coin).value();
  const std::string folder = folder_of(o);
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    out.all_done = true;
    return out;
  }
  net::KeyGenerationOptions options = options_of(o, genesis, key, how);
  options.has_key = true;
  auto run = net::KeyGeneration::begin(std::move(options));
  if (!run) return run.error();
  if (const auto left = leave(std::move(*run), how.patience, folder, out); !left)
    return left.error();
  return out;
}

/// Whether another node of this machine has a run that is not over: nodes beside each other share
/// the genesis file, which names the coin when the first of them is done.
bool neighbour_makes_it(const net::NodeOptions& o) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path genesis = fs::weakly_canonical(o.genesis, error);
  for (const fs::path& around :
       {genesis.parent_path(), fs::absolute(o.home, error).parent_path()}) {
    for (const auto& entry : fs::directory_iterator(around, error)) {
      if (fs::exists(entry.path() / "dkg" / "seed.key", error)) return true;
    }
  }
  return false;
}

constexpr const char* kNewShare =
    "The coin goes on without this node, as one of the f that may fail. For a share in place of a "
    "lost one, the nodes make new shares of the same key: thresher dkg --keep at each, with a "
    "genesis file of the same members that names no coin (docs/protocols/dkg.md)";

/// Whether there can be a run: not if the share is missing or is none of the coin that the genesis
/// file names, for only a run that is not over would give it again.
Result<Unit, Error> check_share(const net::NodeOptions& o, const net::Genesis& genesis,
                                NodeId self) {
  std::error_code error;
  const bool goes_on = std::filesystem::exists(folder_of(o), error);
  if (genesis.coin && !crypto::coin_keys_agree(*genesis.coin))
    return Error{
        ErrorCode::kCorrupt,
        "the coin keys of '" + o.genesis + "' do not belong together: somebody changed one",
        o.genesis, "restore the file from a backup"};
  if (std::filesystem::exists(o.coin, error)) {
    if (goes_on && (!genesis.coin || crypto::is_part_of_coin_share(o.coin)))
      return Unit{};  // as a kill left it
    const std::string again = "move '" + o.coin + "' away and run thresher dkg again";
    if (!genesis.coin)
      return Error{
          ErrorCode::kMismatch,
          "there is a share of another coin already, and no run that it could be of: " + again,
          o.coin};
    const auto opened = net::open_coin(genesis, o.coin, self);
    return Error{opened.error().code,
                 "'" + o.genesis + "' names a coin, and this node's share of it is damaged or " +
                     "another one: " + opened.error().text() + ". " +
                     (goes_on ? "Else " + again + ". " : "") + kNewShare,
                 o.coin};
  }
  if (!genesis.coin || goes_on || neighbour_makes_it(o)) return Unit{};
  return Error{ErrorCode::kMissing,
               "'" + o.genesis + "' names a coin, and this node's share of it, '" + o.coin +
                   "', is missing. Restore it from a backup: it is still good. " + kNewShare +
                   ". If the others only now made this coin and still have their folders 'dkg', "
                   "make an empty folder '" +
                   folder_of(o) + "' and run thresher dkg again: they give this node its share",
               o.coin};
}

}  // namespace

Result<MadeCoin, Error> make_coin(const net::NodeOptions& o, const CoinMaking& how) {
  auto genesis = net::load_genesis(o.genesis, net::MayLackCoin::kYes);
  if (!genesis) return genesis.error();
  if (!net::needs_coin(genesis->protocol))
    return Error{
        ErrorCode::kUnsupported,
        "protocol " + genesis->protocol + " tosses no coins, so '" + o.genesis + "' needs no key",
        o.genesis, "thresher protocols says which do"};
  const auto key = crypto::load_key(o.key);
  if (!key) return key.error();
  const auto& nodes = genesis->nodes;
  const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const net::PeerAddress& node) {
    return node.key == key->public_key();
  });
  if (at == nodes.end())
    return Error{ErrorCode::kMismatch,
                 "the key '" + o.key + "' is not a member of '" + o.genesis + "'", o.key,
                 "check which belongs"};
  const NodeId self{static_cast<std::uint16_t>(at - nodes.begin())};
  if (const auto removed = remove_finished(folder_of(o)); !removed) return removed.error();
  if (genesis->coin && net::open_coin(*genesis, o.coin, self))
    return served(o, *genesis, *key, how);
  if (const auto may = check_share(o, *genesis, self); !may) return may.error();
  return generated(o, std::move(*genesis), *key, how);
}

Result<Unit, Error> make_coins(const std::vector<std::string>& homes, const CoinMaking& how) {
  std::mutex mutex;
  std::optional<Error> first;
  std::vector<std::jthread> threads;
  for (const std::string& home : homes) {
    threads.emplace_back([&, home] {
      const auto config = net::load_config(home);
      const auto made = config ? make_coin(net::with_paths(config->options), how)
                               : Result<MadeCoin, Error>(config.error().front());
      const std::lock_guard lock(mutex);
      if (!made && !first) first = made.error();
    });
  }
  threads.clear();
  if (first) return *first;
  return Unit{};
}

}  // namespace thresher::cli

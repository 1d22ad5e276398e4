// The key of a coin, made by the nodes of a network among themselves: distributed key generation on
// TLS links.
//
//   auto run = net::KeyGeneration::begin({.genesis = genesis, .key = key, .folder = "node2/dkg"});
//   if (!run) return fail(run.error());
//   auto made = (*run)->wait(std::chrono::seconds(60));      // the same public keys at every node
//   if (!made || !save(*made)) return 1;                     // on disk, synced
//   (*run)->kept();                                          // others need not wait for this one
//   (*run)->linger(std::chrono::seconds(10));                // and it waits for those that need it
//
// Guarantees: those of protocols/coin/dkg.hpp and crypto/dkg.hpp with up to f liars. What a node
// said outlives crashes and power cuts: it is on disk in `folder` before it is sent, and a node
// that begins again with the same folder goes on where it was. Shares and the secret that they are
// made of lie in guarded memory, in the folder's file `seed.key` (0600) and nowhere else; messages
// carry shares sealed.
// The votes on which dealings count toss a coin that anybody can compute from the genesis: no key
// depends on it, but a network that delivers every message when an adversary likes could keep the
// votes going. Errors say what is wrong, where, and what to do.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/crypto/dkg.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

struct KeyGenerationOptions {
  Genesis genesis;  ///< what it says of a coin is not looked at
  crypto::SigningKey key = crypto::SigningKey::generate();  ///< whose is one of the nodes'
  std::uint32_t threshold = 0;                              ///< of the key; 0: n-f
  std::string folder{};  ///< of records and the seed; empty: in memory, for tests
  /// The run in this folder ended with a key, which is safe: this one is there for nodes that lack
  /// theirs, and wait() is not for it.
  bool has_key = false;
  std::uint64_t delta_us = 20'000;  ///< what a message takes at most when all is well
  /// For a key that is kept: the old keys, and by id which old node each node was.
  std::optional<crypto::Reshared> reshares{};
  std::optional<crypto::Secret<crypto::RistrettoScalar>> old_share{};
  /// Gets what is wrong with links, and who was proved to have lied. Default: stderr.
  std::function<void(const std::string&)> log{};
};

struct KeyGenerationStatus {
  std::size_t links = 0;  ///< other nodes that are connected now
  std::uint32_t others_done = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t refused = 0;  ///< messages of peers: malformed, false, too late
};

class KeyGeneration {
 public:
  /// kMismatch: the key is not a member's, or the folder is of another run. kRejected: no such run
  /// can be. kMissing: the seed of the run is gone. Also those of DiskStore::open(),
  /// crypto::load_key() and Transport::start().
  static Result<std::unique_ptr<KeyGeneration>, Error> begin(KeyGenerationOptions options);
  /// Leaves at once.
  ~KeyGeneration();

  /// The key, once it is there. kMissing: it is not there after `patience`, and why.
  /// kIo: the disk failed. From any thread.
  Result<crypto::GeneratedKey, Error> wait(std::chrono::milliseconds patience);
  /// The key is on disk. Until then others count this node as one that may need them.
  void kept();
  /// Stays until all other nodes said that theirs are, or the time is over. False: it is over.
  bool linger(std::chrono::milliseconds longest);
  KeyGenerationStatus status() const;
  NodeId self() const;

 private:
  KeyGeneration();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net

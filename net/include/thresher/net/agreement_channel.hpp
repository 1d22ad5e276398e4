// Agreement for programs: the members of a network answer questions together, yes or no, any bytes,
// a list or a number, and all correct ones get the same answer, whoever lies and however slow
// messages are.
//
//   auto channel = agreement::Channel::join({.genesis = genesis, .key = key, .coin = coin_file});
//   if (!channel) return fail(channel.error());
//   auto launch = (*channel)->agree(0, true);           // a bit, on which question 0 is about
//   auto leader = (*channel)->agree(0, as_view("me"));  // bytes: these questions count apart
//   auto guests = (*channel)->collect(0, as_view("me"));   // a list of what members enter
//   auto price = (*channel)->approach(0, 1700);            // a number near that of the others
//   if (!launch || !leader || !guests || !price) return fail("a question was asked before");
//   if (launch->get()) use(leader->get().value);
//
// Guarantees, with up to f liars and when every correct member asks the same questions:
//   agree(bit)    those of `bca-agreement`, or of the agreement that was chosen instead: one
//                 answer, which some correct member gave;
//   agree(bytes)  those of `mvba`: one answer, a member's that `valid` accepts, a liar's perhaps;
//   collect       those of `common-subset`: one list, with the entries of n-f members or more that
//                 `valid` accepts, so of n-2f correct ones at least;
//   approach      those of `approximate-agreement`: numbers within those of correct members, which
//                 differ by at most the spread of these / 2^halvings + 1.
// No timing is assumed; the coin is the key that `thresher dkg` made, and approach() uses none.
// Links are TLS 1.3 with the members' keys pinned. With a folder, what a member said outlives
// crashes and power cuts, and it asks again what it has no answer to; without one it must not come
// back with its key. A member that did not ask is given the answer when it asks. Questions of a
// kind are numbered from 0 without gaps and asked in that order, each once in a process; up to half
// of `window` may be open, and the last half of it is kept for members that lag. A member further
// behind gets no answers any more: it takes them over from the others by its own means, and goes on
// with skip_below(). Numbers lie below 2^40. One thread of its own. Errors say what is wrong,
// where, and what to do. An answer does not come while more than f members are away.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::agreement {

/// The answer to a question about bytes, or an entry of a list.
struct Agreed {
  NodeId origin;  ///< whose value it is
  Bytes value;
};

struct ChannelOptions {
  net::Genesis genesis;                                     ///< with the coin's keys
  crypto::SigningKey key = crypto::SigningKey::generate();  ///< whose is one of the nodes'
  std::string coin{};                ///< the file with this member's share of the coin
  std::string name = "agreement";    ///< members of other names never connect
  std::string folder{};              ///< where records lie; empty: nowhere
  std::uint64_t delta_us = 20'000;   ///< what a message takes at most when all is well
  std::uint64_t window = 32;         ///< questions of a kind that are kept; 4 to 64
  std::size_t value_bytes = 65'536;  ///< largest value; at most 16 MiB
  /// The agreement about bits, the same at every member: bca-agreement, graded-bca, cobalt, ben-or
  /// (n >= 5f+1), or mmr14, which a scheduler can stall.
  std::string bits = "bca-agreement";
  std::uint32_t halvings = 10;  ///< rounds of approach(), the same at every member; 1 to 62
  /// Whether a value of that member may be the answer, or an entry of a list. On the channel's
  /// thread; a function of its arguments, the same at all members. Empty: every value may.
  std::function<bool(std::uint64_t question, NodeId origin, ByteView value)> valid{};
  /// Gets what is wrong with links and disk, on the channel's thread. Default: stderr.
  std::function<void(const std::string&)> log{};
};

/// Counters since the channel began.
struct ChannelStatus {
  std::uint64_t bits = 0;        ///< questions about bits with an answer here
  std::uint64_t values = 0;      ///< the same about bytes
  std::uint64_t subsets = 0;     ///< about lists
  std::uint64_t numbers = 0;     ///< about numbers
  std::uint64_t refused = 0;     ///< messages of peers: malformed, over a limit, too old
  std::uint64_t bytes_sent = 0;  ///< to other members
  std::size_t links = 0;         ///< other members that are connected now
};

class Channel {
 public:
  /// kRejected: the options do not fit each other, or the members. kMismatch: the key or the share
  /// is not a member's. Also those of crypto::load_coin_share(), net::DiskStore::open_checked() and
  /// net::Transport::start().
  static Result<std::unique_ptr<Channel>, Error> join(ChannelOptions options);
  /// Leaves at once. Answers that are not there yet are broken promises.
  ~Channel();

  /// What the members decide about a question. From any thread but the channel's. kRejected:
  /// it is not asked, being too far ahead, answered too long ago, asked before, or numbered 2^40 or
  /// above; `where` is "question 7". kIo: the disk failed before. A string is not a bool here.
  template <std::same_as<bool> Bit>
  Result<std::future<bool>, Error> agree(std::uint64_t question, Bit value) {
    return agree_bit(question, value);
  }
  /// The same of bytes. After a restart with a folder the value of before counts.
  Result<std::future<Agreed>, Error> agree(std::uint64_t question, ByteView value);
  /// Entries of n-f members or more, by member: the same list at every correct one.
  Result<std::future<std::vector<Agreed>>, Error> collect(std::uint64_t question, ByteView entry);
  /// A number near those that the other members get. Pre: within 2^62 of zero.
  Result<std::future<std::int64_t>, Error> approach(std::uint64_t question, std::int64_t number);
  /// Questions of all kinds below matter no more here: those without an answer are broken promises,
  /// and nodes that lag are not helped with them. kRejected: no question has that number, and
  /// nothing is skipped.
  Result<Unit, Error> skip_below(std::uint64_t question);
  ChannelStatus status() const;
  NodeId self() const;

 private:
  Channel();
  Result<std::future<bool>, Error> agree_bit(std::uint64_t question, bool value);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::agreement

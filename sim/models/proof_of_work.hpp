// Proof of work: every node finds blocks by chance, puts them on the best chain that it knows and
// tells everybody; some nodes may form a coalition that keeps its blocks secret for a while.
//
//   ProofOfWork node({.self = NodeId{0}, .n = 12, .rule = ChainRule::kLongest, ...});
//
// Chains: the longest (Bitcoin), or the heaviest subtree at every fork (GHOST, Ethereum's idea);
// the first seen of equals stays. A block that `confirm` others stand on is delivered.
// Uncles (Ethereum): a block names up to `uncles` public blocks that are not in its chain, stand on
// it no more than six generations back and were not named before. The reward of a block is 1, of an
// uncle (8 - d) / 8 where it is named d generations later, and 1/32 to the block that names it: so
// the blocks that a parasite loses still pay it.
// The parasite chain: the coalition mines on a chain of its own, tells it to its members only, and
// publishes all of it once a block of others leaves it fewer than `lead` ahead. With `lead` 2 that
// is the selfish mining of Eyal and Sirer: others' work is wasted and the coalition's share of the
// chain outgrows its share of the work.
// Guarantees: the chain of a node only changes to a better one; a request of this node is in its
// chain at most once. No consensus: what is delivered may be reversed later, and `reversed()`
// counts it. Blocks that stand on unknown ones (4,096 at most) wait for those, which are asked
// for; so a restarted node finds its way back. A chain is kept whole: that is what a miner's memory
// holds. Sources: Nakamoto, "Bitcoin" (2008); Sompolinsky, Zohar, "Secure high-rate transaction
// processing in Bitcoin" (2015), algorithm 1; Eyal, Sirer, "Majority is not enough" (2014), Fig. 1;
// Wood, "Ethereum: a secure decentralised generalised transaction ledger" (EIP-150 revision), 11.1
// and 11.3; Niu, Feng, "Selfish mining in Ethereum" (2019), section III.
#pragma once

#include <map>
#include <set>

#include "model.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {

enum class ChainRule : std::uint8_t { kLongest, kHeaviest };

struct Uncle {
  std::uint64_t id = 0;
  std::uint64_t height = 0;
  NodeId author{};
};
/// A block is named by a number that follows from what it stands on; nobody forges one here.
struct Block {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;
  std::uint64_t height = 0;
  NodeId author{};
  bool secret = false;  ///< for the coalition only
  std::vector<Bytes> requests;
  std::vector<Uncle> uncles{};
};
/// Asks for a block that others stand on.
struct WantBlock {
  std::uint64_t id = 0;
};

/// All blocks that a node knows, as a tree, and the best chain of those that are public.
class BlockTree {
 public:
  struct Entry {
    Block block;
    std::uint64_t weight = 0;             // public blocks in its subtree, itself counted
    std::vector<std::uint64_t> children;  // public ones
  };
  /// How far below the best block a late one still counts.
  static constexpr std::uint64_t kReach = 256;
  /// And how many generations back an uncle stands on the chain at most.
  static constexpr std::uint64_t kGenerations = 6;

  explicit BlockTree(ChainRule rule) : rule_(rule) { entries_[0]; }

  bool knows(std::uint64_t id) const { return entries_.contains(id); }
  const Block& block(std::uint64_t id) const { return entries_.at(id).block; }
  std::uint64_t head() const { return head_; }
  std::uint64_t height(std::uint64_t id) const { return block(id).height; }
  /// Public blocks, the first one not counted.
  std::uint64_t size() const { return size_; }

  /// Pre: its parent is known. A secret one becomes public when it is added again as such.
  void add(const Block& block) {
    const auto [it, fresh] = entries_.try_emplace(block.id, Entry{block, 0, {}});
    if (!fresh && (!it->second.block.secret || block.secret)) return;
    it->second.block.secret = block.secret;
    if (block.secret) return;
    ++size_;
    by_height_[block.height].push_back(block.id);
    if (rule_ == ChainRule::kHeaviest) weigh(block);
    choose(block.id);
  }
  /// What a block on `parent` may name as uncles, the oldest first, `most` of them.
  std::vector<Uncle> uncles(std::uint64_t parent, std::size_t most) const {
    std::set<std::uint64_t> ancestors;
    std::set<std::uint64_t> named;  // by them
    std::uint64_t lowest = parent;
    for (std::uint64_t k = 0; k <= kGenerations; ++k) {
      ancestors.insert(lowest);
      for (const Uncle& uncle : block(lowest).uncles) named.insert(uncle.id);
      if (k < kGenerations) lowest = block(lowest).parent;
    }
    std::vector<Uncle> out;
    for (auto it = by_height_.upper_bound(height(lowest)); it != by_height_.end(); ++it) {
      for (const std::uint64_t id : it->second) {
        const Block& b = block(id);
        const bool stale = b.height <= height(parent) && !ancestors.contains(id);
        if (stale && ancestors.contains(b.parent) && !named.contains(id) && out.size() < most)
          out.push_back({id, b.height, b.author});
      }
    }
    return out;
  }
  /// The last block that both chains share.
  std::uint64_t fork(std::uint64_t a, std::uint64_t b) const {
    while (a != b) {
      std::uint64_t& higher = height(a) >= height(b) ? a : b;
      higher = block(higher).parent;
    }
    return a;
  }
  /// What the chain from `fork` (not counted) to `tip` is worth; `tip` is public.
  std::uint64_t worth(std::uint64_t fork, std::uint64_t tip) const {
    if (fork == tip) return 0;
    if (rule_ == ChainRule::kLongest) return height(tip) - height(fork);
    return entries_.at(above(fork, tip)).weight;
  }
  /// The block of the chain that ends in `tip` which stands on `fork`.
  std::uint64_t above(std::uint64_t fork, std::uint64_t tip) const {
    while (block(tip).parent != fork) tip = block(tip).parent;
    return tip;
  }

 private:
  void weigh(const Block& added) {
    entries_.at(added.parent).children.push_back(added.id);
    std::uint64_t at = added.id;
    for (std::uint64_t k = 0; at != 0 && k < kReach; ++k) {
      Entry& entry = entries_.at(at);
      ++entry.weight;
      at = entry.block.parent;
    }
  }
  void choose(std::uint64_t id) {
    const std::uint64_t split = fork(head_, id);
    if (split == id || worth(split, id) <= worth(split, head_)) return;
    head_ = rule_ == ChainRule::kLongest ? id : best_from(above(split, id));
  }
  // The first of the heaviest, fork by fork.
  std::uint64_t best_from(std::uint64_t at) const {
    for (const Entry* entry = &entries_.at(at); !entry->children.empty();) {
      at = *std::max_element(entry->children.begin(), entry->children.end(),
                             [this](std::uint64_t a, std::uint64_t b) {
                               return entries_.at(a).weight < entries_.at(b).weight;
                             });
      entry = &entries_.at(at);
    }
    return at;
  }

  ChainRule rule_;
  std::map<std::uint64_t, Entry> entries_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> by_height_;  // public ones
  std::uint64_t head_ = 0;
  std::uint64_t size_ = 0;
};

class ProofOfWork {
 public:
  using Message = std::variant<Block, WantBlock>;
  using Output = Block;
  using Request = ModelRequest;
  using Fx = Effects<Message, Output>;

  struct Config {
    NodeId self{};
    std::uint32_t n = 1;
    ChainRule rule = ChainRule::kLongest;
    std::uint64_t mine_ppm = 20'000;   ///< chance of a block a unit of time
    Ticks delta = kUnit;               ///< what timers count in
    std::uint64_t confirm = 6;         ///< blocks that bury one until it is delivered
    std::uint32_t coalition = 0;       ///< the last so many nodes
    std::uint64_t coalition_rate = 1;  ///< times the chance
    std::uint64_t lead = 2;            ///< at which a secret chain is published
    std::size_t uncles = 0;            ///< that a block may name
  };

  explicit ProofOfWork(Config config) : config_(config), tree_(config.rule) {}

  void on(const Start& s, Fx& fx) {
    rng_ = Prng(s.seed, 7);
    mine_later(fx);
  }
  void on(const Expired&, Fx& fx) {
    mine(fx);
    mine_later(fx);
  }
  void on(const Restored& r, Fx&) {
    const std::uint64_t number = number_in(r.key);
    pending_[number] = r.value;
    next_number_ = std::max(next_number_, number + 1);
  }
  void on(const Requested<Request>& r, Fx& fx) {
    fx.push(Persist{1, record_of(next_number_), r.request.payload, {}, false});
    pending_[next_number_++] = r.request.payload;
  }
  void on(const Received<Message>& m, Fx& fx) {
    if (const auto* want = std::get_if<WantBlock>(&m.message)) return serve(m.from, want->id, fx);
    receive(m.from, std::get<Block>(m.message), fx);
  }

  const BlockTree& tree() const { return tree_; }
  /// The end of the chain that it mines on: the coalition's own while that is ahead.
  std::uint64_t best() const {
    return parasite() && tree_.height(tip_) > tree_.height(tree_.head()) ? tip_ : tree_.head();
  }
  bool in_coalition(NodeId id) const { return id.value + config_.coalition >= config_.n; }
  /// Delivered blocks that a better chain left out.
  std::uint64_t reversed() const { return reversed_; }
  std::uint64_t refused() const { return refused_; }

 private:
  static constexpr std::size_t kOrphans = 4096;
  static constexpr std::size_t kRequests = 64;  // of a block

  bool parasite() const { return in_coalition(config_.self); }

  // --- mining -----------------------------------------------------------------------------------

  void mine_later(Fx& fx) {
    const std::uint64_t rate = parasite() ? config_.coalition_rate : 1;
    const std::uint64_t chance = std::clamp<std::uint64_t>(config_.mine_ppm * rate, 1, 1'000'000);
    std::uint64_t wait = 1;
    while (!rng_.chance_ppm(chance)) ++wait;
    fx.push(ArmTimer{{}, units(config_.delta, wait)});
  }
  void mine(Fx& fx) {
    const std::uint64_t parent = parasite() ? tip_ : tree_.head();
    Block block;
    block.id = mix64(parent ^ mix64((std::uint64_t{config_.self.value} << 48) + ++mined_)) | 1;
    block.parent = parent;
    block.height = tree_.height(parent) + 1;
    block.author = config_.self;
    block.requests = waiting_above(parent);
    if (config_.uncles > 0) block.uncles = tree_.uncles(parent, config_.uncles);
    block.secret = parasite() && !racing_;
    racing_ = false;
    place(block, fx);
    if (!block.secret) return fx.broadcast(block);
    for (std::uint32_t i = config_.n - config_.coalition; i < config_.n; ++i) {
      const NodeId member{static_cast<std::uint16_t>(i)};
      if (member != config_.self) fx.send(member, block);
    }
  }
  // Requests of this node that are not in the chain already.
  std::vector<Bytes> waiting_above(std::uint64_t at) const {
    std::vector<Bytes> out;
    for (const auto& [number, request] : pending_) {
      if (out.size() < kRequests) out.push_back(request);
    }
    for (; tree_.height(at) > confirmed_.size(); at = tree_.block(at).parent) {
      const Block& block = tree_.block(at);
      if (block.author != config_.self) continue;
      std::erase_if(out, [&](const Bytes& request) {
        return std::find(block.requests.begin(), block.requests.end(), request) !=
               block.requests.end();
      });
    }
    return out;
  }

  // --- blocks -----------------------------------------------------------------------------------

  void serve(NodeId to, std::uint64_t id, Fx& fx) {
    if (!tree_.knows(id) || id == 0) return;
    const Block& block = tree_.block(id);
    if (!block.secret || in_coalition(to)) fx.send(to, block);
  }
  void receive(NodeId from, const Block& block, Fx& fx) {
    if (block.id == 0 || (block.secret && !(parasite() && in_coalition(from)))) {
      ++refused_;
      return;
    }
    if (!tree_.knows(block.parent)) {
      return fx.send(from, WantBlock{keep(block)});
    }
    place(block, fx);
  }
  // Returns the first block that is missing below it.
  std::uint64_t keep(const Block& orphan) {
    if (orphans_.size() >= kOrphans) {
      orphans_.erase(orphans_.begin());
      ++refused_;
    }
    orphans_.emplace(orphan.id, orphan);
    std::uint64_t missing = orphan.parent;
    for (std::size_t k = 0; k < orphans_.size() && orphans_.contains(missing); ++k)
      missing = orphans_.at(missing).parent;
    return missing;
  }
  // With it come those that waited for it.
  void place(const Block& first, Fx& fx) {
    std::vector<Block> ready{first};
    while (!ready.empty()) {
      const Block block = std::move(ready.back());
      ready.pop_back();
      if (block.height != tree_.height(block.parent) + 1) {
        ++refused_;
        continue;
      }
      put(block, fx);
      for (auto it = orphans_.begin(); it != orphans_.end();) {
        const bool stands = it->second.parent == block.id;
        if (stands) ready.push_back(std::move(it->second));
        it = stands ? orphans_.erase(it) : std::next(it);
      }
    }
  }
  void put(const Block& block, Fx& fx) {
    const std::uint64_t head = tree_.head();
    tree_.add(block);
    if (parasite()) {
      if (in_coalition(block.author) && tree_.height(block.id) > tree_.height(tip_))
        tip_ = block.id;
      if (tree_.head() != head || !in_coalition(block.author)) consider(fx);
    }
    confirm(fx);
  }

  // --- the parasite chain -----------------------------------------------------------------------

  // The public chain has moved: give up, publish or wait.
  void consider(Fx& fx) {
    const std::uint64_t head = tree_.head();
    if (head == tip_) {
      racing_ = false;
      return;
    }
    const std::uint64_t fork = tree_.fork(head, tip_);
    const std::uint64_t mine = tree_.height(tip_) - tree_.height(fork);
    const std::uint64_t theirs = tree_.worth(fork, head);
    if (mine < theirs || fork == tip_) {
      tip_ = head;
      racing_ = false;
    } else if (mine - theirs < config_.lead && theirs > 0) {
      racing_ = mine == theirs;
      publish(fork, fx);
    }
  }
  // Each member tells its own blocks of the chain; one that lacks another member's asks.
  void publish(std::uint64_t fork, Fx& fx) {
    std::vector<std::uint64_t> chain;
    for (std::uint64_t at = tip_; at != fork; at = tree_.block(at).parent) chain.push_back(at);
    for (; !chain.empty(); chain.pop_back()) {
      Block block = tree_.block(chain.back());
      if (!block.secret) continue;
      block.secret = false;
      tree_.add(block);
      if (block.author == config_.self) fx.broadcast(std::move(block));
    }
  }

  // --- what is delivered ------------------------------------------------------------------------

  void confirm(Fx& fx) {
    std::uint64_t at = tree_.head();
    const std::uint64_t top = tree_.height(at);
    if (top < config_.confirm) return;
    for (std::uint64_t k = 0; k < config_.confirm; ++k) at = tree_.block(at).parent;
    std::vector<std::uint64_t> fresh;
    for (; at != 0; at = tree_.block(at).parent) {
      const std::uint64_t height = tree_.height(at);
      if (height <= confirmed_.size() && confirmed_[height - 1] == at) break;
      fresh.push_back(at);
    }
    const std::uint64_t kept = at == 0 ? 0 : tree_.height(at);
    // A better chain that is no longer may bury less than was delivered: that stays for now.
    if (fresh.empty()) return;
    if (confirmed_.size() > kept) reversed_ += confirmed_.size() - kept;
    confirmed_.resize(kept);
    for (; !fresh.empty(); fresh.pop_back()) {
      confirmed_.push_back(fresh.back());
      const Block& block = tree_.block(fresh.back());
      if (block.author == config_.self) forget(block, fx);
      if (told_.insert(block.id).second) fx.deliver(block);
    }
  }

  void forget(const Block& buried, Fx& fx) {
    for (const Bytes& request : buried.requests) {
      const auto it = std::find_if(pending_.begin(), pending_.end(),
                                   [&](const auto& p) { return p.second == request; });
      if (it == pending_.end()) continue;
      fx.push(Persist{1, record_of(it->first), {}, {}, true});
      pending_.erase(it);
    }
  }

  Config config_;
  BlockTree tree_;
  Prng rng_{0};
  std::uint64_t tip_ = 0;  // of the coalition's chain
  bool racing_ = false;    // its chain is public and as good as the others'
  std::uint64_t mined_ = 0;
  std::map<std::uint64_t, Bytes> pending_;  // own requests that are not buried
  std::uint64_t next_number_ = 0;
  std::map<std::uint64_t, Block> orphans_;  // by id
  std::vector<std::uint64_t> confirmed_;    // by height
  std::set<std::uint64_t> told_;
  std::uint64_t reversed_ = 0;
  std::uint64_t refused_ = 0;
};

/// The subject of both chains. Measures, of the chain that stands once all is published:
/// `parasite_share`, the coalition's share of its blocks; `withheld`, those still secret; where
/// uncles are named, `reward_share`, the coalition's share of what its blocks and their uncles
/// earn, and `uncle_share`, uncles a block; of the
/// first correct node: `height` of its chain, `stale_share`, public blocks that are not in it;
/// and `reversed`, delivered blocks taken back, by any node.
struct ProofOfWorkSubject {
  using Node = ProofOfWork;
  static constexpr bool kOrdered = false;
  static constexpr std::int64_t kMinePpm = 20'000;
  static constexpr std::int64_t kConfirm = 6;
  static constexpr std::int64_t kLead = 2;

  static constexpr std::int64_t kUncles = 2;

  const Experiment* experiment;
  ChainRule rule;

  static ProtocolInfo info(std::string name, std::string help) {
    ProtocolInfo out;
    out.name = std::move(name);
    out.help = std::move(help);
    out.nodes_per_fault = 2;
    out.unjudged = {"agreement", "prefix", "totality"};
    out.parameters = {
        {"mine_ppm", kMinePpm, 1, 1'000'000, "chance of a block, a node and round or ms"},
        {"confirm", kConfirm, 0, 1000, "blocks that bury one until it counts as decided"},
        {"coalition", std::int64_t{0}, 0, 4096, "so many of the last nodes keep blocks secret"},
        {"coalition_rate", std::int64_t{1}, 1, 1'000'000, "chance of each of them, in others'"},
        {"lead", kLead, 1, 1000, "a secret chain less ahead of a new block is published"},
    };
    return out;
  }

  ProofOfWork make(NodeId id) const {
    const Experiment& e = *experiment;
    const auto whole = [&](std::string_view name, std::int64_t standard) {
      return static_cast<std::uint64_t>(parameter(e, name, standard));
    };
    ProofOfWork::Config c{.self = id, .n = e.n, .rule = rule};
    c.mine_ppm = whole("mine_ppm", kMinePpm);
    c.delta = e.network.delta;
    c.confirm = whole("confirm", kConfirm);
    c.coalition = static_cast<std::uint32_t>(std::min<std::uint64_t>(whole("coalition", 0), e.n));
    c.coalition_rate = whole("coalition_rate", 1);
    c.lead = whole("lead", kLead);
    if (rule == ChainRule::kHeaviest) c.uncles = static_cast<std::size_t>(whole("uncles", kUncles));
    return ProofOfWork(c);
  }
  ModelRequest request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const ProofOfWork::Message& m) const {
    const auto* block = std::get_if<Block>(&m);
    if (block == nullptr) return {.label = "want", .bytes = 8};
    std::uint32_t bytes = 27 + static_cast<std::uint32_t>(18 * block->uncles.size());
    for (const Bytes& request : block->requests)
      bytes += 4 + static_cast<std::uint32_t>(request.size());
    return {block->secret ? "secret block" : "block", block->height, bytes};
  }
  OutputFacts facts_of(const Block& b) const {
    return {b.id, hash(record_of(b.parent).view()), b.height, "buried"};
  }
  template <class F>
  void payloads(const Block& b, std::optional<NodeId> of, F visit) const {
    if (of && *of != b.author) return;
    for (const Bytes& request : b.requests) visit(request.view(), b.author);
  }
  bool mutate(ProofOfWork::Message&, NodeId, std::string_view, std::uint64_t) const {
    return false;
  }
  std::uint64_t round(const ProofOfWork& node) const {
    return node.tree().height(node.tree().head());
  }
  std::uint64_t refused(const ProofOfWork& node) const { return node.refused(); }

  // A request waits for a block of its own node, and for those that bury it.
  Ticks patience(const Experiment& e) const {
    const auto chance = static_cast<Ticks>(parameter(e, "mine_ppm", kMinePpm));
    const auto confirm = static_cast<Ticks>(parameter(e, "confirm", kConfirm));
    const Ticks interval = std::max<Ticks>(kUnit, kUnit * 1'000'000 / (chance * e.n));
    return (64 + 4 * confirm) * interval + 64 * e.network.delta;
  }
  std::vector<Measure> measures(const std::vector<const ProofOfWork*>& nodes) const {
    if (nodes.empty()) return {};
    const ProofOfWork& first = *nodes.front();
    const std::uint64_t height = round(first);
    const ProofOfWork& best = *nodes.back();  // in the coalition, if there is one
    std::uint64_t parasites = 0;
    std::uint64_t withheld = 0;
    for (std::uint64_t at = best.best(); at != 0; at = best.tree().block(at).parent) {
      parasites += best.in_coalition(best.tree().block(at).author) ? 1 : 0;
      withheld += best.tree().block(at).secret ? 1 : 0;
    }
    std::uint64_t reversed = 0;
    for (const ProofOfWork* node : nodes) reversed += node->reversed();
    const std::uint64_t known = first.tree().size();
    std::vector<Measure> out{{"parasite_share", share(parasites, best.tree().height(best.best()))},
                             {"withheld", static_cast<double>(withheld)},
                             {"height", static_cast<double>(height)},
                             {"stale_share", share(known - height, known)},
                             {"reversed", static_cast<double>(reversed)}};
    if (rule == ChainRule::kHeaviest) add_rewards(best, out);
    return out;
  }

 private:
  // In 32nds of a block's reward.
  static void add_rewards(const ProofOfWork& best, std::vector<Measure>& out) {
    std::uint64_t all = 0;
    std::uint64_t ours = 0;
    std::uint64_t uncles = 0;
    const auto pay = [&](NodeId author, std::uint64_t amount) {
      all += amount;
      ours += best.in_coalition(author) ? amount : 0;
    };
    for (std::uint64_t at = best.best(); at != 0; at = best.tree().block(at).parent) {
      const Block& block = best.tree().block(at);
      pay(block.author, 32 + block.uncles.size());
      uncles += block.uncles.size();
      for (const Uncle& uncle : block.uncles)
        pay(uncle.author, 4 * (8 - (block.height - uncle.height)));
    }
    out.push_back({"reward_share", share(ours, all)});
    out.push_back({"uncle_share", share(uncles, best.tree().height(best.best()))});
  }
};

}  // namespace thresher::sim

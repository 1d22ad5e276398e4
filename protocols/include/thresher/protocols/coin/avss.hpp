// `avss`: asynchronous verifiable secret sharing. Each node may deal one secret an instance; what
// one correct node finds shared all can open, and nobody knows it before they do.
//
//   Avss<Avid> node({.committee = c, .self = id, .scheme = scheme});
//   executor.run(Requested<avss::Request>{avss::Deal{instance}});
//   // Deliver<avss::Output>: Shared{instance, dealer} once its secret is safe
//   executor.run(Requested<avss::Request>{avss::Open{instance}});
//   // later, for each secret that was shared: Opened{instance, dealer, secret}
//
// Guarantees, with up to f Byzantine nodes of n >= 3f+1 at any timing:
//   validity    a correct dealer's secret is shared at every correct node;
//   totality    what one correct node finds shared all correct nodes do;
//   commitment  when all correct nodes open an instance, each gets the same secret of every dealer
//               that was shared, and that was fixed before the first of them found it shared;
//   secrecy     before a correct node opens the instance, f nodes together know nothing of a
//               correct dealer's secret, as far as the scheme hides it and links are private.
// Instances are those of a window that the owner moves (forget_below). A row is durable before it
// is used, so that all nodes may restart at once; records hold it in the clear.
// Source: Cachin, Kursawe, Lysyanskaya, Strobl (CCS 2002), section 3.3, with the commitment on a
// reliable broadcast, as Backes, Kate and Patra have it (ASIACRYPT 2011). Rules by number and why
// they hold: docs/protocols/setup-free-coin.md.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/bounded.hpp"
#include "thresher/core/compose.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/sharing_scheme.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher {

namespace avss {

/// Shares this node's secret of the instance. Refused when it dealt one in that or a later one.
struct Deal {
  std::uint64_t instance = 0;
};
/// Shows this node's shares of the instance, of all dealers, now and as they come.
struct Open {
  std::uint64_t instance = 0;
};
using Request = std::variant<Deal, Open>;

struct Shared {
  std::uint64_t instance = 0;
  NodeId dealer;
};
struct Opened {
  std::uint64_t instance = 0;
  NodeId dealer;
  Digest secret;
};
using Output = std::variant<Shared, Opened>;

/// From the dealer: the receiver's row.
struct Row {
  std::uint64_t instance = 0;
  Bytes row;
};
/// What the sender owes the receiver of its row of that dealer.
struct Point {
  std::uint64_t instance = 0;
  NodeId dealer;
  Bytes point;
};
/// The sender's share of that dealer's secret.
struct Share {
  std::uint64_t instance = 0;
  NodeId dealer;
  Bytes share;
};
/// The sender lacks something: it wants what the receiver owes it of all dealers but these.
struct Ask {
  std::uint64_t instance = 0;
  NodeSet shared;  ///< that it found shared
  NodeSet opened;  ///< whose secret it has
};
using Word = std::variant<Row, Point, Share, Ask>;

std::uint64_t instance_of(const Word& word);
/// Nine or eleven bytes beside a row, point or share, whose size the protocol judges, and the
/// mirror: empty when malformed.
void encode_word(const Word& word, std::uint32_t n, Writer& out);
std::optional<Word> decode_word(Reader& in, std::uint32_t n);

/// Durable records: own rows, by instance and dealer; the first instance not forgotten.
enum Table : std::uint32_t { kRows = 5, kFloor = 6 };
/// Questions of a peer that are answered in 4 Delta, however often it asks.
inline constexpr std::size_t kAnswers = 16;

/// Checks that a test takes away.
struct Checks {
  bool rows = true;
  bool points = true;
  bool shares = true;
  bool enough_points = true;  ///< waits for n-f points before a secret is shared
};

}  // namespace avss

template <broadcast::OwnedBroadcast B>
class Avss {
 public:
  static constexpr std::uint32_t kNodesPerFault = std::max(3u, B::kNodesPerFault);

  using Message = std::variant<typename B::Message, avss::Word>;
  using Output = avss::Output;
  using Request = avss::Request;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::shared_ptr<const crypto::SharingScheme> scheme;
    std::uint64_t window = 16;  ///< instances kept, from the first not forgotten
    avss::Checks checks{};
  };

  /// Pre: config.scheme is not null.
  explicit Avss(Config config)
      : config_(std::move(config)),
        broadcast_(broadcast_config(config_)),
        served_(config_.committee.size()) {}

  void on(const Restored& e, Fx& fx);
  void on(const Start& e, Fx& fx);
  void on(const Received<Message>& e, Fx& fx);
  void on(const Requested<Request>& e, Fx& fx);
  void on(const Expired& e, Fx& fx);

  /// Instances below matter no more to the owner, and nodes that lag are not helped with them.
  void forget_below(std::uint64_t instance, Fx& fx);
  /// The owner needs nothing more of the instance: nothing is asked about it, others are answered.
  void settle(std::uint64_t instance) {
    if (reaches(instance)) state_of(instance).settled = true;
  }
  std::uint64_t floor() const { return floor_; }
  bool reaches(std::uint64_t instance) const {
    return instance >= floor_ && instance - floor_ < config_.window;
  }
  bool dealt(std::uint64_t instance) const { return broadcast_.submitted(instance); }
  std::uint64_t refused() const { return refused_ + broadcast_.refused(); }
  broadcast::Footprint footprint() const { return broadcast_.footprint(); }
  broadcast::Footprint most_held() const { return B::most_held(broadcast_config(config_)); }
  /// Points and shares of peers that are held, and the most that there may be.
  std::size_t pieces() const;
  std::size_t most_pieces() const {
    const std::size_t n = config_.committee.size();
    return config_.window * n * 2 * n;
  }

 private:
  static constexpr std::uint32_t kBroadcastHop = 1;
  static constexpr TimerId kRepeatTimer{1, {}};

  /// What peers gave of one dealer, a piece each, and whose was right.
  struct Pieces {
    std::map<NodeId, Bytes> given{};
    NodeSet right{};
  };
  struct Dealing {
    std::shared_ptr<const crypto::Sharing> sharing{};  // null: the commitment is not here
    bool malformed = false;
    Bytes offered{};         // the dealer's row, while the commitment is not here
    Bytes row{};             // checked and durable; empty: none
    bool false_row = false;  // the dealer gave one
    Pieces points{};
    Pieces shares{};
    bool shared = false;
    std::optional<Digest> secret{};
  };
  struct State {
    explicit State(std::uint32_t n) : spoke(n), dealings(n) {}
    NodeSet spoke;  // peers
    std::vector<Dealing> dealings;
    bool joined = false;  // this node dealt
    bool open = false;
    bool settled = false;
  };

  static typename B::Config broadcast_config(const Config& c) {
    typename B::Config out;
    out.committee = c.committee;
    out.self = c.self;
    out.window = (c.window + 1) / 2;  // twice as many are kept
    out.owner_forgets = true;
    out.payload_bytes = c.scheme->commitment_bytes();
    out.origin_bytes = std::max(std::size_t{1} << 20, 16 * out.window * out.payload_bytes);
    return out;
  }
  State& state_of(std::uint64_t instance) {
    return states_.try_emplace(instance, config_.committee.size()).first->second;
  }
  static Bytes key_of(std::uint64_t instance, NodeId dealer) {
    return Bytes::from(Writer().u64(instance).u16(dealer.value).take());
  }

  template <class Input>
  void feed(const Input& input, Fx& fx) {
    EffectsOf<B> child;
    broadcast_.on(input, child);
    raise(child, fx);
  }
  void raise(EffectsOf<B>& child, Fx& fx) {
    std::vector<broadcast::Instance> news;
    lift(
        child, fx, kBroadcastHop, [](typename B::Message&& m) { return Message(std::move(m)); },
        [&](const broadcast::Delivery& d) { news.push_back(d.instance); });
    for (const broadcast::Instance& i : news) look_at(i.number, i.origin, fx);
  }
  void look_at(std::uint64_t instance, NodeId dealer, Fx& fx);
  void look_at(std::uint64_t instance, Fx& fx) {
    for (const NodeId d : node_ids(config_.committee.size())) look_at(instance, d, fx);
  }

  void receive(NodeId from, const avss::Row& m, Fx& fx);
  void receive(NodeId from, const avss::Point& m, Fx& fx);
  void receive(NodeId from, const avss::Share& m, Fx& fx);
  void receive(NodeId from, const avss::Ask& m, Fx& fx);
  void begin(std::uint64_t instance) {
    State& s = state_of(instance);
    s.joined = true;
    s.dealings[config_.self.value].offered = config_.scheme->row(instance, config_.self);
  }
  void deal(std::uint64_t instance, Fx& fx);
  void open(std::uint64_t instance, Fx& fx);
  void take_row(std::uint64_t instance, NodeId dealer, Dealing& d, const Bytes& row, Fx& fx);
  void take_point(std::uint64_t instance, NodeId dealer, Dealing& d, NodeId from, Fx& fx);
  void take_share(std::uint64_t instance, NodeId dealer, Dealing& d, NodeId from, Fx& fx);
  void settle_sharing(std::uint64_t instance, NodeId dealer, Dealing& d, Fx& fx);
  static std::vector<crypto::Contribution> right(const Pieces& pieces);
  bool wanted(const State& s) const;
  void ask(Fx& fx);
  void expect(std::uint64_t instance, const State& s, Fx& fx);
  void arm(Fx& fx);

  Config config_;
  B broadcast_;
  std::map<std::uint64_t, State> states_;  // of instances that somebody spoke of
  std::uint64_t floor_ = 0;
  PeerQuota<avss::kAnswers> served_;  // questions answered since the last tick
  bool serves_ = false;               // some were
  bool armed_ = false;
  std::uint64_t refused_ = 0;
};

template <broadcast::OwnedBroadcast B>
void Avss<B>::on(const Restored& e, Fx& fx) {
  Reader key(e.key.view());
  if (e.table == avss::kFloor) {
    floor_ = std::max(floor_, Reader(e.value.view()).u64());
  } else if (e.table == avss::kRows) {
    const std::uint64_t instance = key.u64();
    const NodeId dealer{key.u16()};
    if (key.done() && config_.committee.contains(dealer))
      state_of(instance).dealings[dealer.value].row = e.value;
  } else {
    feed(e, fx);
  }
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::on(const Start& e, Fx& fx) {
  states_.erase(states_.begin(),
                states_.lower_bound(floor_));  // erased lazily, so they may be back
  feed(e, fx);
  for (std::uint64_t i = floor_; reaches(i); ++i) {
    if (dealt(i) && config_.scheme->commitment(i)) begin(i);
    look_at(i, fx);
  }
  ask(fx);
  arm(fx);
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::on(const Received<Message>& e, Fx& fx) {
  if (!config_.committee.contains(e.from) || e.from == config_.self) return;
  if (const auto* b = std::get_if<typename B::Message>(&e.message)) {
    feed(Received<typename B::Message>{e.from, *b}, fx);
  } else {
    const auto& word = std::get<avss::Word>(e.message);
    const std::uint64_t instance = avss::instance_of(word);
    if (!reaches(instance)) {
      ++refused_;
    } else {
      state_of(instance).spoke.insert(e.from);
      std::visit([&](const auto& m) { receive(e.from, m, fx); }, word);
    }
  }
  arm(fx);
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::on(const Requested<Request>& e, Fx& fx) {
  const bool deals = std::holds_alternative<avss::Deal>(e.request);
  const std::uint64_t instance =
      std::visit([](const auto& request) { return request.instance; }, e.request);
  if (!reaches(instance)) {
    ++refused_;
  } else if (deals) {
    deal(instance, fx);
  } else {
    open(instance, fx);
  }
  arm(fx);
}

// S5
template <broadcast::OwnedBroadcast B>
void Avss<B>::on(const Expired& e, Fx& fx) {
  if (e.id.route.depth > 0) {
    Expired inner = e;
    (void)pop_hop(inner.id.route);
    feed(inner, fx);
  } else if (e.id == kRepeatTimer) {
    armed_ = false;
    if (std::exchange(serves_, false))
      served_ = PeerQuota<avss::kAnswers>(config_.committee.size());
    ask(fx);
    for (const auto& [instance, s] : states_) expect(instance, s, fx);
  }
  arm(fx);
}

// S1: the same numbers at every try, since they follow from the seed.
template <broadcast::OwnedBroadcast B>
void Avss<B>::deal(std::uint64_t instance, Fx& fx) {
  const auto commitment = config_.scheme->commitment(instance);
  if (!commitment || dealt(instance)) {
    ++refused_;
    return;
  }
  begin(instance);
  feed(Requested<broadcast::Submit>{{*commitment, instance}}, fx);
  for (const NodeId to : node_ids(config_.committee.size())) {
    if (to != config_.self)
      fx.send(to, avss::Word(avss::Row{instance, config_.scheme->row(instance, to)}));
  }
}

// Judges what waited for the commitment, now that this is here.
template <broadcast::OwnedBroadcast B>
void Avss<B>::look_at(std::uint64_t instance, NodeId dealer, Fx& fx) {
  const Bytes* commitment = broadcast_.delivered({dealer, instance});
  if (commitment == nullptr || !reaches(instance)) return;
  Dealing& d = state_of(instance).dealings[dealer.value];
  if (d.sharing || d.malformed) return;
  d.sharing = config_.scheme->open(instance, dealer, commitment->view());
  d.malformed = d.sharing == nullptr;
  if (d.malformed) {
    ++refused_;
    d = Dealing{};
    d.malformed = true;
    return;
  }
  if (!d.row.empty()) {  // from a record
    const Bytes again = std::exchange(d.row, {});
    take_row(instance, dealer, d, again, fx);
  } else if (!d.offered.empty()) {
    take_row(instance, dealer, d, std::exchange(d.offered, {}), fx);
  }
  for (const NodeId i : node_ids(config_.committee.size())) {
    if (d.points.given.contains(i)) take_point(instance, dealer, d, i, fx);
    if (d.shares.given.contains(i)) take_share(instance, dealer, d, i, fx);
  }
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::receive(NodeId from, const avss::Row& m, Fx& fx) {
  Dealing& d = state_of(m.instance).dealings[from.value];
  // Judging one takes long where there are many nodes, so a dealer has one try.
  if (d.malformed || d.false_row || !d.row.empty()) return;
  if (m.row.size() != config_.scheme->row_bytes()) {
    ++refused_;
  } else if (d.sharing) {
    take_row(m.instance, from, d, m.row, fx);
  } else {
    d.offered = m.row;
  }
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::receive(NodeId from, const avss::Point& m, Fx& fx) {
  if (!config_.committee.contains(m.dealer) || m.point.size() != config_.scheme->point_bytes()) {
    ++refused_;
    return;
  }
  Dealing& d = state_of(m.instance).dealings[m.dealer.value];
  if (d.malformed || !d.points.given.try_emplace(from, m.point).second) return;
  if (d.sharing) take_point(m.instance, m.dealer, d, from, fx);
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::receive(NodeId from, const avss::Share& m, Fx& fx) {
  if (!config_.committee.contains(m.dealer) || m.share.size() != config_.scheme->point_bytes()) {
    ++refused_;
    return;
  }
  Dealing& d = state_of(m.instance).dealings[m.dealer.value];
  if (d.malformed || d.secret || !d.shares.given.try_emplace(from, m.share).second) return;
  if (d.sharing) take_share(m.instance, m.dealer, d, from, fx);
}

// S5: what this node owes who asks. Only the dealer gives the row; points and shares are sent by
// the nodes that have them.
template <broadcast::OwnedBroadcast B>
void Avss<B>::receive(NodeId from, const avss::Ask& m, Fx& fx) {
  if (!served_.take(from)) return;
  serves_ = true;
  const State& s = state_of(m.instance);
  if (dealt(m.instance) && broadcast_.delivered({config_.self, m.instance}) != nullptr &&
      !m.shared.contains(config_.self))
    fx.send(from, avss::Word(avss::Row{m.instance, config_.scheme->row(m.instance, from)}));
  for (const NodeId dealer : node_ids(config_.committee.size())) {
    const Dealing& d = s.dealings[dealer.value];
    if (!d.sharing || d.row.empty()) continue;
    if (!m.shared.contains(dealer))
      fx.send(from,
              avss::Word(avss::Point{m.instance, dealer, d.sharing->point(d.row.view(), from)}));
    if (s.open && !m.opened.contains(dealer))
      fx.send(from, avss::Word(avss::Share{m.instance, dealer, d.sharing->share(d.row.view())}));
  }
}

// S2: a row that is right is durable, and everybody gets its point of it.
template <broadcast::OwnedBroadcast B>
void Avss<B>::take_row(std::uint64_t instance, NodeId dealer, Dealing& d, const Bytes& row,
                       Fx& fx) {
  if (config_.checks.rows && !d.sharing->check_row(row.view())) {
    d.false_row = true;
    ++refused_;
    return;
  }
  d.row = row;
  fx.push(Persist{avss::kRows, key_of(instance, dealer), d.row});
  for (const NodeId to : node_ids(config_.committee.size())) {
    Bytes point = d.sharing->point(d.row.view(), to);
    if (to == config_.self) {
      d.points.given.insert_or_assign(to, std::move(point));
      d.points.right.insert(to);
    } else {
      fx.send(to, avss::Word(avss::Point{instance, dealer, std::move(point)}));
    }
  }
  if (state_of(instance).open) {
    const Bytes share = d.sharing->share(d.row.view());
    d.shares.given.insert_or_assign(config_.self, share);
    fx.broadcast(avss::Word(avss::Share{instance, dealer, share}));
    take_share(instance, dealer, d, config_.self, fx);
  }
  settle_sharing(instance, dealer, d, fx);
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::take_point(std::uint64_t instance, NodeId dealer, Dealing& d, NodeId from, Fx& fx) {
  if (d.points.right.contains(from)) return;
  if (config_.checks.points && !d.sharing->check_point(from, d.points.given.at(from).view())) {
    ++refused_;
    return;
  }
  d.points.right.insert(from);
  // S3: f+1 points make the row.
  if (d.row.empty() && d.points.right.size() >= config_.scheme->enough()) {
    if (auto row = d.sharing->row_of(right(d.points)))
      return take_row(instance, dealer, d, *row, fx);
  }
  settle_sharing(instance, dealer, d, fx);
}

// S4
template <broadcast::OwnedBroadcast B>
void Avss<B>::settle_sharing(std::uint64_t instance, NodeId dealer, Dealing& d, Fx& fx) {
  const auto threshold = config_.checks.enough_points ? kAvailability : kValidity;
  if (d.shared || d.row.empty() || d.points.right.size() < config_.committee.at_least(threshold))
    return;
  d.shared = true;
  fx.deliver(avss::Shared{instance, dealer});
}

// S6
template <broadcast::OwnedBroadcast B>
void Avss<B>::open(std::uint64_t instance, Fx& fx) {
  State& s = state_of(instance);
  if (std::exchange(s.open, true)) return;
  for (const NodeId i : node_ids(config_.committee.size())) {
    Dealing& d = s.dealings[i.value];
    if (!d.sharing || d.row.empty()) continue;
    const Bytes share = d.sharing->share(d.row.view());
    d.shares.given.insert_or_assign(config_.self, share);
    fx.broadcast(avss::Word(avss::Share{instance, i, share}));
    take_share(instance, i, d, config_.self, fx);
  }
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::take_share(std::uint64_t instance, NodeId dealer, Dealing& d, NodeId from, Fx& fx) {
  if (d.secret) return;
  if (config_.checks.shares && !d.sharing->check_share(from, d.shares.given.at(from).view())) {
    ++refused_;
    return;
  }
  d.shares.right.insert(from);
  if (d.shares.right.size() < config_.scheme->enough()) return;
  d.secret = d.sharing->secret(right(d.shares));
  if (d.secret) fx.deliver(avss::Opened{instance, dealer, *d.secret});
}

template <broadcast::OwnedBroadcast B>
std::vector<crypto::Contribution> Avss<B>::right(const Pieces& pieces) {
  std::vector<crypto::Contribution> out;
  for (const auto& [from, bytes] : pieces.given) {
    if (pieces.right.contains(from)) out.push_back({from, bytes});
  }
  return out;
}

template <broadcast::OwnedBroadcast B>
bool Avss<B>::wanted(const State& s) const {
  const bool begun = s.joined || s.spoke.size() >= config_.committee.at_least(kValidity);
  return begun && !s.settled;
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::ask(Fx& fx) {
  for (const auto& [instance, s] : states_) {
    if (!wanted(s)) continue;
    avss::Ask m{instance, NodeSet(config_.committee.size()), NodeSet(config_.committee.size())};
    for (const NodeId i : node_ids(config_.committee.size())) {
      if (s.dealings[i.value].shared) m.shared.insert(i);
      if (s.dealings[i.value].secret) m.opened.insert(i);
    }
    fx.broadcast(avss::Word(m));
  }
}

// f+1 nodes gave points of a commitment that is not here: a correct one has it, so it will come,
// but nobody may speak of it for long to a node that was away when it was told.
template <broadcast::OwnedBroadcast B>
void Avss<B>::expect(std::uint64_t instance, const State& s, Fx& fx) {
  EffectsOf<B> child;
  for (const NodeId i : node_ids(config_.committee.size())) {
    const Dealing& d = s.dealings[i.value];
    if (!d.sharing && !d.malformed &&
        d.points.given.size() >= config_.committee.at_least(kValidity))
      broadcast_.expect({i, instance}, child);
  }
  raise(child, fx);
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::forget_below(std::uint64_t instance, Fx& fx) {
  if (instance <= floor_) return;
  const std::uint64_t looked_at = std::max(instance, floor_ + config_.window);
  floor_ = instance;
  fx.push(Persist{avss::kFloor, {}, Bytes::from(Writer().u64(instance).take()), {}, true});
  for (auto it = states_.begin(); it != states_.end() && it->first < floor_;
       it = states_.erase(it)) {
    for (const NodeId i : node_ids(config_.committee.size())) {
      if (!it->second.dealings[i.value].row.empty())
        fx.push(Persist{avss::kRows, key_of(it->first, i), {}, {}, true});
    }
  }
  EffectsOf<B> child;
  broadcast_.forget_below(instance, child);
  raise(child, fx);
  for (std::uint64_t i = looked_at; reaches(i); ++i) look_at(i, fx);
}

template <broadcast::OwnedBroadcast B>
std::size_t Avss<B>::pieces() const {
  std::size_t out = 0;
  for (const auto& [instance, s] : states_) {
    for (const Dealing& d : s.dealings) out += d.points.given.size() + d.shares.given.size();
  }
  return out;
}

template <broadcast::OwnedBroadcast B>
void Avss<B>::arm(Fx& fx) {
  const bool open =
      std::any_of(states_.begin(), states_.end(), [&](const auto& s) { return wanted(s.second); });
  if ((open || serves_) && !std::exchange(armed_, true))
    fx.push(ArmTimer{kRepeatTimer, broadcast::kRepeat});
}

}  // namespace thresher

#include "thresher/sim/network.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "thresher/core/assert.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint32_t kNoRule = 0xffffffff;
// Streams of draws, so that one kind of chance does not move another.
enum Stream : std::uint64_t { kTransitStream = 1, kCutStream = 2, kGraphStream = 3 };

std::uint64_t link_of(NodeId from, NodeId to) {
  return std::uint64_t{from.value} * Committee::kMaxSize + to.value;
}

Ticks cut_to(const DelayLaw& law, Ticks value) {
  return std::clamp(value, std::max<Ticks>(law.min, 1), std::max<Ticks>({law.max, law.min, 1}));
}

Ticks longest_of(const DelayLaw& law) {
  return law.kind == DelayLaw::Kind::kConstant ? law.mean : std::max(law.max, law.min);
}

// -log2(x / 2^32) in units of 2^-16, x in [1, 2^32].
std::uint64_t minus_log2(std::uint64_t x) {
  if (x == std::uint64_t{1} << 32) return 0;  // its square does not fit below
  int whole = 0;
  while (x < (std::uint64_t{1} << 31)) {
    x <<= 1;
    ++whole;
  }
  // x is in [2^31, 2^32): halve the interval by squaring, one bit a step.
  std::uint64_t fraction = 0;
  for (int bit = 0; bit < 16; ++bit) {
    x = (x * x) >> 31;
    fraction <<= 1;
    if (x >= (std::uint64_t{1} << 32)) {
      fraction |= 1;
      x >>= 1;
    }
  }
  return (static_cast<std::uint64_t>(whole + 1) << 16) - fraction;
}

class Graph {
 public:
  Graph(const Network& net, std::uint32_t n) : net_(net), n_(n), out_(n) {}

  void join(std::uint32_t a, std::uint32_t b) {
    arrow(a, b);
    arrow(b, a);
  }
  void arrow(std::uint32_t a, std::uint32_t b) {
    if (a != b) out_[a].insert(NodeId{static_cast<std::uint16_t>(b)});
  }
  void grid(bool wraps) {
    const std::uint32_t w = std::max<std::uint32_t>(net_.width, 1);
    const std::uint32_t h = std::max<std::uint32_t>(net_.height, 1);
    for (std::uint32_t i = 0; i < n_ && i < w * h; ++i) {
      const std::uint32_t x = i % w;
      const std::uint32_t y = i / w;
      if (x + 1 < w || wraps) join_if(i, y * w + (x + 1) % w);
      if (y + 1 < h || wraps) join_if(i, (y + 1) % h * w + x);
    }
  }
  // A ring keeps it connected; the rest of the edges are drawn, any set of them as likely as any
  // other of that size: Knuth, The Art of Computer Programming 2, section 3.4.2, algorithm S.
  void random(std::uint64_t seed) {
    for (std::uint32_t i = 0; i < n_; ++i) join(i, (i + 1) % n_);
    Prng rng(seed, kGraphStream);
    const std::uint64_t edges = std::uint64_t{n_} * net_.degree / 2;
    std::uint64_t left = std::uint64_t{n_} * (n_ - 1) / 2 - n_;
    std::uint64_t wanted = edges - std::min<std::uint64_t>(edges, n_);
    for (std::uint32_t a = 0; a < n_; ++a) {
      for (std::uint32_t b = a + 1; b < n_; ++b) {
        if (b == a + 1 || (a == 0 && b + 1 == n_)) continue;  // of the ring
        const bool chosen = rng.below(left) < wanted;
        --left;
        if (!chosen) continue;
        --wanted;
        join(a, b);
      }
    }
  }
  std::vector<std::vector<NodeId>> take() const {
    std::vector<std::vector<NodeId>> lists;
    for (const auto& set : out_) lists.emplace_back(set.begin(), set.end());
    return lists;
  }

 private:
  void join_if(std::uint32_t a, std::uint32_t b) {
    if (b < n_) join(a, b);
  }
  const Network& net_;
  std::uint32_t n_;
  std::vector<std::set<NodeId>> out_;
};

}  // namespace

std::vector<std::vector<NodeId>> neighbours(const Network& net, std::uint32_t n,
                                            std::uint64_t seed) {
  Graph graph(net, n);
  switch (net.topology) {
    case Topology::kComplete:
      return {};
    case Topology::kList:
      return net.neighbours;
    case Topology::kGrid:
    case Topology::kTorus:
      graph.grid(net.topology == Topology::kTorus);
      break;
    case Topology::kRandom:
      graph.random(seed);
      break;
    case Topology::kRing:
      for (std::uint32_t i = 0; i < n; ++i) graph.join(i, (i + 1) % n);
      break;
    case Topology::kUnidirectionalRing:
      for (std::uint32_t i = 0; i < n; ++i) graph.arrow(i, (i + 1) % n);
      break;
    case Topology::kChain:
      for (std::uint32_t i = 0; i + 1 < n; ++i) graph.join(i, i + 1);
      break;
    case Topology::kStar:
      for (std::uint32_t i = 1; i < n; ++i) graph.join(0, i);
      break;
  }
  return graph.take();
}

Ticks draw(const DelayLaw& law, Prng& rng) {
  switch (law.kind) {
    case DelayLaw::Kind::kConstant:
      return std::max<Ticks>(law.mean, 1);
    case DelayLaw::Kind::kUniform:
      return law.max > law.min ? cut_to(law, law.min + rng.below(law.max - law.min + 1))
                               : cut_to(law, law.min);
    case DelayLaw::Kind::kNormal: {
      // Twelve uniform draws of [0, 1) have mean 6 and variance 1.
      std::uint64_t sum = 0;
      for (int i = 0; i < 12; ++i) sum += rng.next() >> 40;
      const auto off = static_cast<std::int64_t>(sum) - (std::int64_t{6} << 24);
      const auto scaled = off * static_cast<std::int64_t>(law.deviation) / (std::int64_t{1} << 24);
      const auto value = static_cast<std::int64_t>(law.mean) + scaled;
      return cut_to(law, value < 1 ? 1 : static_cast<Ticks>(value));
    }
    case DelayLaw::Kind::kExponential: {
      // ln 2 = 45426 / 2^16.
      const std::uint64_t bits = minus_log2((rng.next() >> 32) + 1);
      return cut_to(law, (law.mean * ((bits * 45426) >> 16)) >> 16);
    }
  }
  return 1;
}

Links::Links(const Experiment& e, const NodeSet& faulty)
    : net_(e.network),
      n_(e.n),
      f_(e.f),
      seed_(e.seed),
      rounds_(e.engine == Engine::kRounds),
      faulty_(faulty) {
  net_.links = links_with_wan(e.network);
  classify();
  for (const Partition& p : net_.partitions) {
    auto& side = side_.emplace_back(n_, std::uint16_t{0});
    for (std::size_t g = 0; g < p.groups.size(); ++g) {
      for (const NodeId id : p.groups[g]) side[id.value] = static_cast<std::uint16_t>(g + 1);
    }
    quiet_from_ = std::max(quiet_from_, p.to);
  }
  met_.resize(net_.partitions.size());
  quiet_from_ = on_the_clock(std::max(quiet_from_, net_.gst));
  measure_paths();
  measure_slowest();
}

// Nodes that the same rules name behave alike, so the rules are looked through once for each pair
// of classes instead of once for each pair of nodes.
void Links::classify() {
  longest_ = std::max<Ticks>({longest_, longest_of(net_.delay)});
  class_.assign(n_, 0);
  std::map<std::vector<bool>, std::uint16_t> known;
  std::vector<std::vector<bool>> named(n_);
  for (const LinkRule& rule : net_.links) {
    longest_ = std::max(longest_, longest_of(rule.delay));
    for (const auto* list : {&rule.from, &rule.to}) {
      for (std::uint32_t i = 0; i < n_; ++i) named[i].push_back(list->empty());
      for (const NodeId id : *list) named[id.value].back() = true;
    }
  }
  std::vector<std::uint32_t> sample;
  for (std::uint32_t i = 0; i < n_; ++i) {
    const auto [it, fresh] = known.emplace(named[i], static_cast<std::uint16_t>(known.size()));
    class_[i] = it->second;
    if (fresh) sample.push_back(i);
  }
  classes_ = known.size();
  rule_.assign(classes_ * classes_, kNoRule);
  for (std::size_t a = 0; a < classes_; ++a) {
    for (std::size_t b = 0; b < classes_; ++b) {
      for (std::size_t r = 0; r < net_.links.size(); ++r) {
        if (named[sample[a]][2 * r] && named[sample[b]][2 * r + 1])
          rule_[a * classes_ + b] = static_cast<std::uint32_t>(r);
      }
    }
  }
}

void Links::measure_paths() {
  const auto lists = neighbours(net_, n_, seed_);
  if (lists.empty()) return;
  hops_.assign(std::size_t{n_} * n_, 0);
  for (std::uint32_t start = 0; start < n_; ++start) {
    std::deque<std::uint32_t> open{start};
    const auto row = hops_.begin() + std::ptrdiff_t{start} * n_;
    while (!open.empty()) {
      const std::uint32_t at = open.front();
      open.pop_front();
      for (const NodeId next : lists[at]) {
        if (next.value == start || row[next.value] != 0) continue;
        row[next.value] = static_cast<std::uint16_t>(row[at] + 1);
        open.push_back(next.value);
      }
    }
  }
}

void Links::measure_slowest() {
  slowest_ = longest_;
  for (std::size_t at = 0; at < hops_.size(); ++at) {
    const NodeId from{static_cast<std::uint16_t>(at / n_)};
    const NodeId to{static_cast<std::uint16_t>(at % n_)};
    slowest_ = std::max(slowest_, hops_[at] * longest_of(law(from, to)));
  }
  if (net_.gst == 0 && net_.reorder_ppm > 0) slowest_ += kUnit + longest_ + kUnit;
}

std::uint32_t Links::hops(NodeId from, NodeId to) const {
  return hops_.empty() ? 1 : hops_[std::size_t{from.value} * n_ + to.value];
}

const LinkRule* Links::rule(NodeId from, NodeId to) const {
  const std::uint32_t rule = rule_[class_[from.value] * classes_ + class_[to.value]];
  return rule == kNoRule ? nullptr : &net_.links[rule];
}

const DelayLaw& Links::law(NodeId from, NodeId to) const {
  const LinkRule* own = rule(from, to);
  return own == nullptr ? net_.delay : own->delay;
}

std::optional<Ticks> Links::plain(Ticks now) const {
  const bool calm = now >= net_.gst && net_.gst > 0;
  const bool chance = (net_.loss_ppm > 0 && !calm) || (net_.cut_ppm > 0 && now < net_.gst) ||
                      net_.duplicate_ppm > 0 || net_.reorder_ppm > 0;
  if (chance || !hops_.empty() || !net_.links.empty() || net_.nic_bits_per_s > 0 ||
      net_.scheduler != Network::Scheduler::kFair || net_.delay.kind != DelayLaw::Kind::kConstant)
    return std::nullopt;
  const bool parted = std::any_of(net_.partitions.begin(), net_.partitions.end(),
                                  [&](auto& p) { return p.from <= now && now < p.to; });
  if (parted) return std::nullopt;
  return rounded(now, now + std::max<Ticks>(net_.delay.mean, 1)) - now;
}

bool Links::lossy() const {
  return net_.loss_ppm > 0 || std::any_of(net_.links.begin(), net_.links.end(),
                                          [](const LinkRule& rule) { return rule.loss_ppm > 0; });
}

void Links::saw_leader(NodeId id) {
  if (net_.scheduler != Network::Scheduler::kAdaptive || f_ == 0) return;
  if (const auto old = std::find(led_.begin(), led_.end(), id); old != led_.end()) led_.erase(old);
  led_.push_back(id);
  if (led_.size() > f_) led_.erase(led_.begin());
}

Ticks Links::lookahead() const {
  using Scheduler = Network::Scheduler;
  if (net_.scheduler == Scheduler::kAdaptive || net_.scheduler == Scheduler::kRushing ||
      net_.scheduler == Scheduler::kHunt) {
    return 0;
  }
  const auto least = [](const DelayLaw& l) {
    return std::max<Ticks>(l.kind == DelayLaw::Kind::kConstant ? l.mean : l.min, 1);
  };
  Ticks lookahead = least(net_.delay);
  for (const LinkRule& rule : net_.links) lookahead = std::min(lookahead, least(rule.delay));
  return lookahead;
}

Ticks Links::on_the_clock(Ticks at) const {
  return rounds_ ? (at + kUnit - 1) / kUnit * kUnit : at;
}

Ticks Links::rounded(Ticks sent, Ticks at) const {
  const Ticks next = rounds_ ? (sent / kUnit + 1) * kUnit : sent + 1;
  return std::max(on_the_clock(at), next);
}

Ticks Links::latest_start(Ticks sent) const {
  const Ticks due = on_the_clock(std::max(sent, net_.gst) + net_.delta);
  return std::max(sent, due - (rounds_ ? kUnit : 1));
}

Ticks Links::travel(const Letter& letter, Prng& rng) const {
  Ticks sum = 0;
  const DelayLaw& l = law(letter.from, letter.to);
  for (std::uint32_t hop = hops(letter.from, letter.to); hop > 0; --hop) sum += draw(l, rng);
  return sum;
}

Ticks Links::overtaken(Prng& rng) const {
  if (net_.reorder_ppm == 0 || !rng.chance_ppm(net_.reorder_ppm)) return 0;
  return kUnit + rng.below(longest_ + kUnit);
}

// Schedulers keep to it without a gst, too: what one held may take no longer.
std::optional<Ticks> Links::promised(const Letter& letter, Ticks takes) const {
  if (net_.gst == 0 && !letter.held_since) return std::nullopt;
  Ticks from = std::max(letter.held_since.value_or(letter.sent), net_.gst);
  for (std::size_t i = 0; i < net_.partitions.size(); ++i) {
    if (parted(i, letter)) from = std::max(from, net_.partitions[i].to);
  }
  return from + std::max(net_.delta, takes);
}

// What a scheduler makes of an arrival. It may hold a message until max(sent, gst) + delta.
Ticks Links::scheduled(const Letter& letter, Ticks at, Prng& rng) const {
  using Scheduler = Network::Scheduler;
  const Ticks latest = std::max(at, std::max(letter.sent, net_.gst) + net_.delta);
  const bool seen = std::find(led_.begin(), led_.end(), letter.from) != led_.end();
  switch (net_.scheduler) {
    case Scheduler::kFair:
    case Scheduler::kHunt:  // the engine holds messages back before they come here
      return at;
    case Scheduler::kStarve:
      return letter.anchor ? latest : at;
    case Scheduler::kAdaptive:
      return seen ? latest : at;
    case Scheduler::kRushing:
      return faulty_.contains(letter.from)
                 ? letter.sent + letter.extra + 1
                 : std::max(at, std::min(latest, letter.sent + longest_ + rng.below(kUnit)));
    case Scheduler::kReverse: {
      const Ticks window = 4 * longest_;
      const Ticks begin = letter.sent - letter.sent % window;
      return std::min(latest, std::max(at, begin + 2 * window - letter.sent % window));
    }
  }
  return at;
}

// Whether a partition is between the ends of a letter when it is sent.
bool Links::parted(std::size_t which, const Letter& letter) const {
  const Partition& p = net_.partitions[which];
  const std::uint16_t a = side_[which][letter.from.value];
  const std::uint16_t b = side_[which][letter.to.value];
  const bool between = p.from <= letter.sent && letter.sent < p.to && a != 0 && b != 0 && a != b;
  if (between) met_[which] = true;
  return between;
}

std::vector<std::size_t> Links::idle_partitions() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < met_.size(); ++i) {
    if (!met_[i]) out.push_back(i);
  }
  return out;
}

bool Links::lost_by_partitions(const Letter& letter) const {
  for (std::size_t i = 0; i < net_.partitions.size(); ++i) {
    if (net_.partitions[i].loses && parted(i, letter)) return true;
  }
  return false;
}

Ticks Links::held_by_partitions(const Letter& letter, Ticks at) const {
  const Ticks took = at - letter.sent;
  for (std::size_t i = 0; i < net_.partitions.size(); ++i) {
    if (parted(i, letter)) at = std::max(at, net_.partitions[i].to + took);
  }
  return at;
}

Transit Links::transit(const Letter& letter) const {
  Transit t;
  if (hops(letter.from, letter.to) == 0) return {true, "no path", 0, {}};
  const std::uint64_t link = link_of(letter.from, letter.to);
  Prng rng(seed_ ^ mix64(letter.number), link * 8 + kTransitStream);
  const bool calm = net_.gst > 0 && letter.sent >= net_.gst;
  if (net_.loss_ppm > 0 && !calm && rng.chance_ppm(net_.loss_ppm)) return {true, "loss", 0, {}};
  const LinkRule* own = rule(letter.from, letter.to);
  if (own != nullptr && own->loss_ppm > 0 && !calm && rng.chance_ppm(own->loss_ppm))
    return {true, "loss", 0, {}};
  if (lost_by_partitions(letter)) return {true, "partition", 0, {}};
  const Ticks takes = letter.extra + travel(letter, rng);
  const Ticks overtaken_by = overtaken(rng);
  Ticks at = scheduled(letter, letter.sent + takes + overtaken_by, rng);
  if (letter.withheld) {
    const Ticks latest = std::max(letter.sent, net_.gst) + net_.delta;
    at = std::max(at, letter.hold == 0 ? latest : std::min(latest, at + letter.hold));
  }
  if (net_.cut_ppm > 0 && letter.sent < net_.gst &&
      Prng(seed_, link * 8 + kCutStream).chance_ppm(net_.cut_ppm))
    at += net_.gst - letter.sent;
  at = held_by_partitions(letter, at);
  const std::optional<Ticks> by = promised(letter, takes);
  if (by) at = std::min(at, *by);
  t.at = rounded(letter.sent, at);
  THRESHER_ASSERT(!by || t.at <= on_the_clock(*by),
                  "what is sent at t and not lost arrives by max(t, gst) + Delta");
  if (net_.duplicate_ppm > 0 && rng.chance_ppm(net_.duplicate_ppm)) {
    const Ticks more = travel(letter, rng);
    t.again = rounded(letter.sent, at + more + overtaken(rng));
  }
  return t;
}

}  // namespace thresher::sim

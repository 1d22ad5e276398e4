// Distributed key generation, once in a run, with real keys. Requests have no part in it. A node
// that the fault plan makes a liar may also deal shares that do not fit.
#include "thresher/protocols/coin/dkg.hpp"

#include <algorithm>

#include "broadcast_bounds.hpp"
#include "coins.hpp"
#include "mutation.hpp"
#include "registry.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/crypto/dkg.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/coin/dkg_wire.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

/// Deals shares that do not fit for some nodes, the same ones always, and is honest else.
class BadDealer final : public crypto::DkgScheme {
 public:
  BadDealer(std::shared_ptr<const crypto::DkgScheme> honest, std::uint32_t n, std::uint64_t salt)
      : honest_(std::move(honest)), n_(n), salt_(salt) {}

  std::optional<Bytes> deal() const override {
    auto good = honest_->deal();
    if (!good) return good;
    std::vector<std::byte> bytes(good->view().begin(), good->view().end());
    // Shares are the end of a dealing, as many bytes for each node.
    const std::size_t each = kSecretBytes;
    for (std::uint64_t i = 0; i < n_; ++i) {
      if (mix64(salt_ ^ mix64(i)) % 3 == 0) bytes[bytes.size() - (i + 1) * each] ^= std::byte{1};
    }
    return Bytes::from(std::move(bytes));
  }
  std::uint32_t dealing_bytes() const override { return honest_->dealing_bytes(); }
  bool deals(NodeId node) const override { return honest_->deals(node); }
  std::uint32_t enough_dealings() const override { return honest_->enough_dealings(); }
  std::uint32_t revealers() const override { return honest_->revealers(); }
  crypto::Dealt check(NodeId dealer, ByteView dealing) const override {
    return honest_->check(dealer, dealing);
  }
  Bytes complain(NodeId dealer, ByteView dealing) const override {
    return honest_->complain(dealer, dealing);
  }
  bool judge(NodeId dealer, ByteView dealing, NodeId accuser, ByteView complaint) const override {
    return honest_->judge(dealer, dealing, accuser, complaint);
  }
  Bytes reveal(NodeId dealer, ByteView dealing) const override {
    return honest_->reveal(dealer, dealing);
  }
  bool check_reveal(NodeId dealer, ByteView dealing, NodeId from, ByteView shares) const override {
    return honest_->check_reveal(dealer, dealing, from, shares);
  }
  std::shared_ptr<const crypto::SettledKey> settle(
      std::span<const crypto::ChosenDealing> chosen) const override {
    return honest_->settle(chosen);
  }

 private:
  static constexpr std::size_t kSecretBytes = 32;

  std::shared_ptr<const crypto::DkgScheme> honest_;
  std::uint32_t n_;
  std::uint64_t salt_;
};

struct DkgSubject {
  using Node = Dkg<Avid, CoreSet<BcaAgreement>>;
  static constexpr bool kOrdered = false;

  const Experiment* experiment;
  Committee committee;
  Coins coins;
  crypto::DkgSetup setup;
  NodeSet liars;

  explicit DkgSubject(const Experiment& e)
      : experiment(&e),
        committee(*Committee::make(e.n, e.f)),
        coins(e, committee, kValidity),
        setup{.chain = {{}, e.seed}, .committee = committee},
        liars(e.n) {
    setup.threshold =
        committee.at_least(choice(e, "threshold", "n-f") == "n-f" ? kAvailability : kValidity);
    std::vector<PublicKey> identities;
    for (const NodeId i : node_ids(e.n)) identities.push_back(identity(i).public_key());
    setup.keys = *crypto::dkg_keys_of(identities);
    for (const FaultAction& a : e.faults) {
      if (!byzantine(a.what)) continue;
      for (const NodeId id : a.who) liars.insert(id);
    }
  }

  Digest drawn(std::string_view what, NodeId id) const {
    Writer w;
    w.bytes(as_view(what)).u64(experiment->seed).u16(id.value);
    return hash(w.view());
  }
  crypto::SigningKey identity(NodeId id) const {
    return crypto::SigningKey::from_seed(drawn("thresher/simulated-identity/1", id).bytes);
  }
  Node::Config config_of(NodeId id) const {
    const auto seed = drawn("thresher/simulated-dealing/1", id).bytes;
    Node::Config config{.committee = committee, .self = id, .scheme = {}, .coin = coins.of(id)};
    config.scheme = std::make_shared<crypto::DealtKey>(
        setup, id, crypto::dkg_secret_of(identity(id)), crypto::Secret(seed));
    if (liars.contains(id) && parameter(*experiment, "bad_dealings", 1) != 0) {
      config.scheme = std::make_shared<BadDealer>(config.scheme, experiment->n,
                                                  mix64(experiment->seed ^ id.value));
    }
    return config;
  }
  Node make(NodeId id) const { return Node(config_of(id)); }
  Node::Request request(const Bytes&) const { return {}; }

  MessageFacts facts_of(const Node::Message& message) const {
    constexpr std::string_view kLabels[] = {"acks", "complaint", "reveal", "point"};
    MessageFacts out{.label = message.index() == 1 ? "dealing" : "vote"};
    if (const auto* own = std::get_if<0>(&message)) out.label = kLabels[own->index()];
    const WireParts parts = dkg::encode_message(message);
    out.bytes = static_cast<std::uint32_t>(parts.size());
    return out;
  }
  OutputFacts facts_of(const crypto::GeneratedKey& key) const {
    Writer w;
    w.bytes(key.group);
    for (const crypto::RistrettoPoint& node : key.keys.nodes) w.bytes(node);
    return {0, hash(w.view()), 0, "key"};
  }
  template <class F>
  void payloads(const crypto::GeneratedKey&, std::optional<NodeId>, F) const {}
  bool mutate(Node::Message& message, NodeId, std::string_view field, std::uint64_t salt) const {
    auto* own = std::get_if<0>(&message);
    if (own == nullptr) return false;
    Mutation by(field, salt);
    const NodeId other{static_cast<std::uint16_t>(salt % experiment->n)};
    if (std::holds_alternative<dkg::Acks>(*own) && by.picks("complaint")) {
      *own = dkg::Complaint{other, Bytes::from(std::vector<std::byte>(dkg::kProofBytes))};
      return true;
    }
    return std::visit([&](auto& m) { return change(m, other, by); }, *own);
  }
  std::vector<Bound> bounds(const Node& node) const {
    const Node::Config config = config_of(NodeId{});
    std::vector<Bound> out = broadcast_bounds(node.dealings().footprint(),
                                              Avid::most_held(Node::broadcast_config(config)));
    out.push_back({"complaints, reveals and points", node.ledger().held(),
                   dkg::Ledger::most_held(committee)});
    return out;
  }
  std::uint64_t round(const Node&) const { return 0; }
  std::uint64_t refused(const Node& node) const { return node.refused(); }
  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    const auto done = std::count_if(nodes.begin(), nodes.end(),
                                    [](const Node* node) { return node->ledger().done(); });
    return {{"done", static_cast<double>(done)}};
  }

 private:
  static bool spoil(Bytes& bytes, std::uint64_t salt) {
    if (bytes.empty()) return false;
    std::vector<std::byte> out(bytes.view().begin(), bytes.view().end());
    out[salt % out.size()] ^= std::byte{1};
    bytes = Bytes::from(std::move(out));
    return true;
  }
  static bool change(dkg::Acks& m, NodeId other, Mutation& by) {
    if (!by.picks("acks")) return false;
    if (!m.dealers.erase(other)) m.dealers.insert(other);
    return true;
  }
  static bool change(dkg::Complaint& m, NodeId other, Mutation& by) {
    if (by.picks("complaint")) return spoil(m.proof, by.salt());
    if (!by.picks("dealer")) return false;
    m.dealer = other;
    return true;
  }
  static bool change(dkg::Reveal& m, NodeId, Mutation& by) {
    return by.picks("reveal") && spoil(m.shares, by.salt());
  }
  static bool change(dkg::Point& m, NodeId, Mutation& by) {
    return by.picks("point") && spoil(m.sealed, by.salt());
  }
};

}  // namespace

SubjectEntry subject_dkg() {
  ProtocolInfo info;
  info.name = "dkg";
  info.help = "Distributed key generation: a key shared among all, which nobody ever held";
  info.kind = "coin";
  info.most_nodes = Avid::kMostNodes;
  info.unjudged = {"prefix", "validity", "liveness", "included_within"};
  info.parameters = {
      coin_parameter(),
      {"threshold", std::string("n-f"), 0, 0, "of the key", {"f+1", "n-f"}},
      {"bad_dealings", std::int64_t{1}, 0, 1, "1: liars also deal shares that do not fit"}};
  info.fields = {"acks", "complaint", "dealer", "point", "reveal"};
  return {info, [](const Experiment& e, const RunOptions& o) { return run(DkgSubject(e), e, o); }};
}

}  // namespace thresher::sim

// The examples of net's headers, compiled (held_test.py says how they are found).
// Boost 1.74 uses std::exchange in awaitable.hpp and does not include what declares it.
// clang-format off
#include <utility>
#include <boost/asio/awaitable.hpp>
// clang-format on
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "thresher/core/hex.hpp"
#include "thresher/net/agreement_channel.hpp"
#include "thresher/net/backup.hpp"
#include "thresher/net/beacon.hpp"
#include "thresher/net/broadcast_channel.hpp"
#include "thresher/net/checkpoint.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/client_id.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/coin_stream.hpp"
#include "thresher/net/commit_trace.hpp"
#include "thresher/net/completion.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/disk_store.hpp"
#include "thresher/net/evidence.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/graph_agreement.hpp"
#include "thresher/net/graph_liar.hpp"
#include "thresher/net/incarnation.hpp"
#include "thresher/net/key_generation.hpp"
#include "thresher/net/log_diff.hpp"
#include "thresher/net/log_proof.hpp"
#include "thresher/net/node.hpp"
#include "thresher/net/node_store.hpp"
#include "thresher/net/parameters.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/net/ports.hpp"
#include "thresher/net/receipt_proof.hpp"
#include "thresher/net/replay.hpp"
#include "thresher/net/synced_file.hpp"
#include "thresher/net/transport.hpp"
#include "thresher/net/two_delays.hpp"
#include "thresher/net/wire.hpp"
//

namespace thresher {
namespace {

int fail(const std::string& why);
int fail(const Error& error);
void warn(const std::string& why);
void warn(const Error& error);
void show(NodeId from, std::string_view text);
void use(std::uint64_t position);
void report(const std::string& why);

int channel_example(const crypto::SigningKey& key, const std::vector<net::PeerAddress>& members) {
  // <thresher/net/broadcast_channel.hpp>
  auto channel = broadcast::Channel::join(
      {.key = key, .members = members},
      [](const broadcast::Delivery& d) { show(d.instance.origin, as_text(d.payload.view())); });
  if (!channel) return fail(channel.error());
  if (auto sent = (*channel)->send(as_view("hello")); !sent) warn(sent.error());
  // </>
  return 0;
}

void client_example() {
  // <thresher/net/client.hpp>
  auto client = net::Client::open("net/genesis.json");
  const net::CommitStatus out = (*client)->submit(as_view("hello")).get();
  if (out.committed())
    use(out.receipt.position);
  else
    report(out.why);
  (*client)->subscribe(0, [](const net::Transaction& t) { use(t.position); });
  // </>
}

int commit_trace_example() {
  // <thresher/net/commit_trace.hpp>
  auto records = net::read_commit_trace("net/node0/trace");
  if (!records) return fail(records.error());
  for (const net::TraceRecord& r : *records) use(r.at_us);
  // </>
  return 0;
}

int replay_example() {
  // <thresher/net/replay.hpp>
  auto journal = net::newest_journal("net/node0");
  if (!journal) return fail(journal.error());
  auto again = net::replay_journal(*journal, {"net/genesis.json", "net/node0/coin.key"});
  if (again && again->difference) report(again->difference->recorded);
  // </>
  return 0;
}

void config_example() {
  // <thresher/net/config.hpp>
  auto config = net::load_config("net/node0");
  if (!config)
    for (const Error& e : config.error()) std::cerr << e << '\n';
  // </>
}

int disk_store_example(std::span<const Persist> records) {
  // <thresher/net/disk_store.hpp>
  auto store = net::DiskStore::open("node0/data");
  if (!store) return fail(store.error());
  if (!(*store)->write(records, Sync::kYes)) return fail(*(*store)->problem());
  // </>
  return 0;
}

void genesis_example() {
  // <thresher/net/genesis.hpp>
  auto genesis = net::load_genesis("net/genesis.json");
  // </>
}

int node_example() {
  // <thresher/net/node.hpp>
  struct Kv : net::App {
    Bytes apply(const net::Transaction& t) override { return Bytes::copy_of(t.data); }
    Digest state() const override { return {}; }
  } app;
  auto node = net::Node::open({.home = "net/node0"}, app);
  if (!node) return fail(node.error());
  auto ended = (*node)->run();
  if (!ended) return fail(ended.error());
  // </>
  return 0;
}

}  // namespace

namespace net {
namespace {

void client_id_example(const crypto::SigningKey& key) {
  // <thresher/net/client_id.hpp>
  ClientId id = client_id_of(key.public_key());
  std::puts(to_hex(id.bytes).c_str());
  // </>
}

void codec_example(const dag::Message& message, const ChainContext& chain,
                   std::uint32_t committee_size) {
  // <thresher/net/codec.hpp>
  Frame frame = encode(message);
  Result<dag::Message> again = decode(frame, chain, committee_size);
  // </>
}

void coin_example(Genesis& genesis, const std::vector<std::string>& homes) {
  // <thresher/net/coin.hpp>
  if (needs_coin(genesis.protocol)) (void)deal_coin(genesis, homes);
  auto coin = open_coin(genesis, "node2/coin.key", NodeId{2});
  auto seals = open_encryption(genesis, "node2/coin.key", NodeId{2});
  // </>
}

void incarnation_example(const crypto::SigningKey& key, const Digest& chain,
                         const Incarnation& theirs) {
  // <thresher/net/incarnation.hpp>
  Incarnation mine = signed_incarnation(key, chain, {.count = 7, .nonce = random_nonce()});
  if (!signed_with(key.public_key(), chain, theirs)) warn("not that key's");
  if (excludes(theirs, mine)) warn("the key runs elsewhere");
  // </>
}

void parameters_example(Genesis& genesis) {
  // <thresher/net/parameters.hpp>
  auto fits = check_parameter("sparse-bullshark", "D", "50");
  genesis.parameters["D"] = "50";
  // </>
}

void two_delays_example(const Genesis& genesis) {
  // <thresher/net/two_delays.hpp>
  if (const auto p = fast_of(genesis.parameters, genesis.protocol)) use(*p);  // n - p votes commit
  // </>
}

void ports_example() {
  // <thresher/net/ports.hpp>
  for (const std::uint16_t port : free_ports(4)) use(port);
  // </>
}

void application_example(const Bytes& old_value) {
  // <thresher/net/application.hpp>
  struct Kv : net::App {
    Bytes apply(const net::Transaction& t) override {
      use(t.position);
      return Bytes::copy_of(old_value.view());
    }
    Digest state() const override { return {}; }
    // </>
    explicit Kv(const Bytes& v) : old_value(v) {}
    Bytes old_value;
  };
  use(Kv(old_value).old_value.size());
}

void outcome_example(Client* client) {
  // <thresher/net/commit_status.hpp>
  const net::CommitStatus out = client->submit(as_view("hello")).get();
  if (out.committed())
    use(out.receipt.position);
  else
    report(out.why);
  // </>
}

boost::asio::awaitable<void> completion_example(Node& node, Client& client,
                                                broadcast::Channel& channel) {
  // <thresher/net/completion.hpp>
  net::Receipt r = co_await node.submit(as_view("hello"), boost::asio::use_awaitable);
  net::Receipt s = co_await client.submit(as_view("hi"), boost::asio::use_awaitable,
                                          {.words = net::Words::kQuorum});
  broadcast::Delivery d = co_await channel.next(boost::asio::use_awaitable);
  // </>
  use(r.position + s.position + d.instance.number);
}

void evidence_example(const Genesis& genesis, ByteView bytes) {
  // <thresher/net/evidence.hpp>
  auto found = net::verify_evidence(genesis, bytes);
  if (found) use(found->round.value);
  auto kept = net::load_evidence("node0/data/evidence/node3-round17.json", genesis);
  // </>
}

void receipt_example(Node& node, ByteView data, const Genesis& genesis) {
  // <thresher/net/receipt_proof.hpp>
  Receipt r = node.submit(data, {.prove = Prove::kYes}).get();
  auto place = net::verify_receipt(genesis, r.proof.view(), data);
  // </>
}

std::string synced_file_example(const std::string& path, ByteView content) {
  // <thresher/net/synced_file.hpp>
  if (!write_synced(path, content)) return "cannot write '" + path + "'";
  // </>
  return {};
}

void transport_example(const TransportOptions& options, const TransportCallbacks& callbacks,
                       const Bytes& control, const Bytes& payload) {
  constexpr std::uint8_t kBlock = 1;
  // <thresher/net/transport.hpp>
  Loop loop;
  Transport transport(loop, options, callbacks);
  transport.send(2, {kBlock, control, payload});
  loop.run();
  // </>
}

template <class Link>
void wire_example(Link& link, const Frame& frame) {
  // <thresher/net/wire.hpp>
  link.send({kSubscribe, wire::encode(wire::Subscribe{4}), {}});
  if (const auto log = wire::decode<wire::Log>(frame.control.view())) warn("here it is");
  // </>
}

void use(std::uint64_t instance, std::uint64_t side);
int coin_stream_example(const Genesis& genesis, const crypto::SigningKey& key) {
  // <thresher/net/coin_stream.hpp>
  auto coins = net::CoinStream::begin({.genesis = genesis, .key = key, .folder = "node2/coins"},
                                      [](const net::CoinToss& t) { use(t.instance, t.side); });
  if (!coins) return fail(coins.error());
  // </>
  return 0;
}

void use(const Digest& value);
int beacon_example(const Genesis& genesis, const crypto::SigningKey& key) {
  // <thresher/net/beacon.hpp>
  auto beacon = net::Beacon::begin({.genesis = genesis, .key = key, .coin = "node2/coin.key"},
                                   [](const net::BeaconValue& v) { use(v.value); });
  if (!beacon) return fail(beacon.error());
  // </>
  return 0;
}

void use(const Bytes& value);
int agreement_channel_example(const Genesis& genesis, const crypto::SigningKey& key,
                              const std::string& coin_file) {
  // <thresher/net/agreement_channel.hpp>
  auto channel = agreement::Channel::join({.genesis = genesis, .key = key, .coin = coin_file});
  if (!channel) return fail(channel.error());
  auto launch = (*channel)->agree(0, true);
  auto leader = (*channel)->agree(0, as_view("me"));
  auto guests = (*channel)->collect(0, as_view("me"));
  auto price = (*channel)->approach(0, 1700);
  if (!launch || !leader || !guests || !price) return fail("a question was asked before");
  if (launch->get()) use(leader->get().value);
  // </>
  return 0;
}

int checkpoint_example(Round slot, std::uint64_t length, const Digest& log_hash, const Digest& root,
                       const Digest& state, const crypto::SigningKey& key, NodeId self,
                       const ChainContext& chain, const Genesis& genesis,
                       const Certificate& certificate) {
  // <thresher/net/checkpoint.hpp>
  Checkpoint c{slot, length, log_hash, root, state};
  SignedCheckpoint mine = signed_checkpoint(key, self, chain, c);
  if (auto held = check_certificate(genesis, certificate); !held) return fail(held.error());
  // </>
  return 0;
}

bool save(const crypto::GeneratedKey& key) {
  return !key.keys.nodes.empty();
}

int key_generation_example(const Genesis& genesis, const crypto::SigningKey& key) {
  // <thresher/net/key_generation.hpp>
  auto run = net::KeyGeneration::begin({.genesis = genesis, .key = key, .folder = "node2/dkg"});
  if (!run) return fail(run.error());
  auto made = (*run)->wait(std::chrono::seconds(60));
  if (!made || !save(*made)) return 1;
  (*run)->kept();
  (*run)->linger(std::chrono::seconds(10));
  // </>
  return 0;
}

int graph_agreement_example(const Genesis& genesis, const crypto::SigningKey& key,
                            const digraph::Digraph& graph, std::chrono::system_clock::time_point at,
                            std::chrono::seconds a_while) {
  // <thresher/net/graph_agreement.hpp>
  auto run = net::GraphAgreement::begin({.genesis = genesis,
                                         .key = key,
                                         .graph = graph,
                                         .faults = 1,
                                         .name = "budget",
                                         .value = 70,
                                         .starts = at,
                                         .folder = "node0/digraph"});
  if (!run) return fail(run.error());
  auto decision = (*run)->wait(std::chrono::seconds(60));
  std::this_thread::sleep_for(a_while);
  // </>
  return decision ? 0 : 1;
}

int graph_liar_example(const GraphAgreementOptions& options) {
  // <thresher/net/graph_liar.hpp>
  net::GraphLiar liar(options, 3);
  if (liar.problem()) return fail(*liar.problem());
  liar.await_links(2);
  liar.tell(0, liar.relay(digraph::Phase::kInputs, digraph::content_of(digraph::Value{7})));
  liar.tell(1, liar.relay(digraph::Phase::kInputs, digraph::content_of(digraph::Value{8})));
  // </>
  return 0;
}

int backup_example(const NodeOptions& options_of_node0) {
  // <thresher/net/backup.hpp>
  auto copy = net::back_up(options_of_node0, "backup/node0");
  if (!copy) return fail(copy.error());
  std::cout << copy->length << " transactions\n";
  // </>
  return 0;
}

void log_diff_example(const NodeOptions& options_of_node0, const NodeOptions& options_of_node1) {
  // <thresher/net/log_diff.hpp>
  auto diff = net::diff_logs(options_of_node0, options_of_node1);
  if (diff && diff->result) std::cout << "position " << diff->result->position << "\n";
  // </>
}

int log_proof_example(const std::string& text, const Genesis& genesis) {
  // <thresher/net/log_proof.hpp>
  auto proof = parse_log_proof(text);
  if (!proof) return fail(proof.error());
  const auto held = check_log_proof(genesis, *proof);
  if (!held) return fail(held.error().text());
  // </>
  return 0;
}

void payload_root_example(const Bytes& payload) {
  // <thresher/net/payload_root.hpp>
  DataHashes hashes;
  Digest root = payload_root(payload.view(), &hashes);
  // </>
}

// Passes each call on, and may look at it.
class Measured final : public net::NodeStore {
 public:
  explicit Measured(std::unique_ptr<net::DiskStore> disk);
  Result<Unit> write(std::span<const Persist> batch, Sync sync) override;
  Result<Unit> replay(const std::function<void(const Restored&)>& visit) const override;
  Result<Unit> scan(std::uint32_t table, ByteView from,
                    const std::function<bool(ByteView key, ByteView value)>& visit) const override;
  std::optional<BodyPlace> locate(std::uint32_t table, ByteView key) const override;
  Result<Bytes> read_body(const BodyPlace& place) const override;
  std::vector<BodyPlace> places_of(std::span<const Persist> batch) const override;
  bool mend_body(const BodyPlace& place, ByteView body) override;
  std::uint64_t syncs() const override;
};

void node_store_example(net::NodeOptions& options) {
  // <thresher/net/node_store.hpp>
  options.make_store = [](const net::NodeOptions& o) -> net::StoreOpened {
    auto disk = net::DiskStore::open(o.data);
    if (!disk) return disk.error();
    return std::unique_ptr<net::NodeStore>(new Measured(std::move(*disk)));
  };
  // </>
}

}  // namespace
}  // namespace net
}  // namespace thresher

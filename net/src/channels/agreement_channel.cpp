#include "thresher/net/agreement_channel.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "channels/agreements.hpp"
#include "channels/answers.hpp"
#include "channels/member_links.hpp"
#include "files/disk_problem.hpp"
#include "thresher/core/names.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/coin_file.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::agreement {
namespace {

// Control parts of the largest messages, certificates among them.
constexpr std::size_t kControlBytes = 1u << 20;
constexpr std::size_t kMostValue = 16u << 20;
// Members who chose none are linked as those of before there was a choice.
constexpr const char* kStandardBits = "bca-agreement";
constexpr std::uint32_t kStandardHalvings = 10;
constexpr std::uint32_t kMostHalvings = 62;  // numbers are within 2^62 of zero
static_assert(net::kQuestions <= (~std::uint64_t{0} >> kRoundBits) / PayloadSubset::kMostNodes,
              "the last round of the last question has a coin of its own");

// What a question is about; the first byte of every frame.
enum class About : std::uint8_t { kBit, kBytes, kSubset, kNumber };

// Agreements of one kind: the protocol on links, disk and clock, and what was asked.
template <class Request, class Answer>
struct Side {
  Side(const char* below, std::uint64_t window) : folder(below), answers(window) {}

  const char* folder;  // below the channel's: records of the kinds have the same tables
  std::unique_ptr<net::DiskStore> store;
  std::unique_ptr<net::HostedAgreement<Request>> host;
  net::Answers<Answer> answers;

  void forget() { host->forget_below(answers.floor()); }
};

Digest digest_of(const char* what, const ChannelOptions& o) {
  Transcript t(what, o.genesis.context());
  t.u64(o.name.size()).bytes(as_view(o.name)).u64(o.window).u64(o.value_bytes);
  if (o.bits != kStandardBits) t.u64(o.bits.size()).bytes(as_view(o.bits));
  if (o.halvings != kStandardHalvings) t.u64(o.halvings);
  return t.digest();
}

std::string problem_of(const ChannelOptions& o) {
  const auto n = static_cast<std::uint32_t>(o.genesis.nodes.size());
  const std::uint32_t per_fault = net::bit_nodes_per_fault(o.bits);
  if (per_fault == 0) {
    return unknown_name("binary agreement", o.bits, net::bit_agreement_names());
  }
  const std::uint32_t least = std::max(per_fault, ValueAgreement::kNodesPerFault) * o.genesis.f + 1;
  if (!Committee::make(n, o.genesis.f) || n < least)
    return "the genesis file's " + std::to_string(n) +
           " nodes do not tolerate f = " + std::to_string(o.genesis.f) + " liars; that takes " +
           std::to_string(least);
  if (n > PayloadSubset::kMostNodes)
    return "the genesis file names " + std::to_string(n) + " nodes; a channel has at most " +
           std::to_string(PayloadSubset::kMostNodes);
  if (!o.genesis.coin || !crypto::coin_keys_agree(*o.genesis.coin))
    return "the genesis file holds no coin keys that belong together; make them with thresher dkg "
           "at every node";
  if (o.window < 4 || o.window > coin::kEarlyShares)
    return "window is " + std::to_string(o.window) + "; it must be 4 to " +
           std::to_string(coin::kEarlyShares);
  if (o.value_bytes == 0 || o.value_bytes > kMostValue)
    return "value_bytes is " + std::to_string(o.value_bytes) + "; it must be 1 to " +
           std::to_string(kMostValue);
  if (o.halvings == 0 || o.halvings > kMostHalvings)
    return "halvings is " + std::to_string(o.halvings) + "; it must be 1 to " +
           std::to_string(kMostHalvings);
  if (o.delta_us == 0) return "delta_us is 0; give what a message takes at most, like 20000";
  return {};
}

std::optional<Error> too_large(const std::string& verb, ByteView value, const ChannelOptions& o) {
  if (value.size() <= o.value_bytes) return std::nullopt;
  return Error{ErrorCode::kRejected,
               verb + ": a value of " + std::to_string(value.size()) +
                   " bytes is over value_bytes, which is " + std::to_string(o.value_bytes),
               {},
               "join with a larger one at every member"};
}

}  // namespace

struct Channel::Impl {
  explicit Impl(ChannelOptions o)
      : options(std::move(o)),
        bits("bits", options.window),
        values("values", options.window),
        subsets("subsets", options.window),
        numbers("numbers", options.window) {}
  ~Impl() { links.end(); }

  ChannelOptions options;
  NodeId self{};
  Committee committee = *Committee::make(1, 0);
  std::unique_ptr<crypto::BatchVerifier> verifier;
  net::MemberLinks links;
  Side<Propose, bool> bits;
  Side<mvba::Propose, Agreed> values;
  Side<subset::Submit, std::vector<Agreed>> subsets;
  Side<approximate::Approach, std::int64_t> numbers;
  std::optional<Error> failed{};  // why it does not go on; empty: it does
  std::uint64_t malformed = 0;

  void log(const std::string& line) const {
    if (options.log) return options.log(line);
    (void)std::fprintf(stderr, "agreement: %s\n", line.c_str());
  }
  void fail(const Error& why) {
    failed =
        net::disk_failed(options.folder, why, "nothing is sent any more. Repair it and join again");
    log(failed->text());
  }
  template <class Visit>
  void each_side(Visit visit) {
    visit(bits);
    visit(values);
    visit(subsets);
    visit(numbers);
  }
  void receive(NodeId from, const net::Frame& frame) {
    if (!reads(from, frame)) ++malformed;
  }
  bool reads(NodeId from, const net::Frame& frame) {
    const ByteView control = frame.control.view();
    if (control.empty()) return false;
    switch (static_cast<About>(control[0])) {
      case About::kBit:
        return bits.host->receive(from, frame);
      case About::kBytes:
        return values.host->receive(from, frame);
      case About::kSubset:
        return subsets.host->receive(from, frame);
      case About::kNumber:
        return numbers.host->receive(from, frame);
    }
    return false;
  }
  // An answer is told while its agreement is at work: what is forgotten is its next input.
  template <class SideOf, class Answer>
  void take(SideOf& side, std::uint64_t question, Answer answer) {
    side.answers.take(question, std::move(answer));
    links.loop().post([&side] { side.forget(); });
  }
  template <class Output>
  net::HostLinks<Output> host_links(net::NodeStore* store, std::function<void(Output)> deliver) {
    net::HostLinks<Output> out{
        .committee = committee,
        .self = self,
        .delta_us = options.delta_us,
        .loop = &links.loop(),
        .store = store,
        .verifier = verifier.get(),
        .key = options.key,
        .send = [this](NodeId to, const net::Frame& frame) { (void)links.send(to, frame); },
        .deliver = std::move(deliver),
        .fail = [this](const Error& why) { fail(why); }};
    for (const net::PeerAddress& node : options.genesis.nodes) out.keys.push_back(node.key);
    return out;
  }

  Result<Unit, Error> begin();
  Result<Unit, Error> open_stores();
  void make_hosts(const crypto::Secret<crypto::RistrettoScalar>& share);
  payload_votes::Config payloads(std::shared_ptr<const crypto::CoinScheme> coin) const;
  Result<Unit, Error> restore();

  template <class SideOf, class Request>
  auto ask(const std::string& verb, SideOf& side, std::uint64_t question, Request request)
      -> Result<decltype(side.answers.ask(0)), Error> {
    if (failed) return *failed;
    if (std::string problem = side.answers.problem(question); !problem.empty()) {
      return Error{ErrorCode::kRejected, verb + ": " + problem,
                   "question " + std::to_string(question)};
    }
    auto out = side.answers.ask(question);
    side.host->request(std::move(request));
    side.host->drain();
    return out;
  }
};

Result<Unit, Error> Channel::Impl::begin() {
  if (std::string problem = problem_of(options); !problem.empty())
    return Error{ErrorCode::kRejected, std::move(problem)};
  const auto place = net::place_of(options.key.public_key(), options.genesis.nodes);
  if (!place)
    return Error{ErrorCode::kMismatch,
                 "the key's public half is no node's of the genesis file",
                 {},
                 "give the key of one of them"};
  self = *place;
  committee =
      *Committee::make(static_cast<std::uint32_t>(options.genesis.nodes.size()), options.genesis.f);
  const auto share = crypto::load_coin_share(options.coin);
  if (!share) return share.error();
  if (crypto::ristretto_base(**share) != options.genesis.coin->nodes[self.value])
    return Error{ErrorCode::kMismatch,
                 "the coin share '" + options.coin + "' is not that of node " +
                     std::to_string(self.value) + " of this genesis file",
                 options.coin};
  if (auto opened = open_stores(); !opened) return opened;
  verifier = crypto::make_verifier(crypto::best_verifier());
  auto transport = net::links_of(
      self, options.key, digest_of("thresher/agreement-links/1", options), options.genesis.nodes,
      "the peer's channel is another one; compare the genesis files and what each member's options "
      "name");
  transport.max_frame_bytes = static_cast<std::uint32_t>(options.value_bytes + kControlBytes);
  links.open(
      std::move(transport), [this](NodeId from, const net::Frame& f) { receive(from, f); },
      [this](const std::string& what) { log(what); });
  make_hosts(*share);
  if (const auto restored = restore(); !restored)
    return net::because("'" + options.folder + "'", options.folder, restored.error());
  return links.start();
}

Result<Unit, Error> Channel::Impl::open_stores() {
  if (options.folder.empty()) return Unit{};
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error)
    return Error{code_of_errno(error.value()),
                 "cannot make the folder '" + options.folder + "': " + error.message(),
                 options.folder, "give one that this user may write"};
  Result<Unit, Error> all = Unit{};
  each_side([&](auto& side) {
    if (!all) return;
    auto opened = net::DiskStore::open_checked(options.folder + "/" + side.folder,
                                               [this](const auto& w) { log(w); });
    if (!opened) all = opened.error();
    if (opened) side.store = std::move(*opened);
  });
  return all;
}

payload_votes::Config Channel::Impl::payloads(
    std::shared_ptr<const crypto::CoinScheme> coin) const {
  return {.committee = committee,
          .self = self,
          .coin = std::move(coin),
          .window = options.window,
          .payload_bytes = options.value_bytes,
          .valid = options.valid,
          .chain = {digest_of("thresher/agreement-votes/1", options), 0}};
}

void Channel::Impl::make_hosts(const crypto::Secret<crypto::RistrettoScalar>& share) {
  // Coins of the kinds, and of other networks on the same key, say nothing of each other.
  const auto coin = [&](const char* what) {
    return std::make_shared<crypto::ThresholdCoin>(ChainContext{digest_of(what, options), 0},
                                                   *options.genesis.coin, self, share);
  };
  const auto head = [](About about) { return static_cast<std::uint8_t>(about); };
  bits.host = net::host_bits(
      options.bits, {committee, self, options.window, coin("thresher/agreement-bits/1")},
      head(About::kBit), host_links<Decision>(bits.store.get(), [this](const Decision& d) {
        take(bits, d.instance, d.value);
      }));
  values.host = net::host_values(
      payloads(coin("thresher/agreement-values/1")), head(About::kBytes),
      host_links<mvba::Decision>(values.store.get(), [this](const mvba::Decision& d) {
        take(values, d.instance, Agreed{d.origin, d.value});
      }));
  subsets.host = net::host_subsets(
      payloads(coin("thresher/agreement-subsets/1")), head(About::kSubset),
      host_links<subset::Output>(subsets.store.get(), [this](const subset::Output& out) {
        std::vector<Agreed> entries;
        for (const subset::Entry& e : out.entries) entries.push_back({e.origin, e.payload});
        take(subsets, out.epoch, std::move(entries));
      }));
  numbers.host = net::host_numbers(
      {.committee = committee, .self = self, .rounds = options.halvings, .window = options.window},
      head(About::kNumber),
      host_links<approximate::Estimate>(numbers.store.get(), [this](const auto& e) {
        take(numbers, e.instance, e.values.front());
      }));
}

// Answers that are on disk come again; what is below them was forgotten.
Result<Unit, Error> Channel::Impl::restore() {
  Result<Unit, Error> all = Unit{};
  each_side([&](auto& side) {
    if (all) all = side.host->restore();
    if (all) side.answers.begin_at(side.host->floor());
  });
  return all;
}

Channel::Channel() = default;
Channel::~Channel() = default;

Result<std::unique_ptr<Channel>, Error> Channel::join(ChannelOptions options) {
  std::unique_ptr<Channel> out(new Channel);
  out->impl_ = std::make_unique<Impl>(std::move(options));
  if (const auto begun = out->impl_->begin(); !begun) return net::said_by("join", begun.error());
  return out;
}

Result<std::future<bool>, Error> Channel::agree_bit(std::uint64_t question, bool value) {
  return impl_->links.on_loop([impl = impl_.get(), question, value] {
    return impl->ask("agree", impl->bits, question, Propose{question, value});
  });
}

Result<std::future<Agreed>, Error> Channel::agree(std::uint64_t question, ByteView value) {
  if (const auto problem = too_large("agree", value, impl_->options)) return *problem;
  return impl_->links.on_loop([impl = impl_.get(), question, bytes = Bytes::copy_of(value)] {
    return impl->ask("agree", impl->values, question, mvba::Propose{question, bytes});
  });
}

Result<std::future<std::vector<Agreed>>, Error> Channel::collect(std::uint64_t question,
                                                                 ByteView entry) {
  if (const auto problem = too_large("collect", entry, impl_->options)) return *problem;
  return impl_->links.on_loop([impl = impl_.get(), question, bytes = Bytes::copy_of(entry)] {
    return impl->ask("collect", impl->subsets, question, subset::Submit{question, bytes});
  });
}

Result<std::future<std::int64_t>, Error> Channel::approach(std::uint64_t question,
                                                           std::int64_t number) {
  if (!approximate::decode_values(approximate::encode_values({number}).view(), 1))
    return Error{ErrorCode::kRejected,
                 "approach: " + std::to_string(number) + " is not within 2^62 of zero"};
  return impl_->links.on_loop([impl = impl_.get(), question, number] {
    return impl->ask("approach", impl->numbers, question,
                     approximate::Approach{question, {number}});
  });
}

Result<Unit, Error> Channel::skip_below(std::uint64_t question) {
  if (std::string never = net::no_question(question); !never.empty())
    return Error{ErrorCode::kRejected, "skip_below: " + never,
                 "question " + std::to_string(question)};
  return impl_->links.on_loop([impl = impl_.get(), question]() -> Result<Unit, Error> {
    impl->each_side([&](auto& side) {
      side.answers.begin_at(question);
      side.host->forget_below(question);
    });
    return Unit{};
  });
}

ChannelStatus Channel::status() const {
  return impl_->links.on_loop([impl = impl_.get()] {
    ChannelStatus out{.bits = impl->bits.answers.count(),
                      .values = impl->values.answers.count(),
                      .subsets = impl->subsets.answers.count(),
                      .numbers = impl->numbers.answers.count(),
                      .refused = impl->malformed,
                      .bytes_sent = impl->links.transport().node_bytes_sent(),
                      .links = impl->links.transport().node_links()};
    impl->each_side([&](const auto& side) { out.refused += side.host->refused(); });
    return out;
  });
}

NodeId Channel::self() const {
  return impl_->self;
}

}  // namespace thresher::agreement

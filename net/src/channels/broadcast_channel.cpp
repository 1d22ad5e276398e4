#include "thresher/net/broadcast_channel.hpp"

#include <cstdio>
#include <utility>

#include "channels/broadcast_engine.hpp"
#include "channels/delivery_queue.hpp"
#include "channels/member_links.hpp"
#include "files/disk_problem.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::broadcast {
namespace {

// Control parts of the largest messages, certificates among them.
constexpr std::size_t kControlBytes = 1u << 20;
constexpr std::uint64_t kSecondUs = 1'000'000;

// Members that do not mean the same channel never connect.
ChainContext context_of(const ChannelOptions& o, std::uint32_t f) {
  Transcript t("thresher/channel/1", {});
  for (const std::string* text : {&o.name, &o.protocol}) t.u64(text->size()).bytes(as_view(*text));
  t.u32(f).u32(static_cast<std::uint32_t>(o.members.size()));
  for (const net::PeerAddress& m : o.members) t.bytes(m.key);
  return {t.digest(), 0};
}

}  // namespace

struct Channel::Impl {
  ChannelOptions options;
  Deliver deliver;
  NodeId self;
  std::unique_ptr<net::DiskStore> store;
  std::unique_ptr<crypto::BatchVerifier> verifier;
  net::MemberLinks links;
  std::unique_ptr<net::BroadcastEngine> engine;
  std::uint64_t delivered = 0;
  std::uint64_t missed = 0;     // and not told yet
  bool told_missed = false;     // within the last second
  bool told_full = false;       // and it is full still
  std::optional<Error> failed;  // why it does not go on; empty: it does
  net::DeliveryQueue queue;     // without `deliver`

  Impl(ChannelOptions o, Deliver d, NodeId place)
      : options(std::move(o)), deliver(std::move(d)), self(place), queue(options.origin_bytes) {}
  ~Impl() { links.end(); }

  void log(const std::string& line) const {
    if (options.log) return options.log(line);
    (void)std::fprintf(stderr, "channel: %s\n", line.c_str());
  }
  void take(Delivery d) {
    ++delivered;
    if (deliver) return deliver(d);
    queue.put(std::move(d));
  }
  // Deliveries that nobody takes must not fill the memory. A message that is not taken in is lost
  // as on a bad link: peers say it again, as to any member that lags.
  bool full() {
    if (!queue.full()) return told_full = false;
    if (!std::exchange(told_full, true)) {
      log(std::to_string(queue.size()) +
          " deliveries wait for next(): until the program takes some, this member takes nothing in "
          "and lags behind the others");
    }
    return true;
  }
  // A program that must not miss anything has to know that it did, and what helps the next time.
  // A member that was away misses a little with each answer: that is logged once a second.
  void miss(std::uint64_t count) {
    if (options.missed) options.missed(count);
    missed += count;
    if (!told_missed) tell_missed();
  }
  void tell_missed() {
    told_missed = true;
    (void)links.loop().call_after(kSecondUs, [this] {
      told_missed = false;
      if (missed > 0) tell_missed();
    });
    log(std::to_string(std::exchange(missed, 0)) +
        " payloads were missed: this member was so far behind that the others keep them no more. "
        "Use chained-echo with a folder at every member, or a larger window, origin_bytes and "
        "patience_us");
  }
  void fail(const Error& why) {
    failed =
        net::disk_failed(options.folder, why, "nothing is sent any more. Repair it and join again");
    log(failed->text());
  }

  net::TransportOptions transport_options(const ChainContext& chain) const {
    auto t = net::links_of(
        self, options.key, chain.chain, options.members,
        "the peer's channel is another one: its name, protocol, f, or members differ; compare the "
        "options of both");
    t.max_frame_bytes = static_cast<std::uint32_t>(options.payload_bytes + kControlBytes);
    t.max_queue_bytes = std::max<std::size_t>(t.max_queue_bytes, 2 * options.origin_bytes);
    return t;
  }
  net::BroadcastHost host() {
    return {.loop = &links.loop(),
            .store = store.get(),
            .verifier = verifier.get(),
            .send = [this](NodeId to, const net::Frame& frame) { (void)links.send(to, frame); },
            .deliver = [this](Delivery d) { take(std::move(d)); },
            .missed = [this](std::uint64_t count) { miss(count); },
            .fail = [this](const Error& why) { fail(why); }};
  }
  // The broadcast says again what is lost while links come up.
  Result<Unit, Error> begin() {
    const std::uint32_t f = net::broadcast_faults(options);
    const ChainContext chain = context_of(options, f);
    const auto committee = Committee::make(static_cast<std::uint32_t>(options.members.size()), f);
    if (!options.folder.empty()) {
      auto opened = net::DiskStore::open_checked(options.folder, [this](const auto& w) { log(w); });
      if (!opened) return opened.error();
      store = std::move(*opened);
    }
    verifier = crypto::make_verifier(crypto::best_verifier());
    links.open(
        transport_options(chain),
        [this](NodeId from, const net::Frame& frame) {
          if (!full()) engine->receive(from, frame);
        },
        [this](const std::string& what) { log(what); });
    engine = net::make_engine(options, chain, *committee, self, host());
    if (const auto restored = engine->restore(); !restored)
      return net::because("'" + options.folder + "'", options.folder, restored.error());
    return links.start();
  }
  Result<Unit, Error> send(Bytes payload) {
    if (failed) return *failed;
    if (full())
      return Error{ErrorCode::kBusy, "too many deliveries wait for next(): take some first"};
    if (engine->send(std::move(payload))) return Unit{};
    return Error{
        ErrorCode::kBusy,
        "too much is on the way already: wait for deliveries, or join with a larger window "
        "or origin_bytes"};
  }
};

Channel::Channel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Channel::~Channel() = default;

Result<std::unique_ptr<Channel>, Error> Channel::join(ChannelOptions options, Deliver deliver) {
  if (std::string problem = net::broadcast_problem(options); !problem.empty())
    return Error{ErrorCode::kRejected, "join: " + problem};
  const auto self = net::place_of(options.key.public_key(), options.members);
  if (!self) {
    return Error{ErrorCode::kMismatch,
                 "join: the key's public half belongs to no member",
                 {},
                 "give the key of one of the members"};
  }
  auto impl = std::make_unique<Impl>(std::move(options), std::move(deliver), *self);
  if (const auto begun = impl->begin(); !begun) return net::said_by("join", begun.error());
  return std::unique_ptr<Channel>(new Channel(std::move(impl)));
}

Result<Unit, Error> Channel::send(ByteView payload) {
  const std::size_t most = impl_->options.payload_bytes;
  if (payload.size() > most) {
    return Error{ErrorCode::kRejected,
                 "send: a payload of " + std::to_string(payload.size()) +
                     " bytes is over payload_bytes, which is " + std::to_string(most),
                 {},
                 "split it, or join with a larger one at every member"};
  }
  Bytes bytes = Bytes::copy_of(payload);
  // Inside `deliver` the broadcast is at work: the payload is its next input.
  if (impl_->links.on_loop_thread()) {
    impl_->links.loop().post([impl = impl_.get(), bytes] {
      if (const auto sent = impl->send(bytes); !sent) impl->log("send: " + sent.error().text());
    });
    return Unit{};
  }
  return impl_->links.on_loop([impl = impl_.get(), bytes] { return impl->send(bytes); });
}

std::future<Delivery> Channel::next() {
  auto promise = std::make_shared<std::promise<Delivery>>();
  auto out = promise->get_future();
  impl_->queue.take([promise](std::optional<Delivery> d) {
    if (d)
      promise->set_value(std::move(*d));
    else
      promise->set_exception(std::make_exception_ptr(ChannelEnded()));
  });
  return out;
}

void Channel::next(OnDelivery taker) {
  impl_->queue.take(std::move(taker));
}

ChannelStatus Channel::status() const {
  return impl_->links.on_loop([impl = impl_.get()] {
    return ChannelStatus{.delivered = impl->delivered,
                         .refused = impl->engine->refused(),
                         .bytes_sent = impl->links.transport().node_bytes_sent(),
                         .skipped = impl->engine->skipped(),
                         .syncs = impl->store ? impl->store->syncs() : 0,
                         .ready = impl->queue.size(),
                         .links = impl->links.transport().node_links(),
                         .open = impl->engine->open()};
  });
}

NodeId Channel::self() const {
  return impl_->self;
}

}  // namespace thresher::broadcast

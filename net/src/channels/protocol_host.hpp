// Any protocol on links, disk and clock. Private to net/.
//
//   struct Codec { static Frame frame_of(const Message&); std::optional<Message> read(const
//   Frame&);
//                  static std::uint32_t stored(std::uint32_t table); ... };
//   ProtocolHost<Beacon, Codec> host(Beacon(...), Codec(...), links);
//   host.restore(); host.receive(NodeId{2}, frame); host.request({...});
//
// Guarantees: those of Executor: what waits for a record leaves when it is durable; all records of
// inputs that wait together are one write. Signatures that wait together are verified together. On
// the loop's thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/disk_problem.hpp"
#include "thresher/core/error.hpp"
#include "thresher/core/executor.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/net/node_store.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

/// What a protocol is hosted with. Times are in microseconds.
template <class Output>
struct HostLinks {
  Committee committee = *Committee::make(4, 1);
  NodeId self{};
  std::uint64_t delta_us = 20'000;
  Loop* loop = nullptr;
  NodeStore* store = nullptr;                 ///< null: nothing is kept
  crypto::BatchVerifier* verifier = nullptr;  ///< null: the protocol verifies no signatures
  crypto::SigningKey key = crypto::SigningKey::generate();
  std::vector<PublicKey> keys{};  ///< of all members, by id
  std::function<void(NodeId, const Frame&)> send;
  std::function<void(Output)> deliver;
  std::function<void(const Accuse&)> accuse{};
  /// Sees records before they are written, and may add to them.
  std::function<void(std::vector<Persist>&)> note{};
  /// A timer has fired, and the protocol is about to be told.
  std::function<void()> fires{};
  /// After the inputs that waited were stepped.
  std::function<void()> stepped{};
  /// The disk failed: nothing goes on.
  std::function<void(const Error&)> fail;
};

/// What nobody else knows, another at each call: the seed of a fresh key is what the operating
/// system's generator gave.
inline Digest fresh_entropy() {
  return hash(crypto::SigningKey::generate().seed());
}

template <Protocol P, class Codec>
class ProtocolHost {
 public:
  using Message = typename P::Message;
  using Output = typename P::Output;
  using Input = InputOf<P>;

  ProtocolHost(P protocol, Codec codec, HostLinks<Output> links)
      : codec_(std::move(codec)), links_(std::move(links)), executor_(std::move(protocol), *this) {}

  /// Reads what the store holds; `mended()` is called once it is read. Then begins. kCorrupt or
  /// kIo: what is wrong with the store.
  template <class Mended>
  Result<Unit, Error> restore(Mended mended) {
    if (auto read = read_store(); !read) return read;
    if (links_.store != nullptr && !mended())
      return Error{ErrorCode::kIo, "its archive cannot be written"};
    // Peers who know a seed know what is thrown from it.
    inputs_.push_back(Start{fresh_entropy().prefix()});
    drain();
    return Unit{};
  }
  /// False when the frame is malformed. After the disk failed all frames are dropped: peers go on
  /// sending, and nothing would ever take theirs from here.
  bool receive(NodeId from, const Frame& frame) {
    if (failed_) return true;
    auto message = codec_.read(frame);
    if (!message) return false;
    inputs_.push_back(Received<Message>{from, std::move(*message)});
    // Frames that came in one read are handled together, for one write of the disk.
    if (!std::exchange(scheduled_, true)) links_.loop->post([this] { drain(); });
    return true;
  }
  void request(typename P::Request request) {
    drain();
    step_all({Requested<typename P::Request>{std::move(request)}});
  }
  void drain() {
    scheduled_ = false;
    while (!failed_ && (!inputs_.empty() || !checks_.empty())) {
      answer_checks();
      step_all(std::exchange(inputs_, {}));
    }
    if (failed_) forget();
    if (links_.stepped) links_.stepped();
  }
  const P& protocol() const { return executor_.protocol(); }

  // What the executor asks for.
  void send(NodeId to, const Message& m) { links_.send(to, codec_.frame_of(m)); }
  void broadcast(const Message& m) {
    const Frame frame = codec_.frame_of(m);
    for (const NodeId k : node_ids(links_.committee.size())) {
      if (k != links_.self) links_.send(k, frame);
    }
  }
  void deliver(Output output) { links_.deliver(std::move(output)); }
  void arm(TimerId id, Delay after) {
    cancel(id);
    timers_[id] = links_.loop->call_after(after.value * links_.delta_us / 1000, [this, id] {
      timers_.erase(id);
      if (links_.fires) links_.fires();
      inputs_.push_back(Expired{id});
      drain();
    });
  }
  void cancel(TimerId id) {
    const auto at = timers_.find(id);
    if (at == timers_.end()) return;
    links_.loop->cancel(at->second);
    timers_.erase(at);
  }
  void persist(std::vector<Persist> records, std::uint64_t barrier) {
    for (Persist& record : records) record.table = Codec::stored(record.table);
    if (links_.note) links_.note(records);
    const Sync sync = barrier != 0 ? Sync::kYes : Sync::kNo;
    if (links_.store != nullptr && !failed_ && !links_.store->write(records, sync)) {
      failed_ = true;
      links_.fail(write_error(*links_.store));
    }
    durable_ = std::max(durable_, barrier);
  }
  void verify(const Verify& v) {
    checks_.push_back({v.ticket, jobs_.size(), 1});
    add_job(v.signer, v.digest, v.signature);
  }
  void verify(const VerifyAll& v) {
    checks_.push_back({v.ticket, jobs_.size(), v.list->signatures.size()});
    v.list->for_each([&](NodeId signer, const Signature& s) { add_job(signer, v.digest, s); });
  }
  void endorse(const Endorse& e) {
    inputs_.push_back(Endorsed{e.ticket, links_.key.sign(e.digest.bytes)});
  }
  void accuse(const Accuse& a) {
    if (links_.accuse) links_.accuse(a);
  }

 private:
  Result<Unit, Error> read_store() {
    if (links_.store == nullptr) return Unit{};
    Result<Unit> bodies = Unit{};
    const auto read = links_.store->replay([&](const Restored& record) {
      Restored whole = record;
      const auto place = links_.store->locate(record.table, record.key.view());
      auto body = place ? links_.store->read_body(*place) : Result<Bytes>(Bytes{});
      if (!body) bodies = body.error();
      if (body) whole.body = std::move(*body);
      whole.table = Codec::restored(whole.table);
      inputs_.push_back(std::move(whole));
    });
    if (!read) return read_error("its records", read.error(), {});
    if (!bodies) return read_error("a record's payload", bodies.error(), {});
    return Unit{};
  }
  /// One verdict for jobs [first, first + count).
  struct Check {
    Ticket ticket;
    std::size_t first = 0;
    std::size_t count = 0;
  };

  void add_job(NodeId signer, const Digest& digest, const Signature& signature) {
    digests_.push_back(Bytes::copy_of(digest.bytes));
    jobs_.push_back({links_.keys[signer.value], digests_.back().view(), signature});
  }
  void step_all(const std::vector<Input>& inputs) {
    if (failed_) return;
    executor_.run(inputs);
    if (!failed_) executor_.persisted(durable_);
  }
  void forget() {
    inputs_.clear();
    checks_.clear();
    jobs_.clear();
    digests_.clear();
  }
  void answer_checks() {
    if (checks_.empty()) return;
    std::vector<crypto::SignatureStatus> verdicts(jobs_.size());
    links_.verifier->verify(jobs_, verdicts);
    for (const Check& c : checks_) {
      bool ok = c.count > 0;
      for (std::size_t k = c.first; k < c.first + c.count; ++k)
        ok = ok && verdicts[k] == crypto::SignatureStatus::kValid;
      inputs_.push_back(Verified{c.ticket, ok});
    }
    checks_.clear();
    jobs_.clear();
    digests_.clear();
  }

  Codec codec_;
  HostLinks<Output> links_;
  std::vector<Input> inputs_;
  std::vector<Check> checks_;
  std::vector<crypto::SignatureJob> jobs_;
  std::vector<Bytes> digests_;  // that jobs_ point into
  std::map<TimerId, std::uint64_t> timers_;
  std::uint64_t durable_ = 0;
  bool scheduled_ = false;
  bool failed_ = false;
  Executor<P, ProtocolHost> executor_;
};

}  // namespace thresher::net

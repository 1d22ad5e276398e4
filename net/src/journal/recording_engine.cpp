#include "journal/recording_engine.hpp"

#include <utility>

namespace thresher::net {
namespace {

using journal::EntryKind;

/// Both ends of an engine: the calls into it, and its own calls into the host.
class RecordingEngine final : public OrderEngine, private EngineHost {
 public:
  RecordingEngine(const MakeEngine& make, EngineHost& host,
                  std::unique_ptr<journal::JournalWriter> writer)
      : host_(host), writer_(std::move(writer)), engine_(make(*this)) {}

  bool receive(NodeId from, const Frame& frame) override {
    note(EntryKind::kReceive, journal::call::receive, from, frame);
    return returns(engine_->receive(from, frame));
  }
  bool push(HostInput input) override {
    if (std::holds_alternative<Start>(input)) writer_->keep();
    note(journal::call::kind_of(input), journal::call::input, input);
    return returns(engine_->push(std::move(input)));
  }
  void submit(Bytes payload, const Digest& root, const std::optional<Digest>& replaces) override {
    note(EntryKind::kSubmit, journal::call::submit, payload, root, replaces);
    engine_->submit(std::move(payload), root, replaces);
    returns();
  }
  // A host asks again and again whether there is something to do: where there was nothing, nothing
  // is written, and a replay that leaves the call out is the same.
  bool run() override {
    run_begins_ = true;
    const bool any = engine_->run();
    if (any) begun();
    if (!std::exchange(run_begins_, false)) add(EntryKind::kReturn, journal::returned(any));
    writer_->flush();
    return any;
  }
  void persisted(std::uint64_t barrier) override {
    note(EntryKind::kPersisted, journal::call::persisted, barrier);
    engine_->persisted(barrier);
    returns();
  }
  void adopt(const Commit& commit, Stored stored) override {
    note(EntryKind::kAdopt, journal::call::adopt, commit, stored);
    engine_->adopt(commit, stored);
    returns();
  }
  std::vector<Persist> take_progress(Round slot) override {
    note(EntryKind::kTakeProgress, journal::call::take_progress, slot);
    return returns(engine_->take_progress(slot));
  }
  std::vector<Persist> entry_of(const Commit& commit,
                                const std::vector<Persist>& progress) override {
    note(EntryKind::kEntryOf, journal::call::entry_of, commit, progress);
    return returns(engine_->entry_of(commit, progress));
  }
  std::vector<Persist> records_of(const Commit& commit) override {
    note(EntryKind::kRecordsOf, journal::call::records_of, commit);
    return returns(engine_->records_of(commit));
  }
  void remember(NodeId peer, const Pledge& pledge) override {
    note(EntryKind::kRemember, journal::call::remember, peer, pledge);
    engine_->remember(peer, pledge);
    returns();
  }

  bool wants_bodies() const override { return engine_->wants_bodies(); }
  bool adopts() const override { return engine_->adopts(); }
  Round noted() const override { return engine_->noted(); }
  bool notes_progress() const override { return engine_->notes_progress(); }
  std::uint64_t window() const override { return engine_->window(); }
  Bytes prove(Round slot, const OrderedBlock& block) const override {
    return engine_->prove(slot, block);
  }
  std::size_t pending_submits() const override { return engine_->pending_submits(); }
  bool extends() const override { return engine_->extends(); }
  bool hashes_payloads() const override { return engine_->hashes_payloads(); }
  EngineSample sample() const override { return engine_->sample(); }
  Round spoke_of(NodeId peer) const override { return engine_->spoke_of(peer); }
  bool hears(NodeId peer) const override { return engine_->hears(peer); }
  Pledge pledge() const override { return engine_->pledge(); }
  Pledge pledge_of(NodeId peer) const override { return engine_->pledge_of(peer); }
  Bytes last_signed(NodeId author) const override { return engine_->last_signed(author); }
  std::optional<LastSigned> read_signed(const Bytes& bytes) const override {
    return engine_->read_signed(bytes);
  }
  std::uint32_t quorum() const override { return engine_->quorum(); }
  RecordName record_of(const OrderedBlock& b) const override { return engine_->record_of(b); }
  std::uint32_t clock_witnesses() const override { return engine_->clock_witnesses(); }
  std::size_t payload_limit() const override { return engine_->payload_limit(); }

 private:
  void send(NodeId to, const Frame& frame) override {
    note(EntryKind::kSend, journal::asked::send, to, frame);
    host_.send(to, frame);
  }
  void broadcast(const Frame& frame) override {
    note(EntryKind::kBroadcast, journal::asked::broadcast, frame);
    host_.broadcast(frame);
  }
  void deliver(Commit commit) override {
    note(EntryKind::kDeliver, journal::asked::deliver, commit);
    host_.deliver(std::move(commit));
  }
  void arm(TimerId id, Delay d) override {
    note(EntryKind::kArm, journal::asked::arm, id, d);
    host_.arm(id, d);
  }
  void cancel(TimerId id) override {
    note(EntryKind::kCancel, journal::asked::cancel, id);
    host_.cancel(id);
  }
  void persist(std::vector<Persist> records, std::uint64_t barrier) override {
    note(EntryKind::kPersist, journal::asked::persist, records, barrier);
    host_.persist(std::move(records), barrier);
  }
  void verify(const Verify& v, std::optional<NodeId> from) override {
    note(EntryKind::kVerify, journal::asked::verify, v, from);
    host_.verify(v, from);
  }
  void verify(const VerifyAll& v, std::optional<NodeId> from) override {
    note(EntryKind::kVerifyAll, journal::asked::verify_all, v, from);
    host_.verify(v, from);
  }
  void endorse(const Endorse& e) override {
    note(EntryKind::kEndorse, journal::asked::endorse, e);
    host_.endorse(e);
  }
  void accuse(const Accuse& a) override {
    note(EntryKind::kAccuse, journal::asked::accuse, a);
    host_.accuse(a);
  }
  void broken(const std::string& what) override {
    note(EntryKind::kBroken, journal::asked::broken, what);
    writer_->keep();
    writer_->flush();
    // One that ended before this, as on a full disk, does not show it.
    const bool kept = writer_->on();
    host_.broken(kept ? what + "; `thresher node replay` shows it again, from " + writer_->path()
                      : what);
  }
  void refused(NodeId from, std::uint64_t times) override {
    note(EntryKind::kRefused, journal::asked::refused, from, times);
    host_.refused(from, times);
  }
  Digest root_of(ByteView payload) override { return host_.root_of(payload); }
  std::optional<Bytes> payload_of(const RecordName& record, const Digest& root) const override {
    auto answer = host_.payload_of(record, root);
    if (writer_->on())
      add(EntryKind::kRead,
          journal::asked::with_answer(journal::asked::read(record, root), answer));
    return answer;
  }

  void begun() const {
    if (std::exchange(run_begins_, false)) writer_->add(EntryKind::kRun, {});
  }
  void add(EntryKind kind, const journal::Body& body) const {
    begun();
    writer_->add(kind, body);
  }
  /// A journal that has ended costs nothing: what would stand in it is not made.
  template <class Encode, class... Args>
  void note(EntryKind kind, Encode encode, const Args&... args) const {
    if (writer_->on()) add(kind, encode(args...));
  }
  void returns() { add(EntryKind::kReturn, journal::returned()); }
  template <class R>
  R returns(R result) {
    if (writer_->on()) add(EntryKind::kReturn, journal::returned(result));
    return result;
  }

  EngineHost& host_;
  std::unique_ptr<journal::JournalWriter> writer_;
  std::unique_ptr<OrderEngine> engine_;
  mutable bool run_begins_ = false;  // run() was called, and nothing has followed yet
};

}  // namespace

std::unique_ptr<OrderEngine> make_recorded(const MakeEngine& make, EngineHost& host,
                                           std::unique_ptr<journal::JournalWriter> writer) {
  if (writer == nullptr) return make(host);
  return std::make_unique<RecordingEngine>(make, host, std::move(writer));
}

}  // namespace thresher::net

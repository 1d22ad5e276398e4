#include "journal/replay_run.hpp"

#include <algorithm>
#include <utility>

#include "journal/entries.hpp"

namespace thresher::net {
namespace {

using journal::EntryKind;

/// The host of a protocol that does again what a journal says: it checks what it is asked for, and
/// makes the calls that the host of then made meanwhile.
class Replay final : private EngineHost {
 public:
  Replay(journal::JournalReader& reader, const OnEntry& on_entry, Replayed& out)
      : reader_(reader), on_entry_(on_entry), out_(out) {}

  void run(const MakeEngine& make) {
    engine_ = make(*this);
    while (goes_on() && reader_.peek() != nullptr) {
      if (journal::is_end(reader_.peek()->kind)) break;
      call();
    }
    end();
  }

 private:
  void end() {
    const auto* mark = goes_on() ? reader_.peek() : nullptr;
    out_.end = Replayed::End::kCut;
    if (mark != nullptr && mark->kind == EntryKind::kClosed) out_.end = Replayed::End::kClosed;
    if (mark != nullptr && mark->kind == EntryKind::kFull) out_.end = Replayed::End::kFull;
    if (mark != nullptr && mark->kind == EntryKind::kDisk) {
      out_.end = Replayed::End::kDisk;
      out_.disk = journal::disk_failure(mark->body);
    }
    if (out_.difference || reader_.damage().empty()) return;
    out_.end = Replayed::End::kDamaged;
    out_.damage = reader_.damage();
  }
  bool goes_on() const { return !out_.difference && !ended_; }

  journal::JournalReader::Entry take() {
    auto entry = reader_.take();
    if (on_entry_) on_entry_(reader_.taken(), depth_, journal::describe(entry.kind, entry.body));
    return entry;
  }
  void differs(const std::string& recorded, const std::string& now) {
    out_.difference = Replayed::Difference{reader_.taken() + 1, recorded, now};
  }

  // One call, with all that follows from it.
  void call() {
    const auto entry = take();
    const std::string words = journal::describe(entry.kind, entry.body);
    if (!journal::is_call(entry.kind)) return differs(words, "nothing: no call asks for it");
    ++out_.calls;
    ++depth_;
    const auto result = journal::make_call(entry.kind, entry.body, *engine_);
    --depth_;
    if (!result) return differs(words, "a call that cannot be read");
    if (!goes_on()) return;
    const auto* end = reader_.peek();
    if (end == nullptr || journal::is_short(end->kind)) {
      ended_ = end == nullptr;
      return;
    }
    const std::string now = journal::describe(EntryKind::kReturn, *result);
    if (end->kind != EntryKind::kReturn || end->body != *result)
      return differs(journal::describe(end->kind, end->body), now);
    (void)take();
  }

  // Something that the protocol asks for. Gives the entry of then; empty where the replay is over.
  std::optional<journal::JournalReader::Entry> asked(EntryKind kind, const journal::Body& body) {
    if (!goes_on()) return std::nullopt;
    const auto* then = reader_.peek();
    if (then == nullptr || journal::is_short(then->kind)) {
      ended_ = then == nullptr;
      return std::nullopt;
    }
    const bool same = then->kind == kind && then->body.size() >= body.size() &&
                      std::equal(body.begin(), body.end(), then->body.begin());
    if (!same || (kind != EntryKind::kRead && then->body.size() != body.size())) {
      differs(journal::describe(then->kind, then->body), journal::describe(kind, body));
      return std::nullopt;
    }
    ++out_.asked;
    auto entry = take();
    if (kind == EntryKind::kBroken) out_.broken = Replayed::Broken{reader_.taken(), broken_};
    // The host of then called the protocol while it was asked.
    while (goes_on() && reader_.peek() != nullptr && journal::is_call(reader_.peek()->kind)) call();
    return entry;
  }

  void send(NodeId to, const Frame& f) override {
    (void)asked(EntryKind::kSend, journal::asked::send(to, f));
  }
  void broadcast(const Frame& f) override {
    (void)asked(EntryKind::kBroadcast, journal::asked::broadcast(f));
  }
  void deliver(Commit commit) override {
    if (!asked(EntryKind::kDeliver, journal::asked::deliver(commit))) return;
    ++out_.commits;
    out_.last_slot = std::max(out_.last_slot, commit.slot);
  }
  void arm(TimerId id, Delay d) override {
    (void)asked(EntryKind::kArm, journal::asked::arm(id, d));
  }
  void cancel(TimerId id) override { (void)asked(EntryKind::kCancel, journal::asked::cancel(id)); }
  void persist(std::vector<Persist> records, std::uint64_t barrier) override {
    (void)asked(EntryKind::kPersist, journal::asked::persist(records, barrier));
  }
  void verify(const Verify& v, std::optional<NodeId> from) override {
    (void)asked(EntryKind::kVerify, journal::asked::verify(v, from));
  }
  void verify(const VerifyAll& v, std::optional<NodeId> from) override {
    (void)asked(EntryKind::kVerifyAll, journal::asked::verify_all(v, from));
  }
  void endorse(const Endorse& e) override {
    (void)asked(EntryKind::kEndorse, journal::asked::endorse(e));
  }
  void accuse(const Accuse& a) override {
    (void)asked(EntryKind::kAccuse, journal::asked::accuse(a));
  }
  void broken(const std::string& what) override {
    broken_ = what;
    (void)asked(EntryKind::kBroken, journal::asked::broken(what));
  }
  void refused(NodeId from, std::uint64_t times) override {
    (void)asked(EntryKind::kRefused, journal::asked::refused(from, times));
  }
  std::optional<Bytes> payload_of(const RecordName& record, const Digest& root) const override {
    const journal::Body question = journal::asked::read(record, root);
    // The interface says const: a disk does not change by being read. A place in a journal does.
    const auto entry = const_cast<Replay*>(this)->asked(EntryKind::kRead, question);
    return entry ? journal::asked::answer_of(entry->body, question.size()) : std::nullopt;
  }

  journal::JournalReader& reader_;
  const OnEntry& on_entry_;
  Replayed& out_;
  std::unique_ptr<OrderEngine> engine_;
  unsigned depth_ = 0;
  bool ended_ = false;  // in the middle of a call
  std::string broken_;
};

}  // namespace

void replay(const MakeEngine& make, journal::JournalReader& reader, const OnEntry& on_entry,
            Replayed& out) {
  Replay(reader, on_entry, out).run(make);
}

}  // namespace thresher::net

#include "node/safe_start.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "files/advice.hpp"
#include "files/disk_problem.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/net/codec.hpp"
#include "wire/signed_digest.hpp"

namespace thresher::net {
namespace {

/// Between two looks at the answers. Unit: microseconds.
constexpr std::uint64_t kLook = 50'000;
/// Between two notes of what was signed, here and by peers. Unit: microseconds.
constexpr std::uint64_t kNotes = 1'000'000;
/// Looks until the peers that have not answered are asked again, and until the log says so.
constexpr std::uint64_t kAskAgain = 10;
constexpr std::uint64_t kSayAgain = 600;

// A peer wrote it, and a person reads it.
std::string printable(const std::string& address) {
  const bool plain = !address.empty() &&
                     address.find_first_not_of("0123456789abcdefABCDEF.:[]") == std::string::npos;
  return plain ? address : "an address that cannot be read";
}

}  // namespace

SafeStart::SafeStart(NodeBase& node, Hooks hooks)
    : node_(node),
      hooks_(std::move(hooks)),
      sign_once_(node.options.key, node.key.public_key(), node.chain.chain, node.genesis.protocol),
      own_start_(node.committee(), node.key, node.chain.chain) {}

bool SafeStart::frame(NodeId from, const Frame& f) {
  if (f.kind == kWantKnown) {
    tell_known(from);
  } else if (f.kind == kKnown) {
    hear_known(from, f);
  } else if (f.kind == kOtherProcess) {
    hear_other_process(from, f);
  } else if (f.kind == kStarted) {
    note_start(from, f);
  } else if (asking_) {
    asking_->held.hold(from, f);
  } else {
    return false;
  }
  return true;
}

void SafeStart::watch(std::uint64_t now) {
  if (asking_ || now < notes_due_us_) return;
  notes_due_us_ = now + kNotes;
  note_peers();
  if (const auto pledge = durable_pledge_.look(node_.engine->pledge())) sign_once_.note(*pledge);
}

// The store says whose it is, and of which start, before the key is used. Then a used key beside a
// store without that record, or with another one, means lost or old data, and not a crash before
// the first record of the protocol.
Result<Unit, Error> SafeStart::claim_store(bool has_records) {
  const bool memory = node_.options.store == StoreKind::kMemory;
  const Bytes owner = Bytes::copy_of(node_.key.public_key());
  SignOnce::Data data{
      memory ? std::string() : node_.options.data, {}, has_records, node_.engine->pledge()};
  bool foreign = false;
  const auto scanned = node_.store->scan(kOwnerTable, {}, [&](ByteView, ByteView value) {
    data.owned = std::equal(value.begin(), value.end(), owner.view().begin(), owner.view().end());
    foreign = !data.owned;
    return false;
  });
  if (foreign) {
    return Error{ErrorCode::kMismatch,
                 "the data in '" + node_.options.data + "' belong to another key than '" +
                     node_.options.key + "'",
                 node_.options.data, "give this node the folder that was made with its key"};
  }
  if (auto window = check_window(); !window) return window;
  recall_peers(data.last);
  if (node_.options.observe) {
    // No start of the key: peers remember none, and the data stay those of the start before.
    own_start_.begin_observing();
    node_.transport.introduce(own_start_.incarnation());
    return Unit{};
  }
  std::string warning;
  if (std::string problem = sign_once_.open(data, warning); !problem.empty())
    return Error{ErrorCode::kMismatch, std::move(problem), node_.options.data};
  if (std::string problem = sign_once_.begin(); !problem.empty())
    return Error{ErrorCode::kIo, std::move(problem), node_.options.key};
  if (!warning.empty()) node_.say(Level::kWarning, warning);
  own_start_.begin(sign_once_.incarnation(), sign_once_.signed_last());
  node_.transport.introduce(own_start_.incarnation());
  const std::array<Persist, 2> records{
      Persist{kOwnerTable, Bytes::copy_of(as_view("owner")), owner, {}},
      KnownPeers::record_of({node_.self, own_start_.incarnation(), {}})};
  if (scanned && node_.store->write(records, Sync::kYes)) return Unit{};
  Error why = because("cannot write to the store '" + node_.options.data + "'", node_.options.data,
                      write_error(*node_.store));
  if (why.remedy.empty()) why.remedy = "free space or allow it";
  return why;
}

// A block that is older than the protocol keeps is never ordered. So a node that kept more or less
// than its peers, or than itself before, would order something else.
Result<Unit, Error> SafeStart::check_window() const {
  std::optional<std::uint64_t> before;
  (void)node_.store->scan(kWindowTable, {}, [&](ByteView, ByteView value) {
    before = Reader(value).u64();
    return false;
  });
  if (!before || *before == node_.engine->window()) return Unit{};
  return Error{
      ErrorCode::kMismatch,
      "the log in '" + node_.options.data + "' was ordered with limits.gc_rounds = " +
          std::to_string(*before) + ", and now it is " + std::to_string(node_.engine->window()) +
          ". What is ordered depends on it, so it stays as it is for as long as the network lives",
      node_.options.data, "put the old number back into node.toml"};
}

// What this node knew of its peers, and of its own last start.
void SafeStart::recall_peers(std::optional<Incarnation>& own) {
  (void)node_.store->scan(kIncarnationTable, {}, [&](ByteView table_key, ByteView value) {
    const auto known = KnownPeers::read(table_key, value);
    if (!known || known->node.value >= node_.genesis.nodes.size()) return true;
    if (known->node == node_.self) {
      own = known->incarnation;
    } else {
      known_peers_.recall(*known);
      node_.engine->remember(known->node, known->pledge);
    }
    return true;
  });
}

void SafeStart::note_start(NodeId peer, const Frame& f) {
  const auto in = wire::decode<wire::Started>(f.control.view());
  if (!in || !started_with(node_.genesis.nodes[peer.value].key, node_.chain.chain, in->incarnation))
    return node_.conduct.note(peer, Deed::kMalformed);
  known_peers_.started(peer, in->incarnation);
}

void SafeStart::meet(NodeId peer) {
  if (asking_) return ask(peer);
  if (own_start_.said()) say_started(peer);
}

void SafeStart::say_started(NodeId to) {
  (void)node_.transport.send(to.value,
                             {kStarted, wire::encode(wire::Started{*own_start_.said()}), {}});
}

// Lazily: if a crash loses it, other peers know.
void SafeStart::note_peers() {
  std::vector<Persist> records =
      known_peers_.take_records([this](NodeId peer) { return node_.engine->pledge_of(peer); });
  if (!records.empty()) node_.writer->persist(std::move(records), 0);
}

void SafeStart::begin() {
  asking_.emplace(Asking{StartQuestion(node_.committee(), node_.self, node_.engine->quorum())});
  if (node_.options.observe) {
    level_.asks_nobody();
    return node_.say(Level::kInfo, "observes: it follows the log of its peers and signs nothing");
  }
  asking_->question.begin(Loop::now_us());
  hooks_.compare_logs();
  for (std::size_t i = 0; i < node_.genesis.nodes.size(); ++i) {
    ask(NodeId{static_cast<std::uint16_t>(i)});
  }
  watch_answers();
}

// The log first, so that a log that differs is known when the answer about the start comes.
void SafeStart::ask(NodeId peer) {
  if (peer == node_.self || node_.options.observe || asking_->question.has_answer(peer)) return;
  hooks_.ask_log(peer);
  (void)node_.transport.send(peer.value, {kWantKnown, {}, {}});
}

void SafeStart::watch_answers() {
  if (!asking_ || node_.stopped_because) return;
  weigh_answers();
  if (!asking_) return;
  const std::uint64_t look = ++asking_->looks;
  if (look % kAskAgain == 0) {
    for (std::size_t i = 0; i < node_.genesis.nodes.size(); ++i) {
      ask(NodeId{static_cast<std::uint16_t>(i)});
    }
  }
  if (look % kSayAgain == kAskAgain * 4) {
    node_.say(Level::kInfo,
              "asks its peers what they know of its own last messages before it signs: " +
                  std::to_string(asking_->question.answers()) + " have answered, " +
                  std::to_string(asking_->question.needed()) + " must");
  }
  node_.loop.call_after(kLook, [this] { watch_answers(); });
}

// To a peer that starts. The answer holds what is here now: messages of an earlier connection that
// were not read are lost with it.
void SafeStart::tell_known(NodeId to) {
  const Pledge pledge = node_.engine->pledge_of(to);
  wire::Known known{
      {}, pledge.round, pledge.vote, node_.engine->last_signed(to), node_.ledger.slot()};
  if (const auto last = known_peers_.last_start(to)) known.incarnation = *last;
  (void)node_.transport.send(to.value, {kKnown, wire::encode(known), {}});
}

// Empty, or the proof that this node has said more than its disk knows.
std::string SafeStart::proof_against_self(NodeId from, const wire::Known& known) const {
  const std::string who = "node " + std::to_string(from.value);
  if (known.incarnation && own_start_.outdone_by(*known.incarnation)) {
    return who + " has heard of start " + std::to_string(known.incarnation->count) +
           " of this node, of which '" + node_.options.home + "' knows nothing";
  }
  const auto last = node_.engine->read_signed(known.last_signed);
  if (last && !last->held && signs_digest(node_.key.public_key(), last->digest, last->signature)) {
    return who + " holds a block of round " + std::to_string(last->round.value) +
           " that was signed with this node's key and that the disk of '" + node_.options.home +
           "' does not have";
  }
  return {};
}

void SafeStart::hear_known(NodeId from, const Frame& f) {
  const auto known = wire::decode<wire::Known>(f.control.view());
  if (!known) {
    return node_.conduct.note(from, Deed::kMalformed);
  }
  const std::string proof = proof_against_self(from, *known);
  if (!proof.empty()) return node_.halt(node_.words.never_twice(proof));
  if (!asking_) return;
  const bool more = Pledge{known->round, known->vote}.beyond(node_.engine->pledge());
  if (more && !asking_->question.has_answer(from)) {
    node_.say(Level::kWarning,
              "node " + std::to_string(from.value) + " says that this node has voted in round " +
                  std::to_string(known->round) + ", slot " + std::to_string(known->vote) +
                  ", of which the disk knows nothing");
  }
  asking_->question.answer(from, more, known->end);
  weigh_answers();
}

// Another process has this node's key and is connected to a peer. It excludes this start by its own
// signature, or by the word of enough peers; while it has said nothing it was turned away, and only
// a start that has said nothing either gives way.
void SafeStart::hear_other_process(NodeId from, const Frame& f) {
  const auto other = wire::decode<wire::OtherProcess>(f.control.view());
  const auto found =
      other ? own_start_.other_process(from, other->incarnation) : OwnStart::Other::kForged;
  if (found == OwnStart::Other::kForged) return node_.conduct.note(from, Deed::kMalformed);
  (void)node_.transport.send(from.value, {kAlive, {}, {}});
  if (found == OwnStart::Other::kItself) return;
  const std::string what = "another process runs with this key at " + printable(other->address) +
                           ", as node " + std::to_string(from.value) + " sees it (start " +
                           std::to_string(other->incarnation.count) + " of this node; this is " +
                           std::to_string(own_start_.incarnation().count) + ")";
  if (found == OwnStart::Other::kCertain && (asking_ || other->speaks)) {
    return node_.halt(
        Error{ErrorCode::kBusy,
              what + ". One key must never sign twice: stop one of the two. If this one was "
                     "the right one, put its newest data back and start it again",
              node_.options.home});
  }
  if (node_.complaints.fresh(what, Loop::now_us())) node_.say(Level::kWarning, what + "; stop it");
}

void SafeStart::weigh_answers() {
  if (!asking_ || hooks_.log_differs() || node_.stopped_because) return;
  if (!hooks_.has_all()) return;
  switch (asking_->question.next(Loop::now_us())) {
    case StartQuestion::kWaits:
      return;
    case StartQuestion::kRefuse:
      return node_.halt(
          node_.words.never_twice("peers say that this node has voted beyond what the disk of '" +
                                  node_.options.home + "' knows"));
    case StartQuestion::kStart:
      start_engine();
  }
}

// In a process that has just begun, a client may have been told of more by the one before it.
void SafeStart::look_level() {
  if (level_.reached() || asking_) return;
  if (level_.look(node_.ledger.slot(), node_.engine->sample().up_to_date)) hooks_.level();
}

void SafeStart::start_engine() {
  if (std::string problem = sign_once_.sign(); !problem.empty())
    return node_.halt(Error{ErrorCode::kIo, std::move(problem), node_.options.key});
  const auto held = asking_->held.take();
  level_.comes_to(asking_->question.end_of_peers());
  asking_.reset();
  // Not before: a quorum has answered, so the number is theirs too. A node started with a wrong one
  // had no links and ordered nothing, so it may be corrected.
  node_.writer->persist({{kWindowTable,
                          Bytes::copy_of(as_view("window")),
                          Bytes::from(Writer().u64(node_.engine->window()).take()),
                          {},
                          true}},
                        0);
  // Before anything else that is signed. Peers that connect later get it in meet().
  (void)own_start_.sign();
  for (const NodeId i : node_ids(node_.genesis.nodes.size())) {
    if (i != node_.self) say_started(i);
  }
  hooks_.signs();
  // Known to this node alone: a private sampler draws from it.
  const Signature secret =
      node_.key.sign(Transcript("thresher/start/1", node_.chain).digest().bytes);
  (void)node_.engine->push(Start{hash(secret).prefix()});
  for (const auto& [from, f] : held) {
    if (!node_.engine->receive(from, f)) node_.conduct.note(from, Deed::kMalformed);
  }
  node_.pump();
  look_level();
}

}  // namespace thresher::net

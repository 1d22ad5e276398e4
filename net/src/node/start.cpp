// The life of a node up to its first signature: whose the store is, whether it is the newest, what
// the peers know.
#include <algorithm>
#include <array>
#include <span>

#include "files/advice.hpp"
#include "files/disk_problem.hpp"
#include "node/impl.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/net/codec.hpp"
#include "wire/signed_digest.hpp"

namespace thresher::net {
namespace {

/// Between two looks at the answers. Unit: microseconds.
constexpr std::uint64_t kLook = 50'000;
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

// The store says whose it is, and of which start, before the key is used. Then a used key beside a
// store without that record, or with another one, means lost or old data, and not a crash before
// the first record of the protocol.
Result<Unit, Error> Node::Impl::claim_store() {
  const bool memory = options.store == StoreKind::kMemory;
  const Bytes owner = Bytes::copy_of(key.public_key());
  SignOnce::Data data{memory ? std::string() : options.data, {}, has_records, engine->pledge()};
  bool foreign = false;
  const auto scanned = store->scan(kOwnerTable, {}, [&](ByteView, ByteView value) {
    data.owned = std::equal(value.begin(), value.end(), owner.view().begin(), owner.view().end());
    foreign = !data.owned;
    return false;
  });
  if (foreign) {
    return Error{
        ErrorCode::kMismatch,
        "the data in '" + options.data + "' belong to another key than '" + options.key + "'",
        options.data, "give this node the folder that was made with its key"};
  }
  if (auto window = check_window(); !window) return window;
  recall_peers(data.last);
  if (options.observe) {
    // No start of the key: peers remember none, and the data stay those of the start before.
    own_start.begin_observing();
    transport.introduce(own_start.incarnation());
    return Unit{};
  }
  std::string warning;
  if (std::string problem = sign_once.open(data, warning); !problem.empty())
    return Error{ErrorCode::kMismatch, std::move(problem), options.data};
  if (std::string problem = sign_once.begin(); !problem.empty())
    return Error{ErrorCode::kIo, std::move(problem), options.key};
  if (!warning.empty()) say(Level::kWarning, warning);
  own_start.begin(sign_once.incarnation(), sign_once.signed_last());
  transport.introduce(own_start.incarnation());
  const std::array<Persist, 2> records{
      Persist{kOwnerTable, Bytes::copy_of(as_view("owner")), owner, {}},
      KnownPeers::record_of({self, own_start.incarnation(), {}})};
  if (scanned && store->write(records, Sync::kYes)) return Unit{};
  Error why = because("cannot write to the store '" + options.data + "'", options.data,
                      write_error(*store));
  if (why.remedy.empty()) why.remedy = "free space or allow it";
  return why;
}

// A block that is older than the protocol keeps is never ordered. So a node that kept more or less
// than its peers, or than itself before, would order something else.
Result<Unit, Error> Node::Impl::check_window() const {
  std::optional<std::uint64_t> before;
  (void)store->scan(kWindowTable, {}, [&](ByteView, ByteView value) {
    before = Reader(value).u64();
    return false;
  });
  if (!before || *before == engine->window()) return Unit{};
  return Error{
      ErrorCode::kMismatch,
      "the log in '" + options.data + "' was ordered with limits.gc_rounds = " +
          std::to_string(*before) + ", and now it is " + std::to_string(engine->window()) +
          ". What is ordered depends on it, so it stays as it is for as long as the network lives",
      options.data, "put the old number back into node.toml"};
}

// What this node knew of its peers, and of its own last start.
void Node::Impl::recall_peers(std::optional<Incarnation>& own) {
  (void)store->scan(kIncarnationTable, {}, [&](ByteView table_key, ByteView value) {
    const auto known = KnownPeers::read(table_key, value);
    if (!known || known->node.value >= genesis.nodes.size()) return true;
    if (known->node == self) {
      own = known->incarnation;
    } else {
      known_peers.recall(*known);
      engine->remember(known->node, known->pledge);
    }
    return true;
  });
}

void Node::Impl::note_start(NodeId peer, const Frame& f) {
  const auto in = wire::decode<wire::Started>(f.control.view());
  if (!in || !started_with(genesis.nodes[peer.value].key, chain.chain, in->incarnation))
    return conduct.note(peer, Deed::kMalformed);
  known_peers.started(peer, in->incarnation);
}

void Node::Impl::meet(NodeId peer) {
  checkpoints.meet(peer);
  if (starting) return ask(peer);
  if (own_start.said()) say_started(peer);
}

void Node::Impl::say_started(NodeId to) {
  (void)transport.send(to.value, {kStarted, wire::encode(wire::Started{*own_start.said()}), {}});
}

// Lazily: if a crash loses it, other peers know.
void Node::Impl::note_peers() {
  std::vector<Persist> records =
      known_peers.take_records([this](NodeId peer) { return engine->pledge_of(peer); });
  if (!records.empty()) writer->persist(std::move(records), 0);
}

void Node::Impl::begin_start() {
  starting.emplace(Starting{StartQuestion(committee(), self, engine->quorum())});
  if (options.observe) {
    start_level.asks_nobody();
    return say(Level::kInfo, "observes: it follows the log of its peers and signs nothing");
  }
  starting->question.begin(Loop::now_us());
  standing.tick(ledger.slot(), ledger.log_hash(), Loop::now_us());
  for (std::size_t i = 0; i < genesis.nodes.size(); ++i) {
    ask(NodeId{static_cast<std::uint16_t>(i)});
  }
  watch_start();
}

// The log first, so that a log that differs is known when the answer about the start comes.
void Node::Impl::ask(NodeId peer) {
  if (peer == self || options.observe || starting->question.has_answer(peer)) return;
  standing.ask(peer);
  (void)transport.send(peer.value, {kWantKnown, {}, {}});
}

void Node::Impl::watch_start() {
  if (!starting || stopped_because) return;
  weigh_answers();
  if (!starting) return;
  const std::uint64_t look = ++starting->looks;
  if (look % kAskAgain == 0) {
    for (std::size_t i = 0; i < genesis.nodes.size(); ++i) {
      ask(NodeId{static_cast<std::uint16_t>(i)});
    }
  }
  if (look % kSayAgain == kAskAgain * 4) {
    say(Level::kInfo, "asks its peers what they know of its own last messages before it signs: " +
                          std::to_string(starting->question.answers()) + " have answered, " +
                          std::to_string(starting->question.needed()) + " must");
  }
  loop.call_after(kLook, [this] { watch_start(); });
}

// To a peer that starts. The answer holds what is here now: messages of an earlier connection that
// were not read are lost with it.
void Node::Impl::tell_known(NodeId to) {
  const Pledge pledge = engine->pledge_of(to);
  wire::Known known{{}, pledge.round, pledge.vote, engine->last_signed(to), ledger.slot()};
  if (const auto last = known_peers.last_start(to)) known.incarnation = *last;
  (void)transport.send(to.value, {kKnown, wire::encode(known), {}});
}

// Empty, or the proof that this node has said more than its disk knows.
std::string Node::Impl::proof_against_self(NodeId from, const wire::Known& known) const {
  const std::string who = "node " + std::to_string(from.value);
  if (known.incarnation && own_start.outdone_by(*known.incarnation)) {
    return who + " has heard of start " + std::to_string(known.incarnation->count) +
           " of this node, of which '" + options.home + "' knows nothing";
  }
  const auto last = engine->read_signed(known.last_signed);
  if (last && !last->held && signs_digest(key.public_key(), last->digest, last->signature)) {
    return who + " holds a block of round " + std::to_string(last->round.value) +
           " that was signed with this node's key and that the disk of '" + options.home +
           "' does not have";
  }
  return {};
}

void Node::Impl::hear_known(NodeId from, const Frame& f) {
  const auto known = wire::decode<wire::Known>(f.control.view());
  if (!known) {
    return conduct.note(from, Deed::kMalformed);
  }
  const std::string proof = proof_against_self(from, *known);
  if (!proof.empty()) return halt(words.never_twice(proof));
  if (!starting) return;
  const bool more = Pledge{known->round, known->vote}.beyond(engine->pledge());
  if (more && !starting->question.has_answer(from)) {
    say(Level::kWarning, "node " + std::to_string(from.value) +
                             " says that this node has voted in round " +
                             std::to_string(known->round) + ", slot " +
                             std::to_string(known->vote) + ", of which the disk knows nothing");
  }
  starting->question.answer(from, more, known->end);
  weigh_answers();
}

// Another process has this node's key and is connected to a peer. It excludes this start by its own
// signature, or by the word of enough peers; while it has said nothing it was turned away, and only
// a start that has said nothing either gives way.
void Node::Impl::hear_other_process(NodeId from, const Frame& f) {
  const auto other = wire::decode<wire::OtherProcess>(f.control.view());
  const auto found =
      other ? own_start.other_process(from, other->incarnation) : OwnStart::Other::kForged;
  if (found == OwnStart::Other::kForged) return conduct.note(from, Deed::kMalformed);
  (void)transport.send(from.value, {kAlive, {}, {}});
  if (found == OwnStart::Other::kItself) return;
  const std::string what = "another process runs with this key at " + printable(other->address) +
                           ", as node " + std::to_string(from.value) + " sees it (start " +
                           std::to_string(other->incarnation.count) + " of this node; this is " +
                           std::to_string(own_start.incarnation().count) + ")";
  if (found == OwnStart::Other::kCertain && (starting || other->speaks)) {
    return halt(Error{ErrorCode::kBusy,
                      what +
                          ". One key must never sign twice: stop one of the two. If this one was "
                          "the right one, put its newest data back and start it again",
                      options.home});
  }
  if (complaints.fresh(what, Loop::now_us())) say(Level::kWarning, what + "; stop it");
}

void Node::Impl::weigh_answers() {
  if (!starting || standing.suspects() || stopped_because) return;
  if (!log_whole() || !bodiless.empty()) return;
  switch (starting->question.next(Loop::now_us())) {
    case StartQuestion::kWaits:
      return;
    case StartQuestion::kRefuse:
      return halt(words.never_twice("peers say that this node has voted beyond what the disk of '" +
                                    options.home + "' knows"));
    case StartQuestion::kStart:
      start_engine();
  }
}

// In a process that has just begun, a client may have been told of more by the one before it.
void Node::Impl::look_level() {
  if (start_level.reached() || starting) return;
  if (start_level.look(ledger.slot(), engine->sample().up_to_date)) clients.answer_queries();
}

void Node::Impl::start_engine() {
  if (std::string problem = sign_once.sign(); !problem.empty())
    return halt(Error{ErrorCode::kIo, std::move(problem), options.key});
  const auto held = starting->held.take();
  start_level.comes_to(starting->question.end_of_peers());
  starting.reset();
  // Not before: a quorum has answered, so the number is theirs too. A node started with a wrong one
  // had no links and ordered nothing, so it may be corrected.
  writer->persist({{kWindowTable,
                    Bytes::copy_of(as_view("window")),
                    Bytes::from(Writer().u64(engine->window()).take()),
                    {},
                    true}},
                  0);
  // Before anything else that is signed. Peers that connect later get it in meet().
  (void)own_start.sign();
  for (const NodeId i : node_ids(genesis.nodes.size())) {
    if (i != self) say_started(i);
  }
  checkpoints.may_sign();
  // Known to this node alone: a private sampler draws from it.
  const Signature secret = key.sign(Transcript("thresher/start/1", chain).digest().bytes);
  (void)engine->push(Start{hash(secret).prefix()});
  for (const auto& [from, f] : held) {
    if (!engine->receive(from, f)) conduct.note(from, Deed::kMalformed);
  }
  pump();
  look_level();
}

}  // namespace thresher::net

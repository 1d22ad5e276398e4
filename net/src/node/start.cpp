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

/// Frames of the protocol that wait for the start, of one peer. Unit: bytes.
constexpr std::size_t kHeldBytes = 1u << 20;
/// Between two looks at the answers. Unit: microseconds.
constexpr std::uint64_t kLook = 50'000;
/// Looks until the peers that have not answered are asked again, and until the log says so.
constexpr std::uint64_t kAskAgain = 10;
constexpr std::uint64_t kSayAgain = 600;

Bytes key_of(NodeId node) {
  return Bytes::from(Writer().u16(node.value).take());
}

Bytes encode_known(const Incarnation& i, const Pledge& pledge) {
  Writer w;
  w.u64(i.count).bytes(i.nonce).bytes(i.signature).u64(pledge.round).u64(pledge.vote);
  return Bytes::from(w.take());
}

std::optional<std::pair<Incarnation, Pledge>> decode_known(ByteView value) {
  Reader in(value);
  Incarnation i;
  i.count = in.u64();
  const ByteView nonce = in.bytes(i.nonce.size());
  const ByteView signature = in.bytes(i.signature.size());
  const Pledge pledge{in.u64(), in.u64()};
  if (!in.done()) return std::nullopt;
  std::copy(nonce.begin(), nonce.end(), i.nonce.begin());
  std::copy(signature.begin(), signature.end(), i.signature.begin());
  return std::pair(i, pledge);
}

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
    incarnation = signed_incarnation(key, chain.chain, {0, random_nonce(), {}});
    transport.introduce(incarnation);
    return Unit{};
  }
  std::string warning;
  if (std::string problem = sign_once.open(data, warning); !problem.empty())
    return Error{ErrorCode::kMismatch, std::move(problem), options.data};
  if (std::string problem = sign_once.begin(); !problem.empty())
    return Error{ErrorCode::kIo, std::move(problem), options.key};
  if (!warning.empty()) say(Level::kWarning, warning);
  incarnation = signed_incarnation(key, chain.chain, sign_once.incarnation());
  signed_before = sign_once.signed_last();
  transport.introduce(incarnation);
  const std::array<Persist, 2> records{
      Persist{kOwnerTable, Bytes::copy_of(as_view("owner")), owner, {}},
      Persist{kIncarnationTable, key_of(self), encode_known(incarnation, {}), {}}};
  if (scanned && store->write(records, true)) return Unit{};
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
    Reader in(table_key);
    const NodeId node{in.u16()};
    const auto known = decode_known(value);
    if (!in.done() || !known || node.value >= genesis.nodes.size()) return true;
    if (node == self) {
      own = known->first;
    } else {
      peers_known[node] = {known->first, known->second};
      engine->remember(node, known->second);
    }
    return true;
  });
}

// A peer's start that signs is remembered, so that an older start of it learns what came after. One
// that is refused leaves no trace: else the second start of an old copy would be of a count that
// nobody had heard of but from itself, and the newest data would be refused for it.
void Node::Impl::note_start(NodeId peer, const Frame& f) {
  const auto in = wire::decode<wire::Started>(f.control.view());
  if (!in || !started_with(genesis.nodes[peer.value].key, chain.chain, in->incarnation))
    return conduct.note(peer, Deed::kMalformed);
  PeerKnown& known = peers_known[peer];
  if (in->incarnation.count <= known.incarnation.count) return;
  known.incarnation = in->incarnation;
  known.written.reset();
}

void Node::Impl::meet(NodeId peer) {
  checkpoints.meet(peer);
  if (starting) return ask(peer);
  if (started) say_started(peer);
}

void Node::Impl::say_started(NodeId to) {
  (void)transport.send(to.value, {kStarted, wire::encode(wire::Started{*started}), {}});
}

// Lazily: if a crash loses it, other peers know.
void Node::Impl::note_peers() {
  std::vector<Persist> records;
  for (auto& [peer, known] : peers_known) {
    const Pledge pledge = engine->pledge_of(peer);
    if (known.written == pledge) continue;
    known.written = pledge;
    records.push_back(
        {kIncarnationTable, key_of(peer), encode_known(known.incarnation, pledge), {}, true});
  }
  if (!records.empty()) writer->persist(std::move(records), 0);
}

// Records handed to the disk before a barrier are durable when the barrier is.
void Node::Impl::note_pledge() {
  if (pledge_sample && durable_barrier > pledge_sample->barrier) {
    sign_once.note(pledge_sample->pledge);
    pledge_sample.reset();
  }
  if (!pledge_sample) pledge_sample = {engine->pledge(), last_barrier};
}

void Node::Impl::begin_start() {
  starting.emplace(StartQuestion(committee(), self, engine->quorum()));
  if (options.observe) {
    is_level = true;  // it asks nobody
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
  const auto it = peers_known.find(to);
  const Pledge pledge = engine->pledge_of(to);
  wire::Known known{{}, pledge.round, pledge.vote, engine->last_signed(to), ledger.slot()};
  if (it != peers_known.end() && it->second.incarnation.count > 0) {
    known.incarnation = it->second.incarnation;
  }
  (void)transport.send(to.value, {kKnown, wire::encode(known), {}});
}

// Empty, or the proof that this node has said more than its disk knows.
std::string Node::Impl::proof_against_self(NodeId from, const wire::Known& known) const {
  const std::string who = "node " + std::to_string(from.value);
  // Peers know of no start of this folder that signed after the last one. What a start says in
  // its hello proves nothing: it may have ended before it signed.
  if (known.incarnation && !known.incarnation->same_start(incarnation) &&
      excludes(*known.incarnation, starting ? signed_before : incarnation) &&
      started_with(key.public_key(), chain.chain, *known.incarnation)) {
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
  if (!proof.empty()) return halt(never_twice(proof));
  if (!starting) return;
  const bool more = Pledge{known->round, known->vote}.beyond(engine->pledge());
  if (more && !starting->question.has_answer(from)) {
    say(Level::kWarning, "node " + std::to_string(from.value) +
                             " says that this node has voted in round " +
                             std::to_string(known->round) + ", slot " +
                             std::to_string(known->vote) + ", of which the disk knows nothing");
  }
  starting->ends[from] = known->end;
  starting->question.answer(from, more);
  weigh_answers();
}

// Another process has this node's key and is connected to a peer. It excludes this start by its own
// signature, or by the word of enough peers; while it has said nothing it was turned away, and only
// a start that has said nothing either gives way.
void Node::Impl::hear_other_process(NodeId from, const Frame& f) {
  const auto other = wire::decode<wire::OtherProcess>(f.control.view());
  if (!other || !signed_with(key.public_key(), chain.chain, other->incarnation)) {
    return conduct.note(from, Deed::kMalformed);
  }
  (void)transport.send(from.value, {kAlive, {}, {}});
  if (other->incarnation.same_start(incarnation)) return;
  others_told.add(from);
  const std::string what = "another process runs with this key at " + printable(other->address) +
                           ", as node " + std::to_string(from.value) + " sees it (start " +
                           std::to_string(other->incarnation.count) + " of this node; this is " +
                           std::to_string(incarnation.count) + ")";
  const bool certain =
      excludes(other->incarnation, incarnation) || others_told.reached(kValidity, committee());
  if (certain && (starting || other->speaks)) {
    return halt(Error{ErrorCode::kBusy,
                      what +
                          ". One key must never sign twice: stop one of the two. If this one was "
                          "the right one, put its newest data back and start it again",
                      options.home});
  }
  if (complaints.fresh(what, Loop::now_us())) say(Level::kWarning, what + "; stop it");
}

Error Node::Impl::never_twice(const std::string& what) const {
  return {ErrorCode::kMismatch,
          what +
              ": another process runs with this key, or the folder is an old copy. Stop the other "
              "process. " +
              std::string(kKeyMayNotSign),
          options.home};
}

void Node::Impl::weigh_answers() {
  if (!starting || standing.suspects() || stopped_because) return;
  if (!log_whole() || !bodiless.empty()) return;
  switch (starting->question.next(Loop::now_us())) {
    case StartQuestion::kWaits:
      return;
    case StartQuestion::kRefuse:
      return halt(never_twice("peers say that this node has voted beyond what the disk of '" +
                              options.home + "' knows"));
    case StartQuestion::kStart:
      start_engine();
  }
}

// One of kValidity is correct, so that is where the log will come to. Where members only crash,
// fewer may have answered, and each tells the truth.
Round Node::Impl::end_of_peers() const {
  std::vector<Round> ends;
  for (const auto& [peer, end] : starting->ends) ends.push_back(end);
  if (ends.empty()) return Round{0};
  std::ranges::sort(ends, std::greater{});
  return ends[std::min<std::size_t>(committee().at_least(kValidity), ends.size()) - 1];
}

// In a process that has just begun, a client may have been told of more by the one before it.
void Node::Impl::look_level() {
  if (is_level || starting || ledger.slot() < level_at || !engine->sample().up_to_date) return;
  is_level = true;
  answering.at_once();
}

void Node::Impl::start_engine() {
  if (std::string problem = sign_once.sign(); !problem.empty())
    return halt(Error{ErrorCode::kIo, std::move(problem), options.key});
  const auto held = std::move(starting->held);
  level_at = end_of_peers();
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
  started = started_incarnation(key, chain.chain, incarnation);
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

// The protocol begins with the start: what peers say before waits, and what is too much is lost, as
// it would be on the way.
void Node::Impl::hold(NodeId from, const Frame& f) {
  std::size_t& bytes = starting->held_bytes[from];
  if (bytes > kHeldBytes) return;
  bytes += f.control.size() + f.payload.size() + sizeof(Frame);
  starting->held.emplace_back(from, f);
}

}  // namespace thresher::net

// Submissions of a client: sent, acknowledged, refused, compared, given up.
#include <algorithm>
#include <functional>
#include <utility>

#include "client/client_impl.hpp"
#include "thresher/net/checkpoint.hpp"
#include "wire/result_entries.hpp"

namespace thresher::net {
namespace {

/// Until what was refused, and may be on its way through another node, is sent again.
constexpr std::uint64_t kRetry = 500'000;
/// Until a node that puts a submission off again and again gives way.
constexpr int kPutOff = 4;
/// Where one node's proof is enough: until one node's slot is, too. Unit: microseconds.
constexpr std::uint64_t kSlotPatience = 2'000'000;
/// Entries of one frame, at least one. Unit: bytes.
constexpr std::size_t kFrameBytes = 256 * 1024;
/// The refusal of a node that signs nothing.
constexpr const char* kObserving =
    "the node observes: it follows the log and orders nothing; submit it to another node";

CommitStatus committed(std::uint64_t position, std::optional<ApplyResult> result,
                       const Validity& valid) {
  Receipt receipt;
  receipt.position = position;
  receipt.result = std::move(result);
  return {CommitStatus::Kind::kCommitted, std::move(receipt), {}, valid.until.value, {}};
}
CommitStatus refused(Refusal refusal, const Validity& valid, std::string why) {
  return {CommitStatus::Kind::kRefused, {}, refusal, valid.until.value, std::move(why)};
}
CommitStatus unknown(const Validity& valid, const std::string& why) {
  return {CommitStatus::Kind::kUnknown,
          {},
          {},
          valid.until.value,
          why + ": it may still be ordered until slot " + std::to_string(valid.until.value) +
              ", and never after; the log tells (thresher log)"};
}

std::string in_words(const wire::Refused& answer) {
  switch (answer.reason) {
    case Refusal::kTooLarge:
      return "the transaction is larger than the " + std::to_string(answer.limit) +
             " bytes that the node takes: split it, or raise limits.transaction_bytes there";
    case Refusal::kOverloaded:
      return "the node is overloaded: submit less, or later";
    case Refusal::kExpired:
      return "it was not ordered by its last slot, and never will be: submit it again";
    case Refusal::kRejected:
      return answer.text.empty() ? "the application refuses it" : answer.text;
    case Refusal::kObserves:
      return kObserving;
    case Refusal::kTooLate:
      return "the node cannot tell any more whether it was ordered before";
    case Refusal::kTooEarly:
      return "its first slot is ahead of the node's log: the node is behind";
    case Refusal::kUnreachable:  // no node says so
    case Refusal::kMalformed:
      return "the node could not read the submission: do client and node have one release?";
  }
  return {};
}

}  // namespace

void Client::Impl::take(Flight taken, const std::stop_token& stop) {
  if (taken.data.size() > kMostTransaction) {
    return taken.done(refused(Refusal::kTooLarge, {},
                              "the transaction has " + std::to_string(taken.data.size()) +
                                  " bytes, and no node takes more than " +
                                  std::to_string(kMostTransaction) + ": split it"));
  }
  if (taken.words == Words::kQuorum && options.node) {
    return taken.done(refused(Refusal::kUnreachable, {},
                              "this client speaks to one node alone, and the words of f+1 were "
                              "asked for: open it without ClientOptions::node"));
  }
  if (taken.words == Words::kProof && checkpoint_slots(genesis) == 0) {
    return taken.done(refused(Refusal::kUnreachable, {},
                              "this ledger has no checkpoints, so nothing of it can be proved: "
                              "`checkpoint` is 0 in its genesis file; ask for the words of f+1"));
  }
  if (taken.words != Words::kOne && !options.node) want_all();
  taken.taken_us = Loop::now_us();
  const std::uint64_t sequence = next_sequence++;
  Flight& flight = flying.emplace(sequence, std::move(taken)).first->second;
  if (stop.stop_possible()) {
    flight.on_cancel = std::make_unique<StopCallback>(
        stop, [this, sequence] { loop.post([this, sequence] { cancel(sequence); }); });
  }
  if (links[node].welcome && can_send(flight)) send(node, sequence, flight);
}

void Client::Impl::cancel(std::uint64_t sequence) {
  if (const auto it = flying.find(sequence); it != flying.end()) give_up(it, "it was cancelled");
}

// Several transactions with one validity fill a frame; those that other nodes have seen keep
// theirs. A node that is not the one at hand gets those whose words are compared, once one node has
// said that they are ordered, and then it only has to say so, too; or has refused them.
void Client::Impl::send_all(std::size_t to) {
  std::vector<std::byte> entries;
  Validity valid{};
  const auto flush = [&] {
    if (!entries.empty()) submit(to, valid, std::exchange(entries, {}));
  };
  for (auto& [sequence, flight] : flying) {
    if (to != node && flight.said.empty() && flight.against.empty()) continue;
    if (to != node && flight.words != Words::kQuorum) continue;
    if (flight.said.contains(to) || !can_send(flight)) continue;
    stamp(to, flight);
    if (!(flight.valid == valid) || entries.size() > kFrameBytes) flush();
    valid = flight.valid;
    append_entry(sequence, flight.data.view(), entries);
  }
  flush();
}

void Client::Impl::send(std::size_t to, std::uint64_t sequence, Flight& flight) {
  stamp(to, flight);
  std::vector<std::byte> entry;
  append_entry(sequence, flight.data.view(), entry);
  submit(to, flight.valid, std::move(entry));
}

void Client::Impl::submit(std::size_t to, const Validity& valid, std::vector<std::byte> entries) {
  const wire::Submit control{std::pair(valid.since, valid.until), true};
  (void)send(to, {kSubmit, wire::encode(control), Bytes::from(std::move(entries))});
}

// What waited for the slots of f+1 nodes. What the node at hand puts off has a time of its own.
void Client::Impl::send_held() {
  if (!links[node].welcome) return;
  for (auto& [sequence, flight] : flying) {
    if (flight.words == Words::kOne || flight.sent > 0 || flight.put_off > 0) continue;
    if (!can_send(flight)) continue;
    send(node, sequence, flight);
  }
}

// Where one node's word is not enough, f+1 say that they have reached it: a single node that names
// a wrong slot could make a transaction that no node takes, or that the others forget while it
// keeps it. Empty: fewer have named any. For a proof one node that can be reached has to do.
std::optional<Round> Client::Impl::slot_for(const Flight& flight) const {
  const bool waits =
      flight.words == Words::kQuorum || Loop::now_us() - flight.taken_us <= kSlotPatience;
  if (flight.words == Words::kOne || options.node || !waits) return slot;
  std::vector<Round> named;
  for (const Link& l : links) {
    if (l.slot) named.push_back(*l.slot);
  }
  if (named.size() < quorum_of_words()) return std::nullopt;
  std::sort(named.begin(), named.end(), std::greater<>());
  return named[quorum_of_words() - 1];
}

bool Client::Impl::can_send(const Flight& flight) const {
  return flight.sent > 0 || slot_for(flight);
}

// Once sent, its last slot is part of it: a node that orders it by then remembers it.
void Client::Impl::stamp(std::size_t to, Flight& flight) {
  if (flight.words == Words::kQuorum) {
    flight.asked.insert(to);
    const auto word = flight.against.find(to);  // it may take it now
    if (word != flight.against.end() && word->second.reason == Refusal::kOverloaded) {
      flight.against.erase(word);
    }
  }
  if (to != node) return;
  flight.sent_us = Loop::now_us();
  if (flight.sent++ > 0) return;
  const std::uint64_t at = slot_for(flight)->value;
  const std::uint64_t since = at - std::min(at, kSlotsBack);
  flight.valid = {Round{since}, Round{since + kLongestLife}};
}

// From a node of an older release, which tells no results.
void Client::Impl::acknowledged(std::size_t from, const Frame& f) {
  if (const auto in = wire::decode<wire::Ack>(f.control.view())) saw(from, in->slot);
  Reader in(f.payload.view());
  while (in.remaining() >= 16) {
    const std::uint64_t sequence = in.u64();
    said(from, sequence, {in.u64(), {}});
  }
}

void Client::Impl::results(std::size_t from, const Frame& f) {
  if (const auto in = wire::decode<wire::Results>(f.control.view())) saw(from, in->slot);
  each_result(f.payload.view(), [&](std::uint64_t sequence, std::uint64_t position,
                                    std::optional<ApplyResult> result) {
    said(from, sequence, {position, std::move(result)});
  });
}

void Client::Impl::said(std::size_t from, std::uint64_t sequence, Word word) {
  const auto it = flying.find(sequence);
  if (it == flying.end()) return;
  Flight& flight = it->second;
  const auto end_with = [&](const Word& w) {
    resolve(it, committed(w.position, w.result, flight.valid));
  };
  if (flight.words == Words::kOne) return end_with(word);
  if (flight.words == Words::kProof) {
    if (from == node) to_prove(sequence, flight, std::move(word));
    return;
  }
  const bool first = flight.said.empty();
  flight.against.erase(from);
  flight.said[from] = word;
  const auto same = std::count_if(flight.said.begin(), flight.said.end(),
                                  [&](const auto& other) { return other.second == word; });
  if (static_cast<std::size_t>(same) >= quorum_of_words()) return end_with(word);
  if (first) ask_others(from, sequence, flight);
}

// All but those that have it, and have not refused it.
void Client::Impl::ask_others(std::size_t from, std::uint64_t sequence, Flight& flight) {
  for (std::size_t to = 0; to < links.size(); ++to) {
    if (to == from || !links[to].welcome) continue;
    if (!flight.asked.contains(to) || flight.against.contains(to)) send(to, sequence, flight);
  }
}

void Client::Impl::refusals(std::size_t from, const Frame& f) {
  const auto answer = wire::decode<wire::Refused>(f.control.view());
  if (!answer) return;
  saw(from, answer->slot);
  if (answer->reason == Refusal::kObserves && from == node && may_move_on()) {
    return observes(from, *answer, f.payload.view());
  }
  Reader in(f.payload.view());
  while (in.remaining() >= 8) {
    const auto it = flying.find(in.u64());
    if (it == flying.end()) continue;
    if (it->second.words == Words::kQuorum) {
      compare(from, it, *answer);
    } else if (from == node && it->second.said.empty()) {
      refusal(it, *answer);
    } else {
      again_later(from, it->first);  // it is ordered, by another node's word: this one has yet to
    }
  }
}

// One node's refusal is not an outcome where answers are compared: it may lie, and have it ordered.
// The others are asked, with the same slots, so that it counts once.
void Client::Impl::compare(std::size_t from, Flights::iterator it, const wire::Refused& answer) {
  Flight& flight = it->second;
  if (of_earlier_slots(flight, answer)) return again_later(from, it->first);
  const bool first = flight.said.empty() && flight.against.empty();
  flight.said.erase(from);
  flight.against.insert_or_assign(from, answer);
  if (flight.said.empty() && ends(flight, answer.reason)) {
    if (answer.reason == Refusal::kTooLate) return too_late(it);
    return resolve(it, refused(answer.reason, flight.valid, in_words(answer)));
  }
  if (first) ask_others(from, it->first, flight);
  const bool passes = answer.reason == Refusal::kTooEarly ||
                      answer.reason == Refusal::kOverloaded || answer.reason == Refusal::kRejected;
  if (passes || !flight.said.empty()) again_later(from, it->first);
}

// A node that still held the slots before these says "never" of those alone: its own slot shows
// that.
bool Client::Impl::of_earlier_slots(const Flight& flight, const wire::Refused& answer) {
  return flight.renewed && answer.reason == Refusal::kExpired && answer.slot < flight.valid.until;
}

// f+1 alike. A node that is overloaded says nothing of the transaction, so those that may have
// taken it are waited for, too; one that is behind may take it later; and of nodes that observe it
// takes all.
bool Client::Impl::ends(const Flight& flight, Refusal reason) const {
  if (reason == Refusal::kTooEarly) return false;
  const auto same = std::count_if(flight.against.begin(), flight.against.end(),
                                  [&](const auto& one) { return one.second.reason == reason; });
  const std::size_t enough = reason == Refusal::kObserves ? links.size() : quorum_of_words();
  if (static_cast<std::size_t>(same) < enough) return false;
  return reason != Refusal::kOverloaded || flight.against.size() >= flight.asked.size();
}

// f+1 nodes have said so. The slots that they had named may have been old ones: once more, unless a
// node may have had the time to order it before they were over.
void Client::Impl::too_late(Flights::iterator it) {
  Flight& flight = it->second;
  const bool alike = std::all_of(flight.against.begin(), flight.against.end(), [](const auto& one) {
    return one.second.reason == Refusal::kTooLate;
  });
  if (!alike || flight.sent > 1) {
    return resolve(it, unknown(flight.valid,
                               "its slots are over, and the nodes that were asked since remember "
                               "too little to tell whether it was ordered in them"));
  }
  flight.sent = 0;
  flight.renewed = true;
  flight.asked.clear();
  flight.against.clear();
  if (links[node].welcome) send(node, it->first, flight);
}

// The next node is asked at once. A transaction that only this one has seen counts as not sent: it
// gets new slots there, and a refusal there is its outcome. Not where answers are compared: this
// node may lie, and have it ordered in its old slots.
void Client::Impl::observes(std::size_t from, const wire::Refused& answer, ByteView sequences) {
  Reader in(sequences);
  while (in.remaining() >= 8) {
    const auto it = flying.find(in.u64());
    if (it == flying.end()) continue;
    if (it->second.words == Words::kQuorum) {
      compare(from, it, answer);
      continue;
    }
    if (it->second.sent != 1) continue;
    it->second.sent = 0;
    it->second.declined = true;
  }
  failed(from, kObserving);
  move_on();
}

bool Client::Impl::may_move_on() const {
  return !options.node && links.size() > 1;
}

// If another node may have taken it before, this one's word does not refuse it: it goes on until
// its patience ends, unless its last slot is over.
void Client::Impl::refusal(Flights::iterator it, const wire::Refused& answer) {
  Flight& flight = it->second;
  const bool first = flight.sent <= 1;
  if (answer.reason == Refusal::kTooLate) {
    if (!first) {
      return resolve(it, unknown(flight.valid,
                                 "a node that may have taken it went away, and "
                                 "the next one remembers too little to tell"));
    }
    // This node was behind when it said which slot it is: once more, and then now and then.
    flight.sent = 0;
    if (std::exchange(flight.renewed, true)) return put_off(it);
    return send(node, it->first, flight);
  }
  const bool early = answer.reason == Refusal::kTooEarly;  // this node is behind the last one
  if (early || (!first && answer.reason != Refusal::kExpired)) return put_off(it);
  resolve(it, refused(answer.reason, flight.valid, in_words(answer)));
}

// The node at hand may take it later. Another one may take it now.
void Client::Impl::put_off(Flights::iterator it) {
  if (++it->second.put_off < kPutOff || !may_move_on()) return again_later(node, it->first);
  failed(node, "it puts a submission off again and again: the next one is asked");
  move_on();
}

void Client::Impl::again_later(std::size_t to, std::uint64_t sequence) {
  loop.call_after(kRetry, [this, to, sequence] {
    const auto it = flying.find(sequence);
    if (it != flying.end() && links[to].welcome) send(to, sequence, it->second);
  });
}

// Its owner may submit again meanwhile, so it is out of the map before.
void Client::Impl::resolve(Flights::iterator it, const CommitStatus& outcome) {
  if (it->second.words == Words::kProof && !it->second.said.empty()) {
    proving.erase(it->second.said.begin()->second.position);
  }
  const auto flight = flying.extract(it);
  flight.mapped().done(outcome);
}

std::string Client::Impl::contradictions(const Flight& flight) const {
  std::string out = "only " + std::to_string(flight.said.size() + flight.against.size()) +
                    " nodes have answered, or they do not say the same (" +
                    std::to_string(quorum_of_words()) + " have to)";
  for (const auto& [from, word] : flight.said) {
    out += "; node " + std::to_string(from) + ": position " + std::to_string(word.position);
    if (!word.result) out += ", no result";
    if (word.result) out += word.result->failed ? ", failed" : ", a result";
    if (word.result) out += " of " + std::to_string(word.result->bytes.size()) + " bytes";
  }
  for (const auto& [from, answer] : flight.against) {
    out += "; node " + std::to_string(from) + " refuses it: " + in_words(answer);
  }
  return out;
}

CommitStatus Client::Impl::given_up(const Flight& flight, const std::string& why) const {
  if (!flight.said.empty() || !flight.against.empty()) {
    return unknown(
        flight.valid,
        why + ": " + (flight.words == Words::kProof ? unproven(flight) : contradictions(flight)));
  }
  const std::string seen = problem.empty() ? why : why + " (" + problem + ")";
  if (flight.sent == 0 && flight.declined) {
    return refused(Refusal::kObserves, {}, seen + ": no other node took it");
  }
  if (flight.sent == 0) return refused(Refusal::kUnreachable, {}, seen + ": it was never sent");
  return unknown(flight.valid, seen);
}

void Client::Impl::give_up(Flights::iterator it, const std::string& why) {
  resolve(it, given_up(it->second, why));
}

// The node at hand says nothing of what it got, or not even in which slot it is, without which
// nothing is sent to it.
bool Client::Impl::is_silent(std::uint64_t now) const {
  const Link& at = links[node];
  if (!at.welcome)
    return at.up_us != 0 && now - at.up_us > kSilence && !(flying.empty() && questions.empty());
  return std::ranges::any_of(flying, [this, now](const auto& one) {
    const Flight& flight = one.second;
    return flight.sent > 0 && flight.said.empty() && flight.against.empty() &&
           now - std::max(flight.sent_us, at_hand_us) > kSilence;
  });
}

void Client::Impl::tick_submissions(std::uint64_t now) {
  send_held();
  const bool silent = is_silent(now);
  std::vector<std::uint64_t> late;
  for (const auto& [sequence, flight] : flying) {
    if (flight.deadline_us <= now) late.push_back(sequence);
  }
  for (const std::uint64_t sequence : late) {
    if (const auto it = flying.find(sequence); it != flying.end()) give_up(it, "no answer in time");
  }
  if (!silent || !may_move_on()) return;
  failed(node, "it has not answered for " + std::to_string(kSilence / 1'000'000) +
                   " s: the next one is asked");
  move_on();
}

}  // namespace thresher::net

// Proofs that submissions of a client wait for: asked of the node at hand, and checked with the
// genesis file alone.
#include <algorithm>
#include <string_view>
#include <utility>

#include "client/client_impl.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

/// Until a node that had no proof yet is asked again. Unit: microseconds.
constexpr std::uint64_t kProveAgain = 200'000;
/// This much of what a node says in the place of a proof is kept for the outcome. Unit: bytes.
constexpr std::size_t kMostWords = 400;

/// Empty when the proof holds and is of this transaction with this result, or what does not.
std::string problem_of(const Genesis& genesis, const LogProof& proof, const LeafContent& meant,
                       std::uint64_t position, bool result_told) {
  if (proof.position != position) return "it is of position " + std::to_string(proof.position);
  LeafContent proven = proof.content;
  if (!result_told) proven.result = meant.result;
  if (proven.client != meant.client || proven.sequence != meant.sequence ||
      proven.payload != meant.payload) {
    return "it is of another transaction";
  }
  if (proven.result != meant.result) return "it is of another result than the node told";
  const auto held = check_log_proof(genesis, proof);
  return held ? std::string() : held.error().text();
}

}  // namespace

// The word of the node at hand, which has to prove it.
void Client::Impl::to_prove(std::uint64_t sequence, Flight& flight, Word word) {
  if (!flight.said.empty()) return;
  if (!proving.emplace(word.position, sequence).second) {
    return distrust("it puts two transactions at position " + std::to_string(word.position));
  }
  const std::uint64_t position = word.position;
  flight.said.emplace(node, std::move(word));
  flight.said_us = Loop::now_us();
  if (position < certified || position == proving.begin()->first) ask_proof(position, flight);
}

void Client::Impl::ask_proof(std::uint64_t position, Flight& flight) {
  flight.proof_asked_us = Loop::now_us();
  flight.proof_asked = send(node, {kProve, Bytes::from(Writer().u64(position).take()), {}});
}

// All that a certificate covers is asked for at once. Beyond it only the first position is: all the
// others wait for the same checkpoint or a later one, and need not ask whether it is there.
void Client::Impl::ask_proofs(std::uint64_t now) {
  for (const auto& [position, sequence] : proving) {
    if (position >= certified && position != proving.begin()->first) return;
    Flight& flight = flying.at(sequence);
    if (flight.proof_asked || now - flight.proof_asked_us < kProveAgain) continue;
    ask_proof(position, flight);
  }
}

void Client::Impl::proof(std::size_t from, const Frame& f) {
  if (from != node) return;
  Reader in(f.control.view());
  const std::uint64_t position = in.u64();
  const bool proven = in.u8() != 0;
  const ByteView rest = in.bytes(in.remaining());
  const auto at = proving.find(position);
  if (!in.done() || at == proving.end()) return;
  const auto it = flying.find(at->second);
  Flight& flight = it->second;
  flight.proof_asked = false;
  if (!proven) {
    no_proof = as_text(rest).substr(0, kMostWords);
    return;
  }
  const Word& word = flight.said.at(node);
  const LeafContent meant{client_id_of(key.public_key()), it->first,
                          payload_hash(flight.data.view()),
                          word.result ? digest_of(*word.result) : Digest{}};
  const auto found = decode_log_proof(rest, static_cast<std::uint32_t>(links.size()));
  const std::string why = found ? problem_of(genesis, *found, meant, position, !!word.result)
                                : std::string("it cannot be decoded");
  if (!why.empty()) {
    return distrust("its proof of position " + std::to_string(position) + " does not hold: " + why);
  }
  Receipt receipt;
  receipt.position = position;
  receipt.result = word.result;
  receipt.log_proof = Bytes::copy_of(rest);
  resolve(it,
          {CommitStatus::Kind::kCommitted, std::move(receipt), {}, flight.valid.until.value, {}});
  const std::uint64_t length = found->certificate.checkpoint.length;
  if (length <= certified) return;
  certified = length;
  ask_proofs(Loop::now_us());
}

// The node at hand has lied: another one is asked, where any may be.
void Client::Impl::distrust(const std::string& why) {
  if (std::exchange(no_proof, why) != why) failed(node, why);
  if (!options.node && links.size() > 1) return move_on();
  forget_unproven();
  loop.call_after(kProveAgain, [this] {
    if (links[node].welcome) send_all(node);
  });
}

// Unproven statements of the node at hand do not count for the next one, nor for its next link.
void Client::Impl::forget_unproven() {
  const std::uint64_t now = Loop::now_us();
  for (const auto& [position, sequence] : std::exchange(proving, {})) {
    Flight& flight = flying.at(sequence);
    flight.said.clear();
    flight.proof_asked = false;
    flight.sent_us = now;
  }
  certified = 0;
}

void Client::Impl::tick_proofs(std::uint64_t now) {
  if (proving.empty() || !links[node].welcome) return;
  ask_proofs(now);
  const bool late = std::any_of(proving.begin(), proving.end(), [&](const auto& one) {
    return now - flying.at(one.second).said_us > kUnproven;
  });
  if (!late || options.node || links.size() == 1) return;
  problem =
      "node " + std::to_string(node) + " gave no proof" + (no_proof.empty() ? "" : ": " + no_proof);
  move_on();
}

std::string Client::Impl::unproven(const Flight& flight) const {
  const auto& [from, word] = *flight.said.begin();
  return "node " + std::to_string(from) + " says that it is at position " +
         std::to_string(word.position) + ", and has not proved it" +
         (no_proof.empty() ? "" : " (" + no_proof + ")");
}

}  // namespace thresher::net

#include "thresher/protocols/broadcast/avid.hpp"

#include "coded_words.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"

namespace thresher::sim {
namespace {

struct Words : CodedMessages {
  using Broadcast = Avid;
  using CodedMessages::change;
  using CodedMessages::facts;

  static MessageFacts facts(const avid::Disperse& m) {
    return {.label = "send", .round = m.instance.number, .anchor = true};
  }
  // Fragments are what a peer that lacks the payload waits for.
  static MessageFacts facts(const avid::Echo& m) {
    return {.label = "echo", .round = m.instance.number, .answer = true};
  }
  static MessageFacts facts(const avid::Ready& m) {
    return {.label = "ready", .round = m.instance.number};
  }
  // A piece is proved, so a changed one is refused; another payload's pieces are the better lie.
  static bool change(avid::Disperse& m, Mutation by) {
    if (by.picks("payload")) {
      m.piece = other_piece(m.instance, m.piece);
      return true;
    }
    return spoil(m.piece.fragment, by) || by.digest("digest", m.piece.root) ||
           by.number("number", m.instance.number);
  }
  static bool change(avid::Echo& m, Mutation by) {
    return spoil(m.piece.fragment, by) || by.digest("digest", m.piece.root) ||
           by.number("number", m.instance.number);
  }
  static bool change(avid::Ready& m, Mutation by) {
    if (by.picks("holds")) {
      m.holds = !m.holds;
      return true;
    }
    return by.digest("digest", m.root) || by.number("number", m.instance.number);
  }
  static std::uint32_t bytes(const Avid::Message& m) {
    return static_cast<std::uint32_t>(encode(m).size());
  }
  /// A fragment of a broadcast of its own that nobody will finish, as long as one may be.
  static std::vector<Avid::Message> stuff(NodeId id, const Avid::Message& heard, std::uint64_t salt,
                                          const Avid::Config& config) {
    if (!std::holds_alternative<avid::Disperse>(heard)) return {};
    const coded::Fragments fragments(config.committee);
    std::vector<Bytes> cut(fragments.total(),
                           Bytes::from(std::vector<std::byte>(fragments.size(config.payload_bytes),
                                                              static_cast<std::byte>(salt))));
    const avid::Instance instance{id, mix64(salt) % config.window};
    return {avid::Echo{instance, Avid::pieces_of(cut)[id.value]}};
  }

 private:
  // The same place in a root over other fragments: all of them the same, so that whoever makes it
  // needs to know neither the payload nor the committee.
  static avid::Piece other_piece(const avid::Instance& i, const avid::Piece& piece) {
    const std::size_t leaves = std::size_t{1} << piece.proof.size();
    std::vector<Bytes> cut(leaves, Bytes::from(std::vector<std::byte>(
                                       piece.fragment.size(), static_cast<std::byte>(i.number))));
    return Avid::pieces_of(cut).front();
  }
};

}  // namespace

bool mutate_avid(Avid::Message& message, Mutation by) {
  return std::visit([&](auto& m) { return Words::change(m, by); }, message);
}

SubjectEntry subject_avid() {
  return broadcast_entry<Words>("AVID: fragments under a Merkle root in place of copies",
                                {"digest", "fragment", "holds", "number", "payload"});
}

}  // namespace thresher::sim

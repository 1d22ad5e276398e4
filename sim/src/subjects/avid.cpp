#include "thresher/protocols/broadcast/avid.hpp"

#include "coded_words.hpp"
#include "stuffing/avid.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"

namespace thresher::sim {
namespace {

struct AvidWords : CodedMessages {
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
  static std::vector<Avid::Message> stuff(NodeId id, const Avid::Message& heard, std::uint64_t salt,
                                          const Avid::Config& config) {
    const AvidStuffing stuffing{id, config.committee, number_of(heard), config.window,
                                config.payload_bytes};
    return stuff_with(stuffing, heard, salt);
  }

 private:
  // The same place in a root over other fragments: all of them the same, so that to make it a node
  // needs neither the payload nor the committee.
  static avid::Piece other_piece(const avid::Instance& i, const avid::Piece& piece) {
    const std::size_t leaves = std::size_t{1} << piece.proof.size();
    std::vector<Bytes> cut(leaves, Bytes::from(std::vector<std::byte>(
                                       piece.fragment.size(), static_cast<std::byte>(i.number))));
    return Avid::pieces_of(cut).front();
  }
};

}  // namespace

bool mutate_avid(Avid::Message& message, Mutation by) {
  return std::visit([&](auto& m) { return AvidWords::change(m, by); }, message);
}

SubjectEntry subject_avid() {
  return broadcast_entry<AvidWords>("AVID: fragments under a Merkle root in place of copies",
                                    {"digest", "fragment", "holds", "number", "payload"});
}

}  // namespace thresher::sim

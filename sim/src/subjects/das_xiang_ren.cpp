#include "thresher/protocols/broadcast/das_xiang_ren.hpp"

#include "coded_words.hpp"
#include "thresher/protocols/broadcast/das_xiang_ren_wire.hpp"

namespace thresher::sim {
namespace {

struct DasXiangRenWords : CodedMessages {
  using Broadcast = DasXiangRen;
  using CodedMessages::change;
  using CodedMessages::facts;

  static MessageFacts facts(const das_xiang_ren::Propose& m) {
    return {.label = "propose", .round = m.instance.number, .anchor = true};
  }
  static MessageFacts facts(const das_xiang_ren::Echo& m) {
    return {.label = "echo", .round = m.instance.number};
  }
  // Fragments are what a peer that lacks the payload waits for.
  static MessageFacts facts(const das_xiang_ren::Ready& m) {
    return {.label = "ready", .round = m.instance.number, .answer = true};
  }
  static bool change(das_xiang_ren::Propose& m, Mutation by) {
    return by.payload("payload", m.payload) || by.number("number", m.instance.number);
  }
  static bool change(das_xiang_ren::Echo& m, Mutation by) { return change_statement(m, by); }
  static bool change(das_xiang_ren::Ready& m, Mutation by) { return change_statement(m, by); }
  static std::uint32_t bytes(const DasXiangRen::Message& m) {
    return static_cast<std::uint32_t>(encode(m).size());
  }
  /// A broadcast of its own that nobody will finish, as large as one may be.
  static std::vector<DasXiangRen::Message> stuff(NodeId id, const DasXiangRen::Message& heard,
                                                 std::uint64_t salt,
                                                 const DasXiangRen::Config& config) {
    if (!std::holds_alternative<das_xiang_ren::Propose>(heard)) return {};
    std::vector<std::byte> filler(config.payload_bytes, static_cast<std::byte>(salt));
    return {
        das_xiang_ren::Propose{{id, mix64(salt) % config.window}, Bytes::from(std::move(filler))}};
  }

 private:
  template <class Statement>
  static bool change_statement(Statement& m, Mutation by) {
    return spoil(m.fragment, by) || by.digest("digest", m.hash) ||
           by.number("number", m.instance.number);
  }
};

}  // namespace

SubjectEntry subject_das_xiang_ren() {
  return broadcast_entry<DasXiangRenWords>(
      "Das, Xiang and Ren's broadcast: fragments under a hash, wrong ones corrected",
      {"digest", "fragment", "number", "payload"});
}

}  // namespace thresher::sim

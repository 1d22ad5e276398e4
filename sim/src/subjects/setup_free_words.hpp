// Messages of the setup-free coin in the simulator, alone and inside the committees of another one.
//
//   const SetupFreeWords words{n, rounds};
//   MessageFacts facts = words.facts_of(message);
//   bool changed = words.change(message, Mutation(field, salt));
//
// Guarantees: those of Mutation. Sizes are for code that knows how the message is encoded.
#pragma once

#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "bracha_words.hpp"
#include "coded_words.hpp"
#include "mutation.hpp"
#include "thresher/protocols/coin/setup_free_wire.hpp"

namespace thresher::sim {

struct SetupFreeWords {
  using Message = SetupFree::Message;
  using Secrets = SetupFree::Secrets::Message;
  using Weights = SetupFree::Weights::Message;

  std::uint32_t n = 4;
  std::uint64_t rounds = 20;  ///< of the weights

  /// Fields that change() knows.
  static std::vector<std::string> fields() {
    return {"counter", "dealer", "digest", "fragment", "holds", "members", "number",
            "payload", "point",  "round",  "row",      "share", "value"};
  }
  MessageFacts facts_of(const Message& message) const {
    return std::visit([&](const auto& m) { return facts(m); }, message);
  }
  bool change(Message& message, Mutation by) const {
    return std::visit([&](auto& m) { return change_part(m, by); }, message);
  }

 private:
  MessageFacts facts(const Secrets& m) const {
    if (const auto* b = std::get_if<Avid::Message>(&m))
      return {.label = "commitment", .round = number_of(*b)};
    const auto& word = std::get<avss::Word>(m);
    static constexpr std::array<std::string_view, 4> kLabels{"row", "point", "share", "ask"};
    return {.label = kLabels.at(word.index()),
            .round = avss::instance_of(word),
            .anchor = word.index() == 0,
            .share = word.index() == 2,
            .answer = word.index() == 1};
  }
  MessageFacts facts(const gather::Members& m) const {
    return {.label = "members", .round = m.instance};
  }
  MessageFacts facts(const Weights& m) const {
    if (const auto* b = std::get_if<Bracha::Message>(&m))
      return {.label = "weights", .round = number_of(*b) / rounds};
    return {.label = "report", .round = std::get<approximate::Report>(m).step / rounds};
  }

  bool change_part(Secrets& m, Mutation by) const {
    if (auto* b = std::get_if<Avid::Message>(&m)) return mutate_avid(*b, by);
    return std::visit([&](auto& word) { return change_word(word, by); }, std::get<avss::Word>(m));
  }
  static bool change_word(avss::Row& m, Mutation by) {
    return spoil("row", m.row, by) || by.number("round", m.instance);
  }
  bool change_word(avss::Point& m, Mutation by) const {
    return spoil("point", m.point, by) || change_node("dealer", m.dealer, by) ||
           by.number("round", m.instance);
  }
  bool change_word(avss::Share& m, Mutation by) const {
    return spoil("share", m.share, by) || change_node("dealer", m.dealer, by) ||
           by.number("round", m.instance);
  }
  bool change_word(avss::Ask& m, Mutation by) const {
    return change_set("members", m.shared, by) || by.number("round", m.instance);
  }
  bool change_part(gather::Members& m, Mutation by) const {
    return change_set("members", m.members, by) || by.number("round", m.instance);
  }
  bool change_part(Weights& m, Mutation by) const {
    if (auto* report = std::get_if<approximate::Report>(&m))
      return change_set("members", report->origins, by) || by.number("round", report->step);
    auto& b = std::get<Bracha::Message>(m);
    auto* init = std::get_if<bracha::Init>(&b);
    if (init == nullptr || !by.picks("value")) return mutate_bracha(b, by);
    approximate::Values values;
    for (std::uint32_t d = 0; d < n; ++d)
      values.push_back(static_cast<std::int64_t>(mix64(by.salt() + d) % (std::uint64_t{1} << 40)) -
                       (std::int64_t{1} << 39));
    init->payload = approximate::encode_values(values);
    return true;
  }
  static bool spoil(std::string_view field, Bytes& piece, Mutation& by) {
    if (piece.empty() || !by.picks(field)) return false;
    std::vector<std::byte> bytes(piece.view().begin(), piece.view().end());
    bytes[by.salt() % bytes.size()] ^= std::byte{1};
    if (by.salt() % 4 == 0) bytes.pop_back();
    piece = Bytes::from(std::move(bytes));
    return true;
  }
  bool change_node(std::string_view field, NodeId& node, Mutation& by) const {
    if (!by.picks(field)) return false;
    node = NodeId{static_cast<std::uint16_t>(by.salt() % n)};
    return true;
  }
  bool change_set(std::string_view field, NodeSet& nodes, Mutation& by) const {
    if (!by.picks(field)) return false;
    const NodeId id{static_cast<std::uint16_t>(by.salt() % n)};
    if (!nodes.erase(id)) nodes.insert(id);
    return true;
  }
};

}  // namespace thresher::sim

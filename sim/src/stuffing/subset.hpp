// Filling the memory of nodes of a common subset, alone and inside HoneyBadger: by its broadcasts
// or by its agreements, of which each epoch has one a node.
#pragma once

#include "agreement.hpp"
#include "avid.hpp"
#include "bracha.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"

namespace thresher::sim {

/// `B`: what payloads travel by.
template <class B>
struct SubsetStuffing {
  using Message = std::variant<typename B::Message, BcaAgreement::Message>;
  using Out = std::vector<Message>;

  NodeId id;
  const Committee& committee;
  std::uint64_t window;  ///< epochs kept
  std::size_t bytes;     ///< of the largest payload

  std::vector<Message> on_hearing(const Message& heard, std::uint64_t salt) const {
    Out out;
    const std::uint64_t epoch = epoch_of(heard);
    const auto add = [&](auto&& messages) {
      for (auto& m : messages) out.emplace_back(std::move(m));
    };
    const AgreementStuffing<BcaAgreement::Message> agreements{epoch * committee.size(),
                                                              window * committee.size()};
    const auto* broadcast = std::get_if<typename B::Message>(&heard);
    if (broadcast != nullptr) {
      add(stuff_with(broadcasts(epoch), *broadcast, salt));
      add(stuff_with(agreements, BcaAgreement::Message{agreement::Done{}}, salt));
    } else {
      add(stuff_with(agreements, std::get<BcaAgreement::Message>(heard), salt));
    }
    return out;
  }
  /// That a message is about.
  std::uint64_t epoch_of(const Message& message) const {
    if (const auto* b = std::get_if<typename B::Message>(&message)) return number_of(*b);
    const auto& a = std::get<BcaAgreement::Message>(message);
    return std::visit(
        [&](const auto& m) {
          constexpr bool kShare = std::is_same_v<std::decay_t<decltype(m)>, coin::Share>;
          return (kShare ? m.instance >> agreement::kRoundBits : m.instance) / committee.size();
        },
        a);
  }

 private:
  auto broadcasts(std::uint64_t epoch) const {
    if constexpr (std::is_same_v<B, Bracha>) {
      return BrachaStuffing{id, committee.size(), epoch, window, bytes};
    } else {
      return AvidStuffing{id, committee, epoch, window, bytes};
    }
  }
};

}  // namespace thresher::sim

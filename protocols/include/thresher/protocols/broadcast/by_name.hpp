// The broadcasts of the shelf by name, for programs that let their user choose.
//
//   const bool known = broadcast::with("chained-echo", [&](auto type) {
//     using B = typename decltype(type)::type;
//     auto m = broadcast::decode(std::type_identity<typename B::Message>{}, parts, committee);
//   });
//   std::string all = name_list(broadcast::names());         // "bracha, imbs-raynal, ..."
//
// Guarantees: every broadcast of the library is here; a name stands for one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "thresher/core/names.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"
#include "thresher/protocols/broadcast/bracha_wire.hpp"
#include "thresher/protocols/broadcast/chained_wire.hpp"
#include "thresher/protocols/broadcast/das_xiang_ren_wire.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"
#include "thresher/protocols/broadcast/signed_wire.hpp"

namespace thresher::broadcast {

/// All of them, in the order in which `thresher protocols` lists them.
using All = std::tuple<Bracha, ImbsRaynal, SignedBroadcast, CertifiedBroadcast, ChainedEcho, Avid,
                       DasXiangRen>;

/// Calls `f(std::type_identity<B>)` with the broadcast of that name; false: there is none.
template <class F>
bool with(std::string_view name, F f) {
  const auto one = [&]<class B>(std::type_identity<B> type) {
    if (name != B::kName) return false;
    f(type);
    return true;
  };
  return [&]<class... B>(std::type_identity<std::tuple<B...>>) {
    return (one(std::type_identity<B>{}) || ...);
  }(std::type_identity<All>{});
}

/// Those that so many nodes can run.
inline std::vector<std::string> names(std::uint32_t nodes = 1) {
  std::vector<std::string> out;
  const auto one = [&]<class B>(std::type_identity<B>) {
    if (nodes <= B::kMostNodes) out.emplace_back(B::kName);
  };
  [&]<class... B>(std::type_identity<std::tuple<B...>>) {
    (one(std::type_identity<B>{}), ...);
  }(std::type_identity<All>{});
  return out;
}

inline std::optional<Bracha::Message> decode(std::type_identity<Bracha::Message>,
                                             const WireParts& parts, const Committee& committee) {
  return decode_bracha(parts, committee);
}
inline std::optional<SignedBroadcast::Message> decode(std::type_identity<SignedBroadcast::Message>,
                                                      const WireParts& parts,
                                                      const Committee& committee) {
  return decode_signed(parts, committee);
}
inline std::optional<ChainedEcho::Message> decode(std::type_identity<ChainedEcho::Message>,
                                                  const WireParts& parts,
                                                  const Committee& committee) {
  return decode_chained(parts, committee);
}
inline std::optional<Avid::Message> decode(std::type_identity<Avid::Message>,
                                           const WireParts& parts, const Committee& committee) {
  return decode_avid(parts, committee);
}
inline std::optional<DasXiangRen::Message> decode(std::type_identity<DasXiangRen::Message>,
                                                  const WireParts& parts,
                                                  const Committee& committee) {
  return decode_das_xiang_ren(parts, committee);
}

}  // namespace thresher::broadcast

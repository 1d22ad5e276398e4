#include "host/app_calls.hpp"

#include "thresher/core/hex.hpp"

namespace thresher::net {

std::string AppCalls::name_of(const Transaction& t) {
  return "apply() of the transaction at position " + std::to_string(t.position) + " (client " +
         to_hex(t.client.bytes) + ", sequence " + std::to_string(t.sequence) + ", " +
         std::to_string(t.data.size()) + " bytes)";
}

ApplyResult AppCalls::bounded(ApplyResult result) {
  if (result.bytes.size() <= kMostResult) return result;
  const std::string why = "the result has " + std::to_string(result.bytes.size()) +
                          " bytes; at most " + std::to_string(kMostResult) + " are told";
  return {true, Bytes::copy_of(as_view(why))};
}

AppCalls::Refusal AppCalls::check(const ClientId& client, ByteView data) const {
  Refusal out;
  out.threw = calls_.attempt([&] { out.against = app_.check(client, data); });
  if (out.threw) out.against = "check() threw: " + *out.threw;
  return out;
}

bool AppCalls::look_at_state(Round slot) {
  if (looked_ == slot) return true;
  return calls_.run("state()", [&] {
    state_ = app_.state();
    looked_ = slot;
  });
}

}  // namespace thresher::net

#include "thresher/net/application.hpp"

#include "thresher/core/transcript.hpp"

namespace thresher::net {
namespace {

Digest computed(const ApplyResult& result) {
  Writer w;
  w.bytes(as_view("thresher/result/1")).u8(result.failed ? 1 : 0).bytes(result.bytes.view());
  return hash(w.view());
}

}  // namespace

Digest digest_of(const ApplyResult& result) {
  // Of most transactions of an application that answers nothing.
  static const Digest kNothing = computed({});
  return result == ApplyResult{} ? kNothing : computed(result);
}

}  // namespace thresher::net

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
  // For most transactions of an application that answers nothing.
  static const Digest kNothing = computed({});
  return result == ApplyResult{} ? kNothing : computed(result);
}

namespace {

class WholeState final : public Frozen {
 public:
  explicit WholeState(Bytes bytes) : bytes_(std::move(bytes)) {}
  bool write(const std::function<bool(ByteView)>& sink) const override {
    return sink(bytes_.view());
  }

 private:
  Bytes bytes_;
};

}  // namespace

std::unique_ptr<Frozen> App::freeze() const {
  auto bytes = snapshot();
  return bytes ? std::make_unique<WholeState>(std::move(*bytes)) : nullptr;
}

}  // namespace thresher::net

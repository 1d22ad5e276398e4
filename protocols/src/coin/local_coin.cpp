#include "thresher/protocols/coin/local_coin.hpp"

#include "thresher/core/transcript.hpp"

namespace thresher::coin {

// L1
void LocalCoin::on(const Requested<Toss>& event, Fx& fx) {
  const std::uint64_t instance = event.request.instance;
  Writer w;
  w.bytes(as_view("thresher/local-coin/2")).bytes(entropy_.bytes).u64(seed_);
  w.u16(self_.value).u64(instance);
  fx.deliver(Tossed{instance, hash(w.view())});
}

}  // namespace thresher::coin

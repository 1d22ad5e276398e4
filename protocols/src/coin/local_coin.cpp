#include "thresher/protocols/coin/local_coin.hpp"

#include "thresher/core/transcript.hpp"

namespace thresher::coin {

void LocalCoin::on(const Requested<Toss>& event, Fx& fx) {
  const std::uint64_t instance = event.request.instance;
  Writer w;
  w.u64(seed_).u64(instance).bytes(as_view("thresher/local-coin/1"));
  fx.deliver(Tossed{instance, hash(w.view())});
}

}  // namespace thresher::coin

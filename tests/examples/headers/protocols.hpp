// What the examples of protocols' headers stand on: a world that an executor talks to. Declared
// alone, nothing is run.
#pragma once

#include "thresher/core/executor.hpp"

namespace thresher {

template <class P>
struct Host {
  void send(NodeId, typename P::Message);
  void broadcast(typename P::Message);
  void deliver(typename P::Output);
  void arm(TimerId, Delay);
  void cancel(TimerId);
  void persist(std::vector<Persist>, std::uint64_t);
  void verify(const Verify&);
  void verify(const VerifyAll&);
  void endorse(const Endorse&);
  void accuse(const Accuse&);
};

template <class P>
using ExecutorOf = Executor<P, Host<P>>;

}  // namespace thresher

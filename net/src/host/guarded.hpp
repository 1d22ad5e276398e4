// Callbacks of the host on a thread that is not the host's. Private to net/.
//
//   flight->done = guarded(std::move(done), "submit()", options.on_problem);
//
// Guarantees: what a callback throws ends no thread: it is told to `tell`, with what was called,
// and is lost. An empty callback is not called, nor is an empty `tell`.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace thresher::net {

using Tell = std::function<void(const std::string&)>;

template <class... Args>
std::function<void(Args...)> guarded(std::function<void(Args...)> call, const char* what,
                                     Tell tell) {
  if (!call) return [](Args...) {};
  return [call = std::move(call), what, tell = std::move(tell)](Args... args) {
    std::string thrown;
    try {
      return call(args...);
    } catch (const std::exception& e) {
      thrown = e.what();
    } catch (...) {
      thrown = "an exception that is no std::exception";
    }
    try {
      if (tell) tell(std::string("a callback of ") + what + " threw, which is lost: " + thrown);
    } catch (...) {  // the host's as well
    }
  };
}

}  // namespace thresher::net

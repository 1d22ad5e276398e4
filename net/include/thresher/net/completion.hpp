// submit() with a completion token of Boost.Asio, for coroutines and whatever else Asio knows.
//
//   net::Receipt r = co_await node.submit(as_view("hello"), boost::asio::use_awaitable);
//   net::Receipt s = co_await client.submit(as_view("hi"), boost::asio::use_awaitable,
//                                           {.words = net::Words::kQuorum});
//
// Guarantees: the handler is called once, as void(std::exception_ptr, Receipt), through its
// associated executor, whose work it counts as until then. The exception is NotCommitted, with the
// outcome. To cancel give a stop token in the options, and a deadline as their patience. The only
// header that includes Boost.Asio: who does not use it needs no Boost. The node and the client have
// loops of their own; the handler never runs on their threads, unless its executor is one of them.
#pragma once

// Before Boost.Asio: that of Boost 1.74 uses std::exchange without it.
#include <utility>
//
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>
#include <exception>
#include <memory>
#include <type_traits>

#include "thresher/net/client.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {
namespace completion {

using Signature = void(std::exception_ptr, Receipt);

/// A callback that posts the outcome to the handler's executor. It may be copied, and is called
/// once.
template <class Handler>
OnOutcome posted(Handler handler) {
  auto work = boost::asio::make_work_guard(boost::asio::get_associated_executor(handler));
  auto shared = std::make_shared<Handler>(std::move(handler));
  return [shared, work](const Outcome& out) mutable {
    const auto executor = work.get_executor();
    auto failure =
        out.committed() ? std::exception_ptr() : std::make_exception_ptr(NotCommitted(out));
    boost::asio::post(executor, [h = std::move(*shared), failure = std::move(failure),
                                 receipt = out.receipt]() mutable {
      std::move(h)(std::move(failure), std::move(receipt));
    });
    work.reset();
  };
}

template <class Submitter, class Token, class Options>
auto submit(Submitter& to, ByteView transaction, Token&& token, Options options) {
  const auto initiate = [&to](auto&& handler, Bytes data, Options o) {
    to.submit(data.view(), posted(std::forward<decltype(handler)>(handler)), std::move(o));
  };
  return boost::asio::async_initiate<Token, Signature>(initiate, token, Bytes::copy_of(transaction),
                                                       std::move(options));
}

}  // namespace completion

template <CompletionToken Token>
auto Node::submit(ByteView transaction, Token&& token, SubmitOptions options) {
  return completion::submit(*this, transaction, std::forward<Token>(token), std::move(options));
}

template <CompletionToken Token>
auto Client::submit(ByteView transaction, Token&& token, AskOptions options) {
  return completion::submit(*this, transaction, std::forward<Token>(token), std::move(options));
}

}  // namespace thresher::net

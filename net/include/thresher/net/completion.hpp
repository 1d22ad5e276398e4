// submit() of nodes and clients and next() of broadcast channels with a completion token of
// Boost.Asio, for coroutines and whatever else Asio knows.
//
//   net::Receipt r = co_await node.submit(as_view("hello"), boost::asio::use_awaitable);
//   net::Receipt s = co_await client.submit(as_view("hi"), boost::asio::use_awaitable,
//                                           {.words = net::Words::kQuorum});
//   broadcast::Delivery d = co_await channel.next(boost::asio::use_awaitable);
//
// Guarantees: the handler is called once, as void(std::exception_ptr, Receipt), or with a Delivery,
// through its associated executor, whose work it counts as until then. The exception is
// NotCommitted, with the outcome, or ChannelEnded. To cancel a submission give a stop token in the
// options, and a deadline as their patience. The only header that includes Boost.Asio: a program
// without it needs no Boost. Nodes, clients and channels have loops of their own; the handler never
// runs on their threads, unless its executor is one of them.
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

#include "thresher/net/broadcast_channel.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {
namespace completion {

/// A callback that posts what `split(outcome)` makes of its argument, an exception and a value, to
/// the handler's executor. It may be copied, and is called once.
template <class Handler, class Split>
auto posted(Handler handler, Split split) {
  auto work = boost::asio::make_work_guard(boost::asio::get_associated_executor(handler));
  auto shared = std::make_shared<Handler>(std::move(handler));
  return [shared, work, split](auto outcome) mutable {
    const auto executor = work.get_executor();
    auto [failure, value] = split(std::move(outcome));
    boost::asio::post(executor, [h = std::move(*shared), failure = std::move(failure),
                                 value = std::move(value)]() mutable {
      std::move(h)(std::move(failure), std::move(value));
    });
    work.reset();
  };
}

inline std::pair<std::exception_ptr, Receipt> receipt_of(const CommitStatus& out) {
  if (out.committed()) return {std::exception_ptr(), out.receipt};
  return {std::make_exception_ptr(NotCommitted(out)), out.receipt};
}

inline std::pair<std::exception_ptr, broadcast::Delivery> delivery_of(
    std::optional<broadcast::Delivery> d) {
  if (d) return {std::exception_ptr(), std::move(*d)};
  return {std::make_exception_ptr(broadcast::ChannelEnded()), broadcast::Delivery{}};
}

template <class Submitter, class Token, class Options>
auto submit(Submitter& to, ByteView transaction, Token&& token, Options options) {
  const auto initiate = [&to](auto&& handler, Bytes data, Options o) {
    to.submit(data.view(), posted(std::forward<decltype(handler)>(handler), receipt_of),
              std::move(o));
  };
  return boost::asio::async_initiate<Token, void(std::exception_ptr, Receipt)>(
      initiate, token, Bytes::copy_of(transaction), std::move(options));
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

namespace thresher::broadcast {

template <NextToken Token>
auto Channel::next(Token&& token) {
  const auto initiate = [this](auto&& handler) {
    next(OnDelivery(net::completion::posted(std::forward<decltype(handler)>(handler),
                                            net::completion::delivery_of)));
  };
  return boost::asio::async_initiate<Token, void(std::exception_ptr, Delivery)>(initiate, token);
}

}  // namespace thresher::broadcast

// The one way to Boost.Asio: 1.74 lacks an include that g++ 12 in C++20 mode needs first (ADR 002).
// <utility> must precede Asio, whose awaitable.hpp uses std::exchange without including it.
#pragma once

// clang-format off
#include <utility>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
// clang-format on

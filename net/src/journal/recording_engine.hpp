// An engine whose calls, and what follows from each, are written to a journal. Private to net/.
//
//   const MakeEngine make = [&](EngineHost& host) { return make_engine(settings, host); };
//   auto engine = make_recorded(make, host, std::move(writer));
//
// Guarantees: the host sees the same calls in the same order as without a journal; when an
// invariant of the protocol does not hold, the journal is on its way to the disk before the host is
// told. Questions that change nothing (sample(), pledge(), prove(), ...) are not in it.
#pragma once

#include <functional>
#include <memory>

#include "engines/order_engine.hpp"
#include "journal/file.hpp"

namespace thresher::net {

using MakeEngine = std::function<std::unique_ptr<OrderEngine>(EngineHost&)>;

/// What `make` makes, recorded where there is a writer.
std::unique_ptr<OrderEngine> make_recorded(const MakeEngine& make, EngineHost& host,
                                           std::unique_ptr<journal::JournalWriter> writer);

}  // namespace thresher::net

// A journal's calls made again on an engine, and what it asks for compared. Private to net/.
//
//   Replayed out;
//   replay([&](EngineHost& host) { return make_engine(settings, host); }, reader, {}, out);
//
// Guarantees: stops at the first entry that differs, and `out` says which; whatever stands in the
// journal, the engine is called with well-formed values only. Pre: the head was taken.
#pragma once

#include "journal/file.hpp"
#include "journal/recording_engine.hpp"
#include "thresher/net/replay.hpp"

namespace thresher::net {

using OnEntry = decltype(ReplayOptions::on_entry);

void replay(const MakeEngine& make, journal::JournalReader& reader, const OnEntry& on_entry,
            Replayed& out);

}  // namespace thresher::net

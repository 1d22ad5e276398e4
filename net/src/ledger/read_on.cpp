#include "ledger/read_on.hpp"

#include <algorithm>

#include "ledger/ledger.hpp"

namespace thresher::net {

ReadOn read_on(const LogReader& reader, Round head, const LogPlace& from,
               const VisitTransaction& visit, const std::function<bool()>& enough) {
  ReadOn out{from};
  bool more = true;
  (void)reader.each(from.after, [&](const LogEntry& entry) {
    if (entry.slot > head) return false;  // behind a hole
    if (entry.count == 0) {               // duplicates at most
      out.next.after = entry.slot;
      return !enough();
    }
    const auto whole = reader.whole(entry);
    if (!whole) out.unreadable = entry.slot;
    if (!whole) return false;
    std::uint64_t position = entry.first;
    for (std::size_t i = 0; i < entry.blocks.size(); ++i) {
      position = each_ordered(entry.blocks[i], whole->blocks[i]->payload.view(), position,
                              [&](Transaction t, const Validity& valid) {
                                if (!more || t.position < out.next.position) return;
                                t.slot = entry.slot.value;
                                more = visit(t, valid);
                                out.next.position = t.position + 1;
                              });
    }
    if (out.next.position < position) return false;  // some of this entry are left
    out.next.after = entry.slot;
    // The place may lie beyond this entry: it is a client's word, and the log grows up to it.
    out.next.position = std::max(out.next.position, position);
    return more && !enough();
  });
  return out;
}

}  // namespace thresher::net

#include "thresher/protocols/agreement/rounds_wire.hpp"

namespace thresher::agreement {

void write(const Said& m, Writer& out) {
  out.u8(0).u64(m.instance).u32(m.round).u32(m.counters).u8(m.asks ? 1 : 0);
}
void write(const Done& m, Writer& out) {
  out.u8(1).u64(m.instance).u8(static_cast<std::uint8_t>((m.value ? 1 : 0) | (m.asks ? 2 : 0)));
}
void write(const Want& m, Writer& out) {
  out.u8(2).u64(m.instance);
}
void write(const coin::Share& m, Writer& out) {
  out.u8(3);
  coin::encode_share(m, out);
}

}  // namespace thresher::agreement

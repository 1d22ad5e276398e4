// Entries of a journal in words.
#include <array>
#include <cstring>
#include <utility>

#include "journal/entries.hpp"
#include "journal/fields.hpp"

namespace thresher::net::journal {
namespace {

constexpr std::array<std::pair<EntryKind, const char*>, 32> kNames{{
    {EntryKind::kReceive, "receive"},
    {EntryKind::kRestored, "restored"},
    {EntryKind::kStart, "start"},
    {EntryKind::kExpired, "timer expired"},
    {EntryKind::kVerified, "verdict"},
    {EntryKind::kEndorsed, "signature of this node"},
    {EntryKind::kSubmit, "submit"},
    {EntryKind::kRun, "run"},
    {EntryKind::kPersisted, "durable"},
    {EntryKind::kAdopt, "adopt"},
    {EntryKind::kTakeProgress, "take progress"},
    {EntryKind::kEntryOf, "entry of a commit"},
    {EntryKind::kRecordsOf, "records of a commit"},
    {EntryKind::kRemember, "remember"},
    {EntryKind::kSend, "send"},
    {EntryKind::kBroadcast, "broadcast"},
    {EntryKind::kDeliver, "deliver"},
    {EntryKind::kArm, "arm"},
    {EntryKind::kCancel, "cancel"},
    {EntryKind::kPersist, "persist"},
    {EntryKind::kVerify, "verify"},
    {EntryKind::kVerifyAll, "verify all"},
    {EntryKind::kEndorse, "endorse"},
    {EntryKind::kAccuse, "accuse"},
    {EntryKind::kBroken, "broken"},
    {EntryKind::kRefused, "refused"},
    {EntryKind::kRead, "read"},
    {EntryKind::kHead, "journal"},
    {EntryKind::kReturn, "returned"},
    {EntryKind::kFull, "full"},
    {EntryKind::kClosed, "closed"},
    {EntryKind::kDisk, "the disk took no more"},
}};

std::string number(std::uint64_t n) {
  return std::to_string(n);
}

std::string id_text(Reader& in) {
  const std::uint64_t local = in.u64();
  const std::uint8_t depth = in.u8();
  std::string out = number(local);
  for (std::size_t i = 0; i < std::tuple_size_v<decltype(Route::hop)>; ++i) {
    const std::uint32_t hop = in.u32();
    if (i < depth) out += "/" + number(hop);
  }
  return out;
}

std::string frame_text(Reader& in) {
  const std::string kind = number(in.u8());
  return "frame of kind " + kind + ", " + number(in.u64()) + " bytes";
}

std::string received_text(Reader& in) {
  const std::string from = number(in.u16());
  const std::string kind = number(in.u8());
  const std::size_t control = take_bytes(in).size();
  return "from " + from + ": frame of kind " + kind + ", " +
         number(control + take_bytes(in).size()) + " bytes";
}

std::string from_text(Reader& in) {
  const bool known = in.u8() != 0;
  const std::uint16_t from = in.u16();
  return known ? ", sent by " + number(from) : "";
}

std::string commit_text(Reader& in) {
  const std::string slot = number(in.u64());
  (void)in.digest();
  (void)in.u64();
  return "slot " + slot + ", " + number(in.u32()) + " blocks";
}

std::string call_text(EntryKind kind, Reader& in) {
  switch (kind) {
    case EntryKind::kReceive:
      return received_text(in);
    case EntryKind::kRestored:
      return "record of table " + number(in.u32());
    case EntryKind::kStart:
      return "with its seed";
    case EntryKind::kExpired:
    case EntryKind::kEndorsed:
      return id_text(in);
    case EntryKind::kVerified: {
      const std::string ticket = id_text(in);
      return ticket + (in.u8() != 0 ? ", good" : ", false");
    }
    case EntryKind::kSubmit:
      return number(take_bytes(in).size()) + " bytes";
    case EntryKind::kPersisted:
      return "up to barrier " + number(in.u64());
    case EntryKind::kAdopt:
      (void)in.u8();
      return commit_text(in);
    case EntryKind::kTakeProgress:
      return "up to slot " + number(in.u64());
    case EntryKind::kEntryOf:
    case EntryKind::kRecordsOf:
      return commit_text(in);
    case EntryKind::kRemember:
      return "what node " + number(in.u16()) + " is bound to";
    // NOLINTNEXTLINE(bugprone-branch-clone): a run has nothing to say, the others are no calls
    case EntryKind::kRun:
    case EntryKind::kSend:
    case EntryKind::kBroadcast:
    case EntryKind::kDeliver:
    case EntryKind::kArm:
    case EntryKind::kCancel:
    case EntryKind::kPersist:
    case EntryKind::kVerify:
    case EntryKind::kVerifyAll:
    case EntryKind::kEndorse:
    case EntryKind::kAccuse:
    case EntryKind::kBroken:
    case EntryKind::kRefused:
    case EntryKind::kRead:
    case EntryKind::kHead:
    case EntryKind::kReturn:
    case EntryKind::kFull:
    case EntryKind::kClosed:
    case EntryKind::kDisk:
      return {};
  }
  return {};
}

std::string asked_text(EntryKind kind, Reader& in) {
  if (kind == EntryKind::kSend) {
    const std::string to = number(in.u16());
    return "to " + to + ": " + frame_text(in);
  }
  if (kind == EntryKind::kBroadcast) return frame_text(in);
  if (kind == EntryKind::kDeliver) {
    const std::string slot = number(in.u64());
    (void)in.u64();
    return "slot " + slot + ", " + number(in.u32()) + " blocks";
  }
  if (kind == EntryKind::kArm) {
    const std::string timer = id_text(in);
    return "timer " + timer + " for " + number(in.u64()) + "/1000 Delta";
  }
  if (kind == EntryKind::kCancel) return "timer " + id_text(in);
  if (kind == EntryKind::kPersist) {
    const std::string barrier = number(in.u64());
    return number(in.u32()) + " records, barrier " + barrier;
  }
  if (kind == EntryKind::kVerify) {
    const std::string ticket = id_text(in);
    const std::string signer = number(in.u16());
    return "ticket " + ticket + ", signed by " + signer + from_text(in);
  }
  if (kind == EntryKind::kVerifyAll) {
    const std::string ticket = id_text(in);
    const std::string count = number(in.u32());
    return "ticket " + ticket + ", " + count + " signatures" + from_text(in);
  }
  if (kind == EntryKind::kEndorse) return "ticket " + id_text(in);
  if (kind == EntryKind::kAccuse) return "node " + number(in.u16());
  if (kind == EntryKind::kBroken) return take_text(in);
  if (kind == EntryKind::kRefused) {
    const std::string from = number(in.u16());
    return number(in.u64()) + " of node " + from;
  }
  return "a payload of table " + number(in.u32());
}

std::string result_text(Reader& in) {
  const std::uint8_t what = in.u8();
  if (what == 0) return "false";
  if (what == 1) return "true";
  return what == 2 ? "" : number(in.u32()) + " records";
}

}  // namespace

std::optional<EntryKind> kind_of(std::uint8_t number) {
  for (const auto& [kind, name] : kNames) {
    if (static_cast<std::uint8_t>(kind) == number) return kind;
  }
  return std::nullopt;
}

bool is_call(EntryKind kind) {
  return kind < EntryKind::kSend;
}

bool is_asked(EntryKind kind) {
  return kind >= EntryKind::kSend && kind < EntryKind::kHead;
}

bool is_end(EntryKind kind) {
  return kind == EntryKind::kClosed || is_short(kind);
}

bool is_short(EntryKind kind) {
  return kind == EntryKind::kFull || kind == EntryKind::kDisk;
}

std::string disk_failure(ByteView body) {
  return std::strerror(static_cast<int>(Reader(body).u32()));
}

std::string describe(EntryKind kind, ByteView body) {
  std::string name;
  for (const auto& [known, text] : kNames) {
    if (known == kind) name = text;
  }
  Reader in(body);
  std::string rest;
  if (is_call(kind)) rest = call_text(kind, in);
  if (is_asked(kind)) rest = asked_text(kind, in);
  if (kind == EntryKind::kReturn) rest = result_text(in);
  return rest.empty() ? name : name + " " + rest;
}

Body encode_head(const Head& h) {
  Writer out;
  put(out, as_view(h.program));
  put(out, as_view(h.protocol));
  out.bytes(h.chain.bytes).u16(h.self.value);
  const EngineTuning& t = h.tuning;
  out.u64(t.delta_us).u64(t.pace_us).u64(t.gather_us).u64(t.block_bytes).u64(t.gc_rounds);
  return out.u64(t.sync_rounds).take();
}

std::optional<Head> decode_head(ByteView body) {
  Reader in(body);
  Head out;
  out.program = take_text(in);
  out.protocol = take_text(in);
  out.chain = in.digest();
  out.self = NodeId{in.u16()};
  EngineTuning& t = out.tuning;
  t.delta_us = in.u64();
  t.pace_us = in.u64();
  t.gather_us = in.u64();
  t.block_bytes = in.u64();
  t.gc_rounds = in.u64();
  t.sync_rounds = in.u64();
  return in.done() && t.delta_us > 0 ? std::optional(out) : std::nullopt;
}

}  // namespace thresher::net::journal

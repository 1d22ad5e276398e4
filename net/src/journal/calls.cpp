// Calls into an engine as bytes, and again.
#include <utility>

#include "journal/entries.hpp"
#include "journal/fields.hpp"

namespace thresher::net::journal {
namespace {

void put_commit(Writer& out, const Commit& c) {
  out.u64(c.slot.value).bytes(c.id.bytes).u64(c.before.value);
  out.u32(static_cast<std::uint32_t>(c.blocks.size()));
  for (const OrderedBlockPtr& b : c.blocks) {
    out.u16(b->author.value).u64(b->round.value).bytes(b->payload_root.bytes);
    out.u32(b->payload_bytes).bytes(b->id.bytes);
    put(out, b->payload.view());
    put(out, b->proof.view());
  }
}

Commit take_commit(Reader& in) {
  Commit c;
  c.slot = Round{in.u64()};
  c.id = in.digest();
  c.before = Round{in.u64()};
  for (std::uint32_t left = in.u32(); left > 0 && in.ok(); --left) {
    OrderedBlock b;
    b.author = NodeId{in.u16()};
    b.round = Round{in.u64()};
    b.payload_root = in.digest();
    b.payload_bytes = in.u32();
    b.id = in.digest();
    b.payload = take_bytes(in);
    b.proof = take_bytes(in);
    c.blocks.push_back(std::make_shared<const OrderedBlock>(std::move(b)));
  }
  return c;
}

void put_records(Writer& out, const std::vector<Persist>& records) {
  out.u32(static_cast<std::uint32_t>(records.size()));
  for (const Persist& r : records) {
    out.u32(r.table).u8(r.lazy ? 1 : 0);
    put(out, r.key.view());
    put(out, r.value.view());
    put(out, r.body.view());
  }
}

std::vector<Persist> take_records(Reader& in) {
  std::vector<Persist> out;
  for (std::uint32_t left = in.u32(); left > 0 && in.ok(); --left) {
    Persist r;
    r.table = in.u32();
    r.lazy = in.u8() != 0;
    r.key = take_bytes(in);
    r.value = take_bytes(in);
    r.body = take_bytes(in);
    out.push_back(std::move(r));
  }
  return out;
}

struct InputBytes {
  Writer& out;
  void operator()(const Restored& r) const {
    out.u32(r.table);
    put(out, r.key.view());
    put(out, r.value.view());
    put(out, r.body.view());
  }
  void operator()(const Start& s) const { out.u64(s.seed); }
  void operator()(const Expired& e) const { put(out, e.id.local, e.id.route); }
  void operator()(const Verified& v) const {
    put(out, v.ticket.local, v.ticket.route);
    out.u8(v.ok ? 1 : 0);
  }
  void operator()(const Endorsed& e) const {
    put(out, e.ticket.local, e.ticket.route);
    out.bytes(e.signature);
  }
};

HostInput take_restored(Reader& in) {
  Restored r;
  r.table = in.u32();
  r.key = take_bytes(in);
  r.value = take_bytes(in);
  r.body = take_bytes(in);
  return r;
}

Body call_receive(Reader& in, OrderEngine& engine) {
  const NodeId from{in.u16()};
  Frame frame;
  frame.kind = in.u8();
  frame.control = take_bytes(in);
  frame.payload = take_bytes(in);
  return in.done() ? returned(engine.receive(from, frame)) : Body{};
}

Body call_submit(Reader& in, OrderEngine& engine) {
  Bytes payload = take_bytes(in);
  const Digest root = in.digest();
  std::optional<Digest> replaces;
  if (in.u8() != 0) replaces = in.digest();
  if (!in.done()) return {};
  engine.submit(std::move(payload), root, replaces);
  return returned();
}

Body call_adopt(Reader& in, OrderEngine& engine) {
  const Stored stored = in.u8() == 0 ? Stored::kNo : Stored::kYes;
  const Commit commit = take_commit(in);
  if (!in.done()) return {};
  engine.adopt(commit, stored);
  return returned();
}

Body call_entry_of(Reader& in, OrderEngine& engine) {
  const Commit commit = take_commit(in);
  const std::vector<Persist> progress = take_records(in);
  return in.done() ? returned(engine.entry_of(commit, progress)) : Body{};
}

Body call_remember(Reader& in, OrderEngine& engine) {
  const NodeId peer{in.u16()};
  Pledge pledge;
  pledge.round = in.u64();
  pledge.vote = in.u64();
  if (!in.done()) return {};
  engine.remember(peer, pledge);
  return returned();
}

Body call_push(EntryKind kind, Reader& in, OrderEngine& engine) {
  HostInput input = Start{};
  if (kind == EntryKind::kRestored) input = take_restored(in);
  if (kind == EntryKind::kStart) input = Start{in.u64()};
  if (kind == EntryKind::kExpired) input = Expired{take_id<TimerId>(in)};
  if (kind == EntryKind::kVerified) {
    Verified v{take_id<Ticket>(in)};
    v.ok = in.u8() != 0;
    input = v;
  }
  if (kind == EntryKind::kEndorsed) {
    Endorsed e{take_id<Ticket>(in), {}};
    in.fill(e.signature);
    input = e;
  }
  return in.done() ? returned(engine.push(std::move(input))) : Body{};
}

}  // namespace

Body call::receive(NodeId from, const Frame& frame) {
  Writer out;
  out.reserve(frame.control.size() + frame.payload.size() + 16).u16(from.value).u8(frame.kind);
  put(out, frame.control.view());
  put(out, frame.payload.view());
  return out.take();
}

Body call::input(const HostInput& input) {
  Writer out;
  std::visit(InputBytes{out}, input);
  return out.take();
}

EntryKind call::kind_of(const HostInput& input) {
  struct Kinds {
    EntryKind operator()(const Restored&) const { return EntryKind::kRestored; }
    EntryKind operator()(const Start&) const { return EntryKind::kStart; }
    EntryKind operator()(const Expired&) const { return EntryKind::kExpired; }
    EntryKind operator()(const Verified&) const { return EntryKind::kVerified; }
    EntryKind operator()(const Endorsed&) const { return EntryKind::kEndorsed; }
  };
  return std::visit(Kinds{}, input);
}

Body call::submit(const Bytes& payload, const Digest& root, const std::optional<Digest>& replaces) {
  Writer out;
  put(out, payload.view());
  out.bytes(root.bytes).u8(replaces ? 1 : 0);
  if (replaces) out.bytes(replaces->bytes);
  return out.take();
}

Body call::persisted(std::uint64_t barrier) {
  return Writer().u64(barrier).take();
}

Body call::adopt(const Commit& commit, Stored stored) {
  Writer out;
  out.u8(stored == Stored::kYes ? 1 : 0);
  put_commit(out, commit);
  return out.take();
}

Body call::take_progress(Round slot) {
  return Writer().u64(slot.value).take();
}

Body call::entry_of(const Commit& commit, const std::vector<Persist>& progress) {
  Writer out;
  put_commit(out, commit);
  put_records(out, progress);
  return out.take();
}

Body call::records_of(const Commit& commit) {
  Writer out;
  put_commit(out, commit);
  return out.take();
}

Body call::remember(NodeId peer, const Pledge& pledge) {
  return Writer().u16(peer.value).u64(pledge.round).u64(pledge.vote).take();
}

std::optional<Body> make_call(EntryKind kind, ByteView body, OrderEngine& engine) {
  Reader in(body);
  Body result;
  if (kind == EntryKind::kReceive) {
    result = call_receive(in, engine);
  } else if (kind == EntryKind::kSubmit) {
    result = call_submit(in, engine);
  } else if (kind == EntryKind::kRun) {
    if (in.done()) result = returned(engine.run());
  } else if (kind == EntryKind::kPersisted) {
    const std::uint64_t barrier = in.u64();
    if (in.done()) engine.persisted(barrier), result = returned();
  } else if (kind == EntryKind::kAdopt) {
    result = call_adopt(in, engine);
  } else if (kind == EntryKind::kTakeProgress) {
    const Round slot{in.u64()};
    if (in.done()) result = returned(engine.take_progress(slot));
  } else if (kind == EntryKind::kEntryOf) {
    result = call_entry_of(in, engine);
  } else if (kind == EntryKind::kRecordsOf) {
    const Commit commit = take_commit(in);
    if (in.done()) result = returned(engine.records_of(commit));
  } else if (kind == EntryKind::kRemember) {
    result = call_remember(in, engine);
  } else {
    result = call_push(kind, in, engine);
  }
  if (result.empty()) return std::nullopt;
  return result;
}

}  // namespace thresher::net::journal

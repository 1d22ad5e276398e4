// What a protocol asked for, as few bytes: enough for people, and a hash of all of it.
#include "journal/entries.hpp"
#include "journal/fields.hpp"
#include "thresher/crypto/crc32c.hpp"

namespace thresher::net::journal {
namespace {

// Enough to tell what differs by mistake; nobody gains from a journal that deceives him.
std::uint64_t short_hash(ByteView bytes) {
  return crypto::crc32c(bytes);
}

void put_frame(Writer& out, const Frame& frame) {
  out.u8(frame.kind).u64(frame.control.size() + frame.payload.size());
  out.u64(short_hash(frame.control.view())).u64(short_hash(frame.payload.view()));
}

void put_from(Writer& out, const std::optional<NodeId>& from) {
  out.u8(from ? 1 : 0).u16(from ? from->value : 0);
}

std::uint64_t hash_of(const std::vector<Persist>& records) {
  Writer all;
  for (const Persist& r : records) {
    all.u32(r.table).u8(r.lazy ? 1 : 0);
    put(all, r.key.view());
    put(all, r.value.view());
    all.u64(r.body.size()).u64(short_hash(r.body.view()));
  }
  return short_hash(all.view());
}

}  // namespace

Body asked::send(NodeId to, const Frame& frame) {
  Writer out;
  out.u16(to.value);
  put_frame(out, frame);
  return out.take();
}

Body asked::broadcast(const Frame& frame) {
  Writer out;
  put_frame(out, frame);
  return out.take();
}

Body asked::deliver(const Commit& commit) {
  Writer all;
  all.bytes(commit.id.bytes);
  for (const OrderedBlockPtr& b : commit.blocks) {
    // The id stands for the payload, by its root.
    all.bytes(b->id.bytes).u16(b->author.value).u64(b->round.value).u64(b->payload.size());
    put(all, b->proof.view());
  }
  Writer out;
  out.u64(commit.slot.value)
      .u64(commit.before.value)
      .u32(static_cast<std::uint32_t>(commit.blocks.size()));
  return out.u64(short_hash(all.view())).take();
}

Body asked::arm(TimerId id, Delay after) {
  Writer out;
  put(out, id.local, id.route);
  return out.u64(after.value).take();
}

Body asked::cancel(TimerId id) {
  Writer out;
  put(out, id.local, id.route);
  return out.take();
}

Body asked::persist(const std::vector<Persist>& records, std::uint64_t barrier) {
  return Writer()
      .u64(barrier)
      .u32(static_cast<std::uint32_t>(records.size()))
      .u64(hash_of(records))
      .take();
}

Body asked::verify(const Verify& v, std::optional<NodeId> from) {
  Writer all;
  all.bytes(v.digest.bytes).bytes(v.signature);
  Writer out;
  put(out, v.ticket.local, v.ticket.route);
  out.u16(v.signer.value);
  put_from(out, from);
  return out.u64(short_hash(all.view())).take();
}

Body asked::verify_all(const VerifyAll& v, std::optional<NodeId> from) {
  Writer all;
  all.bytes(v.digest.bytes);
  v.list->for_each([&](NodeId signer, const Signature& s) { all.u16(signer.value).bytes(s); });
  Writer out;
  put(out, v.ticket.local, v.ticket.route);
  out.u32(static_cast<std::uint32_t>(v.list->signatures.size()));
  put_from(out, from);
  return out.u64(short_hash(all.view())).take();
}

Body asked::endorse(const Endorse& e) {
  Writer out;
  put(out, e.ticket.local, e.ticket.route);
  return out.u64(e.digest.prefix()).take();
}

Body asked::accuse(const Accuse& a) {
  return Writer().u16(a.who.value).u64(a.evidence.size()).u64(short_hash(a.evidence.view())).take();
}

Body asked::broken(const std::string& what) {
  Writer out;
  put(out, as_view(what));
  return out.take();
}

Body asked::refused(NodeId from, std::uint64_t times) {
  return Writer().u16(from.value).u64(times).take();
}

Body asked::read(const RecordName& record, const Digest& root) {
  Writer out;
  out.u32(record.table);
  put(out, record.key.view());
  out.bytes(root.bytes);
  return out.take();
}

Body asked::with_answer(Body question, const std::optional<Bytes>& answer) {
  Writer out;
  out.bytes(question).u8(answer ? 1 : 0);
  if (answer) put(out, answer->view());
  return out.take();
}

std::optional<Bytes> asked::answer_of(ByteView entry, std::size_t question) {
  Reader in(entry);
  (void)in.bytes(question);
  if (in.u8() == 0) return std::nullopt;
  Bytes answer = take_bytes(in);
  return in.done() ? std::optional(std::move(answer)) : std::nullopt;
}

Body returned() {
  return Writer().u8(2).take();
}

Body returned(bool result) {
  return Writer().u8(result ? 1 : 0).take();
}

Body returned(const std::vector<Persist>& records) {
  return Writer()
      .u8(3)
      .u32(static_cast<std::uint32_t>(records.size()))
      .u64(hash_of(records))
      .take();
}

}  // namespace thresher::net::journal

// One TLS connection: handshake, hello, frames both ways. Private to transport.cpp, which is the
// one file that may include it.
//
//   auto c = std::make_shared<Connection>(io, context, settings, events);
//   c->connect(endpoint);                  // or, accepted: c->handshake(TlsStream::Role::kServer)
//   c->send(frame);                        // false: not ready, or the queue is full
//
// Guarantees: lives as long as its operations do; calls no event after `closed`. Connecting, the
// handshake and the hello end within `handshake_us`. The memory that a client's frame takes follows
// what has arrived of it, at most three times as much and 64 KiB; its announced length takes none.
// A frame of a member gets its room at once, of which the system gives what is written to. A peer
// whose kernel acknowledges nothing for `silence_us` is closed. Does not limit how slowly a peer
// reads: such a peer fills its own queue, and nothing else waits for it. How slowly it may write is
// the owner's to say: see stalls().
#pragma once

#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "links/asio.hpp"
#include "links/tls_stream.hpp"
#include "thresher/net/transport.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {

class Connection : public TlsUser, public std::enable_shared_from_this<Connection> {
 public:
  using tcp = boost::asio::ip::tcp;
  using Context = boost::asio::ssl::context;

  struct Settings {
    Digest chain{};
    std::uint32_t max_frame_bytes = 0;
    std::size_t max_queue_bytes = 0;
    std::uint64_t handshake_us = 0;
    std::uint64_t silence_us = 0;
    std::optional<Incarnation> incarnation{};  // of this node
    /// Why a peer that means another chain is refused.
    std::string other_chain{};
    std::uint64_t gc_rounds = 0;  // TransportOptions::gc_rounds
    /// The oldest wire version that a peer with this key may speak.
    std::function<std::uint32_t(const PublicKey&)> oldest_version = [](const PublicKey&) {
      return kWireVersion;
    };
    std::shared_ptr<Helper> helper{};  // null: the loop's thread does all
    std::uint64_t records_per_key = kRecordsPerKey;
  };
  /// One of them may be running when the connection closes, so they are kept until its end.
  struct Events {
    std::function<bool(Connection&, const PublicKey&)> identified;  // false refuses
    std::function<void(Connection&)> ready;
    std::function<void(Connection&, Frame)> frame;
    std::function<void(Connection&, const std::string& why)> closed;
    /// TransportCallbacks::prepare.
    std::function<std::shared_ptr<const Prepared>(const Frame&)> prepare{};
    /// An unfinished frame takes so many bytes now; 0: it is whole. Only of frames over
    /// kSmallFrame. Null: nobody wants to know.
    std::function<void(Connection&, std::size_t bytes)> holds{};
  };
  /// What an unfinished frame may take without a word. Unit: bytes.
  static constexpr std::size_t kSmallFrame = 64 * 1024;

  /// Pre: `socket` is open where it was accepted, and not yet where connect() is to be called.
  Connection(tcp::socket socket, std::shared_ptr<Context> context, const Settings& settings,
             Events events)
      : context_(std::move(context)),
        stream_(std::move(socket), *context_, *this, settings.helper, settings.records_per_key),
        deadline_(stream_.socket().get_executor()),
        pause_end_(stream_.socket().get_executor()),
        settings_(settings),
        events_(std::move(events)) {}

  tcp::socket& socket() { return stream_.socket(); }
  ConnectionId id = ~ConnectionId{0};  // until it is known whose it is
  std::uint64_t place = 0;             // among those whose it is not known; of the owner
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  bool spoke = false;  // it has sent frames of the protocol; of the owner

  /// The peer's, which it proved to hold. Pre: ready().
  const PublicKey& key() const { return key_; }
  /// The peer's wire version, as its hello says. Pre: ready().
  std::uint32_t version() const { return version_; }
  /// As its hello says, signed with the key that the connection proved.
  const std::optional<Incarnation>& incarnation() const { return incarnation_; }

  /// Like 10.0.0.7:26656; empty before there is one.
  const std::string& address() const { return address_; }
  bool ready() const { return ready_; }
  bool closed() const { return closed_; }
  /// Closed because of what the peer is or said: its operator must know.
  bool refused() const { return refused_; }
  /// Nothing more is read until resume(). Pre: called from `ready`.
  void pause() { paused_ = true; }
  void resume() {
    if (std::exchange(paused_, false) && may_read()) read_on();
  }
  /// Nothing is read for so long, behind the frame that is handed on: what the peer sends meanwhile
  /// waits with the peer. Pre: called from `frame`. Unit: microseconds.
  void rest(std::uint64_t us) {
    paused_ = true;
    pause_end_.expires_after(std::chrono::microseconds(us));
    pause_end_.async_wait([self = shared_from_this()](const error_code& e) {
      if (!e) self->resume();
    });
  }
  /// From now on what comes is read and thrown away.
  void dismiss() {
    dismissed_ = true;
    resume();
  }
  /// What waits here counts in `shared` too, from now on. Pre: nothing waits yet.
  void limit_queue(std::size_t bytes, std::shared_ptr<std::size_t> shared) {
    settings_.max_queue_bytes = bytes;
    shared_bytes_ = std::move(shared);
  }

  void connect(const tcp::endpoint& to) {
    start_deadline();
    socket().async_connect(to, [self = shared_from_this()](const error_code& e) {
      if (self->closed_) return;
      if (e) return self->close("cannot connect: " + e.message());
      self->handshake(TlsStream::Role::kClient);
    });
  }

  void handshake(TlsStream::Role role) {
    start_deadline();
    watch_silence();
    note_address();
    stream_.handshake(role);
  }

  /// What counts of a frame that waits: its bytes, and the memory that it takes beside them.
  static std::size_t weight_of(const Frame& frame) {
    constexpr std::size_t kBesideBytes = sizeof(Frame) + 64;  // its place, and who shares its bytes
    return kBesideBytes + size_of(frame);
  }
  /// What max_frame_bytes limits: all behind the field that says it.
  static std::size_t counted(const Frame& frame) { return size_of(frame) - kSizeField; }
  bool has_room(const Frame& frame) const {
    if (closed_ || !ready_) return false;
    return queued_bytes_ == 0 || queued_bytes_ + weight_of(frame) <= settings_.max_queue_bytes;
  }
  // A frame that is larger than the whole queue may still go when nothing else waits.
  bool send(const Frame& frame) {
    if (!has_room(frame)) return false;
    queue_up(frame);
    return true;
  }
  std::size_t queued_bytes() const { return queued_bytes_; }

  /// To be called now and then: whether one frame was unfinished all the time since the call before
  /// and got less than kSmallFrame in it.
  bool stalls() {
    const bool same = reading_body_ && frames_ == watched_frame_;
    const bool stuck = same && bytes_received - watched_bytes_ < kSmallFrame;
    watched_frame_ = frames_;
    watched_bytes_ = bytes_received;
    return stuck;
  }

  /// Closes because of what the peer did.
  void refuse(const std::string& why) {
    refused_ = true;
    close(why);
  }
  void close(const std::string& why) {
    if (closed_) return;
    closed_ = true;
    error_code ignored;
    deadline_.cancel(ignored);
    pause_end_.cancel(ignored);
    stream_.close();
    queue_.clear();
    release(queued_bytes_);
    hold(0);
    events_.closed(*this, why);
  }

 private:
  static constexpr std::uint8_t kHello = 0;
  static constexpr std::size_t kFrameHead = 9;
  static constexpr std::size_t kSizeField = 4;
  /// What the size field of an empty frame says: kind, and size of the control part.
  static constexpr std::uint32_t kLeastFrame = kFrameHead - kSizeField;
  static constexpr std::size_t kWriteBytes = 256 * 1024;
  /// What is read of one peer before the others have their turn: some frames are short to send and
  /// long to handle.
  static constexpr std::size_t kReadBytes = 256 * 1024;
  static constexpr std::uint64_t kReadFrames = 16;
  /// Each costs a record of TLS more, as records end where its head does: a smaller one is copied
  /// in less time than that.
  static constexpr std::size_t kLargePayload = 8 * 1024;
  static constexpr std::uint32_t kHelloBytes = kLeastFrame + wire::kSmallBytes;

  void start_deadline() {
    deadline_.expires_after(std::chrono::microseconds(settings_.handshake_us));
    deadline_.async_wait([self = shared_from_this()](const error_code& e) {
      if (!e && !self->ready_) self->close("the handshake took too long");
    });
  }

  // A peer whose machine or link is gone sends no end of the connection: the kernel has to notice,
  // by data that nobody acknowledges or, when there is none, by probes (tcp(7)).
  void watch_silence() {
    error_code ignored;
    socket().set_option(tcp::no_delay(true), ignored);
    const auto set = [this](int level, int name, std::uint64_t value) {
      const int v = static_cast<int>(value);
      (void)::setsockopt(socket().native_handle(), level, name, &v, sizeof v);
    };
    const std::uint64_t seconds = std::max<std::uint64_t>(1, settings_.silence_us / 4'000'000);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, seconds);
    set(IPPROTO_TCP, TCP_KEEPINTVL, seconds);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, settings_.silence_us / 1000);
  }

  std::optional<PublicKey> peer_key() {
    X509* cert = stream_.certificate();
    EVP_PKEY* key = cert == nullptr ? nullptr : X509_get0_pubkey(cert);
    PublicKey out;
    std::size_t size = out.size();
    if (key == nullptr || EVP_PKEY_id(key) != EVP_PKEY_ED25519 ||
        EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(out.data()), &size) !=
            1) {
      return std::nullopt;
    }
    return out;
  }

  void shook_hands(const error_code& e) override {
    if (closed_) return;
    if (e) return close("TLS handshake failed: " + e.message());
    const auto key = peer_key();
    if (key) key_ = *key;
    if (!key || !events_.identified(*this, *key)) {
      return refuse("the peer's key is not the one pinned for it");
    }
    say_hello();
    read_on();
  }

  static void put_u32(std::vector<std::byte>& out, std::size_t v) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(v >> (8 * i)));
  }
  static std::uint32_t get_u32(const std::byte* p) {
    std::uint32_t v = 0;
    for (int i = 0; i < 4; ++i) v |= std::to_integer<std::uint32_t>(p[i]) << (8 * i);
    return v;
  }

  static std::size_t size_of(const Frame& frame) {
    return kFrameHead + frame.control.size() + frame.payload.size();
  }

  void queue_up(const Frame& frame) {
    queued_bytes_ += weight_of(frame);
    *shared_bytes_ += weight_of(frame);
    queue_.push_back(frame);
    if (!writing_) write();
  }

  void release(std::size_t weight) {
    queued_bytes_ -= weight;
    *shared_bytes_ -= weight;
  }

  void note_address() {
    error_code e;
    const auto end = socket().remote_endpoint(e);
    if (!e) address_ = end.address().to_string() + ":" + std::to_string(end.port());
  }

  // Tells what the unfinished frame takes, where that is worth telling.
  void hold(std::size_t bytes) {
    if (!events_.holds || (bytes <= kSmallFrame && !told_)) return;
    told_ = bytes > kSmallFrame;
    events_.holds(*this, told_ ? bytes : 0);
  }

  void say_hello() {
    wire::Hello hello{kWireVersion, settings_.chain, {}};
    if (id < kFirstClient) hello.incarnation = settings_.incarnation;
    if (id < kFirstClient) hello.gc_rounds = settings_.gc_rounds;
    queue_up({kHello, wire::encode(hello), {}});
  }

  // A large payload is written from where it lies.
  void append(const Frame& f) {
    put_u32(out_, 5 + f.control.size() + f.payload.size());
    out_.push_back(static_cast<std::byte>(f.kind));
    put_u32(out_, f.control.size());
    const ByteView control = f.control.view();
    const ByteView payload = f.payload.view();
    out_.insert(out_.end(), control.begin(), control.end());
    if (payload.size() < kLargePayload) {
      out_.insert(out_.end(), payload.begin(), payload.end());
    } else {
      large_.push_back({out_.size(), f.payload});
    }
  }

  // What append() gathered, in its order.
  std::vector<boost::asio::const_buffer> parts_to_write() const {
    std::vector<boost::asio::const_buffer> out;
    std::size_t done = 0;
    for (const auto& [at, payload] : large_) {
      out.emplace_back(out_.data() + done, at - done);
      out.emplace_back(payload.view().data(), payload.size());
      done = at;
    }
    if (done < out_.size()) out.emplace_back(out_.data() + done, out_.size() - done);
    return out;
  }

  // Many frames a write: TLS records stay full and system calls few.
  void write() {
    out_.clear();
    std::size_t bytes = 0;
    while (!queue_.empty() && bytes < kWriteBytes) {
      bytes += size_of(queue_.front());
      leaving_ += weight_of(queue_.front());
      append(queue_.front());
      queue_.pop_front();
    }
    if (out_.empty()) return;
    writing_ = true;
    stream_.write(parts_to_write());
  }

  void was_written(const error_code& e, std::size_t n) override {
    writing_ = false;
    large_.clear();
    bytes_sent += n;
    if (closed_) return;  // what waited does not count any more
    release(std::exchange(leaving_, 0));
    if (e) return close("write failed: " + e.message());
    write();
  }

  std::uint32_t frame_limit() const { return ready_ ? settings_.max_frame_bytes : kHelloBytes; }
  // By the size field alone: no more may come of a frame that says it is shorter than its head.
  bool size_allowed() const {
    const std::uint32_t total = get_u32(head_.data());
    return total >= kLeastFrame && total <= frame_limit();
  }

  // Frames as they come; a peer that sends without end lets others have their turn.
  void read_on() {
    if (reading_) return;  // this is called by what a frame brought about
    reading_ = true;
    std::size_t left = kReadBytes;
    const std::uint64_t last = frames_ + kReadFrames;
    while (may_read()) {
      const bool more = left > 0 && frames_ < last;
      const std::size_t n = more ? stream_.read_now(room_to_read()) : 0;
      if (n == 0) {
        stream_.read(room_to_read());
        return;
      }
      left -= std::min(left, n);
      take_bytes(n);
    }
    reading_ = false;
  }

  void was_read(const error_code& e, std::size_t n) override {
    if (closed_) return;
    if (e && stream_.renews_without_end())
      return refuse("the peer renews its TLS keys without end");
    if (e) return close("connection lost: " + e.message());
    take_bytes(n);
    reading_ = false;
    if (may_read()) read_on();
  }

  bool may_read() const { return !closed_ && !paused_ && !preparing_; }

  std::span<std::byte> room_to_read() {
    if (reading_body_) return {body_.get() + have_, room_ - have_};
    return std::span(head_).subspan(head_have_);
  }

  // What was just read, into the head or the body of a frame. A head that says an impossible size
  // is not waited for.
  void take_bytes(std::size_t n) {
    bytes_received += n;
    if (!reading_body_) {
      head_have_ += n;
      if (head_have_ == kFrameHead || (head_have_ >= kSizeField && !size_allowed())) begin_body();
      return;
    }
    have_ += n;
    if (have_ == room_) go_on_with_body();
  }

  void begin_body() {
    head_have_ = 0;
    const std::uint32_t total = get_u32(head_.data());
    const std::string what = "a frame of " + std::to_string(total) + " bytes is ";
    if (total < kLeastFrame) return refuse(what + "shorter than its own head");
    if (!size_allowed()) return refuse(what + "over the limit of " + std::to_string(frame_limit()));
    if (const std::uint32_t control = get_u32(head_.data() + 5); control > total - kLeastFrame) {
      return refuse(what + "shorter than its control part of " + std::to_string(control));
    }
    ++frames_;
    reading_body_ = true;
    total_ = total - kLeastFrame;
    go_on_with_body();
  }

  bool from_member() const { return ready_ && id < kFirstClient; }

  // Room for what is read next: as much again as has arrived, so a client that announces much and
  // sends little costs little. The frame, when all has arrived.
  void go_on_with_body() {
    if (have_ == total_) {
      reading_body_ = false;
      hold(0);
      return accept_frame();
    }
    const std::size_t most = from_member() ? total_ : have_ + std::max(have_, kSmallFrame);
    const std::size_t size = std::min(total_, most);
    auto room = std::make_unique_for_overwrite<std::byte[]>(size);
    if (have_ > 0) std::memcpy(room.get(), body_.get(), have_);
    body_ = std::move(room);
    room_ = size;
    hold(room_);  // who holds too much may be closed here
  }

  // True: the helper has a look at it, and it is handed on behind that.
  bool prepare(const Frame& frame) {
    const bool large = frame.payload.size() >= TlsStream::kWorthHelping;
    if (!settings_.helper || !events_.prepare || !large || !from_member()) return false;
    preparing_ = true;
    std::function<void()> work = [self = shared_from_this(), copy = frame,
                                  loop = socket().get_executor()]() mutable {
      copy.prepared = self->events_.prepare(copy);
      boost::asio::post(loop, [self = std::move(self), copy = std::move(copy)]() mutable {
        self->preparing_ = false;
        if (self->closed_) return;
        self->events_.frame(*self, std::move(copy));
        if (self->may_read()) self->read_on();
      });
    };
    if (settings_.helper->give(work)) return true;
    preparing_ = false;
    return false;
  }

  void accept_frame() {
    const std::size_t size = std::exchange(have_, 0);
    const std::uint32_t control = get_u32(head_.data() + 5);
    const Bytes all = Bytes::from(std::move(body_), size);
    Frame frame{static_cast<std::uint8_t>(head_[4]), all.slice(0, control),
                all.slice(control, size - control)};
    if (dismissed_) return;
    if (ready_ && prepare(frame)) return;
    if (ready_) return events_.frame(*this, std::move(frame));
    const auto hello = wire::decode<wire::Hello>(frame.control.view());
    if (frame.kind != kHello || !hello) return refuse("the peer did not say hello");
    version_ = hello->version;
    const std::uint32_t least = settings_.oldest_version(key_);
    if (version_ > kWireVersion || version_ < least) {
      return refuse("the peer speaks wire version " + std::to_string(hello->version) +
                    ", this node " + std::to_string(kWireVersion) + "; upgrade the older one");
    }
    if (hello->chain != settings_.chain) return refuse(settings_.other_chain);
    if (hello->gc_rounds > 0 && settings_.gc_rounds > 0 && hello->gc_rounds != settings_.gc_rounds)
      return refuse("the peer has limits.gc_rounds = " + std::to_string(hello->gc_rounds) +
                    ", this node " + std::to_string(settings_.gc_rounds) +
                    ": what is ordered depends on it, so all nodes need the same number in "
                    "node.toml");
    if (hello->incarnation && !signed_with(key_, settings_.chain, *hello->incarnation))
      return refuse("the peer's hello is not signed with its key");
    incarnation_ = hello->incarnation;
    ready_ = true;
    deadline_.cancel();
    events_.ready(*this);
  }

  std::shared_ptr<TlsUser> keep() override { return shared_from_this(); }

  std::shared_ptr<Context> context_;
  TlsStream stream_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer pause_end_;
  Settings settings_;
  Events events_;
  std::deque<Frame> queue_;
  std::size_t queued_bytes_ = 0;  // the weight of what waits or is being written
  std::size_t leaving_ = 0;       // the weight of what is being written
  std::shared_ptr<std::size_t> shared_bytes_ = std::make_shared<std::size_t>(0);
  /// A payload that is not copied into `out_`, and what of that goes before it.
  struct Large {
    std::size_t at = 0;
    Bytes payload;
  };
  std::vector<std::byte> out_;
  std::vector<Large> large_;
  std::unique_ptr<std::byte[]> body_;
  std::size_t room_ = 0;   // bytes of it
  std::size_t have_ = 0;   // that arrived
  std::size_t total_ = 0;  // of the frame, behind its head
  std::array<std::byte, kFrameHead> head_{};
  std::size_t head_have_ = 0;
  PublicKey key_{};  // the peer's
  std::optional<Incarnation> incarnation_;
  std::uint32_t version_ = kWireVersion;
  bool writing_ = false;
  bool reading_ = false;
  bool preparing_ = false;  // the last frame, before it is handed on
  bool ready_ = false;
  bool closed_ = false;
  bool paused_ = false;
  bool dismissed_ = false;
  bool refused_ = false;
  std::string address_;
  bool told_ = false;  // of the unfinished frame
  bool reading_body_ = false;
  std::uint64_t frames_ = 0;  // begun
  std::uint64_t watched_frame_ = 0;
  std::uint64_t watched_bytes_ = 0;
};

}  // namespace thresher::net

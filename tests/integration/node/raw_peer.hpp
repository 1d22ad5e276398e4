// Somebody who speaks TLS to a node, but is no Transport: sends any bytes, at any pace, reads when
// it likes, and can vanish without a word.
//
//   RawPeer peer(port, crypto::SigningKey::generate());     // a client; or with a node's key: it
//   ASSERT_TRUE(peer.greet(chain));
//   peer.write(head_of(kSubmit, 0, 1000));                  // announces, and sends nothing
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {

/// A connection to a port of this machine, or -1.
inline int connect_to(std::uint16_t port, int receive_buffer = 0) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer > 0)
    (void)::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

/// The head of a frame; `body`: bytes of control and payload that it announces.
inline std::vector<std::byte> head_of(std::uint8_t kind, std::uint32_t control,
                                      std::uint32_t body) {
  std::vector<std::byte> out;
  const auto u32 = [&out](std::uint32_t v) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(v >> (8 * i)));
  };
  u32(5 + body);
  out.push_back(static_cast<std::byte>(kind));
  u32(control);
  return out;
}

inline std::vector<std::byte> bytes_of(const Frame& f) {
  auto out = head_of(f.kind, static_cast<std::uint32_t>(f.control.size()),
                     static_cast<std::uint32_t>(f.control.size() + f.payload.size()));
  out.insert(out.end(), f.control.view().begin(), f.control.view().end());
  out.insert(out.end(), f.payload.view().begin(), f.payload.view().end());
  return out;
}

/// Memory of this process that is in use. Unit: bytes. 0 under a sanitizer, which keeps what was
/// freed, so that its own would be measured.
inline std::uint64_t resident_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;
#else
  std::ifstream in("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
#endif
}

class RawPeer {
 public:
  RawPeer(std::uint16_t port, const crypto::SigningKey& key, int receive_buffer = 0)
      : fd_(connect_to(port, receive_buffer)), context_(SSL_CTX_new(TLS_client_method())) {
    (void)std::signal(SIGPIPE, SIG_IGN);  // the other side may close while this one writes
    const timeval patience{20, 0};
    (void)::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_3_VERSION);
    identify(key);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_msg_callback(ssl_.get(), [](int write, int, int type, const void* data,
                                        std::size_t size, SSL*, void* self) {
      const bool message = write == 0 && type == SSL3_RT_HANDSHAKE && size > 0;
      if (message && *static_cast<const unsigned char*>(data) == SSL3_MT_KEY_UPDATE)
        ++static_cast<RawPeer*>(self)->renewals_;
    });
    SSL_set_msg_callback_arg(ssl_.get(), this);
    SSL_set_fd(ssl_.get(), fd_);
  }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  ~RawPeer() {
    ssl_.reset();
    if (fd_ >= 0) ::close(fd_);
  }

  /// TLS, then hellos both ways. `start`: which start of a member it claims to be.
  bool greet(const Digest& chain, const std::optional<Incarnation>& start = {}) {
    return handshake() && greet_now(chain, start);
  }
  /// The hellos alone. Pre: handshake().
  bool greet_now(const Digest& chain, const std::optional<Incarnation>& start = {}) {
    const wire::Hello hello{kWireVersion, chain, start};
    if (!write(bytes_of({0, wire::encode(hello), {}}))) return false;
    return frame().has_value();
  }
  bool handshake() { return fd_ >= 0 && SSL_connect(ssl_.get()) == 1; }
  /// The same over a long way: every answer to the other side leaves so much later.
  bool handshake_slowly(std::chrono::milliseconds pause) {
    if (fd_ < 0) return false;
    (void)::fcntl(fd_, F_SETFL, O_NONBLOCK);
    int done = SSL_connect(ssl_.get());
    while (done != 1 && SSL_get_error(ssl_.get(), done) == SSL_ERROR_WANT_READ) {
      std::this_thread::sleep_for(pause);
      done = SSL_connect(ssl_.get());
    }
    (void)::fcntl(fd_, F_SETFL, 0);
    return done == 1;
  }
  bool write(ByteView data) {
    std::size_t done = 0;
    return SSL_write_ex(ssl_.get(), data.data(), data.size(), &done) == 1 && done == data.size();
  }
  /// How often the other side has taken new keys, as far as was read.
  std::uint64_t renewals() const { return renewals_; }
  /// New keys for what it sends; the other side is asked for new ones, too.
  bool renew_keys() {
    return SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED) == 1 &&
           SSL_do_handshake(ssl_.get()) == 1;
  }
  /// Up to so many bytes, at least one; none: the connection is over.
  std::vector<std::byte> read(std::size_t most) {
    std::vector<std::byte> out(most);
    std::size_t n = 0;
    if (SSL_read_ex(ssl_.get(), out.data(), out.size(), &n) != 1) n = 0;
    out.resize(n);
    return out;
  }
  /// Whether something waits to be read, or the end; looks for 20 ms.
  bool readable() {
    if (SSL_pending(ssl_.get()) > 0) return true;
    pollfd one{fd_, POLLIN, 0};
    return ::poll(&one, 1, 20) > 0;
  }
  /// The next frame; none: the connection is over.
  std::optional<Frame> frame() {
    const auto head = exactly(9);
    if (head.size() != 9) return std::nullopt;
    const auto u32 = [&head](std::size_t at) {
      std::uint32_t v = 0;
      for (std::size_t i = 4; i-- > 0;) v = v << 8 | std::to_integer<std::uint32_t>(head[at + i]);
      return v;
    };
    const std::size_t size = u32(0) - 5;
    const Bytes all = Bytes::from(exactly(size));
    if (all.size() != size) return std::nullopt;
    const std::size_t control = u32(5);
    return Frame{std::to_integer<std::uint8_t>(head[4]), all.slice(0, control),
                 all.slice(control, size - control)};
  }
  /// The next frame after a node's welcome.
  std::optional<Frame> answer() {
    auto next = frame();
    return next && next->kind == kWelcome ? frame() : next;
  }
  /// True once the other side has closed; what it sent before is read and thrown away.
  bool ends() {
    while (!read(65536).empty()) {
    }
    return errno != EAGAIN && errno != EWOULDBLOCK;
  }
  /// From now on nothing that arrives is seen or acknowledged, as if the machine were gone.
  bool vanish() {
    sock_filter drop_all{BPF_RET | BPF_K, 0, 0, 0};
    const sock_fprog program{1, &drop_all};
    return ::setsockopt(fd_, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
  }

 private:
  struct Free {
    void operator()(SSL_CTX* c) const { SSL_CTX_free(c); }
    void operator()(SSL* s) const { SSL_free(s); }
    void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
    void operator()(X509* x) const { X509_free(x); }
  };
  void identify(const crypto::SigningKey& key) {
    const std::unique_ptr<EVP_PKEY, Free> secret(EVP_PKEY_new_raw_private_key(
        EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(key.seed().data()),
        key.seed().size()));
    const std::unique_ptr<X509, Free> certificate(X509_new());
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), secret.get());
    X509_sign(certificate.get(), secret.get(), nullptr);
    SSL_CTX_use_certificate(context_.get(), certificate.get());
    SSL_CTX_use_PrivateKey(context_.get(), secret.get());
  }
  std::vector<std::byte> exactly(std::size_t size) {
    std::vector<std::byte> out;
    while (out.size() < size) {
      const auto part = read(size - out.size());
      if (part.empty()) break;
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }

  int fd_;
  std::uint64_t renewals_ = 0;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace thresher::net

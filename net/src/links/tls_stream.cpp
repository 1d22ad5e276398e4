#include "links/tls_stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace thresher::net {
namespace {

namespace asio = boost::asio;

/// A peer may renew its keys so often, and once more for each so many bytes that came from it: a
/// renewal is short to send, and takes as long to follow as 100 KB of data. Libraries that renew
/// keys by themselves do it every 2^24 records.
constexpr std::uint64_t kRenewals = 32;
constexpr std::uint64_t kBytesPerRenewal = 1u << 20;
/// They are followed before they are counted, all that come in one piece. So pieces are small until
/// so much has come from a peer.
constexpr std::uint64_t kKnown = 64 * 1024;
constexpr int kSmallPiece = 4 * 1024;

/// Plain bytes that are encrypted before what came of them leaves: four full records of TLS.
constexpr std::size_t kPortion = 4 * SSL3_RT_MAX_PLAIN_LENGTH;

bool again(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}

}  // namespace

// What stands between TLS and the socket: ciphertext is received to where TLS wants it, and
// gathered before it is sent.
struct TlsStream::Bio {
  int socket = -1;
  bool empty = false;  // the socket gave all that it had
  bool ended = false;
  int error = 0;  // of the last call that failed
  std::uint64_t received = 0;
  std::uint64_t renewals = 0;  // of its keys by the peer
  std::vector<char> out;
  std::size_t sent = 0;  // of `out`

  static Bio& of(BIO* bio) { return *static_cast<Bio*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* into, int size) {
    Bio& self = of(bio);
    BIO_clear_retry_flags(bio);
    if (self.renewed_too_often()) {
      self.error = EPROTO;
      return -1;
    }
    if (!self.empty) {
      if (self.received < kKnown) size = std::min(size, kSmallPiece);
      ssize_t n = 0;
      do {
        n = ::recv(self.socket, into, static_cast<std::size_t>(size), 0);
      } while (n < 0 && errno == EINTR);
      self.error = n < 0 && !again(errno) ? errno : 0;
      self.ended = n == 0;
      self.empty = n > 0 ? n < size : self.error == 0 && !self.ended;
      if (n > 0) {
        self.received += static_cast<std::uint64_t>(n);
        return static_cast<int>(n);
      }
    }
    if (!self.empty) return self.ended ? 0 : -1;
    BIO_set_retry_read(bio);
    return -1;
  }

  bool renewed_too_often() const { return renewals > kRenewals + received / kBytesPerRenewal; }

  static void note(int is_write, int, int type, const void* data, std::size_t size, SSL*,
                   void* self) {
    if (is_write != 0 || type != SSL3_RT_HANDSHAKE || size == 0) return;
    if (*static_cast<const unsigned char*>(data) == SSL3_MT_KEY_UPDATE)
      ++static_cast<Bio*>(self)->renewals;
  }

  static int write(BIO* bio, const char* from, int size) {
    Bio& self = of(bio);
    BIO_clear_retry_flags(bio);
    self.out.insert(self.out.end(), from, from + size);
    return size;
  }

  static long control(BIO* bio, int what, long, void*) {
    if (what == BIO_CTRL_EOF) return of(bio).ended ? 1 : 0;
    return what == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static int created(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }

  static BIO* make(Bio& self) {
    static BIO_METHOD* const kMethod = [] {
      BIO_METHOD* m =
          BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "a socket of thresher");
      BIO_meth_set_read(m, &Bio::read);
      BIO_meth_set_write(m, &Bio::write);
      BIO_meth_set_ctrl(m, &Bio::control);
      BIO_meth_set_create(m, &Bio::created);
      return m;
    }();
    BIO* bio = BIO_new(kMethod);
    BIO_set_data(bio, &self);
    return bio;
  }
};

TlsStream::TlsStream(Socket socket, asio::ssl::context& context, TlsUser& user,
                     std::shared_ptr<Helper> helper, std::uint64_t records_per_key)
    : socket_(std::move(socket)),
      user_(user),
      helper_(std::move(helper)),
      records_per_key_(records_per_key),
      bio_(std::make_unique<Bio>()),
      ssl_(SSL_new(context.native_handle())) {
  BIO* const bio = Bio::make(*bio_);
  SSL_set_bio(ssl_, bio, bio);  // takes the one reference
  SSL_set_read_ahead(ssl_, 1);
  // Most connections are idle most of the time, and many are those of strangers.
  SSL_set_mode(ssl_, SSL_MODE_RELEASE_BUFFERS);
  SSL_set_msg_callback(ssl_, &Bio::note);
  SSL_set_msg_callback_arg(ssl_, bio_.get());
}

TlsStream::~TlsStream() {
  SSL_free(ssl_);
}

bool TlsStream::renews_without_end() const {
  return bio_->renewed_too_often();
}

X509* TlsStream::certificate() const {
  return SSL_get0_peer_certificate(ssl_);
}

void TlsStream::handshake(Role role) {
  error_code ignored;  // a socket that cannot be set up fails at its first use
  socket_.native_non_blocking(true, ignored);
  bio_->socket = socket_.native_handle();
  role == Role::kClient ? SSL_set_connect_state(ssl_) : SSL_set_accept_state(ssl_);
  shaking_ = true;
  const Operation what{Direction::kRead, &TlsStream::shake};
  // A server has nothing to say before it was spoken to.
  role == Role::kClient ? begin(what, true) : wait_for(what, false);
}

std::size_t TlsStream::read_now(std::span<std::byte> into) {
  const bool for_helper = helper_ && (helped_ > 0 || into.size() >= kWorthHelping);
  if (closed_ || drained_ || read_error_ || for_helper) return 0;
  into_ = into;
  (void)pull();
  return std::exchange(got_, 0);
}

void TlsStream::read(std::span<std::byte> into) {
  into_ = into;
  const Operation what{Direction::kRead, &TlsStream::pull};
  if (read_error_) return later(what);
  drained_ ? wait_for(what, false) : begin(what, into.size() >= kWorthHelping);
}

void TlsStream::write(std::vector<asio::const_buffer> parts) {
  parts_ = std::move(parts);
  part_ = offset_ = 0;
  begin({Direction::kWrite, &TlsStream::push}, left_to_write() >= kWorthHelping);
}

void TlsStream::close() {
  if (std::exchange(closed_, true)) return;
  error_code ignored;
  if (helped_ == 0) {
    socket_.close(ignored);
  } else {  // the helper uses its number, which must not become another file's
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.cancel(ignored);
  }
}

TlsStream::End TlsStream::end_of(int result, error_code& why) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return End::kWantsRead;
    case SSL_ERROR_ZERO_RETURN:
      why = asio::error::eof;
      return End::kFailed;
    case SSL_ERROR_SYSCALL:
      why = bio_->error != 0 ? error_code(bio_->error, asio::error::get_system_category())
                             : error_code(asio::ssl::error::stream_truncated);
      return End::kFailed;
    default: {
      const unsigned long reason = ERR_get_error();
      const bool cut = ERR_GET_REASON(reason) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
      why = cut ? error_code(asio::ssl::error::stream_truncated)
                : error_code(static_cast<int>(reason), asio::error::get_ssl_category());
      return End::kFailed;
    }
  }
}

TlsStream::End TlsStream::shake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  const End end = result == 1 ? End::kDone : end_of(result, read_error_);
  const End sent = send_out();
  // What was said of an error may be lost with the link.
  if (end == End::kFailed || sent == End::kDone) return end;
  if (sent == End::kFailed) read_error_ = write_error_;
  return sent;
}

TlsStream::End TlsStream::pull() {
  ERR_clear_error();
  drained_ = false;
  while (got_ < into_.size()) {
    std::size_t n = 0;
    const int result = SSL_read_ex(ssl_, into_.data() + got_, into_.size() - got_, &n);
    got_ += n;
    if (result == 1) continue;
    const End end = end_of(result, read_error_);
    drained_ = true;
    return got_ > 0 ? End::kDone : end;
  }
  return End::kDone;
}

TlsStream::End TlsStream::push() {
  for (;;) {
    const End sent = send_out();
    if (sent != End::kDone || part_ == parts_.size()) return sent;
    encrypt_some();
    if (write_error_) return End::kFailed;
  }
}

TlsStream::End TlsStream::send_out() {
  Bio& bio = *bio_;
  while (bio.sent < bio.out.size()) {
    const ssize_t n = ::send(bio.socket, bio.out.data() + bio.sent, bio.out.size() - bio.sent,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      bio.sent += static_cast<std::size_t>(n);
    } else if (again(errno)) {
      return End::kWantsWrite;
    } else if (errno != EINTR) {
      write_error_ = error_code(errno, asio::error::get_system_category());
      return End::kFailed;
    }
  }
  bio.out.clear();
  bio.sent = 0;
  return End::kDone;
}

void TlsStream::encrypt_some() {
  ERR_clear_error();
  for (std::size_t left = kPortion; left > 0 && part_ < parts_.size();) {
    const asio::const_buffer rest = parts_[part_] + offset_;
    const std::size_t size = std::min(rest.size(), left);
    if (records_ >= records_per_key_) {  // leaves in front of the next record
      if (SSL_key_update(ssl_, SSL_KEY_UPDATE_NOT_REQUESTED) != 1)
        return void(end_of(0, write_error_));
      records_ = 0;
    }
    records_ += 1 + size / SSL3_RT_MAX_PLAIN_LENGTH;
    std::size_t n = 0;
    const int result = size == 0 ? 1 : SSL_write_ex(ssl_, rest.data(), size, &n);
    if (result != 1) {
      (void)end_of(result, write_error_);
      return;
    }
    left -= n;
    offset_ += n;
    if (offset_ < parts_[part_].size()) continue;
    ++part_;
    offset_ = 0;
  }
}

// Plain bytes. What is encrypted already costs little to send.
std::size_t TlsStream::left_to_write() const {
  std::size_t out = 0;
  for (std::size_t i = part_; i < parts_.size(); ++i) out += parts_[i].size();
  return out - offset_;
}

// Whether so much waits in the socket. The question costs less than the change of threads.
bool TlsStream::worth_helping() const {
  int bytes = 0;
  if (!helper_ || into_.size() < kWorthHelping) return false;
  return ::ioctl(bio_->socket, FIONREAD, &bytes) == 0 &&
         static_cast<std::size_t>(bytes) >= kWorthHelping;
}

// Begins a step, or goes on with one where the helper is wanted. While the helper has one of the
// stream's steps it gets the others too.
void TlsStream::begin(const Operation& what, bool with_helper) {
  if (helper_ && (with_helper || helped_ > 0)) {
    ++helped_;
    std::function<void()> work = [this, what, keep = user_.keep(),
                                  loop = socket_.get_executor()]() mutable {
      const End end = (this->*what.step)();
      // It is the loop's thread that forgets the user.
      asio::post(loop, [this, what, end, keep = std::move(keep)] {
        --helped_;
        go_on(what, end);
      });
    };
    if (helper_->give(work)) return;
    --helped_;
  }
  const End end = (this->*what.step)();
  if (end == End::kDone || end == End::kFailed) return later(what);
  wait_for(what, end == End::kWantsWrite);
}

void TlsStream::go_on(const Operation& what, End end) {
  if (closed_ && helped_ == 0) {
    error_code ignored;
    socket_.close(ignored);
  }
  if (closed_ || end == End::kDone || end == End::kFailed) return finish(what.direction);
  wait_for(what, end == End::kWantsWrite);
}

void TlsStream::wait_for(const Operation& what, bool room) {
  socket_.async_wait(room ? Socket::wait_write : Socket::wait_read,
                     [this, what, room, keep = user_.keep()](const error_code& e) {
                       if (e && !closed_)
                         (what.direction == Direction::kRead ? read_error_ : write_error_) = e;
                       if (e || closed_) return finish(what.direction);
                       const bool writes = what.direction == Direction::kWrite;
                       if (!room) bio_->empty = false;
                       const bool much =
                           writes ? left_to_write() >= kWorthHelping : shaking_ || worth_helping();
                       if (helper_ && (much || helped_ > 0)) return begin(what, true);
                       go_on(what, (this->*what.step)());
                     });
}

void TlsStream::later(const Operation& what) {
  asio::post(socket_.get_executor(), [this, what, keep = user_.keep()] { finish(what.direction); });
}

void TlsStream::finish(Direction direction) {
  const error_code aborted = closed_ ? error_code(asio::error::operation_aborted) : error_code();
  if (direction == Direction::kWrite) {
    const error_code e = closed_ ? aborted : write_error_;
    std::size_t bytes = 0;
    for (const asio::const_buffer& part : std::exchange(parts_, {})) bytes += e ? 0 : part.size();
    return user_.was_written(e, bytes);
  }
  if (std::exchange(shaking_, false)) return user_.shook_hands(closed_ ? aborted : read_error_);
  const std::size_t n = std::exchange(got_, 0);
  if (closed_) return user_.was_read(aborted, 0);
  user_.was_read(n > 0 ? error_code() : read_error_, n);
}

}  // namespace thresher::net

// TLS 1.3 over one socket: a handshake, then bytes both ways. Private to connection.hpp.
//
//   class Connection : public TlsUser { TlsStream stream_; ... };
//   stream_.handshake(TlsStream::Role::kServer);        // then shook_hands()
//   while ((n = stream_.read_now(room)) > 0) ...        // what is at hand
//   stream_.read(room);                                 // then was_read(), with some more
//   stream_.write(parts);                               // then was_written(), when all has left
//
// Plain bytes are encrypted from where they lie and decrypted to where they are wanted; the
// ciphertext of a read comes right from the socket, that of a write leaves 64 KiB at a time. With a
// helper, transfers of more than kWorthHelping and handshakes are its work: it encrypts, decrypts,
// sends and receives, while the loop's thread goes on.
//
// Guarantees: a peer that renews its keys without end, which is short to say and long to follow, is
// given up. The user is called on the loop's thread, never by a call of its own, once for each
// operation, also when close() ended it; it lives until then. One handshake, then at most one read
// and one write at a time. After an operation failed the stream is only good to be closed.
// Does not judge keys, and says no goodbye: who holds a link notices its end by the socket.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "links/asio.hpp"
#include "links/helpers.hpp"

namespace thresher::net {

/// Who owns a stream and is told how its operations ended.
class TlsUser {
 public:
  using error_code = boost::system::error_code;

 protected:
  TlsUser() = default;
  TlsUser(const TlsUser&) = delete;
  TlsUser& operator=(const TlsUser&) = delete;
  virtual ~TlsUser() = default;

 private:
  friend class TlsStream;
  /// Keeps the owner for as long as something goes on.
  virtual std::shared_ptr<TlsUser> keep() = 0;
  virtual void shook_hands(const error_code& e) = 0;
  /// At least one byte, or an error.
  virtual void was_read(const error_code& e, std::size_t bytes) = 0;
  /// All of it, or an error.
  virtual void was_written(const error_code& e, std::size_t bytes) = 0;
};

class TlsStream {
 public:
  using error_code = boost::system::error_code;
  using Socket = boost::asio::ip::tcp::socket;
  enum class Role : std::uint8_t { kClient, kServer };
  /// Plain bytes at once from which on a helper is worth its two changes of threads.
  static constexpr std::size_t kWorthHelping = 16 * 1024;

  /// `helper`: null where the loop's thread does all. `records_per_key`: after so many this side
  /// takes new keys for what it writes.
  TlsStream(Socket socket, boost::asio::ssl::context& context, TlsUser& user,
            std::shared_ptr<Helper> helper, std::uint64_t records_per_key);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  Socket& socket() { return socket_; }
  /// What the peer proved to hold. Pre: the handshake is over; null where there is none.
  X509* certificate() const;
  /// Why a read failed: the peer renewed its keys more often than its data explain. Pre: no read
  /// goes on.
  bool renews_without_end() const;

  /// Pre: the socket is connected.
  void handshake(Role role);
  /// What can be had without a wait, and on this thread alone: 0 says nothing of what there is.
  /// Pre: no read goes on.
  std::size_t read_now(std::span<std::byte> into);
  /// Pre: no read goes on. `into` stays until was_read().
  void read(std::span<std::byte> into);
  /// Pre: no write goes on. What the parts show stays as it is until was_written().
  void write(std::vector<boost::asio::const_buffer> parts);
  /// Every operation that goes on ends with operation_aborted.
  void close();

 private:
  enum class End : std::uint8_t { kDone, kWantsRead, kWantsWrite, kFailed };
  enum class Direction : std::uint8_t { kRead, kWrite };
  using Step = End (TlsStream::*)();
  /// A read or a write; the handshake is a read.
  struct Operation {
    Direction direction;
    Step step;
  };
  struct Bio;

  // Steps: what can be done without a wait, on the loop's thread or the helper's.
  End shake();
  End pull();
  End push();
  End send_out();
  void encrypt_some();
  End end_of(int result, error_code& why);

  void begin(const Operation& what, bool with_helper);
  void go_on(const Operation& what, End end);
  void wait_for(const Operation& what, bool room);
  void later(const Operation& what);
  void finish(Direction direction);
  bool worth_helping() const;
  std::size_t left_to_write() const;

  Socket socket_;
  TlsUser& user_;
  const std::shared_ptr<Helper> helper_;
  const std::uint64_t records_per_key_;
  std::unique_ptr<Bio> bio_;
  SSL* const ssl_;
  bool closed_ = false;
  unsigned helped_ = 0;  // steps that the helper was given and has not come back with

  // Of the read that goes on.
  std::span<std::byte> into_;
  std::size_t got_ = 0;
  error_code read_error_;
  bool shaking_ = false;
  bool drained_ = false;  // TLS has nothing of what the socket gave
  // Of the write that goes on.
  std::vector<boost::asio::const_buffer> parts_;
  std::size_t part_ = 0;       // the first that is not encrypted whole
  std::size_t offset_ = 0;     // in it
  std::uint64_t records_ = 0;  // under the key that is used now, at most
  error_code write_error_;
};

}  // namespace thresher::net

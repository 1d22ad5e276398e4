// A client written from docs/client-protocol.md alone, and one of an older version.
#include "thresher/net/wire.hpp"

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "network.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

// Bytes over TLS with a fresh Ed25519 identity; knows nothing of frames.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) {
    context_ = SSL_CTX_new(TLS_client_method());
    identify();
    ssl_ = SSL_new(context_);
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{20, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto dial = [&] {
      return ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
             errno == EISCONN;
    };
    up_ = Network::eventually(dial) && SSL_set_fd(ssl_, fd_) == 1 && SSL_connect(ssl_) == 1;
  }
  ~RawClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    ::close(fd_);
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool up() const { return up_; }
  const PublicKey& key() const { return key_; }
  void send(const std::string& bytes) {
    EXPECT_EQ(SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())),
              static_cast<int>(bytes.size()));
  }
  /// Fewer when the node closed the connection.
  std::string receive(std::size_t size) {
    std::string out;
    while (out.size() < size) {
      char c = 0;
      if (SSL_read(ssl_, &c, 1) != 1) break;
      out += c;
    }
    return out;
  }

 private:
  void identify() {
    EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    X509* cert = X509_new();
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -60);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, key);
    std::size_t size = key_.size();
    EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(key_.data()), &size);
    X509_sign(cert, key, nullptr);
    SSL_CTX_use_certificate(context_, cert);
    SSL_CTX_use_PrivateKey(context_, key);
    X509_free(cert);
    EVP_PKEY_free(key);
  }
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  int fd_ = -1;
  PublicKey key_{};
  bool up_ = false;
};

std::string u32(std::size_t v) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += static_cast<char>(v >> (8 * i) & 0xff);
  return out;
}
std::string u64(std::size_t v) {
  return u32(v & 0xffffffff) + u32(v >> 32);
}
std::string frame(int kind, const std::string& control, const std::string& payload = {}) {
  return u32(5 + control.size() + payload.size()) + static_cast<char>(kind) + u32(control.size()) +
         control + payload;
}
std::string chain_of(const Network& net) {
  return std::string(as_text(net.genesis().context().chain.bytes));
}

TEST(WireVersion, AnOlderPeerIsRefusedAndTheNodeGoesOn) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  RawClient old(net.genesis().nodes[0].port);
  ASSERT_TRUE(old.up());
  const std::string hello = old.receive(9 + 36);
  // What version 1 reads: a version that it does not speak, so it says to upgrade the older one.
  Reader in(as_view(hello).subspan(9));
  EXPECT_NE(in.u32(), 1u);
  (void)in.digest();
  EXPECT_TRUE(in.done());
  old.send(frame(0, u32(1) + chain_of(net)));
  EXPECT_EQ(old.receive(1), "");  // closed
  EXPECT_EQ(net.submit(0, "after").position, 0u);
}

TEST(WireVersion, TheRefusalSaysWhatToDo) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  PeerAddress self{crypto::SigningKey::generate().public_key(), "127.0.0.1", 0};
  Loop loop;
  std::string why;
  TransportOptions options;
  options.key = crypto::SigningKey::generate();
  self.key = options.key.public_key();
  self.port = free_ports(1).at(0);
  options.nodes = {self};
  Transport transport(loop, options,
                      {[](ConnectionId, const Frame&) {}, [](ConnectionId, bool) {},
                       [&](const std::string& w) {
                         why = w;
                         loop.stop();
                       }});
  ASSERT_TRUE(transport.start());
  std::thread old([&] {
    RawClient client(self.port);
    ASSERT_TRUE(client.up());
    client.send(frame(0, u32(1) + std::string(32, '\0')));
    (void)client.receive(100);
  });
  loop.call_after(20'000'000, [&] { loop.stop(); });
  loop.run();
  old.join();
  EXPECT_EQ(why, "the peer speaks wire version 1, this node 10; upgrade the older one");
}

TEST(WireVersion, AClientOfVersion2IsServedInItsOwnLayout) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  RawClient old(net.genesis().nodes[0].port);
  ASSERT_TRUE(old.up());
  (void)old.receive(9 + 36);
  old.send(frame(0, "\x08\x02\x12\x20" + chain_of(net)));
  const std::string ours = u64(7) + u64(3);  // client, sequence
  old.send(frame(kSubmit, {}, ours + u32(6) + "cut"));
  const std::string malformed = frame(kRefused, std::string("\x08\x00\x10\x00", 4));
  EXPECT_EQ(old.receive(malformed.size()), malformed);
  old.send(frame(kSubmit, {}, ours + u32(5) + "hello"));
  const std::string ack = frame(kAck, {}, ours + u64(0));
  EXPECT_EQ(old.receive(ack.size()), ack);
}

// It could not read them, and would take the node for a liar.
TEST(ClientProtocol, AClientOfAnOlderVersionIsToldThatItGetsNoProof) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  RawClient old(net.genesis().nodes[0].port);
  ASSERT_TRUE(old.up());
  (void)old.receive(9 + 36);
  old.send(frame(0, "\x08\x05\x12\x20" + chain_of(net)));
  (void)old.receive(9 + 28);  // the welcome
  old.send(frame(kProve, u64(0)));
  const std::string refused = frame(
      kProof, u64(0) + std::string(1, '\0') +
                  "proofs have another form since wire version 6: use a client of this release");
  EXPECT_EQ(old.receive(refused.size()), refused);
}

TEST(ClientProtocol, TheDocumentedBytesAreUnderstood) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  RawClient client(net.genesis().nodes[0].port);
  ASSERT_TRUE(client.up());
  const std::string hello = frame(0, "\x08\x0a\x12\x20" + chain_of(net));
  EXPECT_EQ(client.receive(hello.size()), hello);
  client.send(hello);
  const std::string id(as_text(client_id_of(client.key()).bytes));
  const std::string welcome =
      frame(kWelcome, std::string("\x08\x00\x12\x10", 4) + id + "\x18\x80\x80\x01\x20\x80\x80\x10");
  EXPECT_EQ(client.receive(welcome.size()), welcome);
  const std::string hello_entry = u64(0) + u32(5) + "hello";
  client.send(frame(kSubmit, std::string("\x08\x00\x10\x80\x80\x01", 6), hello_entry));
  const std::string ack_head = client.receive(9);
  ASSERT_EQ(ack_head.size(), 9u);
  EXPECT_EQ(ack_head[4], kAck);
  Reader sizes(as_view(ack_head));
  const std::uint32_t all = sizes.u32();
  (void)sizes.u8();
  const std::uint32_t control_size = sizes.u32();
  EXPECT_TRUE(wire::decode<wire::Ack>(as_view(client.receive(control_size))));
  EXPECT_EQ(client.receive(all - 5 - control_size), u64(0) + u64(0));
  ASSERT_TRUE(net.reaches(0, 1));
  client.send(frame(kSubscribe, std::string("\x08\x00", 2)));
  const std::string log = frame(kLog, std::string("\x08\x00\x10\x01", 4),
                                id + u64(0) + std::string("\x00\x40", 2) + u32(17) + hello_entry);
  EXPECT_EQ(client.receive(log.size()), log);
  // The same again, by a connection that wants results: the application gave none.
  client.send(frame(kSubmit, std::string("\x08\x00\x10\x80\x80\x01\x18\x01", 8), hello_entry));
  const std::string results_head = client.receive(9);
  ASSERT_EQ(results_head.size(), 9u);
  EXPECT_EQ(results_head[4], kResults);
  Reader result_sizes(as_view(results_head).subspan(5));
  EXPECT_TRUE(wire::decode<wire::Results>(as_view(client.receive(result_sizes.u32()))));
  EXPECT_EQ(client.receive(21), u64(0) + u64(0) + '\0' + u32(0));
  client.send(frame(kQuery, "\x08\x01\x10\x01", "sum"));
  const std::string reply =
      frame(kQueryReply, "\x08\x01\x10\x01\x18\x01", "this application answers no queries");
  EXPECT_EQ(client.receive(reply.size()), reply);
  client.send(frame(kStatus, {}));
  const std::string head = client.receive(9);
  ASSERT_EQ(head.size(), 9u);
  EXPECT_EQ(head[4], kStatusReply);
  Reader in(as_view(head).subspan(5));
  const std::string control = client.receive(in.u32());
  const auto status = decode_status(as_view(control));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->length, 1u);
}

}  // namespace
}  // namespace thresher::net

// What a link's TLS is set up with: who this end is, and that nothing but the key says who the
// other end is. Private to transport.cpp.
//
//   const std::shared_ptr<boost::asio::ssl::context> context = make_context(key);
//
// Guarantees: TLS 1.3 alone, with one cipher, and neither sessions nor tickets; the peer has proved
// to hold the key of its certificate. Whose key that is, the owner of the connection compares.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

#include "links/asio.hpp"
#include "thresher/crypto/signing_key.hpp"

namespace thresher::net {

// A self-signed certificate whose key is the node's key.
inline void install_identity(boost::asio::ssl::context& context, const crypto::SigningKey& key) {
  crypto::guard_openssl_keys();
  struct Free {
    void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
    void operator()(X509* x) const { X509_free(x); }
  };
  const std::unique_ptr<EVP_PKEY, Free> given(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(key.seed().data()),
      key.seed().size()));
  // OpenSSL 3.0 leaves a raw key on its ordinary heap, and puts the copies that it makes of a key
  // into the guarded one; the first is wiped when it goes.
  const std::unique_ptr<EVP_PKEY, Free> pkey(EVP_PKEY_dup(given.get()));
  const std::unique_ptr<X509, Free> cert(X509_new());
  X509_set_version(cert.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
  // Nobody asks for how long it is valid: the key is what counts. So no clock is asked either,
  // which may say a year that no certificate can.
  ASN1_TIME_set_string_X509(X509_getm_notBefore(cert.get()), "700101000000Z");
  ASN1_TIME_set_string_X509(X509_getm_notAfter(cert.get()), "99991231235959Z");
  X509_set_pubkey(cert.get(), pkey.get());
  X509_NAME* name = X509_get_subject_name(cert.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("thresher"), -1, -1, 0);
  X509_set_issuer_name(cert.get(), name);
  X509_sign(cert.get(), pkey.get(), nullptr);
  SSL_CTX* raw = context.native_handle();
  SSL_CTX_use_certificate(raw, cert.get());
  SSL_CTX_use_PrivateKey(raw, pkey.get());
}

inline std::shared_ptr<boost::asio::ssl::context> make_context(const crypto::SigningKey& key) {
  auto context = std::make_shared<boost::asio::ssl::context>(boost::asio::ssl::context::tls);
  SSL_CTX* raw = context->native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION);
  SSL_CTX_set_ciphersuites(raw, "TLS_AES_128_GCM_SHA256");
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(raw, 0);
  install_identity(*context, key);
  context->set_verify_mode(boost::asio::ssl::verify_peer |
                           boost::asio::ssl::verify_fail_if_no_peer_cert);
  // No CA: whose key it is gets checked against the pinned keys once the handshake proved
  // possession.
  context->set_verify_callback([](bool, boost::asio::ssl::verify_context&) { return true; });
  return context;
}

}  // namespace thresher::net

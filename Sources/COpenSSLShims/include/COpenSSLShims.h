// OpenSSL 3: what Swift can't import, because it is a macro, variadic, or a cast.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

static inline int cssl_context_allow_only_tls13(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1;
}

static inline void cssl_context_disable_resumption(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// The compatibility mode of RFC 8446, D.4 sends a record for the sake of boxes between the ends that rewrite TLS 1.2.
static inline void cssl_context_disable_middlebox_mode(SSL_CTX *context) {
    SSL_CTX_clear_options(context, SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
}

static inline void cssl_context_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }

static inline int cssl_context_set_groups(SSL_CTX *context, const char *names) {
    return SSL_CTX_set1_groups_list(context, names);
}

static inline void cssl_context_set_certificate_limit(SSL_CTX *context, long bytes) {
    SSL_CTX_set_max_cert_list(context, bytes);
}

static inline void cssl_context_read_ahead(SSL_CTX *context) { SSL_CTX_set_read_ahead(context, 1); }

static inline int cssl_set_app_data(SSL *ssl, void *data) { return SSL_set_app_data(ssl, data); }
static inline void *cssl_app_data(SSL *ssl) { return SSL_get_app_data(ssl); }

static inline int cssl_certificate_count(const STACK_OF(X509) *certificates) {
    return certificates ? sk_X509_num(certificates) : 0;
}

static inline EVP_PKEY *cssl_generate_p256(void) { return EVP_EC_gen("P-256"); }

static inline long cssl_memory_contents(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

// Whether this processor has AES instructions, without which ChaCha20 is several times faster than AES-GCM
// (a Raspberry Pi 4 has none).
int cssl_has_fast_aes(void);

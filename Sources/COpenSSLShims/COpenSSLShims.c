#include "COpenSSLShims.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

int cssl_has_fast_aes(void) { return (getauxval(AT_HWCAP) & HWCAP_AES) != 0; }
#elif defined(__x86_64__)
#include <cpuid.h>

int cssl_has_fast_aes(void) {
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_AES) != 0;
}
#else
int cssl_has_fast_aes(void) { return 0; }
#endif

// CRC-32C (Castagnoli) with the processor's own instruction, if it has one.
//
// Call eventlog_crc32c_hardware() only after eventlog_crc32c_has_hardware() returned 1. The library
// checks once, and otherwise uses its table in Swift, with the same results.
#ifndef CEVENTLOG_CHECKSUM_H
#define CEVENTLOG_CHECKSUM_H

#include "SHA256.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
static inline int eventlog_crc32c_has_hardware(void) {
  return __builtin_cpu_supports("sse4.2") ? 1 : 0;
}

// Use the compiler's builtins: some module maps lack the headers of the intrinsics.
__attribute__((target("sse4.2,crc32"))) static inline uint32_t eventlog_crc32c_hardware(
    uint32_t crc, const uint8_t *_Nonnull bytes, intptr_t count) {
  uint64_t state = crc;
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    state = __builtin_ia32_crc32di(state, word);
    bytes += 8;
    count -= 8;
  }
  while (count > 0) {
    state = __builtin_ia32_crc32qi((uint32_t)state, *bytes);
    bytes += 1;
    count -= 1;
  }
  return (uint32_t)state;
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

static inline int eventlog_crc32c_has_hardware(void) { return 1; }

static inline uint32_t eventlog_crc32c_hardware(
    uint32_t crc, const uint8_t *_Nonnull bytes, intptr_t count) {
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    crc = __crc32cd(crc, word);
    bytes += 8;
    count -= 8;
  }
  while (count > 0) {
    crc = __crc32cb(crc, *bytes);
    bytes += 1;
    count -= 1;
  }
  return crc;
}

#else

static inline int eventlog_crc32c_has_hardware(void) { return 0; }

static inline uint32_t eventlog_crc32c_hardware(
    uint32_t crc, const uint8_t *_Nonnull bytes, intptr_t count) {
  (void)bytes;
  (void)count;
  return crc;
}

#endif
#endif

// The compression function of SHA-256 (FIPS 180-4, section 6.2.2): portable, and with the
// instructions of x86-64 processors. Both have the same results.
#ifndef CEVENTLOG_SHA256_H
#define CEVENTLOG_SHA256_H

#include <stdint.h>

/// Adds `count` blocks of 64 bytes to the eight words of `state`.
void eventlog_sha256_add(
    uint32_t *_Nonnull state, const uint8_t *_Nonnull blocks, intptr_t count);

/// Whether the processor has the instructions. Ask once: the answer may take long in a virtual
/// machine.
int eventlog_sha256_has_hardware(void);

/// Adds blocks with the instructions. Call it only if the processor has them.
void eventlog_sha256_add_hardware(
    uint32_t *_Nonnull state, const uint8_t *_Nonnull blocks, intptr_t count);

#endif

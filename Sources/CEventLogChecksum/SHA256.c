#include "SHA256.h"

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotated(uint32_t word, int count) {
  return word >> count | word << (32 - count);
}

static void add_block(uint32_t *state, const uint8_t *block) {
  uint32_t words[64];
  for (int i = 0; i < 16; i++) {
    const uint8_t *byte = block + 4 * i;
    words[i] = (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t before15 = words[i - 15], before2 = words[i - 2];
    words[i] = words[i - 16] + words[i - 7]
        + (rotated(before15, 7) ^ rotated(before15, 18) ^ before15 >> 3)
        + (rotated(before2, 17) ^ rotated(before2, 19) ^ before2 >> 10);
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int i = 0; i < 64; i++) {
    uint32_t first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g))
        + constants[i] + words[i];
    uint32_t second =
        (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void eventlog_sha256_add(uint32_t *state, const uint8_t *blocks, intptr_t count) {
  for (; count > 0; count--, blocks += 64) add_block(state, blocks);
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

int eventlog_sha256_has_hardware(void) {
  unsigned a, b, c, d;
  const unsigned sha = 1u << 29;
  return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3")
      && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & sha) != 0;
}

__attribute__((target("sha,sse4.1,ssse3"))) void eventlog_sha256_add_hardware(
    uint32_t *state, const uint8_t *blocks, intptr_t count) {
  const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions keep the words in two registers, from the highest: a b e f, and c d g h.
  __m128i abef = _mm_set_epi32(
      (int)state[0], (int)state[1], (int)state[4], (int)state[5]);
  __m128i cdgh = _mm_set_epi32(
      (int)state[2], (int)state[3], (int)state[6], (int)state[7]);
  for (; count > 0; count--, blocks += 64) {
    __m128i abefBefore = abef, cdghBefore = cdgh;
    // The last sixteen words of the schedule, in groups of four.
    __m128i words[4];
#pragma clang loop unroll(full)
    for (int group = 0; group < 16; group++) {
      __m128i *now = &words[group & 3];
      if (group < 4) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(blocks + 16 * group));
        *now = _mm_shuffle_epi8(bytes, bigEndian);
      } else {
        __m128i next = words[(group + 1) & 3], last = words[(group + 3) & 3];
        __m128i before7 = _mm_alignr_epi8(last, words[(group + 2) & 3], 4);
        *now = _mm_add_epi32(_mm_sha256msg1_epu32(*now, next), before7);
        *now = _mm_sha256msg2_epu32(*now, last);
      }
      __m128i sum = _mm_add_epi32(
          *now, _mm_loadu_si128((const __m128i *)(constants + 4 * group)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  uint32_t high[4], low[4];
  _mm_storeu_si128((__m128i *)high, abef);
  _mm_storeu_si128((__m128i *)low, cdgh);
  state[0] = high[3], state[1] = high[2], state[4] = high[1], state[5] = high[0];
  state[2] = low[3], state[3] = low[2], state[6] = low[1], state[7] = low[0];
}

#else

int eventlog_sha256_has_hardware(void) { return 0; }

void eventlog_sha256_add_hardware(uint32_t *state, const uint8_t *blocks, intptr_t count) {
  eventlog_sha256_add(state, blocks, count);
}

#endif

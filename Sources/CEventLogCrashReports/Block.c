// The blocks of a raw file. All functions are async-signal-safe.

#include "Recorder.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

// CRC-32C by a table of 16 entries: a constant, so that a handler can use it at any time.
static uint32_t checksum(const uint8_t *bytes, size_t count) {
  static const uint32_t table[16] = {
      0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
      0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
      0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
  uint32_t value = ~0u;
  for (size_t index = 0; index < count; index++) {
    value ^= bytes[index];
    value = value >> 4 ^ table[value & 15];
    value = value >> 4 ^ table[value & 15];
  }
  return ~value;
}

void crash_put16(uint8_t *block, size_t offset, uint16_t value) {
  for (int byte = 0; byte < 2; byte++) block[offset + byte] = (uint8_t)(value >> 8 * byte);
}

void crash_put32(uint8_t *block, size_t offset, uint32_t value) {
  for (int byte = 0; byte < 4; byte++) block[offset + byte] = (uint8_t)(value >> 8 * byte);
}

void crash_put64(uint8_t *block, size_t offset, uint64_t value) {
  for (int byte = 0; byte < 8; byte++) block[offset + byte] = (uint8_t)(value >> 8 * byte);
}

void crash_put_text(uint8_t *block, size_t offset, const char *text, size_t most) {
  size_t count = 0;
  while (text && count < most && text[count]) {
    block[offset + 1 + count] = (uint8_t)text[count];
    count++;
  }
  block[offset] = (uint8_t)count;
}

void crash_begin_block(uint8_t *block, uint8_t kind, uint16_t number, uint64_t session) {
  // A loop of its own: the compiler's memset isn't promised to be async-signal-safe.
  volatile uint8_t *bytes = block;
  for (int index = 0; index < EVENTLOG_CRASH_BLOCK_BYTES; index++) bytes[index] = 0;
  block[0] = 'E', block[1] = 'v', block[2] = 'C', block[3] = '1';
  block[4] = kind;
  block[5] = EVENTLOG_CRASH_VERSION;
  crash_put16(block, 6, number);
  crash_put64(block, 8, session);
}

void crash_end_block(uint8_t *block) {
  const size_t covered = EVENTLOG_CRASH_BLOCK_BYTES - 4;
  crash_put32(block, covered, checksum(block, covered));
}

int crash_identify(int file, struct file_identity *identity) {
  struct stat status;
  if (fstat(file, &status) != 0) return 0;
  *identity = (struct file_identity){(uint64_t)status.st_dev, (uint64_t)status.st_ino};
  return 1;
}

int crash_is_file(int file, const struct file_identity *identity) {
  struct file_identity present;
  return crash_identify(file, &present) && present.device == identity->device &&
         present.node == identity->node;
}

// Whether the file's header is that of this session. A file that gets the number of a removed one
// also gets its device and node.
static int has_header(int file) {
  uint8_t expected[16] = {'E', 'v', 'C', '1', EVENTLOG_CRASH_HEADER, EVENTLOG_CRASH_VERSION};
  crash_put16(expected, 6, EVENTLOG_CRASH_HEADER);
  crash_put64(expected, 8, crash_recorder.session);
  uint8_t present[sizeof expected];
  ssize_t count;
  do count = pread(file, present, sizeof present, 0);
  while (count < 0 && errno == EINTR);
  if (count != (ssize_t)sizeof present) return 0;
  for (size_t index = 0; index < sizeof present; index++) {
    if (present[index] != expected[index]) return 0;
  }
  return 1;
}

int crash_clear_block(int file, int number) {
  static const uint8_t zeros[EVENTLOG_CRASH_BLOCK_BYTES];
  return crash_write_block(file, zeros, number);
}

int crash_write_block(int file, const uint8_t *block, int number) {
  if (!crash_is_file(file, &crash_recorder.identity) ||
      // The header itself is written first, into a new file.
      (number != EVENTLOG_CRASH_HEADER && !has_header(file))) {
    errno = EBADF;
    return 0;
  }
  off_t start = (off_t)number * EVENTLOG_CRASH_BLOCK_BYTES;
  size_t written = 0;
  while (written < EVENTLOG_CRASH_BLOCK_BYTES) {
    ssize_t count = pwrite(
        file, block + written, EVENTLOG_CRASH_BLOCK_BYTES - written, start + (off_t)written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    written += (size_t)count;
  }
  return 1;
}

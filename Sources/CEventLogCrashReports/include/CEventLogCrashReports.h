// Records crashes. Only `eventlog_crash_start`, `_prepare_thread`, `_record`, `_leave` and
// `_refresh_images` are called by the app; the signal handler calls async-signal-safe functions
// only.

#ifndef CEVENTLOGCRASHREPORTS_H
#define CEVENTLOGCRASHREPORTS_H

#include <stdint.h>

// The blocks of a raw file. Each has 4,096 bytes:
//   0 magic "EvC1", 4 kind, 5 version, 6 number (16 bits), 8 session (64 bits), 16 content,
//   4092 CRC-32C of the bytes before. Numbers are little-endian. An unused block is zero.
enum {
  EVENTLOG_CRASH_BLOCK_BYTES = 4096,
  EVENTLOG_CRASH_VERSION = 1,
  // The blocks, by their number in the file.
  EVENTLOG_CRASH_HEADER = 0,
  EVENTLOG_CRASH_NAMES = 1,
  EVENTLOG_CRASH_IMAGES = 2,
  EVENTLOG_CRASH_IMAGE_BLOCKS = 8,
  EVENTLOG_CRASH_BEGUN = 10,
  EVENTLOG_CRASH_DONE = 11,
  EVENTLOG_CRASH_NESTED = 12,
  EVENTLOG_CRASH_ERRORS = 13,
  EVENTLOG_CRASH_ERROR_BLOCKS = 8,
  EVENTLOG_CRASH_BLOCKS = 21,
  // Limits.
  EVENTLOG_CRASH_FRAMES = 128,
  EVENTLOG_CRASH_CRUMBS = 20,
  EVENTLOG_CRASH_TEXT_BYTES = 31,
  EVENTLOG_CRASH_NAME_BYTES = 32,
  EVENTLOG_CRASH_NAMES_MAX = 120,
  EVENTLOG_CRASH_TYPE_BYTES = 96,
  EVENTLOG_CRASH_IMAGES_PER_BLOCK = 84,
  EVENTLOG_CRASH_IMAGE_ID_BYTES = 20,
};

struct eventlog_crash_setup {
  const char *path;    // of the file to create
  uint64_t session;    // random
  const char *app;     // each of these is cut after 31 bytes
  const char *system;
  const char *device;
  const char *const *names;  // of the breadcrumbs, each cut after 32 bytes
  int name_count;
  int handles_signals;
};

// Creates the file, writes its blocks ahead, and installs the handler. Returns an error number, or
// 0. A second call returns EALREADY.
int eventlog_crash_start(const struct eventlog_crash_setup *setup);

// Gives the calling thread an alternate stack, which is freed when the thread ends. Returns an
// error number, or 0.
int eventlog_crash_prepare_thread(void);

// Remembers a breadcrumb, by the index of its name.
void eventlog_crash_leave(uint16_t crumb);

// Writes an error that doesn't end the process, with the return addresses of the calling function.
// After eight errors, only counts. Returns an error number, or 0.
int eventlog_crash_record(const char *type, uint8_t severity);

// Writes the list of images again if images were loaded since.
void eventlog_crash_refresh_images(void);

// For tests: called by the handler after it has written its first block.
extern void (*eventlog_crash_interruption)(void);

#endif

// The parts of the recorder that its files share.

#ifndef EVENTLOG_CRASH_RECORDER_H
#define EVENTLOG_CRASH_RECORDER_H

// Included first by each file, because these choose what the system's headers declare.
#ifdef __linux__
#define _GNU_SOURCE
#elif defined(__APPLE__)
#define _DARWIN_C_SOURCE
#endif

#include "CEventLogCrashReports.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

enum { IMAGES_MAX = EVENTLOG_CRASH_IMAGE_BLOCKS * EVENTLOG_CRASH_IMAGES_PER_BLOCK };

// A loaded image: its identifier, and the range of its code.
struct image {
  uint8_t id_kind;  // 0 none, 1 the linker's build ID or UUID
  uint8_t id_length;
  uint8_t id[EVENTLOG_CRASH_IMAGE_ID_BYTES];
  uint64_t base;  // what the addresses in its file are relative to
  uint64_t text;
  uint64_t text_bytes;
};

struct image_list {
  int count;
  struct image images[IMAGES_MAX];  // sorted by `text`
};

// The list in use. It is replaced as a whole, because a handler may read it at any time.
extern _Atomic(const struct image_list *) crash_images;

// Reads the loaded images into `list`. Not async-signal-safe.
void crash_read_images(struct image_list *list);
// A number that changes when images are loaded or unloaded.
uint64_t crash_image_changes(void);
// Whether an address is in the code of a loaded image.
int crash_is_code(uint64_t address);

// The frames of a stack, by frame pointers. Every access is checked: no address of `frame` or
// beyond has to be readable.
struct walk {
  int has_program_counter;
  uint64_t program_counter;
  uint64_t stack_pointer;
  uint64_t frame_pointer;
  uint64_t link;  // the return address in a register, or 0
  int probe;      // the pipe that checks memory
};
enum { EVENTLOG_CRASH_PROBE_OF_HANDLER = 0, EVENTLOG_CRASH_PROBE_OF_ERRORS = 1 };

int crash_walk(const struct walk *start, uint64_t *frames, int frames_max, int *is_cut);
// Opens the pipes that check memory. Returns an error number, or 0.
int crash_open_probes(void);

// The processor's registers in a handler.
struct walk crash_registers(void *context);

// A file, by what its descriptor can't show: the program may close all files, and the descriptor is
// then that of another one. A later file may get the same node.
struct file_identity {
  uint64_t device;
  uint64_t node;
};

// Returns 0 if the file isn't open.
int crash_identify(int file, struct file_identity *identity);
int crash_is_file(int file, const struct file_identity *identity);

// A block that is being written.
void crash_begin_block(uint8_t *block, uint8_t kind, uint16_t number, uint64_t session);
void crash_end_block(uint8_t *block);
void crash_put16(uint8_t *block, size_t offset, uint16_t value);
void crash_put32(uint8_t *block, size_t offset, uint32_t value);
void crash_put64(uint8_t *block, size_t offset, uint64_t value);
// Writes a length and at most `most` bytes of a text.
void crash_put_text(uint8_t *block, size_t offset, const char *text, size_t most);
// Writes zeros at the place of a block, so that it counts as unused. Returns 0 if that failed.
int crash_clear_block(int file, int number);
// Writes a block at its place, unless the recorder's file was closed: the descriptor must have the
// file's identity and, except for the header itself, its header. Returns 0 if the block wasn't
// written completely.
int crash_write_block(int file, const uint8_t *block, int number);

// The state that the recorder and its handler share. It is complete before the handler is
// installed.
struct recorder {
  int file;
  struct file_identity identity;  // of `file`
  int memory_file;                // /proc/meminfo, or -1
  pid_t process;                  // a child process has its own crashes
  uint64_t session;
};
extern struct recorder crash_recorder;

// Installs the handler. Returns an error number, or 0.
int crash_install_handler(void);
// Takes back the report of a crash if the calling thread has gone on after it.
void crash_withdraw_if_survived(void);
// Fills in the parts of a block that all reports have.
void crash_describe(uint8_t *block, int with_memory);
void crash_put_frames(uint8_t *block, const struct walk *start);

// The offsets in a block of a crash or an error.
enum {
  AT_SIGNAL = 16,
  AT_ORIGIN = 17,
  AT_ADDRESS = 18,
  AT_THREAD = 19,
  AT_HOUR = 20,
  AT_MEMORY = 24,
  AT_CRUMB_COUNT = 25,
  AT_FRAME_COUNT = 26,
  AT_CRUMBS = 28,
  AT_SEVERITY = 68,
  AT_IS_CUT = 69,
  AT_OMITTED = 70,
  AT_FRAMES = 72,
  AT_TYPE = 1096,
};

#endif

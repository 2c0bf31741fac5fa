// Starting, and what an app records while it runs. Nothing here runs in a signal handler, except
// `crash_put_crumbs`.

#include "Recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// Serializes everything that isn't called by a handler.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_started;
static uint64_t image_changes;

// MARK: - Breadcrumbs

static _Atomic uint16_t crumbs[EVENTLOG_CRASH_CRUMBS];
static atomic_uint_fast64_t crumb_count;

void eventlog_crash_leave(uint16_t crumb) {
  crash_withdraw_if_survived();
  uint_fast64_t index = atomic_fetch_add(&crumb_count, 1);
  atomic_store(&crumbs[index % EVENTLOG_CRASH_CRUMBS], crumb);
}

// Writes the last breadcrumbs, the oldest first.
void crash_put_crumbs(uint8_t *block) {
  uint_fast64_t total = atomic_load(&crumb_count);
  uint_fast64_t count = total < EVENTLOG_CRASH_CRUMBS ? total : EVENTLOG_CRASH_CRUMBS;
  block[AT_CRUMB_COUNT] = (uint8_t)count;
  for (uint_fast64_t index = 0; index < count; index++) {
    uint16_t crumb = atomic_load(&crumbs[(total - count + index) % EVENTLOG_CRASH_CRUMBS]);
    crash_put16(block, AT_CRUMBS + 2 * (size_t)index, crumb);
  }
}

// MARK: - Images

// The blocks that the last list needed. A shorter list clears the rest, or unloaded images would
// stay in them.
static int image_block_count;

static int write_images(const struct image_list *list) {
  uint8_t block[EVENTLOG_CRASH_BLOCK_BYTES];
  for (int number = 0; number < EVENTLOG_CRASH_IMAGE_BLOCKS; number++) {
    int first = number * EVENTLOG_CRASH_IMAGES_PER_BLOCK;
    if (first >= list->count) {
      int last = image_block_count;
      image_block_count = number;
      for (int rest = number; rest < last; rest++) {
        if (!crash_clear_block(crash_recorder.file, EVENTLOG_CRASH_IMAGES + rest)) {
          return errno ? errno : EIO;
        }
      }
      return 0;
    }
    int count = list->count - first;
    if (count > EVENTLOG_CRASH_IMAGES_PER_BLOCK) count = EVENTLOG_CRASH_IMAGES_PER_BLOCK;
    uint16_t place = (uint16_t)(EVENTLOG_CRASH_IMAGES + number);
    crash_begin_block(block, EVENTLOG_CRASH_IMAGES, place, crash_recorder.session);
    crash_put16(block, 16, (uint16_t)count);
    for (int index = 0; index < count; index++) {
      const struct image *image = &list->images[first + index];
      size_t start = 24 + 48 * (size_t)index;
      block[start] = image->id_length;
      block[start + 1] = image->id_kind;
      for (int byte = 0; byte < EVENTLOG_CRASH_IMAGE_ID_BYTES; byte++) {
        block[start + 4 + (size_t)byte] = image->id[byte];
      }
      crash_put64(block, start + 24, image->base);
      crash_put64(block, start + 32, image->text);
      crash_put64(block, start + 40, image->text_bytes);
    }
    crash_end_block(block);
    if (!crash_write_block(crash_recorder.file, block, place)) return errno ? errno : EIO;
    if (image_block_count <= number) image_block_count = number + 1;
  }
  return 0;
}

// Publishes the loaded images. The old list is never freed, because a handler may be reading it;
// a list is small, and apps seldom load images.
static int refresh_images(void) {
  struct image_list *list = malloc(sizeof *list);
  if (!list) return ENOMEM;
  image_changes = crash_image_changes();
  crash_read_images(list);
  atomic_store(&crash_images, list);
  return write_images(list);
}

void eventlog_crash_refresh_images(void) {
  pthread_mutex_lock(&lock);
  if (is_started && crash_image_changes() != image_changes) refresh_images();
  pthread_mutex_unlock(&lock);
}

// MARK: - Alternate stacks

// A signal frame alone may take 11 KiB. The previous handler is called on the same stack, even if
// it was installed for the thread's own stack (without SA_ONSTACK), which may be exhausted. So the
// stack is large enough for a handler that expects a whole one; unused pages take no memory.
enum { STACK_BYTES = 256 << 10, STACK_BYTES_MIN = 32 << 10 };

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;
static int stack_key_error;
static size_t page_bytes;

static void free_stack(void *stack) {
  stack_t none = {.ss_flags = SS_DISABLE, .ss_size = STACK_BYTES};
  sigaltstack(&none, NULL);
  munmap((uint8_t *)stack - page_bytes, STACK_BYTES + page_bytes);
}

static void make_key(void) {
  page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  stack_key_error = pthread_key_create(&stack_key, free_stack);
}

int eventlog_crash_prepare_thread(void) {
  eventlog_crash_refresh_images();
  stack_t present;
  if (sigaltstack(NULL, &present) != 0) return errno;
  if (!(present.ss_flags & SS_DISABLE) && present.ss_size >= STACK_BYTES_MIN) return 0;
  pthread_once(&stack_once, make_key);
  if (stack_key_error) return stack_key_error;
  // The page below the stack can't be written, so that an overflow faults.
  uint8_t *memory = mmap(NULL, STACK_BYTES + page_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANON, -1, 0);
  if (memory == MAP_FAILED) return errno;
  stack_t stack = {.ss_sp = memory + page_bytes, .ss_size = STACK_BYTES};
  int error = 0;
  if (mprotect(memory, page_bytes, PROT_NONE) != 0 || sigaltstack(&stack, NULL) != 0) {
    error = errno;
  } else {
    error = pthread_setspecific(stack_key, stack.ss_sp);
  }
  if (error) munmap(memory, STACK_BYTES + page_bytes);
  return error;
}

// MARK: - Errors that don't end the process

static uint8_t last_error[EVENTLOG_CRASH_BLOCK_BYTES];
static int error_count;
static uint16_t omitted_count;

// Counts an error in the last block, which is written again.
static int count_omitted(void) {
  if (omitted_count < UINT16_MAX) omitted_count++;
  int number = EVENTLOG_CRASH_ERRORS + EVENTLOG_CRASH_ERROR_BLOCKS - 1;
  crash_put16(last_error, AT_OMITTED, omitted_count);
  crash_end_block(last_error);
  return crash_write_block(crash_recorder.file, last_error, number) ? 0 : errno;
}

// Writes a block with the frames from `start`. The lock is held.
static int write_error(const struct walk *start, const char *type, uint8_t severity) {
  if (error_count == EVENTLOG_CRASH_ERROR_BLOCKS) return count_omitted();
  uint16_t number = (uint16_t)(EVENTLOG_CRASH_ERRORS + error_count);
  crash_begin_block(last_error, EVENTLOG_CRASH_ERRORS, number, crash_recorder.session);
  last_error[AT_SEVERITY] = severity;
  crash_describe(last_error, 1);
  crash_put_text(last_error, AT_TYPE, type, EVENTLOG_CRASH_TYPE_BYTES);
  crash_put_crumbs(last_error);
  crash_put_frames(last_error, start);
  crash_end_block(last_error);
  error_count++;
  return crash_write_block(crash_recorder.file, last_error, number) ? 0 : errno;
}

__attribute__((noinline)) int eventlog_crash_record(const char *type, uint8_t severity) {
  crash_withdraw_if_survived();
  eventlog_crash_refresh_images();
  // The frame of the caller. A frame starts with the address of the one before.
  uint64_t frame = *(const uintptr_t *)__builtin_frame_address(0);
  struct walk start = {0, 0, frame, frame, 0, EVENTLOG_CRASH_PROBE_OF_ERRORS};
  pthread_mutex_lock(&lock);
  // A child process doesn't write into its parent's file.
  int error = is_started && getpid() == crash_recorder.process
                  ? write_error(&start, type, severity)
                  : ENOENT;
  pthread_mutex_unlock(&lock);
  return error;
}

// MARK: - Starting

static int write_header(const struct eventlog_crash_setup *setup) {
  uint8_t block[EVENTLOG_CRASH_BLOCK_BYTES];
  crash_begin_block(block, EVENTLOG_CRASH_HEADER, EVENTLOG_CRASH_HEADER, setup->session);
  struct timespec time = {0, 0};
  clock_gettime(CLOCK_REALTIME, &time);
  crash_put32(block, 16, (uint32_t)(time.tv_sec / 3600));
  crash_put_text(block, 24, setup->app, EVENTLOG_CRASH_TEXT_BYTES);
  crash_put_text(block, 56, setup->system, EVENTLOG_CRASH_TEXT_BYTES);
  crash_put_text(block, 88, setup->device, EVENTLOG_CRASH_TEXT_BYTES);
  crash_end_block(block);
  if (!crash_write_block(crash_recorder.file, block, EVENTLOG_CRASH_HEADER)) return errno;

  crash_begin_block(block, EVENTLOG_CRASH_NAMES, EVENTLOG_CRASH_NAMES, setup->session);
  int count = setup->name_count;
  if (count > EVENTLOG_CRASH_NAMES_MAX) count = EVENTLOG_CRASH_NAMES_MAX;
  crash_put16(block, 16, (uint16_t)count);
  size_t offset = 24;
  for (int index = 0; index < count; index++) {
    crash_put_text(block, offset, setup->names[index], EVENTLOG_CRASH_NAME_BYTES);
    offset += 1 + block[offset];
  }
  crash_end_block(block);
  return crash_write_block(crash_recorder.file, block, EVENTLOG_CRASH_NAMES) ? 0 : errno;
}

// Writes zeros into the whole file, so that the handler needs no space on the disk.
static int write_ahead(int file) {
  static const uint8_t zeros[EVENTLOG_CRASH_BLOCKS * EVENTLOG_CRASH_BLOCK_BYTES];
  size_t written = 0;
  while (written < sizeof zeros) {
    ssize_t count = pwrite(file, zeros, sizeof zeros - written, (off_t)written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : ENOSPC;
    written += (size_t)count;
  }
  return 0;
}

// Removes the file again, after an error.
static void close_file(const struct eventlog_crash_setup *setup) {
  unlink(setup->path);
  close(crash_recorder.file);
  crash_recorder.file = -1;
}

static int open_file(const struct eventlog_crash_setup *setup) {
  int file = open(setup->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  // The next start leaves locked files alone: their process is still running.
  int error = flock(file, LOCK_EX | LOCK_NB) == 0 ? write_ahead(file) : errno;
  crash_recorder.file = file;
  crash_recorder.session = setup->session;
  if (!error && !crash_identify(file, &crash_recorder.identity)) error = errno;
  if (!error) error = write_header(setup);
  if (!error) error = refresh_images();
  if (error) close_file(setup);
  return error;
}

static int start(const struct eventlog_crash_setup *setup) {
  if (is_started) return EALREADY;
  int error = open_file(setup);
  if (error) return error;
  if ((error = crash_open_probes())) {
    close_file(setup);
    return error;
  }
  crash_recorder.process = getpid();
#ifdef __linux__
  crash_recorder.memory_file = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
#endif
  is_started = 1;
  return setup->handles_signals ? crash_install_handler() : 0;
}

int eventlog_crash_start(const struct eventlog_crash_setup *setup) {
  pthread_mutex_lock(&lock);
  int error = start(setup);
  pthread_mutex_unlock(&lock);
  if (error || !setup->handles_signals) return error;
  return eventlog_crash_prepare_thread();
}

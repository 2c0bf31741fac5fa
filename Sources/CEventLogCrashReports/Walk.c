// The return addresses of a stack, by frame pointers. All functions but `crash_open_probes` are
// async-signal-safe.

#include "Recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ucontext.h>
#include <unistd.h>

// No frame is larger: a stack has 8 MiB by default.
static const uint64_t frame_bytes_max = 8u << 20;
// The words that are searched for the first frame.
enum { SEARCHED_WORDS = 1024 };

// A pipe for the handler, and one for errors that don't end the process: both may run at once.
static int probes[2][2] = {{-1, -1}, {-1, -1}};
static struct file_identity identities[2][2];

static void close_probes(void) {
  for (int index = 0; index < 2; index++) {
    for (int end = 0; end < 2; end++) {
      if (probes[index][end] >= 0) close(probes[index][end]);
      probes[index][end] = -1;
    }
  }
}

static int open_probe(int index) {
  if (pipe(probes[index]) != 0) return errno;
  for (int end = 0; end < 2; end++) {
    int file = probes[index][end];
    if (fcntl(file, F_SETFD, FD_CLOEXEC) != 0 || fcntl(file, F_SETFL, O_NONBLOCK) != 0 ||
        !crash_identify(file, &identities[index][end])) return errno;
  }
  return 0;
}

int crash_open_probes(void) {
  for (int index = 0; index < 2; index++) {
    int error = open_probe(index);
    if (!error) continue;
    close_probes();
    return error;
  }
  return 0;
}

// Whether the pipe is still open. The program may have closed all files, and opened its own.
static int has_probe(int index) {
  return crash_is_file(probes[index][0], &identities[index][0]) &&
         crash_is_file(probes[index][1], &identities[index][1]);
}

// The kernel copies the bytes into a pipe and out of it, and fails instead of faulting.
static int read_memory(int probe, uint64_t address, void *target, size_t count) {
  if (address == 0 || count > 64 || address + count < address) return 0;
  ssize_t written = write(probes[probe][1], (const void *)(uintptr_t)address, count);
  if (written <= 0) return 0;
  ssize_t copied = read(probes[probe][0], target, (size_t)written);
  return copied == written && (size_t)copied == count;
}

struct record {
  uint64_t next;
  uint64_t link;
};

// Removes a pointer's authentication code.
static uint64_t stripped(uint64_t address) {
#if defined(__aarch64__) && defined(__APPLE__)
  return address & 0x0000007fffffffffull;
#elif defined(__aarch64__)
  return address & 0x0000ffffffffffffull;
#else
  return address;
#endif
}

// Reads the frame record at an address. Returns 0 if there is none.
static int read_record(int probe, uint64_t address, struct record *record) {
  if (address % sizeof(uint64_t) != 0) return 0;
  if (!read_memory(probe, address, record, sizeof *record)) return 0;
  record->link = stripped(record->link);
  return 1;
}

static int leads_on(uint64_t address, uint64_t next) {
  return next > address && next - address <= frame_bytes_max;
}

// Whether there is a frame record at an address that another one follows. One return address alone
// could be a leftover on the stack.
static int is_frame(int probe, uint64_t address) {
  struct record record, following;
  if (!read_record(probe, address, &record) || !crash_is_code(record.link)) return 0;
  if (record.next == 0) return 1;
  if (!leads_on(address, record.next) || !read_record(probe, record.next, &following)) return 0;
  return following.link == 0 || following.next == 0 || crash_is_code(following.link);
}

// Functions of the C library may use the frame pointer's register for something else.
static uint64_t first_frame(const struct walk *start) {
  uint64_t stack = start->stack_pointer;
  if (start->frame_pointer >= stack && start->frame_pointer - stack <= frame_bytes_max &&
      is_frame(start->probe, start->frame_pointer)) {
    return start->frame_pointer;
  }
  stack = (stack + 7) / 8 * 8;
  for (int word = 0; word < SEARCHED_WORDS; word++) {
    if (is_frame(start->probe, stack + 8 * (uint64_t)word)) return stack + 8 * (uint64_t)word;
  }
  return 0;
}

int crash_walk(const struct walk *start, uint64_t *frames, int frames_max, int *is_cut) {
  int count = 0;
  *is_cut = 0;
  int can_read = has_probe(start->probe);
  if (start->has_program_counter) {
    // An address outside of all images is kept as unknown: it may be any value.
    int is_known = crash_is_code(start->program_counter);
    frames[count++] = is_known ? start->program_counter : 0;
    uint64_t link = 0;
    // A call of a bad address has just stored its return address, or has it in a register.
    if (!is_known) {
      if (start->link) link = stripped(start->link);
      else if (can_read) read_memory(start->probe, start->stack_pointer, &link, sizeof link);
      if (crash_is_code(link) && count < frames_max) frames[count++] = link;
    }
  }
  uint64_t frame = can_read ? first_frame(start) : 0;
  struct record record;
  while (frame && read_record(start->probe, frame, &record)) {
    if (record.link == 0) break;
    if (count == frames_max) {
      *is_cut = 1;
      break;
    }
    frames[count++] = crash_is_code(record.link) ? record.link : 0;
    if (!leads_on(frame, record.next)) break;
    frame = record.next;
  }
  return count;
}

struct walk crash_registers(void *context) {
  struct walk walk = {1, 0, 0, 0, 0, EVENTLOG_CRASH_PROBE_OF_HANDLER};
  ucontext_t *registers = context;
#if defined(__linux__) && defined(__x86_64__)
  walk.program_counter = (uint64_t)registers->uc_mcontext.gregs[REG_RIP];
  walk.stack_pointer = (uint64_t)registers->uc_mcontext.gregs[REG_RSP];
  walk.frame_pointer = (uint64_t)registers->uc_mcontext.gregs[REG_RBP];
#elif defined(__linux__) && defined(__aarch64__)
  walk.program_counter = registers->uc_mcontext.pc;
  walk.stack_pointer = registers->uc_mcontext.sp;
  walk.frame_pointer = registers->uc_mcontext.regs[29];
  walk.link = registers->uc_mcontext.regs[30];
#elif defined(__APPLE__) && defined(__x86_64__)
  walk.program_counter = registers->uc_mcontext->__ss.__rip;
  walk.stack_pointer = registers->uc_mcontext->__ss.__rsp;
  walk.frame_pointer = registers->uc_mcontext->__ss.__rbp;
#elif defined(__APPLE__) && defined(__aarch64__)
  walk.program_counter = (uint64_t)__darwin_arm_thread_state64_get_pc(registers->uc_mcontext->__ss);
  walk.stack_pointer = (uint64_t)__darwin_arm_thread_state64_get_sp(registers->uc_mcontext->__ss);
  walk.frame_pointer = (uint64_t)__darwin_arm_thread_state64_get_fp(registers->uc_mcontext->__ss);
  walk.link = (uint64_t)__darwin_arm_thread_state64_get_lr(registers->uc_mcontext->__ss);
#else
  (void)registers;
#endif
  walk.program_counter = stripped(walk.program_counter);
  return walk;
}

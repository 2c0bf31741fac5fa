// The signal handler. It calls async-signal-safe functions only, and no memory is allocated.

#include "Recorder.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ucontext.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGTRAP};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

static struct sigaction previous[SIGNAL_COUNT];
static int is_installed[SIGNAL_COUNT];

struct recorder crash_recorder = {.file = -1, .memory_file = -1};
void (*eventlog_crash_interruption)(void);

// The thread that crashed first, and whether its report is done.
static atomic_uint_fast64_t owner;
static atomic_int is_done;
static int signal_of_owner;
// The stack of the owner's handler, from its frame down to the end of the alternate stack. The end
// is 0 on a thread's own stack, where frames below may also be those of a program that continued.
static uint64_t frame_of_owner, stack_end_of_owner;
// A handler that fails in its handler only ends the process.
static int failure_count;

static uint8_t block[EVENTLOG_CRASH_BLOCK_BYTES];
static uint8_t block_of_failure[EVENTLOG_CRASH_BLOCK_BYTES];

static uint64_t current_thread(void) {
#ifdef __linux__
  return (uint64_t)syscall(SYS_gettid);
#else
  return (uint64_t)(uintptr_t)pthread_self();
#endif
}

static int is_main_thread(void) {
#ifdef __APPLE__
  return pthread_main_np() != 0;
#else
  return current_thread() == (uint64_t)crash_recorder.process;
#endif
}

// Whether an instruction failed. If not, a process sent the signal, as abort() does.
static int is_fault(const siginfo_t *info) {
  // On Apple's systems, these codes are positive.
  return info->si_code > 0 && info->si_code != SI_USER && info->si_code != SI_QUEUE;
}

// Whether the instruction fails again if the handler returns.
static int repeats(int number, const siginfo_t *info) {
#if defined(__x86_64__)
  // A breakpoint is left behind.
  if (number == SIGTRAP) return 0;
#endif
  (void)number;
  return is_fault(info);
}

// MARK: - What is recorded

enum { ORIGIN_FAULT = 1, ORIGIN_SENT = 2 };
enum { ADDRESS_NULL = 1, ADDRESS_STACK = 2, ADDRESS_CODE = 3, ADDRESS_OTHER = 4 };
enum { THREAD_MAIN = 1, THREAD_OTHER = 2 };

// The class of an address. The address itself could be any value of the program.
static uint8_t address_class(int number, const siginfo_t *info, uint64_t stack_pointer) {
  if (number != SIGSEGV && number != SIGBUS) return 0;
  // Sent by a program, with no address.
  if (!is_fault(info)) return 0;
#ifdef SI_KERNEL
  // The processor doesn't report an address that isn't canonical.
  if (info->si_code == SI_KERNEL) return ADDRESS_OTHER;
#endif
  uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
  if (address < 1 << 16) return ADDRESS_NULL;
  if (address + (1 << 16) >= stack_pointer && address <= stack_pointer + (1 << 16)) {
    return ADDRESS_STACK;
  }
  return crash_is_code(address) ? ADDRESS_CODE : ADDRESS_OTHER;
}

// The class of the available memory: 1 under 64 MiB, then each class ends at four times as much.
static uint8_t memory_class(void) {
  char text[512];
  static const char name[] = "MemAvailable:";
  if (crash_recorder.memory_file < 0) return 0;
  ssize_t count = pread(crash_recorder.memory_file, text, sizeof text, 0);
  for (ssize_t start = 0; start + (ssize_t)sizeof name < count; start++) {
    size_t matched = 0;
    while (matched < sizeof name - 1 && text[start + (ssize_t)matched] == name[matched]) matched++;
    if (matched < sizeof name - 1) continue;
    uint64_t kibibytes = 0;
    for (ssize_t index = start + (ssize_t)matched; index < count; index++) {
      if (text[index] == ' ' && kibibytes == 0) continue;
      if (text[index] < '0' || text[index] > '9') break;
      kibibytes = kibibytes * 10 + (uint64_t)(text[index] - '0');
    }
    uint8_t class = 1;
    for (uint64_t end = 64 << 10; class < 5 && kibibytes >= end; end *= 4) class++;
    return class;
  }
  return 0;
}

void crash_describe(uint8_t *bytes, int with_memory) {
  struct timespec time = {0, 0};
  clock_gettime(CLOCK_REALTIME, &time);
  crash_put32(bytes, AT_HOUR, (uint32_t)(time.tv_sec / 3600));
  bytes[AT_THREAD] = is_main_thread() ? THREAD_MAIN : THREAD_OTHER;
  if (with_memory) bytes[AT_MEMORY] = memory_class();
}

void crash_put_frames(uint8_t *bytes, const struct walk *start) {
  uint64_t frames[EVENTLOG_CRASH_FRAMES];
  int is_cut = 0;
  int count = crash_walk(start, frames, EVENTLOG_CRASH_FRAMES, &is_cut);
  crash_put16(bytes, AT_FRAME_COUNT, (uint16_t)count);
  bytes[AT_IS_CUT] = (uint8_t)is_cut;
  for (int index = 0; index < count; index++) {
    crash_put64(bytes, AT_FRAMES + 8 * (size_t)index, frames[index]);
  }
}

void crash_put_crumbs(uint8_t *bytes);

// Writes a block without frames first: if the rest fails, the crash is still known.
static void write_report(int number, const siginfo_t *info, void *context) {
  struct walk start = crash_registers(context);
  crash_begin_block(block, EVENTLOG_CRASH_BEGUN, EVENTLOG_CRASH_BEGUN, crash_recorder.session);
  block[AT_SIGNAL] = (uint8_t)number;
  block[AT_ORIGIN] = is_fault(info) ? ORIGIN_FAULT : ORIGIN_SENT;
  block[AT_ADDRESS] = address_class(number, info, start.stack_pointer);
  crash_describe(block, 0);
  crash_end_block(block);
  crash_write_block(crash_recorder.file, block, EVENTLOG_CRASH_BEGUN);

  if (eventlog_crash_interruption) eventlog_crash_interruption();
  block[4] = EVENTLOG_CRASH_DONE;
  crash_put16(block, 6, EVENTLOG_CRASH_DONE);
  block[AT_MEMORY] = memory_class();
  crash_put_crumbs(block);
  crash_put_frames(block, &start);
  crash_end_block(block);
  crash_write_block(crash_recorder.file, block, EVENTLOG_CRASH_DONE);
}

static void write_failure(int number) {
  uint8_t *bytes = block_of_failure;
  crash_begin_block(bytes, EVENTLOG_CRASH_NESTED, EVENTLOG_CRASH_NESTED, crash_recorder.session);
  bytes[AT_SIGNAL] = (uint8_t)number;
  crash_describe(bytes, 0);
  crash_end_block(bytes);
  crash_write_block(crash_recorder.file, bytes, EVENTLOG_CRASH_NESTED);
}

// MARK: - Ending

static int has_action(const struct sigaction *action, void (*handler)(int)) {
  return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == handler;
}

static void restore_handlers(void) {
  for (int index = 0; index < SIGNAL_COUNT; index++) {
    if (is_installed[index]) sigaction(signals[index], &previous[index], NULL);
  }
}

// Lets the signal reach this thread again when the handler returns, with the registers of the
// crash, so that the next handler, a debugger and a core file see those.
static void raise_after_return(int number, siginfo_t *info) {
#ifdef __linux__
  // The signal is sent with its origin. It arrives even if another thread has repaired the memory
  // in the meantime, so that the instruction wouldn't fail again.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pid_t thread = (pid_t)syscall(SYS_gettid);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, number, info) == 0) return;
  syscall(SYS_tgkill, getpid(), thread, number);
#else
  // A signal can't be sent with its origin here, and the system's reporter needs the exception.
  if (repeats(number, info)) return;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_kill(pthread_self(), number);
#endif
}

// Ends the process with a signal from within the handler.
static void raise_now(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
  signal(number, SIG_DFL);
  raise(number);
  _exit(128 + number);
}

// MARK: - Recovering

static void handle(int number, siginfo_t *info, void *context);

// Takes back the owner's report, and lets the next crash be recorded.
static void withdraw(void) {
  crash_clear_block(crash_recorder.file, EVENTLOG_CRASH_DONE);
  crash_clear_block(crash_recorder.file, EVENTLOG_CRASH_BEGUN);
  atomic_store(&is_done, 0);
  atomic_store(&owner, 0);
}

static void note_stack(const ucontext_t *context) {
  uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  uint64_t end = (uint64_t)(uintptr_t)context->uc_stack.ss_sp;
  int is_alternate = !(context->uc_stack.ss_flags & SS_DISABLE) && frame >= end &&
                     frame - end < context->uc_stack.ss_size;
  frame_of_owner = frame;
  stack_end_of_owner = is_alternate ? end : 0;
}

// The thread that crashed calls the recorder again if the previous handler has jumped out of the
// crash, or if that handler leaves a breadcrumb. The latter's frames are below those of `handle`.
// Calls of other threads mean nothing: the process may be about to end.
void crash_withdraw_if_survived(void) {
  uint_fast64_t thread = atomic_load(&owner);
  if (thread == 0 || !atomic_load(&is_done) || thread != current_thread()) return;
  uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  if (frame < frame_of_owner && frame >= stack_end_of_owner) return;
  if (getpid() == crash_recorder.process) withdraw();
}

// Calls a handler as the system would. The mask is restored when the calling handler returns.
static void call(
    const struct sigaction *action, int number, siginfo_t *info, void *context) {
  sigset_t mask = action->sa_mask;
  if (!(action->sa_flags & SA_NODEFER)) sigaddset(&mask, number);
  if (action->sa_flags & (int)SA_RESETHAND) signal(number, SIG_DFL);
  pthread_sigmask(SIG_BLOCK, &mask, NULL);
  if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(number, info, context);
  else action->sa_handler(number);
}

static int is_pending(int number) {
  sigset_t set;
  return sigpending(&set) == 0 && sigismember(&set, number) == 1;
}

// Lets the handler that was there before handle the signal. It is called, not restored: only its
// return shows that it has recovered, and it has the stack that an overflow has left to no handler.
// Returns whether the process goes on. A handler that wants the process to end sets another action
// so that the failing instruction repeats, or sends the signal again.
static int pass_on(int number, siginfo_t *info, void *context) {
  int index = 0;
  while (signals[index] != number) index++;
  int is_ignored = has_action(&previous[index], SIG_IGN);
  if (is_ignored || has_action(&previous[index], SIG_DFL)) {
    restore_handlers();
    // A failing instruction ends a process that ignores its signal.
    if (is_ignored) signal(number, SIG_DFL);
    raise_after_return(number, info);
    return 0;
  }
  call(&previous[index], number, info, context);
  // After SIGABRT, abort() ends the process although its handler has returned.
  if (number == SIGABRT || is_pending(number)) return 0;
  if (!repeats(number, info)) return 1;
  struct sigaction present;
  return sigaction(number, NULL, &present) == 0 && (present.sa_flags & SA_SIGINFO) &&
         present.sa_sigaction == handle;
}

static void record(int number, siginfo_t *info, void *context) {
  signal_of_owner = number;
  note_stack(context);
  write_report(number, info, context);
  atomic_store(&is_done, 1);
  // Another thread may have taken over in the meantime.
  if (pass_on(number, info, context) && atomic_load(&owner) == current_thread()) withdraw();
}

// Whether a thread of this process hasn't ended.
static int is_running(uint64_t thread) {
#ifdef __linux__
  return syscall(SYS_tgkill, getpid(), (pid_t)thread, 0) == 0;
#else
  // pthread_kill() with a thread that has ended is undefined.
  (void)thread;
  return 1;
#endif
}

// Whether the program ignores a signal that no failing instruction has caused.
static int ignores(int number, const siginfo_t *info) {
  int index = 0;
  while (signals[index] != number) index++;
  return has_action(&previous[index], SIG_IGN) && !is_fault(info);
}

static void handle(int number, siginfo_t *info, void *context) {
  if (ignores(number, info)) return;
  int error = errno;
  uint_fast64_t none = 0, thread = current_thread();
  if (getpid() != crash_recorder.process) {
    restore_handlers();
    raise_after_return(number, info);
    errno = error;
    return;
  }
  // While another thread owns the report, it ends the process, or recovers and gives it back. If
  // it has ended, or has done neither for a second after its report was written, it has left its
  // handler, or the one after it is slow. Then this crash is as good a report, and takes over. A
  // report that is still being written is left alone, and after ten seconds, this crash has none.
  int is_owner = atomic_compare_exchange_strong(&owner, &none, thread);
  for (int wait = 0; !is_owner && none != thread && wait < 1000 && is_running(none); wait++) {
    if (wait >= 100 && atomic_load(&is_done)) break;
    poll(NULL, 0, 10);
    none = 0;
    is_owner = atomic_compare_exchange_strong(&owner, &none, thread);
  }
  if (!is_owner && none != thread && (atomic_load(&is_done) || !is_running(none))) {
    is_owner = atomic_compare_exchange_strong(&owner, &none, thread);
    if (is_owner) atomic_store(&is_done, 0);
  }
  if (is_owner) {
    record(number, info, context);
  } else if (none == thread && !atomic_load(&is_done)) {
    // The handler itself has failed. Returning would only repeat that.
    if (failure_count++ == 0) write_failure(number);
    restore_handlers();
    raise_now(signal_of_owner);
  } else {
    // The previous handler has failed, or another thread has taken over.
    restore_handlers();
    raise_after_return(number, info);
  }
  errno = error;
}

int crash_install_handler(void) {
  struct sigaction action = {.sa_sigaction = handle};
  sigemptyset(&action.sa_mask);
  for (int index = 0; index < SIGNAL_COUNT; index++) {
    if (sigaction(signals[index], NULL, &previous[index]) != 0) return errno;
    // Signals aren't blocked, so that a failure of the handler gets here as well. A system call is
    // restarted if it would have been before. Some never are, such as poll() and nanosleep(): for
    // an ignored signal, they now return EINTR.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    if (has_action(&previous[index], SIG_IGN) || previous[index].sa_flags & SA_RESTART) {
      action.sa_flags |= SA_RESTART;
    }
    if (sigaction(signals[index], &action, NULL) != 0) return errno;
    is_installed[index] = 1;
  }
  return 0;
}

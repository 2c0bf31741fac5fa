#define _GNU_SOURCE
#include "CEventLogTorture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000L + time.tv_nsec / 1000;
}

static void rest(void) {
  struct timespec time = {0, 300000};
  nanosleep(&time, NULL);
}

// Waits until a child has ended, or until a time.
static void await(pid_t child, long moment) {
#if defined(__linux__) && defined(SYS_pidfd_open)
  int file = (int)syscall(SYS_pidfd_open, child, 0);
  if (file >= 0) {
    struct pollfd ending = {file, POLLIN, 0};
    long left = moment - now();
    struct timespec time = {left / 1000000, left % 1000000 * 1000};
    if (left > 0) ppoll(&ending, 1, &time, NULL);
    close(file);
    return;
  }
#endif
  rest();
}

static int join(const char *path, int flags, int stream) {
  int file = open(path, flags, 0600);
  return file >= 0 && dup2(file, stream) >= 0;
}

static void start(const char *const words[], const char *const environment[], const char *folder,
                  const char *input, const char *output, const char *errors) {
  // The process group in which its descendants are found and killed.
  setpgid(0, 0);
  // A shell starts background commands with some of these ignored.
  const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  for (size_t index = 0; index < sizeof ends / sizeof *ends; index++) signal(ends[index], SIG_DFL);
  if (chdir(folder) == 0 && join(input, O_RDONLY, 0) &&
      join(output, O_WRONLY | O_CREAT | O_TRUNC, 1) &&
      join(errors, O_WRONLY | O_CREAT | O_TRUNC, 2)) {
    for (int file = 3; file < 64; file++) close(file);
    execve(words[0], (char *const *)words, (char *const *)environment);
  }
  _exit(126);
}

// Makes orphaned descendants children of this process, which reaps them like the first one.
static void adopt_orphans(void) {
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

// Reaps an ended process. Returns 0 if there is none yet, or -1 if no child is left.
static pid_t reap(int *status) {
  pid_t found = waitpid(-1, status, WNOHANG);
  return found < 0 && errno == EINTR ? 0 : found;
}

int torture_run(const char *const words[], const char *const environment[], const char *folder,
                const char *input, const char *output, const char *errors, int milliseconds,
                int stray_milliseconds, int kill_signal, long kill_microseconds,
                struct torture_ending *ending) {
  adopt_orphans();
  pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) start(words, environment, folder, input, output, errors);
  setpgid(child, child);
  *ending = (struct torture_ending){-1, 0, 0, 0};
  long begun = now(), deadline = begun + milliseconds * 1000L;
  int is_running = 1, is_late = 0, status = 0;
  for (;;) {
    pid_t found = reap(&status);
    if (found < 0) return 0;
    if (found == child) {
      is_running = 0;
      deadline = now() + stray_milliseconds * 1000L;
      if (WIFSIGNALED(status)) ending->signal = WTERMSIG(status);
      else ending->code = WEXITSTATUS(status);
    } else if (found > 0 && is_late && !is_running) {
      ending->strays++;
    }
    if (found > 0) continue;
    if (is_running && kill_microseconds >= 0 && now() >= begun + kill_microseconds) {
      kill(child, kill_signal);
      kill_microseconds = -1;
    }
    if (now() >= deadline) {
      // A process that left the group can't be killed, and is left running.
      if (is_late && !is_running) {
        ending->strays++;
        return 0;
      }
      if (is_running) ending->timed_out = 1;
      is_late = 1;
      kill(-child, SIGKILL);
      if (is_running) kill(child, SIGKILL);
      deadline = now() + milliseconds * 1000L;
    }
    if (is_running) {
      await(child, kill_microseconds >= 0 ? begun + kill_microseconds : deadline);
    } else {
      rest();
    }
  }
}

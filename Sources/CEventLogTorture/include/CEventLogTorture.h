// Runs a program on files, and waits for it and its descendants.

#ifndef CEVENTLOGTORTURE_H
#define CEVENTLOGTORTURE_H

struct torture_ending {
  int code;       // the exit code, or -1 if a signal ended it
  int signal;     // the signal that ended it, or 0
  int timed_out;  // whether it exceeded its time limit, and was killed
  int strays;     // the number of its descendants that had to be killed, or couldn't be
};

// Starts `words[0]` in `folder` with its streams redirected to files, and kills it after
// `milliseconds`. Sends it `kill_signal` after `kill_microseconds`, unless that is negative. Its
// descendants may outlive it by `stray_milliseconds`. Returns an error number, or 0 if it started.
int torture_run(const char *const words[], const char *const environment[], const char *folder,
                const char *input, const char *output, const char *errors, int milliseconds,
                int stray_milliseconds, int kill_signal, long kill_microseconds,
                struct torture_ending *ending);

#endif

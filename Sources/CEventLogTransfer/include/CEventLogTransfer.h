// HTTP by libcurl, which is opened when it is first used: nothing is linked, and a program that
// never transfers anything starts as fast as before.
//
// A transfer is named by a number, so that any thread may cancel it.
#ifndef CEVENTLOG_TRANSFER_H
#define CEVENTLOG_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

// What an exchange may take. Times of 0 stand for no limit.
struct eventlog_limits {
  long connect_milliseconds;
  // How long nothing may arrive or leave.
  long idle_seconds;
  long whole_milliseconds;
  size_t head_bytes;
  size_t body_bytes;
};

// Opens libcurl. Returns NULL, or why there is none.
const char *eventlog_transfer_unavailable(void);

// Begins a transfer. Returns its number, or 0 where memory is out.
uint64_t eventlog_transfer_open(void);

// Sends a request and waits for the answer. `head` has a line for each header, which end in \n.
// `certificates` names a file with those to trust, or is NULL for those of the system.
// Returns the number of a CURLcode.
int eventlog_transfer_perform(uint64_t transfer, const char *method, const char *url,
                              const char *head, const uint8_t *body, size_t body_count,
                              const char *certificates, struct eventlog_limits limits);

// Ends the exchange of a transfer within a second, from any thread, now or as soon as it begins.
void eventlog_transfer_cancel(uint64_t transfer);

// What the last exchange brought. The last answer's head, if there were several.
long eventlog_transfer_status(uint64_t transfer);
size_t eventlog_transfer_head_count(uint64_t transfer);
void eventlog_transfer_copy_head(uint64_t transfer, uint8_t *to);
size_t eventlog_transfer_body_count(uint64_t transfer);
void eventlog_transfer_copy_body(uint64_t transfer, uint8_t *to);
// Whether the answer was longer than the limits allow.
int eventlog_transfer_is_too_long(uint64_t transfer);
// libcurl's own words for what went wrong: at most 255 bytes and a 0.
void eventlog_transfer_copy_message(uint64_t transfer, char *to);

// Ends a transfer. Its connection may serve the next one.
void eventlog_transfer_close(uint64_t transfer);

#endif

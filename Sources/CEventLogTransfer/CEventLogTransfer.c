#include "CEventLogTransfer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// The required parts of libcurl's stable interface, with their numbers from curl/curl.h, so that
// no header of libcurl has to be installed.
enum {
  OPT_WRITEDATA = 10001,
  OPT_URL = 10002,
  OPT_PROXY = 10004,
  OPT_ERRORBUFFER = 10010,
  OPT_POSTFIELDS = 10015,
  OPT_USERAGENT = 10018,
  OPT_HTTPHEADER = 10023,
  OPT_HEADERDATA = 10029,
  OPT_CUSTOMREQUEST = 10036,
  OPT_NOPROGRESS = 43,
  OPT_NOBODY = 44,
  OPT_XFERINFODATA = 10057,
  OPT_CAINFO = 10065,
  OPT_NOSIGNAL = 99,
  OPT_TIMEOUT_MS = 155,
  OPT_CONNECTTIMEOUT_MS = 156,
  OPT_PROTOCOLS = 181,
  OPT_WRITEFUNCTION = 20011,
  OPT_HEADERFUNCTION = 20079,
  OPT_SOCKOPTFUNCTION = 20148,
  OPT_XFERINFOFUNCTION = 20219,
  OPT_POSTFIELDSIZE_LARGE = 30120,
  INFO_RESPONSE_CODE = 0x200002,
  GLOBAL_ALL = 3,
  HTTP_AND_HTTPS = 3,
  SEND_BUFFER_BYTES = 64 << 10,
  FAILED_INIT = 2,
};

struct bytes {
  uint8_t *at;
  size_t count, capacity, limit;
};

struct transfer {
  struct transfer *next;
  uint64_t number;
  void *handle;
  atomic_int is_cancelled;
  int is_too_long, is_silent;
  // The number of bytes transferred, and the time of its last change.
  int64_t moved_bytes, moved_at;
  long idle_milliseconds;
  long status;
  struct bytes head, body;
  char message[256];
};

static struct {
  int (*global_init)(long);
  void *(*easy_init)(void);
  int (*easy_setopt)(void *, int, ...);
  int (*easy_perform)(void *);
  int (*easy_getinfo)(void *, int, ...);
  void (*easy_reset)(void *);
  void (*easy_cleanup)(void *);
  void *(*slist_append)(void *, const char *);
  void (*slist_free_all)(void *);
} curl;

static const char *unavailable = "libcurl was not found.";
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct transfer *open_transfers;
static uint64_t last_number;
// Handles that keep their connections open for the next transfer.
static void *idle_handles[4];
static int idle_count;

static int find(void *library, const char *name, void *place) {
  void *symbol = dlsym(library, name);
  memcpy(place, &symbol, sizeof symbol);
  return symbol != NULL;
}

static void load(void) {
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  if (find(library, "curl_global_init", &curl.global_init) &&
      find(library, "curl_easy_init", &curl.easy_init) &&
      find(library, "curl_easy_setopt", &curl.easy_setopt) &&
      find(library, "curl_easy_perform", &curl.easy_perform) &&
      find(library, "curl_easy_getinfo", &curl.easy_getinfo) &&
      find(library, "curl_easy_reset", &curl.easy_reset) &&
      find(library, "curl_easy_cleanup", &curl.easy_cleanup) &&
      find(library, "curl_slist_append", &curl.slist_append) &&
      find(library, "curl_slist_free_all", &curl.slist_free_all) &&
      curl.global_init(GLOBAL_ALL) == 0)
    unavailable = NULL;
  else
    unavailable = "The installed libcurl can't be used.";
}

const char *eventlog_transfer_unavailable(void) {
  pthread_once(&once, load);
  return unavailable;
}

// MARK: - Responses

static int add(struct bytes *bytes, const void *data, size_t count) {
  if (count > bytes->limit - bytes->count) return 0;
  if (bytes->count + count > bytes->capacity) {
    size_t capacity = bytes->capacity * 2 > bytes->count + count ? bytes->capacity * 2
                                                                 : bytes->count + count;
    uint8_t *at = realloc(bytes->at, capacity);
    if (!at) return 0;
    bytes->at = at;
    bytes->capacity = capacity;
  }
  memcpy(bytes->at + bytes->count, data, count);
  bytes->count += count;
  return 1;
}

static size_t take_body(char *data, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  if (add(&transfer->body, data, size * count)) return size * count;
  transfer->is_too_long = 1;
  return 0;
}

static size_t take_head(char *data, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  // An interim response, such as 100 Continue, is followed by the final one.
  if (size * count >= 5 && memcmp(data, "HTTP/", 5) == 0) transfer->head.count = 0;
  if (add(&transfer->head, data, size * count)) return size * count;
  transfer->is_too_long = 1;
  return 0;
}

static int64_t now_milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// With megabytes in the send buffer, a slow link and a stalled one look alike for minutes.
static int limit_buffer(void *context, int socket, int purpose) {
  (void)context, (void)purpose;
  int count = SEND_BUFFER_BYTES;
  setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &count, sizeof count);
  return 0;
}

// Ends silent transfers. libcurl's own low-speed limits begin some seconds after the last byte, and
// don't cover connecting.
static int look(void *context, int64_t to_receive, int64_t received, int64_t to_send,
                int64_t sent) {
  (void)to_receive, (void)to_send;
  struct transfer *transfer = context;
  int64_t moved = received + sent + (int64_t)transfer->head.count;
  int64_t now = now_milliseconds();
  if (moved != transfer->moved_bytes) {
    transfer->moved_bytes = moved;
    transfer->moved_at = now;
  }
  transfer->is_silent = now - transfer->moved_at >= transfer->idle_milliseconds;
  return transfer->is_silent || atomic_load(&transfer->is_cancelled);
}

// MARK: - Transfers

static struct transfer *transfer_of(uint64_t number) {
  pthread_mutex_lock(&lock);
  struct transfer *transfer = open_transfers;
  while (transfer && transfer->number != number) transfer = transfer->next;
  pthread_mutex_unlock(&lock);
  return transfer;
}

uint64_t eventlog_transfer_open(void) {
  if (eventlog_transfer_unavailable()) return 0;
  struct transfer *transfer = calloc(1, sizeof *transfer);
  if (!transfer) return 0;
  pthread_mutex_lock(&lock);
  if (idle_count > 0) transfer->handle = idle_handles[--idle_count];
  transfer->number = ++last_number;
  transfer->next = open_transfers;
  open_transfers = transfer;
  pthread_mutex_unlock(&lock);
  if (!transfer->handle) transfer->handle = curl.easy_init();
  if (transfer->handle) return transfer->number;
  eventlog_transfer_close(transfer->number);
  return 0;
}

// Returns a list with one header per line, which is incomplete if memory runs out.
static void *headers_of(const char *head, int *is_complete) {
  void *list = NULL;
  *is_complete = 1;
  while (*head) {
    size_t count = strcspn(head, "\n");
    char *line = malloc(count + 1);
    void *longer = NULL;
    if (line) {
      memcpy(line, head, count);
      line[count] = 0;
      longer = curl.slist_append(list, line);
      free(line);
    }
    if (!longer) {
      *is_complete = 0;
      return list;
    }
    list = longer;
    head += count + (head[count] == '\n');
  }
  return list;
}

int eventlog_transfer_perform(uint64_t number, const char *method, const char *url,
                              const char *head, const uint8_t *body, size_t body_count,
                              const char *certificates, struct eventlog_limits limits) {
  struct transfer *transfer = transfer_of(number);
  if (!transfer) return FAILED_INIT;
  void *handle = transfer->handle;
  transfer->is_too_long = transfer->is_silent = 0;
  transfer->moved_bytes = 0;
  transfer->moved_at = now_milliseconds();
  transfer->idle_milliseconds = limits.idle_milliseconds;
  transfer->head.count = transfer->body.count = 0;
  transfer->head.limit = limits.head_bytes;
  transfer->body.limit = limits.body_bytes;
  transfer->message[0] = 0;
  int is_complete;
  void *headers = headers_of(head, &is_complete);
  int result = is_complete ? 0 : FAILED_INIT;
#define SET(option, value) (result = result ? result : curl.easy_setopt(handle, option, value))
  SET(OPT_URL, url);
  SET(OPT_CUSTOMREQUEST, method);
  if (strcmp(method, "HEAD") == 0) SET(OPT_NOBODY, 1L);
  if (body_count > 0 || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0) {
    SET(OPT_POSTFIELDSIZE_LARGE, (int64_t)body_count);
    SET(OPT_POSTFIELDS, body_count > 0 ? (const char *)body : "");
  }
  SET(OPT_HTTPHEADER, headers);
  SET(OPT_USERAGENT, "eventlog");
  if (certificates) SET(OPT_CAINFO, certificates);
  SET(OPT_PROTOCOLS, (long)HTTP_AND_HTTPS);
  // Ignore proxies in the environment: requests contain secrets.
  SET(OPT_PROXY, "");
  SET(OPT_NOSIGNAL, 1L);
  SET(OPT_CONNECTTIMEOUT_MS, limits.idle_milliseconds);
  SET(OPT_TIMEOUT_MS, limits.whole_milliseconds);
  SET(OPT_ERRORBUFFER, transfer->message);
  SET(OPT_WRITEFUNCTION, take_body);
  SET(OPT_WRITEDATA, transfer);
  SET(OPT_HEADERFUNCTION, take_head);
  SET(OPT_HEADERDATA, transfer);
  SET(OPT_NOPROGRESS, 0L);
  SET(OPT_SOCKOPTFUNCTION, limit_buffer);
  SET(OPT_XFERINFOFUNCTION, look);
  SET(OPT_XFERINFODATA, transfer);
#undef SET
  if (!result) result = curl.easy_perform(handle);
  // The handle may outlive the arguments.
  long status = 0;
  curl.easy_getinfo(handle, INFO_RESPONSE_CODE, &status);
  transfer->status = status;
  curl.easy_reset(handle);
  curl.slist_free_all(headers);
  return result;
}

void eventlog_transfer_cancel(uint64_t number) {
  // Holds the lock, so that the transfer can't be closed meanwhile.
  pthread_mutex_lock(&lock);
  for (struct transfer *transfer = open_transfers; transfer; transfer = transfer->next)
    if (transfer->number == number) atomic_store(&transfer->is_cancelled, 1);
  pthread_mutex_unlock(&lock);
}

long eventlog_transfer_status(uint64_t number) {
  struct transfer *transfer = transfer_of(number);
  return transfer ? transfer->status : 0;
}

size_t eventlog_transfer_head_count(uint64_t number) {
  struct transfer *transfer = transfer_of(number);
  return transfer ? transfer->head.count : 0;
}

void eventlog_transfer_copy_head(uint64_t number, uint8_t *to) {
  struct transfer *transfer = transfer_of(number);
  if (transfer && transfer->head.count) memcpy(to, transfer->head.at, transfer->head.count);
}

size_t eventlog_transfer_body_count(uint64_t number) {
  struct transfer *transfer = transfer_of(number);
  return transfer ? transfer->body.count : 0;
}

void eventlog_transfer_copy_body(uint64_t number, uint8_t *to) {
  struct transfer *transfer = transfer_of(number);
  if (transfer && transfer->body.count) memcpy(to, transfer->body.at, transfer->body.count);
}

int eventlog_transfer_is_too_long(uint64_t number) {
  struct transfer *transfer = transfer_of(number);
  return transfer ? transfer->is_too_long : 0;
}

int eventlog_transfer_is_silent(uint64_t number) {
  struct transfer *transfer = transfer_of(number);
  return transfer ? transfer->is_silent : 0;
}

void eventlog_transfer_copy_message(uint64_t number, char *to) {
  struct transfer *transfer = transfer_of(number);
  memset(to, 0, 256);
  if (transfer) memcpy(to, transfer->message, strnlen(transfer->message, 255));
}

void eventlog_transfer_close(uint64_t number) {
  pthread_mutex_lock(&lock);
  struct transfer **place = &open_transfers;
  while (*place && (*place)->number != number) place = &(*place)->next;
  struct transfer *transfer = *place;
  if (transfer) *place = transfer->next;
  void *surplus = NULL;
  if (transfer && transfer->handle) {
    if (idle_count < (int)(sizeof idle_handles / sizeof *idle_handles))
      idle_handles[idle_count++] = transfer->handle;
    else
      surplus = transfer->handle;
  }
  pthread_mutex_unlock(&lock);
  if (!transfer) return;
  if (surplus) curl.easy_cleanup(surplus);
  free(transfer->head.at);
  free(transfer->body.at);
  free(transfer);
}

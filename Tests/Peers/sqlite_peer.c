// sqlite_peer load FILE DATABASE   a table of a journal's lines
// sqlite_peer fold DATABASE        the fold of fold.h, as queries
// sqlite_peer append DATABASE      one row more, durably
// sqlite_peer inserts ROUNDS DATABASE
//                                  rows of about 266 bytes in several ways, and plain writes
#include "fold.h"
#include <fcntl.h>
#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

static sqlite3 *database;

static void run(const char *sql) {
  char *message = NULL;
  if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK) {
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
}

static void load(const char *path) {
  run("pragma journal_mode=wal; pragma synchronous=full;"
      "create table events(n integer primary key, id text unique, at text, type text,"
      " entity text, data text); begin;");
  sqlite3_stmt *insert;
  sqlite3_prepare_v2(database,
                     "insert into events select ?1, ?2->>'id', ?2->>'at', ?2->>'type',"
                     " ?2->>'entity', ?2->'data'",
                     -1, &insert, NULL);
  size_t length;
  char *bytes = fold_file(path, &length);
  sqlite3_int64 number = 0;
  for (char *line = bytes, *end; line < bytes + length; line = end + 1) {
    end = memchr(line, '\n', (size_t)(bytes + length - line));
    if (!end) end = bytes + length;
    sqlite3_bind_int64(insert, 1, ++number);
    sqlite3_bind_text(insert, 2, line, (int)(end - line), SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) exit(1);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  run("commit; pragma wal_checkpoint(truncate);");
}

static void fold(void) {
  sqlite3_stmt *query;
  // With max(n), the other columns are those of the last row.
  sqlite3_prepare_v2(
      database,
      "select (select count(*) from events), count(*), sum(v),"
      " (select sum(data->>'by') from events)"
      " from (select max(n), case j.type when 'integer' then j.value else 0 end v"
      "  from events e, json_each(e.data) j group by e.entity, j.key)",
      -1, &query, NULL);
  if (sqlite3_step(query) != SQLITE_ROW) exit(1);
  printf("%lld events, %lld fields, sum %lld, increments %lld\n", sqlite3_column_int64(query, 0),
         sqlite3_column_int64(query, 1), sqlite3_column_int64(query, 2),
         sqlite3_column_int64(query, 3));
  sqlite3_finalize(query);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct way {
  const char *name, *synchronous;
  int rows, batch;
};

static double insert_rows(struct way way) {
  static sqlite3_int64 number = 0;
  char sql[64];
  snprintf(sql, sizeof sql, "pragma synchronous=%s", way.synchronous);
  run(sql);
  sqlite3_stmt *insert;
  sqlite3_prepare_v2(database,
                     "insert into events values(?1, 'bench-k3f7a2xq:' || ?1, ?2, 'habit.edited',"
                     " 'habit/h' || (100000 + ?1 % 100), ?3)",
                     -1, &insert, NULL);
  double start = seconds();
  for (int row = 0; row < way.rows; row++) {
    if (way.batch > 1 && row % way.batch == 0) run("begin");
    sqlite3_bind_int64(insert, 1, ++number);
    sqlite3_bind_text(insert, 2, "2026-01-28T09:12:33.000+01:00", -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3,
                      "{\"note\":\"breakfast evening minutes exercise bread early walk\","
                      "\"position\":1234,\"question\":\"bread water morning run read pages\"}",
                      -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) exit(1);
    sqlite3_reset(insert);
    if (way.batch > 1 && row % way.batch == way.batch - 1) run("commit");
  }
  double end = seconds();
  sqlite3_finalize(insert);
  return end - start;
}

static double write_bytes(struct way way, const char *path) {
  size_t length = (size_t)(266 * way.batch);
  char *bytes = malloc(length);
  memset(bytes, 'x', length);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  double start = seconds();
  for (int call = 0; call < way.rows / way.batch; call++) {
    if (pwrite(file, bytes, length, (off_t)length * call) != (ssize_t)length) exit(1);
    if (strcmp(way.synchronous, "off")) fsync(file);
  }
  double end = seconds();
  close(file);
  unlink(path);
  free(bytes);
  return end - start;
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

static void inserts(int rounds, const char *path) {
  struct way ways[] = {{"durable, one at a time", "full", 2000, 1},
                       {"durable, 100 in a transaction", "full", 10000, 100},
                       {"not synced, one at a time", "off", 5000, 1},
                       {"not synced, 1,000 in a transaction", "off", 50000, 1000}};
  char floor[4096];
  snprintf(floor, sizeof floor, "%s.floor", path);
  run("pragma journal_mode=wal; create table events(n integer primary key, id text unique,"
      " at text, type text, entity text, data text)");
  for (size_t index = 0; index < sizeof ways / sizeof *ways; index++) {
    double written[64], inserted[64], ratios[64];
    for (int round = -1; round < rounds && round < 64; round++) {
      double insert = insert_rows(ways[index]), write = write_bytes(ways[index], floor);
      // The first round is a warm-up.
      if (round < 0) continue;
      inserted[round] = insert;
      written[round] = write;
      ratios[round] = insert / write;
    }
    qsort(inserted, (size_t)rounds, sizeof *inserted, compare);
    qsort(written, (size_t)rounds, sizeof *written, compare);
    qsort(ratios, (size_t)rounds, sizeof *ratios, compare);
    int middle = rounds / 2, last = rounds - 1;
    printf("SQLite, %s, %d rows, %d rounds in turn:\n", ways[index].name, ways[index].rows, rounds);
    printf("  write: %.2f (%.2f–%.2f) ms\n", written[middle] * 1e3, written[0] * 1e3,
           written[last] * 1e3);
    printf("  insert: %.2f (%.2f–%.2f) ms; ratio %.2f (%.2f–%.2f)\n", inserted[middle] * 1e3,
           inserted[0] * 1e3, inserted[last] * 1e3, ratios[middle], ratios[0], ratios[last]);
  }
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  const char *verb = arguments[1];
  if (sqlite3_open(arguments[count - 1], &database) != SQLITE_OK) return 2;
  if (!strcmp(verb, "load")) load(arguments[2]);
  if (!strcmp(verb, "fold")) fold();
  if (!strcmp(verb, "inserts")) inserts(atoi(arguments[2]), arguments[3]);
  if (!strcmp(verb, "append")) {
    run("pragma synchronous=full;"
        "insert into events(id, at, type, data) select 'pc:' || (max(n) + 1),"
        " strftime('%Y-%m-%dT%H:%M:%fZ'), 'settings.changed', '{\"theme\":\"dark\"}' from events");
  }
  return sqlite3_close(database) != SQLITE_OK;
}

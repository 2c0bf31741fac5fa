// sqlite_peer load FILE DATABASE   a table of a journal's lines
// sqlite_peer fold DATABASE        the fold of fold.h, as queries
// sqlite_peer append DATABASE      one row more, durably
#include "fold.h"
#include <sqlite3.h>

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

int main(int count, char **arguments) {
  if (count < 3) return 2;
  const char *verb = arguments[1];
  if (sqlite3_open(arguments[count - 1], &database) != SQLITE_OK) return 2;
  if (!strcmp(verb, "load")) load(arguments[2]);
  if (!strcmp(verb, "fold")) fold();
  if (!strcmp(verb, "append")) {
    run("pragma synchronous=full;"
        "insert into events(id, at, type, data) select 'pc:' || (max(n) + 1),"
        " strftime('%Y-%m-%dT%H:%M:%fZ'), 'settings.changed', '{\"theme\":\"dark\"}' from events");
  }
  return sqlite3_close(database) != SQLITE_OK;
}

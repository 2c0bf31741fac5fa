"""Does the same as sqlite_peer.c, with the same arguments, on machines without SQLite's header."""

import json
import sqlite3
import sys

SCHEMA = """
create table events(n integer primary key, id text unique, at text, type text,
  entity text, data text)
"""
FOLD = """
select (select count(*) from events), count(*), sum(v),
  (select sum(json_extract(data, '$.by')) from events)
from (select max(n), case j.type when 'integer' then j.value else 0 end v
  from events e, json_each(e.data) j group by e.entity, j.key)
"""
APPEND = """
insert into events(id, at, type, data)
select 'pc:' || (max(n) + 1), strftime('%Y-%m-%dT%H:%M:%fZ'), 'settings.changed',
  '{"theme":"dark"}' from events
"""


def row(number, line):
    event = json.loads(line)
    data = json.dumps(event["data"], ensure_ascii=False)
    return number, event["id"], event["at"], event["type"], event.get("entity"), data


verb, path = sys.argv[1], sys.argv[-1]
database = sqlite3.connect(path)
if verb == "load":
    database.execute("pragma journal_mode=wal")
    database.execute(SCHEMA)
    with open(sys.argv[2], encoding="utf-8") as file:
        rows = (row(number, line) for number, line in enumerate(file, 1))
        database.executemany("insert into events values (?, ?, ?, ?, ?, ?)", rows)
elif verb == "fold":
    answer = database.execute(FOLD).fetchone()
    print("{} events, {} fields, sum {}, increments {}".format(*answer))
elif verb == "append":
    database.execute("pragma synchronous=full")
    database.execute(APPEND)
elif verb == "inserts":
    print("SQLite's inserts are timed only with its header.")
database.commit()
database.close()

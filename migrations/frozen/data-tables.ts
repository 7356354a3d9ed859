/**
 * Shared parts of migrations. They are frozen: an applied migration must never change. A changed part gets a
 * new name beside the old one.
 */

/** The tables of a stream. */
export interface DataTables {
  name: string
  /** The first columns of `columns`. */
  key: string
  /** Names and types. */
  columns: string
  /** An additional column that the view computes. */
  view?: string
  /** The time column by whose day a lake is divided; default: when a row was first seen. */
  day?: string
}

/**
 * `svc` has the current rows and rows marked as deleted; `history` has the ended versions, partitioned by the
 * month of their end. `report` has two views: the present rows, and all versions with the time for which they
 * were valid. `history` has no primary key, because a row may end twice in a run.
 */
export function dataTables({ name, key, columns, view, day }: DataTables): string[] {
  const own = columns.split(',').map((column) => column.trim())
  const kept = ['account', ...own.map((column) => column.split(' ')[0])].join(', ')
  const shown = view === undefined ? kept : `${kept}, ${view}`
  const keyed = own.slice(0, key.split(',').length)
  return [
    `create table svc.${name} (
     account text collate "C" not null,
     ${keyed.map((column) => `${column.replace(/ text$/, ' text collate "C"')} not null,`).join('\n     ')}
     ${own
       .slice(keyed.length)
       .map((column) => `${column},`)
       .join('\n     ')}
     ${BOOKKEEPING},
     primary key (account, ${key})
   )`,
    `create table history.${name} (
     like svc.${name} including defaults,
     _valid_from timestamptz not null,
     _valid_to timestamptz not null,
     _ended_by_run bigint not null,
     _end text not null check (_end in ('changed', 'deleted', 'left'))
   ) partition by range (_valid_to)`,
    `create table history.${name}_default partition of history.${name} default`,
    // A publication for all tables forbids updates and deletions in tables without a replica identity.
    `alter table history.${name} replica identity full`,
    `alter table history.${name}_default replica identity full`,
    `create index on history.${name} (account, ${key}, _valid_to)`,
    `create view report.${name} as select ${shown}
     from svc.${name} where _deleted_at is null`,
    `create view report.history_${name} as
     select ${kept}, _valid_from as valid_from, _valid_to as valid_to, _end as ended_as
     from history.${name}
     union all select ${kept}, _changed_at, null, null
     from svc.${name} where _deleted_at is null`,
    ...noting(`svc.${name}`, day),
    ...noting(`history.${name}`, day),
  ]
}

/** The columns that every data table has besides its own. */
const BOOKKEEPING = `_raw jsonb not null,
     _bytes bytea,
     _hash bytea not null,
     _first_seen_at timestamptz not null,
     _changed_at timestamptz not null,
     _deleted_at timestamptz,
     _run_id bigint not null,
     _deleted_run_id bigint,
     _salt bytea not null default uuid_send(gen_random_uuid())`

/** Creates triggers that record the rows each statement adds and removes. */
function noting(table: string, day = '_first_seen_at'): string[] {
  const noted = `for each statement execute function callsheet.note_rows_by_${day}()`
  return [
    `create trigger note_added after insert on ${table} referencing new table as added ${noted}`,
    `create trigger note_changed after update on ${table}
     referencing new table as added old table as taken ${noted}`,
    `create trigger note_taken after delete on ${table} referencing old table as taken ${noted}`,
  ]
}

/**
 * What migrations say alike. It is frozen: a migration that was applied somewhere must stay what it was. What
 * is to be said otherwise from now on gets a name of its own beside the old one.
 */

/** The columns that every data table has besides its own. */
export const BOOKKEEPING = `_raw jsonb not null,
     _bytes bytea,
     _hash bytea not null,
     _first_seen_at timestamptz not null,
     _changed_at timestamptz not null,
     _deleted_at timestamptz,
     _run_id bigint not null`

/**
 * The table of ended versions, partitioned by the month in which they ended. A version has no key: a row may
 * end twice in a run. For the next migration that makes one.
 *
 * @public
 */
export const history = (table: string, key: string): string[] =>
  historyEnding(table, key, "('changed', 'deleted')")

/** The same before migration 0060, which renames one of the two ends. */
export const historyBefore60 = (table: string, key: string): string[] =>
  historyEnding(table, key, "('changed', 'gone')")

function historyEnding(table: string, key: string, ends: string): string[] {
  return [
    `create table history.${table} (
     like svc.${table},
     _valid_from timestamptz not null,
     _valid_to timestamptz not null,
     _ended_by_run bigint not null,
     _end text not null check (_end in ${ends})
   ) partition by range (_valid_to)`,
    `create table history.${table}_default partition of history.${table} default`,
    // A publication for all tables forbids updates and deletions of rows that nothing identifies.
    `alter table history.${table} replica identity full`,
    `alter table history.${table}_default replica identity full`,
    `create index on history.${table} (account, ${key}, _valid_to)`,
  ]
}

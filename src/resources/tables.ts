import type { ColumnType, Generated } from 'kysely'
import type { Stream } from '../core/define/stream.ts'
import type { StreamColumns } from '../core/define/stream-row.ts'
import type { DeclaredStream } from './declared.ts'

/** The tables of all streams for queries: `svc` has the current rows, `history` their earlier versions. */
export type DataTables = {
  [S in DeclaredStream as `svc.${S['name']}`]: CurrentRow<S>
} & {
  [S in DeclaredStream as `history.${S['name']}`]: HistoryRow<S>
}

/** A stream's declared columns, and the common columns of every stream's table. */
export type CurrentRow<S extends Stream> = StreamColumns<S> & Bookkeeping

/** An earlier version of a row, valid until `_valid_to`. */
export type HistoryRow<S extends Stream> = CurrentRow<S> & VersionEnd

/** Additional columns of the `history` tables. */
export interface VersionEnd {
  _valid_from: string
  _valid_to: string
  _ended_by_run: number
  _end: 'changed' | 'deleted' | 'left'
}

/** The columns that every stream's tables have besides the declared ones. */
export interface Bookkeeping {
  account: string
  _raw: ColumnType<unknown, string, string>
  _bytes: Buffer | null
  _hash: Buffer
  _first_seen_at: string
  _changed_at: string
  _deleted_at: string | null
  _run_id: number
  _deleted_run_id: number | null
  _salt: Generated<Buffer>
}

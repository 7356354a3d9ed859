import type { Window } from '../time/spans.ts'
import type { WireRecord } from '../values/json.ts'
import type { CallArguments, Operation } from './operation.ts'
import type { Stream } from './stream.ts'

/** A kind of files that the service's records refer to, and how to fetch them. */
export interface FileSource {
  kind: FileKind
  /** The stream whose records have these files. */
  parent: Stream
  /** The parent's column with the instant after which its files are gone. */
  expiresAt?: string
  /** The parent's boolean column that is true while its files are unavailable, as in the trash. */
  withheld?: string
  rows: readonly FileRows[]
  /** Lists a parent's files at each download: addresses are never stored. */
  list: {
    operation: Operation
    /** `span`: the time range of the parent's records, if the parent's row has its start or end. */
    arguments(parent: string, span?: Window): CallArguments
    /** The query that makes the list include a download token for the parent's files. */
    tokenQuery?: { include_fields: string }
    /** The files in a record of a paged list, or in a whole detail answer. */
    files(parent: string, record: WireRecord): readonly ListedFile[]
  }
  download: Operation
}

export type FileKind = 'activity' | 'recording'

/** A stream with one row for each file. Its first key column is the parent's key. */
export interface FileRows {
  stream: Stream
  /** The key columns that name the file within its parent: an ID, and an ordinal if the ID may repeat. */
  item: string
  ordinal?: string
  /** The column of the instant from which the file's age counts. */
  since?: string
}

export interface ListedFile {
  item: string
  /** Undefined when the service offers no file. */
  url: string | undefined
  bytes?: number | undefined
  /** The kind in the list, such as `MP4` or `VTT`; undefined if the file may be of any kind. */
  kind?: string | undefined
  /** Used at once, and never stored. */
  downloadToken?: string | undefined
}

/** The maximum number of records on a page of a parent's list; undefined if one answer has all of them. */
export function filesPerPage({ list: { operation } }: FileSource): number | undefined {
  const { paging } = operation
  return paging?.style === 'token' ? paging.maxPageSize : undefined
}

/** A file's name within its parent in the ledger of files. */
export function fileItem(id: string, ordinal: number): string {
  return ordinal === 0 ? id : `${id}#${ordinal}`
}

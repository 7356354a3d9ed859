import type { Operation } from '../core/define/operation.ts'
import type { Stream } from '../core/define/stream.ts'
import * as files from './all.ts'

type Files = typeof files
type InFile<File> = File extends unknown ? File[keyof File] : never
/** The union of all declared streams, each with its own columns. */
export type DeclaredStream = Extract<InFile<Files[keyof Files]>, Stream>

const declared: readonly unknown[] = Object.values(files).flatMap(
  (file) => Object.values(file) as unknown[],
)

/** All declared operations, sorted by ID. */
export const operations: readonly Operation[] = declared
  .filter(isOperation)
  .toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** All declared streams, sorted by name. */
export const declaredStreams: readonly Stream[] = declared
  .filter(isStream)
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

function isOperation(value: unknown): value is Operation {
  return isRecord(value) && 'method' in value && 'path' in value && 'response' in value
}

function isStream(value: unknown): value is Stream {
  return isRecord(value) && 'columns' in value && 'sync' in value
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

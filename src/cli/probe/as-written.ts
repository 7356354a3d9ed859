import { type EncodingWay, encodeId } from '../../core/declare/id-encoding.ts'
import type { Operation } from '../../core/declare/operation.ts'

/** The operation with an ID in its path, encoded in this way only. */
export function asWritten(operation: Operation, id: string, way: EncodingWay): Operation {
  const path = operation.path.replaceAll(/\{\w+\}/g, () => encodeId(id, way))
  return { ...operation, path }
}

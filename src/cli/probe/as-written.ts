import { type EncodingWay, encodeId } from '../../core/declare/id-encoding.ts'
import type { Operation } from '../../core/declare/operation.ts'

/** The operation with an ID in its path, written in one way: it is asked for so, and in no other. */
export function asWritten(operation: Operation, id: string, way: EncodingWay): Operation {
  const path = operation.path.replaceAll(/\{\w+\}/g, () => encodeId(id, way))
  return { ...operation, path }
}

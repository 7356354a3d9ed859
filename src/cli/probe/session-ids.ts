import type { Operation } from '../../core/operation.ts'
import { getSessionRecordings, listRecordings } from '../../resources/recordings.ts'
import {
  getWhiteboardSession,
  listWhiteboardSessions,
} from '../../resources/whiteboard-archives.ts'
import { idsOf } from './gone-answers.ts'
import { type Probe, refusalText } from './probe.ts'

const KINDS = [
  {
    operation: getSessionRecordings,
    list: listRecordings,
    field: 'session_id',
    name: 'sessionId',
  },
  {
    operation: getWhiteboardSession,
    list: listWhiteboardSessions,
    field: 'id',
    name: 'seesionId',
  },
] as const

/** How the ID of a session is to be written in a path, if one was seen for which it matters. */
export const sessionIds: readonly Probe[] = KINDS.map(({ operation, list, field, name }) => ({
  id: `session-id.${operation.id}`,
  lines: ['id-encoding'],
  assumption: 'a session ID that holds / + or % is encoded twice in a path',
  operations: [operation],
  mostReads: 2,
  async run(reader) {
    const ids = [...new Set(idsOf(reader, list, field))]
    const odd = ids.filter((id) => /[/+%]/.test(id))
    // The hardest to get right comes first.
    const id = odd.find((one) => one.startsWith('/') || one.includes('//')) ?? odd[0]
    const facts = { seen: ids.length, with_such: odd.length }
    if (id === undefined)
      return {
        verdict: 'unclear',
        found: `none of the ${ids.length} that were seen holds any`,
        facts,
      }
    const args = { path: { [name]: id } }
    const twice = await reader.read(operation, args)
    if (twice.refusal === undefined)
      return { verdict: 'holds', found: `so one of ${odd.length} was found`, facts }
    const once: Operation = { ...operation, encodeTwice: [] }
    const other = await reader.read(once, args)
    if (other.refusal !== undefined)
      return { verdict: 'unclear', found: `encoded once or twice: ${refusalText(other)}`, facts }
    return {
      verdict: 'differs',
      found: 'encoded once it was found, and not encoded twice',
      means: `a sync takes ${odd.length} of ${ids.length} such sessions for gone or fails at them`,
      facts,
    }
  },
}))

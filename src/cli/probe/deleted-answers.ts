import { documentedRule } from '../../api/client/path-ids.ts'
import { meansDeleted } from '../../core/declare/answer-meaning.ts'
import { pathNames } from '../../core/declare/check-call.ts'
import { wayOf } from '../../core/declare/id-encoding.ts'
import type { Operation } from '../../core/declare/operation.ts'
import {
  getClassificationLabel,
  listClassificationLabels,
} from '../../resources/classification-labels.ts'
import { getPortedOrder, listPortedOrders } from '../../resources/number-settings.ts'
import { getPhoneNumber, listPhoneNumbers } from '../../resources/phone-numbers.ts'
import { getSessionRecordings, listRecordings } from '../../resources/recordings.ts'
import {
  getSmsConsent,
  listSmsConsentNumbers,
  listSmsConsents,
} from '../../resources/sms-consents.ts'
import { getStorageLocation, listStorageLocations } from '../../resources/storage-locations.ts'
import { getUser, listUsers } from '../../resources/users.ts'
import {
  getWhiteboardSession,
  listWhiteboardSessions,
} from '../../resources/whiteboard-archives.ts'
import { listWhiteboardCollaborators } from '../../resources/whiteboard-collaborators.ts'
import { getWhiteboardContent } from '../../resources/whiteboard-content.ts'
import { listWhiteboards } from '../../resources/whiteboards.ts'
import { asWritten } from './as-written.ts'
import {
  type Probe,
  type Probed,
  type Reader,
  type Reading,
  recordsOf,
  refusalText,
} from './probe.ts'

/** A detail call, and the list that shows IDs of its kind. */
interface Detail {
  operation: Operation
  list: Operation
  field: string
  /** No other probe reads the list. */
  unread?: true
}

export const DETAILS: readonly Detail[] = [
  { operation: getUser, list: listUsers, field: 'id' },
  { operation: getPhoneNumber, list: listPhoneNumbers, field: 'id' },
  { operation: getSessionRecordings, list: listRecordings, field: 'session_id' },
  { operation: getWhiteboardSession, list: listWhiteboardSessions, field: 'id' },
  { operation: listWhiteboardCollaborators, list: listWhiteboards, field: 'whiteboard_id' },
  { operation: getWhiteboardContent, list: listWhiteboards, field: 'whiteboard_id' },
  {
    operation: getClassificationLabel,
    list: listClassificationLabels,
    field: 'classification_id',
    unread: true,
  },
  { operation: getSmsConsent, list: listSmsConsents, field: 'consent_id' },
  { operation: listSmsConsentNumbers, list: listSmsConsents, field: 'consent_id' },
  { operation: getPortedOrder, list: listPortedOrders, field: 'order_id' },
  { operation: getStorageLocation, list: listStorageLocations, field: 'id', unread: true },
]

/** How each detail call answers to an unknown ID: this answer shows a sync that a record is deleted. */
export const goneAnswers: readonly Probe[] = DETAILS.map((detail) => {
  const { operation, list, unread = false } = detail
  return {
    id: `gone.${operation.id}`,
    lines: ['gone'] as const,
    assumption: `what is gone is answered ${declared(operation)}`,
    operations: unread ? [list, operation] : [operation],
    mostReads: unread ? 2 : 1,
    async run(reader) {
      const listed = unread ? await reader.read(list) : undefined
      // If the whole kind is refused, the answer for one ID proves nothing.
      if (listed?.refusal !== undefined)
        return { verdict: 'not allowed', found: `their list is refused: ${refusalText(listed)}` }
      const id = madeUp(idsOf(reader, list, detail.field))
      const [name = ''] = pathNames(operation)
      const way = wayOf(documentedRule(operation, name), id)
      return judge(await reader.read(asWritten(operation, id, way)))
    },
  }
})

/** The IDs on the pages of a list that were read so far. */
export function idsOf({ seen }: Pick<Reader, 'seen'>, list: Operation, field: string): string[] {
  return seen.readings
    .filter(({ operation }) => operation.id === list.id)
    .flatMap((reading) => recordsOf(reading))
    .flatMap(({ [field]: id }) => (typeof id === 'string' && id !== '' ? [id] : []))
}

/**
 * An unused ID of the same form as the IDs seen, because another form may be refused for its form. It
 * reverses the letters and digits of a known one.
 */
function madeUp(known: readonly string[]): string {
  const taken = new Set(known)
  const model = known.find((id) => /^[\w-]+$/.test(id)) ?? known[0]?.replace(/[^\w=-]/g, 'x')
  const turned = (model ?? USUAL_ID).replace(/[A-Za-z0-9](?=.*[A-Za-z0-9])/g, turn)
  return taken.has(turned) ? turned.replace(/[A-Za-z0-9]/, turn) : turned
}

function turn(character: string): string {
  if (/\d/.test(character)) return String((Number(character) + 5) % 10)
  const base = character < 'a' ? 65 : 97
  return String.fromCharCode(base + ((character.charCodeAt(0) - base + 13) % 26))
}

function judge(reading: Reading): Probed {
  const { operation, refusal, status, code = 'none' } = reading
  const facts = { status, code }
  if (refusal === undefined)
    return {
      verdict: 'differs',
      found: 'a made-up ID is answered with success',
      means: 'a deleted record could be taken for a present one',
      facts,
    }
  const found = `HTTP ${status} with code ${code} to a made-up ID`
  if (meansDeleted(operation, refusal)) return { verdict: 'holds', found, facts }
  return {
    verdict: 'differs',
    found,
    means:
      'if what was there and is gone is answered so too, a sync fails at it and marks nothing as deleted',
    facts,
  }
}

function declared({ deleted = [] }: Operation): string {
  return deleted.map(({ status, code }) => [status, code].join('/')).join(' or ')
}

const USUAL_ID = 'KDcuGIm1QgePTO8WbOqwIQ'

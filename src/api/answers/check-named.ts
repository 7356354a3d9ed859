import type { CallArguments, Operation } from '../../core/define/operation.ts'
import { TransportError } from '../../core/errors.ts'
import { namesOther } from '../../core/records/named-record.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import type { Received } from './read-json.ts'
import { tried } from './tried.ts'

/** Refuses an answer that names another record than the one that was requested. */
export function checkNamed({ operation, args }: Received, body: WireRecord): void {
  if (namesOther(operation, args, body)) throw otherRecord(operation, args)
}

/** Names no ID that came: it may be a person's. */
export function otherRecord(operation: Operation, { path = {} }: CallArguments): TransportError {
  const names = Object.entries(operation.names ?? {})
  const expected = names.map(([placeholder, fields]) => {
    const requested = path[placeholder] ?? ''
    return `${fields.join(' or ')} ${requested.includes('@') ? 'as requested' : requested}`
  })
  return new TransportError('other_record', false, {
    tried: tried(operation),
    expected: `an answer with ${expected.join(' and ')}`,
    came: 'an answer that names another record; nothing of it was stored',
    todo: 'if it happens again, report it to whoever runs the service',
  })
}

import { z } from 'zod'
import { type EventDefinition, text } from './definition.ts'
import { ROOM_EVENTS } from './rooms.ts'
import { VISITOR_EVENTS } from './visitors.ts'
import { WORKSPACE_EVENTS } from './workspaces.ts'

/** The event of a person who removed the app and must be erased. Its fields are in `payload` itself. */
export const REMOVAL = 'app_deauthorized'

/** The challenge that an endpoint must answer before it receives events. It is not stored. */
export const CHALLENGE = 'endpoint.url_validation'

const removal = z.looseObject({
  account_id: text(),
  user_id: text(),
  signature: text(),
  deauthorization_time: text(),
  client_id: text(),
})

/**
 * The documented definition of an event; undefined if there is none. Finds other spellings of its name too,
 * since the documents spell some in two ways: a verb in the present or past, a visit with or without
 * `invitation_`.
 */
export function definitionOf(name: string): EventDefinition | undefined {
  return EVENTS.get(name) ?? BY_SPELLING.get(spellingOf(name))
}

/** Maps all spellings of an event's name to one. */
function spellingOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('-', '_')
    .replace('visitor_management.invitation_checked_', 'visitor_management.checked_')
    .replace(/(create|update|delete)d$/, '$1')
    .replace(/(assign|report|attempt|end)ed$/, '$1')
}

export const EVENTS: ReadonlyMap<string, EventDefinition> = new Map(
  [{ event: REMOVAL, fields: removal }, ...VISITOR_EVENTS, ...WORKSPACE_EVENTS, ...ROOM_EVENTS].map(
    (definition) => [definition.event, definition],
  ),
)

const BY_SPELLING: ReadonlyMap<string, EventDefinition> = new Map(
  [...EVENTS].map(([name, definition]) => [spellingOf(name), definition]),
)

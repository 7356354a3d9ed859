import { z } from 'zod'
import { type EventDefinition, text } from './definition.ts'
import { ROOM_EVENTS } from './rooms.ts'
import { VISITOR_EVENTS } from './visitors.ts'
import { WORKSPACE_EVENTS } from './workspaces.ts'

/** A person took the app away, and is to be erased. Its fields lie in `payload` itself. */
export const REMOVAL = 'app_deauthorized'

/** What an endpoint must answer before it is sent anything. It is answered, and not kept. */
export const CHALLENGE = 'endpoint.url_validation'

const removal = z.looseObject({
  account_id: text(),
  user_id: text(),
  signature: text(),
  deauthorization_time: text(),
  client_id: text(),
})

/** Every event that the documents describe, by its name. */
export const EVENTS: ReadonlyMap<string, EventDefinition> = new Map(
  [{ event: REMOVAL, fields: removal }, ...VISITOR_EVENTS, ...WORKSPACE_EVENTS, ...ROOM_EVENTS].map(
    (definition) => [definition.event, definition],
  ),
)

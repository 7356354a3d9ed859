import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import type { FaultRule } from '../protocol/faults.ts'
import type { TruthRow } from '../protocol/stream-truth.ts'
import { boardLabels } from '../whiteboards/board-labels.ts'
import { publishing } from '../whiteboards/label-answers.ts'
import type { SandboxContext } from './context.ts'
import { type MutatedStreams, type MutateOptions, mutateSeedData } from './mutate.ts'
import { addOffices } from './offices.ts'
import { seedDataOf } from './seed-data-of.ts'
import { truthOf } from './truth.ts'

/**
 * Adds endpoints for tests and the demo. They need no token, because the sandbox listens on loopback only.
 */
export function addAdmin(app: Hono<{ Bindings: HttpBindings }>, context: SandboxContext): void {
  app.onError((error, http) => http.json({ code: 500, message: error.message }, 500))
  addOffices(app, context)
  app.get('/__sandbox/truth/:stream', (http) => {
    const seedData = seedDataOf(context, http.req.query('account'))
    const rows = truthOf(seedData, http.req.param('stream'), {
      nowMs: context.clock.now(),
      readings: context.readings,
    })
    return new Response(ndjson(rows), { headers: { 'content-type': 'application/x-ndjson' } })
  })
  app.post('/__sandbox/mutate', async (http) => {
    const text = await http.req.text()
    const asked = text === '' ? {} : (JSON.parse(text) as MutateOptions & { account?: string })
    return http.json(mutate(context, asked))
  })
  app.post('/__sandbox/publish-labels', (http) =>
    http.json(publishLabels(context, http.req.query('account'))),
  )
  app.post('/__sandbox/app-scopes', async (http) => {
    const { clientId, scopes } = await http.req.json<{ clientId: string; scopes: string[] }>()
    const changed = context.apps.find((one) => one.clientId === clientId)
    if (changed !== undefined) changed.scopes = scopes
    return http.json({ changed: changed !== undefined })
  })
  app.get('/__sandbox/board-labels', (http) =>
    http.json([...boardLabels(seedDataOf(context, http.req.query('account')))]),
  )
  app.get('/__sandbox/stats', (http) => http.json(context.stats))
  app.post('/__sandbox/clock', async (http) => {
    const { advanceMs = 0 } = await http.req.json<{ advanceMs?: number }>()
    context.advance(advanceMs)
    await context.mailroom.deliver()
    return http.json({ nowMs: context.clock.now() })
  })
  app.post('/__sandbox/faults', async (http) => {
    const { rules = [] } = await http.req.json<{ rules?: FaultRule[] }>()
    context.faults.set(rules)
    return http.json({ rules: context.faults.rules() })
  })
}

export function mutate(
  context: SandboxContext,
  asked: MutateOptions & { account?: string },
): MutatedStreams {
  const seedData = seedDataOf(context, asked.account)
  const changes = mutateSeedData(seedData, asked, context.clock.now())
  context.saveState()
  return changes
}

/** Publishes the drafts of labels; returns the changes as a mutation does. */
function publishLabels(context: SandboxContext, account: string | undefined): MutatedStreams {
  const ops = publishing(seedDataOf(context, account), context.clock.now())
  return mutate(context, { ops, ...(account === undefined ? {} : { account }) })
}

function ndjson(rows: Iterator<TruthRow>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull(controller) {
      const lines: string[] = []
      while (lines.length < 500) {
        const next = rows.next()
        if (next.done === true) break
        lines.push(JSON.stringify(next.value))
      }
      if (lines.length > 0) controller.enqueue(encoder.encode(`${lines.join('\n')}\n`))
      else controller.close()
    },
  })
}

import type { BoardPatch } from '../../sandbox/seed-data/board-patches.ts'
import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { type Answered, type Caller, oauthCaller } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'

export const CALLED_AT = '2026-06-10T09:00:00Z'

/** Runs `work` with a new sandbox and a caller for its first app. */
export async function withCaller(
  options: SandboxOptions,
  work: (caller: Caller, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const nowMs = Date.parse(CALLED_AT)
  const sandbox = await startSandbox({ nowMs, sizes: SMALL_SIZES, ...options })
  try {
    await work(await oauthCaller(sandbox), sandbox)
  } finally {
    await sandbox.close()
  }
}

/** Returns the status and the code of a response. */
export function coded({ status, body }: Answered): { status: number; code: unknown } {
  return { status, code: body.code }
}

/** Patches the board with this index, and returns its ID. */
export async function boardWith(
  sandbox: Sandbox,
  index: number,
  patch: BoardPatch = {},
): Promise<string> {
  sandbox.mutate({ ops: [{ kind: 'boards', action: 'change', index, patch }] })
  let at = 0
  for await (const row of sandbox.truth('whiteboards'))
    if (at++ === index) return String(row.whiteboard_id)
  throw new Error(`there is no board ${index}`)
}

export async function rowsOf(sandbox: Sandbox, stream: string): Promise<Record<string, unknown>[]> {
  const rows = []
  for await (const row of sandbox.truth(stream)) rows.push(row)
  return rows
}

/** Calls an admin endpoint of the sandbox, and returns the body of the response. */
export async function asked(sandbox: Sandbox, method: string, path: string): Promise<unknown> {
  return await (await fetch(`${sandbox.url}/__sandbox/${path}`, { method })).json()
}

import type { OpenWarehouse } from '../../account/wire.ts'
import type { Config } from '../../config/schema.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { PublishedReport } from '../../report/publish-report.ts'
import type { RunResult } from '../../sync/run/run-types.ts'
import type { Channel, Message } from '../alerts/message.ts'
import { openCommand, openWebhook } from '../alerts/open-channels.ts'
import { publishedMessage, runMessage } from './hook-message.ts'
import { type Attempted, recordAttempt } from './run-task.ts'

/** Starts hooks, which neither delay nor fail what they follow. */
export interface Hooks {
  /** Starts the hooks of ended runs. An interrupted run has none, because the next run continues it. */
  afterRuns(account: string, runs: readonly Pick<RunResult, 'runId' | 'job' | 'state'>[]): void
  afterReport(account: string, report: string, published: PublishedReport): void
  /** Returns how many hooks run or wait for their turn or their next try. */
  underWay(): number
  /** Resolves once no hook runs or waits. Never rejects. */
  settled(): Promise<void>
}

export interface HookOptions {
  /** Kills running commands, and gives up what has not been done. */
  signal: AbortSignal
  /** Called when a hook has failed for the last time. */
  onFailed?: (text: string) => void
}

interface Hook {
  /** The place in the settings, such as `hooks[0]`. */
  name: string
  settings: Config['hooks'][number]
  /** Resolves when the tries before have ended. */
  turn: Promise<unknown>
}

/** A run or report that a hook follows. */
interface Event {
  account: string
  of: { job: string; run: number } | { report: string }
  dueMs: number
  message(): Promise<Message>
}

type Deps = OpenWarehouse & HookOptions

export function createHooks(opened: OpenWarehouse, options: HookOptions): Hooks {
  const { config, clock } = opened.wiring
  const deps = { ...opened, ...options }
  const hooks = config.hooks.map(
    (settings, index): Hook => ({ name: `hooks[${index}]`, settings, turn: Promise.resolve() }),
  )
  const underWay = new Set<Promise<void>>()
  const start = (after: 'run' | 'report', name: string, event: Event): void => {
    for (const hook of hooks.filter(({ settings }) => follows(settings, after, name))) {
      if (underWay.size >= MOST_UNDER_WAY) {
        logFailure(deps, { hook, event }, { error: `${MOST_UNDER_WAY} hooks wait already` })
        continue
      }
      const work = run(deps, hook, event).finally(() => underWay.delete(work))
      underWay.add(work)
    }
  }
  return {
    afterRuns(account, runs) {
      for (const { runId, job, state } of runs) {
        // The run that records evidence belongs to no job that a hook can name.
        if (state === 'interrupted' || config.jobs[job] === undefined) continue
        const message = once(() => runMessage(opened.warehouse.db, { account, runId }))
        start('run', job, { account, of: { job, run: runId }, dueMs: clock.now(), message })
      }
    },
    afterReport(account, report, published) {
      const message = async () => publishedMessage(account, report, published)
      start('report', report, { account, of: { report }, dueMs: clock.now(), message })
    },
    underWay: () => underWay.size,
    settled: async () => void (await Promise.all(underWay)),
  }
}

/** All hooks and tries of an event share its message. A message that could not be made is made again. */
function once(make: () => Promise<Message>): () => Promise<Message> {
  let made: Promise<Message> | undefined
  return async () => {
    made ??= make()
    return await made.catch((error: unknown) => {
      made = undefined
      throw error
    })
  }
}

/** The settings allow only one of the two lists to have names. */
function follows({ after, jobs, reports }: Hook['settings'], ended: string, name: string): boolean {
  const names = [...jobs, ...reports]
  return after === ended && (names.length === 0 || names.includes(name))
}

/** Tries a hook up to three times. During the waits in between, other events have their turn at the hook. */
async function run(deps: Deps, hook: Hook, event: Event): Promise<void> {
  const { clock, observer } = deps.wiring
  for (let tries = 1; ; tries++) {
    const turn = hook.turn.then(() => tryOnce(deps, hook, event))
    hook.turn = turn
    const error = await turn
    if (error === undefined) {
      const { account, of } = event
      return observer.event('hook done', { account, ...of, name: hook.name, tries })
    }
    const waitMs = deps.signal.aborted ? undefined : WAITS_MS[tries - 1]
    logFailure(deps, { hook, event }, { error, tries, wait_ms: waitMs })
    if (waitMs === undefined) return
    await clock.sleep(waitMs, deps.signal).catch(() => {})
  }
}

/** Tries a hook once, and records how it ended. Returns the error, if it failed. Never rejects. */
async function tryOnce(
  { warehouse, wiring: { clock }, signal }: Deps,
  hook: Hook,
  { account, of, dueMs, message }: Event,
): Promise<string | undefined> {
  let error: string | undefined
  const attempt = async (): Promise<Attempted> => {
    try {
      const channel = await openChannel(hook, clock)
      await channel.send(await message(), signal)
      return { state: 'complete', ending: { kind: 'done' }, detail: of, error }
    } catch (thrown) {
      error = textOf(thrown, signal)
      const state = signal.aborted ? 'interrupted' : 'failed'
      return { state, ending: { kind: 'again' }, detail: of, error }
    }
  }
  try {
    signal.throwIfAborted()
    await recordAttempt({ warehouse, clock }, { account, task: hook.name, dueMs }, attempt)
  } catch (thrown) {
    error = textOf(thrown, signal)
  }
  return error
}

async function openChannel({ name, settings }: Hook, clock: Clock): Promise<Channel> {
  const { command, webhook, timeoutSeconds } = settings
  const timeoutMs = timeoutSeconds * 1_000
  if (webhook !== null)
    return await openWebhook({ ...webhook, form: 'json', timeoutMs }, `${name}.webhook`, clock)
  return await openCommand({ command: command ?? [], timeoutMs }, `${name}.command`, clock)
}

/** The text of an unknown error may contain anything, so only its name is logged. */
function textOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'Callsheet was stopped'
  return error instanceof CallsheetError ? error.message : (error as Error).name
}

function logFailure(
  { wiring: { observer }, onFailed }: Deps,
  { hook: { name }, event: { account, of } }: { hook: Hook; event: Event },
  fields: { error: string; tries?: number; wait_ms?: number | undefined },
): void {
  const again = fields.wait_ms !== undefined
  observer.event('hook failed', { account, ...of, name, ...fields, again, level: 'warn' })
  const after = 'run' in of ? `run ${of.run}` : `report ${of.report}`
  if (!again) onFailed?.(`${name} failed after ${after} of ${account}: ${fields.error}`)
}

/** The waits before the second and the third try, which is the last one. */
const WAITS_MS = [60_000, 300_000]
const MOST_UNDER_WAY = 1_000

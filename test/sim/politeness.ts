import type { HttpExchange } from './http-line.ts'
import type { VirtualTime } from './virtual-time.ts'
import type { WireAnswer } from './wire-answer.ts'

/**
 * What the service may expect of its callers (I8): that a process which was told to wait waits, with all
 * that has the same rate label, and that one token at a time is asked for.
 */
export class Politeness {
  readonly violations: string[] = []
  requests = 0
  renewals = 0
  readonly #time: VirtualTime
  /** Until when each process was told to leave each operation alone. */
  readonly #told = new Map<string, { atMs: number; untilMs: number }>()
  /** Since when each process waits for a token. */
  readonly #renewing = new Map<string, number>()
  /** The pages asked for of each list by each process. */
  readonly #pages = new Map<string, number>()

  constructor(time: VirtualTime) {
    this.#time = time
  }

  sent(exchange: HttpExchange): void {
    this.requests++
    const owner = exchange.owner?.name ?? ''
    if (isTokenRequest(exchange)) {
      this.renewals++
      const sinceMs = this.#time.nowMs - CLAIM_MS
      if ([...this.#renewing.values()].some((atMs) => atMs > sinceMs))
        this.violations.push('I11 two renewals of the token are under way at once')
      this.#renewing.set(owner, this.#time.nowMs)
      return
    }
    const list = `${owner} ${exchange.path.replace(/next_page_token=[^&]*&?/, '')}`
    this.#pages.set(list, (this.#pages.get(list) ?? 0) + 1)
    const told = this.#told.get(`${owner} ${listOf(exchange)}`)
    const { nowMs } = this.#time
    // What left at the very moment when the answer came could not know of it.
    if (told === undefined || nowMs <= told.atMs + 5 || nowMs >= told.untilMs) return
    const early = Math.round(told.untilMs - nowMs)
    this.violations.push(`I8 ${owner} asked for ${listOf(exchange)} ${early} ms too early`)
  }

  /** An answer has arrived at the process that asked. */
  arrived(exchange: HttpExchange, answer: WireAnswer): void {
    if (answer.status !== 429) return
    const asked = answer.headers['retry-after'] ?? ''
    if (!/^[1-9]\d*$/.test(asked)) return
    const key = `${exchange.owner?.name ?? ''} ${listOf(exchange)}`
    const atMs = this.#time.nowMs
    const untilMs = Math.max(this.#told.get(key)?.untilMs ?? 0, atMs + Number(asked) * 1_000)
    this.#told.set(key, { atMs, untilMs })
  }

  /** The caller waits no longer. */
  ended(exchange: HttpExchange): void {
    if (isTokenRequest(exchange)) this.forget(exchange.owner?.name ?? '')
  }

  /** By operation, how many lists of four pages and more some process read. */
  longLists(): Record<string, number> {
    const lists = new Map<string, Set<string>>()
    for (const [list, pages] of this.#pages) {
      const [, path = ''] = list.split(' ')
      const kind = listOf({ path })
      if (pages >= 4) lists.set(kind, (lists.get(kind) ?? new Set()).add(path))
    }
    return Object.fromEntries([...lists].map(([kind, paths]) => [kind, paths.size]))
  }

  /** A process that is gone renews nothing any more. */
  forget(owner: string): void {
    this.#renewing.delete(owner)
  }
}

function isTokenRequest({ path }: HttpExchange): boolean {
  return path.startsWith('/oauth/token')
}

/** Requests of one operation, whatever they ask for. */
function listOf({ path }: Pick<HttpExchange, 'path'>): string {
  return path
    .replace(/\?.*$/, '')
    .replace(/(whiteboards\/sessions|numbers|users|location)\/.+/, '$1/*')
    .replace(/(whiteboards|sms_consent|videosdk\/sessions)\/(?!sessions)[^*]+\/(\w+)$/, '$1/*/$2')
}

/** A claim on the renewal lasts so long: whoever sleeps longer has lost it. */
const CLAIM_MS = 30_000

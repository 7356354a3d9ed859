import { hash } from '../base/random.ts'
import type { SeedState } from '../seed-data/state.ts'

/**
 * Where a list was left. Bound to the operation, the account and all other parameters; dies after 15
 * minutes.
 */
export interface PageToken {
  binding: string
  position: number
  /** The state to go on with; undefined where paging goes on in whatever is there then. */
  pinned: SeedState | undefined
  /** The bounds that the first page settled on. */
  bounds: { from: string; to: string } | undefined
  /** It came with an empty page: the next one is not. */
  blank: boolean
  /** The how manieth pass over this list it belongs to. */
  pass: number
  expiresMs: number
}

export interface PageTokens {
  /** Counts the passes over a list, by what names it. */
  begin(name: string): number
  issue(token: Omit<PageToken, 'expiresMs'>, nowMs: number): string
  /** Undefined when it is unknown or dead. */
  find(text: string, nowMs: number): PageToken | undefined
}

/** Tokens are texts that nobody guesses, or mere `numbers`. */
export function pageTokens(seed: number, numbers = false): PageTokens {
  const live = new Map<string, PageToken>()
  let issued = 0
  const passes = new Map<string, number>()
  return {
    begin(name) {
      const pass = (passes.get(name) ?? 0) + 1
      if (passes.size >= SWEEP_AT) passes.clear()
      passes.set(name, pass)
      return pass
    },
    issue(token, nowMs) {
      const words = [1, 2, 3, 4, 5, 6].map((n) => hash(seed + n, 0x70c, issued))
      issued++
      const bytes = Buffer.alloc(26)
      words.forEach((word, n) => bytes.writeUInt32BE(word, n * 4))
      bytes.writeUInt16BE(issued & 0xffff, 24)
      const text = numbers ? String(700_000 + issued) : bytes.toString('base64')
      if (live.size >= SWEEP_AT) sweep(live, nowMs)
      live.set(text, { ...token, expiresMs: nowMs + LIFETIME_MS })
      return text
    },
    find(text, nowMs) {
      const token = live.get(text)
      return token !== undefined && nowMs < token.expiresMs ? token : undefined
    },
  }
}

/**
 * The dead go first; if all live (the clock is frozen), the oldest go, long after any client has left them.
 */
function sweep(live: Map<string, PageToken>, nowMs: number): void {
  for (const [text, token] of live) if (nowMs >= token.expiresMs) live.delete(text)
  for (const text of live.keys()) {
    if (live.size < SWEEP_AT / 2) return
    live.delete(text)
  }
}

const LIFETIME_MS = 15 * 60_000
const SWEEP_AT = 100_000

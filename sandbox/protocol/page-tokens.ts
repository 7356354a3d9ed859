import { hash } from '../base/random.ts'
import type { SeedState } from '../seed-data/state.ts'

/**
 * A position in a list. A token is bound to the operation, the account and all other parameters, and expires
 * after 15 minutes.
 */
export interface PageToken {
  binding: string
  position: number
  /** The state from which the list continues; undefined for the present state. */
  pinned: SeedState | undefined
  /** The bounds of the first page. */
  bounds: { from: string; to: string } | undefined
  /** Whether the page that returned the token was left empty. Then the next page is not. */
  blank: boolean
  /** The number of the pass over this list. */
  pass: number
  expiresMs: number
}

export interface PageTokens {
  /** Counts the passes over a list, by its name. */
  begin(name: string): number
  issue(token: Omit<PageToken, 'expiresMs'>, nowMs: number): string
  /** Returns undefined if the token is unknown or expired. */
  find(text: string, nowMs: number): PageToken | undefined
}

/** Makes page tokens: texts that look random or, with `numbers`, rising numbers. */
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
 * Removes expired tokens. If too many are left (e.g. because the clock is frozen), removes the oldest, which
 * clients most likely no longer use.
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

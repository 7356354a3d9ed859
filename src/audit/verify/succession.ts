/**
 * The order of the signing keys: a replaced key never returns, and no key follows today's key. So a replaced
 * key, which may have leaked, cannot sign a current checkpoint.
 */
export class Succession {
  readonly #today: string | undefined
  readonly #before = new Set<string>()
  #current: string | undefined

  constructor(today: string | undefined) {
    this.#today = today
  }

  /** Adds the key of the next checkpoint. Returns the key that should have signed, if it is another one. */
  instead(key: string): string | undefined {
    const current = this.#current
    if (key === current) return undefined
    if (current !== undefined) {
      if (current === this.#today || this.#before.has(key)) return current
      this.#before.add(current)
    }
    this.#current = key
    return undefined
  }
}

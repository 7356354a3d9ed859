/**
 * The order of the signing keys: a replaced key never returns, and none follows the current one. So whoever
 * holds an older key, perhaps a leaked one, can sign no checkpoint of today with it.
 */
export class Succession {
  readonly #today: string | undefined
  readonly #before = new Set<string>()
  #current: string | undefined

  constructor(today: string | undefined) {
    this.#today = today
  }

  /** Adds the key of the next checkpoint; returns the key that should have signed, if it is another one. */
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

/** Seeded and splittable: each stream of draws is named, so that leaving one out does not move the others. */
export class Random {
  readonly #seed: number
  #state: number

  constructor(seed: number, name = '') {
    this.#seed = seed
    this.#state = mix(seed ^ textHash(name))
  }

  /** A stream of its own. */
  fork(name: string): Random {
    return new Random(this.#seed, name)
  }

  /** In [0, 1). */
  unit(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    return (mix(this.#state) >>> 0) / 2 ** 32
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1))
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T
  }
}

function mix(value: number): number {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad)
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97)
  return h ^ (h >>> 15)
}

function textHash(text: string): number {
  let h = 0x811c9dc5
  for (let at = 0; at < text.length; at++) h = Math.imul(h ^ text.charCodeAt(at), 0x01000193)
  return h
}

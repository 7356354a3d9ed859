/**
 * Calls to spare before each of some deadlines, the earliest first. A call taken before one deadline is
 * missing before all later ones too. Each step takes time in proportion to the logarithm of their number.
 */
export class SpareCalls {
  readonly #size: number
  /** A binary tree in an array: the least of each half, and what was taken from all below. */
  readonly #least: Float64Array
  readonly #taken: Float64Array

  constructor(calls: readonly number[]) {
    this.#size = 2 ** Math.ceil(Math.log2(Math.max(1, calls.length)))
    this.#least = new Float64Array(2 * this.#size).fill(Number.POSITIVE_INFINITY)
    this.#taken = new Float64Array(2 * this.#size)
    for (const [at, value] of calls.entries()) this.#least[this.#size + at] = value
    for (let node = this.#size - 1; node > 0; node--) this.#join(node)
  }

  /** How many calls can be taken before the deadline without missing a later one. */
  before(deadline: number): number {
    let node = this.#size + deadline
    let least = this.#of(this.#least, node)
    for (; node > 1; node >>= 1) {
      if ((node & 1) === 0) least = Math.min(least, this.#of(this.#least, node + 1))
      least -= this.#of(this.#taken, node >> 1)
    }
    return least
  }

  take(deadline: number, calls: number): void {
    let node = this.#size + deadline
    this.#reduce(node, calls)
    for (; node > 1; node >>= 1) {
      if ((node & 1) === 0) this.#reduce(node + 1, calls)
      this.#join(node >> 1)
    }
  }

  #reduce(node: number, calls: number): void {
    this.#least[node] = this.#of(this.#least, node) - calls
    this.#taken[node] = this.#of(this.#taken, node) + calls
  }

  #join(node: number): void {
    const least = Math.min(this.#of(this.#least, 2 * node), this.#of(this.#least, 2 * node + 1))
    this.#least[node] = least - this.#of(this.#taken, node)
  }

  #of(numbers: Float64Array, at: number): number {
    return numbers[at] ?? 0
  }
}

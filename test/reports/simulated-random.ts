/** A random generator with a seed, so that simulations are repeatable. */
export function randomOf(seed: number) {
  let state = Math.imul(seed, 0x9e3779b1)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  /** By the method of Marsaglia and Tsang. */
  const gamma = (shape: number): number => {
    if (shape < 1) return gamma(shape + 1) * (1 - next()) ** (1 / shape)
    const most = shape - 1 / 3
    for (;;) {
      const drawn = normal()
      const cube = (1 + drawn / Math.sqrt(9 * most)) ** 3
      if (cube > 0 && Math.log(1 - next()) < drawn ** 2 / 2 + most * (1 - cube + Math.log(cube)))
        return most * cube
    }
  }
  return {
    next,
    normal,
    gamma,
    /** Has this mean; `alike` is the correlation of sessions that share the drawn probability. */
    beta(mean: number, alike: number): number {
      if (alike === 0) return mean
      const rest = 1 / alike - 1
      const [one, other] = [gamma(mean * rest), gamma((1 - mean) * rest)]
      return one / (one + other)
    },
    poisson(mean: number): number {
      let count = 0
      for (let time = -Math.log(1 - next()); time < mean; time -= Math.log(1 - next())) count++
      return count
    },
    /** Jumps from hit to hit, because the distances between hits are geometric. */
    binomial(tries: number, share: number): number {
      if (share <= 0) return 0
      if (share >= 1) return tries
      let hits = -1
      for (let at = 0; at <= tries; hits++)
        at += 1 + Math.floor(Math.log(1 - next()) / Math.log1p(-share))
      return hits
    },
  }
}

/**
 * The ways in which a service may count calls. A limiter returns true if it accepts a call at this time, in
 * milliseconds.
 */
export type Limiter = (atMs: number) => boolean

export const LIMITERS: Readonly<Record<string, (calls: number, perMs: number) => Limiter>> = {
  'fixed windows': (calls, perMs) => {
    let window = -1
    let used = 0
    return (atMs) => {
      if (Math.floor(atMs / perMs) !== window) used = 0
      window = Math.floor(atMs / perMs)
      return used++ < calls
    }
  },
  'a sliding window': (calls, perMs) => {
    const passed: number[] = []
    return (atMs) => {
      while (passed[0] !== undefined && atMs - passed[0] >= perMs) passed.shift()
      if (passed.length >= calls) return false
      passed.push(atMs)
      return true
    }
  },
  'a token bucket': (calls, perMs) => {
    let tokens = calls
    let lastMs = 0
    return (atMs) => {
      tokens = Math.min(calls, tokens + ((atMs - lastMs) * calls) / perMs)
      lastMs = atMs
      if (tokens < 1) return false
      tokens--
      return true
    }
  },
}

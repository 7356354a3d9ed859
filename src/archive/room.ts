/** Bytes that may still be stored. */
export interface Room {
  /** Sets aside what a file will take; undefined when there is not so much. */
  take(bytes: number): TakenRoom | undefined
}

export interface TakenRoom {
  /** What the file really took: nothing, if it was not stored. */
  settle(bytes: number): void
}

/** What several at once may take is set aside beforehand, so that together they do not take too much. */
export function createRoom(bytes: number): Room {
  let left = bytes
  return {
    take(asked) {
      if (asked > left) return undefined
      left -= asked
      return {
        settle: (took) => {
          left += asked - took
        },
      }
    },
  }
}

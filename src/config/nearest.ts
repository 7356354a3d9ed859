/** Returns the known name closest to a mistyped one; undefined if none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.slice(0, LONGEST).toLowerCase()
  const bound = Math.max(1, Math.floor(wanted.length / 3))
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= bound)
    .sort((a, b) => a.edits - b.edits)
  return ranked[0]?.candidate
}

/** Names the known name that was probably meant, or else all known names. */
export function hintFor(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? `known: ${known.join(', ')}` : `did you mean ${meant}?`
}

/** Counts the insertions, deletions, replacements and swaps of neighbors that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        edits = Math.min(edits, (beforeLast[column - 2] ?? edits) + 1)
      current.push(edits)
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? 0
}

// Only this many characters are compared: a mistyped key may have any length, and the work grows with it.
const LONGEST = 64

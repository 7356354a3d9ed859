/** The first letter of a sentence. */
export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** A few names, and how many more there are. */
export function namesOf(names: readonly string[]): string {
  const sorted = names.toSorted()
  if (sorted.length <= MOST_NAMED) return sorted.join(', ')
  return `${sorted.slice(0, MOST_NAMED).join(', ')} and ${sorted.length - MOST_NAMED} more`
}

const MOST_NAMED = 5

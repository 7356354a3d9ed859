const MAX_NAME = 31

/**
 * Names as sheets may have them: at most 31 characters, none of `[]:*?/\`, no apostrophe at the
 * ends, none twice.
 */
export function sheetNames(titles: readonly string[]): string[] {
  const names: string[] = []
  for (const title of titles) names.push(uniqueName(title, names))
  return names
}

export function uniqueName(title: string, taken: readonly string[]): string {
  const allowed = title.replace(/[[\]:*?/\\]|\p{Cc}/gu, ' ').replace(/\s+/g, ' ')
  // "History" is the one name that Excel keeps for itself.
  const base =
    allowed.replace(/^[' ]+|[' ]+$/g, '').replace(/^history$/i, 'History of changes') || 'Sheet'
  const lower = new Set(taken.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : ` (${number})`
    const name =
      Array.from(base)
        .slice(0, MAX_NAME - suffix.length)
        .join('')
        .trim() + suffix
    if (!lower.has(name.toLowerCase())) return name
  }
}
